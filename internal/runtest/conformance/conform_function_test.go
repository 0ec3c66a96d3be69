package conformance

import (
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// Calls of device functions: arguments, results, references, scopes.
//
//conform:theme functions
func TestConformFunctions(t *testing.T) {
	i := func(v int32) any { return v }
	ab := func(a, b int32) []any { return []any{a, b} }
	conformRoutines(t, `
const Base = 10
const Table = [4]i32{7, 5, 3, 1}
func one() i32 { return 1 }
func add(a, b i32) i32 { return a + b }
func sq(x i32) i32 { return x * x }
func divmod(a, b i32) (i32, i32) { return a / b, a % b }
func three(a i32) (x i32, y f32, z vec2) { x = a; y = a + 0.5; z = vec2(a, -a); return }
func some(a i32) (x, y i32) { if a > 2 { x = a; return }; y = a; return }
func replaced(a i32) (x i32) { x = 5; if a > 2 { return a }; return }
func shadowed(a i32) (x i32) { x = 1; { x := a; x++; a = x }; return x + a }
func zero() (x i32, y vec2, z [3]i32, w mat2) { return }
func change(a i32) i32 { a = a * 100; return a }
func early(a i32) i32 {
	if a < 0 { return -1 }
	if a > 3 {
		for k := range a { if k*k >= a { return k } }
	}
	return 0
}
func nothing(a i32) { if a > 0 { return } }
func set(p *i32, v i32) { *p = v }
func setIf(p *i32, v i32) { if v < 3 { return }; *p = v }
func inc(p *i32) i32 { *p += 1; return *p }
func through(p *i32) { set(p, *p + 1); set(p, *p * 2) }
func swap(p, q *i32) { *p, *q = *q, *p }
func norm(v vec2) f32 { return sqrt(v.x*v.x + v.y*v.y) }
func rotate(v ivec3) ivec3 { return v.yzx }
func flip(v ivec3) ivec3 { v.x = -v.x; return v }
func fill(t *[4]i32, v i32) { for k := range t { t[k] = v + k } }
func totalOf(t [4]i32) (s i32) { for _, e := range t { s += e }; return }
func trace2(m [2][2]i32) i32 { return m[0][0] + m[1].y }
func mat(a i32) [2][2]i32 { return [2][2]i32{{a, 1}, {2, a}} }
func f1(a i32) i32 { return f2(a) + 1 }
func f2(a i32) i32 { return f3(a) * 2 }
func f3(a i32) i32 { return a - Base }
func isEven(a i32) bool { return a%2 == 0 }
func clampTo(x, lo, hi f32) f32 { if x < lo { return lo }; if x > hi { return hi }; return x }
func max3(a, b, c i32) i32 { return max(a, max(b, c)) }
func wide(a i64, b u8, c f64) f64 { return f64(a) + f64(b) + c }
//ti:noinline
func apart(a, b i32) (i32, i32) { if a > b { return b, a }; return a, b }
//ti:noinline
func deep(a i32) i32 { s := 0; for k := range a { s += sq(k) }; return s }
//ti:noinline
func throughApart(p *i32, v i32) { *p += v }
func unnamed(i32, _ i32) i32 { return 4 }
`, []routine{
		{"a function without parameters", "return one()", ab(0, 0), i(1)},
		{"arguments go to parameters in order", "return add(a, -b)", ab(5, 3), i(2)},
		{"a function called twice", "return sq(a) + sq(b)", ab(3, 4), i(25)},
		{"a call as an argument", "return add(add(a, 1), sq(add(b, 1)))", ab(1, 2), i(11)},
		{"a call in a condition", "if isEven(a) { return 1 }\nreturn 2", ab(4, 0), i(1)},
		{"a call in the head of a loop", "s := 0\nfor k := 0; k < sq(a); k++ { s += k }\nreturn s", ab(2, 0), i(6)},
		{"a call in an index", "t := [4]i32{9, 8, 7, 6}\nreturn t[one()+a%3]", ab(1, 0), i(7)},
		{"a function declared later", "return f1(a)", ab(13, 0), i(7)},
		{"three calls deep", "return f1(f2(a))", ab(16, 0), i(5)},
		{"constants of the file are visible", "return Base + Table[a%4]", ab(1, 0), i(15)},
		{"two results", "q, r := divmod(a, b)\nreturn q*10 + r", ab(17, 5), i(32)},
		{"one of two results", "_, r := divmod(a, b)\nreturn r", ab(17, 5), i(2)},
		{"results assigned to what exists", "q := 9\nq, b = divmod(a, b)\nreturn q*10 + b", ab(17, 5), i(32)},
		{"results into elements", "t := [2]i32{}\nt[1], t[0] = divmod(a, b)\nreturn t[1]*10 + t[0]", ab(17, 5), i(32)},
		{"results into components", "v := ivec2(0)\nv.x, v.y = divmod(a, b)\nreturn v.x*10 + v.y", ab(17, 5), i(32)},
		{"results of three types", "x, y, z := three(a)\nreturn x + i32(2*y) + i32(z.x - z.y)", ab(3, 0), i(16)},
		{"results passed on by return", "x, y := some(a)\nreturn x*10 + y", ab(5, 0), i(50)},
		{"named results keep zero when they are not set", "x, y := some(a)\nreturn x*10 + y", ab(1, 0), i(1)},
		{"return with a value replaces a named result", "return replaced(a)", ab(7, 0), i(7)},
		{"a bare return gives what was set", "return replaced(a - 9)", ab(1, 0), i(5)},
		{"a variable of a block hides a named result", "return shadowed(a)", ab(4, 0), i(6)},
		{"named results start as zero", "x, y, z, w := zero()\nif y != vec2(0) || z != [3]i32{} || w != mat2(0) { return -1 }\nreturn x", ab(0, 0), i(0)},
		{"a change of a parameter is not seen outside", "r := change(a)\nreturn r + a", ab(2, 0), i(202)},
		{"return from the middle", "return early(a)", ab(-4, 0), i(-1)},
		{"return from a loop in a branch", "return early(a)", ab(10, 0), i(4)},
		{"return at the end", "return early(a)", ab(2, 0), i(0)},
		{"calls side by side return by themselves", "return early(-1)*100 + early(a)*10 + early(b)", ab(5, 17), i(-65)},
		{"a function without results", "nothing(a)\nreturn 3", ab(1, 0), i(3)},
		{"a call for its effect alone", "x := a\n_ = inc(&x)\nreturn x", ab(1, 0), i(2)},
		{"a reference to a variable", "x := 0\nset(&x, a)\nreturn x", ab(6, 0), i(6)},
		{"a return keeps what a reference has", "x := 5\nsetIf(&x, a)\nreturn x", ab(2, 0), i(5)},
		{"a reference passed on", "x := a\nthrough(&x)\nreturn x", ab(3, 0), i(8)},
		{"two references", "swap(&a, &b)\nreturn a*10 + b", ab(1, 2), i(21)},
		{"a reference to a component", "v := ivec3(1, 2, 3)\nset(&v.y, a)\nreturn v.x*100 + v.y*10 + v.z", ab(9, 0), i(193)},
		{"a reference to an element of an array", "t := [3]i32{1, 2, 3}\nset(&t[a%3], 9)\nreturn t[0]*100 + t[1]*10 + t[2]", ab(0, 0), i(923)},
		{"two elements of one array", "t := [3]i32{1, 2, 3}\nswap(&t[0], &t[2])\nreturn t[0]*100 + t[1]*10 + t[2]", ab(0, 0), i(321)},
		{"a reference to an array", "var t [4]i32\nfill(&t, a)\nreturn totalOf(t)", ab(2, 0), i(14)},
		{"a local name of an element", "t := [3]i32{1, 2, 3}\np := &t[a%3]\n*p += 5\nset(p, *p * 2)\nreturn t[0]*100 + t[1]*10 + t[2]", ab(0, 0), i(1223)},
		{"a result used through a reference", "x := 1\nreturn inc(&x)*10 + inc(&x)", ab(0, 0), i(23)},
		{"an array by value", "t := [4]i32{a, b, 1, 2}\nr := totalOf(t)\nreturn r + t[0]", ab(3, 4), i(13)},
		{"a vector by value", "return i32(norm(vec2(a, b)))", ab(3, 4), i(5)},
		{"a vector as a result", "v := rotate(ivec3(a, b, 3))\nreturn v.x*100 + v.y*10 + v.z", ab(1, 2), i(231)},
		{"a change of a vector parameter is not seen outside", "v := ivec3(a, b, 1)\nw := flip(v)\nreturn v.x*10 + w.x", ab(2, 0), i(18)},
		{"a member of a result", "return rotate(ivec3(a, b, 3)).z", ab(1, 2), i(1)},
		{"an index of a result", "return mat(a)[1][b%2]", ab(6, 0), i(2)},
		{"a matrix by value and as a result", "return trace2(mat(a))", ab(6, 0), i(12)},
		{"arguments of several types", "return i32(wide(i64(a)<<33>>32, u8(b), 0.5) * 2)", ab(3, 255), i(523)},
		{"an untyped constant becomes the parameter's type", "return i32(clampTo(5, 0, 2) * 10) + i32(wide(1, 2, 3))", ab(0, 0), i(26)},
		{"float arguments", "return i32(clampTo(a*0.5, 0, 2) * 10)", ab(3, 0), i(15)},
		{"builtins in functions", "return max3(a, b, 4)", ab(3, 9), i(9)},
		{"a call in a parallel branch", "if a > b { return add(a, 1) }\nreturn sq(add(a, b))", ab(1, 2), i(9)},
		{"a function out of line", "x, y := apart(a, b)\nreturn x*10 + y", ab(7, 2), i(27)},
		{"a function out of line with a loop", "return deep(a) + deep(b)", ab(4, 2), i(15)},
		{"a reference into a function out of line", "x := a\nthroughApart(&x, 5)\nthroughApart(&x, x)\nreturn x", ab(1, 0), i(12)},
		{"parameters without names", "return unnamed(a, b)", ab(1, 2), i(4)},
		{"a local variable hides a function", "sq := a + 1\nreturn sq * sq", ab(2, 0), i(9)},
		{"a local variable hides a builtin", "max := a\nreturn max + 1", ab(2, 0), i(3)},
		{"a parameter hides a constant", "return func2(a)\n}\nfunc func2(Base i32) i32 {\nreturn Base", ab(2, 0), i(2)},
	})
	conformRoutines(t, `
func pair(a, b f32) (vec2, mat2) { return vec2(a, b), mat2(a, b, b, a) }
func lerp(a, b vec3, s f32) vec3 { return a*(1-s) + b*s }
func halfOf(x f16) f16 { return x / 2 }
func big(x u64) u64 { return x * 3 }
func both(a, b bool) bool { return a != b }
func axis(n i32) ivec3 { return unit(3, n) }
func cols2(m mat3) (vec3, vec3, vec3) { return transpose(m)[0], transpose(m)[1], transpose(m)[2] }
`, []routine{
		{"a vector and a matrix", "v, m := pair(a, b)\nreturn m * v", []any{float32(2), float32(3)}, ti.Vec2{13, 12}},
		{"vectors and a scalar", "return lerp(a, b, 0.25)", []any{ti.Vec3{0, 4, 8}, ti.Vec3{4, 4, 4}}, ti.Vec3{1, 4, 7}},
		{"f16", "return halfOf(a)", []any{runtest.Half(3)}, runtest.Half(1.5)},
		{"u64 above 2^63", "return big(a)", []any{uint64(0x5000000000000001)}, uint64(0xf000000000000003)},
		{"bools", "return both(a, b)", []any{true, false}, true},
		{"an integer vector", "return axis(a)", []any{int32(1)}, ti.IVec3{0, 1, 0}},
		{"several vectors of a matrix", "x, y, z := cols2(a)\nreturn mat3(x, y, z)", []any{ti.Mat3{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}}, ti.Mat3{{1, 4, 7}, {2, 5, 8}, {3, 6, 9}}},
		{"a call over an array of vectors", "var t [2]vec3\nt[0] = lerp(a, b, 0)\nt[1] = lerp(a, b, 1)\nreturn t[0] + t[1]", []any{ti.Vec3{0, 4, 8}, ti.Vec3{4, 4, 4}}, ti.Vec3{4, 8, 12}},
	})
}
