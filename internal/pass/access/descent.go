package access

import (
	"fmt"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/pass/analysis"
)

// This file is the part of access lowering that descends from the root block of a
// sparse tree to the block of a cell (Hu, Taichi, chapter 2, section 5.1;
// docs/decisions/0004-sparse.md).
//
// A descent has a step for each sparse node. Facts about a step are stored under a key: the tree, and all addresses and coordinates
// up to the step as linear forms. So two accesses share the common part of their descents, and an access of a loop to its own cell
// needs no descent, since the loop gives the cell's block (op visit).

// A descent is the steps to a cell with their addresses as linear forms.
type descent struct {
	tree   int
	steps  []layout.Step
	args   []*ir.Value // indices
	origin []int64
	at     []analysis.Linear   // address of each step relative to the block before
	near   []analysis.Linear   // that of Step.Near, if there is one
	cells  [][]analysis.Linear // coordinates, in the order of Step.Cells
	keys   []string
}

// descend computes the descent to the cell at args, whose lowest indices are origin.
func (a *accessor) descend(b *ir.Builder, tree int, steps []layout.Step, args []*ir.Value, origin []int64) *descent {
	w := &descent{tree: tree, steps: steps, args: args, origin: origin}
	if len(steps) > 0 {
		a.controls[tree] = steps[0].Node.Tree()
	}
	key := fmt.Sprint(tree)
	for _, s := range steps {
		at := a.sum(b, s.Terms, args, origin)
		at.C += s.Const
		var cells []analysis.Linear
		key += fmt.Sprintf("/%d %s", s.Kind, at.Key())
		for _, t := range s.Cells {
			x := a.sum(b, []layout.Term{t}, args, origin)
			cells = append(cells, x)
			key += " " + x.Key()
		}
		near := analysis.Linear{}
		if s.Near != nil {
			near = a.sum(b, s.Near.Terms, args, origin)
			near.C += s.Near.Const
		}
		w.at, w.near, w.cells, w.keys = append(w.at, at), append(w.near, near), append(w.cells, cells), append(w.keys, key)
	}
	return w
}

// sum returns the sum of terms as a linear form.
func (a *accessor) sum(b *ir.Builder, terms []layout.Term, args []*ir.Value, origin []int64) analysis.Linear {
	sum := analysis.Linear{}
	for _, t := range terms {
		x := a.r.LinearOf(args[t.Axis])
		x.C -= origin[t.Axis]
		x = a.quotient(b, x, t.Div)
		if t.Mod != 0 {
			x = a.remainder(b, x, t.Mod)
		}
		sum = sum.Plus(x, t.Stride)
	}
	return sum
}

// Leads reports whether a step leads to another block.
func Leads(s *layout.Step) bool { return s.Into != nil }

// start returns the first step to execute: the one after the last step whose block is known, and that block. For a descent that
// activates, that block must be active.
func (a *accessor) start(w *descent, active bool, suffix string) (int, *ir.Value) {
	for i := len(w.steps) - 1; i >= 0; i-- {
		if !Leads(&w.steps[i]) {
			continue
		}
		if k, ok := a.leadsTo(w.keys[i], suffix); ok && (k.active || !active) {
			a.way.find(w.steps[:i+1], k.by)
			return i + 1, k.block
		}
		if a.without.Has(option.Ancestors) { // descents begin at the root unless they are known as a whole
			break
		}
	}
	if len(w.steps) == 0 {
		return 0, a.base(w.tree) // a dense tree
	}
	return 0, a.root(w.tree)
}

// read appends the descent to the last block without activating anything. If a block on the path is absent, the result is the zero
// block. An index that cond does not prove in range is replaced by the lowest one, so that nothing outside of a block is read.
func (a *accessor) read(b *ir.Builder, w *descent, cond *ir.Value) *ir.Value {
	suffix := suffixOf(cond)
	i, block := a.start(w, false, suffix)
	for ; i < len(w.steps); i++ {
		s := &w.steps[i]
		if !Leads(s) {
			continue
		}
		if s.From > 0 {
			a.way.made++
			slot := a.chunkSlot(b, w, i, block, cond)
			i = w.chunkStep(i)
			block = a.follow(b, w, i, slot)
			a.share(w.keys[i]+suffix, known{block: block, by: finder{pos: b.Pos}, steps: w.steps[:i+1]})
			continue
		}
		key := w.keys[i]
		block, key = a.readStep(b, w, i, block, cond, suffix, key)
		a.share(key, known{block: block, by: finder{pos: b.Pos}, steps: w.steps[:i+1]})
	}
	return block
}

