package autodiff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
)

// A stencil loads an element and its neighbours, and so the adjoint of each element is a sum over iterations. Atomics
// would make it. But the iterations that load an element are known from its index, and so a loop over the
// elements can compute their contributions again and add them up, without an atomic: a gather.

// Limits of gathers: the iterations that load one element, the ops of these together, and what computing them
// again may cost for each atomic that goes, in the units of [costOf]. A square of a sum of 16 neighbours comes back as
// fast either way, one of 12 faster as a gather, one of 25 in a third of the time with atomics.
const (
	mostGathered = 32
	mostGatherOp = 4000
	atomicCost   = 64
)

// A gathering is a field, or a slice of it, whose adjoints one loop computes.
type gathering struct {
	field   *ir.Field
	axes    []shift // of its indices, without constants
	parts   []*gatherPart
	pseudos map[int64]*ir.Value // stand for the adjoint of the element, by component
}

// A gatherPart has the loads that lie at one distance from their iteration.
type gatherPart struct {
	at    []shift // by axis of the loop
	loads map[*ir.Op]bool
}

// gatherings finds what the backward pass through a parallel loop gathers, and what has to be checked before it does;
// see isSmall. Loads in serial loops, or at indices that are no shifts of those of the loop, are left to atomics.
func (f *facts) gatherings(o *ir.Op) (all []*gathering, small []*ir.Value) {
	g := f.newGridLoop(o)
	if g == nil || f.without.Has(option.Gather) {
		return nil, nil
	}
	byKey := map[string]*gathering{}
	ops, serial := 0, false
	ir.Visit(o.Regions[0], func(p *ir.Op) bool {
		ops++
		serial = serial || p.Code == ir.OpFor || p.Code == ir.OpLoop || p.Code == ir.OpAlloc || p.Code == ir.OpCall || f.extrema[p] != nil
		return true
	})
	if serial { // an iteration may cost anything
		return nil, nil
	}
	ir.Visit(o.Regions[0], func(p *ir.Op) bool {
		if p.Code == ir.OpLoad && f.gradAt(p.Args[0]) != nil && f.active(p.Results[0]) {
			f.gatherLoad(g, p, byKey, &all)
		}
		return true
	})
	if len(all) == 0 || g.mixes() {
		return nil, nil
	}
	all = slices.DeleteFunc(all, func(a *gathering) bool {
		if a.isOwn() {
			return true
		}
		much := len(a.parts) > mostGathered || len(a.parts)*ops > mostGatherOp || f.isCostly(o, a)
		f.costly[o] = f.costly[o] || much
		return much
	})
	if len(all) == 0 {
		return nil, nil
	}
	return all, g.small
}

// mixes reports whether an element may be written to and read, or is written to several times: its adjoint would
// change meanwhile.
func (g *gridLoop) mixes() bool {
	f, body := g.f, g.op.Regions[0]
	var written []*ir.Op
	ir.Visit(body, func(p *ir.Op) bool {
		if (p.Code == ir.OpStore || p.Code == ir.OpAtomic) && f.gradAt(p.Args[0]) != nil {
			written = append(written, p)
		}
		return true
	})
	mixed := slices.ContainsFunc(written, func(w *ir.Op) bool {
		return f.clampsSum(w) && slices.ContainsFunc(written, func(v *ir.Op) bool { return v != w && !g.distinct(v, w) })
	})
	ir.Visit(body, func(p *ir.Op) bool {
		if p.Code == ir.OpLoad && f.gradAt(p.Args[0]) != nil && f.active(p.Results[0]) {
			mixed = mixed || slices.ContainsFunc(written, func(w *ir.Op) bool { return !g.distinct(w, p) })
		}
		return !mixed
	})
	return mixed
}

// isOwn reports whether each iteration loads its own element only, which needs no gather.
func (a *gathering) isOwn() bool {
	return len(a.parts) == 1 && !slices.ContainsFunc(a.parts[0].at, func(s shift) bool { return s.add != 0 || s.wraps })
}

