package remainder

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
)

// A emitter writes the function that computes a remainder. It works on the bits of floats, as numbers of 64 bits.
type emitter struct {
	*ir.Builder
	k        ir.Kind
	mantissa int // bits of it that are stored
}

// perRound is by how many steps of a division a round of the loop brings it forward. A driver may not allow many rounds.
const perRound = 4

// Func makes the function for f32 or f64. With the significands as integers the dividend is x·2^d units of the divisor's last place, and its
// remainder by y is found some bits at a time: as many as fit above the significand into 64. What comes out is less than the divisor, and so it is exact.
func Func(k ir.Kind) *ir.Func {
	t := ir.Scalar(k)
	fn := &ir.Func{Name: "ti.rem." + t.String(), Params: []ir.Type{t, t}, Results: []ir.Type{t}, Body: &ir.Block{}}
	e := &emitter{Builder: ir.NewBuilder(fn.Body), k: k, mantissa: map[ir.Kind]int{ir.F32: 23, ir.F64: 52}[k]}
	x, y := fn.Body.AddParam(t, "x"), fn.Body.AddParam(t, "y")
	inf := e.num(ir.FloatBits(k, math.Inf(1)))
	ax, ay, sign := e.magnitude(x), e.magnitude(y), e.Op(ir.OpAnd, e.bits(x), e.num(1<<(k.Bits()-1)))
	usual := e.Op(ir.OpAnd, e.Op(ir.OpLt, ax, inf), e.Op(ir.OpAnd, e.Op(ir.OpNe, ay, e.num(0)), e.Op(ir.OpLe, ay, inf)))
	r := e.If(usual, []ir.Type{t}, func() {
		less := e.Op(ir.OpLt, ax, ay)
		e.Yield(e.If(less, []ir.Type{t}, func() { e.Yield(x) }, func() { e.Yield(e.float(e.Op(ir.OpOr, e.reduced(ax, ay), sign))) })...)
	}, func() { e.Yield(e.Float(t, math.NaN())) })
	e.Return(r...)
	return fn
}

func (e *emitter) num(n uint64) *ir.Value { return e.Const(ir.Scalar(ir.U64), n) }

// bits are those of a float, and float is the number that has them.
func (e *emitter) bits(v *ir.Value) *ir.Value {
	return e.Convert(e.Bitcast(v, e.k.Unsigned()), ir.U64)
}

func (e *emitter) float(v *ir.Value) *ir.Value {
	return e.Bitcast(e.Convert(v, e.k.Unsigned()), e.k)
}

func (e *emitter) magnitude(v *ir.Value) *ir.Value {
	return e.Op(ir.OpAnd, e.bits(v), e.num(1<<(e.k.Bits()-1)-1))
}

// split is a positive number as an integer and the exponent of its unit, from 1 on.
func (e *emitter) split(v *ir.Value) (whole, exponent *ir.Value) {
	exponent = e.Op(ir.OpMax, e.Op(ir.OpShr, v, e.num(uint64(e.mantissa))), e.num(1))
	under := e.Op(ir.OpShl, e.Op(ir.OpSub, exponent, e.num(1)), e.num(uint64(e.mantissa)))
	return e.Op(ir.OpSub, v, under), exponent
}

// reduced are the bits of the remainder of positive numbers, of which the first is not less than the second.
func (e *emitter) reduced(x, y *ir.Value) *ir.Value {
	wx, ex := e.split(x)
	wy, ey := e.split(y)
	room := e.num(uint64(63 - e.mantissa))
	loop := ir.NewOp(ir.OpLoop, e.Pos, []ir.Type{wx.Type}, e.Op(ir.OpRem, wx, wy), e.Op(ir.OpSub, ex, ey))
	e.Emit(loop)
	body := loop.Regions[0]
	e.In(body, func() {
		r, d := body.AddParam(wx.Type, "r"), body.AddParam(wx.Type, "d")
		e.If(e.Op(ir.OpEq, d, e.num(0)), nil, func() { e.Jump(ir.OpBreak, loop, r) }, func() { e.Yield() })
		for range perRound {
			n := e.Op(ir.OpMin, d, room)
			r, d = e.Op(ir.OpRem, e.Op(ir.OpShl, r, n), wy), e.Op(ir.OpSub, d, n)
		}
		e.Jump(ir.OpContinue, loop, r, d)
	})
	return e.joined(loop.Results[0], ey)
}

// joined are the bits of a number of so many units. It is shifted up until it has its first bit, or the smallest exponent.
func (e *emitter) joined(r, exponent *ir.Value) *ir.Value {
	above := e.Op(ir.OpSub, exponent, e.num(1))
	up := e.Op(ir.OpMin, e.Op(ir.OpSub, e.Op(ir.OpClz, r), e.num(uint64(63-e.mantissa))), above)
	all := e.Op(ir.OpAdd, e.Op(ir.OpShl, e.Op(ir.OpSub, above, up), e.num(uint64(e.mantissa))), e.Op(ir.OpShl, r, up))
	return e.Op(ir.OpSelect, e.Op(ir.OpEq, r, e.num(0)), e.num(0), all)
}
