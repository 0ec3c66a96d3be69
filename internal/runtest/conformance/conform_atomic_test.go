package conformance

import (
	"testing"

	"github.com/gotaichi/ti"
)

const atomicHelpers = `
func bump(p *i32, by i32) { *p += by }
func take(p *i32) i32 { return atomicAdd(p, 1) }
func (q *Item) Hit(x f32) {
	q.N++
	q.P.x += x
}
`

// Changes of memory that many iterations make at once.
//
//conform:theme atomics
func TestConformAtomics(t *testing.T) {
	rules(t, atomicHelpers, []rule{
		{"a sum into one element", `for i := range 1000 { X[0] += i }; return X[0]`, int32(499500)},
		{"a difference", `for i := range 1000 { X[0] -= i }; return X[0]`, int32(-499500)},
		{"a product", `X[0] = 1; for range 10 { X[0] *= 2 }; return X[0]`, int32(1024)},
		{"a quotient", `F[0] = 1024; for range 10 { F[0] /= 2 }; return F[0]`, float32(1)},
		{"an integer quotient", `X[0] = 1000; for range 3 { X[0] /= 10 }; return X[0]`, int32(1)},
		{"counting up", `for range 500 { X[3]++ }; return X[3]`, int32(500)},
		{"counting down", `for range 500 { X[3]-- }; return X[3]`, int32(-500)},
		{"or sets bits", `for i := range 40 { X[0] |= 1 << (i % 5) }; return X[0]`, int32(31)},
		{"and clears bits", `X[0] = -1; for i := range 3 { X[0] &= ^(1 << i) }; return X[0]`, int32(-8)},
		{"xor toggles bits", `for i := range 7 { X[0] ^= i }; return X[0]`, int32(7)},
		{"a minimum", `for i := range 100 { X[0] = min(X[0], 50-i) }; return X[0]`, int32(-49)},
		{"a maximum", `for i := range 100 { X[0] = max(X[0], i*37%101) }; return X[0]`, int32(100)},
		{"a maximum of several values", `for i := range 10 { X[0] = max(X[0], i, 20-i) }; return X[0]`, int32(20)},
		{"a maximum of negative floats", `F[0] = -100; for i := range 10 { F[0] = max(F[0], f32(-i)-1) }; return F[0]`, float32(-1)},
		{"a minimum of doubles", `for i := range 10 { D[0] = min(D[0], -0.5*f64(i)) }; return D[0]`, -4.5},
		{"a maximum of unsigned numbers", `for i := range 10 { U[0] = max(U[0], u32(-i)) }; return U[0]`, uint32(0xffffffff)},
		{"a minimum of unsigned numbers", `U[0] = u32(5); for i := range 10 { U[0] = min(U[0], u32(i+3)) }; return U[0]`, uint32(3)},
		{"a maximum with NaN is NaN", `for i := range 4 { F[0] = max(F[0], ifelse(i == 2, f32(nan), f32(i))) }; return isnan(F[0])`, true},
		{"or of bools", `for i := range 9 { B[1] = B[1] || i == 4 }; return [2]bool{B[0], B[1]}`, [2]bool{false, true}},
		{"and of bools", `B[0] = true; B[1] = true; for i := range 9 { B[1] = B[1] && i != 4 }; return [2]bool{B[0], B[1]}`, [2]bool{true, false}},

		{"of i64", `for i := range 100 { L[1] += i64(i) << 33 }; return L[1]`, int64(4950 << 33)},
		{"of u32 wraps", `for range 3 { U[0] += u32(0x80000000) }; return U[0]`, uint32(0x80000000)},
		{"of i8 wraps", `for range 200 { A8[5] += 1 }; return i32(A8[5])`, int32(-56)},
		{"of u16 wraps", `for range 70 { A16[5] += u16(1000) }; return i32(A16[5])`, int32(70000 - 65536)},
		{"a narrow element leaves its neighbours", `for i := range 300 { A8[1] -= 1; A8[2] |= i8(i) }; return [4]i32{i32(A8[0]), i32(A8[1]), i32(A8[2]), i32(A8[3])}`, ti.IVec4{0, -44, -1, 0}},
		{"a 16-bit element leaves its neighbours", `for range 300 { A16[1] -= u16(1) }; return ivec3(i32(A16[0]), i32(A16[1]), i32(A16[2]))`, ti.IVec3{0, 65236, 0}},
		{"of f32", `for i := range 100 { F[0] += 0.5 * i }; return F[0]`, float32(2475)},
		{"of f64 keeps its precision", `for range 100 { D[0] += 0x1p-40 }; D[0] += 1; return D[0] - 1`, 100 * 0x1p-40},
		{"of f16", `for range 100 { H[3] += f16(0.5) }; return f32(H[3])`, float32(50)},
		{"a maximum of f16", `for i := range 20 { H[3] = max(H[3], f16(i)) }; return f32(H[3])`, float32(19)},

		{"to a component", `for i := range 100 { V[2].y += i }; return V[2]`, ti.Vec3{0, 4950, 0}},
		{"to a component chosen at run time", `for i := range 90 { V[2][i%3] += 1 }; return V[2]`, ti.Vec3{30, 30, 30}},
		{"to all components of a vector", `for i := range 100 { V[2] += vec3(1, i, -1) }; return V[2]`, ti.Vec3{100, 4950, -100}},
		{"a scalar to all components", `for range 8 { V[2] += 0.25 }; return V[2]`, ti.Vec3{2, 2, 2}},
		{"to a swizzle", `for range 10 { V[0].zx += vec2(1, 2) }; return V[0]`, ti.Vec3{20, 0, 10}},
		{"a minimum of vectors is by component", `for i := range 10 { V[0] = min(V[0], vec3(-i, 3, i-5)) }; return V[0]`, ti.Vec3{-9, 0, -5}},
		{"to a matrix", `for i := range 10 { M[1] += mat2(1, 2, i, 0) }; return M[1]`, ti.Mat2{{10, 20}, {45, 0}}},
		{"to a row of a matrix", `for i := range 10 { M[1][1] += vec2(1, i) }; return M[1]`, ti.Mat2{{0, 0}, {10, 45}}},
		{"to a member", `for i := range 10 { Q[1].N += i }; return Q[1].N`, int32(45)},
		{"to an array in a member", `for i := range 10 { Q[1].T[i%2] += i16(i) }; return ivec2(i32(Q[1].T[0]), i32(Q[1].T[1]))`, ti.IVec2{20, 25}},
		{"to a single cell", `for i := range 100 { S += i }; return S`, int32(4950)},
		{"to a vector in a single cell", `for i := range 100 { Z += vec2(1, i) }; return Z`, ti.Vec2{100, 4950}},
		{"to elements by two indices", `for i := range 240 { P[i%4][i%6]++ }; return ivec3(P[0][0], P[1][3], P[0][1])`, ti.IVec3{20, 20, 0}},
		{"a histogram counts everything", `for i := range 1200 { X[i*i%12]++ }; return ivec4(X[0], X[1], X[4], X[9])`, ti.IVec4{200, 400, 400, 200}},
		{"an element of its own", `for i := range X { X[i] = 3; X[i] += i }; return ivec2(X[0], X[11])`, ti.IVec2{3, 14}},
		{"to an array of the kernel", `var t [4]i32; for i := range 100 { t[i%4] += i }; return t`, ti.IVec4{1200, 1225, 1250, 1275}},

		{"the addition gives the old value", `X[0] = 3; a := atomicAdd(&X[0], 5); return ivec2(a, X[0])`, ti.IVec2{3, 8}},
		{"the subtraction too", `X[0] = 3; a := atomicSub(&X[0], 5); return ivec2(a, X[0])`, ti.IVec2{3, -2}},
		{"the minimum too", `X[0] = 3; a := atomicMin(&X[0], -5); return ivec2(a, X[0])`, ti.IVec2{3, -5}},
		{"the maximum too", `X[0] = 3; a := atomicMax(&X[0], 1); return ivec2(a, X[0])`, ti.IVec2{3, 3}},
		{"and too", `X[0] = 6; a := atomicAnd(&X[0], 3); return ivec2(a, X[0])`, ti.IVec2{6, 2}},
		{"or too", `X[0] = 6; a := atomicOr(&X[0], 3); return ivec2(a, X[0])`, ti.IVec2{6, 7}},
		{"xor too", `X[0] = 6; a := atomicXor(&X[0], 3); return ivec2(a, X[0])`, ti.IVec2{6, 5}},
		{"an exchange", `X[0] = 6; a := atomicXchg(&X[0], 3); return ivec2(a, X[0])`, ti.IVec2{6, 3}},
		{"a comparison that holds exchanges", `X[0] = 6; a := atomicCAS(&X[0], 6, 9); return ivec2(a, X[0])`, ti.IVec2{6, 9}},
		{"a comparison that does not hold exchanges nothing", `X[0] = 6; a := atomicCAS(&X[0], 5, 9); return ivec2(a, X[0])`, ti.IVec2{6, 6}},
		{"old values of floats", `F[0] = 0.5; a := atomicAdd(&F[0], 0.25); b := atomicMax(&F[0], 4); return vec3(a, b, F[0])`, ti.Vec3{0.5, 0.75, 4}},
		{"an exchange of doubles", `D[0] = 0.5; a := atomicXchg(&D[0], 1e300); return dvec2(a, D[0])`, ti.DVec2{0.5, 1e300}},
		{"old values of i8", `A8[1] = 127; a := atomicAdd(&A8[1], 1); return ivec2(i32(a), i32(A8[1]))`, ti.IVec2{127, -128}},
		{"old values of i64", `L[1] = 1; a := atomicMax(&L[1], i64(1)<<50); return i64(a + L[1])`, int64(1 + 1<<50)},
		{"an old value of a component", `V[0].y = 2; a := atomicAdd(&V[0].y, 3); return vec2(a, V[0].y)`, ti.Vec2{2, 5}},
		{"an old value of a variable", `x := 4; a := atomicSub(&x, 1); return ivec2(a, x)`, ti.IVec2{4, 3}},
		{"a load", `X[0] = 6; a := atomicLoad(&X[0]); return ivec2(a, X[0])`, ti.IVec2{6, 6}},
		{"a load of a vector", `V[0] = vec3(1, 2, 3); return atomicLoad(&V[0])`, ti.Vec3{1, 2, 3}},
		{"a load of a component", `V[0] = vec3(1, 2, 3); return atomicLoad(&V[0].y)`, float32(2)},
		{"a load of i8", `A8[1] = -5; return i32(atomicLoad(&A8[1]))`, int32(-5)},
		{"a load of i64", `L[1] = i64(1)<<50; return atomicLoad(&L[1])`, int64(1 << 50)},
		{"a load of doubles", `D[0] = 1e300; return atomicLoad(&D[0])`, 1e300},
		{"a load of a variable", `x := 4; return atomicLoad(&x)`, int32(4)},
		{"a load in a loop", `for i := range X { X[i] = i }; for i := range X { Y[i] = atomicLoad(&X[11-i]) }; return ivec2(Y[0], Y[11])`, ti.IVec2{11, 0}},
		{"a load in the condition of a loop", `for i := range X { if i == 11 { atomicStore(&S, 1) } }; for i := range X { for atomicLoad(&S) == 0 { }; X[i] = 1 }; n := 0; for i := range X { n += X[i] }; return n`, int32(12)},
		{"a store", `atomicStore(&X[0], 6); return X[0]`, int32(6)},
		{"a store of a vector", `atomicStore(&V[0], vec3(1, 2, 3)); atomicStore(&V[0].z, 4); return V[0]`, ti.Vec3{1, 2, 4}},
		{"stores of one value", `for range 100 { atomicStore(&X[0], 7) }; return X[0]`, int32(7)},
		{"a load through a reference", `X[2] = 9; p := &X[2]; atomicStore(p, atomicLoad(p)+1); return X[2]`, int32(10)},
		{"parents are followed while they change", `
			for i := range X { X[i] = max(i-1, 0) }
			for i := range X { k := i; for atomicLoad(&X[k]) != k { k = atomicLoad(&X[k]) }; atomicStore(&X[i], k) }
			n := 0
			for i := range X { n += X[i] }
			return n`, int32(0)},
		{"each iteration gets another old value", `for i := range 12 { Y[atomicAdd(&S, 1)] = i + 1 }; p := 1; for i := range serial(12) { p *= Y[i] % 7 + 1; p %= 1009 }; n := 0; for i := range Y { n += Y[i] }; return ivec2(n, S)`, ti.IVec2{78, 12}},
		{"one iteration only wins a comparison", `for i := range 100 { if atomicCAS(&X[0], 0, i+1) == 0 { X[1]++ } }; return X[1]`, int32(1)},
		{"adding by comparison and exchange", `for i := range 60 { for { old := X[0]; if atomicCAS(&X[0], old, old+i) == old { break } } }; return X[0]`, int32(1770)},
		{"through a reference", `for i := range 100 { bump(&X[2], i) }; return X[2]`, int32(4950)},
		{"an old value through a reference", `for range 12 { Y[take(&S)] = 1 }; n := 0; for i := range Y { n += Y[i] }; return n`, int32(12)},
		{"in a method", `for range 100 { Q[3].Hit(0.5) }; return vec2(Q[3].N, Q[3].P.x)`, ti.Vec2{100, 50}},
		{"of a place with a name", `for i := range 100 { q := &Q[i%2]; q.N += i }; return ivec2(Q[0].N, Q[1].N)`, ti.IVec2{2450, 2500}},
		{"in an inner loop", `for i := range 10 { for k := range i { X[k] += 1 } }; return ivec2(X[0], X[8])`, ti.IVec2{9, 1}},
		{"under a condition", `for i := range 100 { if i%3 == 0 { X[0]++ } else if i > 50 { X[1]++ } }; return ivec2(X[0], X[1])`, ti.IVec2{34, 32}},
		{"several elements in turn", `for i := range 100 { X[i%12] += 1; X[(i+1)%12] -= 1; F[i%2] += 1 }; return ivec4(X[0], X[3], X[4], i32(F[1]))`, ti.IVec4{1, 0, -1, 50}},
		{"the index is evaluated once", `for range 10 { X[atomicAdd(&S, 1)] += 1 }; return ivec2(S, X[9])`, ti.IVec2{10, 1}},
	})
}
