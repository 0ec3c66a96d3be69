package sparsert

import "github.com/gotaichi/ti/internal/ir"

var (
	word = ir.Scalar(ir.I64)
	bits = ir.Scalar(ir.U64) // words that are compared and shifted as unsigned numbers
	ptr  = ir.Scalar(ir.Ptr)
)

type value = *ir.Value

// An emitter writes the ops of one function.
type emitter struct {
	*ir.Builder
	fn *ir.Func
}

// newEmitter begins a function that reads and writes memory.
func newEmitter(name string, results ...ir.Type) *emitter {
	fn := &ir.Func{Name: name, Results: results, Body: &ir.Block{}, Effects: ir.Effects{Reads: ir.Place, Writes: ir.Place}}
	return &emitter{ir.NewBuilder(fn.Body), fn}
}

// param adds a parameter.
func (e *emitter) param(t ir.Type, name string) value {
	e.fn.Params = append(e.fn.Params, t)
	return e.fn.Body.AddParam(t, name)
}

func (e *emitter) num(n int64) value   { return e.Int(word, n) }
func (e *emitter) bits(n uint64) value { return e.Const(bits, n) }
func (e *emitter) null() value         { return e.Const(ptr, 0) }

// at is the place a number of bytes behind p.
func (e *emitter) at(p value, offset int64) value {
	if offset == 0 {
		return p
	}
	return e.plus(p, e.num(offset))
}

func (e *emitter) plus(p, offset value) value { return e.Op(ir.OpOffset, p, offset) }

// load reads a word at an offset from p.
func (e *emitter) load(t ir.Type, p value, offset int64) value {
	return e.loadIn(ir.Plain, t, p, offset)
}

func (e *emitter) loadIn(order ir.Order, t ir.Type, p value, offset int64) value {
	v := e.Load(t, e.at(p, offset))
	v.Def.Order = order
	return v
}

// store sets a word at an offset from p.
func (e *emitter) store(p value, offset int64, v value) { e.storeIn(ir.Plain, p, offset, v) }

func (e *emitter) storeIn(order ir.Order, p value, offset int64, v value) {
	o := ir.NewOp(ir.OpStore, e.Pos, nil, e.at(p, offset), v)
	o.Order = order
	e.Emit(o)
}

// atomic is an atomic op with an order; Plain stands for relaxed.
func (e *emitter) atomic(order ir.Order, kind ir.AtomicKind, p value, vs ...value) value {
	v := e.Atomic(kind, p, vs...)
	v.Def.Order = order
	return v
}

// when runs body where cond holds; body does not return.
func (e *emitter) when(cond value, body func()) {
	e.If(cond, nil, func() { body(); e.Yield() }, func() { e.Yield() })
}

// returnIf runs body where cond holds, which ends in a return.
func (e *emitter) returnIf(cond value, body func()) {
	e.If(cond, nil, body, func() { e.Yield() })
}

// loop writes an endless loop with carried values of the types of init. What body writes
// ends in a jump to the loop.
func (e *emitter) loop(init []value, body func(l *ir.Op, carried []value)) {
	l := ir.NewOp(ir.OpLoop, e.Pos, nil, init...)
	e.Emit(l)
	for _, v := range init {
		l.Regions[0].AddParam(v.Type, v.Name)
	}
	e.In(l.Regions[0], func() { body(l, l.Regions[0].Params) })
}

func (e *emitter) next(l *ir.Op, vs ...value) { e.Jump(ir.OpContinue, l, vs...) }

func (e *emitter) leave(l *ir.Op) { e.Jump(ir.OpBreak, l) }
