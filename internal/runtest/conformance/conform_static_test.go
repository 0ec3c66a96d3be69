package conformance

import (
	"testing"

	"github.com/gotaichi/ti"
)

const staticHelpers = `
const N = 4
const Table = [4]i32{2, 3, 5, 7}

func power(x i32, n template) i32 {
	if static(n == 0) {
		return 1
	}
	return x * power(x, n-1)
}
func width[T any]() i32 {
	if static(T == f64 || T == i64) {
		return 8
	}
	if static(T == vec3) {
		return 4 * T.n
	}
	return 4
}
func rank(x template) i32 { return len(x.shape) }
func describe(x template) i32 {
	r := 0
	if static(x.dtype == f32) { r = 1 }
	if static(x.dtype == vec3) { r = 2 }
	if static(len(x.shape) == 2) { r += 10 }
	return r
}
func total[T any](v T) T {
	var s T
	s += v
	return s
}
func clear(x template) { for p := range serial(x) { x[p] = x.dtype(3) } }
func sumAll(v template) i32 {
	s := 0
	for i := range static(len(v)) { s += v[i] }
	return s
}
func Fill(x, v template) { for p := range x { x[p] = v } }
func apply(f func(i32) i32, n template) i32 {
	r := 1
	for range static(n) { r = f(r) }
	return r
}
`

