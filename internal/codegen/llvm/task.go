package llvm

import (
	"fmt"
	"math"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/llvm"
)

// taskFunction writes the function of t.
func (m *module) taskFunction(t *ir.Task) error {
	f := m.newFunction()
	f.task, f.signature = t, ir.SignatureOf(t)
	for _, p := range t.Private {
		f.private[int64(p.Base)] = true
	}
	f.ret = func([]*ir.Value) { f.do("ret void") }
	f.stop = func() { f.do("ret void") }
	if len(t.Dims) == 0 {
		f.ops(t.Body)
	} else {
		f.nest(t)
	}
	if f.err != nil {
		return f.err
	}
	convention := ""
	if m.opts.Windows && m.opts.Arch != "arm64" { // there is but one there
		convention = "win64cc "
	}
	f.write(&m.functions, fmt.Sprintf("define %svoid @%s(ptr noundef nonnull align 8 %%ctx, i64 noundef %%begin, i64 noundef %%end) #0",
		convention, llvm.EntryName))
	return nil
}

// A dim is a level of the nest with its limits as i64 operands, which have the bits of a
// u64. Sizes fit an i64, since the engine runs no task of more than [ir.MaxIterations].
type dim struct {
	kind         ir.Kind
	lo, hi, size string
	extent       int64 // where it is constant, else -1
}

// nest writes prologue, loops and epilogue of a range task.
func (f *function) nest(t *ir.Task) {
	dims := make([]dim, len(t.Dims))
	for i, d := range t.Dims {
		dims[i] = f.dim(d)
	}
	f.section(t.Prologue)
	f.ahead, f.windows, f.lone = prefetches(t), f.windowsOf(t), loneLoads(t)
	f.group, f.loopMD = f.m.parallelLoop(t, f.ahead)
	after := f.block("done")
	last := len(dims) - 1
	if last == 0 {
		f.row(t, dims, nil, "%begin", "%end", after)
	} else {
		f.rows(t, dims, after)
	}
	f.group = ""
	f.enter(after)
	f.orderStreamed()
	f.section(t.Epilogue)
	f.do("ret void")
	f.cur = nil
}

// prefetches reports whether t asks for memory ahead and then goes through it in one loop.
func prefetches(t *ir.Task) bool {
	asks, loops := 0, 0
	for _, o := range t.Body.Ops {
		switch {
		case o.Code != ir.OpFor:
		case hasPrefetch(o.Regions[0]):
			asks++
		default:
			loops++
		}
	}
	return asks > 0 && loops == 1
}

// hasPrefetch reports whether there is one in b itself.
func hasPrefetch(b *ir.Block) bool {
	return slices.ContainsFunc(b.Ops, func(o *ir.Op) bool { return o.Code == ir.OpPrefetch })
}

// section writes a prologue or epilogue.
func (f *function) section(b *ir.Block) {
	if b == nil || len(b.Ops) == 0 {
		return
	}
	after := f.block("go")
	f.region(b, after)
	f.enter(after)
}

// dim computes the limits of a level.
func (f *function) dim(d ir.Dim) dim {
	if d.Hi.From == ir.FromList {
		return dim{kind: d.Kind, extent: -1, lo: "0", hi: "%end", size: "%end"} // the only dim: its limits are the caller's
	}
	r := dim{kind: d.Kind, extent: -1, lo: f.bound(d, d.Lo), hi: f.bound(d, d.Hi)}
	if d.Lo.From == ir.FromConst && d.Hi.From == ir.FromConst {
		r.extent = max(0, d.Hi.Const-d.Lo.Const)
		r.size = fmt.Sprint(r.extent)
		return r
	}
	size := f.inst("sub i64 %s, %s", r.hi, r.lo)
	some := f.inst("icmp sgt i64 %s, 0", size)
	r.size = f.inst("select i1 %s, i64 %s, i64 0", some, size)
	return r
}

