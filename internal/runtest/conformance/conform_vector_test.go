package conformance

import (
	"math"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

var (
	v123 = ti.Vec3{1, 2, 3}
	v456 = ti.Vec3{4, 5, -6}
	v34  = ti.Vec2{3, -4}
	i123 = ti.IVec3{1, 2, 3}
	i789 = ti.IVec3{7, -8, 9}
)

// How vectors are made and split.
//
//conform:theme vectors
func TestConformVectorParts(t *testing.T) {
	conform(t, []behaviour{
		{"from components", "vec3(a, b, a+b)", []any{float32(1), float32(2)}, v123},
		{"from one number", "vec3(a)", []any{float32(2.5)}, ti.Vec3{2.5, 2.5, 2.5}},
		{"from a vector and a number", "vec4(a, b)", []any{v123, float32(4)}, ti.Vec4{1, 2, 3, 4}},
		{"from a number and a vector", "vec4(b, a)", []any{v123, float32(4)}, ti.Vec4{4, 1, 2, 3}},
		{"from two vectors", "vec4(a, a.yx)", []any{v34}, ti.Vec4{3, -4, -4, 3}},
		{"integers become floats", "vec3(a)", []any{i789}, ti.Vec3{7, -8, 9}},
		{"floats become integers towards zero", "ivec3(a)", []any{ti.Vec3{1.9, -1.9, 3e9}}, ti.IVec3{1, -1, math.MaxInt32}},
		{"signed becomes unsigned", "uvec3(a)", []any{i789}, ti.UVec3{7, 1<<32 - 8, 9}},
		{"f32 becomes f64", "dvec3(a)", []any{v456}, ti.DVec3{4, 5, -6}},
		{"f64 becomes f32", "vec2(a)", []any{ti.DVec2{0.1, 1e300}}, ti.Vec2{0.1, float32(math.Inf(1))}},
		{"a composite literal", "[3]f32{a, b, a}", []any{float32(1), float32(2)}, ti.Vec3{1, 2, 1}},
		{"vec infers length and type", "vec(a, b)", []any{1.5, 2.5}, ti.DVec2{1.5, 2.5}},
		{"vec of integers", "vec(a, b, a)", []any{int32(4), int32(5)}, ti.IVec3{4, 5, 4}},
		{"five components", "[5]i32{a, b, a, b, a}", []any{int32(4), int32(5)}, [5]int32{4, 5, 4, 5, 4}},
		{"x y z w", "a.x + 10*a.y + 100*a.z + 1000*a.w", []any{ti.IVec4{1, 2, 3, 4}}, int32(4321)},
		{"by a constant index", "a[1]", []any{v456}, float32(5)},
		{"by an index at run time", "a[b]", []any{v456, int32(2)}, float32(-6)},
		{"a swizzle", "a.xy", []any{v456}, ti.Vec2{4, 5}},
		{"a swizzle by colour", "a.bgr", []any{v456}, ti.Vec3{-6, 5, 4}},
		{"a swizzle by texture", "a.tssp", []any{v456}, ti.Vec4{5, 4, 4, -6}},
		{"a part", "a[1:3]", []any{v456}, ti.Vec2{5, -6}},
		{"a part from the beginning", "a[:2]", []any{v456}, ti.Vec2{4, 5}},
		{"a part to the end", "a[1:]", []any{v456}, ti.Vec2{5, -6}},
		{"every other component", "a[0:3:2]", []any{v456}, ti.Vec2{4, -6}},
		{"every other component from the beginning", "(2 * a)[:3:2]", []any{v456}, ti.Vec2{8, -12}},
		{"a part of a part", "a[1:][1:2]", []any{v456}, [1]float32{-6}},
		{"the length of a part", "a[0:3:2].n", []any{v456}, int32(2)},
		{"a component of a part at run time", "a[0:3:2][b]", []any{v456, int32(1)}, float32(-6)},
		{"components by colour", "vec3(a.r, a.g, a.b)", []any{v456}, ti.Vec3{4, 5, -6}},
		{"a swizzle turns around", "a.zyx", []any{v456}, ti.Vec3{-6, 5, 4}},
		{"a swizzle repeats", "a.yyxx", []any{v34}, ti.Vec4{-4, -4, 3, 3}},
		{"a swizzle of a swizzle", "a.zyx.xz", []any{v456}, ti.Vec2{-6, 4}},
		{"a component of a sum", "(a + b).z", []any{v123, v456}, float32(-3)},
		{"its length", "len(a) + a.n", []any{v123}, int32(6)},
		{"unit", "unit(3, 1)", nil, ti.IVec3{0, 1, 0}},
		{"bools", "[2]bool{a, b}", []any{true, false}, [2]bool{true, false}},
		{"halves", "f32(sum([2]f16{a, b}))", []any{runtest.Half(1.5), runtest.Half(2)}, float32(3.5)},
	})
}

// Operators on vectors.
//
//conform:theme vectors
func TestConformVectorOperators(t *testing.T) {
	conform(t, []behaviour{
		{"the sum", "a + b", []any{v123, v456}, ti.Vec3{5, 7, -3}},
		{"the difference", "a - b", []any{v123, v456}, ti.Vec3{-3, -3, 9}},
		{"the product by component", "a * b", []any{v123, v456}, ti.Vec3{4, 10, -18}},
		{"the quotient by component", "a / b", []any{v456, ti.Vec3{2, 5, 4}}, ti.Vec3{2, 1, -1.5}},
		{"the negative", "-a", []any{v456}, ti.Vec3{-4, -5, 6}},
		{"a number to the right", "a * b", []any{v123, float32(2)}, ti.Vec3{2, 4, 6}},
		{"a number to the left", "b - a", []any{v123, float32(2)}, ti.Vec3{1, 0, -1}},
		{"a number divided by a vector", "b / a", []any{ti.Vec2{2, 4}, float32(1)}, ti.Vec2{0.5, 0.25}},
		{"an integer vector and a float", "a * b", []any{i123, float32(0.5)}, ti.Vec3{0.5, 1, 1.5}},
		{"an integer vector and a float vector", "a - b", []any{i123, ti.Vec3{0.5, 0.5, 0.5}}, ti.Vec3{0.5, 1.5, 2.5}},
		{"a literal adapts", "a * 2 + 1", []any{i123}, ti.IVec3{3, 5, 7}},
		{"integer quotients truncate", "a / b", []any{i789, ti.IVec3{2, 3, -2}}, ti.IVec3{3, -2, -4}},
		{"integer quotients by zero are zero", "a / b", []any{i789, ti.IVec3{0, 3, 0}}, ti.IVec3{0, -2, 0}},
		{"remainders", "a % b", []any{i789, ti.IVec3{4, 3, -2}}, ti.IVec3{3, -2, 1}},
		{"remainders that round down", "mod(a, 5)", []any{i789}, ti.IVec3{2, 2, 4}},
		{"bits", "a & 3 | 8", []any{i123}, ti.IVec3{9, 10, 11}},
		{"xor", "a ^ b", []any{i123, ti.IVec3{3, 3, 3}}, ti.IVec3{2, 1, 0}},
		{"shifts", "a << b", []any{i123, i123}, ti.IVec3{2, 8, 24}},
		{"the complement", "^a", []any{i123}, ti.IVec3{-2, -3, -4}},
		{"less", "a < b", []any{i123, i789}, [3]bool{true, false, true}},
		{"at least a number", "a >= 2", []any{v123}, [3]bool{false, true, true}},
		{"== is one bool", "a == b", []any{v123, v123}, true},
		{"== is false where one differs", "a == b", []any{v123, ti.Vec3{1, 2, 4}}, false},
		{"!= is true where one differs", "a != b", []any{v123, ti.Vec3{1, 2, 4}}, true},
		{"NaN differs from itself", "a == a", []any{ti.Vec2{1, float32(math.NaN())}}, false},
		{"equal is by component", "equal(a, b)", []any{v123, ti.Vec3{1, 2, 4}}, [3]bool{true, true, false}},
		{"and of bools", "a && b", []any{[2]bool{true, true}, [2]bool{true, false}}, [2]bool{true, false}},
		{"or of bools", "a || b", []any{[2]bool{false, true}, [2]bool{false, false}}, [2]bool{false, true}},
		{"not", "!a", []any{[2]bool{false, true}}, [2]bool{true, false}},
		{"all", "all(a > 0)", []any{v456}, false},
		{"any", "any(a > 0)", []any{v456}, true},
	})
}

// Functions of vectors.
//
//conform:theme vectors
func TestConformVectorFunctions(t *testing.T) {
	conform(t, []behaviour{
		{"dot", "dot(a, b)", []any{v123, v456}, float32(-4)},
		{"dot of integers", "dot(a, b)", []any{i123, i789}, int32(18)},
		{"dot of numbers is their product", "dot(a, b)", []any{float32(3), float32(4)}, float32(12)},
		{"cross", "cross(a, b)", []any{v123, v456}, ti.Vec3{-27, 18, -3}},
		{"cross of 2-vectors is a number", "cross(a, b)", []any{v34, ti.Vec2{1, 2}}, float32(10)},
		{"length", "length(a)", []any{v34}, float32(5)},
		{"length of integers", "length(a)", []any{ti.IVec2{6, 8}}, float32(10)},
		{"length2", "length2(a)", []any{v34}, float32(25)},
		{"distance", "distance(a, b)", []any{v34, ti.Vec2{0, 0}}, float32(5)},
		{"normalize", "normalize(a)", []any{ti.DVec2{0, -8}}, ti.DVec2{0, -1}},
		{"outer", "outer(a, b)", []any{ti.Vec2{1, 2}, v456}, [2][3]float32{{4, 5, -6}, {8, 10, -12}}},
		{"reflect", "reflect(a, b)", []any{v34, ti.Vec2{0, 1}}, ti.Vec2{3, 4}},
		{"refract of equal media", "refract(a, b, 1.0)", []any{ti.Vec2{0, -1}, ti.Vec2{0, 1}}, ti.Vec2{0, -1}},
		{"total reflection gives zero", "refract(a, b, 2.0)", []any{ti.Vec2{1, 0}, ti.Vec2{0, 1}}, ti.Vec2{0, 0}},
		{"sum", "sum(a)", []any{v456}, float32(3)},
		{"product", "product(a)", []any{i789}, int32(-504)},
		{"argMin", "argMin(a)", []any{ti.Vec3{2, 1, 1}}, int32(1)},
		{"argMax", "argMax(a)", []any{ti.Vec3{2, 1, 2}}, int32(0)},
		{"minOf", "minOf(a)", []any{i789}, int32(-8)},
		{"maxOf", "maxOf(a)", []any{v456}, float32(5)},
		{"maxOf sees NaN", "maxOf(a)", []any{ti.Vec2{float32(math.NaN()), 1}}, float32(math.NaN())},
		{"min", "min(a, b)", []any{v123, v456}, ti.Vec3{1, 2, -6}},
		{"max with a number", "max(a, 2)", []any{v123}, ti.Vec3{2, 2, 3}},
		{"clamp", "clamp(a, 0, 2)", []any{v456}, ti.Vec3{2, 2, 0}},
		{"clamp between vectors", "clamp(a, b, 5)", []any{v456, v123}, ti.Vec3{4, 5, 3}},
		{"abs", "abs(a)", []any{v456}, ti.Vec3{4, 5, 6}},
		{"sign", "sign(a)", []any{i789}, ti.IVec3{1, -1, 1}},
		{"floor", "floor(a)", []any{ti.Vec2{1.5, -1.5}}, ti.Vec2{1, -2}},
		{"ceil", "ceil(a)", []any{ti.Vec2{1.5, -1.5}}, ti.Vec2{2, -1}},
		{"fract", "fract(a)", []any{ti.Vec2{1.25, -1.25}}, ti.Vec2{0.25, 0.75}},
		{"sqrt", "sqrt(a)", []any{ti.Vec2{4, 2.25}}, ti.Vec2{2, 1.5}},
		{"sqrt of integers is a float", "sqrt(a)", []any{ti.IVec2{4, 9}}, ti.Vec2{2, 3}},
		{"sqr", "sqr(a)", []any{i789}, ti.IVec3{49, 64, 81}},
		{"mix", "mix(a, b, 0.5)", []any{v123, v456}, ti.Vec3{2.5, 3.5, -1.5}},
		{"mix by component", "mix(a, b, c)", []any{ti.Vec2{0, 10}, ti.Vec2{4, 20}, ti.Vec2{0.25, 1}}, ti.Vec2{1, 20}},
		{"step", "step(2, a)", []any{v123}, ti.Vec3{0, 1, 1}},
		{"smoothstep", "smoothstep(0, 2, a)", []any{v123}, ti.Vec3{0.5, 1, 1}},
		{"fma", "fma(a, b, c)", []any{v123, v456, v123}, ti.Vec3{5, 12, -15}},
		{"isnan", "isnan(a)", []any{ti.Vec2{float32(math.NaN()), 1}}, [2]bool{true, false}},
		{"ifelse by component", "ifelse(a > b, a, b)", []any{v123, v456}, ti.Vec3{4, 5, 3}},
		{"ifelse by one condition", "ifelse(a == b, a, -b)", []any{v123, v456}, ti.Vec3{-4, -5, 6}},
		{"exp2", "exp2(a)", []any{v123}, ti.Vec3{2, 4, 8}},
		{"popcount", "popcount(a)", []any{ti.IVec3{1, 7, -1}}, ti.IVec3{1, 3, 32}},
		{"bitcast", "bitcast[[2]u32](a)", []any{ti.Vec2{1, -2}}, ti.UVec2{0x3f800000, 0xc0000000}},
		{"rgba packs bytes, red lowest", "rgba(a)", []any{ti.Vec4{1, 0, 0, 1}}, uint32(0xff0000ff)},
	})
}

// Variables that are vectors.
//
//conform:theme vectors
func TestConformVectorVariables(t *testing.T) {
	rules(t, `
func swap(v *ivec2) { v.xy = v.yx }
func swap2(v *ivec2) { v[:1], v[1:] = v[1:], v[:1] }
func set(c *i32, to i32) { *c = to }
func first(v ivec3) i32 { v.x += 1; return v.x }
type colour struct { r i32; g ivec2 }
`, []rule{
		{"begins as zero", `var v vec3; return v`, ti.Vec3{}},
		{"a component is assigned", `v := ivec3(1, 2, 3); v.y = 9; return v`, ti.IVec3{1, 9, 3}},
		{"a component is changed", `v := ivec3(1, 2, 3); v.z *= -4; v.x++; return v`, ti.IVec3{2, 2, -12}},
		{"a component chosen at run time", `v := ivec3(0); for i := range serial(7) { v[i%3] += i }; return v`, ti.IVec3{9, 5, 7}},
		{"a swizzle is assigned", `v := ivec3(1, 2, 3); v.zx = ivec2(7, 8); return v`, ti.IVec3{8, 2, 7}},
		{"a swizzle is assigned from itself", `v := ivec3(1, 2, 3); v.xyz = v.zxy; return v`, ti.IVec3{3, 1, 2}},
		{"a part is assigned", `v := ivec4(1, 2, 3, 4); v[1:3] = ivec2(7, 8); return v`, ti.IVec4{1, 7, 8, 4}},
		{"a part is assigned from itself", `v := ivec4(1, 2, 3, 4); v[1:] = v[:3]; return v`, ti.IVec4{1, 1, 2, 3}},
		{"every other component is assigned", `v := ivec4(1, 2, 3, 4); v[0:4:2] = v[1:4:2]; v[1:4:2] *= 10; return v`, ti.IVec4{2, 20, 4, 40}},
		{"a part with the variable of a static loop", `v := ivec4(1, 2, 3, 4); s := ivec2(0); for d := range static(3) { s += v[d : d+2] }; return s`, ti.IVec2{6, 9}},
		{"a part of an element of a field", `V[1] = vec3(1, 2, 3); V[1][:2] += 5; return V[1]`, ti.Vec3{6, 7, 3}},
		{"a reference to a part", `v := ivec3(1, 2, 3); swap2(&v[0:3:2]); return v`, ti.IVec3{3, 2, 1}},
		{"a part of an array of structs", `var a [4]colour; for i := range serial(4) { a[i].r = i + 1 }; b := a[1:4:2]; b[1].r *= 10; return ivec3(b[0].r, b[1].r, a[3].r)`, ti.IVec3{2, 40, 4}},
		{"a swizzle by colour is assigned", `v := ivec3(1, 2, 3); v.bg = ivec2(7, 8); v.r += 2; return v`, ti.IVec3{3, 8, 7}},
		{"a swizzle by texture is assigned", `v := ivec4(1, 2, 3, 4); v.qs = v.st; return v`, ti.IVec4{2, 2, 3, 1}},
		{"members of a struct come before letters", `c := colour{r: 3, g: ivec2(4, 5)}; c.g.r += 2; return ivec3(c.r, c.g)`, ti.IVec3{3, 6, 5}},
		{"a swizzle is changed", `v := ivec3(1, 2, 3); v.xz *= 10; return v`, ti.IVec3{10, 2, 30}},
		{"components are swapped", `v := ivec3(1, 2, 3); v.x, v.z = v.z, v.x; return v`, ti.IVec3{3, 2, 1}},
		{"it unpacks into variables", `i, j, k := ivec3(4, 5, 6); return i*100 + j*10 + k`, int32(456)},
		{"assignment copies", `v := ivec2(1, 2); w := v; w.x = 9; return ivec4(v, w)`, ti.IVec4{1, 2, 9, 2}},
		{"a parameter is a copy", `v := ivec3(1, 2, 3); f := first(v); return ivec2(f, v.x)`, ti.IVec2{2, 1}},
		{"a reference is the vector", `v := ivec2(1, 2); swap(&v); return v`, ti.IVec2{2, 1}},
		{"a reference to a component", `v := ivec2(1, 2); set(&v.y, 7); set(&v[0], 6); return v`, ti.IVec2{6, 7}},
		{"+= with a number", `v := vec2(1, 2); v += 1; return v`, ti.Vec2{2, 3}},
		{"*= with a vector", `v := vec2(1, 2); v *= vec2(3, -1); return v`, ti.Vec2{3, -2}},
		{"a loop over components", `s := 0; for k, e := range ivec3(4, 5, 6) { s += k * e }; return s`, int32(17)},
		{"a constant vector", `const up = vec3(0, 1, 0); return up * 2 + up.zxy`, ti.Vec3{0, 2, 1}},
		{"a constant vector indexed at run time", `const primes = [4]i32{2, 3, 5, 7}; s := 0; for i := range serial(4) { s = s*10 + primes[3-i] }; return s`, int32(7532)},
		{"an element of a field", `V[1] = vec3(1, 2, 3); V[1].xy = V[1].yx; V[1][2] += 0.5; return V[1]`, ti.Vec3{2, 1, 3.5}},
		{"a field indexed by a vector", `p := ivec2(2, 3); P[p] = 5; P[p+1] = P[p] * 2; return ivec2(P[2][3], P[3][4])`, ti.IVec2{5, 10}},
		{"a field indexed by a vector and a number", `p := ivec2(1, 3); W[p][5] = vec2(1, 2); W[0][p] = vec2(3, 4); return vec4(W[1][3][5], W[0][1][3])`, ti.Vec4{1, 2, 3, 4}},
		{"of sixteen components", `var v [16]i32; for i := range serial(16) { v[i] = i }; return sum(v)`, int32(120)},
		{"an array of vectors", `var t [3]ivec2; t[1].y = 4; t[2] = ivec2(5, 6); i := 2; return t[1] + t[i]`, ti.IVec2{5, 10}},
	})
}

// Slips with vectors.
//
//conform:theme vectors
func TestConformVectorErrors(t *testing.T) {
	reject(t, []mistake{
		{"too few components", "v := vec3(1, 2)\n\t_ = v", 312},
		{"too many components", "v := vec2(1, 2, 3)\n\t_ = v", 312},
		{"different lengths", "v := vec2(1) + vec3(1)\n\t_ = v", 305},
		{"a component that is not there", "v := vec2(1)\n\tprint(v.z)", 405},
		{"a constant index outside", "v := vec2(1)\n\tprint(v[2])", 403},
		{"an assignment to a swizzle that repeats", "v := vec2(1)\n\tv.xx = v", 601},
		{"a part outside", "v := vec2(1)\n\tprint(v[1:3])", 403},
		{"a part that begins outside", "v := vec2(1)\n\tprint(v[2:])", 403},
		{"an empty part", "v := vec2(1)\n\tprint(v[1:1])", 407},
		{"a part turned round", "v := vec2(1)\n\tprint(v[0:2:-1])", 407},
		{"a part with a step and no end", "v := vec2(1)\n\tprint(v[::2])", 407},
		{"bounds known at run time", "v := vec2(1)\n\tk := 1\n\tprint(v[k:])", 315},
		{"letters of two sets", "v := vec2(1)\n\tprint(v.xg)", 405},
		{"a colour that is not there", "v := vec2(1)\n\tprint(v.b)", 405},
		{"an assignment of another length", "v := vec2(1)\n\tv = vec3(1)\n\tprint(v)", 302},
		{"a float vector to integers", "v := ivec2(1)\n\tv = vec2(1)\n\tprint(v)", 302},
		{"a vector as a condition", "v := ivec2(1)\n\tif v > 0 { print(v) }", 304},
		{"unpacking into too few", "p, q := vec3(1)\n\tprint(p, q)", 602},
	})
}