func (a *accessor) readStep(b *ir.Builder, w *descent, i int, block, cond *ir.Value, suffix, key string) (*ir.Value, string) {
	s := &w.steps[i]
	a.way.made++
	zero := a.zero(w.tree)
	if s.Kind == layout.StepTable {
		args := append([]*ir.Value{a.base(w.tree), zero}, a.coordinates(b, w, i)...)
		o := ir.NewOp(ir.OpFind, b.Pos, []ir.Type{ir.Scalar(ir.BlockRef)}, args...)
		o.Store, o.Alias = store(s), analysis.TopologyClass(a.k)
		return a.own(b.Emit(o)), key
	}
	return a.follow(b, w, i, a.slot(b, block, w.at[i], s.Const, cond)), key + suffix
}

// follow appends the load of the pointer of step i.
func (a *accessor) follow(b *ir.Builder, w *descent, i int, slot *ir.Value) *ir.Value {
	o := ir.NewOp(ir.OpFollow, b.Pos, []ir.Type{ir.Scalar(ir.BlockRef)}, slot, a.zero(w.tree))
	o.Alias = analysis.TopologyClass(a.k)
	if !a.grows[w.steps[i].Node] {
		o.Flags |= ir.NonAtomic
	}
	return a.own(b.Emit(o))
}

// slot appends an address within a block. If cond is false, it is the address for the lowest index, low: other memory of the block must
// not be used as a pointer.
func (a *accessor) slot(b *ir.Builder, block *ir.Value, at analysis.Linear, low int64, cond *ir.Value) *ir.Value {
	if cond == nil {
		return a.address(b, block, at)
	}
	i64 := ir.Scalar(ir.I64)
	off := a.own(b.Op(ir.OpSelect, cond, a.value(b, at), a.own(b.Int(i64, low))))
	return a.own(b.Op(ir.OpOffset, a.memory(b, block), off))
}

// coordinates appends the coordinates of a table step as i64.
func (a *accessor) coordinates(b *ir.Builder, w *descent, i int) []*ir.Value {
	var out []*ir.Value
	for _, x := range w.cells[i] {
		out = append(out, a.value(b, x))
	}
	return out
}

// zero returns the zero block of a tree.
func (a *accessor) zero(tree int) *ir.Value {
	key := entryKey{ir.OpFollow, int64(tree)}
	if v, ok := a.entry[key]; ok {
		return v
	}
	base := a.base(tree)
	b := ir.NewBuilder(&a.pre)
	b.Pos = a.t.Pos
	at := a.own(b.Op(ir.OpOffset, base, a.own(b.Int(ir.Scalar(ir.I64), a.controls[tree].Control()+layout.ControlZero))))
	v := a.own(b.Load(ir.Scalar(ir.BlockRef), at))
	v.Def.Alias = analysis.TopologyClass(a.k)
	a.entry[key] = v
	return v
}

// store describes the blocks to which a step leads.
func store(s *layout.Step) *ir.Store {
	t := s.Node.Tree()
	return &ir.Store{
		Control: t.BlockControl(s.Into.ID), Changed: t.NodeControl(s.Node.Number()), Bytes: s.Into.Stride(), Table: s.Const,
	}
}

