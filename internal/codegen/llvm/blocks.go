package llvm

import (
	"fmt"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/layout"
)

// storeOp translates the ops on the blocks of sparse trees. What is rare is in
// functions of the module, written in blocktext.go and tabletext.go.
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
		f.values[r] = f.table(o, "find", 2)
	case ir.OpEnter:
		f.values[r] = f.table(o, "enter", 1)
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

// seen reads a word of the bits of an entry.
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
	f.m.blockHelpers()
	there := f.inst("load atomic ptr, ptr %s acquire, align 8", slot)
	missing := f.inst("icmp eq ptr %s, null", there)
	make, have := f.block("grow"), f.block("grown")
	p := f.phi(have, "ptr")
	f.branch(missing, make, have, there)
	f.cur = make
	s := o.Store
	made := f.inst("call ptr @ti.grow(ptr %%ctx, ptr %s, i64 %d, i64 %d, i64 %d, ptr %s)", base, s.Control, s.Bytes, s.Changed, slot)
	f.jump(have, made)
	f.cur = have
	return p.name
}

// table finds or makes the block of a hash table. Coordinates follow the first
// operands.
func (f *function) table(o *ir.Op, what string, first int) string {
	rank := len(o.Args) - first
	name := fmt.Sprintf("ti.%s.%d", what, rank)
	f.m.blockHelpers()
	find := fmt.Sprintf("ti.find.%d", rank) // which enter begins with
	f.m.helper(find, func() string { return findText(rank) })
	if what == "enter" {
		f.m.helper(name, func() string { return enterText(rank) })
	}
	var coords strings.Builder
	for _, v := range o.Args[first:] {
		fmt.Fprintf(&coords, ", i32 %s", f.inst("trunc i64 %s to i32", f.use(v)))
	}
	s, base := o.Store, f.use(o.Args[0])
	if what == "find" {
		p := f.inst("call ptr @%s(ptr %s, i64 %d%s)", name, base, s.Table, coords.String())
		none := f.inst("icmp eq ptr %s, null", p)
		return f.inst("select i1 %s, ptr %s, ptr %s", none, f.use(o.Args[1]), p)
	}
	return f.inst("call ptr @%s(ptr %%ctx, ptr %s, i64 %d, i64 %d, i64 %d, i64 %d%s)", name, base, s.Table, s.Control, s.Bytes, s.Changed, coords.String())
}

// blockHelpers defines the functions that take and publish blocks.
func (m *module) blockHelpers() {
	m.helper("ti.take", takeText)
	m.helper("ti.grow", growText)
}

// Offsets that the functions share with the host.
var blockOffsets = strings.NewReplacer(
	"{zero}", fmt.Sprint(layout.ControlZero), "{dump}", fmt.Sprint(layout.ControlDump),
	"{region}", fmt.Sprint(layout.ControlRegion), "{top}", fmt.Sprint(layout.ControlTop), "{limit}", fmt.Sprint(layout.ControlLimit),
	"{free}", fmt.Sprint(layout.ControlFree), "{count}", fmt.Sprint(layout.ControlCount), "{caches}", fmt.Sprint(layout.ControlCaches),
	"{failed}", fmt.Sprint(layout.ControlFailed), "{changed}", fmt.Sprint(layout.ControlChanged),
	"{next}", fmt.Sprint(layout.CacheNext), "{end}", fmt.Sprint(layout.CacheEnd), "{pop}", fmt.Sprint(layout.CacheFree),
	"{stop}", fmt.Sprint(layout.CacheFreeStart), "{spare}", fmt.Sprint(layout.CacheSpare), "{cache}", fmt.Sprint(layout.CacheBytes),
	"{table}", fmt.Sprint(layout.TableRegion), "{lowest}", fmt.Sprint(layout.TableLowest), "{highest}", fmt.Sprint(layout.TableHighest),
	"{log}", fmt.Sprint(layout.TableLog), "{used}", fmt.Sprint(layout.TableUsed), "{locks}", fmt.Sprint(layout.TableLocks),
	"{worker}", fmt.Sprint(launch.CtxWorker),
)
