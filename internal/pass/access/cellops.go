package access

import (
	"maps"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/site"
)

// This file is the part of access lowering that writes to sparse fields, and lowers the operations on cells and lists.

// growing returns the nodes whose cells the task may activate. An access to the cell that a loop visits activates none of them.
func (a *accessor) growing() map[*layout.Node]bool {
	grows := map[*layout.Node]bool{}
	if a.allActive {
		return grows
	}
	var visits []*ir.Op
	for _, b := range []*ir.Block{a.t.Prologue, a.t.Body, a.t.Epilogue} {
		ir.Visit(b, func(o *ir.Op) bool {
			if o.Code == ir.OpVisit && o.Flags.Has(ir.Proven) && !a.without.Has(option.Proof) {
				visits = append(visits, o)
			}
			f, args := analysis.Activated(o)
			if f == nil || !f.Sparse {
				return true
			}
			known := map[*layout.Node]bool{}
			for _, v := range visits {
				maps.Copy(known, analysis.NodesAround(a.lay, v.Field, v.Args[1:], f, args))
			}
			for _, s := range a.stepsTo(f) {
				grows[s.Node] = grows[s.Node] || !known[s.Node]
			}
			return true
		})
	}
	return grows
}

// stepsTo returns the steps of all descents to a field.
func (a *accessor) stepsTo(f *ir.Field) []layout.Step {
	steps := a.lay.Cells(f).Steps
	for c := range f.Comps { // members may lie in nodes of their own
		steps = append(slices.Clip(steps), a.lay.Access(f, c).Steps...)
	}
	return steps
}

// sparsePlace replaces a ptr to a sparse field by the address to read from. If the cell
// is known to be active, stores use that address too. If the task may allocate a block on
// the path to the cell, the address could change between the ptr and its use: then each
// load descends the path by itself.
func (a *accessor) sparsePlace(b *ir.Builder, o *ir.Op) {
	a.check(b, o)
	a.way.reset()
	active := a.visited(b, o) && !a.empties(o)
	proof := a.way
	if active || a.loaded[o.Results[0]] && !a.moves(o) {
		a.subst[o.Results[0]] = a.readAddress(b, o)
		a.settled[o] = active
		a.settle(o, proof)
		if a.loaded[o.Results[0]] {
			a.noteRead(o)
		}
	}
}

// readAddress appends the descent to a component that is only read, and returns its address.
func (a *accessor) readAddress(b *ir.Builder, o *ir.Op) *ir.Value {
	cond := a.guards[o].cond
	a.way.reset()
	return a.componentAddress(b, o, func(acc *layout.Access) *ir.Value {
		return a.read(b, a.descend(b, acc.Tree, acc.Steps, o.Args, acc.Origin), cond)
	})
}

// load gives a load from a sparse field its address, if its place has none.
func (a *accessor) load(b *ir.Builder, o *ir.Op) {
	place := o.Args[0].Def
	if place == nil || place.Code != ir.OpPtr || !place.Field.Sparse || a.subst[o.Args[0]] != nil {
		return
	}
	o.Args[0] = a.readAddress(b, place)
	a.noteRead(place)
}

// moves reports whether the task may make a block on the path to a place.
func (a *accessor) moves(o *ir.Op) bool {
	return slices.ContainsFunc(a.components(o), func(acc *layout.Access) bool {
		return slices.ContainsFunc(acc.Steps, func(s layout.Step) bool { return Leads(&s) && a.grows[s.Node] })
	})
}

// empties reports whether the task may empty the list that a place is an element of. Its elements may then be inactive when the place
// is used.
func (a *accessor) empties(o *ir.Op) bool {
	return slices.ContainsFunc(a.components(o), func(acc *layout.Access) bool {
		return slices.ContainsFunc(acc.Steps, func(s layout.Step) bool { return a.emptied[s.Node] })
	})
}

// components returns the accesses of the components that a ptr may name.
func (a *accessor) components(o *ir.Op) []*layout.Access {
	if !o.Flags.Has(ir.Dynamic) {
		return []*layout.Access{a.lay.Access(o.Field, int(o.Aux))}
	}
	var out []*layout.Access
	for i := range int(o.Bits) {
		out = append(out, a.lay.Access(o.Field, int(o.Aux)+i*int(o.Stride)))
	}
	return out
}