// What is decided when a kernel is compiled.
//
//conform:theme compile time
func TestConformStatic(t *testing.T) {
	rules(t, staticHelpers, []rule{
		{"the branch that holds", `if static(N == 4) { return 1 } else { return 2 }`, int32(1)},
		{"the other branch", `if static(N > 4) { return 1 } else { return 2 }`, int32(2)},
		{"the branch not taken need not type-check", `x := 1; if static(N > 4) { x = vec3(1) * mat2(1) }; return x`, int32(1)},
		{"the branch not taken may name members that are not there", `v := vec2(1, 2); if static(v.n == 3) { return v.z }; return v.y`, float32(2)},
		{"a chain of branches", `if static(N == 1) { return 10 } else if static(N == 4) { return 20 } else { return 30 }`, int32(20)},
		{"nested", `s := 0; for i := range static(3) { if static(i%2 == 0) { if static(i > 0) { s += 10 } else { s += 1 } } }; return s`, int32(11)},
		{"conditions with && and !", `if static(N == 4 && !(N < 2)) { return 1 }; return 0`, int32(1)},
		{"constants of a local const", `const k = N * 2; if static(k == 8) { return k }; return 0`, int32(8)},

		{"a range", `s := 0; for i := range static(5) { s = s*10 + i }; return s`, int32(1234)},
		{"a range of nothing", `s := 7; for range static(0) { s = 0 }; return s`, int32(7)},
		{"a range with bounds", `s := 0; for i := range static(span(2, 5)) { s = s*10 + i }; return s`, int32(234)},
		{"a range of negative numbers", `s := 0; for i := range static(span(-2, 2)) { s = s*10 + i }; return s`, int32(-2*1000 - 100 + 1)},
		{"a product", `s := 0; for i, j := range static(ndrange(2, 3)) { s = s*10 + i*3 + j }; return s`, int32(12345)},
		{"a product with grouped indices", `s := 0; for p := range static(ndrange(2, 2, 2)) { s = s*2 + p.x ^ p.y ^ p.z }; return s`, int32(0b01101001)},
		{"a product with bounds", `s := 0; for i, j := range static(ndrange(span(1, 3), span(-1, 1))) { s += i * j }; return s`, int32(-3)},
		{"over a constant table", `s := 0; for i, v := range static(Table) { s += i * v }; return s`, int32(3 + 10 + 21)},
		{"the variable is a constant", `var v vec3; for i := range static(3) { const k = i * i; v[k%3] += k }; return v`, ti.Vec3{0, 5, 0}},
		{"the variable as the length of an array", `s := 0; for i := range static(3) { var a [i + 1]i32; s += len(a) }; return s`, int32(6)},
		{"the variable inside static", `s := 0; for i := range static(4) { if static(i == 2) { s += 100 } else { s++ } }; return s`, int32(103)},
		{"the variable as the bound of another", `s := 0; for i := range static(4) { for j := range static(i) { s += j } }; return s`, int32(4)},
		{"components by the variable", `v := vec4(1, 2, 3, 4); s := 0.0; for i := range static(v.n) { s += v[i] * i }; return s`, float32(20)},
		{"break leaves it", `s := 0; for i := range static(10) { if X[0] == 0 && i == 3 { break }; s += i }; return s`, int32(3)},
		{"continue goes on with the next", `s := 0; for i := range static(5) { if X[i] == 0 && i%2 == 1 { continue }; s += i }; return s`, int32(6)},
		{"labels", `s := 0
outer:
	for i := range static(4) { for j := range static(4) { if j > i { continue outer }; if i == 3 { break outer }; s += 1 } }
	return s`, int32(6)},
		{"return from it", `for i := range static(5) { if X[0]+i == 3 { return i * 10 } }; return -1`, int32(30)},
		{"around parallel loops", `for k := range static(3) { for i := range X { X[i] += k*100 + i } }; return X[2]`, int32(306)},
		{"inside parallel loops", `for i := range X { for k := range static(3) { X[i] += k * i } }; return X[4]`, int32(12)},
		{"with a serial loop inside", `s := 0; for k := range static(3) { for j := 0; j < k; j++ { s += 10 + j } }; return s`, int32(31)},

		{"recursion ends at compile time", `return power(3, 5)`, int32(243)},
		{"types are compared", `return ivec4(width[f32](), width[i64](), width[vec3](), width[bool]())`, ti.IVec4{4, 8, 12, 4}},
		{"the element type of a field", `return ivec3(describe(F), describe(V), describe(P))`, ti.IVec3{1, 2, 10}},
		{"a variable of the element type", `var v V.dtype; v.y = 3; return v`, ti.Vec3{0, 3, 0}},
		{"a conversion to the element type", `return D.dtype(2.5)`, 2.5},
		{"rows of the element type", `return ivec2(V.dtype.n, M.dtype.m)`, ti.IVec2{3, 2}},
		{"the rank of a field", `return ivec3(rank(X), rank(P), rank(W))`, ti.IVec3{1, 2, 3}},
		{"the shape of a field bounds an unrolled loop", `s := 0; for i, j := range static(ndrange(P.shape)) { s += i * j }; return s`, int32(6 * 15)},
		{"the shape of a field is the length of an array", `var a [P.shape[1]]i32; return len(a)`, int32(6)},
		{"len of a field", `return ivec3(len(X), len(P), len(W.shape))`, ti.IVec3{12, 4, 3}},
		{"a template of fields of any type", `clear(F); clear(V); clear(P); return vec3(F[11], V[5].z, P[3][5])`, ti.Vec3{3, 3, 3}},
		{"an exported template runs in parallel", `Fill(X, 7); Fill(V, vec3(1, 2, 3)); return vec2(X[11], V[11].z)`, ti.Vec2{7, 3}},
		{"a constant vector as argument", `return sumAll(Table)`, int32(17)},
		{"a generic function", `return vec4(total(2), total(vec3(1, 2, 3)))`, ti.Vec4{2, 1, 2, 3}},
		{"a function as argument", `return apply(func(v i32) i32 { return 2*v + 1 }, 4)`, int32(31)},
		{"an assertion that holds", `staticAssert(N == 4, "N is %d", N); return 1`, int32(1)},

		{"constant arithmetic is exact", `const big = 1 << 60; return big >> 58`, int32(4)},
		{"a constant quotient is exact", `const third = 1.0 / 3; return third * 3 == 1`, true},
		{"iota", `const ( a = iota + 1; b; c ); return a*100 + b*10 + c`, int32(123)},
		{"a constant of functions", `const s = sqrt(16.0) + max(1, 2); return f32(s)`, float32(6)},
		{"a constant table at run time", `s := 0; for i := range serial(N) { s = s*10 + Table[i] }; return s`, int32(2357)},
		{"pi", `return f64(pi)`, 3.141592653589793},
	})
}

// Slips that are found when a kernel is compiled.
//
//conform:theme compile time
func TestConformStaticErrors(t *testing.T) {
	reject(t, []mistake{
		{"a condition that is not known", "if static(a > 0) { print(1) }", 317},
		{"a bound that is not known", "for i := range static(a) { print(i) }", 317},
		{"an assertion that fails", `staticAssert(1 > 2, "no")`, 614},
		{"an unrolled loop that is too long", "for i := range static(1 << 30) { print(i) }", 612},
		{"an assignment to the variable", "for i := range static(3) { i = 2; print(i) }", 601},
		{"a length that is not known", "var v [a]i32\n\tprint(len(v))", 315},
		{"a negative length", "var v [-1]i32\n\tprint(len(v))", 311},
		{"a constant of a variable", "const c = a\n\tprint(c)", 315},
		{"a constant that does not fit", "var v i8 = 300\n\tprint(v)", 307},
		{"a constant division by zero", "print(a / 0)", 309},
		{"a quotient of constants that is zero", "print(x * (1/3))", 308},
	})
}
