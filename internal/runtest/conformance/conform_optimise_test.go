package conformance

import (
	"testing"

	"github.com/gotaichi/ti"
)

const optimiseHelpers = `
func id(v i32) i32 { return v }
func store(p *i32, v i32) i32 { old := *p; *p = v; return old }
//ti:noinline
func far(v i32) i32 { return v*v + X[0] }
`

// Programs that tempt a pass of the compiler to change what they compute.
//
//conform:theme optimisation
func TestConformOptimise(t *testing.T) {
	rules(t, optimiseHelpers, []rule{
		// Common subexpressions.
		{"equal expressions with a store between them", `a := X[0] + 1; X[0] = 5; b := X[0] + 1; return ivec2(a, b)`, ti.IVec2{1, 6}},
		{"equal expressions of changed variables", `x := 3; a := x * x; x++; b := x * x; return ivec2(a, b)`, ti.IVec2{9, 16}},
		{"equal expressions in two branches", `x := X[0] + 7; y := 0; if x > 3 { y = x*x + 1 } else { y = x*x - 1 }; return y + x*x`, int32(99)},
		{"an expression in a branch is not valid after it", `d := X[0]; y := 1; if d != 0 { y = 100 / d }; return y + 100/(d+1)`, int32(101)},
		{"equal calls of random differ", `a := random(f64); b := random(f64); return a != b`, true},
		{"equal atomics both happen", `a := atomicAdd(&X[0], 2); b := atomicAdd(&X[0], 2); return ivec3(a, b, X[0])`, ti.IVec3{0, 2, 4}},
		{"a+b and b+a, a-b and b-a", `a, b := X[0]+5, X[1]+3; return ivec3(a+b-(b+a), a-b, b-a)`, ti.IVec3{0, 2, -2}},
		{"equal loads through equal indices", `i := X[0]; j := X[1]; X[i] = 4; X[j] += X[i]; return X[0]`, int32(8)},

		// Loads and stores.
		{"a load after a store to the same element", `X[3] = 7; a := X[3]; X[3] = 8; return a*10 + X[3]`, int32(78)},
		{"a load after a store to what may be the same", `i := X[0] + 3; X[3] = 7; X[i] = 9; return X[3]`, int32(9)},
		{"a load after a store to another element", `i := X[0] + 4; X[3] = 7; X[i] = 9; return X[3]`, int32(7)},
		{"a store that another hides", `X[3] = 1; X[3] = 2; return X[3]`, int32(2)},
		{"a store that a branch may hide", `X[3] = 1; if X[0] == 0 { X[3] = 2 }; return X[3]`, int32(2)},
		{"a store that is read before it is hidden", `X[3] = 1; a := X[3]; X[3] = 2; return a`, int32(1)},
		{"a store in both branches", `if X[0] > 0 { X[1] = 5 } else { X[1] = 6 }; return X[1]`, int32(6)},
		{"a store in one branch", `X[1] = 4; if X[0] > 0 { X[1] = 5 }; return X[1]`, int32(4)},
		{"a store of what is there", `X[1] = X[1]; X[1] += 0; return X[1]`, int32(0)},
		{"a store to a component and a load of the vector", `V[0] = vec3(1, 2, 3); V[0].y = 9; return V[0]`, ti.Vec3{1, 9, 3}},
		{"a store of the vector and a load of a component", `V[0].y = 9; V[0] = vec3(1, 2, 3); return V[0].y`, float32(2)},
		{"a component at run time between", `V[0] = vec3(1, 2, 3); k := X[0] + 1; V[0][k] = 9; return V[0]`, ti.Vec3{1, 9, 3}},
		{"a store in a loop that is read after it", `for k := range serial(5) { X[0] = k }; return X[0]`, int32(4)},
		{"a store before a loop that is read in it", `X[0] = 3; s := 0; for k := range serial(4) { s += X[0]; X[0] = k }; return s`, int32(6)},
		{"a store in a loop that may not run", `X[0] = 3; for k := range serial(X[1]) { X[0] = k }; return X[0]`, int32(3)},
		{"a store before break", `for k := range serial(10) { X[0] = k; if k == 4 { break }; X[1] = k }; return ivec2(X[0], X[1])`, ti.IVec2{4, 3}},
		{"a store before continue", `for k := range serial(10) { X[0] = k; if k > 4 { continue }; X[1] = k }; return ivec2(X[0], X[1])`, ti.IVec2{9, 4}},
		{"a store before return of a function", `a := store(&X[0], 5); b := store(&X[0], 6); return ivec3(a, b, X[0])`, ti.IVec3{0, 5, 6}},
		{"a swap of elements", `X[0] = 1; X[1] = 2; X[0], X[1] = X[1], X[0]; return ivec2(X[0], X[1])`, ti.IVec2{2, 1}},
		{"a rotation of elements by one that may be the same", `i := X[5]; X[0] = 4; X[i] , X[1] = X[1] + 9, X[i]; return ivec2(X[0], X[1])`, ti.IVec2{9, 4}},
		{"an atomic between load and load", `a := X[0]; X[0] += 3; b := X[0]; return ivec2(a, b)`, ti.IVec2{0, 3}},
		{"a function that loads what was stored", `X[0] = 2; a := far(3); X[0] = 5; b := far(3); return ivec2(a, b)`, ti.IVec2{11, 14}},
		{"fields of one type are apart", `X[0] = 1; Y[0] = 2; return X[0]*10 + Y[0]`, int32(12)},
		{"elements of a parallel loop", `for i := range X { X[i] = i; X[i] = X[i] * 2; Y[i] = X[i] + 1; X[i] = 0 }; return ivec2(X[3], Y[3])`, ti.IVec2{0, 7}},
		{"an element that the iteration reads and writes by two names", `for i := range X { X[i] = 1; j := i + X[i] - 1; X[j] += 5 }; return X[4]`, int32(6)},

		// Loops.
		{"an invariant load", `X[0] = 3; s := 0; for k := range serial(5) { s += X[0] * k }; return s`, int32(30)},
		{"a load that is not invariant", `X[0] = 1; for range serial(5) { X[0] = X[0] * 2 }; return X[0]`, int32(32)},
		{"a load that is not invariant by another index", `s := 0; for k := range serial(5) { s += X[2]; X[k] = k + 1 }; return s`, int32(6)},
		{"an invariant quotient in a loop that does not run", `d := X[0]; s := 1; for range serial(X[1]) { s += 100 / d }; return s`, int32(1)},
		{"an invariant quotient under a condition", `d := X[0]; s := 0; for k := range serial(5) { if d != 0 { s += 100 / d }; s += k }; return s`, int32(10)},
		{"an invariant condition", `c := X[0] == 0; s := 0; for k := range serial(5) { if c { s += k } else { s -= k } }; return s`, int32(10)},
		{"a variable that is constant from the second round on", `a, s := 1, 0; for k := range serial(4) { s += a; a = 5 + 0*k }; return s`, int32(16)},
		{"two variables in turn", `a, b := 1, 2; for range serial(5) { a, b = b, a }; return a*10 + b`, int32(21)},
		{"three variables in turn", `a, b, c := 1, 2, 3; for range serial(4) { a, b, c = b, c, a }; return a*100 + b*10 + c`, int32(231)},
		{"a recurrence", `a, b := 0, 1; for range serial(20) { a, b = b, a+b }; return a`, int32(6765)},
		{"a loop whose result nobody needs", `for k := 0; k < 1000000; k++ { }; return 1`, int32(1)},
		{"a loop that ends by itself", `n := 1; for n < 1000 { n *= 3 }; return n`, int32(2187)},
		{"a loop over a range that wraps", `n := 0; for i := u8(250); i != 5; i++ { n++ }; return n`, int32(11)},
		{"a loop with a bound that it changes", `n := 5; k := 0; for i := 0; i < n; i++ { if i == 2 { n = 8 }; k++ }; return k`, int32(8)},
		{"a range with a bound that it changes", `n := 5; k := 0; for i := range serial(n) { n = 100; k += 1 + 0*i }; return k`, int32(5)},
		{"an unrolled loop with a carried value", `x := X[0] + 1; for i := range static(6) { x = x*3 + i }; return x`, int32(729 + 81 + 54 + 27 + 12 + 5)},
		{"an inner loop whose length differs by lane", `for i := range X { n := i; k := 0; for n != 0 { n &= n - 1; k++ }; X[i] = k }; return ivec3(X[7], X[8], X[11])`, ti.IVec3{3, 1, 3}},
		{"an inner loop with break by lane", `for i := range X { k := 0; for { if k*k >= i { break }; k++ }; X[i] = k }; return ivec3(X[4], X[5], X[10])`, ti.IVec3{2, 3, 4}},
		{"divergent branches with stores", `for i := range X { if i%3 == 0 { X[i] = 1; Y[i] = 2 } else if i%3 == 1 { Y[i] = X[i] + 3 } else { X[i] = Y[i] - 4 } }; return ivec4(X[3], Y[4], X[5], Y[5])`, ti.IVec4{1, 3, -4, 0}},

		// Constants and algebra.
		{"x-x is 0, x^x too", `x := X[0] + 9; return ivec2(x-x, x^x)`, ti.IVec2{0, 0}},
		{"inf-inf is no 0", `x := F[0] + inf; return isnan(x - x)`, true},
		{"0*NaN is no 0", `x := F[0] / F[1]; return isnan(0 * x)`, true},
		{"0*inf is no 0", `x := 1 / F[0]; return isnan(x * F[1])`, true},
		{"NaN is not equal to itself", `x := F[0] / F[0]; return ifelse(x == x, 1, 2)`, int32(2)},
		{"not less is not greater or equal", `x := F[0] / F[0]; r := 0; if !(x < 1) { r = 1 }; if x >= 1 { r = 2 }; return r`, int32(1)},
		{"multiplication by powers of two wraps", `x := X[0] + 0x40000001; return ivec2(x*2, x*4)`, ti.IVec2{-2147483646, 4}},
		{"division of negatives by powers of two truncates", `x := X[0] - 7; return ivec4(x/2, x/4, x%4, x>>1)`, ti.IVec4{-3, -1, -3, -4}},
		{"division by other constants", `x := X[0] - 100; return ivec4(x/7, x%7, x/-3, x/100)`, ti.IVec4{-14, -2, 33, -1}},
		{"unsigned division by constants", `x := U[0] - 1; return uvec3(x/10, x%10, x/0x80000001)`, ti.UVec3{429496729, 5, 1}},
		{"(x/3)*3 is not x", `x := X[0] + 10; return x / 3 * 3`, int32(9)},
		{"(x+1)-1 > x never holds", `x := X[0] + 2147483647; return ifelse(x+1 > x, 1, 2)`, int32(2)},
		{"a difference of conversions", `x := X[0] + 300; return i32(i8(x)) + i32(u8(x)) + i32(f32(x)*0.5)`, int32(44 + 44 + 150)},
		{"a constant condition", `x := 1; if 2 > 1 { x = 2 } else { x = X[99%12] }; return x`, int32(2)},
		{"a condition that follows from another", `x := X[0] + 5; r := 0; if x > 3 { if x > 2 { r = 1 }; if x < 3 { r = 2 } }; return r`, int32(1)},
		{"min and max of a clamped value", `x := X[0] + 50; y := clamp(x, 0, 10); return ivec3(min(y, 20), max(y, -1), clamp(y, 5, 7))`, ti.IVec3{10, 10, 7}},
		{"a remainder that is known to be small", `s := 0; for i := range serial(20) { s += X[i%12] + i%12%13 }; return s`, int32(66 + 28)},

		// Dead code and branches.
		{"a value that only a dead branch uses", `x := X[0] + 5; y := x * 3; if x < 0 { return y }; return x`, int32(5)},
		{"both results of a function, one unused", `a, _ := 4, X[0]; return a`, int32(4)},
		{"nested conditions become one", `x := X[0]; r := 0; if x == 0 { if X[1] == 0 { if X[2] == 1 { r = 1 } else { r = 2 } } }; return r`, int32(2)},
		{"the right side of && is not evaluated", `i := X[0] + 40; ok := false; if i < 12 && X[i] == 0 { ok = true }; return ok`, false},
		{"the right side of || is not evaluated", `i := X[0] + 40; n := 0; if i >= 12 || X[i] == 0 { n = 1 }; return n`, int32(1)},
		{"a switch on values far apart", `r := 0; for i := range serial(4) { switch i * 1000000 { case 0: r += 1; case 2000000: r += 10; case 3000000: r += 100 } }; return r`, int32(111)},
		{"returns at several depths", `return id(far(1)) + id(id(far(2)))`, int32(5)},
	})
}
