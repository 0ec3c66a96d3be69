package wasm

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
)

// The parameters of a task.
const (
	paramContext = iota
	paramBegin
	paramEnd
	paramStack
)

// moduleOf translates a task of a kernel with these sites.
func moduleOf(t *ir.Task, sites []*ir.Site) (*module, error) {
	t = inlined(t)
	m := newModule(t, sites)
	f := m.newFunction(m.planOf(t.Blocks()...), []valType{i32, i64, i64, i32}, nil)
	f.task, f.signature = true, ir.SignatureOf(t)
	f.ctx, f.stack = paramContext, paramStack
	n := m.declare(launch.ModuleEntry, signature{params: f.params})
	f.arrange(t.Blocks()...)
	if len(t.Dims) == 0 {
		f.ops(t.Body)
	} else {
		f.nest(t)
	}
	f.finish(n)
	return m, m.err
}

// A dim is a level of the nest with its limits in locals, as numbers of 64 bits, which have the bits of a u64. Sizes fit an i64, since no task has more
// iterations than [ir.MaxIterations].
type dim struct {
	kind         ir.Kind
	lo, hi, size bound
}

// A bound is a constant, or in a local.
type bound struct {
	constant int64
	local    uint32
	in       bool // the local
}

func (f *function) putBound(b bound) {
	if b.in {
		f.get(b.local)
	} else {
		f.long(b.constant)
	}
}

// nest writes prologue, loops and epilogue of a task over a range.
func (f *function) nest(t *ir.Task) {
	dims := make([]dim, len(t.Dims))
	for i, d := range t.Dims {
		dims[i] = f.dim(d)
	}
	if t.Prologue != nil {
		f.ops(t.Prologue)
	}
	if !f.reached {
		return
	}
	begin, end := bound{local: paramBegin, in: true}, bound{local: paramEnd, in: true}
	if last := len(dims) - 1; last == 0 {
		f.iterations(t, dims[0], begin, end)
	} else {
		f.rows(t, dims)
	}
	f.reached = true
	if t.Epilogue != nil {
		f.ops(t.Epilogue)
	}
}

// kept takes a number of 64 bits from the stack into a local that stays.
func (f *function) kept() bound {
	l := f.fresh(i64)
	f.set(l)
	return bound{local: l, in: true}
}

// dim computes the limits of a level.
func (f *function) dim(d ir.Dim) dim {
	r := dim{kind: d.Kind}
	if d.Hi.From == ir.FromList { // the only dim: its limits are the caller's
		return r
	}
	r.lo, r.hi = f.bound(d, d.Lo), f.bound(d, d.Hi)
	if d.Lo.From == ir.FromConst && d.Hi.From == ir.FromConst {
		r.size = bound{constant: max(0, d.Hi.Const-d.Lo.Const)}
		return r
	}
	f.putBound(r.hi)
	f.putBound(r.lo)
	f.do("i64.sub")
	size := f.fresh(i64)
	f.set(size)
	f.get(size)
	f.long(0)
	f.get(size)
	f.long(0)
	f.do("i64.gt_s")
	f.do("select")
	r.size = f.kept()
	return r
}

// bound computes a limit.
func (f *function) bound(d ir.Dim, b ir.Bound) bound {
	switch b.From {
	case ir.FromConst:
		return bound{constant: b.Const}
	case ir.FromFrame:
		f.get(f.slot(ir.SlotFrame, b.Slot, i32, "i32.load"))
		f.access("i64.load", 0)
	case ir.FromArg:
		t := kindType(d.Kind)
		f.get(f.slot(ir.SlotArg, b.Slot, t, loadName(d.Kind, t)))
		f.convert(d.Kind, ir.I64, t)
	case ir.FromLen:
		f.get(f.slot(ir.SlotArg, int64(b.Param.LengthSlot()), i64, "i64.load"))
		if b.Div > 1 {
			f.long(b.Div)
			f.do("i64.div_u")
		}
	}
	f.long(b.Const)
	f.do("i64.add")
	return f.kept()
}

