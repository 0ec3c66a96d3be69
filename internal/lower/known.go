package lower

import (
	"github.com/gotaichi/ti/internal/ir"
)

// This file is what lowering knows of integers without a look at anything but how they are made: of constants, indices
// of loops, and sums of these with constants. So sections need no checks in the loops that go over them, and the passes
// before range analysis see plain accesses.

// calculate appends an operation on integers that changes no number of a section that is right, unless constants tell
// the result.
func (l *lowerer) calculate(code ir.Code, args ...*ir.Value) *ir.Value {
	if code == ir.OpSelect {
		if c, ok := ir.ConstOf(args[0]); ok {
			return args[2-c&1]
		}
		return l.b.Op(code, args...)
	}
	x, y := args[0], args[1]
	a, ok1 := ir.IntOf(x)
	b, ok2 := ir.IntOf(y)
	switch {
	case ok2 && b == 0 && (code == ir.OpAdd || code == ir.OpSub), ok2 && b == 1 && (code == ir.OpMul || code == ir.OpDiv):
		return x
	case ok1 && a == 0 && code == ir.OpAdd, ok1 && a == 1 && code == ir.OpMul:
		return y
	case ok1 && ok2 && code == ir.OpGt:
		return l.b.Const(ir.Scalar(ir.Bool), ir.BoolBits(a > b))
	case !ok1 || !ok2 || code == ir.OpDiv && b == 0:
		return l.b.Op(code, x, y)
	}
	n := map[ir.Code]func() int64{
		ir.OpAdd: func() int64 { return a + b }, ir.OpSub: func() int64 { return a - b },
		ir.OpMul: func() int64 { return a * b }, ir.OpDiv: func() int64 { return a / b },
	}[code]()
	return l.b.Int(x.Type, n)
}

// capped appends the smaller one of a number of any kind and of an int that is not negative.
func (l *lowerer) capped(v, limit *ir.Value) *ir.Value {
	if v.Type.Kind.IsSigned() && v.Type.Kind.Bits() <= l.kernel.Int.Bits() {
		return v
	}
	most := l.b.Convert(limit, ir.I64)
	return l.b.Op(ir.OpMin, l.b.Convert(v, ir.I64), l.b.Op(ir.OpMax, most, l.b.Int(most.Type, 1)))
}

// both appends the conjunction of conditions, of which nil always holds.
func (l *lowerer) both(x, y *ir.Value) *ir.Value {
	if x == nil {
		return y
	}
	return l.b.Op(ir.OpAnd, x, y)
}

// inside appends the test 0 <= k < n of an n that is not negative, whatever the kind of k.
func (l *lowerer) inside(k, n *ir.Value) *ir.Value {
	unsigned := ir.U64
	if l.kernel.Int == ir.I32 && k.Type.Kind == ir.I32 {
		unsigned = ir.U32
	}
	return l.b.Op(ir.OpLt, l.b.Convert(k, unsigned), l.b.Convert(n, unsigned))
}

// below reports whether it is known that 0 <= k < n.
func (l *lowerer) below(k, n *ir.Value) bool {
	if lo, ok := l.lowest(k); !ok || lo < 0 {
		return false
	}
	limit, off, ok := l.limit(k)
	if !ok {
		return false
	}
	if alike(limit, n) {
		return off <= 0
	}
	a, ok := ir.IntOf(limit)
	most, known := l.lowest(n)
	return ok && known && a+off <= most
}

// lowest returns a number that v is not below.
func (l *lowerer) lowest(v *ir.Value) (n int64, ok bool) {
	if c, ok := ir.IntOf(v); ok {
		return c, v.Type.Kind.IsSigned()
	}
	if loop, i := loopOf(v); loop != nil {
		if loop.Code == ir.OpFieldFor {
			return loop.Field.Low(i), true
		}
		return l.lowest(loop.Args[2*i])
	}
	if x, c, ok := plus(v); ok {
		lo, ok := l.lowest(x)
		if c > 0 && ok { // which may wrap, unless x is below something
			_, off, limited := l.limit(x)
			return lo + c, limited && off+c <= 0
		}
		return lo + c, ok && lo+c >= 0
	}
	if l.sizes[v] {
		return 0, true
	}
	if v.Def != nil {
		switch v.Def.Code {
		case ir.OpLen:
			return v.Def.Param.Least(), true
		case ir.OpConvert:
			if from := v.Def.Args[0].Type.Kind; from.IsSigned() && v.Type.Kind.IsSigned() && from.Bits() <= v.Type.Kind.Bits() {
				return l.lowest(v.Def.Args[0])
			}
		}
	}
	return 0, false
}

