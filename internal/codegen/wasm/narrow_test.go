package wasm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
)

// narrowExpressions mix lanes of all sizes: of narrow numbers a and b, floats x, and masks of both.
var narrowExpressions = []struct {
	name  string
	build func(b *bench, n int, v, w, x *ir.Value) *ir.Value
}{
	{"selection of narrow numbers by masks of two sizes", func(b *bench, n int, v, w, x *ir.Value) *ir.Value {
		both := b.Op(ir.OpAnd, b.Op(ir.OpLt, v, w), b.Op(ir.OpGt, x, b.all(n, ir.F32, ir.FloatBits(ir.F32, 0))))
		return b.Op(ir.OpSelect, both, b.Op(ir.OpAdd, v, w), b.Op(ir.OpMin, v, w))
	}},
	{"selection of floats by a narrow mask", func(b *bench, n int, v, w, x *ir.Value) *ir.Value {
		return b.Convert(b.Op(ir.OpSelect, b.Op(ir.OpNot, b.Op(ir.OpLe, v, w)), x, b.Convert(v, ir.F32)), ir.I32)
	}},
	{"a narrow mask as a number", func(b *bench, n int, v, w, _ *ir.Value) *ir.Value {
		kind := v.Type.Kind
		one := b.Convert(b.Op(ir.OpOr, b.Op(ir.OpEq, v, b.all(n, kind, 3)), b.Op(ir.OpGe, v, w)), kind)
		return b.Op(ir.OpSub, one, v)
	}},
	{"products and shifts, which have no narrow lanes", func(b *bench, n int, v, w, _ *ir.Value) *ir.Value {
		return b.Op(ir.OpXor, b.Op(ir.OpMul, v, w), b.Op(ir.OpShr, b.Op(ir.OpSub, v, w), b.all(n, v.Type.Kind, 2)))
	}},
	{"conversions between narrow kinds", func(b *bench, n int, v, w, _ *ir.Value) *ir.Value {
		return b.Op(ir.OpSub, b.Convert(b.Op(ir.OpMax, v, w), ir.U16), b.Convert(b.Convert(w, ir.I8), ir.U16))
	}},
	{"floats as narrow numbers", func(b *bench, n int, v, _, x *ir.Value) *ir.Value {
		return b.Op(ir.OpAdd, b.Convert(x, v.Type.Kind), v)
	}},
}

// all is a constant in each lane.
func (b *bench) all(n int, k ir.Kind, bits uint64) *ir.Value {
	c := b.Const(ir.Scalar(k), bits)
	if n == 1 {
		return c
	}
	return b.OpOf(ir.OpSplat, ir.Vec(k, n), c)
}

// TestNarrowLanes compares vectors that have narrow lanes, and some that have not, with single numbers.
func TestNarrowLanes(t *testing.T) {
	m := newMachine(t, false)
	start := m.next
	random := rand.New(rand.NewPCG(3, 4))
	for _, k := range []ir.Kind{ir.U8, ir.I8, ir.U16, ir.I16} {
		var rows [][]uint64
		for range 512 {
			x := ir.FloatBits(ir.F32, math.Round(600*random.NormFloat64())/4)
			rows = append(rows, []uint64{ir.IntBits(k, int64(random.Uint32())), ir.IntBits(k, int64(random.Uint32()>>random.IntN(32))), x})
		}
		for _, e := range narrowExpressions {
			t.Run(fmt.Sprint(e.name, " of ", k), func(t *testing.T) {
				var want []uint64
				for _, n := range []int{1, 4, 8, 16, 32} {
					m.next = start
					b := newBench()
					r := e.build(b, n, b.Load(ir.Vec(k, n), b.row(0, k, n)), b.Load(ir.Vec(k, n), b.row(1, k, n)), b.Load(ir.Vec(ir.F32, n), b.row(2, ir.F32, n)))
					result := r.Type.Kind
					b.Store(b.row(3, result, n), r)
					b.end()
					got := b.runVectors(t, m, opCase{args: []ir.Kind{k, k, ir.F32}, result: result}, rows, n)
					if want == nil {
						want = got
					}
					for i := range got {
						if got[i] != want[i] {
							t.Fatalf("%d lanes: of %x it is %x, want %x", n, rows[i], got[i], want[i])
						}
					}
				}
			})
		}
	}
}
