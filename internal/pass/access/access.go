package access

import (
	"fmt"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// Lower turns places into addresses (Hu, Taichi, chapter 2, section 4.2).
//
// Input: a task with ptr, elem and cell. Output: the same with base, argptr, frame and offset, loads and stores with alias classes,
// and explicit index checks (guard.go) where range analysis cannot prove them unnecessary.
//
// An address is a linear form of values that are not sums or products themselves. The divisions and remainders of nested layouts are
// folded into the form if the ranges of its terms allow it. Then a loop in memory order has no division left, and neighbouring
// elements differ by a constant.
func Lower(k *ir.Kernel, t *ir.Task, lay unit.Layout, o option.Options, notes *note.Notes) {
	a := &accessor{
		k: k, t: t, lay: lay, unchecked: o.Unchecked, notes: notes, r: analysis.RangesOf(t, o.Without), without: o.Without, allActive: o.Settled,
		entry: map[entryKey]*ir.Value{}, strides: map[innerKey]*ir.Value{}, wide: map[*ir.Value]*ir.Value{}, parts: map[cellsKey]*ir.Value{},
		subst: map[*ir.Value]*ir.Value{}, guards: map[*ir.Op]guard{}, controls: map[int]*layout.Tree{}, loaded: map[*ir.Value]bool{},
		settled: map[*ir.Op]bool{}, emptied: map[*layout.Node]bool{}, settledBy: map[*ir.Op]lookups{},
		tests: map[*ir.Value]tested{},
	}
	a.grows = a.growing()
	blocks := t.Blocks()
	for _, b := range blocks {
		a.next = ir.NumberBlock(b, a.next)
		ir.Visit(b, func(o *ir.Op) bool {
			switch {
			case o.Code == ir.OpLoad:
				a.loaded[o.Args[0]] = true
			case o.Code == ir.OpShrink && o.Field.Sparse:
				a.emptied[a.lay.Cells(o.Field).Node] = true
			}
			return true
		})
	}
	for _, b := range blocks {
		a.inBody = b == t.Body
		a.block(b)
		ir.Substitute(b, a.subst)
	}
	start := blocks[0]
	start.Ops = append(a.pre.Ops, start.Ops...)
}

type accessor struct {
	k         *ir.Kernel
	t         *ir.Task
	lay       unit.Layout
	unchecked bool
	notes     *note.Notes
	without   option.Switches
	allActive bool // the cells that stores need are active: nothing is activated

	// For notes, see descentnotes.go.
	way       lookups // of the current access
	visits    bool    // the task runs over cells
	settledBy map[*ir.Op]lookups
	r         *analysis.RangeInfo
	next      int         // number for the next new value
	inBody    bool        // in the task's body, where its indices are visible
	here      []*ir.Value // operands of the last iteration op, nil if there is none

	pre   ir.Block // base addresses and lengths, for the start of the task
	entry map[entryKey]*ir.Value
	// The products of extents and the wide lengths that are made there too.
	strides map[innerKey]*ir.Value
	wide    map[*ir.Value]*ir.Value
	parts   map[cellsKey]*ir.Value
	subst   map[*ir.Value]*ir.Value
	guards  map[*ir.Op]guard
	conds   []map[string]*ir.Value // checks made so far, a map for each open block

	// Of sparse trees; see descent.go.
	lookups   []map[string]known     // a map for each open block
	quotients []map[string]*ir.Value // quotients computed so far, so that equal ones are the same value
	grows     map[*layout.Node]bool  // nodes that the task activates cells of
	controls  map[int]*layout.Tree   // by the tree's number in accesses
	loaded    map[*ir.Value]bool     // places that are loaded from
	settled   map[*ir.Op]bool        // places in cells that were active when the place was made
	emptied   map[*layout.Node]bool  // nodes of lists that the task empties
	tests     map[*ir.Value]tested   // by the result of the test
}

// An entryKey identifies a value that is computed once at the start of a task, by its op and the number of a tree, an argument
// or an entry of the base table.
type entryKey struct {
	code ir.Code
	aux  int64
}

// atStart returns the value of an op at the start of the task. If it has an operand, it is a base.
func (a *accessor) atStart(o *ir.Op) *ir.Value {
	key := entryKey{o.Code, o.Aux}
	switch {
	case o.Param != nil:
		key.aux = int64(o.Param.Slot)
	case len(o.Args) == 1: // the base of a tree
		key.aux = o.Args[0].Def.Aux
	}
	if v, ok := a.entry[key]; ok {
		return v
	}
	a.pre.Ops = append(a.pre.Ops, o)
	v := a.own(o.Results[0])
	a.entry[key] = v
	return v
}

// base returns the base address of a layout tree.
func (a *accessor) base(tree int) *ir.Value {
	return a.atStart(BaseOp(BaseIndex(a.k, tree), a.t.Pos))
}

// root returns the root block of a layout tree.
func (a *accessor) root(tree int) *ir.Value {
	return a.atStart(ir.NewOp(ir.OpRoot, a.t.Pos, []ir.Type{ir.Scalar(ir.BlockRef)}, a.base(tree)))
}

// memory appends the address of a block. What is no block is memory already.
func (a *accessor) memory(b *ir.Builder, block *ir.Value) *ir.Value {
	if block.Type.Kind != ir.BlockRef {
		return block
	}
	return a.own(b.Op(ir.OpBlockPtr, block))
}

// BaseOp returns the op that reads an entry of the base table.
func BaseOp(entry int, pos ir.Pos) *ir.Op {
	o := ir.NewOp(ir.OpBase, pos, []ir.Type{ir.Scalar(ir.Ptr)})
	o.Aux = int64(entry)
	return o
}

// BaseIndex returns the entry of the base table that holds tree's address.
func BaseIndex(k *ir.Kernel, tree int) int {
	for i, t := range k.Bases {
		if t == tree {
			return i
		}
	}
	k.Bases = append(k.Bases, tree)
	return len(k.Bases) - 1
}

// block lowers the places in b and its regions, then puts guards around the accesses that need them.
func (a *accessor) block(b *ir.Block) {
	a.scoped(func() { a.lower(b) })
}

func (a *accessor) lower(b *ir.Block) {
	here := a.here
	ops := b.Ops
	b.Ops = make([]*ir.Op, 0, len(ops))
	build := ir.NewBuilder(b)
	for _, o := range ops {
		build.Pos = o.Pos
		switch o.Code {
		case ir.OpPtr, ir.OpElem, ir.OpCell:
			a.place(build, o)
			continue
		case ir.OpIteration:
			a.here = o.Args
			continue
		case ir.OpLookup:
			a.lookup(build, o)
		case ir.OpFail:
			a.locate(build, o)
		case ir.OpVisit:
			a.visit(build, o)
			continue
		case ir.OpLoad, ir.OpStore, ir.OpAtomic:
			reads := o.Code == ir.OpLoad || o.Atomic == ir.AtomicLoad // a read activates no cell
			if !reads && a.write(build, o) {
				continue
			}
			a.access(o)
			if reads {
				a.load(build, o)
			}
		}
		if a.cellOp(build, o) {
			continue
		}
		if o.Code.Is(ir.Loop) {
			a.repeated(o)
		}
		for i, r := range o.Regions {
			a.scoped(func() {
				if o.Code == ir.OpIf && i == 0 {
					a.taken(o.Args[0])
					if notes := a.notes; o.Flags.Has(ir.Seldom) { // there are no remarks on code that rarely runs
						a.notes = nil
						defer func() { a.notes = notes }()
					}
				}
				a.lower(r)
			})
		}
		build.Emit(o)
	}
	a.guard(b)
	a.here = here
}

// frameClass is the alias class of the frame. Fields have the classes Index+1. Slices have class 0, since the caller may pass the same
// memory twice.
func frameClass(k *ir.Kernel) int32 { return int32(len(k.Fields) + 1) }

// LocalClass is the alias class of local arrays. Without it, LLVM no longer sees that they are local if a loop carries addresses in
// them.
func LocalClass(k *ir.Kernel) int32 { return int32(len(k.Fields) + 3) }

// access sets what a load, store or atomic inherits from its place.
func (a *accessor) access(o *ir.Op) {
	place := o.Args[0].Def
	if place == nil {
		return
	}
	switch place.Code {
	case ir.OpPtr:
		if place.Field.View == nil {
			o.Alias = int32(place.Field.Index + 1)
		}
	case ir.OpCell:
		switch from := place.Args[0].Def; {
		case from == nil:
		case from.Code == ir.OpFrame:
			o.Alias = frameClass(a.k)
		case from.Code == ir.OpAlloc:
			o.Alias = LocalClass(a.k)
		}
	case ir.OpFrame:
		o.Alias = frameClass(a.k)
	}
	if g, ok := a.guards[place]; ok {
		g.silent = o.Flags.Has(ir.Guess)
		a.guards[o] = g
	}
}

// place replaces a ptr, elem or cell by its address.
func (a *accessor) place(b *ir.Builder, o *ir.Op) {
	var address *ir.Value
	if o.Code == ir.OpPtr && o.Field.Sparse {
		a.sparsePlace(b, o)
		return
	}
	switch o.Code {
	case ir.OpPtr:
		address = a.fieldAddress(b, o)
	case ir.OpElem:
		address = a.elemAddress(b, o)
	case ir.OpCell:
		from := o.Args[0].Def
		address = a.address(b, o.Args[0], a.r.LinearOf(o.Args[1]).Scaled(int64(from.Kind.Size())))
	}
	a.subst[o.Results[0]] = address
	a.check(b, o)
}

// address appends base plus the linear form x, its constant last.
func (a *accessor) address(b *ir.Builder, base *ir.Value, x analysis.Linear) *ir.Value {
	p := a.memory(b, base)
	x = a.r.Joined(x)
	for _, t := range x.Terms {
		p = a.own(b.Op(ir.OpOffset, p, a.product(b, t)))
	}
	if x.C != 0 {
		p = a.own(b.Op(ir.OpOffset, p, a.own(b.Int(ir.Scalar(ir.I64), x.C))))
	}
	return p
}

// product appends the term as an i64.
func (a *accessor) product(b *ir.Builder, t analysis.LinTerm) *ir.Value {
	v := t.V
	if v.Type.Kind != ir.I64 {
		v = a.own(b.Convert(v, ir.I64))
		a.r.Of[v] = a.r.Get(t.V)
	}
	if t.Coef != 1 {
		v = a.own(b.NoWrap(ir.OpMul, v, a.own(b.Int(ir.Scalar(ir.I64), t.Coef))))
	}
	return v
}

// own numbers a new value, since linear forms are ordered by number.
func (a *accessor) own(v *ir.Value) *ir.Value {
	v.ID = a.next
	a.next++
	return v
}

// value appends x as one i64.
func (a *accessor) value(b *ir.Builder, x analysis.Linear) *ir.Value {
	i64 := ir.Scalar(ir.I64)
	var sum *ir.Value
	x = a.r.Joined(x)
	for _, t := range x.Terms {
		if p := a.product(b, t); sum == nil {
			sum = p
		} else {
			sum = a.own(b.NoWrap(ir.OpAdd, sum, p))
		}
	}
	if sum == nil {
		return a.own(b.Int(i64, x.C))
	}
	if x.C != 0 {
		sum = a.own(b.NoWrap(ir.OpAdd, sum, a.own(b.Int(i64, x.C))))
	}
	return sum
}

// fieldAddress appends the address of a component of a field in a dense tree.
func (a *accessor) fieldAddress(b *ir.Builder, o *ir.Op) *ir.Value {
	return a.componentAddress(b, o, func(acc *layout.Access) *ir.Value {
		if o.Flags.Has(ir.Copied) {
			return a.copied(acc.Tree)
		}
		return a.home(o.Field, acc.Tree)
	})
}

// copied returns the base address of the task's private copy of a tree. The copy has only some places of the tree.
func (a *accessor) copied(tree int) *ir.Value {
	for _, p := range a.t.Private {
		if a.k.Bases[p.Base] == tree {
			return a.atStart(BaseOp(p.Base, a.t.Pos))
		}
	}
	panic("access: a place is in a copy that there is none of")
}

// componentAddress appends the address of a component in the block that home returns.
func (a *accessor) componentAddress(b *ir.Builder, o *ir.Op, home func(*layout.Access) *ir.Value) *ir.Value {
	first := a.lay.Access(o.Field, int(o.Aux))
	block := home(first)
	off := a.offset(b, o, first)
	if !o.Flags.Has(ir.Dynamic) {
		return a.address(b, block, off)
	}
	dyn := o.Args[len(o.Args)-1]
	comps := make([]*layout.Access, o.Bits)
	for i := range comps {
		comps[i] = a.lay.Access(o.Field, int(o.Aux)+i*int(o.Stride))
	}
	if stride, ok := even(comps); ok {
		off = off.Plus(a.r.LinearOf(dyn), stride)
		return a.address(b, block, off)
	}
	// The components have different address formulas: select one of their addresses.
	p := a.address(b, block, off)
	for i, c := range comps[1:] {
		q := a.address(b, home(c), a.offset(b, o, c))
		this := a.own(b.Op(ir.OpEq, dyn, a.own(b.Int(dyn.Type, int64(i+1)))))
		p = a.own(b.Op(ir.OpSelect, this, q, p))
	}
	return p
}

// even reports whether components have the same terms and constant distances.
func even(cs []*layout.Access) (stride int64, ok bool) {
	if len(cs) < 2 {
		return 0, true
	}
	stride = cs[1].Const - cs[0].Const
	for i, c := range cs {
		if !layout.SameBlock(c, cs[0]) || c.Const != cs[0].Const+int64(i)*stride || len(c.Terms) != len(cs[0].Terms) {
			return 0, false
		}
		for j, t := range c.Terms {
			if t != cs[0].Terms[j] {
				return 0, false
			}
		}
	}
	return stride, true
}

// offset returns the byte offset in the tree as a linear form.
func (a *accessor) offset(b *ir.Builder, o *ir.Op, acc *layout.Access) analysis.Linear {
	sum := analysis.Linear{C: acc.Const}
	for _, t := range acc.Terms {
		x := a.r.LinearOf(o.Args[t.Axis])
		x.C -= acc.Origin[t.Axis]
		x = a.quotient(b, x, t.Div)
		if t.Mod != 0 {
			x = a.remainder(b, x, t.Mod)
		}
		if t.Inner != 0 {
			x = a.times(b, x, a.stride(o.Field, acc, t))
		}
		sum = sum.Plus(x, t.Stride)
	}
	return sum
}

// quotient returns x/d rounded down. The number is not negative if the address is used.
func (a *accessor) quotient(b *ir.Builder, x analysis.Linear, d int64) analysis.Linear {
	if d == 1 {
		return x
	}
	q, rest := x.Split(d)
	if r, ok := a.r.Interval(rest); ok && r.Within(0, d) {
		return q
	}
	key := "/" + x.Key() + "/" + fmt.Sprint(d)
	if v := a.quotientKnown(key); v != nil {
		return analysis.Linear{Terms: []analysis.LinTerm{{V: v, Coef: 1}}}
	}
	v := a.divided(b, a.value(b, x), d)
	if r, ok := a.r.Interval(x); ok {
		a.r.Of[v] = analysis.Interval{Lo: analysis.FloorDiv(r.Lo, d), Hi: analysis.FloorDiv(r.Hi, d)}
	}
	a.quotients[len(a.quotients)-1][key] = v
	return analysis.Linear{Terms: []analysis.LinTerm{{V: v, Coef: 1}}}
}

// remainder returns x modulo m, for such a number.
func (a *accessor) remainder(b *ir.Builder, x analysis.Linear, m int64) analysis.Linear {
	if r, ok := a.r.Interval(x); ok && r.Within(0, m) {
		return x
	}
	_, rest := x.Split(m)
	if r, ok := a.r.Interval(rest); ok && r.Within(0, m) {
		return rest
	}
	key := "%" + x.Key() + "/" + fmt.Sprint(m)
	if v := a.quotientKnown(key); v != nil {
		return analysis.Linear{Terms: []analysis.LinTerm{{V: v, Coef: 1}}}
	}
	v := a.value(b, x)
	if m&(m-1) == 0 {
		v = b.Op(ir.OpAnd, v, a.own(b.Int(ir.Scalar(ir.I64), m-1)))
	} else {
		v = b.Op(ir.OpRem, v, a.own(b.Int(ir.Scalar(ir.I64), m)))
	}
	a.own(v)
	a.r.Of[v] = analysis.Interval{Lo: 0, Hi: m - 1}
	a.quotients[len(a.quotients)-1][key] = v
	return analysis.Linear{Terms: []analysis.LinTerm{{V: v, Coef: 1}}}
}

// quotientKnown returns a quotient or remainder that was computed before; nil if there is none.
func (a *accessor) quotientKnown(key string) *ir.Value {
	for _, m := range a.quotients {
		if v, ok := m[key]; ok {
			return v
		}
	}
	return nil
}

// elemAddress appends the address of a component of a slice element.
func (a *accessor) elemAddress(b *ir.Builder, o *ir.Op) *ir.Value {
	p := o.Param
	off := a.r.LinearOf(o.Args[0]).Scaled(p.ElemSize())
	first := p.Offset(int(o.Aux))
	off.C += first
	if !o.Flags.Has(ir.Dynamic) {
		return a.address(b, a.argument(p), off)
	}
	dyn := o.Args[1]
	choices := make([]int64, o.Bits)
	for i := range choices {
		choices[i] = p.Offset(int(o.Aux)+i*int(o.Stride)) - first
	}
	if stride, ok := evenOffsets(choices); ok {
		return a.address(b, a.argument(p), off.Plus(a.r.LinearOf(dyn), stride))
	}
	at := a.address(b, a.argument(p), off)
	q := at
	for i, c := range choices[1:] {
		other := a.own(b.Op(ir.OpOffset, at, a.own(b.Int(ir.Scalar(ir.I64), c))))
		this := a.own(b.Op(ir.OpEq, dyn, a.own(b.Int(dyn.Type, int64(i+1)))))
		q = a.own(b.Op(ir.OpSelect, this, other, q))
	}
	return q
}

// evenOffsets reports whether offsets, of which the first is 0, have a constant distance.
func evenOffsets(offsets []int64) (stride int64, ok bool) {
	if len(offsets) > 1 {
		stride = offsets[1]
	}
	for i, c := range offsets {
		if c != int64(i)*stride {
			return 0, false
		}
	}
	return stride, true
}