// visited reports whether o names a component of a cell that is known to be active,
// provided that the range check of o holds.
func (a *accessor) visited(b *ir.Builder, o *ir.Op) bool {
	suffix := suffixOf(a.guards[o].cond)
	var ways []*descent
	for _, acc := range a.components(o) {
		ways = append(ways, a.descend(b, acc.Tree, acc.Steps, o.Args, acc.Origin))
	}
	if e := a.element(b, o); e != nil {
		ways = append(ways, e)
	}
	for _, w := range ways {
		for _, key := range w.keys {
			k, ok := a.active(key, suffix)
			if !ok {
				return false
			}
			a.way.steps++
			a.way.prove(1, k.by)
		}
	}
	return true
}

// scoped runs f for a region: facts that f adds hold only there.
func (a *accessor) scoped(f func()) {
	a.lookups = append(a.lookups, map[string]known{})
	a.quotients = append(a.quotients, map[string]*ir.Value{})
	a.conds = append(a.conds, map[string]*ir.Value{})
	f()
	a.lookups = a.lookups[:len(a.lookups)-1]
	a.quotients = a.quotients[:len(a.quotients)-1]
	a.conds = a.conds[:len(a.conds)-1]
}

// underGuard calls emit, which replaces o, in a branch where the range check of g holds.
// In the other branch the launch fails and the results of o are zero; that of an append
// is -1, since it has no element. underGuard returns the values of emit, which in the
// other branch are those of otherwise.
func (a *accessor) underGuard(b *ir.Builder, g guard, o *ir.Op, otherwise []*ir.Value, emit func() []*ir.Value) []*ir.Value {
	if g.cond == nil {
		return emit()
	}
	var types []ir.Type
	for _, r := range o.Results {
		types = append(types, r.Type)
	}
	none := int64(0)
	if o.Code == ir.OpAppend {
		none = -1
	}
	for _, v := range otherwise {
		types = append(types, v.Type)
	}
	old := append([]*ir.Value{}, o.Results...)
	results := b.If(g.cond, types, func() {
		a.scoped(func() {
			more := emit()
			b.Yield(slices.Concat(o.Results, more)...)
		})
	}, func() {
		if !g.silent {
			a.fail(b, g)
		}
		var zeros []*ir.Value
		for _, t := range types[:len(old)] {
			zeros = append(zeros, b.Int(t, none))
		}
		b.Yield(append(zeros, otherwise...)...)
	})
	for i, v := range old {
		a.own(results[i])
		results[i].Name = v.Name
		a.r.Of[results[i]] = a.r.Get(v).Join(analysis.Point(none))
		if o.Results[i] == v { // the op itself is in the region, and keeps its value
			w := &ir.Value{Type: v.Type, Def: o, Index: i, Name: v.Name}
			o.Results[i] = a.own(w)
			iff := last(b)
			ir.Substitute(iff.Regions[0], map[*ir.Value]*ir.Value{v: w})
		}
		a.subst[v] = results[i]
	}
	more := results[len(old):]
	for _, v := range more {
		a.own(v)
	}
	return more
}

// cellOp lowers an operation on a cell or list; it reports whether o is one.
func (a *accessor) cellOp(b *ir.Builder, o *ir.Op) bool {
	switch o.Code {
	case ir.OpActivate, ir.OpDeactivate, ir.OpIsActive, ir.OpAppend, ir.OpCount, ir.OpShrink:
	case ir.OpMask: // of the loop's own cells, whose indices are in range
		a.subst[o.Results[0]] = a.own(a.rowMask(b, o))
		return true
	default:
		return false
	}
	index := o.Args
	if o.Code == ir.OpShrink {
		index, _ = o.List()
	}
	var all []AxisCheck
	for i, v := range index {
		all = append(all, AxisCheck{Arg: i, v: v, lo: o.Field.Low(i), extent: o.Field.Shape[i]})
	}
	if !a.unchecked {
		a.note(b, o, ir.Site{Pos: o.Pos, Site: site.Site{What: o.Field.Name}}, all)
	}
	g := a.guards[o]
	g.silent = o.Flags.Has(ir.Guess)
	delete(a.guards, o)
	a.way.reset()
	results := o.Results
	// Emit's result replaces the result of o.
	stand := ir.NewOp(o.Code, o.Pos, nil)
	stand.Results = append([]*ir.Value{}, results...)
	a.underGuard(b, g, stand, nil, func() []*ir.Value {
		v := a.carryOut(b, o)
		if len(results) == 0 {
			return nil
		}
		a.own(v)
		if g.cond != nil { // the block is not visible where the result is
			delete(a.tests, results[0])
		}
		if g.cond == nil {
			a.subst[results[0]] = v
			a.r.Of[v] = a.r.Get(results[0])
			return nil
		}
		stand.Results[0] = v
		return nil
	})
	if o.Code == ir.OpAppend && o.Field.Sparse {
		a.appended(b, o)
	}
	a.noteCell(o)
	return true
}

