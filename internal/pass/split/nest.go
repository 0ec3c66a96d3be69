package split

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/pass/plane"
)

// This file is the part of split that chooses the loop nest of a parallel loop.

// A nest is the dims of a task, outermost first. The index of an axis is its low plus the sum of its dims' parameters times mul.
type nest struct {
	dims []nestDim
	low  []int64
}

type nestDim struct {
	axis   int
	mul    int64
	lo, hi ir.Bound
}

// nests returns the nests of the tasks that a loop becomes, usually one. A loop over a field is in the field's memory order. A loop
// over ranges keeps their order. If the fields that it accesses are stored in blocks along the innermost axis, its interior is
// strip-mined by blocks, so that addresses within a block are linear and short dims can be unrolled; the partial blocks at both ends
// are separate loops, which come first.
func (s *splitter) nests(loop *ir.Op) []nest {
	body := loop.Regions[0]
	if loop.Code == ir.OpFieldFor {
		// Elements are visited in memory order anyway, so planes pay only if the loop reads neighbours.
		p := plainNest(loop.Field)
		if plan, _ := s.planes(p, body); plan != nil && plan.Near() {
			return []nest{p}
		}
		return []nest{s.fieldNest(loop.Field)}
	}
	p := nest{low: make([]int64, len(body.Params))}
	for d := range body.Params {
		p.dims = append(p.dims, nestDim{axis: d, mul: 1, lo: s.bound(loop.Args[2*d]), hi: s.bound(loop.Args[2*d+1])})
	}
	plan, why := s.planes(p, body)
	if why != nil {
		s.notes.Say(loop.Pos, note.NoPlanes, *why)
	}
	if plan != nil {
		return []nest{p}
	}
	return s.blocked(p, body)
}

// plainNest returns the nest with one dim for each axis of f.
func plainNest(f *ir.Field) nest {
	p := nest{low: make([]int64, f.Rank())}
	for axis := range p.low {
		p.dims = append(p.dims, constDim(axis, 1, f.Low(axis), f.Low(axis)+f.Shape[axis]))
	}
	return p
}

// planes returns a plan for planes of blocks, which a later pass makes of a plain nest; why is the reason why a loop over small blocks
// has none.
func (s *splitter) planes(p nest, body *ir.Block) (plan *plane.Plan, why *note.Cause) {
	if s.planeBits == 0 {
		return nil, nil
	}
	spans := make([]plane.Span, len(p.dims))
	for i, d := range p.dims {
		if d.lo.From != ir.FromConst || d.hi.From != ir.FromConst {
			return nil, nil
		}
		spans[i] = plane.Span{Lo: d.lo.Const, Hi: d.hi.Const}
	}
	return plane.PlanOf(body, spans, s.lay, s.planeBits)
}

// fieldNest returns the nest of f's memory order.
func (s *splitter) fieldNest(f *ir.Field) nest {
	p := nest{low: make([]int64, f.Rank())}
	for _, d := range s.lay.Nest(f) {
		if _, at := f.Extent(d.Axis); d.Extent < 0 && d.Mul == 1 {
			lo := f.Low(d.Axis)
			p.dims = append(p.dims, nestDim{d.Axis, 1, ir.Bound{Const: lo}, ir.Bound{From: ir.FromLen, Param: at, Const: lo}})
			continue
		} else if d.Extent < 0 {
			p.low[d.Axis] = f.Low(d.Axis)
			p.dims = append(p.dims, nestDim{d.Axis, d.Mul, ir.Bound{}, ir.Bound{From: ir.FromLen, Param: at, Div: d.Mul}})
			continue
		}
		lo := int64(0)
		if d.Mul == 1 && d.Extent == f.Shape[d.Axis] {
			lo = f.Low(d.Axis) // the axis has one dim, whose parameter is the index
		} else {
			p.low[d.Axis] = f.Low(d.Axis)
		}
		p.dims = append(p.dims, constDim(d.Axis, d.Mul, lo, lo+d.Extent))
	}
	// The memory order has no dim for an axis of extent 1; its only index is the origin.
	for axis := range p.low {
		if !slices.ContainsFunc(p.dims, func(d nestDim) bool { return d.axis == axis }) {
			p.low[axis] = f.Low(axis)
		}
	}
	if len(p.dims) == 0 && f.Rank() > 0 {
		p.dims = append(p.dims, constDim(0, 1, p.low[0], p.low[0]+1))
		p.low[0] = 0
	}
	return p
}

// visited marks the accesses of a loop over f to the visited element, whose indices are in range. Range analysis cannot prove that if
// extents are read at launch and the loop is strip-mined by blocks.
func visited(f *ir.Field, body *ir.Block) {
	ir.Visit(body, func(o *ir.Op) bool {
		if o.Code == ir.OpPtr && sameExtents(o.Field, f) && !o.Flags.Has(ir.Dynamic) && slices.Equal(o.Args, body.Params) {
			o.Flags |= ir.InBounds
		}
		return true
	})
}

// sameExtents reports whether f and g have the same extents, read at launch, and the same
// lowest indices.
func sameExtents(f, g *ir.Field) bool {
	if f.Rank() != g.Rank() || !slices.Equal(f.Extents, g.Extents) {
		return false
	}
	for axis := range f.Shape {
		if f.Low(axis) != g.Low(axis) {
			return false
		}
	}
	return true
}

func constDim(axis int, mul, lo, hi int64) nestDim {
	return nestDim{axis, mul, ir.Bound{Const: lo}, ir.Bound{Const: hi}}
}

