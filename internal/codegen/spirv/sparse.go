package spirv

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/sparsert"
)

// Blocks of sparse trees are named as the words of the trees refer to them: by addresses of the host. Where the device has such a block follows from a
// table with a word for every 4 GiB of the host's addresses, which says how far the device's are from them. So words of a tree mean the same to both.

// changesTrees reports whether threads of a task activate cells. What they read and write of the trees beside elements is plain in the IR: it does not
// matter which of several threads sets a flag, and whether another one knows already. But plain accesses that meet atomics have no meaning in SPIR-V.
func changesTrees(t *ir.Task, topology int32) (changes bool) {
	if topology == 0 || inOrder(t) {
		return false
	}
	for _, b := range t.Blocks() {
		ir.Visit(b, func(o *ir.Op) bool {
			writes := o.Code == ir.OpStore || o.Code == ir.OpAtomic && o.Atomic != ir.AtomicLoad
			changes = changes || o.Code == ir.OpGrow || o.Code == ir.OpEnter || writes && o.Alias == topology
			return true
		})
	}
	return changes
}

// contended reports whether other threads may write a word of a tree at the same time.
func (f *function) contended(o *ir.Op, k ir.Kind) bool {
	return f.topology != 0 && o.Alias == f.topology && k.Bits() == 64 && !o.Flags.Has(ir.NonAtomic)
}

// lookUp translates the ops that look up blocks and read lists.
func (f *function) lookUp(o *ir.Op) id {
	u64, yes := f.integer(64), f.kind(ir.Bool)
	switch o.Code {
	case ir.OpRoot:
		return f.slot(ir.SlotRoot, o.Args[0].Def.Aux)
	case ir.OpBlockPtr:
		return f.memoryOf(o.Args[0])
	case ir.OpEntry:
		v := f.loadAt(ir.U64, f.entryWord(o))
		return f.resized(64, o.Results[0].Type.Kind.Bits(), v)
	case ir.OpListMask:
		at := f.inst(opShiftLeftLogical, u64, f.use(o.Args[1]), f.number(64, 3))
		return f.loadAt(ir.U64, f.inst(opIAdd, u64, f.entryWord(o), at))
	case ir.OpFollow:
		there := f.slotOf(o.Args[0], o.Flags.Has(ir.NonAtomic))
		return f.inst(opSelect, u64, f.inst(opIEqual, yes, there, f.number(64, 0)), f.use(o.Args[1]), there)
	case ir.OpGrow:
		there := f.variable(u64)
		f.do(opStore, there, f.slotOf(o.Args[1], false))
		f.when(f.inst(opIEqual, yes, f.inst(opLoad, u64, there), f.number(64, 0)), func() {
			s := o.Store
			f.do(opStore, there, f.callRuntime(sparsert.Function{Does: sparsert.Grow}, f.use(o.Args[0]), f.offset(s.Control), f.offset(s.Bytes), f.offset(s.Changed), f.use(o.Args[1])))
		})
		return f.inst(opLoad, u64, there)
	case ir.OpFind:
		coords := o.Args[2:]
		found := f.callRuntime(sparsert.Function{Does: sparsert.Find, Rank: len(coords)}, append([]id{f.use(o.Args[0]), f.offset(o.Store.Table)}, f.coords(coords)...)...)
		return f.inst(opSelect, u64, f.inst(opIEqual, yes, found, f.number(64, 0)), f.use(o.Args[1]), found)
	}
	s, coords := o.Store, o.Args[1:] // enter
	args := []id{f.use(o.Args[0]), f.offset(s.Table), f.offset(s.Control), f.offset(s.Bytes), f.offset(s.Changed)}
	return f.callRuntime(sparsert.Function{Does: sparsert.Enter, Rank: len(coords)}, append(args, f.coords(coords)...)...)
}

func (f *function) offset(n int64) id { return f.number(64, uint64(n)) }

// coords are indices as coordinates in a table.
func (f *function) coords(vs []*ir.Value) (all []id) {
	for _, v := range vs {
		all = append(all, f.resized(64, 32, f.use(v)))
	}
	return all
}

// slotOf reads the block that a slot refers to. Other threads may put one there.
func (f *function) slotOf(place *ir.Value, alone bool) id {
	if alone {
		return f.loadAt(ir.U64, f.use(place))
	}
	f.capability(CapInt64Atomics)
	u64 := f.integer(64)
	defer f.acquire(ir.Acquire)
	return f.inst(opAtomicLoad, u64, f.placeOf(f.use(place), u64), f.word(1), f.word(0))
}

// memoryOf is where the device has the memory of a block.
func (f *function) memoryOf(block *ir.Value) id {
	if d := block.Def; d != nil && d.Code == ir.OpRoot {
		return f.use(d.Args[0])
	}
	u64, at := f.integer(64), f.use(block)
	unit := f.inst(opShiftRightLogical, u64, at, f.number(64, launch.SpaceShift))
	entry := f.inst(opIAdd, u64, f.pushed(launch.PushSpace), f.inst(opShiftLeftLogical, u64, unit, f.number(64, 3)))
	return f.inst(opIAdd, u64, at, f.loadAt(ir.U64, entry))
}

// entryWord is the address of word Aux of an entry of a list.
func (f *function) entryWord(o *ir.Op) id {
	list, u64 := f.task.Lists[o.Stride], f.integer(64)
	at := f.inst(opIMul, u64, f.use(o.Args[0]), f.offset(8*int64(list.Words())))
	at = f.inst(opIAdd, u64, f.slot(ir.SlotBase, int64(list.Base)), at)
	return f.inst(opIAdd, u64, at, f.offset(8*o.Aux))
}

// callRuntime calls a function of the sparse runtime.
func (f *function) callRuntime(callee sparsert.Function, args ...id) id {
	fn := f.runtime[callee]
	if fn == nil {
		parts := callee.LockFree()
		fn = parts[len(parts)-1]
		f.runtime[callee] = fn
	}
	n, err := f.function(fn)
	if err != nil {
		f.failed = err
		return f.number(64, 0)
	}
	return f.called(f.integer(64), n, args...)
}
