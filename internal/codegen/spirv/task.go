package spirv

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
)

// Module translates a task of a kernel with these sites and no sparse trees.
func Module(t *ir.Task, sites []*ir.Site, strict bool) (words []uint32, err error) {
	return moduleOf(t, sites, strict, 0)
}

// moduleOf translates a task; topology is the alias class of what is in sparse trees beside elements, 0 where the kernel has none.
func moduleOf(t *ir.Task, sites []*ir.Site, strict bool, topology int32) (words []uint32, err error) {
	if len(t.Private) > 0 {
		return nil, unsupported("private copies", t.Pos)
	}
	m := newModule(sites, strict)
	m.declare()
	f := m.newFunction()
	f.task, f.signature, f.bounded = t, ir.SignatureOf(t), topology != 0
	if changesTrees(t, topology) {
		f.topology = topology
	}
	f.begin()
	if inOrder(t) {
		f.alone()
	}
	switch updates := apart(t); {
	case len(t.Dims) == 0:
		if f.bounded {
			f.when(f.inst(opIEqual, f.kind(ir.Bool), f.end(), f.number(64, 0)), f.leave)
		}
		f.ops(t.Body)
	case len(updates) > 0:
		f.together(t, updates)
	default:
		f.iterations(t)
	}
	if f.failed != nil {
		return nil, f.failed
	}
	if f.reached {
		f.do(opReturn)
	}
	void := m.global(opTypeVoid, 0)
	main := m.id()
	f.finish(main, void, m.global(opTypeFunction, 0, void), nil, nil)
	return m.finish(main), nil
}

// inOrder reports whether one thread does everything; see [launch.InOrder].
func inOrder(t *ir.Task) bool { return launch.InOrder(len(t.Dims), t.Threads, t.Helper) }

// alone ends all threads but the first.
func (f *function) alone() {
	f.when(f.inst(opINotEqual, f.kind(ir.Bool), f.thread(), f.number(64, 0)), f.leave)
}

// begin sets the rounds of the subgroup to 0, if they are counted.
func (f *function) begin() {
	u32 := f.integer(32)
	f.when(f.inst(opINotEqual, f.kind(ir.Bool), f.limit, f.word(0)), func() {
		slot := f.inst(opAccessChain, f.pointer(classWorkgroup, u32), f.rounds, f.inst(opLoad, u32, f.subgroup))
		f.do(opStore, slot, f.word(0))
	})
}

// iterations writes prologue, loop and epilogue of a task over a range. Iterations are numbered from that of the first dim's and so on, the innermost
// the fastest; a thread has each whose number is its own plus a multiple of the number of threads, and the only one has all. Where there are tiles, this
// is so for the tiles and workgroups. Where partial results are kept in order, a thread has a chunk of iterations, one behind the other.
func (f *function) iterations(t *ir.Task) {
	if t.Partial != nil { // a thread without a chunk has no place for partial results
		first := f.sum(f.pushed(launch.PushBegin), f.times(f.thread(), f.pushed(launch.PushChunk)))
		f.when(f.inst(opUGreaterThanEqual, f.kind(ir.Bool), first, f.end()), f.leave)
	}
	f.section(t.Prologue)
	if !f.reached {
		return
	}
	tiled, n, yes := launch.Tiled(len(t.Dims), t.Threads, len(t.Lists), t.Partial != nil), numberBits(t), f.kind(ir.Bool)
	var lows, sizes []id
	for i, d := range t.Dims {
		lo, size := f.bound(d, d.Lo), id(0)
		switch constant := d.Lo.From == ir.FromConst && d.Hi.From == ir.FromConst; {
		case i == 0 && !tiled: // that of the outermost dimension is not needed
		case constant:
			size = f.number(n, uint64(d.Hi.Const-d.Lo.Const))
		default:
			size = f.inst(opISub, f.integer(n), f.bound(d, d.Hi), lo)
		}
		lows, sizes = append(lows, lo), append(sizes, size)
	}
	first, stride := f.own(t, tiled, n)
	at, end := f.variable(f.integer(n)), f.resized(64, n, f.end())
	if t.Partial != nil {
		chunk := f.pushed(launch.PushChunk)
		first, stride = f.times(first, chunk), f.number(64, 1)
		behind := f.sum(f.sum(f.pushed(launch.PushBegin), first), chunk)
		end = f.inst(opSelect, f.integer(64), f.inst(opULessThan, yes, behind, end), behind, end)
	}
	f.do(opStore, at, f.add(n, f.resized(64, n, f.pushed(launch.PushBegin)), first))
	l, head := &loop{}, f.id()
	f.enter(l, head)
	i := f.inst(opLoad, f.integer(n), at)
	body, done := f.id(), f.id()
	f.choose(f.inst(opULessThan, yes, i, end), body, done, body)
	f.label(done)
	f.branch(l.merge)
	f.label(body)
	if tiled {
		f.tile(t, l, i, lows, sizes)
	} else {
		f.indices(t, len(t.Dims)-1, i, lows, sizes)
	}
	f.ops(t.Body)
	f.branch(l.cont)
	f.label(l.cont)
	f.do(opStore, at, f.add(n, f.inst(opLoad, f.integer(n), at), stride))
	f.close(l, head)
	f.section(t.Epilogue)
}

