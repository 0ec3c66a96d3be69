package conformance

import (
	"math"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

const reductionHelpers = `
func square(i i32) i32 { return i * i }
func Count() (n i32) {
	for i := range X { n += X[i] }
	return
}
type pair struct{ a, b i32 }
`

// Variables of the kernel that all iterations of a parallel loop change.
//
//conform:theme reductions
func TestConformReductions(t *testing.T) {
	rules(t, reductionHelpers, []rule{
		{"a sum", `s := 0; for i := range 1000 { s += i }; return s`, int32(499500)},
		{"a difference", `s := 7; for i := range 10 { s -= i }; return s`, int32(-38)},
		{"the value before the loop counts", `s := 100; for range 10 { s++ }; return s`, int32(110)},
		{"counting down", `s := 0; for range 10 { s-- }; return s`, int32(-10)},
		{"a sum of i64", `s := i64(0); for i := range i64(100000) { s += i * i }; return s`, int64(333328333350000)},
		{"a sum of f32", `s := 0.0; for i := range 1000 { s += 0.5 * i }; return f32(s)`, float32(249750)},
		{"a sum of f64", `s := f64(0); for range 100000 { s += 0.25 }; return s`, 25000.0},
		{"a sum of f16 gathers in f32", `s := f16(0); for range 1000 { s += 1.12 }; return s`, runtest.Half(1120)},
		{"a difference of f16 gathers in f32", `s := f16(4); for range 1000 { s -= 1.12 }; return s`, runtest.Half(-1116)},
		{"a product of f16 gathers in f32", `p := f16(1); for range 100 { p *= 1.01 }; return p`, runtest.Half(2.6349)},
		{"a serial sum of f16 rounds each step", `s := f16(0); for range serial(1000) { s += 1.12 }; return s`, runtest.Half(1029)},
		{"a sum of u8 wraps", `s := u8(0); for range 300 { s += u8(1) }; return s`, uint8(44)},
		{"a sum of i16 wraps", `s := i16(0); for range 70 { s += i16(1000) }; return s`, int16(70000 - 65536)},
		{"a product", `p := 1; for i := range 10 { p *= i + 1 }; return p`, int32(3628800)},
		{"a product of doubles", `p := f64(1); for range 100 { p *= 2 }; return p`, 0x1p100},
		{"a minimum", `m := 1000; for i := range 100 { m = min(m, (i-40)*(i-40)+3) }; return m`, int32(3)},
		{"a maximum of floats", `m := f32(-inf); for i := range 100 { m = max(m, -abs(f32(i)-30)) }; return m`, float32(0)},
		{"a maximum of several", `m := 0; for i := range 10 { m = max(m, i, 3*i-2) }; return m`, int32(25)},
		{"a minimum of unsigned", `m := u32(0xffffffff); for i := range 10 { m = min(m, u32(0x80000005)-u32(i)) }; return m`, uint32(0x7ffffffc)},
		{"a minimum that sees NaN", `m := f32(5); for i := range 10 { m = min(m, ifelse(i == 6, f32(nan), f32(i))) }; return isnan(m)`, true},
		{"a maximum that sees NaN last", `m := f32(5); for i := range 1000 { m = max(m, ifelse(i == 999, -f32(nan), f32(i))) }; return isnan(m)`, true},
		{"a maximum of doubles that sees NaN first", `m := f64(inf); for i := range 1000 { m = max(m, ifelse(i == 0, f64(nan), f64(i))) }; return isnan(m)`, true},
		{"a minimum of doubles that sees NaN", `m := f64(-inf); for i := range 1000 { m = min(m, ifelse(i == 500, f64(nan), f64(i))) }; return isnan(m)`, true},
		{"a maximum that starts with NaN", `m := f32(nan); for i := range 1000 { m = max(m, f32(i)) }; return isnan(m)`, true},
		{"a maximum of tiny negative floats", `m := f32(-inf); for i := range 1000 { m = max(m, -f32(1e-40)-f32(i)) }; return m`, float32(-1e-40)},
		{"a minimum across zero", `m := f32(inf); for i := range 1000 { m = min(m, f32(500-i)*0.5) }; return m`, float32(-249.5)},
		{"a maximum below zero", `m := f32(-inf); for i := range 1000 { m = max(m, f32(-i)-0.25) }; return m`, float32(-0.25)},
		{"a minimum of doubles below zero", `m := f64(inf); for i := range 1000 { m = min(m, f64(-i)*0x1p1000) }; return m`, -999 * 0x1p1000},
		{"a maximum that meets infinity", `m := f64(0); for i := range 1000 { m = max(m, ifelse(i == 7, f64(inf), f64(i))) }; return m`, math.Inf(1)},
		{"a minimum of infinities", `m := f32(inf); for range 1000 { m = min(m, f32(inf)) }; return m`, float32(math.Inf(1))},
		{"or", `b := u32(0); for i := range 20 { b |= u32(1) << u32(i) }; return b`, uint32(1<<20 - 1)},
		{"and", `b := -1; for i := range 4 { b &= ^(1 << i) }; return b`, int32(-16)},
		{"xor", `b := 0; for i := range 7 { b ^= i }; return b`, int32(7)},
		{"any", `some := false; for i := range 100 { some = some || i == 77 }; return some`, true},
		{"all", `every := true; for i := range 100 { every = every && i < 99 }; return every`, false},
		{"of nothing keeps the start", `s, m := 5, 9; for i := range 0 { s += i; m = max(m, i) }; return ivec2(s, m)`, ti.IVec2{5, 9}},
		{"of one iteration", `s := 5; for i := range span(3, 4) { s += i }; return s`, int32(8)},
		{"many in one loop", `s, p, n, m := 0, 1, 0, -9; for i := range 8 { s += i; p *= 2; if i%3 == 0 { n++ }; m = max(m, i%5) }; return ivec4(s, p, n, m)`, ti.IVec4{28, 256, 3, 4}},
		{"one in several loops", `s := 0; for i := range 10 { s += i }; for i := range 5 { s += 100 * i }; return s`, int32(1045)},
		{"read between two loops", `s := 0; for i := range 10 { s += i }; t := s * 2; for i := range 3 { s += t + i }; return s`, int32(45 + 270 + 3)},
		{"used as the bound of the next", `n := 0; for range 6 { n++ }; s := 0; for i := range n { s += i }; return s`, int32(15)},
		{"used inside the next loop", `n := 0; for i := range 4 { n += i }; for i := range X { X[i] = n * i }; return X[5]`, int32(30)},
		{"over a field", `for i := range X { X[i] = i }; s := 0; for i := range X { s += X[i] }; return s`, int32(66)},
		{"over a field of rank 2", `s := 0; for i, j := range P { s += 10*i + j }; return s`, int32(10*6*6 + 15*4)},
		{"over grouped indices", `s := ivec3(0); for p := range W { s += p }; return s`, ti.IVec3{24, 72, 120}},
		{"over a product of ranges", `s := 0; for i, j := range ndrange(span(2, 5), 4) { s += i * j }; return s`, int32(9 * 6)},
		{"to a vector", `s := vec3(0); for i := range 10 { s += vec3(1, i, 0.5) }; return s`, ti.Vec3{10, 45, 5}},
		{"to a component", `s := vec3(1); for i := range 10 { s.y += i }; return s`, ti.Vec3{1, 46, 1}},
		{"to a swizzle", `s := vec3(0); for i := range 10 { s.zx += vec2(1, i) }; return s`, ti.Vec3{45, 0, 10}},
		{"the extremes of vectors", `lo, hi := vec2(inf), vec2(-inf); for i := range 10 { p := vec2(i-4, 3-i); lo = min(lo, p); hi = max(hi, p) }; return vec4(lo, hi)`, ti.Vec4{-4, -6, 5, 3}},
		{"to a matrix", `m := mat2(0); for i := range 4 { m += outer(vec2(1, i), vec2(i, 1)) }; return m`, ti.Mat2{{6, 4}, {14, 6}}},
		{"to a row of a matrix", `var m mat2; for i := range 4 { m[1] += vec2(1, i) }; return m`, ti.Mat2{{0, 0}, {4, 6}}},
		{"to an element of an array", `var h [3]i32; for i := range 100 { h[i%3]++ }; return h`, ti.IVec3{34, 33, 33}},
		{"to a member of a struct", `var p pair; for i := range 10 { p.a += i; p.b = max(p.b, i) }; return ivec2(p.a, p.b)`, ti.IVec2{45, 9}},
		{"to a variable of another block", `s := 0; { t := 1; for i := range 4 { t += i }; s = t }; return s`, int32(7)},
		{"of calls", `s := 0; for i := range 10 { s += square(i) }; return s`, int32(285)},
		{"in an inner loop", `s := 0; for i := range 10 { for k := range i { s += k } }; return s`, int32(120)},
		{"of a value that an inner loop computes", `s := 0; for i := range 10 { t := 0; for k := range i { t += k }; s += t * t }; return s`, int32(0 + 0 + 1 + 9 + 36 + 100 + 225 + 441 + 784 + 1296)},
		{"under a condition", `s := 0; for i := range 100 { if i%7 == 3 { s += i } }; return s`, int32(3 + 10 + 17 + 24 + 31 + 38 + 45 + 52 + 59 + 66 + 73 + 80 + 87 + 94)},
		{"in a switch", `a, b := 0, 0; for i := range 10 { switch i % 3 { case 0: a += i; case 1: b -= i } }; return ivec2(a, b)`, ti.IVec2{18, -12}},
		{"after continue", `s := 0; for i := range 10 { if i < 5 { continue }; s += i }; return s`, int32(35)},
		{"in a kernel that another calls", `for i := range X { X[i] = 2 }; return Count() + Count()`, int32(48)},
		{"where the value is the place of the least", `best := 1 << 30; for i := range 100 { best = min(best, abs(i-37)*1000 + i) }; return best % 1000`, int32(37)},
		{"in an unrolled loop around", `s := ivec2(0); for k := range static(2) { for i := range 10 { s[k] += i * (k + 1) } }; return s`, ti.IVec2{45, 90}},
		{"in an unrolled loop inside", `s := 0; for i := range 10 { for k := range static(3) { s += i * k } }; return s`, int32(135)},
		{"a serial loop may do more", `s, last := 0, 0; for i := range serial(10) { last = i; s = s*2 + last }; return ivec2(s, last)`, ti.IVec2{1013, 9}},
		{"mean and square in one pass", `m, q := 0.0, 0.0; for i := range 4 { m += f32(i) / 4; q += sqr(f32(i)) / 4 }; return vec2(m, q-m*m)`, ti.Vec2{1.5, 1.25}},
	})
}

// Slips of reductions.
//
//conform:theme reductions
func TestConformReductionErrors(t *testing.T) {
	reject(t, []mistake{
		{"an assignment", "s := 0\n\tfor i := range 10 { s = i }\n\tprint(s)", 607},
		{"a minimum with the variable behind", "s := 0\n\tfor i := range 10 { s = min(i, s) }\n\tprint(s)", 607},
		{"a read in the loop", "s := 0\n\tfor i := range 10 { s += i; print(s) }", 608},
		{"a value that reads the variable", "s := 0\n\tfor i := range 10 { s += s * i }\n\tprint(s)", 608},
		{"a shift", "s := 1\n\tfor range 10 { s <<= 1 }\n\tprint(s)", 607},
		{"a parameter", "for i := range 10 { a = i }", 607},
	})
}