// places counts the distances at which iterations load, those of iterations beside an end together.
func (a *gathering) places() (n int) {
	for _, p := range a.parts {
		if !slices.ContainsFunc(p.at, func(s shift) bool { return s.edge != 0 }) {
			n++
		}
	}
	return n
}

// gatherLoad puts a load into its gathering, if it can be gathered.
func (f *facts) gatherLoad(g *gridLoop, p *ir.Op, byKey map[string]*gathering, all *[]*gathering) {
	ptr := p.Args[0].Def
	if slices.ContainsFunc(ptr.Field.Shape, func(n int64) bool { return n < 0 }) { // an extent is known at launch only
		return
	}
	if g.op.Code == ir.OpFieldFor && g.op.Field.Sparse || ptr.Field.Sparse || f.grad[ptr.Field].Sparse {
		if !g.sparseLike(ptr.Field, f.grad[ptr.Field]) {
			return
		}
	}
	if ptr.Flags.Has(ir.Dynamic) || p.Results[0].Type.Lanes > 1 {
		return
	}
	n := len(g.op.Regions[0].Params)
	at, has := make([]shift, n), make([]bool, n)
	var axes []shift
	var key strings.Builder
	fmt.Fprintf(&key, "%s", ptr.Field.Name)
	for k, v := range ptr.Args {
		s, ok := g.shift(v)
		if !ok || !g.mayBe(s, ptr.Field, k) {
			return
		}
		if s.axis >= 0 {
			if has[s.axis] || !g.holds(s, ptr.Field, k) { // a diagonal: the element does not determine the iteration
				return
			}
			at[s.axis], has[s.axis] = s, true
			fmt.Fprintf(&key, " axis %d", s.axis)
		} else {
			key.WriteString(" " + g.name(s.same))
		}
		axes = append(axes, shift{axis: s.axis, same: s.same})
	}
	if f.grad[ptr.Field].Sparse && slices.ContainsFunc(axes, func(s shift) bool { return s.axis != slices.Index(axes, s) }) { // the loop over the elements has the axes of the field
		return
	}
	if slices.Contains(has, false) { // all iterations along an axis load the same element
		return
	}
	for i := range at {
		if size, _, ok := g.length(i); at[i].wraps && ok && size > 0 {
			at[i].add = ((at[i].add+size/2)%size+size)%size - size/2
		}
		at[i].wraps = at[i].wraps && at[i].add != 0
	}
	a := byKey[key.String()]
	if a == nil {
		a = &gathering{field: ptr.Field, axes: axes, pseudos: map[int64]*ir.Value{}}
		byKey[key.String()] = a
		*all = append(*all, a)
	}
	for _, at := range parted(at) {
		i := slices.IndexFunc(a.parts, func(q *gatherPart) bool {
			return slices.EqualFunc(q.at, at, func(x, y shift) bool { return x.alike(&y) })
		})
		if i < 0 {
			a.parts = append(a.parts, &gatherPart{at: at, loads: map[*ir.Op]bool{}})
			i = len(a.parts) - 1
		}
		a.parts[i].loads[p] = true
		if len(a.parts) > mostGathered {
			break
		}
	}
	if a.pseudos[ptr.Aux] == nil {
		v := &ir.Value{Type: p.Results[0].Type}
		f.varied[v], f.useful[v] = true, true
		a.pseudos[ptr.Aux] = v
	}
}

// parted returns what parts of a gathering a load belongs to: several, where indices are clamped.
func parted(at []shift) [][]shift {
	all := [][]shift{nil}
	for _, s := range at {
		var longer [][]shift
		for _, way := range all {
			for _, t := range s.parted() {
				if longer = append(longer, append(slices.Clone(way), t)); len(longer) > mostGathered {
					break
				}
			}
		}
		all = longer
	}
	return all
}

// sparseLike reports whether a loop over active cells and the adjoint of a field can be gathered: both are sparse, so
// that the loop over the elements visits few, and of one size.
func (g *gridLoop) sparseLike(x, adjoint *ir.Field) bool {
	o := g.op
	return o.Code == ir.OpFieldFor && o.Field.Sparse && adjoint.Sparse && !adjoint.List && !x.List &&
		slices.Equal(o.Field.Shape, adjoint.Shape) && slices.Equal(o.Field.Shape, x.Shape) && slices.Equal(o.Field.Origin, adjoint.Origin) && slices.Equal(o.Field.Origin, x.Origin)
}

