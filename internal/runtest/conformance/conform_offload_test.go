package conformance

import (
	"testing"

	"github.com/gotaichi/ti"
)

const offloadHelpers = `
func Fill(v i32) { for i := range X { X[i] = v } }
func Total() (s i32) {
	for i := range X { s += X[i] }
	return
}
func Early(n i32) i32 {
	for i := range X { X[i] = n }
	if n > 3 { return -1 }
	for i := range X { X[i] += 100 }
	return X[0]
}
func serialSum() i32 {
	s := 0
	for i := range serial(X) { s += X[i] }
	return s
}
func both() (i32, i32) { return X[1], X[2] }
func pick(k i32) i32 {
	if k == 0 { return X[0] }
	for j := range k { if j == 2 { return 77 } }
	return k
}
`

// How a kernel becomes parallel loops and what stands between them.
//
//conform:theme several loops
func TestConformOffload(t *testing.T) {
	rules(t, offloadHelpers, []rule{
		{"a kernel without loops", `X[3] = 5; return X[3]`, int32(5)},
		{"loops run one after the other", `for i := range X { X[i] = i }; for i := range X { Y[i] = X[11-i] }; for i := range X { X[i] = Y[i] }; return ivec2(X[0], X[11])`, ti.IVec2{11, 0}},
		{"many loops", `for i := range X { X[i] = 1 }; for i := range X { X[i] += 1 }; for i := range X { X[i] *= 3 }; for i := range X { X[i] -= i }; for i := range X { X[i] *= X[i] }; for i := range X { X[i] += 1 }; return X[4]`, int32(5)},
		{"a statement between loops sees the first", `for i := range X { X[i] = i }; X[0] = X[11]; for i := range X { X[i] += 1 }; return X[0]`, int32(12)},
		{"a loop sees what the statement before it stored", `X[5] = 9; for i := range Y { Y[i] = X[5] }; return Y[11]`, int32(9)},
		{"variables from before a loop", `a := 3; b := a * 7; for i := range X { X[i] = a*i + b }; return X[2]`, int32(27)},
		{"variables across several loops", `a := 3; for i := range X { X[i] = a }; a = X[1] + 1; for i := range X { X[i] += a }; a *= 2; return ivec2(X[3], a)`, ti.IVec2{7, 8}},
		{"vectors across loops", `v := vec3(1, 2, 3); for i := range V { V[i] = v * f32(i) }; v = V[2]; for i := range V { V[i] += v }; return V[1]`, ti.Vec3{3, 6, 9}},
		{"matrices across loops", `m := mat2(1, 2, 3, 4); for i := range M { M[i] = m }; m = M[3] * M[4]; for i := range M { M[i] = m }; return M[0]`, ti.Mat2{{7, 10}, {15, 22}}},
		{"bools across loops", `b := X[0] == 0; for i := range B { B[i] = b && i > 3 }; return [2]bool{B[3], B[4]}`, [2]bool{false, true}},
		{"narrow numbers across loops", `a, h := i8(-5), f16(0.25); for i := range A8 { A8[i] = a; H[i] = h }; return vec2(f32(A8[3]), f32(H[4]))`, ti.Vec2{-5, 0.25}},
		{"wide numbers across loops", `a, d := i64(1)<<40, f64(1e-300); for i := range L { L[i] = a; D[i] = d }; return f64(L[2]) + D[3]*1e300`, float64(1<<40) + 1},
		{"structs across loops", `q := Item{N: 4, P: vec2(1, 2)}; for i := range Q { Q[i] = q }; q.N++; for i := range Q { Q[i].N += q.N }; return vec2(Q[3].N, Q[3].P.y)`, ti.Vec2{9, 2}},
		{"arrays across loops", `var t [4]i32; for i := range serial(4) { t[i] = i * i }; for i := range X { X[i] = t[i%4] }; return X[7]`, int32(9)},
		{"an array indexed at run time in the loop", `t := [4]i32{5, 6, 7, 8}; t[X[0]] = 50; for i := range X { X[i] = t[(i+X[i])%4] }; return ivec2(X[0], X[5])`, ti.IVec2{50, 6}},
		{"a value that a loop only reads at the bottom", `a := X[0] + 4; for i := range X { s := 0; for k := range i { s += k }; X[i] = s + a }; return X[4]`, int32(10)},
		{"a copy of a variable is of its moment", `a := 1; b := a; a = 5; for i := range X { X[i] = 10*a + b }; return X[0]`, int32(51)},
		{"shadowed names", `a := 1; for i := range X { a := i; X[i] = a }; { a := 2; a++; X[0] += a }; return X[0] + a`, int32(4)},

		{"a bound from a variable", `n := 5; for i := range n { X[i] = 1 }; return Total()`, int32(5)},
		{"a bound from a field", `S = 7; n := S; for i := range n { X[i] = 1 }; return Total()`, int32(7)},
		{"a bound is read once", `S = 4; for i := range i32(S) { X[i] = 1; S = 4 }; return Total()`, int32(4)},
		{"a bound that an expression gives", `a := 3; for i := range a*2 - 1 { X[i] = 1 }; return Total()`, int32(5)},
		{"both bounds at run time", `lo, hi := 3, 8; for i := range span(lo, hi) { X[i] = i }; return ivec3(X[2], X[3], X[7])`, ti.IVec3{0, 3, 7}},
		{"bounds that are empty", `lo, hi := 8, 3; for i := range span(lo, hi) { X[i] = 1 }; for i := range -4 { X[i] = 1 }; return Total()`, int32(0)},
		{"a negative lower bound", `for i := range span(-3, 4) { X[i+3] = i }; return ivec2(X[0], X[6])`, ti.IVec2{-3, 3}},
		{"a product with bounds at run time", `n, m := 3, 2; for i, j := range ndrange(n, span(1, m+2)) { P[i][j] = 10*i + j }; return ivec3(P[2][3], P[2][0], P[3][1])`, ti.IVec3{23, 0, 0}},
		{"a product with an empty side", `n := 0; for i, j := range ndrange(3, n) { P[i][j] = 1 }; return P[0][0]`, int32(0)},
		{"a range of i64", `n := i64(5); for i := range n { L[i] = i << 40 }; return L[4]`, int64(4) << 40},
		{"a range of u8", `n := u8(5); for i := range n { X[i] = i32(i) }; return X[4]`, int32(4)},
		{"a range up to the largest index", `s := 0; for i := range span(2147483640, 2147483647) { s += i - 2147483640 }; return s`, int32(21)},
		{"a long range of small work", `for i := range 100000 { U[i%12] += 1 }; return U[0]`, uint32(8334)},
		{"a loop over a field of rank 0's companion", `S = 5; for i := range X { X[i] = S }; S = X[3] + X[4]; return S`, int32(10)},

		{"a return before the loops", `if X[0] == 0 { return 1 }; for i := range X { X[i] = 1 }; return 2`, int32(1)},
		{"a return between loops stops the kernel", `a := Early(5); return ivec2(a, X[0])`, ti.IVec2{-1, 5}},
		{"a return not taken", `a := Early(2); return ivec2(a, X[0])`, ti.IVec2{102, 102}},
		{"kernels that a kernel calls run in order", `Fill(3); a := Total(); Fill(a); return Total()`, int32(36 * 12)},
		{"a device function between loops", `for i := range X { X[i] = i }; a := serialSum(); for i := range X { X[i] = a }; a, b := both(); return ivec2(a, b)`, ti.IVec2{66, 66}},
		{"a device function that returns early", `X[0] = 4; return ivec4(pick(0), pick(1), pick(2), pick(3))`, ti.IVec4{4, 1, 2, 77}},
		{"a serial loop between parallel ones", `for i := range X { X[i] = i }; for i := range serial(span(1, 12)) { X[i] += X[i-1] }; for i := range X { Y[i] = X[i] }; return Y[11]`, int32(66)},
		{"a loop under a condition is serial", `if X[0] == 0 { for i := range span(1, 12) { X[i] = X[i-1] + 1 } }; return X[11]`, int32(11)},
		{"a three-clause loop is serial", `s := 0; for i := 0; i < 5; i++ { s = s*2 + i }; return s`, int32(26)},
		{"a loop with a condition is serial", `n := 27; k := 0; for n != 1 { n = ifelse(n%2 == 0, n/2, 3*n+1); k++ }; return k`, int32(111)},
		{"an index that its iteration changes", `for i := range 6 { i *= 2; X[i] = 1 }; s := 0; for i := range serial(5) { s += i; i += 3; s += i }; return ivec3(X[10], X[1], s)`, ti.IVec3{1, 0, 35}},
		{"break out of a serial loop", `k := -1; for i := range serial(100) { if i*i > 50 { k = i; break } }; return k`, int32(8)},
		{"a loop over a local vector is serial", `s := 0; for _, v := range ivec3(1, 2, 3) { s = s*10 + v }; return s`, int32(123)},
		{"loops alternate over fields of several shapes", `for i, j := range P { P[i][j] = i + j }; for p := range W { W[p] = vec2(P[p.yz], 1) }; s := 0.0; for p := range W { s += sum(W[p]) }; return s`, float32(2*(6*6+15*4) + 48)},
		{"a swap of two fields", `for i := range X { X[i] = i; Y[i] = 100 }; for i := range X { X[i], Y[i] = Y[i], X[i] }; return ivec2(X[3], Y[3])`, ti.IVec2{100, 3}},
		{"ping pong", `for i := range X { X[i] = i }; for k := range static(4) { for i := range X { Y[i] = X[(i+1)%12] }; for i := range X { X[i] = Y[i] } }; return X[0]`, int32(4)},
	})
}

// Slips with loops.
//
//conform:theme several loops
func TestConformOffloadErrors(t *testing.T) {
	reject(t, []mistake{
		{"break", "for i := range 10 { if i > 3 { break } }", 605},
		{"return", "for i := range 10 { if i > 3 { return } }", 606},
		{"an assignment to a variable of the kernel", "s := 0\n\tfor i := range 10 { if i > 3 { s = 1 } }\n\tprint(s)", 607},
		{"a float as a bound", "for i := range x { print(i) }", 611},
		{"two variables for one range", "for i, j := range 10 { print(i, j) }", 610},
	})
}