// enter appends the descent to the last block and activates the cell and all above it.
// The indices are in range.
func (a *accessor) enter(b *ir.Builder, w *descent) *ir.Value {
	i, block := a.start(w, true, "")
	a.grown(w.steps[i:])
	a.way.steps += len(w.steps)
	for ; i < len(w.steps); i++ {
		s, key := &w.steps[i], w.keys[i]
		if k, ok := a.known(key); ok && k.active && !Leads(s) {
			a.way.prove(1, k.by)
			continue
		}
		if Leads(s) {
			a.way.made++
		}
		switch s.Kind {
		case layout.StepPointer:
			if s.From > 0 {
				end := w.chunkStep(i)
				block = a.grow(b, w, end, a.growSlot(b, w, i, block))
				for ; i < end; i++ {
					a.share(w.keys[i], known{active: true, by: finder{pos: b.Pos}, steps: w.steps[:i+1]})
				}
				i, key = end, w.keys[end]
				break
			}
			block = a.grow(b, w, i, a.address(b, block, w.at[i]))
		case layout.StepTable:
			o := ir.NewOp(ir.OpEnter, b.Pos, []ir.Type{ir.Scalar(ir.BlockRef)}, append([]*ir.Value{a.base(w.tree)}, a.coordinates(b, w, i)...)...)
			o.Store, o.Alias = store(s), analysis.TopologyClass(a.k)
			block = a.own(b.Emit(o))
		case layout.StepMask:
			if !a.allActive {
				a.setBit(b, w, i, block)
			}
		case layout.StepLength:
			a.lengthen(b, w, i, block)
		}
		k := known{active: true, by: finder{pos: b.Pos}, steps: w.steps[:i+1]}
		if Leads(s) {
			k.block = block
		}
		a.share(key, k)
	}
	return block
}

// grow appends the load of the pointer of step i; it makes the block if it is absent.
func (a *accessor) grow(b *ir.Builder, w *descent, i int, slot *ir.Value) *ir.Value {
	o := ir.NewOp(ir.OpGrow, b.Pos, []ir.Type{ir.Scalar(ir.BlockRef)}, a.base(w.tree), slot)
	o.Store, o.Alias = store(&w.steps[i]), analysis.TopologyClass(a.k)
	if a.allActive {
		o.Flags |= ir.Proven
	}
	return a.own(b.Emit(o))
}

// changed appends a store to the flag that the topology of a node has changed. It stores only once: threads that keep writing to one
// cache line wait for each other.
func (a *accessor) changed(b *ir.Builder, w *descent, i int) {
	n := w.steps[i].Node
	i64 := ir.Scalar(ir.I64)
	at := a.own(b.Op(ir.OpOffset, a.base(w.tree), a.own(b.Int(i64, n.Tree().NodeControl(n.Number())+layout.ControlChanged))))
	first := b.Op(ir.OpEq, a.count(b, at), b.Int(i64, 0))
	b.If(first, nil, func() {
		b.Store(at, b.Int(i64, 1))
		last(b).Alias = analysis.TopologyClass(a.k)
		b.Yield()
	}, func() { b.Yield() })
}

func last(b *ir.Builder) *ir.Op { return b.Block.Ops[len(b.Block.Ops)-1] }

// word appends the address of the mask word with the bit of a cell, and the number of the bit.
func (a *accessor) word(b *ir.Builder, w *descent, i int, block *ir.Value, cond *ir.Value) (at, bit *ir.Value) {
	cell := analysis.Linear{}
	for _, x := range w.cells[i] {
		cell = cell.Plus(x, 1)
	}
	const bits = 64
	bit = a.value(b, a.remainder(b, cell, bits))
	return a.slot(b, block, w.at[i].Plus(a.quotient(b, cell, bits), bits/8), w.steps[i].Const, cond), bit
}

// setBit appends the activation of a bitmasked cell.
func (a *accessor) setBit(b *ir.Builder, w *descent, i int, block *ir.Value) {
	u64 := ir.Scalar(ir.U64)
	at, bit := a.word(b, w, i, block, nil)
	mask := b.Op(ir.OpShl, b.Int(u64, 1), bit)
	old := b.Load(u64, at)
	old.Def.Alias = analysis.TopologyClass(a.k)
	off := b.Op(ir.OpEq, b.Op(ir.OpAnd, old, mask), b.Int(u64, 0))
	b.If(off, nil, func() {
		b.Atomic(ir.AtomicOr, at, mask).Def.Alias = analysis.TopologyClass(a.k)
		a.changed(b, w, i)
		b.Yield()
	}, func() { b.Yield() })
}

// lengthen appends the activation of an element of a list: afterwards the list is at least that long.
func (a *accessor) lengthen(b *ir.Builder, w *descent, i int, block *ir.Value) {
	i64 := ir.Scalar(ir.I64)
	at := a.address(b, block, w.at[i])
	index := a.value(b, w.cells[i][0])
	short := b.Op(ir.OpLe, a.count(b, at), index)
	b.If(short, nil, func() {
		b.Atomic(ir.AtomicMax, at, b.Op(ir.OpAdd, index, b.Int(i64, 1))).Def.Alias = analysis.TopologyClass(a.k)
		a.changed(b, w, i)
		b.Yield()
	}, func() { b.Yield() })
}