// end is the number behind the last iteration, or tile, of the dispatch. In kernels with sparse trees the device may have found out that there are fewer than the host has
// said: the list that the task runs over is shorter, or what stands before it has failed.
func (f *function) end() id {
	if !f.bounded {
		return f.pushed(launch.PushEnd)
	}
	return f.once("end", func() id {
		end, most := f.pushed(launch.PushEnd), f.loadAt(ir.U64, f.pushed(launch.PushMost))
		return f.inst(opSelect, f.integer(64), f.inst(opULessThan, f.kind(ir.Bool), most, end), most, end)
	})
}

// fewIterations is a number of iterations for which 32 bits have room, also where the last tiles reach beyond a loop, and behind the last number of a thread.
const fewIterations = 1 << 30

// numberBits is the width of numbers of a task's iterations and tiles: 32 bits where it is certain that there are few, or else 64.
func numberBits(t *ir.Task) int {
	if t.Partial != nil {
		return 64
	}
	all := int64(1)
	for _, d := range t.Dims {
		n := d.Hi.Const - d.Lo.Const
		if d.Lo.From != ir.FromConst || d.Hi.From != ir.FromConst || n < 0 || n > fewIterations {
			return 64
		}
		if all *= max(1, n); all > fewIterations {
			return 64
		}
	}
	return 32
}

// section writes a prologue or epilogue.
func (f *function) section(b *ir.Block) {
	if b != nil {
		f.ops(b)
	}
}

// indices sets the parameters of the body for the dims up to last, of whose iterations i is one.
func (f *function) indices(t *ir.Task, last int, i id, lows, sizes []id) {
	whole := f.integer(numberBits(t))
	for d := last; d >= 0; d-- {
		place := i
		if d > 0 {
			place = f.inst(opUMod, whole, i, sizes[d])
			i = f.inst(opUDiv, whole, i, sizes[d])
		}
		f.parameter(t, d, lows[d], place)
	}
}

// parameter sets that of a dim: the lowest index, a number of 64 bits, and a place from there.
func (f *function) parameter(t *ir.Task, d int, low, place id) {
	bits, n := t.Dims[d].Kind.Bits(), numberBits(t)
	if b := t.Dims[d].Lo; n < 64 && bits <= 32 {
		f.values[t.Body.Params[d]] = f.resized(n, bits, f.add(n, f.number(n, uint64(b.Const)), place))
		return
	}
	f.values[t.Body.Params[d]] = f.resized(64, bits, f.sum(low, f.resized(n, 64, place)))
}

// bound is a limit as a number of 64 bits.
func (f *function) bound(d ir.Dim, b ir.Bound) id {
	u64 := f.integer(64)
	var v id
	switch b.From {
	case ir.FromConst:
		return f.number(64, uint64(b.Const))
	case ir.FromFrame:
		v = f.loadAt(ir.I64, f.slot(ir.SlotFrame, b.Slot))
	case ir.FromArg:
		v = f.argument(d.Kind, b.Slot)
		wide := ir.U64
		if d.Kind.IsSigned() {
			wide = ir.I64
		}
		v = f.convert(d.Kind, wide, v)
	case ir.FromLen:
		v = f.slot(ir.SlotArg, int64(b.Param.LengthSlot()))
		if b.Div > 1 {
			v = f.inst(opUDiv, u64, v, f.number(64, uint64(b.Div)))
		}
	}
	if b.Const == 0 {
		return v
	}
	return f.inst(opIAdd, u64, v, f.number(64, uint64(b.Const)))
}
