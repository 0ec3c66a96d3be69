package expression

import (
	"math"
	"math/rand/v2"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

type (
	m2 = ti.Mat2
)

func vec2Group() group {
	pool := arrays(16, func(r *rand.Rand) v2 { return v2{some(r), some(r)} })
	return group{name: "vec2", args: "a b k", pools: []any{pool, pool, nil}, exprs: []expr{
		{text: "cross(a, b)", want: func(a, b v2, k int32) float32 { return a[0]*b[1] - a[1]*b[0] }, ulps: 400},
		{text: "dot(a, b)", want: func(a, b v2, k int32) float32 { return a[0]*b[0] + a[1]*b[1] }, ulps: 400},
		{text: "dot(a.x, b.y)", want: func(a, b v2, k int32) float32 { return a[0] * b[1] }},
		{text: "a.yx * 2", want: func(a, b v2, k int32) v2 { return v2{2 * a[1], 2 * a[0]} }},
		{text: "mat2(a, b)", want: func(a, b v2, k int32) m2 { return m2{a, b} }},
		{text: "cols(a, b)", want: func(a, b v2, k int32) m2 { return m2{{a[0], b[0]}, {a[1], b[1]}} }},
		{text: "diag(a)", want: func(a, b v2, k int32) m2 { return m2{{a[0], 0}, {0, a[1]}} }},
		{text: "refract(normalize(a), normalize(b), 0.5)", want: func(a, b v2, k int32) v2 {
			u, n := unit2(a), unit2(b)
			d := u[0]*n[0] + u[1]*n[1]
			q := 1 - 0.25*(1-d*d)
			if q < 0 {
				return v2{}
			}
			f := 0.5*d + math.Sqrt(q)
			return v2{float32(0.5*u[0] - f*n[0]), float32(0.5*u[1] - f*n[1])}
		}, ulps: 20000},
		{text: "a + k", want: func(a, b v2, k int32) v2 { return v2{a[0] + float32(k), a[1] + float32(k)} }, ulps: 1},
		{text: "a * 0.5 + 1", want: func(a, b v2, k int32) v2 { return v2{a[0]*0.5 + 1, a[1]*0.5 + 1} }, ulps: 64},
		{text: "unit(2, 1)", want: func(a, b v2, k int32) ti.IVec2 { return ti.IVec2{0, 1} }},
		{text: "vec(k, k)", want: func(a, b v2, k int32) ti.IVec2 { return ti.IVec2{k, k} }},
		{text: "atan2(a, b)", want: func(a, b v2, k int32) v2 {
			return v2{float32(math.Atan2(float64(a[0]), float64(b[0]))), float32(math.Atan2(float64(a[1]), float64(b[1])))}
		}, ulps: 3},
	}}
}

func unit2(a v2) [2]float64 {
	l := math.Hypot(float64(a[0]), float64(a[1]))
	return [2]float64{float64(a[0]) / l, float64(a[1]) / l}
}

func ivecGroup() group {
	type (
		iv = ti.IVec3
		f  = func(a, b iv) iv
	)
	each := func(g func(x, y int32) int32) f {
		return func(a, b iv) iv { return iv{g(a[0], b[0]), g(a[1], b[1]), g(a[2], b[2])} }
	}
	return group{name: "ivec3", exprs: []expr{
		{text: "a + b", want: each(func(x, y int32) int32 { return x + y })},
		{text: "a * b - 3", want: each(func(x, y int32) int32 { return x*y - 3 })},
		{text: "a / b", want: each(div[int32])},
		{text: "a % 4", want: each(func(x, y int32) int32 { return x % 4 })},
		{text: "mod(a, 4)", want: each(func(x, y int32) int32 { return runtest.FloorMod(x, 4) })},
		{text: "a & b", want: each(func(x, y int32) int32 { return x & y })},
		{text: "a << 2 | b >> 1", want: each(func(x, y int32) int32 { return x<<2 | y>>1 })},
		{text: "a ^ b", want: each(func(x, y int32) int32 { return x ^ y })},
		{text: "-a", want: each(func(x, y int32) int32 { return -x })},
		{text: "^a", want: each(func(x, y int32) int32 { return ^x })},
		{text: "max(a, b)", want: each(func(x, y int32) int32 { return max(x, y) })},
		{text: "a == b", want: func(a, b iv) bool { return a == b }},
		{text: "all(a >= b)", want: func(a, b iv) bool { return a[0] >= b[0] && a[1] >= b[1] && a[2] >= b[2] }},
		{text: "!(a > 0)", want: func(a, b iv) [3]bool { return [3]bool{!(a[0] > 0), !(a[1] > 0), !(a[2] > 0)} }},
		{text: "uvec3(a)", want: func(a, b iv) ti.UVec3 { return ti.UVec3{uint32(a[0]), uint32(a[1]), uint32(a[2])} }},
		{text: "vec3(a)", want: func(a, b iv) v3 { return v3{float32(a[0]), float32(a[1]), float32(a[2])} }},
		{text: "a * 0.5", want: func(a, b iv) v3 { return v3{float32(a[0]) * 0.5, float32(a[1]) * 0.5, float32(a[2]) * 0.5} }},
		{text: "sum(a)", want: func(a, b iv) int32 { return a[0] + a[1] + a[2] }},
		{text: "dot(a, b)", want: func(a, b iv) int32 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }},
		{text: "popcount(a)", want: each(func(x, y int32) int32 {
			n := int32(0)
			for w := uint32(x); w != 0; w &= w - 1 {
				n++
			}
			return n
		})},
	}}
}

