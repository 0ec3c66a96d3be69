package wasm

import (
	"fmt"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/fold"
)

// extremes are minimums and maximums for which fewer instructions may do, and some that look alike. Each is written once, for numbers and for vectors.
var extremes = []struct {
	name  string
	build func(op func(code ir.Code, vs ...*ir.Value) *ir.Value, num func(float64) *ir.Value, x, y *ir.Value) *ir.Value
}{
	{"the larger of two absolute values", func(op func(ir.Code, ...*ir.Value) *ir.Value, num func(float64) *ir.Value, x, y *ir.Value) *ir.Value {
		return op(ir.OpMax, op(ir.OpAbs, x), op(ir.OpAbs, y))
	}},
	{"the larger of two norms", func(op func(ir.Code, ...*ir.Value) *ir.Value, num func(float64) *ir.Value, x, y *ir.Value) *ir.Value {
		return op(ir.OpMax, op(ir.OpSqrt, op(ir.OpAdd, op(ir.OpMul, x, x), op(ir.OpMul, y, y))), op(ir.OpDiv, op(ir.OpAbs, x), op(ir.OpAbs, y)))
	}},
	{"a root, which may be -0", func(op func(ir.Code, ...*ir.Value) *ir.Value, num func(float64) *ir.Value, x, y *ir.Value) *ir.Value {
		return op(ir.OpMax, op(ir.OpSqrt, x), op(ir.OpAbs, y))
	}},
	{"a product, which may be -0", func(op func(ir.Code, ...*ir.Value) *ir.Value, num func(float64) *ir.Value, x, y *ir.Value) *ir.Value {
		return op(ir.OpMax, op(ir.OpMul, x, op(ir.OpAbs, y)), op(ir.OpMax, num(0), num(0)))
	}},
	{"no less than a positive number", func(op func(ir.Code, ...*ir.Value) *ir.Value, num func(float64) *ir.Value, x, y *ir.Value) *ir.Value {
		return op(ir.OpMax, op(ir.OpMin, num(7), x), num(0.5))
	}},
	{"no more than a negative number", func(op func(ir.Code, ...*ir.Value) *ir.Value, num func(float64) *ir.Value, x, y *ir.Value) *ir.Value {
		return op(ir.OpMin, y, num(-0.5))
	}},
	{"no less than zero", func(op func(ir.Code, ...*ir.Value) *ir.Value, num func(float64) *ir.Value, x, y *ir.Value) *ir.Value {
		return op(ir.OpMax, op(ir.OpMin, x, num(0)), op(ir.OpMax, num(0), y))
	}},
	{"the smaller of two absolute values", func(op func(ir.Code, ...*ir.Value) *ir.Value, num func(float64) *ir.Value, x, y *ir.Value) *ir.Value {
		return op(ir.OpMin, op(ir.OpAbs, x), op(ir.OpAbs, y))
	}},
}

// folded computes an op of constants.
func folded(t *testing.T, b *ir.Builder, code ir.Code, r ir.Kind, vs ...*ir.Value) *ir.Value {
	t.Helper()
	bits, ok := fold.Op(b.OpOf(code, ir.Scalar(r), vs...).Def)
	if !ok {
		t.Fatalf("%s is not folded", code)
	}
	return b.Const(ir.Scalar(r), bits)
}

// TestExtremes compares them with package fold, for all pairs of hard numbers.
func TestExtremes(t *testing.T) {
	m := newMachine(t, false)
	start := m.next
	for _, k := range []ir.Kind{ir.F32, ir.F64} {
		var rows [][]uint64
		for _, x := range hard(k) {
			for _, y := range hard(k) {
				rows = append(rows, []uint64{x, y})
			}
		}
		for _, e := range extremes {
			t.Run(fmt.Sprint(e.name, " of ", k), func(t *testing.T) {
				for _, n := range []int{4, 8} {
					m.next = start
					b := newBench()
					op := func(code ir.Code, vs ...*ir.Value) *ir.Value { return b.OpOf(code, ir.Vec(k, n), vs...) }
					num := func(x float64) *ir.Value { return b.all(n, k, ir.FloatBits(k, x)) }
					b.Store(b.row(2, k, n), e.build(op, num, b.Load(ir.Vec(k, n), b.row(0, k, n)), b.Load(ir.Vec(k, n), b.row(1, k, n))))
					b.end()
					for i, got := range b.runVectors(t, m, opCase{args: []ir.Kind{k, k}, result: k}, rows, n) {
						c := ir.NewBuilder(&ir.Block{})
						op := func(code ir.Code, vs ...*ir.Value) *ir.Value { return folded(t, c, code, k, vs...) }
						num := func(x float64) *ir.Value { return c.Const(ir.Scalar(k), ir.FloatBits(k, x)) }
						want, _ := ir.ConstOf(e.build(op, num, num(ir.FloatValue(k, rows[i][0])), num(ir.FloatValue(k, rows[i][1]))))
						if !same(k, got, want) {
							t.Fatalf("%d lanes: of %x it is %x, want %x", n, rows[i], got, want)
						}
					}
				}
			})
		}
	}
}

// TestRoundSingle rounds numbers of double precision to single, with and without other users of what is between.
func TestRoundSingle(t *testing.T) {
	m := newMachine(t, false)
	start := m.next
	var rows [][]uint64
	for _, x := range append(hard(ir.F64), ir.FloatBits(ir.F64, 1+0x1p-24), ir.FloatBits(ir.F64, 1+0x3p-24), ir.FloatBits(ir.F64, 0x3p-150), ir.FloatBits(ir.F64, 0x1.fffffffp127)) {
		rows = append(rows, []uint64{x})
	}
	for _, n := range []int{2, 3, 4, 8} {
		for _, other := range []bool{false, true} {
			m.next = start
			b := newBench()
			s := b.Convert(b.Load(ir.Vec(ir.F64, n), b.row(0, ir.F64, n)), ir.F32)
			r := b.Convert(s, ir.F64)
			if other {
				r = b.Op(ir.OpAdd, r, b.Convert(b.Op(ir.OpNeg, s), ir.F64))
			}
			b.Store(b.row(1, ir.F64, n), r)
			b.end()
			for i, got := range b.runVectors(t, m, opCase{args: []ir.Kind{ir.F64}, result: ir.F64}, rows, n) {
				x := float64(float32(ir.FloatValue(ir.F64, rows[i][0])))
				if other {
					x -= x
				}
				if want := ir.FloatBits(ir.F64, x); !same(ir.F64, got, want) {
					t.Errorf("%d lanes: of %x it is %x, want %x", n, rows[i], got, want)
				}
			}
		}
	}
}
