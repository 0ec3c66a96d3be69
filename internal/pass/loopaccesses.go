package pass

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/pass/access"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// This file finds out what loops access, for loop fusion.

// A loopPlace is a place that a loop accesses.
type loopPlace struct {
	at     *ir.Op // a ptr, or the cell of an array of the kernel
	memory analysis.Object
	write  bool
	update bool          // of a field, by an atomic
	sum    ir.AtomicKind // by what alone it is updated, if in any order; AtomicNone for any other access
	body   *ir.Block
	index  []*analysis.Affine // nil for an index that is not affine
	spot   *analysis.Spot     // what congruences say of it
}

// loopAccesses are the accesses of a loop.
type loopAccesses struct {
	ok     bool // the loop only computes, loads and stores, and cannot fail
	linked bool // it does what is fused in linked kernels alone
	rounds bool // it updates floats by atomics, so that the order decides how the sum is rounded

	places      []loopPlace
	grows       []growth
	ops, locals int // ops, and bytes in arrays of an iteration
}

// disjoint reports whether different iterations of the two loops access different elements at p and q.
func (p *loopPlace) disjoint(q *loopPlace) bool {
	if p.at.Code != ir.OpPtr || q.at.Code != ir.OpPtr {
		return false
	}
	params := p.body.Params
	own := make([]bool, len(params))
	for i, x := range p.index {
		y := q.index[i]
		switch {
		case x == nil || y == nil:
		case x.Apart(*y):
			return true
		case x.OneParam(*y):
			if n := slices.Index(params, x.Param); n == slices.Index(q.body.Params, y.Param) {
				own[n] = true
			}
		}
	}
	return !slices.Contains(own, false) || p.spot.Apart(q.spot)
}

// accesses returns what a loop accesses.
func (f *fuser) accesses(o *ir.Op) *loopAccesses {
	if a := f.of[o]; a != nil {
		return a
	}
	a := &loopAccesses{ok: true}
	f.of[o] = a
	given, certain := f.ranges.CongruencesIn(analysis.LoopBodyOf(o.Regions[0])), certainOps(o)
	ir.Visit(given.Body.Block, func(q *ir.Op) bool {
		a.ops++
		switch q.Code {
		case ir.OpLoad, ir.OpStore, ir.OpAtomic:
			f.access(a, o, given, q, certain[q])
		case ir.OpAlloc:
			a.linked, a.locals = true, a.locals+int(q.Aux)*q.Kind.Size()
		case ir.OpIf, ir.OpFor, ir.OpYield:
		case ir.OpLoop, ir.OpBlock, ir.OpBreak:
			a.linked = true
		case ir.OpContinue:
			a.linked = a.linked || q.Target == o && q != o.Regions[0].Terminator()
		case ir.OpLookup:
			a.ok = a.ok && (f.k.Parts == nil || f.exists(q))
		default:
			a.ok = a.ok && q.Code.Is(ir.Pure) && len(q.Regions) == 0
		}
		return a.ok
	})
	return a
}

// access adds an access of the loop o.
func (f *fuser) access(a *loopAccesses, o *ir.Op, given *analysis.Congruences, q *ir.Op, certain bool) {
	body, at := given.Body, q.Args[0].Def
	if at == nil || at.Flags.Has(ir.Dynamic) || !f.exists(at) {
		a.ok = false
		return
	}
	grows := false
	switch at.Code {
	case ir.OpCell:
		array := at.Args[0].Def
		if a.linked = true; array == nil || array.Code != ir.OpAlloc {
			a.ok = false
		}
		if body.Inside[at.Args[0]] { // it is the iteration's own
			return
		}
	case ir.OpPtr:
		if at.Field.View != nil || q.IsPacked() {
			a.ok = false
		}
		if at.Field.Sparse {
			a.linked = true
			grows = q.Code != ir.OpLoad && !f.o.Settled && !f.isCell(o, at)
			a.ok = a.ok && (!grows || f.mayGrow(o, at))
		}
	default:
		a.ok = false
	}
	p := loopPlace{at: at, memory: analysis.ObjectOf(q), write: q.Code != ir.OpLoad, body: body.Block}
	if q.Code == ir.OpAtomic {
		p.update = at.Code == ir.OpPtr
		a.rounds = a.rounds || q.Args[1].Type.Kind.IsFloat()
		if !f.used[q.Result()] {
			p.sum = sumOf(q.Atomic)
		}
	}
	for _, v := range fieldIndices(at) {
		x := new(analysis.Affine)
		if !x.Collect(body.Block, body.Inside, v, false) {
			x = nil
		}
		p.index = append(p.index, x)
	}
	p.spot = given.Spot(q, fieldIndices(at))
	a.places = append(a.places, p)
	if grows {
		a.grows = append(a.grows, growth{&p, certain})
	}
}

// fieldIndices returns the field indices of a place; none of a place in an array.
func fieldIndices(at *ir.Op) []*ir.Value {
	if at.Code != ir.OpPtr {
		return nil
	}
	return analysis.Indices(at)
}