func mul2(a, b m2) m2 {
	var c m2
	for i := range 2 {
		for j := range 2 {
			c[i][j] = a[i][0]*b[0][j] + a[i][1]*b[1][j]
		}
	}
	return c
}

func matrixGroup() group {
	pool := arrays(16, func(r *rand.Rand) m2 { return m2{{some(r), some(r)}, {some(r), some(r)}} })
	vecs := arrays(8, func(r *rand.Rand) v2 { return v2{some(r), some(r)} })
	return group{name: "mat2", pools: []any{pool, pool, vecs}, exprs: []expr{
		{text: "a * b", want: func(a, b m2, v v2) m2 { return mul2(a, b) }, ulps: 400},
		{text: "a * c", want: func(a, b m2, v v2) v2 {
			return v2{a[0][0]*v[0] + a[0][1]*v[1], a[1][0]*v[0] + a[1][1]*v[1]}
		}, ulps: 400},
		{text: "c * a", want: func(a, b m2, v v2) v2 {
			return v2{a[0][0]*v[0] + a[1][0]*v[1], a[0][1]*v[0] + a[1][1]*v[1]}
		}, ulps: 400},
		{text: "hadamard(a, b)", want: func(a, b m2, v v2) m2 {
			return m2{{a[0][0] * b[0][0], a[0][1] * b[0][1]}, {a[1][0] * b[1][0], a[1][1] * b[1][1]}}
		}},
		{text: "a + b", want: func(a, b m2, v v2) m2 {
			return m2{{a[0][0] + b[0][0], a[0][1] + b[0][1]}, {a[1][0] + b[1][0], a[1][1] + b[1][1]}}
		}},
		{text: "2 * a - 1", want: func(a, b m2, v v2) m2 {
			return m2{{2*a[0][0] - 1, 2*a[0][1] - 1}, {2*a[1][0] - 1, 2*a[1][1] - 1}}
		}, ulps: 8},
		{text: "transpose(a)", want: func(a, b m2, v v2) m2 { return m2{{a[0][0], a[1][0]}, {a[0][1], a[1][1]}} }},
		{text: "determinant(a)", want: func(a, b m2, v v2) float32 { return a[0][0]*a[1][1] - a[0][1]*a[1][0] }, ulps: 400},
		{text: "trace(a)", want: func(a, b m2, v v2) float32 { return a[0][0] + a[1][1] }},
		{text: "inverse(mat2(3, 1, c.x*0, 2))", want: func(a, b m2, v v2) m2 { return m2{{1 / 3., -1 / 6.}, {0, 0.5}} }, ulps: 4},
		{text: "mat2(1, c.x, c.y, 4)", want: func(a, b m2, v v2) m2 { return m2{{1, v[0]}, {v[1], 4}} }},
		{text: "mat2(c.x)", want: func(a, b m2, v v2) m2 { return m2{{v[0], 0}, {0, v[0]}} }},
		{text: "a[1]", want: func(a, b m2, v v2) v2 { return a[1] }},
		{text: "a[0][1] + b[1][0]", want: func(a, b m2, v v2) float32 { return a[0][1] + b[1][0] }},
		{text: "a == b", want: func(a, b m2, v v2) bool { return a == b }},
		{text: "a.n + 10*a.m", want: func(a, b m2, v v2) int32 { return 22 }},
		{text: "sum(a)", want: func(a, b m2, v v2) float32 { return a[0][0] + a[0][1] + a[1][0] + a[1][1] }, ulps: 64},
		{text: "dmat2(a)", want: func(a, b m2, v v2) ti.DMat2 {
			return ti.DMat2{{float64(a[0][0]), float64(a[0][1])}, {float64(a[1][0]), float64(a[1][1])}}
		}},
		{text: "a / 2", want: func(a, b m2, v v2) m2 {
			return m2{{a[0][0] / 2, a[0][1] / 2}, {a[1][0] / 2, a[1][1] / 2}}
		}},
	}}
}