// limit returns numbers of which v is below the sum.
func (l *lowerer) limit(v *ir.Value) (limit *ir.Value, off int64, ok bool) {
	if c, ok := ir.IntOf(v); ok && v.Type.Kind.IsSigned() {
		return v, 1, c < 1<<62
	}
	if loop, i := loopOf(v); loop != nil {
		if loop.Code == ir.OpFieldFor {
			if loop.Field.Low(i) != 0 {
				return nil, 0, false
			}
			return l.extentBefore(loop, i)
		}
		hi := loop.Args[2*i+1]
		if x, c, ok := plus(hi); ok && c <= 0 {
			if lo, known := l.lowest(x); known && lo >= 0 {
				return x, c, true
			}
		}
		return hi, 0, true
	}
	if x, c, ok := plus(v); ok {
		lo, known := l.lowest(x)
		limit, off, ok := l.limit(x)
		return limit, off + c, ok && known && (c <= 0 && lo+c >= 0 || c > 0 && off+c <= 0)
	}
	return nil, 0, false
}

// extentBefore returns the extent along an axis of the field that a loop goes over, as a value that only alike looks
// at.
func (l *lowerer) extentBefore(loop *ir.Op, axis int) (*ir.Value, int64, bool) {
	n, at := loop.Field.Extent(axis)
	b := ir.NewBuilder(&ir.Block{})
	if at == nil {
		return b.Int(ir.Scalar(l.kernel.Int), n), 0, true
	}
	return b.Length(at, l.kernel.Int), 0, true
}

// loopOf returns the loop that v is an index of, and along which axis.
func loopOf(v *ir.Value) (loop *ir.Op, axis int) {
	if v.Def != nil || v.Block == nil || v.Block.Parent == nil {
		return nil, 0
	}
	o := v.Block.Parent
	axes := 0
	switch o.Code {
	case ir.OpFor:
		axes = 1
	case ir.OpParFor, ir.OpFieldFor:
		axes = len(v.Block.Params)
	}
	if v.Index >= axes {
		return nil, 0
	}
	return o, v.Index
}

// plus takes v for the sum of a number and a small constant.
func plus(v *ir.Value) (x *ir.Value, c int64, ok bool) {
	if v.Def == nil || v.Def.Code != ir.OpAdd && v.Def.Code != ir.OpSub || !v.Type.Kind.IsSigned() {
		return nil, 0, false
	}
	if c, ok = ir.IntOf(v.Def.Args[1]); v.Def.Code == ir.OpSub {
		c = -c
	}
	return v.Def.Args[0], c, ok && -1<<30 < c && c < 1<<30
}

// alike reports whether two values are one, or are computed alike from the same ones.
func alike(x, y *ir.Value) bool { return alikeTo(x, y, 8) }

func alikeTo(x, y *ir.Value, depth int) bool {
	if x == y {
		return true
	}
	a, b := x.Def, y.Def
	if depth == 0 || a == nil || b == nil || x.Type != y.Type || x.Index != y.Index || a.Code != b.Code || !a.Code.Is(ir.Pure) ||
		len(a.Regions) > 0 || a.Bits != b.Bits || a.Aux != b.Aux || a.Stride != b.Stride || a.Field != b.Field || a.Kind != b.Kind || a.Param != b.Param || a.Table != b.Table || a.Func != b.Func || len(a.Args) != len(b.Args) {
		return false
	}
	for i, v := range a.Args {
		if !alikeTo(v, b.Args[i], depth-1) {
			return false
		}
	}
	return true
}