// count appends the load of a length or control word.
func (a *accessor) count(b *ir.Builder, at *ir.Value) *ir.Value {
	n := b.Load(ir.Scalar(ir.I64), at)
	n.Def.Alias = analysis.TopologyClass(a.k)
	return n
}

// isActive appends a test whether the cell at the end of w is active. An absent block on the path is replaced by the zero block, in
// which no cell is active, so that the test of the last step is enough. The second result is the block of an active cell, or nil.
func (a *accessor) isActive(b *ir.Builder, w *descent) (active, block *ir.Value) {
	i := len(w.steps) - 1
	if i < 0 {
		return b.Const(ir.Scalar(ir.Bool), 1), nil
	}
	if k, ok := a.known(w.keys[i]); ok && k.active {
		return b.Const(ir.Scalar(ir.Bool), 1), k.block
	}
	block = a.read(b, w, nil)
	switch w.steps[i].Kind {
	case layout.StepMask:
		u64 := ir.Scalar(ir.U64)
		at, bit := a.word(b, w, i, block, nil)
		word := b.Load(u64, at)
		word.Def.Alias = analysis.TopologyClass(a.k)
		return b.Op(ir.OpNe, b.Op(ir.OpAnd, b.Op(ir.OpShr, word, bit), b.Int(u64, 1)), b.Int(u64, 0)), block
	case layout.StepPointer, layout.StepTable:
		if n := w.steps[i].Node; n.Kind() != layout.Dynamic {
			return b.Op(ir.OpNe, block, a.zero(w.tree)), block
		}
	}
	// A list: the step before its pointers has the length.
	i = slices.IndexFunc(w.steps, func(s layout.Step) bool { return s.Kind == layout.StepLength })
	return b.Op(ir.OpLt, a.value(b, w.cells[i][0]), a.count(b, a.address(b, a.read(b, w.until(i), nil), w.at[i]))), nil
}

// A tested is a cell that isactive tests, and its block if it is active; nil if that is not known.
type tested struct {
	w     *descent
	block *ir.Value
	pos   ir.Pos // of the test
}

// taken records that cond is true in the block that begins. If cond is the result of a test for an active cell, all cells above it are
// active, too, and its block exists.
func (a *accessor) taken(cond *ir.Value) {
	t, ok := a.tests[cond]
	if !ok || a.without.Has(option.Proof) {
		return
	}
	end := -1
	for i := range t.w.steps {
		if t.w.steps[i].Kind == layout.StepLength {
			return // a chunk below the length of its list may be absent
		}
		if Leads(&t.w.steps[i]) {
			end = i
		}
	}
	for i, key := range t.w.keys {
		k, _ := a.known(key)
		if k.active {
			continue
		}
		k.active, k.by, k.steps = true, finder{pos: t.pos}, t.w.steps[:i+1]
		if i == end && t.block != nil {
			k.block = t.block
		}
		a.learn(key, k)
	}
}

// until returns the first n steps of the descent.
func (w *descent) until(n int) *descent {
	v := *w
	v.steps, v.at, v.near, v.cells, v.keys = w.steps[:n], w.at[:n], w.near[:n], w.cells[:n], w.keys[:n]
	return &v
}

// visit records the facts that a loop gives about its cell.
func (a *accessor) visit(b *ir.Builder, o *ir.Op) {
	a.visits = true
	if a.without.Has(option.Proof) {
		return
	}
	cells := a.lay.Cells(o.Field)
	w := a.descend(b, cells.Tree, cells.Steps, o.Args[1:], o.Field.Origin)
	block := ir.Resolve(a.subst, o.Args[0])
	end := -1
	for i := range w.steps {
		if Leads(&w.steps[i]) {
			end = i
		}
	}
	for i, key := range w.keys {
		k := known{active: (i <= end || o.Flags.Has(ir.Proven)) && !a.emptied[w.steps[i].Node], by: finder{loop: true}, steps: w.steps[:i+1]}
		if i == end {
			k.block = block
		}
		a.learn(key, k)
	}
}