// blocked splits the innermost dim of p at the borders of blocks, if there are any.
func (s *splitter) blocked(p nest, body *ir.Block) []nest {
	last := len(p.dims) - 1
	d := p.dims[last]
	if d.lo.From != ir.FromConst || d.hi.From != ir.FromConst {
		return []nest{p}
	}
	size, origin := s.blockSize(body, body.Params[last])
	if size == 0 || s.blocks || s.ordered && numbered(body) {
		return []nest{p}
	}
	// Blocks first … end-1 are completely in the range.
	first := analysis.FloorDiv(d.lo.Const-origin+size-1, size)
	end := analysis.FloorDiv(d.hi.Const-origin, size)
	if end-first < 2 {
		return []nest{p}
	}
	var out []nest
	border := func(lo, hi int64) {
		if lo < hi {
			q := nest{append([]nestDim{}, p.dims...), p.low}
			q.dims[last] = constDim(d.axis, 1, lo, hi)
			out = append(out, q)
		}
	}
	border(d.lo.Const, origin+first*size)
	border(origin+end*size, d.hi.Const)
	q := nest{low: append([]int64{}, p.low...)}
	q.low[d.axis] = origin
	var inner []nestDim
	q.dims, inner = s.tiled(p.dims[:last], q.low, body)
	q.dims = append(append(append(q.dims, constDim(d.axis, size, first, end)), inner...), constDim(d.axis, 1, 0, size))
	return append(out, q)
}

// numbered reports whether iterations of a body take numbers in turn: those of appends, and old values of atomics. In Deterministic mode
// they take them in the order of the source.
func numbered(body *ir.Block) bool {
	used, found := map[*ir.Value]bool{}, false
	ir.Visit(body, func(o *ir.Op) bool {
		for _, v := range o.Args {
			used[v] = true
		}
		return true
	})
	ir.Visit(body, func(o *ir.Op) bool {
		found = found || o.Code == ir.OpAppend || o.Code == ir.OpAtomic && used[o.Results[0]]
		return !found
	})
	return found
}

// tiled splits dims at the borders of blocks, too, if the loop activates blocks of a sparse tree under a condition. Then all iterations
// that may activate a block follow one another, and code that depends only on the innermost index runs once for all rows of a block.
// It returns dims over blocks, and dims within one. A dim that does not consist of whole blocks stays as it is.
func (s *splitter) tiled(dims []nestDim, low []int64, body *ir.Block) (outer, inner []nestDim) {
	tile := makesBlocksRarely(body)
	for _, d := range dims {
		outer = append(outer, d)
		if !tile || d.lo.From != ir.FromConst || d.hi.From != ir.FromConst {
			continue
		}
		size, origin := s.blockSize(body, body.Params[d.axis])
		if size == 0 || (d.lo.Const-origin)%size != 0 || (d.hi.Const-origin)%size != 0 || d.hi.Const-d.lo.Const < 2*size {
			continue
		}
		low[d.axis] = origin
		outer[len(outer)-1] = constDim(d.axis, size, (d.lo.Const-origin)/size, (d.hi.Const-origin)/size)
		inner = append(inner, constDim(d.axis, 1, 0, size))
	}
	return outer, inner
}

// makesBlocksRarely reports whether all that a body does is to store to elements of sparse fields under a condition. Then its
// iterations may run in any order: they append nothing, print nothing, and accumulate nothing.
func makesBlocksRarely(body *ir.Block) bool {
	stores := false
	ok := !slices.ContainsFunc(body.Ops, func(o *ir.Op) bool { return o.Code == ir.OpStore })
	ir.Visit(body, func(o *ir.Op) bool {
		switch o.Code {
		case ir.OpIf, ir.OpYield, ir.OpContinue, ir.OpPtr, ir.OpElem, ir.OpLoad:
		case ir.OpStore:
			place := o.Args[0].Def
			stores = true
			ok = ok && place != nil && place.Code == ir.OpPtr && place.Field.Sparse
		default:
			ok = ok && o.Code.Is(ir.Pure)
		}
		return ok
	})
	return ok && stores
}

// blockSize returns the extent and the origin, along the axis of index, of the innermost blocks of the fields that body accesses at
// index plus a constant; 0 if no such field is stored in blocks, or if their blocks differ.
func (s *splitter) blockSize(body *ir.Block, index *ir.Value) (size, origin int64) {
	agree := true
	ir.Visit(body, func(o *ir.Op) bool {
		if o.Code != ir.OpPtr {
			return true
		}
		for axis, v := range analysis.Indices(o) {
			if analysis.LoopIndex(body, v).Param != index {
				continue
			}
			n, low := innermostBlock(s.lay.Access(o.Field, int(o.Aux)), axis), o.Field.Low(axis)
			if o.Field.Sparse && n != 0 {
				low -= analysis.FloorDiv(low, n) * n // the origin of an unbounded axis is out of the range of the index type
			}
			if n == 0 || size != 0 && (n != size || low != origin) {
				agree = false
			}
			size, origin = n, low
		}
		return true
	})
	if !agree {
		return 0, 0
	}
	return size, origin
}

// innermostBlock returns the extent of the innermost level of an axis; 0 if the axis has only one level.
func innermostBlock(a *layout.Access, axis int) int64 {
	for _, t := range a.Terms {
		if t.Axis == axis && t.Div == 1 {
			return t.Mod
		}
	}
	return 0
}
