package mathlib

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/gotaichi/ti/internal/ir"
)

// A machine runs a function of the library in Go, op by op: slow, but sure.
// Values lie in regs, lanes side by side, as ir.Const has their bits.
type machine struct {
	f     *ir.Func
	lanes int
	regs  []uint64
	calls map[*ir.Func]*machine
}

func newMachine(f *ir.Func) *machine {
	lanes := int(f.Params[0].Lanes)
	return &machine{f, lanes, make([]uint64, ir.NumberBlock(f.Body, 0)*lanes), map[*ir.Func]*machine{}}
}

func (m *machine) reg(v *ir.Value) []uint64 {
	return m.regs[v.ID*m.lanes : v.ID*m.lanes+int(v.Type.Lanes)]
}

// call runs the function; args and the result hold the bits of every lane.
func (m *machine) call(args ...[]uint64) []uint64 {
	for i, p := range m.f.Body.Params {
		copy(m.reg(p), args[i])
	}
	return m.reg(m.block(m.f.Body).Args[0])
}

// block runs the ops of b and returns the terminator.
func (m *machine) block(b *ir.Block) *ir.Op {
	for _, o := range b.Ops {
		switch o.Code {
		case ir.OpYield, ir.OpReturn:
			return o
		case ir.OpIf:
			region := o.Regions[1]
			if m.reg(o.Args[0])[0] != 0 {
				region = o.Regions[0]
			}
			y := m.block(region)
			for i, r := range o.Results {
				copy(m.reg(r), m.reg(y.Args[i]))
			}
		case ir.OpCall:
			c := m.calls[o.Func]
			if c == nil {
				c = newMachine(o.Func)
				m.calls[o.Func] = c
			}
			for i, p := range c.f.Body.Params {
				copy(c.reg(p), m.reg(o.Args[i]))
			}
			y := c.block(c.f.Body)
			for i, r := range o.Results {
				copy(m.reg(r), c.reg(y.Args[i]))
			}
		case ir.OpAny:
			var any uint64
			for _, v := range m.reg(o.Args[0]) {
				any |= v
			}
			m.reg(o.Results[0])[0] = any
		default:
			m.lanewise(o)
		}
	}
	panic("block without a terminator")
}

func (m *machine) lanewise(o *ir.Op) {
	out := m.reg(o.Results[0])
	var in [3][]uint64
	for i, a := range o.Args {
		in[i] = m.reg(a)
	}
	for l := range out {
		var a [3]uint64
		for i := range o.Args {
			a[i] = in[i][l]
		}
		out[l] = scalar(o, a)
	}
}

// scalar computes one lane of o.
func scalar(o *ir.Op, a [3]uint64) uint64 {
	to := o.Results[0].Type.Kind
	if o.Code == ir.OpConst {
		return o.Bits
	}
	from := o.Args[0].Type.Kind
	switch o.Code {
	case ir.OpSelect:
		if a[0] != 0 {
			return a[1]
		}
		return a[2]
	case ir.OpBitcast:
		return bitcast(from, to, a[0])
	case ir.OpConvert:
		return convert(from, to, a[0])
	}
	switch {
	case from == ir.F32:
		return float32Op(o.Code, math.Float32frombits(uint32(a[0])), math.Float32frombits(uint32(a[1])), math.Float32frombits(uint32(a[2])))
	case from == ir.F64:
		return float64Op(o.Code, math.Float64frombits(a[0]), math.Float64frombits(a[1]), math.Float64frombits(a[2]))
	}
	return intOp(o, from, a)
}

func bitcast(from, to ir.Kind, v uint64) uint64 {
	if to.Size() == 4 {
		v &= math.MaxUint32
	}
	if to.IsInt() {
		return ir.IntBits(to, int64(v))
	}
	return v
}

func convert(from, to ir.Kind, v uint64) uint64 {
	switch {
	case from.IsFloat():
		return ir.FloatBits(to, ir.FloatValue(from, v))
	case to == ir.F64 && from.IsSigned():
		return math.Float64bits(float64(int64(v)))
	case to == ir.F64:
		return math.Float64bits(float64(v))
	case to == ir.F32:
		return uint64(math.Float32bits(float32(int64(v))))
	}
	return ir.IntBits(to, int64(v))
}

