package llvm

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti/internal/half"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/llvm"
)

// sameHalf compares numbers; NaNs are alike.
func sameHalf(a, b uint16) bool {
	return a == b || half.To64(a) != half.To64(a) && half.To64(b) != half.To64(b)
}

// TestHalfWiden converts all half-precision numbers to the other kinds.
func TestHalfWiden(t *testing.T) {
	const n = 1 << 16
	kinds := []ir.Kind{ir.F32, ir.F64, ir.I8, ir.U8, ir.I16, ir.U16, ir.I32, ir.U32, ir.I64, ir.U64, ir.Bool}
	k := newKernel()
	for _, to := range kinds {
		mapTask(k, n, []ir.Kind{ir.F16}, func(b *ir.Builder, v []*ir.Value) *ir.Value { return b.Convert(v[0], to) })
	}
	in := memory[uint16](n)
	for i := range in {
		in[i] = uint16(i)
	}
	everywhere(t, func(t *testing.T, l *llvm.Lib, level int) {
		m := build(t, l, k, level, false)
		for task, to := range kinds {
			out := memory[byte](n * to.Size())
			m.bases[0], m.bases[1] = addr(in), addr(out)
			m.run(task, 0, n)
			for i := range n {
				got := uint64(0)
				for j := range to.Size() {
					got |= uint64(out[i*to.Size()+j]) << (8 * j)
				}
				v := half.To64(uint16(i))
				want := uint64(0)
				switch {
				case to == ir.F32 || to == ir.F64:
					want = ir.FloatBits(to, v)
					if g := ir.FloatValue(to, got); v != v && g != g {
						continue
					}
				case to == ir.Bool:
					want = ir.BoolBits(v != 0)
				case to.IsSigned():
					limit := int64(math.MaxInt64) >> (64 - to.Bits())
					want = uint64(saturate(v, -limit-1, limit))
				default:
					want = saturate(v, 0, uint64(math.MaxUint64)>>(64-to.Bits()))
				}
				if want &= ^uint64(0) >> (64 - 8*to.Size()); got != want {
					t.Fatalf("%v to %v: %#x, want %#x", v, to, got, want)
				}
			}
		}
	})
}

// TestHalfRound converts from the wider floats, about each midpoint between two
// half-precision numbers and at random.
func TestHalfRound(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	singles, doubles := memory[float32](0), memory[float64](0)
	add := func(v float64) {
		for _, v := range []float64{v, math.Nextafter(v, 0), math.Nextafter(v, 1e300), v * (1 + 0x1p-30), v * (1 - 0x1p-30)} {
			doubles = append(doubles, v, -v)
		}
		s := float32(v)
		singles = append(singles, s, -s, math.Nextafter32(s, 0), math.Nextafter32(s, 1e38), math.Float32frombits(r.Uint32()))
	}
	for h := range uint16(0x7c00) {
		if h&0x3ff < 8 || h%7 == 0 || h&0x3ff > 1016 {
			add((half.To64(h) + half.To64(h+1)) / 2)
		}
	}
	for _, v := range []float64{65504, 65519.99, 65520, 65536, 1e10, 1e300, math.Inf(1), math.NaN(), 0, 0x1p-24, 0x1p-25, 0x1p-26, 0x1p-149, 0x1p-1074} {
		add(v)
	}
	k := newKernel()
	for _, from := range []ir.Kind{ir.F32, ir.F64} {
		mapTask(k, int64(len(doubles)), []ir.Kind{from}, func(b *ir.Builder, v []*ir.Value) *ir.Value { return b.Convert(v[0], ir.F16) })
	}
	everywhere(t, func(t *testing.T, l *llvm.Lib, level int) {
		m := build(t, l, k, level, false)
		out := memory[uint16](len(doubles))
		m.bases[0], m.bases[1] = addr(singles), addr(out)
		m.run(0, 0, int64(len(singles)))
		for i, v := range singles {
			if want := half.From32(v); !sameHalf(out[i], want) {
				t.Fatalf("f32 %v to f16: %#04x, want %#04x", v, out[i], want)
			}
		}
		m.bases[0] = addr(doubles)
		m.run(1, 0, int64(len(doubles)))
		for i, v := range doubles {
			if want := half.From64(v); !sameHalf(out[i], want) {
				t.Fatalf("f64 %v to f16: %#04x, want %#04x", v, out[i], want)
			}
		}
	})
}