func matrix3Group() group {
	pool := arrays(12, func(r *rand.Rand) ti.DMat3 {
		var m ti.DMat3
		for i := range 3 {
			for j := range 3 {
				m[i][j] = float64(some(r))
			}
			m[i][i] += 9 // so that it has an inverse
		}
		return m
	})
	return group{name: "dmat3", pools: []any{pool, pool}, exprs: []expr{
		{text: "a * b", want: func(a, b ti.DMat3) ti.DMat3 {
			var c ti.DMat3
			for i := range 3 {
				for j := range 3 {
					for k := range 3 {
						c[i][j] += a[i][k] * b[k][j]
					}
				}
			}
			return c
		}, ulps: 4000},
		{text: "round(inverse(a) * a * 1e9)", want: func(a, b ti.DMat3) ti.DMat3 {
			return ti.DMat3{{1e9, 0, 0}, {0, 1e9, 0}, {0, 0, 1e9}}
		}},
		{text: "determinant(a)", want: func(a, b ti.DMat3) float64 {
			return a[0][0]*(a[1][1]*a[2][2]-a[1][2]*a[2][1]) - a[0][1]*(a[1][0]*a[2][2]-a[1][2]*a[2][0]) + a[0][2]*(a[1][0]*a[2][1]-a[1][1]*a[2][0])
		}, ulps: 400},
		{text: "trace(a + b)", want: func(a, b ti.DMat3) float64 {
			return a[0][0] + b[0][0] + a[1][1] + b[1][1] + a[2][2] + b[2][2]
		}, ulps: 16},
		{text: "transpose(a)[2]", want: func(a, b ti.DMat3) ti.DVec3 { return ti.DVec3{a[0][2], a[1][2], a[2][2]} }},
		{text: "diag(a[0])[0][0]", want: func(a, b ti.DMat3) float64 { return a[0][0] }},
		{text: "dmat3(1)", want: func(a, b ti.DMat3) ti.DMat3 { return ti.DMat3{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}} }},
	}}
}