// bound is a limit as an i64 operand.
func (f *function) bound(d ir.Dim, b ir.Bound) string {
	var v string
	switch b.From {
	case ir.FromConst:
		return fmt.Sprint(b.Const)
	case ir.FromFrame:
		// A task before this one has stored it, so it stays as long as this runs.
		v = f.once(fmt.Sprint("bound", b.Slot), "load i64, ptr %s, align 8, !invariant.load !0", f.frame(b.Slot))
	case ir.FromArg:
		v = f.argument(ir.Scalar(d.Kind), b.Slot)
		if d.Kind.Size() < 8 {
			v = f.inst("%s %s %s to i64", extend(d.Kind), kindTypes[d.Kind], v)
		}
	case ir.FromLen:
		v = f.length(b.Param)
		if b.Div > 1 {
			v = f.inst("udiv exact i64 %s, %d", v, b.Div)
		}
	case ir.FromList:
		return fmt.Sprint(int64(math.MaxInt64)) // the caller keeps to the length, which code need not know
	}
	if b.Const == 0 {
		return v
	}
	return f.inst("add i64 %s, %d", v, b.Const)
}

// extend is the instruction that makes an integer of kind k wider.
func extend(k ir.Kind) string {
	if k.IsSigned() {
		return "sext"
	}
	return "zext"
}

// rows writes the loop over rows: position and outer indices are carried along,
// so that only the start needs divisions.
func (f *function) rows(t *ir.Task, dims []dim, after *block) {
	last := len(dims) - 1
	length := dims[last].size
	some := f.inst("icmp slt i64 %%begin, %%end") // and so no extent is 0
	setup, head, full := f.block("setup"), f.block("row"), f.block("rowend")
	f.branch(some, setup, after)

	f.cur = setup
	number := f.inst("udiv i64 %%begin, %s", length)
	column := f.inst("urem i64 %%begin, %s", length)
	start := []string{"%begin", column}
	outer := make([]string, last)
	for i := last - 1; i >= 0; i-- {
		place := number
		if i > 0 {
			place = f.inst("urem i64 %s, %s", number, dims[i].size)
			number = f.inst("udiv i64 %s, %s", number, dims[i].size)
		}
		outer[i] = f.inst("add i64 %s, %s", dims[i].lo, place)
	}
	pos, col := f.phi(head, "i64"), f.phi(head, "i64")
	index := make([]string, last)
	for i := range index {
		index[i] = f.phi(head, "i64").name
	}
	f.jump(head, append(start, outer...)...)

	f.cur = head
	left := f.inst("sub i64 %%end, %s", pos.name)
	room := f.inst("sub i64 %s, %s", length, col.name)
	short := f.inst("icmp slt i64 %s, %s", left, room)
	count := f.inst("select i1 %s, i64 %s, i64 %s", short, left, room)
	stop := f.inst("add nsw i64 %s, %s", col.name, count)
	if e := dims[last].extent; e > 1 && e <= shortRow && t.Body.Size() <= shortBody {
		whole, part := f.block("whole"), f.block("part")
		f.branch(f.inst("icmp eq i64 %s, %d", count, e), whole, part)
		f.cur = whole
		f.row(t, dims, index, "0", fmt.Sprint(e), full)
		f.cur = part
	}
	f.row(t, dims, index, col.name, stop, full)

	f.enter(full)
	pos2 := f.inst("add nsw i64 %s, %s", pos.name, count)
	values := append([]string{pos2, "0"}, f.carry(dims[:last], index)...)
	more := f.inst("icmp slt i64 %s, %%end", pos2)
	again := f.block("again")
	f.branch(more, again, after)
	f.cur = again
	f.jump(head, values...)
}

// Rows of at most shortRow iterations, such as those of a blocked layout, are
// translated twice: whole ones with their constant length, which LLVM unrolls or
// makes one vector of, and parts of one. A body of more than shortBody ops gains
// too little for the time to compile it twice.
const (
	shortRow  = 16
	shortBody = 200
)