// gather emits the loop over the elements of a gathering.
func (r *reverser) gather(o *ir.Op, a *gathering) {
	g := r.newGridLoop(o)
	n := len(o.Regions[0].Params)
	lo, hi := make([]*ir.Value, n), make([]*ir.Value, n)
	var bounds []*ir.Value
	for i := range n {
		number := func(n int64) *ir.Value { return r.b.Int(o.Regions[0].Params[i].Type, n) }
		if o.Code == ir.OpFieldFor {
			lo[i], hi[i] = number(g.low[i]), number(g.low[i]+g.size[i])
		} else {
			lo[i], hi[i] = r.of(g.lo[i]), r.of(g.hi[i])
		}
		from, to := r.reach(a, i, lo[i], hi[i], number)
		bounds = append(bounds, from, to)
	}
	c := ir.NewOp(ir.OpParFor, o.Pos, nil, bounds...)
	if r.grad[a.field].Sparse { // adjoints of inactive cells are dropped
		c = ir.NewOp(ir.OpFieldFor, o.Pos, nil)
		c.Field = r.grad[a.field]
	}
	c.Aux, c.Bits = o.Aux, o.Bits
	r.b.Emit(c)
	r.parallel = o
	r.within(func() {
		r.region(c, 0, func() {
			elem := make([]*ir.Value, n)
			for i, p := range o.Regions[0].Params {
				elem[i] = r.owned(c.Regions[0].AddParam(p.Type, p.Name))
			}
			sums := map[int64]*ir.Value{}
			for _, part := range a.parts {
				r.gatherPart(g, a, part, elem, lo, hi, sums)
			}
			r.addGathered(o, a, elem, sums)
			r.b.Jump(ir.OpContinue, c)
		})
	})
	r.parallel = nil
}

// sliceIndex emits an index that all iterations have alike, brought into the field: where there is no such slice, no
// iteration has loaded anything, and zeros are added. So the limits of the loop are constants, which passes know what
// to do with.
func (r *reverser) sliceIndex(o *ir.Op, a *gathering, k int) *ir.Value {
	v := r.copySame(o, a.axes[k].same)
	if r.loadsAlways(o, a) {
		return v
	}
	low := int64(0)
	if k < len(a.field.Origin) {
		low = a.field.Origin[k]
	}
	v = r.b.Op(ir.OpMax, v, r.b.Int(v.Type, low))
	return r.b.Op(ir.OpMin, v, r.b.Int(v.Type, low+a.field.Shape[k]-1))
}

// loadsAlways reports whether a launch has loaded something of the slice for certain: a load that no
// condition is around, in a loop that has iterations.
func (r *reverser) loadsAlways(o *ir.Op, a *gathering) bool {
	for i := 0; i < len(o.Args); i += 2 { // of a parfor; fields have elements
		lo, ok1 := ir.IntOf(o.Args[i])
		hi, ok2 := ir.IntOf(o.Args[i+1])
		if !ok1 || !ok2 || lo >= hi {
			return false
		}
	}
	for _, p := range o.Regions[0].Ops {
		if slices.ContainsFunc(a.parts, func(q *gatherPart) bool { return q.loads[p] }) {
			return r.isCertain(p.Args[0].Def)
		}
		if ir.Jumps(p, ir.OpContinue, o) {
			return false
		}
	}
	return false
}

