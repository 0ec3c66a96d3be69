package llvm

import (
	"fmt"

	"github.com/gotaichi/ti/internal/ir"
)

// storeOp translates the ops on the blocks of sparse trees. What is rare is in
// functions of the sparse runtime; see runtime.go.
func (f *function) storeOp(o *ir.Op) {
	r := o.Results[0]
	switch o.Code {
	case ir.OpEntry:
		f.values[r] = f.entry(o)
	case ir.OpListMask:
		f.values[r] = f.visited(o)
	case ir.OpFollow:
		f.values[r] = f.follow(o)
	case ir.OpGrow:
		f.values[r] = f.grow(o)
	case ir.OpFind:
		f.values[r] = f.find(o)
	case ir.OpEnter:
		f.values[r] = f.enterTable(o)
	}
}

// entry reads a word of an entry of a list, which does not change while the task runs.
func (f *function) entry(o *ir.Op) string {
	t, p := o.Results[0].Type, f.entryWord(o)
	if t.Kind == ir.Ptr {
		return f.inst("load ptr, ptr %s, align 8, !invariant.load !0, !align !%d", p, f.m.wordAlign())
	}
	v := f.inst("load i64, ptr %s, align 8, !invariant.load !0, !range %s", p, f.m.node(fmt.Sprintf("!{i64 0, i64 %d}", o.Bits+1)))
	return f.narrow(t.Kind, v)
}

// entryWord returns the address of word Aux of an entry.
func (f *function) entryWord(o *ir.Op) string {
	list := f.task.Lists[o.Stride]
	base := f.slot("ptr", fmt.Sprint("base", list.Base), ir.SlotBase, int64(list.Base), "")
	at := f.inst("mul nuw nsw i64 %s, %d", f.use(o.Args[0]), 8*list.Words())
	p := f.inst("getelementptr inbounds i8, ptr %s, i64 %s", base, at)
	if o.Aux != 0 {
		p = f.inst("getelementptr inbounds i8, ptr %s, i64 %d", p, 8*o.Aux)
	}
	return p
}

// visited reads a word of the bits of an entry.
func (f *function) visited(o *ir.Op) string {
	p := f.inst("getelementptr inbounds i64, ptr %s, i64 %s", f.entryWord(o), f.use(o.Args[1]))
	return f.inst("load i64, ptr %s, align 8, !invariant.load !0", p)
}

// wordAlign is the number of the node that says 8.
func (m *module) wordAlign() int {
	if m.word == 0 {
		m.word = m.nodes
		m.node("!{i64 8}")
	}
	return m.word
}

// follow reads the address of a block, or takes the zero block.
func (f *function) follow(o *ir.Op) string {
	slot, zero := f.use(o.Args[0]), f.use(o.Args[1])
	order := " atomic ptr, ptr %s acquire, align 8"
	if o.Flags.Has(ir.NonAtomic) {
		order = " ptr, ptr %s, align 8" + f.m.scope(o.Alias)
	}
	p := f.inst("load"+order, slot)
	none := f.inst("icmp eq ptr %s, null", p)
	return f.inst("select i1 %s, ptr %s, ptr %s", none, zero, p)
}

// grow reads the address of a block, and calls for one if there is none.
func (f *function) grow(o *ir.Op) string {
	base, slot := f.use(o.Args[0]), f.use(o.Args[1])
	if o.Flags.Has(ir.Proven) {
		return f.inst("load ptr, ptr %s, align 8, !nonnull !0, !align !%d", slot, f.m.wordAlign())
	}
	there := f.inst("load atomic ptr, ptr %s acquire, align 8", slot)
	missing := f.inst("icmp eq ptr %s, null", there)
	make, have := f.block("grow"), f.block("grown")
	p := f.phi(have, "ptr")
	f.branch(missing, make, have, there)
	f.cur = make
	s := o.Store
	f.jump(have, f.callRuntime(o, base, fmt.Sprint(s.Control), fmt.Sprint(s.Bytes), fmt.Sprint(s.Changed), slot))
	f.cur = have
	return p.name
}

// find looks for the block of a table with some coordinates, or takes the zero block.
func (f *function) find(o *ir.Op) string {
	p := f.callRuntime(o, append([]string{f.use(o.Args[0]), fmt.Sprint(o.Store.Table)}, f.coords(o.Args[2:])...)...)
	none := f.inst("icmp eq ptr %s, null", p)
	return f.inst("select i1 %s, ptr %s, ptr %s", none, f.use(o.Args[1]), p)
}

// enterTable finds or makes the block of a table with some coordinates.
func (f *function) enterTable(o *ir.Op) string {
	s := o.Store
	args := []string{f.use(o.Args[0]), fmt.Sprint(s.Table), fmt.Sprint(s.Control), fmt.Sprint(s.Bytes), fmt.Sprint(s.Changed)}
	return f.callRuntime(o, append(args, f.coords(o.Args[1:])...)...)
}

// coords makes coordinates as a table has them of indices.
func (f *function) coords(vs []*ir.Value) []string {
	cs := make([]string, len(vs))
	for i, v := range vs {
		cs[i] = f.inst("trunc i64 %s to i32", f.use(v))
	}
	return cs
}