// carry advances the outer indices by one row.
func (f *function) carry(dims []dim, index []string) []string {
	next := make([]string, len(dims))
	carry := "true"
	for i := len(dims) - 1; i >= 0; i-- {
		up := f.inst("add %s i64 %s, 1", dims[i].exact(), index[i])
		if carry != "true" {
			up = f.inst("select i1 %s, i64 %s, i64 %s", carry, up, index[i])
		}
		if i == 0 {
			next[0] = up // never wraps: the rows end with it
			break
		}
		wrap := f.inst("icmp %s i64 %s, %s", dims[i].notLess(), up, dims[i].hi)
		next[i] = f.inst("select i1 %s, i64 %s, i64 %s", wrap, dims[i].lo, up)
		carry = wrap
	}
	return next
}

// notLess is the condition code of ≥ for indices of d.
func (d dim) notLess() string {
	if d.kind == ir.U64 {
		return "uge"
	}
	return "sge"
}

// row writes the loop over the last dimension from offset begin to offset end,
// and goes to after. Index has the outer indices.
func (f *function) row(t *ir.Task, dims []dim, index []string, begin, end string, after *block) {
	last := len(dims) - 1
	d := dims[last]
	for i, v := range index {
		f.values[t.Body.Params[i]] = f.narrow(dims[i].kind, v)
	}
	f.askForPieces(t, dims, index, begin, end)
	if len(f.windows) > 0 {
		f.strips(t, d, nil, begin, end, after)
	} else if streams := f.streamsOf(t, d.extent); len(streams) > 0 {
		f.strips(t, d, streams, begin, end, after)
	} else {
		f.iterations(t, d, begin, end, after)
	}
}

// iterations writes the loop over the last dimension from offset begin to offset end, and
// goes to after.
func (f *function) iterations(t *ir.Task, d dim, begin, end string, after *block) {
	it := ir.Scalar(d.kind)
	first := f.narrow(d.kind, f.plus(d, begin))
	stop := f.narrow(d.kind, f.plus(d, end))
	head, latch := f.block("iter"), f.block("next")
	param := t.Body.Params[len(t.Dims)-1]
	f.phis(head, []*ir.Value{param})
	some := f.inst("icmp %s %s %s, %s", less(d.kind), typ(it), first, stop)
	enter := f.block("enter")
	f.branch(some, enter, after)
	f.cur = enter
	f.jump(head, first)
	f.cur = head
	f.next = &jumpTarget{cont: latch}
	next := ""
	if t.Batch > 0 {
		left := f.inst("sub %s %s, %s", typ(it), stop, f.use(param))
		short := f.inst("icmp %s %s %s, %d", less(d.kind), typ(it), left, t.Batch)
		next = f.inst("add %s %s, %s", typ(it), f.use(param), f.inst("select i1 %s, %s %s, %s %d", short, typ(it), left, typ(it), t.Batch))
		f.values[t.Body.Params[len(t.Dims)]] = next
	}
	f.ops(t.Body)
	if f.enter(latch); f.cur == nil {
		return // no iteration comes to an end
	}
	i := next
	if t.Batch == 0 {
		i = f.increment(it, f.use(param))
	}
	more := f.inst("icmp %s %s %s, %s", less(d.kind), typ(it), i, stop)
	f.flow(head, []string{i})
	f.flow(after, nil)
	f.do("br i1 %s, label %%%s, label %%%s, !llvm.loop %s", more, head.label, after.label, f.loopMD)
	f.cur = nil
}

// plus adds a limit and an offset.
func (f *function) plus(d dim, offset string) string {
	if d.lo == "0" {
		return offset
	}
	return f.inst("add %s i64 %s, %s", d.exact(), d.lo, offset)
}

// exact is the no-wrap flag for sums of indices and offsets as i64. The sums do not wrap
// as numbers of d's kind; those of a u64 may exceed the largest i64.
func (d dim) exact() string {
	if d.kind == ir.U64 {
		return "nuw"
	}
	return "nsw"
}

// narrow makes an i64 that fits an index of kind k.
func (f *function) narrow(k ir.Kind, v string) string {
	if k.Size() == 8 {
		return v
	}
	return f.inst("trunc i64 %s to %s", v, kindTypes[k])
}