func float32Op(c ir.Code, x, y, z float32) uint64 {
	f := func(v float32) uint64 { return uint64(math.Float32bits(v)) }
	switch c {
	case ir.OpAdd:
		return f(x + y)
	case ir.OpSub:
		return f(x - y)
	case ir.OpMul:
		return f(x * y)
	case ir.OpDiv:
		return f(x / y)
	case ir.OpNeg:
		return uint64(math.Float32bits(x) ^ 1<<31)
	case ir.OpAbs:
		return uint64(math.Float32bits(x) &^ (1 << 31))
	case ir.OpSqrt:
		return f(float32(math.Sqrt(float64(x))))
	case ir.OpTrunc:
		return f(float32(math.Trunc(float64(x))))
	case ir.OpFma:
		return f(fma32(x, y, z))
	}
	return compare(c, float64(x), float64(y))
}

// fma32 rounds once: the product is exact in f64, and the sum is rounded to odd
// before it is rounded to f32.
func fma32(x, y, z float32) float32 {
	p, c := float64(x)*float64(y), float64(z)
	s := p + c
	v := s - p
	err := (p - (s - v)) + (c - v)
	if b := math.Float64bits(s); err != 0 && b&1 == 0 {
		if (err > 0) == (s > 0) {
			b++
		} else {
			b--
		}
		s = math.Float64frombits(b)
	}
	return float32(s)
}

func float64Op(c ir.Code, x, y, z float64) uint64 {
	switch c {
	case ir.OpAdd:
		return math.Float64bits(x + y)
	case ir.OpSub:
		return math.Float64bits(x - y)
	case ir.OpMul:
		return math.Float64bits(x * y)
	case ir.OpDiv:
		return math.Float64bits(x / y)
	case ir.OpNeg:
		return math.Float64bits(x) ^ 1<<63
	case ir.OpAbs:
		return math.Float64bits(x) &^ (1 << 63)
	case ir.OpSqrt:
		return math.Float64bits(math.Sqrt(x))
	case ir.OpTrunc:
		return math.Float64bits(math.Trunc(x))
	case ir.OpFma:
		return math.Float64bits(math.FMA(x, y, z))
	}
	return compare(c, x, y)
}

func compare(c ir.Code, x, y float64) uint64 {
	switch c {
	case ir.OpEq:
		return ir.BoolBits(x == y)
	case ir.OpNe:
		return ir.BoolBits(x != y)
	case ir.OpLt:
		return ir.BoolBits(x < y)
	case ir.OpGt:
		return ir.BoolBits(x > y)
	case ir.OpIsNaN:
		return ir.BoolBits(x != x)
	}
	panic(fmt.Sprintf("the test machine lacks %v on floats", c))
}

func intOp(o *ir.Op, k ir.Kind, a [3]uint64) uint64 {
	wrap := func(v uint64) uint64 { return ir.IntBits(k, int64(v)) }
	x, y := a[0], a[1]
	switch o.Code {
	case ir.OpAdd:
		return wrap(x + y)
	case ir.OpSub:
		return wrap(x - y)
	case ir.OpMul:
		return wrap(x * y)
	case ir.OpAnd:
		return x & y
	case ir.OpOr:
		return x | y
	case ir.OpXor:
		return x ^ y
	case ir.OpNot:
		return wrap(^x)
	case ir.OpShl:
		return wrap(x << y)
	case ir.OpShr:
		if k.IsSigned() {
			return wrap(uint64(int64(x) >> y))
		}
		return x >> y
	case ir.OpClz:
		return uint64(bits.LeadingZeros64(x) - 64 + k.Bits())
	case ir.OpEq:
		return ir.BoolBits(x == y)
	case ir.OpNe:
		return ir.BoolBits(x != y)
	case ir.OpLt:
		return ir.BoolBits(int64(x) < int64(y))
	}
	panic(fmt.Sprintf("the test machine lacks %v on integers", o.Code))
}
