package expression

import (
	"math"
	"math/rand/v2"

	"github.com/gotaichi/ti"
)

type (
	v2 = ti.Vec2
	v3 = ti.Vec3
	v4 = ti.Vec4
)

// arrays returns n values that f makes.
func arrays[T any](n int, f func(r *rand.Rand) T) []T {
	r := rand.New(rand.NewPCG(3, 4))
	out := make([]T, n)
	for i := range out {
		out[i] = f(r)
	}
	return out
}

func some(r *rand.Rand) float32 { return float32(r.IntN(64)-20)/8 + 0.0625 }

func vec3s() []v3 {
	return arrays(20, func(r *rand.Rand) v3 { return v3{some(r), some(r), some(r)} })
}

func map3(a v3, f func(float32) float32) v3 { return v3{f(a[0]), f(a[1]), f(a[2])} }

func zip3(a, b v3, f func(x, y float32) float32) v3 {
	return v3{f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2])}
}

func dot3(a, b v3) float32 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

func scale3(a v3, s float32) v3 { return v3{a[0] * s, a[1] * s, a[2] * s} }

func cross3(a, b v3) v3 {
	return v3{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

func length3(a v3) float32 { return float32(math.Sqrt(float64(dot3(a, a)))) }

func sub3(a, b v3) v3 { return zip3(a, b, func(x, y float32) float32 { return x - y }) }

func vectorGroups() []group {
	return []group{vec3Group(), vec2Group(), ivecGroup(), matrixGroup(), matrix3Group(), oddGroup()}
}

func vec3Group() group {
	type (
		f  = func(a, b v3, s float32) v3
		f1 = func(a, b v3, s float32) float32
	)
	return group{name: "vec3", args: "a b s", pools: []any{vec3s(), vec3s(), []float32{0.5, 2, -1.5}}, exprs: []expr{
		{text: "a + b", want: f(func(a, b v3, s float32) v3 { return zip3(a, b, func(x, y float32) float32 { return x + y }) })},
		{text: "a - b", want: f(func(a, b v3, s float32) v3 { return sub3(a, b) })},
		{text: "a * b", want: f(func(a, b v3, s float32) v3 { return zip3(a, b, func(x, y float32) float32 { return x * y }) })},
		{text: "a / b", want: f(func(a, b v3, s float32) v3 { return zip3(a, b, func(x, y float32) float32 { return x / y }) }), ulps: 1},
		{text: "a * s", want: f(func(a, b v3, s float32) v3 { return scale3(a, s) })},
		{text: "s * a", want: f(func(a, b v3, s float32) v3 { return scale3(a, s) })},
		{text: "1 - a", want: f(func(a, b v3, s float32) v3 { return map3(a, func(x float32) float32 { return 1 - x }) })},
		{text: "a / s", want: f(func(a, b v3, s float32) v3 { return map3(a, func(x float32) float32 { return x / s }) }), ulps: 1},
		{text: "-a", want: f(func(a, b v3, s float32) v3 { return scale3(a, -1) })},
		{text: "a == b", want: func(a, b v3, s float32) bool { return a == b }},
		{text: "a != b", want: func(a, b v3, s float32) bool { return a != b }},
		{text: "a < b", want: func(a, b v3, s float32) [3]bool { return [3]bool{a[0] < b[0], a[1] < b[1], a[2] < b[2]} }},
		{text: "equal(a, b)", want: func(a, b v3, s float32) [3]bool { return [3]bool{a[0] == b[0], a[1] == b[1], a[2] == b[2]} }},
		{text: "all(a < b)", want: func(a, b v3, s float32) bool { return a[0] < b[0] && a[1] < b[1] && a[2] < b[2] }},
		{text: "any(a < b)", want: func(a, b v3, s float32) bool { return a[0] < b[0] || a[1] < b[1] || a[2] < b[2] }},
		{text: "all(a < b || a > s)", want: func(a, b v3, s float32) bool {
			return (a[0] < b[0] || a[0] > s) && (a[1] < b[1] || a[1] > s) && (a[2] < b[2] || a[2] > s)
		}},
		{text: "ifelse(a < b, a, b)", want: f(func(a, b v3, s float32) v3 { return zip3(a, b, func(x, y float32) float32 { return min(x, y) }) })},
		{text: "min(a, b)", want: f(func(a, b v3, s float32) v3 { return zip3(a, b, func(x, y float32) float32 { return min(x, y) }) })},
		{text: "max(a, s)", want: f(func(a, b v3, s float32) v3 { return map3(a, func(x float32) float32 { return max(x, s) }) })},
		{text: "clamp(a, 0, 1)", want: f(func(a, b v3, s float32) v3 {
			return map3(a, func(x float32) float32 { return min(max(x, 0), 1) })
		})},
		{text: "abs(a)", want: f(func(a, b v3, s float32) v3 { return map3(a, func(x float32) float32 { return max(x, -x) }) })},
		{text: "floor(a)", want: f(func(a, b v3, s float32) v3 {
			return map3(a, func(x float32) float32 { return float32(math.Floor(float64(x))) })
		})},
		{text: "dot(a, b)", want: f1(func(a, b v3, s float32) float32 { return dot3(a, b) }), ulps: 400},
		{text: "cross(a, b)", want: f(func(a, b v3, s float32) v3 { return cross3(a, b) }), ulps: 400},
		{text: "length(a)", want: f1(func(a, b v3, s float32) float32 { return length3(a) }), ulps: 4},
		{text: "length2(a)", want: f1(func(a, b v3, s float32) float32 { return dot3(a, a) }), ulps: 4},
		{text: "normalize(a)", want: f(func(a, b v3, s float32) v3 { return scale3(a, 1/length3(a)) }), ulps: 8},
		{text: "distance(a, b)", want: f1(func(a, b v3, s float32) float32 { return length3(sub3(a, b)) }), ulps: 4},
		{text: "reflect(a, normalize(b))", want: f(func(a, b v3, s float32) v3 {
			n := scale3(b, 1/length3(b))
			return sub3(a, scale3(n, 2*dot3(a, n)))
		}), ulps: 4000},
		{text: "sum(a)", want: f1(func(a, b v3, s float32) float32 { return a[0] + a[1] + a[2] }), ulps: 64},
		{text: "product(a)", want: f1(func(a, b v3, s float32) float32 { return a[0] * a[1] * a[2] }), ulps: 2},
		{text: "minOf(a)", want: f1(func(a, b v3, s float32) float32 { return min(a[0], a[1], a[2]) })},
		{text: "maxOf(a)", want: f1(func(a, b v3, s float32) float32 { return max(a[0], a[1], a[2]) })},
		{text: "a.zyx", want: f(func(a, b v3, s float32) v3 { return v3{a[2], a[1], a[0]} })},
		{text: "a.xy", want: func(a, b v3, s float32) v2 { return v2{a[0], a[1]} }},
		{text: "vec4(a.xy, b.z, s)", want: func(a, b v3, s float32) v4 { return v4{a[0], a[1], b[2], s} }},
		{text: "a.xxy", want: f(func(a, b v3, s float32) v3 { return v3{a[0], a[0], a[1]} })},
		{text: "vec3(s)", want: f(func(a, b v3, s float32) v3 { return v3{s, s, s} })},
		{text: "vec3{s, 1, a.y}", want: f(func(a, b v3, s float32) v3 { return v3{s, 1, a[1]} })},
		{text: "ivec3(a)", want: func(a, b v3, s float32) ti.IVec3 { return ti.IVec3{int32(a[0]), int32(a[1]), int32(a[2])} }},
		{text: "a - ivec3(a)", want: f(func(a, b v3, s float32) v3 { return map3(a, func(x float32) float32 { return x - float32(int32(x)) }) })},
		{text: "dvec3(a)", want: func(a, b v3, s float32) ti.DVec3 {
			return ti.DVec3{float64(a[0]), float64(a[1]), float64(a[2])}
		}},
		{text: "mix(a, b, 0.5)", want: f(func(a, b v3, s float32) v3 { return zip3(a, b, func(x, y float32) float32 { return x + (y-x)*0.5 }) }), ulps: 64},
		{text: "outer(a, b)", want: func(a, b v3, s float32) ti.Mat3 {
			return ti.Mat3{scale3(b, a[0]), scale3(b, a[1]), scale3(b, a[2])}
		}},
		{text: "sqrt(abs(a))", want: f(func(a, b v3, s float32) v3 {
			return map3(a, func(x float32) float32 { return float32(math.Sqrt(math.Abs(float64(x)))) })
		}), ulps: 2},
		{text: "len(a) + a.n", want: func(a, b v3, s float32) int32 { return 6 }},
		{text: "vec(a.x, s)", want: func(a, b v3, s float32) v2 { return v2{a[0], s} }},
	}}
}