// TestHalfFromInteger converts integers about the midpoints and the limits.
func TestHalfFromInteger(t *testing.T) {
	in := memory[int64](0)
	for e := range 63 {
		for d := int64(-3); d <= 3; d++ {
			in = append(in, 1<<e+d, -1<<e+d, 3<<max(0, e-2)+d, 1<<e+1<<max(0, e-11)+d)
		}
	}
	in = append(in, math.MinInt64, math.MaxInt64, 65519, 65520, 65521, -65519, -65520)
	kinds := []ir.Kind{ir.I8, ir.U8, ir.I16, ir.U16, ir.I32, ir.U32, ir.I64, ir.U64, ir.Bool}
	k := newKernel()
	for _, from := range kinds {
		mapTask(k, int64(len(in)), []ir.Kind{ir.I64}, func(b *ir.Builder, v []*ir.Value) *ir.Value {
			return b.Convert(b.Convert(v[0], from), ir.F16)
		})
	}
	everywhere(t, func(t *testing.T, l *llvm.Lib, level int) {
		m := build(t, l, k, level, false)
		out := memory[uint16](len(in))
		m.bases[0], m.bases[1] = addr(in), addr(out)
		for task, from := range kinds {
			m.run(task, 0, int64(len(in)))
			for i, n := range in {
				b := ir.IntBits(from, n)
				want := half.From64(float64(int64(b)))
				switch {
				case from == ir.Bool:
					want = half.From64(float64(ir.BoolBits(n != 0)))
				case from == ir.U64:
					want = half.From64(float64(b))
				}
				if out[i] != want {
					t.Fatalf("%v(%d) to f16: %#04x, want %#04x", from, n, out[i], want)
				}
			}
		}
	})
}

// TestHalfArithmetic checks that every operation is rounded once.
func TestHalfArithmetic(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const n = 1 << 14
	a, b := memory[uint16](n), memory[uint16](n)
	special := []uint16{0, 0x8000, 0x3c00, 0xbc00, 1, 0x8001, 0x3ff, 0x400, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00}
	for i := range n {
		a[i], b[i] = uint16(r.Uint32()), uint16(r.Uint32())
		if i < len(special)*len(special) {
			a[i], b[i] = special[i/len(special)], special[i%len(special)]
		} else if i%2 == 0 { // of like magnitude
			b[i] = a[i] ^ b[i]&0x87ff
		}
	}
	binary := map[ir.Code]func(x, y float64) float64{
		ir.OpAdd: func(x, y float64) float64 { return x + y }, ir.OpSub: func(x, y float64) float64 { return x - y },
		ir.OpMul: func(x, y float64) float64 { return x * y }, ir.OpDiv: func(x, y float64) float64 { return x / y },
		ir.OpRem: math.Mod, ir.OpMin: func(x, y float64) float64 { return min(x, y) }, ir.OpMax: func(x, y float64) float64 { return max(x, y) },
	}
	unary := map[ir.Code]func(float64) float64{
		ir.OpNeg: func(x float64) float64 { return -x }, ir.OpAbs: math.Abs, ir.OpSqrt: math.Sqrt,
		ir.OpFloor: math.Floor, ir.OpCeil: math.Ceil, ir.OpRound: math.Round, ir.OpTrunc: math.Trunc,
	}
	codes := []ir.Code{ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpDiv, ir.OpRem, ir.OpMin, ir.OpMax,
		ir.OpNeg, ir.OpAbs, ir.OpSqrt, ir.OpFloor, ir.OpCeil, ir.OpRound, ir.OpTrunc}
	k := newKernel()
	for _, code := range codes {
		mapTask(k, n, []ir.Kind{ir.F16, ir.F16}, func(bl *ir.Builder, v []*ir.Value) *ir.Value {
			return bl.Op(code, v[:code.Info().Max]...)
		})
	}
	everywhere(t, func(t *testing.T, l *llvm.Lib, level int) {
		m := build(t, l, k, level, false)
		out := memory[uint16](n)
		m.bases[0], m.bases[1], m.bases[2] = addr(a), addr(b), addr(out)
		for task, code := range codes {
			m.run(task, 0, n)
			for i, got := range out {
				x, y := half.To64(a[i]), half.To64(b[i])
				var want uint16
				if f := binary[code]; f != nil {
					want = half.From64(f(x, y))
				} else {
					want = half.From64(unary[code](x))
				}
				if zeros := (got|want)&0x7fff == 0 && (code == ir.OpMin || code == ir.OpMax); !zeros && !sameHalf(got, want) {
					t.Fatalf("%v of %v, %v: %v, want %v", code, x, y, half.To64(got), half.To64(want))
				}
			}
		}
	})
}