// Vectors and matrices of sizes without a name.
func oddGroup() group {
	type (
		v5  = [5]float32
		m23 = [2][3]float32
		m32 = [3][2]float32
	)
	a5 := arrays(6, func(r *rand.Rand) v5 { return v5{some(r), some(r), some(r), some(r), some(r)} })
	a23 := arrays(6, func(r *rand.Rand) m23 { return m23{{some(r), some(r), some(r)}, {some(r), some(r), some(r)}} })
	return group{name: "odd sizes", pools: []any{a5, a23}, exprs: []expr{
		{text: "a * 2", want: func(a v5, b m23) v5 { return v5{2 * a[0], 2 * a[1], 2 * a[2], 2 * a[3], 2 * a[4]} }},
		{text: "[5]f32{a[4], a[3], a[2], a[1], a[0]}", want: func(a v5, b m23) v5 { return v5{a[4], a[3], a[2], a[1], a[0]} }},
		{text: "transpose(b)", want: func(a v5, b m23) m32 { return m32{{b[0][0], b[1][0]}, {b[0][1], b[1][1]}, {b[0][2], b[1][2]}} }},
		{text: "b * a.xyz", want: func(a v5, b m23) v2 {
			return v2{b[0][0]*a[0] + b[0][1]*a[1] + b[0][2]*a[2], b[1][0]*a[0] + b[1][1]*a[1] + b[1][2]*a[2]}
		}, ulps: 400},
		{text: "b * transpose(b)", want: func(a v5, b m23) m2 {
			return m2{{dot3(b[0], b[0]), dot3(b[0], b[1])}, {dot3(b[1], b[0]), dot3(b[1], b[1])}}
		}, ulps: 400},
		{text: "b.n*10 + b.m", want: func(a v5, b m23) int32 { return 23 }},
		{text: "maxOf(a)", want: func(a v5, b m23) float32 { return max(a[0], a[1], a[2], a[3], a[4]) }},
		{text: "[2][2]i32{{1, 2}, {3, 4}}", want: func(a v5, b m23) [2][2]int32 { return [2][2]int32{{1, 2}, {3, 4}} }},
	}}
}

func mathGroups() []group { return append(mathsOf[float32]("f32"), mathsOf[float64]("f64")...) }

func mathsOf[T runtest.Float](name string) []group {
	type fn struct {
		name string
		f    func(float64) float64
	}
	var es []expr
	for _, f := range []fn{
		{"sin", math.Sin}, {"cos", math.Cos}, {"tan", math.Tan}, {"asin", math.Asin}, {"acos", math.Acos}, {"atan", math.Atan},
		{"sinh", math.Sinh}, {"cosh", math.Cosh}, {"tanh", math.Tanh}, {"exp", math.Exp}, {"exp2", math.Exp2},
		{"log", math.Log}, {"log2", math.Log2}, {"sqrt", math.Sqrt}, {"cbrt", math.Cbrt},
		{"rsqrt", func(x float64) float64 { return 1 / math.Sqrt(x) }},
	} {
		es = append(es, expr{f.name + "(a)", func(a T) T { return T(f.f(float64(a))) }, 3})
	}
	two := []expr{
		{"pow(a, b)", func(a, b T) T { return T(math.Pow(float64(a), float64(b))) }, 40},
		{"atan2(a, b)", func(a, b T) T { return T(math.Atan2(float64(a), float64(b))) }, 3},
		{"hypot(a, b)", func(a, b T) T { return T(math.Hypot(float64(a), float64(b))) }, 3},
	}
	var args []T // without those where package math is far off: sin(1e30), 16777217**3.7
	for _, f := range floats {
		if f < 1e20 {
			args = append(args, T(f))
		}
	}
	args = append(args, T(math.Inf(1)), T(math.NaN()))
	return []group{
		{name: "maths of " + name, pools: []any{args}, exprs: es},
		{name: "maths of two " + name, pools: []any{args, args}, exprs: two},
	}
}