// appended records that a list is longer than the index that an append returned, so that the write of the element need not lengthen
// it: only shrink makes a list shorter.
func (a *accessor) appended(b *ir.Builder, o *ir.Op) {
	cells := a.lay.Cells(o.Field)
	args := append(append([]*ir.Value{}, o.Args...), o.Results[0])
	w := a.descend(b, cells.Tree, cells.Steps, args, o.Field.Origin)
	for i, s := range w.steps {
		if s.Kind == layout.StepLength {
			a.share(w.keys[i], known{active: true, by: finder{pos: b.Pos}, steps: w.steps[:i+1]})
		}
	}
}

// carryOut appends an operation on a cell whose indices are in range, and returns its result, if it has one.
func (a *accessor) carryOut(b *ir.Builder, o *ir.Op) *ir.Value {
	f := o.Field
	if !f.Sparse {
		return b.Const(ir.Scalar(ir.Bool), 1) // of isactive; the others do nothing
	}
	if o.Code == ir.OpDeactivate {
		a.deactivate(b, o)
		return nil
	}
	cells := a.lay.Cells(f)
	args := o.Args
	var to *ir.Value
	if o.Code == ir.OpShrink {
		args, to = o.List()
	}
	if f.List && len(args) < f.Rank() {
		args = append(append([]*ir.Value{}, args...), b.Int(ir.Scalar(ir.I64), 0)) // the first element represents the list
	}
	w := a.descend(b, cells.Tree, cells.Steps, args, f.Origin)
	switch o.Code {
	case ir.OpActivate:
		a.enter(b, w)
		return nil
	case ir.OpIsActive:
		if o.Aux != 0 {
			w = w.until(int(o.Aux))
		}
		v, block := a.isActive(b, w)
		a.tests[o.Results[0]] = tested{w, block, o.Pos}
		return v
	}
	i := 0
	for w.steps[i].Kind != layout.StepLength {
		i++
	}
	if o.Code == ir.OpAppend {
		return a.append(b, w.until(i+1), o)
	}
	at := a.address(b, a.read(b, w.until(i), nil), w.at[i])
	i64 := ir.Scalar(ir.I64)
	most := b.Int(i64, f.Shape[f.Rank()-1])
	n := b.Op(ir.OpMin, a.count(b, at), most) // the length of a list may exceed its limit for a moment while threads append
	if o.Code == ir.OpCount {
		return b.Convert(n, a.k.Int)
	}
	a.shrink(b, o, list{w, i, at, n, b.Convert(to, ir.I64)})
	return nil
}

// append appends the reservation of an element of the list of o; w ends at its length.
func (a *accessor) append(b *ir.Builder, w *descent, o *ir.Op) *ir.Value {
	i64 := ir.Scalar(ir.I64)
	i := len(w.steps) - 1
	at := a.address(b, a.enter(b, w.until(i)), w.at[i])
	one, most := b.Int(i64, 1), b.Int(ir.Scalar(ir.U64), o.Field.Shape[o.Field.Rank()-1])
	alone := o.Flags.Has(ir.NonAtomic)
	var old *ir.Value
	if alone {
		old = a.count(b, at)
	} else {
		old = b.Atomic(ir.AtomicAdd, at, one)
		last(b).Alias = analysis.TopologyClass(a.k)
	}
	// A length is never negative: with an unsigned comparison LLVM can prove that.
	vs := b.If(b.Op(ir.OpLt, b.Convert(old, ir.U64), most), []ir.Type{i64}, func() {
		if alone {
			b.Store(at, b.Op(ir.OpAdd, old, one))
			last(b).Alias = analysis.TopologyClass(a.k)
		}
		a.changed(b, w, i)
		b.Yield(old)
	}, func() {
		if !alone {
			b.Atomic(ir.AtomicSub, at, one)
			last(b).Alias = analysis.TopologyClass(a.k)
		}
		b.Yield(b.Int(i64, -1))
	})
	return b.Convert(vs[0], a.k.Int)
}

// A list is a list that becomes shorter.
type list struct {
	w     *descent  // to its first element
	step  int       // the step to its length
	at, n *ir.Value // the address of the length, and the length
	to    *ir.Value // the number of elements that stay
}

func (l *list) node() *layout.Node { return l.w.steps[l.step].Node }

