package devicelist

import "github.com/gotaichi/ti/internal/ir"

var (
	word = ir.Scalar(ir.I64)
	ptr  = ir.Scalar(ir.Ptr)
	ref  = ir.Scalar(ir.BlockRef)
)

type value = *ir.Value

// An emitter writes the ops of one task.
type emitter struct {
	*ir.Builder
	number                value // of the iteration; nil in a task of one thread
	description, gate, of value
}

func (e *emitter) num(n int64) value { return e.Int(word, n) }

// base is the address of an entry of the table.
func (e *emitter) base(n int64) value {
	o := ir.NewOp(ir.OpBase, e.Pos, []ir.Type{ptr})
	o.Aux = n
	return e.Emit(o)
}

func (e *emitter) plus(p, bytes value) value { return e.Op(ir.OpOffset, p, bytes) }

// word is where a word with a number stands, behind p.
func (e *emitter) word(p, n value) value { return e.plus(p, e.Op(ir.OpMul, n, e.num(8))) }

func (e *emitter) load(t ir.Type, p value, bytes int64) value {
	return e.Load(t, e.plus(p, e.num(bytes)))
}

func (e *emitter) store(p value, bytes int64, v value) { e.Store(e.plus(p, e.num(bytes)), v) }

// at reads a word with a number, set writes it.
func (e *emitter) at(p value, n int64) value     { return e.load(word, p, 8*n) }
func (e *emitter) set(p value, n int64, v value) { e.store(p, 8*n, v) }

// ptrAt reads a word that is an address, ptrOf one whose number is computed.
func (e *emitter) ptrAt(p value, n int64) value { return e.load(ptr, p, 8*n) }
func (e *emitter) ptrOf(p, n value) value       { return e.Load(ptr, e.word(p, n)) }

// over divides numbers that are not negative.
func (e *emitter) over(a, b value) value {
	return e.Convert(e.Op(ir.OpDiv, e.Convert(a, ir.U64), e.Convert(b, ir.U64)), ir.I64)
}

// when runs body where cond holds.
func (e *emitter) when(cond value, body func()) {
	e.If(cond, nil, func() { body(); e.Yield() }, func() { e.Yield() })
}

// times runs body n times, with the numbers from 0 on, and with values that each round hands to the next one. It returns those of the last.
func (e *emitter) times(n value, carried []value, body func(i value, carried []value) []value) []value {
	var types []ir.Type
	for _, v := range carried {
		types = append(types, v.Type)
	}
	l := ir.NewOp(ir.OpLoop, e.Pos, types, append([]value{e.num(0)}, carried...)...)
	e.Emit(l)
	r := l.Regions[0]
	i := r.AddParam(word, "")
	for _, t := range types {
		r.AddParam(t, "")
	}
	e.In(r, func() {
		vs := r.Params[1:]
		e.If(e.Op(ir.OpGe, i, n), nil, func() { e.Jump(ir.OpBreak, l, vs...) }, func() { e.Yield() })
		e.Jump(ir.OpContinue, l, append([]value{e.Op(ir.OpAdd, i, e.num(1))}, body(i, vs)...)...)
	})
	return l.Results
}
