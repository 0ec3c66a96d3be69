package analysis

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// A WriteSet records how a loop writes one object: a field or slice parameter.
type WriteSet struct {
	index  []Affine // the index that all writes have on an axis; without a loop index if they differ
	Unique bool     // whether no two iterations write to one element
}

// A LoopBody is the body of a loop, with the values that are defined in it.
type LoopBody struct {
	*ir.Block
	Inside map[*ir.Value]bool
}

// LoopBodyOf returns the body of a loop with its values.
func LoopBodyOf(body *ir.Block) LoopBody {
	b := LoopBody{body, map[*ir.Value]bool{}}
	note := func(vs []*ir.Value) {
		for _, v := range vs {
			b.Inside[v] = true
		}
	}
	note(body.Params)
	ir.Visit(body, func(o *ir.Op) bool {
		note(o.Results)
		for _, r := range o.Regions {
			note(r.Params)
		}
		return true
	})
	return b
}

// Add records a write at index.
func (w *WriteSet) Add(body LoopBody, index []*ir.Value) *WriteSet {
	if w == nil {
		w = &WriteSet{index: make([]Affine, len(index))}
		for i, v := range index {
			w.index[i] = axisIndex(body, v)
		}
	} else {
		for i, v := range index {
			if !w.index[i].Same(axisIndex(body, v)) {
				w.index[i] = Affine{}
			}
		}
	}
	own := make([]bool, len(body.Params))
	for _, a := range w.index {
		if a.Param != nil {
			own[a.Param.Index] = true
		}
	}
	w.Unique = !slices.Contains(own, false)
	return w
}

// axisIndex returns an index as an Affine of the loop's indices; the zero Affine if it is none.
func axisIndex(body LoopBody, v *ir.Value) (a Affine) {
	if !a.Collect(body.Block, body.Inside, v, false) {
		return Affine{}
	}
	return a
}
