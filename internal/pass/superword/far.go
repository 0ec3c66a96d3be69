package superword

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/note"
)

// fewestBits is the size of a vector of any target that has vectors.
const fewestBits = 128

// fewestLanes is the length of the shortest vectors: back ends make vectors of two by themselves.
const fewestLanes = 3

// Make vectorises the blocks of t, for a target with vectors of this number of bits. If strict, it leaves sums as they are.
func Make(t *ir.Task, r *analysis.RangeInfo, bits int, strict bool, notes *note.Notes) {
	if t.Body == nil {
		return
	}
	m := &maker{r: r, bits: max(bits, fewestBits), strict: strict, notes: notes}
	var index *ir.Value
	if n := len(t.Dims); n > 0 {
		index = t.Body.Params[n-1]
	}
	m.loop(t.Body, index)
}

// A maker visits the loops of a task.
type maker struct {
	r      *analysis.RangeInfo
	bits   int // of a vector of the target
	strict bool
	notes  *note.Notes
}

// loop visits the body of a loop with an index; nil for a loop that counts nothing.
func (m *maker) loop(body *ir.Block, index *ir.Value) {
	depends := map[*ir.Value]bool{index: index != nil}
	if index == nil {
		depends = nil
	} else {
		dependents(body, depends)
	}
	m.block(body, index, depends, m.single(body, index, depends))
}

// block visits one block of the body of a loop, and the loops and branches in it. It makes vectors if single is set, for places that are
// far apart between iterations.
func (m *maker) block(b *ir.Block, index *ir.Value, depends map[*ir.Value]bool, single bool) {
	for _, o := range b.Ops {
		switch {
		case o.Code == ir.OpFor:
			m.loop(o.Regions[0], o.Regions[0].Params[0])
		case o.Code == ir.OpLoop:
			m.loop(o.Regions[0], nil)
		default:
			for _, r := range o.Regions {
				m.block(r, index, depends, single)
			}
		}
	}
	if !single {
		return
	}
	w := newWorker(m, b, func(p *ir.Value) bool { return m.far(p, index, depends) })
	if w.plan() {
		w.write()
	}
}

// dependents adds the values computed from values in depends to it.
func dependents(b *ir.Block, depends map[*ir.Value]bool) {
	for _, o := range b.Ops {
		found := slices.ContainsFunc(o.Args, func(v *ir.Value) bool { return depends[v] })
		for _, r := range o.Regions {
			for _, p := range r.Params {
				depends[p] = depends[p] || found
			}
			dependents(r, depends)
			within(o, func(o *ir.Op) {
				found = found || slices.ContainsFunc(o.Args, func(v *ir.Value) bool { return depends[v] })
			})
		}
		for _, v := range o.Results {
			depends[v] = depends[v] || found
		}
	}
}

// far reports whether the place p is not a linear function of the iteration.
func (m *maker) far(p, index *ir.Value, depends map[*ir.Value]bool) bool {
	if index == nil {
		return true
	}
	_, linear := m.r.Stride(p, index, depends)
	return !linear
}

// single reports whether the iterations of a loop are not vectorised: its body has loops, or ops other than arithmetic, loads, and stores
// at linear places.
func (m *maker) single(body *ir.Block, index *ir.Value, depends map[*ir.Value]bool) bool {
	found := false
	ir.Visit(body, func(o *ir.Op) bool {
		switch {
		case found:
		case o.Code == ir.OpFor, o.Code == ir.OpLoop, o.Code == ir.OpFail:
			found = true
		case o.Code == ir.OpAtomic || o.Code == ir.OpStore:
			found = m.far(o.Args[0], index, depends)
		}
		return !found
	})
	return found
}