// exists reports whether the index of a place or look-up is proved to be in range. The flag is left to the pass inbounds, which comes
// when no proof can depend on what a pass infers from checks.
func (f *fuser) exists(at *ir.Op) bool {
	if at.Flags.Has(ir.InBounds) {
		return true
	}
	if f.k.Parts == nil || f.o.Unchecked {
		return f.k.Parts != nil
	}
	_, checks := access.ChecksOf(at)
	return (checks != nil || at.Code == ir.OpPtr) && !slices.ContainsFunc(checks, func(c access.AxisCheck) bool { return !access.Proven(f.ranges.Operand(at, c.Arg), c) })
}

// sumOf returns the operation of which updates commute with those by kind; AtomicNone if there is none.
func sumOf(kind ir.AtomicKind) ir.AtomicKind {
	switch kind {
	case ir.AtomicSub:
		return ir.AtomicAdd
	case ir.AtomicAdd, ir.AtomicMul, ir.AtomicMin, ir.AtomicMax, ir.AtomicAnd, ir.AtomicOr, ir.AtomicXor, ir.AtomicLAnd, ir.AtomicLOr:
		return kind
	}
	return ir.AtomicNone
}

// isCell reports whether a place of a sparse field is in the cell of the iteration, which is active: a store there activates nothing.
func (f *fuser) isCell(loop, place *ir.Op) bool {
	if loop.Code != ir.OpFieldFor || !loop.Field.Sparse || !slices.Equal(analysis.Indices(place), loop.Regions[0].Params) {
		return false
	}
	over, cells := f.o.Layout.Cells(loop.Field), f.o.Layout.Cells(place.Field)
	if over.Node != cells.Node {
		return false
	}
	for _, s := range f.o.Layout.Access(place.Field, int(place.Aux)).Steps {
		if !slices.ContainsFunc(over.Steps, func(t layout.Step) bool { return t.Node == s.Node }) {
			return false
		}
	}
	return true
}

// passes reports whether o, serial code or a loop behind the loop a, may as well run before it: they access different memory, and
// nothing of o can end the launch before a has run.
func (f *fuser) passes(a, o *ir.Op) bool {
	of := f.accesses(a)
	if !of.ok || unit.HasOp(ir.OpReturn, o) || o.IsParallel() && !f.certain(o) {
		return false
	}
	ok := true
	analysis.VisitOps([]*ir.Op{o}, func(q *ir.Op) {
		ok = ok && !f.mayEnd(q) && !(len(of.grows) > 0 && q.Code.Effects().Reads.Has(ir.Topology))
		switch q.Code {
		case ir.OpLoad, ir.OpStore, ir.OpAtomic:
			ok = ok && !of.meets(q)
		}
	})
	return ok
}

// mayEnd reports whether an op, apart from those in its regions, may end the launch early, for want of memory: it activates cells,
// deactivates them, for which it needs records, or adds to copies of a tree. The host then sees what was done before.
func (f *fuser) mayEnd(o *ir.Op) bool {
	switch o.Code {
	case ir.OpStore, ir.OpAtomic:
		at := o.Args[0].Def
		return at == nil || at.Code == ir.OpPtr && at.Field.Sparse && !f.o.Settled || o.Code == ir.OpAtomic && f.o.Deterministic
	case ir.OpLoad, ir.OpIsActive, ir.OpCount, ir.OpAlloc, ir.OpFail, ir.OpIf, ir.OpFor, ir.OpLoop, ir.OpBlock, ir.OpYield, ir.OpBreak, ir.OpContinue,
		ir.OpParFor, ir.OpFieldFor, ir.OpReturn, ir.OpPart:
		return false
	}
	return !o.Code.Is(ir.Pure)
}

// certain reports whether a loop needs no list, for which there must be memory, and has no more iterations than the engine can count.
func (f *fuser) certain(loop *ir.Op) bool {
	if loop.Code == ir.OpFieldFor {
		return !loop.Field.Sparse
	}
	n := 1.0
	for i := 0; i < len(loop.Args); i += 2 {
		lo, hi := f.interval(loop.Args[i]), f.interval(loop.Args[i+1])
		if lo.Any || hi.Any {
			return false
		}
		n *= max(0, float64(hi.Hi)-float64(lo.Lo))
	}
	return n < ir.MaxIterations
}

func (f *fuser) interval(v *ir.Value) analysis.Interval {
	if n, ok := ir.IntOf(v); ok {
		return analysis.Point(n)
	}
	return f.ranges.Get(v)
}

// meets reports whether an access may be to memory that the loop accesses, one of them writing it.
func (a *loopAccesses) meets(q *ir.Op) bool {
	x := analysis.ObjectOf(q)
	writes := q.Code != ir.OpLoad
	return slices.ContainsFunc(a.places, func(p loopPlace) bool {
		return (writes || p.write) && x.Overlaps(p.memory)
	})
}