// reach returns the range of the elements along an axis that iterations from lo to hi load, within the field.
func (r *reverser) reach(a *gathering, axis int, lo, hi *ir.Value, number func(int64) *ir.Value) (from, to *ir.Value) {
	least, most := int64(0), int64(0)
	for i, p := range a.parts {
		if p.at[axis].ends() { // the range is that of the loop
			continue
		}
		if d := p.at[axis].add; i == 0 {
			least, most = d, d
		} else {
			least, most = min(least, d), max(most, d)
		}
	}
	if slices.ContainsFunc(a.parts, func(p *gatherPart) bool { return p.at[axis].ends() }) {
		least, most = min(least, 0), max(most, 0)
	}
	from, to = r.moved(lo, least), r.moved(hi, most)
	k := slices.IndexFunc(a.axes, func(s shift) bool { return s.axis == axis })
	low := int64(0)
	if k < len(a.field.Origin) {
		low = a.field.Origin[k]
	}
	high := low + a.field.Shape[k]
	if lo.Type.Kind.IsUnsigned() {
		low, high = max(low, 0), max(high, 0)
	}
	from = r.b.Op(ir.OpMax, from, number(low))
	return from, r.b.Op(ir.OpMin, to, number(high))
}

// moved is v plus n, but not below 0 if v cannot be.
func (r *reverser) moved(v *ir.Value, n int64) *ir.Value {
	if n >= 0 || !v.Type.Kind.IsUnsigned() {
		return r.b.Op(ir.OpAdd, v, r.b.Int(v.Type, n))
	}
	down := r.b.Int(v.Type, -n)
	return r.b.Op(ir.OpSub, r.b.Op(ir.OpMax, v, down), down)
}

// gatherPart adds what the iteration at one distance gives to the element.
func (r *reverser) gatherPart(g *gridLoop, a *gathering, part *gatherPart, elem, lo, hi []*ir.Value, sums map[int64]*ir.Value) {
	o := g.op
	iteration := make([]*ir.Value, len(elem))
	var inside *ir.Value
	and := func(c *ir.Value) {
		if inside == nil {
			inside = c
		} else {
			inside = r.b.Op(ir.OpAnd, inside, c)
		}
	}
	for i, e := range elem {
		s := part.at[i]
		if s.edge > 0 {
			and(r.b.Op(ir.OpGe, e, r.b.Op(ir.OpSub, hi[i], r.b.Int(e.Type, 1))))
		} else if s.edge < 0 {
			and(r.b.Op(ir.OpLt, e, r.b.Op(ir.OpAdd, lo[i], r.b.Int(e.Type, 1))))
		}
		tested := e // it lies in the range of the loop if there is an iteration that loads the element
		switch {
		case s.wraps:
			iteration[i] = r.unwrapped(e, s.add, hi[i])
		case s.add > 0 && s.ends():
			iteration[i] = r.b.Op(ir.OpSub, e, r.b.Int(e.Type, s.add))
			and(r.b.Op(ir.OpGe, iteration[i], lo[i]))
		case s.add < 0 && s.ends():
			iteration[i] = r.b.Op(ir.OpAdd, e, r.b.Int(e.Type, -s.add))
			and(r.b.Op(ir.OpLt, iteration[i], hi[i]))
		case s.add != 0:
			tested = r.b.Op(ir.OpSub, e, r.b.Int(e.Type, s.add))
			iteration[i] = tested
		default:
			iteration[i] = e
		}
		if r.widened(a, i) && !g.isOpen(i) {
			and(r.b.Op(ir.OpGe, tested, lo[i]))
			and(r.b.Op(ir.OpLt, tested, hi[i]))
		}
	}
	for _, v := range iteration {
		r.owned(v)
	}
	give := func() []*ir.Value { return r.contribution(o, a, part, iteration) }
	if o.Code == ir.OpFieldFor && o.Field.Sparse {
		there := give
		give = func() []*ir.Value {
			is := ir.NewOp(ir.OpIsActive, r.b.Pos, []ir.Type{ir.Scalar(ir.Bool)}, iteration...)
			is.Field = o.Field
			return r.ifInside(r.b.Emit(is), a, there)
		}
	}
	var parts []*ir.Value
	if inside == nil {
		parts = give()
	} else {
		parts = r.ifInside(inside, a, give)
	}
	for i, aux := range a.components() {
		if sums[aux] == nil {
			sums[aux] = parts[i]
		} else {
			sums[aux] = r.plus(sums[aux], parts[i])
		}
	}
}

