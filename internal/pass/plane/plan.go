package plane

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// A Span is the range of a loop's index.
type Span struct{ Lo, Hi int64 }

// A Plan describes how planes vectorise a loop.
type Plan struct {
	body   *ir.Block
	axes   []axis
	across []int // axes of a plane, innermost first
	order  []int // axes of the new loop, outermost first
	lanes  int
	places map[*ir.Op]*place // by ptr
	stores int
}

// An axis is an index of the loop, along the same axis of all fields that it accesses.
type axis struct {
	Span
	param      *ir.Value
	size       int64 // of a block; 1 without blocks
	low        int64 // the index of the first cell of block 0
	first, end int64 // the blocks that the loop visits
	apart      int64 // lanes between neighbours; 0 if the plane does not extend along this axis
}

// A place is that of an element at a constant distance from the iteration's own, or of one that is the same for all iterations.
type place struct {
	op      *ir.Op
	offset  []int64 // along each axis
	uniform bool
}

// own reports whether p is in the iteration's own element.
func (p *place) own() bool {
	for _, d := range p.offset {
		if d != 0 {
			return false
		}
	}
	return !p.uniform
}

// mostOps limits the size of the new body.
const mostOps = 1000

// PlanOf returns a plan for planes, in vectors of this number of bits, for a loop with this body over spans. If the loop cannot have
// planes, the plan is nil, and why is the reason if it is over small blocks.
func PlanOf(body *ir.Block, spans []Span, lay unit.Layout, bits int) (p *Plan, why *note.Cause) {
	p = &Plan{body: body, places: map[*ir.Op]*place{}}
	for i, v := range body.Params {
		if v.Type != ir.Scalar(ir.I32) && v.Type != ir.Scalar(ir.I64) || spans[i].Lo >= spans[i].Hi {
			return nil, nil
		}
		p.axes = append(p.axes, axis{Span: spans[i], param: v})
	}
	s := p.shape(lay)
	if s == nil {
		return nil, nil
	}
	if p.across, p.lanes = s.across(bits); p.lanes == 0 {
		return nil, nil
	}
	p.grid(s)
	if why = p.fits(lay, s); why != nil {
		return nil, why
	}
	return p, nil
}

// shape returns the shape of the blocks of the first component that is stored to.
func (p *Plan) shape(lay unit.Layout) *shape {
	var at *ir.Op
	ir.Visit(p.body, func(o *ir.Op) bool {
		if at == nil && o.Code == ir.OpStore && o.Args[0].Def != nil && o.Args[0].Def.Code == ir.OpPtr {
			at = o.Args[0].Def
		}
		return at == nil
	})
	if at == nil || at.Field.Sparse || at.Field.View != nil || at.Field.Rank() != len(p.axes) {
		return nil
	}
	if s, ok := shapeOf(at, lay); ok && s.blocked {
		return &s
	}
	return nil
}

// grid divides the axes into blocks.
func (p *Plan) grid(s *shape) {
	for i := range p.axes {
		a := &p.axes[i]
		a.size, a.low = s.sizes[i], s.lows[i]
		a.first = analysis.FloorDiv(a.Lo-a.low, a.size)
		a.end = analysis.FloorDiv(a.Hi-a.low+a.size-1, a.size)
	}
	apart := int64(1)
	for _, i := range p.across {
		p.axes[i].apart = apart
		apart *= p.axes[i].size
	}
	p.order = s.order()
}

// planes is the number of planes in a block.
func (p *Plan) planes() int64 {
	n := int64(1)
	for _, a := range p.axes {
		if a.apart == 0 {
			n *= a.size
		}
	}
	return n
}