// rows writes the loop over rows: position and outer indices are carried along, so that only the start needs divisions.
func (f *function) rows(t *ir.Task, dims []dim) {
	last := len(dims) - 1
	length := dims[last].size
	pos, col, number, count := f.fresh(i64), f.fresh(i64), f.fresh(i64), f.fresh(i64)
	index := make([]uint32, last)
	for i := range index {
		index[i] = f.fresh(i64)
	}
	f.get(paramBegin)
	f.get(paramEnd)
	f.do("i64.lt_s") // and so no extent is 0
	f.open("if")
	divided := func(what string, n uint32, by bound) {
		f.get(n)
		f.putBound(by)
		f.do("i64." + what + "_u")
	}
	f.get(paramBegin)
	f.set(pos)
	divided("rem", paramBegin, length)
	f.set(col)
	divided("div", paramBegin, length)
	f.set(number)
	for i := last - 1; i >= 0; i-- {
		if f.putBound(dims[i].lo); i > 0 {
			divided("rem", number, dims[i].size)
			f.do("i64.add")
			f.set(index[i])
			divided("div", number, dims[i].size)
			f.set(number)
		} else {
			f.get(number)
			f.do("i64.add")
			f.set(index[i])
		}
	}
	head := f.open("loop")
	left := func() {
		f.get(paramEnd)
		f.get(pos)
		f.do("i64.sub")
	}
	room := func() {
		f.putBound(length)
		f.get(col)
		f.do("i64.sub")
	}
	left()
	room()
	left()
	room()
	f.do("i64.lt_s")
	f.do("select")
	f.set(count)
	for i, l := range index {
		f.pin(t.Body.Params[i], f.narrowed(t.Body.Params[i], l))
	}
	f.get(col)
	f.get(count)
	f.do("i64.add")
	f.iterations(t, dims[last], bound{local: col, in: true}, f.kept())

	f.get(pos)
	f.get(count)
	f.do("i64.add")
	f.set(pos)
	f.long(0)
	f.set(col)
	f.carry(dims[:last], index)
	f.get(pos)
	f.get(paramEnd)
	f.do("i64.lt_s")
	f.again(head)
	f.end()
	f.end()
}

// narrowed is a local with an index, which is in another one with 64 bits, in the type of a value.
func (f *function) narrowed(v *ir.Value, wide uint32) uint32 {
	if f.typeOf(v) == f.locals[wide] {
		return wide
	}
	l := f.fresh(i32)
	f.get(wide)
	f.do("i32.wrap_i64")
	f.set(l)
	return l
}

// carry advances the outer indices by one row.
func (f *function) carry(dims []dim, index []uint32) {
	for i := len(dims) - 1; i >= 0; i-- {
		f.get(index[i])
		f.long(1)
		f.do("i64.add")
		f.set(index[i])
		if i == 0 { // the rows end with it
			break
		}
		f.get(index[i])
		f.putBound(dims[i].hi)
		f.do(compareName(ir.OpGe, i64, dims[i].kind))
		f.open("if")
		f.putBound(dims[i].lo)
		f.set(index[i])
	}
	for range len(dims) - 1 {
		f.end()
	}
}

// iterations writes the loop over the last dimension from offset begin to offset end.
func (f *function) iterations(t *ir.Task, d dim, begin, end bound) {
	param := t.Body.Params[len(t.Dims)-1]
	kind := param.Type.Kind
	typ := kindType(kind) // though the body may want the lower half alone
	name := typ.String()
	limit := func(offset bound) {
		f.putBound(d.lo)
		f.putBound(offset)
		f.do("i64.add")
		f.cut(i64, typ)
	}
	i, stop := f.fresh(typ), f.fresh(typ)
	limit(begin)
	f.set(i)
	limit(end)
	f.set(stop)
	less := compareName(ir.OpLt, typ, kind)
	f.get(i)
	f.get(stop)
	f.do(less)
	f.open("if")
	head := f.open("loop")
	f.next = f.open("block")
	var following uint32
	f.pin(param, f.narrowed(param, i))
	if t.Batch > 0 {
		following = f.batch(t, i, stop, typ, kind)
	}
	f.region(t.Body)
	f.end()
	if t.Batch > 0 {
		f.get(following)
	} else {
		f.get(i)
		f.number(typ, 1)
		f.do(name + ".add")
	}
	f.set(i)
	f.get(i)
	f.get(stop)
	f.do(less)
	f.again(head)
	f.end()
	f.end()
}

// batch sets the second parameter of the body: the entry behind the last one.
func (f *function) batch(t *ir.Task, i, stop uint32, typ valType, kind ir.Kind) uint32 {
	name := typ.String()
	left := func() {
		f.get(stop)
		f.get(i)
		f.do(name + ".sub")
	}
	following := f.fresh(typ)
	f.get(i)
	left()
	f.number(typ, t.Batch)
	left()
	f.number(typ, t.Batch)
	f.do(compareName(ir.OpLt, typ, kind))
	f.do("select")
	f.do(name + ".add")
	f.set(following)
	f.pin(t.Body.Params[len(t.Dims)], f.narrowed(t.Body.Params[len(t.Dims)], following))
	return following
}
