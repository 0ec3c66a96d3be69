package program

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// wantFailure checks that err is a failure of that kind, message and line in debug
// variants, and that there is none in others.
func wantFailure(r *runtest.Run, err, is error, msg string, line int) {
	r.Helper()
	if !r.Debug {
		runtest.OK(r, err)
		return
	}
	var e *ti.RuntimeError
	switch {
	case !errors.As(err, &e) || !errors.Is(err, is):
		r.Errorf("the error is %v, not %v", err, is)
	case e.Msg != msg || line > 0 && e.Pos.Line != line || e.Count < 1:
		r.Errorf("the error is %q, line %d, not %q, line %d", e.Msg, e.Pos.Line, msg, line)
	}
}

var debugged = []program{
	{"arithmetic that does not fit", `
func F(n, a, b i32) (r i32) {
	switch n {
	case 0: r = a + b
	case 1: r = a - b
	case 2: r = a * b
	case 3: r = a / b
	case 4: r = a % b
	case 5: r = -a
	case 6: r = a << b
	case 7: r = floorDiv(a, b)
	case 8: r = mod(a, b)
	case 9: r = abs(a)
	case 10: r = a; r++
	case 11: r = sum(ivec2(a, b))
	case 12: r = i32(f32(a) * f32(b))
	case 13: r = i32(u32(a) * u32(b))
	case 14: r = pow(a, b)
	case 15: r = pow(a, 5)
	case 16: if b != 0 && a/b > 1 || b < 0 && a+b > 0 { r = 1 }
	}
	return r
}`, func(r *runtest.Run, src string) {
		var h struct {
			F func(n, a, b int32) (int32, error)
		}
		r.Load(src, &h)
		const big, least = math.MaxInt32, math.MinInt32
		for _, c := range []struct {
			n, a, b, want int32
			is            error
			msg           string
		}{
			{0, big, 1, least, ti.ErrOverflow, "2147483647 + 1 does not fit i32"},
			{0, big, -1, big - 1, nil, ""},
			{0, least, -1, big, ti.ErrOverflow, "-2147483648 + -1 does not fit i32"},
			{1, least, 1, big, ti.ErrOverflow, "-2147483648 - 1 does not fit i32"},
			{1, 0, least, least, ti.ErrOverflow, "0 - -2147483648 does not fit i32"},
			{1, -1, least, big, nil, ""},
			{2, 65536, 65536, 0, ti.ErrOverflow, "65536 * 65536 does not fit i32"},
			{2, -65536, 32768, least, nil, ""},
			{3, 7, 0, 0, ti.ErrDivide, "7 / 0: division by zero"},
			{3, least, -1, least, ti.ErrOverflow, "-2147483648 / -1 does not fit i32"},
			{4, 7, 0, 0, ti.ErrDivide, "7 % 0: division by zero"},
			{4, least, -1, 0, nil, ""},
			{5, least, 0, least, ti.ErrOverflow, "--2147483648 does not fit i32"},
			{6, 1, -1, 0, ti.ErrOverflow, "1 << -1: the count is negative"},
			{6, 1, 30, 1 << 30, nil, ""},
			{6, 1, 31, least, ti.ErrOverflow, "1 << 31 does not fit i32"},
			{6, -1, 31, least, nil, ""},
			{6, -3, 30, 1 << 30, ti.ErrOverflow, "-3 << 30 does not fit i32"},
			{6, 1, 32, 0, ti.ErrOverflow, "1 << 32 does not fit i32"},
			{6, -1, 1000, 0, ti.ErrOverflow, "-1 << 1000 does not fit i32"},
			{6, 0, 1000, 0, nil, ""},
			{6, 0, -1, 0, ti.ErrOverflow, "0 << -1: the count is negative"},
			{7, 7, 0, 0, ti.ErrDivide, "floorDiv(7, 0): division by zero"},
			{8, 7, 0, 0, ti.ErrDivide, "mod(7, 0): division by zero"},
			{9, least, 0, least, ti.ErrOverflow, "abs(-2147483648) does not fit i32"},
			{10, big, 0, least, ti.ErrOverflow, "2147483647 + 1 does not fit i32"},
			{11, big, big, -2, ti.ErrOverflow, "2147483647 + 2147483647 does not fit i32"},
			{12, 65536, 65536, big, ti.ErrOverflow, "i32(4.2949673e+09): the number does not fit"},
			{13, big, big, 1, nil, ""},
			{14, 3, 19, 1162261467, nil, ""},
			{14, 3, 20, -808182895, ti.ErrOverflow, "pow(3, 20) does not fit i32"},
			{14, -2, 31, least, nil, ""},
			{14, 2, 31, least, ti.ErrOverflow, "pow(2, 31) does not fit i32"},
			{14, -46341, 2, -2147479015, ti.ErrOverflow, "pow(-46341, 2) does not fit i32"},
			{14, 2, 1000, 0, ti.ErrOverflow, "pow(2, 1000) does not fit i32"},
			{14, 1, big, 1, nil, ""},
			{14, -1, big, -1, nil, ""},
			{14, 0, 0, 1, nil, ""},
			{14, 5, -1, 0, ti.ErrOverflow, "pow(5, -1): the exponent is negative"},
			{14, -1, -3, -1, ti.ErrOverflow, "pow(-1, -3): the exponent is negative"},
			{15, -73, 0, -2073071593, nil, ""},
			{15, 74, 0, -2075960672, ti.ErrOverflow, "pow(74, 5) does not fit i32"},
			{16, 4, 0, 0, nil, ""},
			{16, least, -1, 1, ti.ErrOverflow, "-2147483648 / -1 does not fit i32"},
		} {
			got, err := h.F(c.n, c.a, c.b)
			if c.is == nil {
				runtest.OK(r, err)
			} else {
				wantFailure(r, err, c.is, c.msg, int(c.n)+5)
			}
			if err == nil {
				runtest.Eq(r, fmt.Sprintf("F(%d, %d, %d)", c.n, c.a, c.b), got, c.want)
			}
		}
	}},
	{"wide and narrow products", `
var X field[i8]
func Wide(a, b i64) i64 { return a * b }
func Narrow(v i8) {
	for i := range X { X[i] += v }
}`, func(r *runtest.Run, src string) {
		var h struct {
			X      ti.Field[int8]
			Wide   func(a, b int64) (int64, error)
			Narrow func(int8) error
		}
		r.Place(ti.Shape{6}, &h.X)
		r.Load(src, &h)
		for _, c := range []struct {
			a, b int64
			fits bool
		}{{3, -4, true}, {math.MinInt64, 1, true}, {0, math.MinInt64, true}, {-1, math.MaxInt64, true}, {1 << 32, 1 << 30, true},
			{math.MinInt64, -1, false}, {-1, math.MinInt64, false}, {1 << 32, 1 << 31, false}, {math.MaxInt64, 2, false}} {
			got, err := h.Wide(c.a, c.b)
			if c.fits {
				runtest.OK(r, err)
				runtest.Eq(r, "product", got, c.a*c.b)
			} else {
				wantFailure(r, err, ti.ErrOverflow, fmt.Sprintf("%d * %d does not fit i64", c.a, c.b), 4)
			}
		}
		h.X.Set(100, 4)
		wantFailure(r, h.Narrow(50), ti.ErrOverflow, "100 + 50 does not fit i8", 6)
		runtest.Eq(r, "X[4]", h.X.At(4), -106)
		runtest.Eq(r, "X[3]", h.X.At(3), 50)
	}},
	{"shifts that lose bits", `
var X field[i8]
var V field[ivec3]
func S8(a i8, n u8) i8 { return a << n }
func S16(a i16, n i64) i16 { return a << n }
func S64(a i64, n i32) i64 { return a << n }
func U32(a u32, n i32) u32 { return a << n }
func Elements(n i32) {
	for i := range X { X[i] <<= n }
}
func Vectors(n ivec3) {
	for i := range V { V[i] = V[i] << n }
}`, func(r *runtest.Run, src string) {
		var h struct {
			X        ti.Field[int8]
			V        ti.Field[ti.IVec3]
			S8       func(a int8, n uint8) (int8, error)
			S16      func(a int16, n int64) (int16, error)
			S64      func(a int64, n int32) (int64, error)
			U32      func(a uint32, n int32) (uint32, error)
			Elements func(int32) error
			Vectors  func(ti.IVec3) error
		}
		r.Place(ti.Shape{40}, &h.X)
		r.Place(ti.Shape{40}, &h.V)
		r.Load(src, &h)
		lost := func(err error, a, n int64, kind string, fits bool, line int) {
			r.Helper()
			if fits {
				runtest.OK(r, err)
			} else {
				wantFailure(r, err, ti.ErrOverflow, fmt.Sprintf("%d << %d does not fit %s", a, n, kind), line)
			}
		}
		for _, a := range []int64{0, 1, -1, 3, -3, 63, 64, -64, -65, 127, -128} {
			for _, n := range []int64{0, 1, 2, 6, 7, 8, 15, 16, 62, 63, 64, 200} {
				// fits is computed in numbers without bounds: a*2ⁿ against the type.
				fits := func(bits uint) bool {
					v := new(big.Int).Lsh(big.NewInt(a), uint(n))
					least := new(big.Int).Lsh(big.NewInt(-1), bits-1)
					return v.Cmp(least) >= 0 && v.Cmp(new(big.Int).Not(least)) <= 0
				}
				x8, err := h.S8(int8(a), uint8(n))
				lost(err, a, n, "i8", fits(8), 5)
				x16, err16 := h.S16(int16(a), n)
				lost(err16, a, n, "i16", fits(16), 6)
				x64, err64 := h.S64(a, int32(n))
				lost(err64, a, n, "i64", fits(64), 7)
				_, err32 := h.U32(uint32(a), int32(n))
				runtest.OK(r, err32)
				if err == nil && err16 == nil && err64 == nil {
					runtest.Eq(r, fmt.Sprintf("%d << %d", a, n), [3]int64{int64(x8), int64(x16), x64}, [3]int64{int64(int8(a) << n), int64(int16(a) << n), a << n})
				}
			}
		}
		h.X.Fill(3)
		h.X.Set(100, 17)
		lost(h.Elements(1), 100, 1, "i8", false, 10)
		runtest.Eq(r, "X[17]", h.X.At(17), -56)
		runtest.Eq(r, "X[18]", h.X.At(18), 6)
		h.V.Fill(ti.IVec3{1, 2, -4})
		lost(h.Vectors(ti.IVec3{3, 29, 29}), 0, 0, "", true, 13)
		lost(h.Vectors(ti.IVec3{0, 0, 1}), -4<<29, 1, "i32", false, 13)
	}},
}
