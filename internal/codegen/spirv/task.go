package spirv

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
)

// Module translates a task of a kernel with these sites.
func Module(t *ir.Task, sites []*ir.Site, strict bool) (words []uint32, err error) {
	if len(t.Private) > 0 {
		return nil, unsupported("private copies", t.Pos)
	}
	m := newModule(sites, strict)
	m.declare()
	f := m.newFunction()
	f.task, f.signature = t, ir.SignatureOf(t)
	f.begin()
	if inOrder(t) {
		f.alone()
	}
	if len(t.Dims) == 0 {
		f.ops(t.Body)
	} else {
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

// inOrder reports whether one thread does everything: serial code, and loops whose iterations keep their order, as those of helper tasks do.
func inOrder(t *ir.Task) bool { return len(t.Dims) == 0 || t.Threads == 1 || t.Helper }

// alone ends all threads but the first.
func (f *function) alone() {
	f.when(f.inst(opINotEqual, f.kind(ir.Bool), f.component(f.thread), f.number(64, 0)), f.leave)
}

// begin sets the rounds of the subgroup to 0.
func (f *function) begin() {
	u32 := f.integer(32)
	slot := f.inst(opAccessChain, f.pointer(classWorkgroup, u32), f.rounds, f.inst(opLoad, u32, f.subgroup))
	f.do(opStore, slot, f.word(0))
}

// component reads one of a built-in vector.
func (f *function) component(of id) id {
	u32 := f.integer(32)
	v := f.inst(opLoad, f.global(opTypeVector, 0, u32, 3), of)
	return f.inst(opUConvert, f.integer(64), f.inst(opCompositeExtract, u32, v, 0))
}

// iterations writes prologue, loop and epilogue of a task over a range. Iterations are numbered from that of the first dim's and so on, the innermost
// the fastest; a thread has each whose number is its own plus a multiple of the number of threads, and the only one has all. Where partial results are
// kept in order, a thread has a chunk of iterations, one behind the other.
func (f *function) iterations(t *ir.Task) {
	u64, yes := f.integer(64), f.kind(ir.Bool)
	if t.Partial != nil { // a thread without a chunk has no place for partial results
		first := f.inst(opIAdd, u64, f.pushed(launch.PushBegin), f.inst(opIMul, u64, f.component(f.thread), f.pushed(launch.PushChunk)))
		f.when(f.inst(opUGreaterThanEqual, yes, first, f.pushed(launch.PushEnd)), f.leave)
	}
	f.section(t.Prologue)
	if !f.reached {
		return
	}
	var lows, sizes []id
	for i, d := range t.Dims {
		lo, size := f.bound(d, d.Lo), id(0)
		if i > 0 { // that of the outermost dimension is not needed
			size = f.inst(opISub, u64, f.bound(d, d.Hi), lo)
		}
		lows, sizes = append(lows, lo), append(sizes, size)
	}
	at, end := f.variable(u64), f.pushed(launch.PushEnd)
	first, stride := f.component(f.thread), f.number(64, 1)
	switch {
	case t.Partial != nil:
		chunk := f.pushed(launch.PushChunk)
		first = f.inst(opIMul, u64, first, chunk)
		behind := f.inst(opIAdd, u64, f.inst(opIAdd, u64, f.pushed(launch.PushBegin), first), chunk)
		end = f.inst(opSelect, u64, f.inst(opULessThan, yes, behind, end), behind, end)
	case !inOrder(t):
		stride = f.inst(opIMul, u64, f.component(f.grid), f.number(64, launch.DispatchThreads))
	}
	f.do(opStore, at, f.inst(opIAdd, u64, f.pushed(launch.PushBegin), first))
	l, head := &loop{}, f.id()
	f.enter(l, head)
	i := f.inst(opLoad, u64, at)
	body, done := f.id(), f.id()
	f.choose(f.inst(opULessThan, yes, i, end), body, done, body)
	f.label(done)
	f.branch(l.merge)
	f.label(body)
	f.indices(t, i, lows, sizes)
	f.ops(t.Body)
	f.branch(l.cont)
	f.label(l.cont)
	f.do(opStore, at, f.inst(opIAdd, u64, f.inst(opLoad, u64, at), stride))
	f.close(l, head)
	f.section(t.Epilogue)
}

// section writes a prologue or epilogue.
func (f *function) section(b *ir.Block) {
	if b != nil {
		f.ops(b)
	}
}

// indices sets the parameters of the body for an iteration.
func (f *function) indices(t *ir.Task, i id, lows, sizes []id) {
	u64 := f.integer(64)
	for d := len(t.Dims) - 1; d >= 0; d-- {
		place := i
		if d > 0 {
			place = f.inst(opUMod, u64, i, sizes[d])
			i = f.inst(opUDiv, u64, i, sizes[d])
		}
		k := t.Dims[d].Kind
		f.values[t.Body.Params[d]] = f.resized(64, k.Bits(), f.inst(opIAdd, u64, lows[d], place))
	}
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
