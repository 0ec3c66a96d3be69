package conformance

import (
	"math"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// What kernels take from Go and give back.
//
//conform:theme arguments and results
func TestConformArguments(t *testing.T) {
	i := func(v int32) any { return v }
	f := func(v float32) any { return v }
	vec := func(v ...float32) any { return ti.Vec3(v) }
	nan := float32(math.NaN())
	conformCalls(t, "", nil, []call{
		{"bool", "func Run(a bool) bool { return !a }", []any{true}, []any{false}},
		{"i8", "func Run(a i8) i8 { return a - 1 }", []any{int8(-127)}, []any{int8(-128)}},
		{"i16", "func Run(a i16) i16 { return a / 2 }", []any{int16(-32768)}, []any{int16(-16384)}},
		{"i32", "func Run(a i32) i32 { return a - 1 }", []any{i(math.MinInt32 + 1)}, []any{i(math.MinInt32)}},
		{"i64", "func Run(a i64) i64 { return a + 1 }", []any{int64(math.MaxInt64 - 1)}, []any{int64(math.MaxInt64)}},
		{"u8", "func Run(a u8) u8 { return a + 1 }", []any{uint8(254)}, []any{uint8(255)}},
		{"u16", "func Run(a u16) u16 { return a >> 1 }", []any{uint16(65535)}, []any{uint16(32767)}},
		{"u32", "func Run(a u32) u32 { return a / 2 }", []any{uint32(0xfffffffe)}, []any{uint32(0x7fffffff)}},
		{"u64", "func Run(a u64) u64 { return a / 2 }", []any{uint64(math.MaxUint64)}, []any{uint64(math.MaxInt64)}},
		{"f16", "func Run(a f16) f16 { return a + 1 }", []any{runtest.Half(0.5)}, []any{runtest.Half(1.5)}},
		{"f32", "func Run(a f32) f32 { return a * 2 }", []any{f(0.1)}, []any{f(0.2)}},
		{"f64", "func Run(a f64) f64 { return a * 2 }", []any{0.1}, []any{0.2}},
		{"NaN", "func Run(a f32) f32 { return a }", []any{nan}, []any{nan}},
		{"infinity", "func Run(a f64) f64 { return -a }", []any{math.Inf(1)}, []any{math.Inf(-1)}},
		{"a denormal", "func Run(a f32) f32 { return a }", []any{f(0x1p-149)}, []any{f(0x1p-149)}},
		{"many scalars of mixed sizes", "func Run(a i8, b f64, c u16, d bool, e i64, g f32) f64 { return f64(a) + b + f64(c) + f64(i32(d)) + f64(e) + f64(g) }",
			[]any{int8(1), 2.0, uint16(3), true, int64(5), f(6)}, []any{18.0}},
		{"the same type in a row", "func Run(a, b, c, d i32) i32 { return a*1000 + b*100 + c*10 + d }", []any{i(1), i(2), i(3), i(4)}, []any{i(1234)}},
		{"Go's own names of types", "func Run(a int32, b float64, c uint8) float64 { return float64(a) + b + float64(c) }", []any{i(1), 2.0, uint8(3)}, []any{6.0}},
		{"int and float", "func Run(a int, b float) float { return a + b }", []any{i(1), f(0.5)}, []any{f(1.5)}},
		{"a vector", "func Run(a vec3) vec3 { return a.zyx }", []any{vec(1, 2, 3)}, []any{vec(3, 2, 1)}},
		{"an integer vector", "func Run(a ivec2) i32 { return a.x*10 + a.y }", []any{ti.IVec2{1, 2}}, []any{i(12)}},
		{"an unsigned vector", "func Run(a uvec3) uvec3 { return a / 2 }", []any{ti.UVec3{0xffffffff, 2, 3}}, []any{ti.UVec3{0x7fffffff, 1, 1}}},
		{"a vector of doubles", "func Run(a dvec2) f64 { return dot(a, a) }", []any{ti.DVec2{3, 4}}, []any{25.0}},
		{"a vector of bools", "func Run(a [3]bool) bool { return any(a) && !all(a) }", []any{[3]bool{true, false, true}}, []any{true}},
		{"a vector of halves", "func Run(a [3]f16) f16 { return a.x + a.z }", []any{[3]ti.Float16{runtest.Half(1), runtest.Half(2), runtest.Half(3)}}, []any{runtest.Half(4)}},
		{"a long vector", "func Run(a [6]f64) f64 { return a[5] - a[0] }", []any{[6]float64{1, 2, 3, 4, 5, 6}}, []any{5.0}},
		{"a matrix", "func Run(a mat2) mat2 { return transpose(a) }", []any{ti.Mat2{{1, 2}, {3, 4}}}, []any{ti.Mat2{{1, 3}, {2, 4}}}},
		{"a matrix that is not square", "func Run(a [2][3]f32) [3][2]f32 { return transpose(a) }", []any{[2][3]float32{{1, 2, 3}, {4, 5, 6}}}, []any{[3][2]float32{{1, 4}, {2, 5}, {3, 6}}}},
		{"a matrix times a vector", "func Run(a mat3, v vec3) vec3 { return a * v }", []any{ti.Mat3{{1, 0, 0}, {0, 2, 0}, {0, 0, 3}}, vec(1, 1, 1)}, []any{vec(1, 2, 3)}},
		{"an integer matrix", "func Run(a [2][2]i32) i32 { return a[1][0] }", []any{[2][2]int32{{1, 2}, {3, 4}}}, []any{i(3)}},
		{"an argument indexed at run time", "func Run(a vec3, k i32) f32 { return a[k] }", []any{vec(1, 2, 3), i(2)}, []any{f(3)}},
		{"a row of an argument, chosen at run time", "func Run(a mat2, k i32) vec2 { return a[k] }", []any{ti.Mat2{{1, 2}, {3, 4}}, i(1)}, []any{ti.Vec2{3, 4}}},
		{"an argument that is assigned", "func Run(a i32) i32 { a += 5; return a }", []any{i(1)}, []any{i(6)}},
		{"an argument read in a parallel loop", "func Run(a f32, s []f32) { for i := range s { s[i] += a } }", []any{f(2), []float32{1, 2, 3}}, []any{[]float32{3, 4, 5}}},
		{"a vector read in a parallel loop", "func Run(a vec3, s []f32) { for i := range s { s[i] = a[i%3] } }", []any{vec(5, 6, 7), make([]float32, 4)}, []any{[]float32{5, 6, 7, 5}}},
		{"no results and no arguments", "func Run() { }", nil, nil},

		{"two results", "func Run(a, b i32) (i32, i32) { return a / b, a % b }", []any{i(17), i(5)}, []any{i(3), i(2)}},
		{"results of all sizes", "func Run() (i8, f64, bool, u16, i64, f32, u8) { return -1, 0.5, true, 3, 1<<40, 2.5, 255 }", nil,
			[]any{int8(-1), 0.5, true, uint16(3), int64(1) << 40, f(2.5), uint8(255)}},
		{"ten results", "func Run() (a, b, c, d, e, f, g, h, i, j i32) { b, e, j = 1, 4, 9; return }", nil, []any{i(0), i(1), i(0), i(0), i(4), i(0), i(0), i(0), i(0), i(9)}},
		{"a vector and a scalar", "func Run(a vec3) (vec3, f32) { return a / length(a), length(a) }", []any{vec(0, 3, 4)}, []any{vec(0, 0.6, 0.8), f(5)}},
		{"a matrix and its determinant", "func Run(a mat2) (m mat2, d f32) { m, d = inverse(a), determinant(a); return }", []any{ti.Mat2{{2, 0}, {0, 4}}}, []any{ti.Mat2{{0.5, 0}, {0, 0.25}}, f(8)}},
		{"return before a loop", "func Run(a i32, s []i32) i32 { if a > 0 { return a }; for i := range s { s[i] = 1 }; return -1 }", []any{i(4), []int32{7, 7}}, []any{i(4), []int32{7, 7}}},
		{"return after a loop", "func Run(a i32, s []i32) i32 { if a > 0 { return a }; for i := range s { s[i] = 1 }; return -1 }", []any{i(0), []int32{7, 7}}, []any{i(-1), []int32{1, 1}}},
		{"return between two loops", "func Run(a i32, s []i32) (n i32) { for i := range s { n += s[i] }; if n > a { return }; for i := range s { s[i] = n }; return -1 }",
			[]any{i(5), []int32{3, 4}}, []any{i(7), []int32{3, 4}}},
		{"what a function returns", "func pair_(a i32) (i32, f32) { return a, 0.5 }\nfunc Run(a i32) (i32, f32) { return pair_(a) }", []any{i(3)}, []any{i(3), f(0.5)}},
		{"a constant", "func Run() f64 { return pi }", nil, []any{math.Pi}},
		{"a constant vector", "const Up_ = vec3(0, 1, 0)\nfunc Run() vec3 { return Up_ }", nil, []any{vec(0, 1, 0)}},
		{"a sum", "func Run(s []f64) (t f64) { for i := range s { t += s[i] }; return }", []any{[]float64{1, 2, 3.5}}, []any{6.5, []float64{1, 2, 3.5}}},
		{"the largest", "func Run(s []i32) i32 { m := s[0]; for i := range s { m = max(m, s[i]) }; return m }", []any{[]int32{3, -4, 9, 2}}, []any{i(9), []int32{3, -4, 9, 2}}},
		{"a vector summed up", "func Run(n i32) (v vec3) { for i := range n { v += vec3(i, 1, -i) }; return }", []any{i(4)}, []any{vec(6, 4, -6)}},
		{"a kernel called by a kernel", "func Twice_(a i32) i32 { return 2 * a }\nfunc Run(a i32) i32 { return Twice_(a) + Twice_(1) }", []any{i(4)}, []any{i(10)}},
	})
}

// Memory of the caller: slices, and arrays with axes.
//
//conform:theme slices and arrays
func TestConformSlices(t *testing.T) {
	i := func(v int32) any { return v }
	conformCalls(t, `
func total(s []f32) f32 { t := 0.0; for i := range serial(s) { t += s[i] }; return t }
func put(s []i32, i, v i32) { s[i] = v }
func raise(p *i32) { *p += 10 }
`, nil, []call{
		{"len", "func Run(s []f32) i32 { return len(s) }", []any{[]float32{1, 2, 3}}, []any{i(3), []float32{1, 2, 3}}},
		{"an empty slice", "func Run(s []f32) i32 { n := len(s); for i := range s { s[i] = 1; n++ }; return n }", []any{[]float32{}}, []any{i(0), []float32{}}},
		{"reading", "func Run(s []i32, k i32) i32 { return s[k] }", []any{[]int32{5, 6, 7}, i(1)}, []any{i(6), []int32{5, 6, 7}}},
		{"writing", "func Run(s []i32, k i32) { s[k] = 9 }", []any{[]int32{5, 6, 7}, i(1)}, []any{[]int32{5, 9, 7}}},
		{"op= on an element", "func Run(s []i32) { s[0] += 1; s[1] *= 2; s[2] -= 3 }", []any{[]int32{5, 6, 7}}, []any{[]int32{6, 12, 4}}},
		{"a parallel loop over indices", "func Run(s []i32) { for i := range s { s[i] += i * 10 } }", []any{[]int32{5, 6, 7}}, []any{[]int32{5, 16, 27}}},
		{"a parallel loop over indices and elements", "func Run(s []i32) { for i, v := range s { s[i] = v * 2 } }", []any{[]int32{5, 6, 7}}, []any{[]int32{10, 12, 14}}},
		{"a serial loop over elements", "func Run(s []i32) i32 { t := 0; for _, v := range serial(s) { t = t*10 + v }; return t }", []any{[]int32{5, 6, 7}}, []any{i(567), []int32{5, 6, 7}}},
		{"two slices", "func Run(d, s []f32) { for i := range d { d[i] = s[i] * 2 } }", []any{[]float32{0, 0}, []float32{1, 2}}, []any{[]float32{2, 4}, []float32{1, 2}}},
		{"slices of different types", "func Run(d []f64, s []i8) { for i := range d { d[i] = f64(s[i]) / 2 } }", []any{[]float64{0, 0}, []int8{1, -2}}, []any{[]float64{0.5, -1}, []int8{1, -2}}},
		{"a slice of bools", "func Run(s []bool) { for i := range s { s[i] = !s[i] } }", []any{[]bool{true, false}}, []any{[]bool{false, true}}},
		{"a slice of bytes", "func Run(s []u8) { for i := range s { s[i] = 255 - s[i] } }", []any{[]uint8{0, 200}}, []any{[]uint8{255, 55}}},
		{"a slice of u16", "func Run(s []u16) { for i := range s { s[i] <<= 1 } }", []any{[]uint16{1, 40000}}, []any{[]uint16{2, 14464}}},
		{"a slice of i64", "func Run(s []i64) { for i := range s { s[i] <<= 40 } }", []any{[]int64{1, -1}}, []any{[]int64{1 << 40, -1 << 40}}},
		{"a slice of halves", "func Run(s []f16) { for i := range s { s[i] *= 2 } }", []any{[]ti.Float16{runtest.Half(1), runtest.Half(-3)}}, []any{[]ti.Float16{runtest.Half(2), runtest.Half(-6)}}},
		{"a slice of vectors", "func Run(s []vec2) { for i := range s { s[i] = s[i].yx } }", []any{[]ti.Vec2{{1, 2}, {3, 4}}}, []any{[]ti.Vec2{{2, 1}, {4, 3}}}},
		{"a component of an element", "func Run(s []vec2) { for i := range s { s[i].y = f32(i) } }", []any{[]ti.Vec2{{1, 2}, {3, 4}}}, []any{[]ti.Vec2{{1, 0}, {3, 1}}}},
		{"a component chosen at run time", "func Run(s []vec3, k i32) { for i := range s { s[i][k] = 7 } }", []any{[]ti.Vec3{{1, 2, 3}}, i(1)}, []any{[]ti.Vec3{{1, 7, 3}}}},
		{"a slice of matrices", "func Run(s []mat2) { for i := range s { s[i] = s[i] * s[i]; s[i][0][1] = 9 } }", []any{[]ti.Mat2{{{1, 1}, {0, 1}}}}, []any{[]ti.Mat2{{{1, 9}, {0, 1}}}}},
		{"atomic sums into an element", "func Run(s []i32, n i32) { for i := range n { s[i%2] += i } }", []any{[]int32{0, 100}, i(6)}, []any{[]int32{6, 109}}},
		{"a histogram", "func Run(h []i32, s []u8) { for i := range s { h[s[i]/64]++ } }", []any{make([]int32, 4), []uint8{0, 63, 64, 255, 200}}, []any{[]int32{2, 1, 0, 2}, []uint8{0, 63, 64, 255, 200}}},
		{"passed to a function", "func Run(s []f32) f32 { return total(s) }", []any{[]float32{1, 2, 3}}, []any{float32(6), []float32{1, 2, 3}}},
		{"written by a function", "func Run(s []i32) { for i := range s { put(s, i, i*i) } }", []any{[]int32{9, 9, 9}}, []any{[]int32{0, 1, 4}}},
		{"a reference to an element", "func Run(s []i32) { for i := range s { raise(&s[i]) } }", []any{[]int32{1, 2}}, []any{[]int32{11, 12}}},
		{"gathered through indices", "func Run(d, s, k []i32) { for i := range d { d[i] = s[k[i]] } }", []any{[]int32{0, 0}, []int32{4, 5, 6}, []int32{2, 0}}, []any{[]int32{6, 4}, []int32{4, 5, 6}, []int32{2, 0}}},
		{"reversed", "func Run(d, s []i32) { n := len(s); for i := range d { d[i] = s[n-1-i] } }", []any{[]int32{0, 0, 0}, []int32{4, 5, 6}}, []any{[]int32{6, 5, 4}, []int32{4, 5, 6}}},
		{"a prefix sum in order", "func Run(s []i32) { for i := range serial(span(1, len(s))) { s[i] += s[i-1] } }", []any{[]int32{1, 2, 3, 4}}, []any{[]int32{1, 3, 6, 10}}},
		{"sorted in order", "func Run(s []i32) { for i := range serial(len(s)) { for j := range span(1, len(s)-i) { if s[j] < s[j-1] { s[j], s[j-1] = s[j-1], s[j] } } } }", []any{[]int32{4, 1, 3, 2}}, []any{[]int32{1, 2, 3, 4}}},
		{"an unsigned index", "func Run(s []i32, k u8) i32 { return s[k] }", []any{[]int32{5, 6, 7}, uint8(2)}, []any{i(7), []int32{5, 6, 7}}},
		{"a 64-bit index", "func Run(s []i32, k i64) i32 { return s[k] }", []any{[]int32{5, 6, 7}, int64(2)}, []any{i(7), []int32{5, 6, 7}}},
		{"the length used in a float", "func Run(s []f32) f32 { t := 0.0; for i := range s { t += s[i] / len(s) }; return t }", []any{[]float32{1, 3}}, []any{float32(2), []float32{1, 3}}},
	})
	view := func(f func(k int) float32, extents ...int) ti.Array[float32] {
		n := 1
		for _, e := range extents {
			n *= e
		}
		data := make([]float32, n)
		for k := range data {
			data[k] = f(k)
		}
		return ti.Array[float32]{Data: data, Shape: extents}
	}
	count := func(k int) float32 { return float32(k) }
	conformCalls(t, `
func corner(a array[f32, D2]) f32 { return a[0][0] + a[a.shape-1] }
`, nil, []call{
		{"an element of an array", "func Run(a array[f32, D2]) f32 { return a[1][2] }", []any{view(count, 2, 3)}, []any{float32(5)}},
		{"an element by a vector", "func Run(a array[f32, D2], p ivec2) f32 { return a[p] }", []any{view(count, 2, 3), ti.IVec2{1, 0}}, []any{float32(3)}},
		{"the shape of an array", "func Run(a array[f32, D3]) (ivec3, i32) { return a.shape, len(a) }", []any{view(count, 2, 3, 4)}, []any{ti.IVec3{2, 3, 4}, i(2)}},
		{"a loop over an array", "func Run(a array[f32, D2]) (s f32) { for i, j := range a { s += a[i][j] * (10*i + j) }; return }", []any{view(count, 2, 2)}, []any{float32(1 + 20 + 33)}},
		{"a grouped loop over an array", "func Run(a array[f32, D2]) (s vec2) { for p := range a { s += a[p] * vec2(p) }; return }", []any{view(count, 2, 2)}, []any{ti.Vec2{5, 4}}},
		{"an array passed to a function", "func Run(a array[f32, D2]) f32 { return corner(a) }", []any{view(count, 3, 3)}, []any{float32(8)}},
		{"an array of one axis", "func Run(a array[f32, D1]) (s f32) { for i := range a { s += a[i] }; return }", []any{view(count, 5)}, []any{float32(10)}},
		{"a rectangle within an array", "func Run(a array[f32, D2]) (s f32) { for p := range ndrange(span(ivec2(1), a.shape-1)) { s += a[p] }; return }", []any{view(count, 3, 4)}, []any{float32(11)}},
		{"the rank of an array", "func Run(a array[f32, D4]) i32 { return len(a.shape) }", []any{view(count, 1, 2, 1, 2)}, []any{i(4)}},
	})
}