// shrink appends the removal of elements: they become zero, and their chunks stay with the list. A list that is shorter than the
// requested length fails the launch and stays as it is.
func (a *accessor) shrink(b *ir.Builder, o *ir.Op, l list) {
	i64, u64, n, to := ir.Scalar(ir.I64), ir.U64, l.n, l.to
	a.shorter(l.node())
	if fits := b.Op(ir.OpLe, b.Convert(to, u64), b.Convert(n, u64)); !a.unchecked && !isZero(to) {
		b.If(fits, nil, func() { b.Yield() }, func() {
			a.k.Sites = append(a.k.Sites, o.TooLong(a.k.NameIn(a.t.Part, o.Field)))
			r := ir.NewOp(ir.OpFail, b.Pos, nil, n, to)
			r.Aux, r.Bits = int64(len(a.k.Sites)-1), 2
			a.iteration(b, r, a.here)
			b.Emit(r)
			b.Yield()
		})
	}
	// As unsigned numbers, negative ones are large.
	b.If(b.Op(ir.OpLt, b.Convert(to, u64), b.Convert(n, u64)), nil, func() {
		b.Store(l.at, to)
		last(b).Alias = analysis.TopologyClass(a.k)
		a.changed(b, l.w, l.step)
		chunk := l.node().Visit().Chunk
		chunks := b.Op(ir.OpDiv, b.Op(ir.OpAdd, n, b.Int(i64, chunk-1)), b.Int(i64, chunk))
		loop := ir.NewOp(ir.OpFor, b.Pos, nil, b.Op(ir.OpDiv, to, b.Int(i64, chunk)), chunks)
		c := loop.Regions[0].AddParam(i64, "")
		b.Emit(loop)
		b.In(loop.Regions[0], func() {
			a.scoped(func() { a.clearChunk(b, l, c) })
			b.Jump(ir.OpContinue, loop)
		})
		b.Yield()
	}, func() { b.Yield() })
}

func isZero(v *ir.Value) bool { return v.Def != nil && v.Def.Code == ir.OpConst && v.Def.Bits == 0 }

// clearChunk zeroes the elements of chunk c that a list loses.
func (a *accessor) clearChunk(b *ir.Builder, l list, c *ir.Value) {
	i64, w, n, to := ir.Scalar(ir.I64), l.w, l.n, l.to
	chunk, cell := l.node().Visit().Chunk, l.node().CellBytes()
	// The path to the chunk is that to its first element.
	a.own(c)
	first := a.own(b.NoWrap(ir.OpMul, c, b.Int(i64, chunk)))
	axis := len(w.args) - 1
	args := append(append([]*ir.Value{}, w.args[:axis]...), first)
	block := a.read(b, a.descend(b, w.tree, w.steps, args, w.origin), nil)
	there := b.Op(ir.OpNe, block, a.zero(w.tree))
	b.If(there, nil, func() {
		at := a.memory(b, block)
		left := b.Op(ir.OpMin, b.Op(ir.OpSub, n, first), b.Int(i64, chunk))
		size, kind := int64(8), ir.U64
		from := b.Int(i64, 0)
		if !isZero(to) { // other elements may be in the same word, and other threads may write it
			for ; cell%size != 0; size /= 2 {
				kind = map[ir.Kind]ir.Kind{ir.U64: ir.U32, ir.U32: ir.U16, ir.U16: ir.U8}[kind]
			}
			from = b.Op(ir.OpMul, b.Op(ir.OpMax, b.Op(ir.OpSub, to, first), b.Int(i64, 0)), b.Int(i64, cell/size))
		}
		words := b.Op(ir.OpDiv, b.Op(ir.OpAdd, b.Op(ir.OpMul, left, b.Int(i64, cell)), b.Int(i64, size-1)), b.Int(i64, size))
		loop := ir.NewOp(ir.OpFor, b.Pos, nil, from, words)
		k := loop.Regions[0].AddParam(i64, "")
		b.Emit(loop)
		b.In(loop.Regions[0], func() {
			b.Store(b.Op(ir.OpOffset, at, b.Op(ir.OpMul, k, b.Int(i64, size))), b.Const(ir.Scalar(kind), 0))
			b.Jump(ir.OpContinue, loop)
		})
		b.Yield()
	}, func() { b.Yield() })
}

// deactivate appends a request, which the host executes after the task.
func (a *accessor) deactivate(b *ir.Builder, o *ir.Op) {
	a.k.Sites = append(a.k.Sites, &ir.Site{Pos: o.Pos, Site: site.Site{Kind: site.Deactivate, What: o.Field.Name}})
	r := ir.NewOp(ir.OpRecord, o.Pos, nil, b.Const(ir.Scalar(ir.U64), 0))
	r.Aux = int64(len(a.k.Sites) - 1)
	for _, v := range o.Args {
		r.Args = append(r.Args, b.Convert(v, ir.I64))
	}
	b.Emit(r)
}