// fits returns the reason why the body cannot have planes; nil if it can.
func (p *Plan) fits(lay unit.Layout, s *shape) *note.Cause {
	cause := func(o *ir.Op, r note.Reason, args ...any) *note.Cause {
		c := r.With(args...).At(o.Pos)
		return &c
	}
	if int64(len(p.body.Ops))*p.planes() > mostOps {
		return cause(p.body.Ops[0], note.PlanesLarge)
	}
	stored := map[component]bool{}
	for _, o := range p.body.Ops {
		if o.Code == ir.OpStore && o.Args[0].Def != nil && o.Args[0].Def.Code == ir.OpPtr {
			stored[componentOf(o.Args[0].Def)] = true
		}
	}
	done := map[component]bool{}
	for i, o := range p.body.Ops {
		switch {
		case o.Code == ir.OpPtr:
			if r, ok := p.place(o, lay, s); !ok {
				return cause(o, r, o.Field.Name)
			}
		case o.Code == ir.OpLoad || o.Code == ir.OpStore:
			at, c := p.placeOf(o), component{}
			if at != nil {
				c = componentOf(at.op)
			}
			switch {
			case at == nil || o.Order != ir.Plain || len(o.Args) > 2-len(o.Results):
				return cause(o, note.PlanesOther, o.Code.String())
			case o.Code == ir.OpStore && !at.own(), o.Code == ir.OpLoad && stored[c] && (!at.own() || done[c]):
				return cause(o, note.PlanesWritten, at.op.Field.Name)
			}
			if o.Code == ir.OpStore {
				done[c] = true
				p.stores++
			}
		case o.Code == ir.OpContinue && i == len(p.body.Ops)-1:
		case !plain(o):
			return cause(o, note.PlanesOther, o.Code.String())
		}
	}
	return nil
}

// A component is a component of a field.
type component struct {
	field *ir.Field
	comp  int64
}

func componentOf(at *ir.Op) component { return component{at.Field, at.Aux} }

// placeOf returns the place of a load or store; nil if it is not in a field.
func (p *Plan) placeOf(o *ir.Op) *place {
	if at := o.Args[0].Def; at != nil {
		return p.places[at]
	}
	return nil
}

// plain reports whether o can be computed lane by lane in a vector.
func plain(o *ir.Op) bool {
	switch o.Code {
	case ir.OpCall, ir.OpLookup, ir.OpElem, ir.OpCell, ir.OpBase, ir.OpArgPtr, ir.OpFrame, ir.OpOffset, ir.OpWorker, ir.OpStopGrad, ir.OpUnique:
		return false
	case ir.OpIteration: // no index can be out of range
		return true
	}
	if !o.Code.Is(ir.Pure) || len(o.Regions) > 0 || len(o.Results) != 1 {
		return false
	}
	t := o.Results[0].Type
	return t.Lanes == 1 && (numberKind(t.Kind) || t.Kind == ir.Bool)
}

// place records the place of a ptr, and reports whether planes allow it: it is in blocks like those of s, at a constant distance that
// stays in the field, or at constant indices.
func (p *Plan) place(o *ir.Op, lay unit.Layout, s *shape) (why note.Reason, ok bool) {
	f := o.Field
	if f.Sparse || f.View != nil || f.Extents != nil || o.Flags.Has(ir.Dynamic) || o.Flags.Has(ir.Copied) || !numberKind(f.Comps[o.Aux]) {
		return note.PlanesOtherBlocks, false
	}
	at := &place{op: o, uniform: true}
	for axis, v := range o.Args {
		x := analysis.LoopIndex(p.body, v)
		low, end := x.Add, x.Add
		if x.Param != nil {
			if axis >= len(p.axes) || x.Param != p.axes[axis].param {
				return note.PlanesIndex, false
			}
			low, end = x.Add+p.axes[axis].Lo, x.Add+p.axes[axis].Hi-1
			at.uniform = false
		} else if _, known := ir.IntOf(v); !known {
			return note.PlanesIndex, false
		}
		if low < f.Low(axis) || end >= f.Low(axis)+f.Shape[axis] {
			return note.PlanesEdge, false
		}
		at.offset = append(at.offset, x.Add)
	}
	p.places[o] = at
	if at.uniform {
		return 0, true
	}
	for _, v := range o.Args {
		if analysis.LoopIndex(p.body, v).Param == nil {
			return note.PlanesIndex, false
		}
	}
	if t, ok := shapeOf(o, lay); !ok || len(o.Args) != len(p.axes) || !s.sameBlocks(&t) {
		return note.PlanesOtherBlocks, false
	}
	return 0, true
}

// Near reports whether the loop loads other elements than its own.
func (p *Plan) Near() bool {
	for _, at := range p.places {
		if !at.own() && !at.uniform {
			return true
		}
	}
	return false
}