// widened reports whether the elements go beyond the range of the loop along an axis.
func (r *reverser) widened(a *gathering, axis int) bool {
	return slices.ContainsFunc(a.parts, func(p *gatherPart) bool { return p.at[axis].add != 0 && !p.at[axis].ends() })
}

// unwrapped is the iteration whose index plus add is e, modulo n.
func (r *reverser) unwrapped(e *ir.Value, add int64, n *ir.Value) *ir.Value {
	if size, known := ir.IntOf(n); known {
		add = (-add%size + size) % size
		return r.b.Op(ir.OpRem, r.b.Op(ir.OpAdd, e, r.b.Int(e.Type, add)), n)
	}
	if e.Type.Kind.IsUnsigned() && add > 0 { // e-add may be below 0
		back := r.b.Op(ir.OpSub, n, r.b.Op(ir.OpRem, r.b.Int(e.Type, add), n))
		return r.b.Op(ir.OpRem, r.b.Op(ir.OpAdd, e, back), n)
	}
	return r.b.Op(ir.OpMod, r.b.Op(ir.OpSub, e, r.b.Int(e.Type, add)), n)
}

// components are the numbers of the components that a gathering has to do with.
func (a *gathering) components() []int64 {
	var all []int64
	for aux := range a.pseudos {
		all = append(all, aux)
	}
	slices.Sort(all)
	return all
}

// ifInside is what give returns if a condition holds, else zeros.
func (r *reverser) ifInside(inside *ir.Value, a *gathering, give func() []*ir.Value) []*ir.Value {
	var types []ir.Type
	for _, aux := range a.components() {
		types = append(types, a.pseudos[aux].Type)
	}
	c := ir.NewOp(ir.OpIf, r.b.Pos, types, inside)
	r.b.Emit(c)
	r.region(c, 0, func() { r.b.Yield(give()...) })
	r.region(c, 1, func() {
		var zeros []*ir.Value
		for _, t := range types {
			zeros = append(zeros, r.b.Const(t, 0))
		}
		r.b.Yield(zeros...)
	})
	return c.Results
}

// contribution computes an iteration again, and its backward pass to some loads only.
func (r *reverser) contribution(o *ir.Op, a *gathering, part *gatherPart, iteration []*ir.Value) (sums []*ir.Value) {
	outer, into := r.adj, r.into
	r.adj, r.into = newAdjoints(), func(load *ir.Op) *ir.Value {
		if part.loads[load] {
			return a.pseudos[load.Args[0].Def.Aux]
		}
		return nil
	}
	r.within(func() {
		for i, p := range o.Regions[0].Params {
			r.set(p, iteration[i])
		}
		if s := r.stackOf(o); s != nil {
			r.recall(s)
		}
		r.forward(inner(o))
		r.reverse(inner(o))
		for _, aux := range a.components() {
			sums = append(sums, r.orZero(r.adj.of[a.pseudos[aux]], a.pseudos[aux].Type))
		}
	})
	r.adj, r.into = outer, into
	return sums
}

// stackOf is what a loop has kept.
func (r *reverser) stackOf(o *ir.Op) *stack {
	for f := r.frame; f != nil; f = f.up {
		if s := f.stacks[o]; s != nil {
			return s
		}
	}
	return nil
}

// addGathered adds the sums to the adjoint of the element.
func (r *reverser) addGathered(o *ir.Op, a *gathering, elem []*ir.Value, sums map[int64]*ir.Value) {
	var index []*ir.Value
	for k, s := range a.axes {
		if s.axis >= 0 {
			index = append(index, elem[s.axis])
		} else {
			index = append(index, r.sliceIndex(o, a, k))
		}
	}
	for _, aux := range a.components() {
		t := a.pseudos[aux].Type
		p := ir.NewOp(ir.OpPtr, r.b.Pos, []ir.Type{ir.Scalar(ir.Ptr)}, index...)
		p.Field, p.Aux = r.grad[a.field], aux
		p.Flags |= ir.InBounds // see reach and sliceIndex
		place := r.b.Emit(p)
		r.b.Store(place, r.plus(r.b.Load(t, place), sums[aux]))
	}
}
