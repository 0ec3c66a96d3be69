package expression

import (
	"math"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// halves are the half-precision numbers to try.
var halves = func() []ti.Float16 {
	var all []ti.Float16
	for _, v := range []float64{
		0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3.7, -0.3, 100, 0.1, 7, -7, 2, 1.0 / 3, 2047, 2049, 65504, -65504,
		1000.5, 0x1p-14, 0x1p-24, 0x1.8p-15, -0x1p-20, 255, 300, -129, math.Inf(1), math.Inf(-1), math.NaN(),
	} {
		all = append(all, runtest.Half(v))
	}
	return all
}()

// halfGroups are expressions over f16: each operation is rounded once.
func halfGroups() []group {
	type H = ti.Float16
	type V = [3]H
	each := func(v V, f func(H) H) (r V) {
		for i, x := range v {
			r[i] = f(x)
		}
		return r
	}
	tameHalves := []H{runtest.Half(0.5), runtest.Half(-1.5), runtest.Half(3), runtest.Half(100), runtest.Half(-0.001), runtest.Half(7.25)}
	gs := []group{
		{name: "f16", exprs: []expr{
			{text: "a + b", want: func(a, b H) H { return runtest.Half(runtest.Float64(a) + runtest.Float64(b)) }},
			{text: "a - b", want: func(a, b H) H { return runtest.Half(runtest.Float64(a) - runtest.Float64(b)) }},
			{text: "a * b", want: func(a, b H) H { return runtest.Half(runtest.Float64(a) * runtest.Float64(b)) }},
			{text: "a / b", want: func(a, b H) H { return runtest.Half(runtest.Float64(a) / runtest.Float64(b)) }},
			{text: "mod(a, b)", want: func(a, b H) H {
				return runtest.Half(runtest.FloorModFloat(runtest.Float64(a), runtest.Float64(b)))
			}, ulps: 1}, // what would be rounded to b is the number before
			{text: "floorDiv(a, b)", want: func(a, b H) H {
				return runtest.Half(runtest.FloorDivFloat(runtest.Float64(a), runtest.Float64(b), math.Inf(1)))
			}},
			{text: "-a", want: func(a, b H) H { return runtest.Half(-runtest.Float64(a)) }},
			{text: "abs(a)", want: func(a, b H) H { return runtest.Half(math.Abs(runtest.Float64(a))) }},
			{text: "min(a, b)", want: func(a, b H) H { return runtest.Half(min(runtest.Float64(a), runtest.Float64(b))) }},
			{text: "max(a, b)", want: func(a, b H) H { return runtest.Half(max(runtest.Float64(a), runtest.Float64(b))) }},
			{text: "floor(a)", want: func(a, b H) H { return runtest.Half(math.Floor(runtest.Float64(a))) }},
			{text: "ceil(a)", want: func(a, b H) H { return runtest.Half(math.Ceil(runtest.Float64(a))) }},
			{text: "round(a)", want: func(a, b H) H { return runtest.Half(math.Round(runtest.Float64(a))) }},
			{text: "trunc(a)", want: func(a, b H) H { return runtest.Half(math.Trunc(runtest.Float64(a))) }},
			{text: "sqrt(a)", want: func(a, b H) H { return runtest.Half(math.Sqrt(runtest.Float64(a))) }},
			{text: "fma(a, b, 1.5)", want: func(a, b H) H { return runtest.Half(runtest.Float64(a)*runtest.Float64(b) + 1.5) }},
			{text: "a < b", want: func(a, b H) bool { return runtest.Float64(a) < runtest.Float64(b) }},
			{text: "a >= b", want: func(a, b H) bool { return runtest.Float64(a) >= runtest.Float64(b) }},
			{text: "a == b", want: func(a, b H) bool { return runtest.Float64(a) == runtest.Float64(b) }},
			{text: "a != b", want: func(a, b H) bool { return runtest.Float64(a) != runtest.Float64(b) }},
			{text: "isnan(a)", want: func(a, b H) bool { return runtest.Float64(a) != runtest.Float64(a) }},
			{text: "isinf(a)", want: func(a, b H) bool { return math.IsInf(runtest.Float64(a), 0) }},
			{text: "ifelse(a < b, a, b)", want: func(a, b H) H { return runtest.IfElse(runtest.Float64(a) < runtest.Float64(b), a, b) }},
			{text: "a + 0.1", want: func(a, b H) H { return runtest.Half(runtest.Float64(a) + runtest.Float64(runtest.Half(0.1))) }},
			{text: "a * 3", want: func(a, b H) H { return runtest.Half(runtest.Float64(a) * 3) }},
			{text: "bitcast[u16](abs(b)) & 0x3ff", want: func(a, b H) uint16 {
				return runtest.IfElse(runtest.Float64(b) != runtest.Float64(b), uint16(b)&0x1ff|0x200, uint16(b)&0x3ff)
			}},
			{text: "bitcast[f16](bitcast[u16](a))", want: func(a, b H) H { return a }},
			{text: "cos(a)", want: func(a, b H) H { return runtest.Half(math.Cos(runtest.Float64(a))) }, ulps: 1},
			{text: "exp(a)", want: func(a, b H) H { return runtest.Half(math.Exp(runtest.Float64(a))) }, ulps: 1},
			{text: "log(a)", want: func(a, b H) H { return runtest.Half(math.Log(runtest.Float64(a))) }, ulps: 1},
			{text: "atan2(a, b)", want: func(a, b H) H { return runtest.Half(math.Atan2(runtest.Float64(a), runtest.Float64(b))) }, ulps: 1},
			{text: "pow(abs(a), 0.5)", want: func(a, b H) H { return runtest.Half(math.Pow(math.Abs(runtest.Float64(a)), 0.5)) }, ulps: 1},
		}},
		fromHalf(),
		{name: "f16 and integers", exprs: []expr{
			{text: "a * b", want: func(a H, b int32) H {
				return runtest.Half(runtest.Float64(a) * runtest.Float64(runtest.Half(float64(b))))
			}},
			{text: "b + a", want: func(a H, b int32) H {
				return runtest.Half(runtest.Float64(a) + runtest.Float64(runtest.Half(float64(b))))
			}},
			{text: "a < b", want: func(a H, b int32) bool { return runtest.Float64(a) < runtest.Float64(runtest.Half(float64(b))) }},
		}},
		{name: "f16 vectors", pools: []any{nil, nil, tameHalves}, exprs: []expr{
			{text: "a * c", want: func(a, b V, c H) V {
				return each(a, func(x H) H { return runtest.Half(runtest.Float64(x) * runtest.Float64(c)) })
			}},
			{text: "-b", want: func(a, b V, c H) V { return each(b, func(x H) H { return runtest.Half(-runtest.Float64(x)) }) }},
			{text: "a.zyx", want: func(a, b V, c H) V { return V{a[2], a[1], a[0]} }},
			{text: "[3]f16(c)", want: func(a, b V, c H) V { return V{c, c, c} }},
			{text: "vec3(a)", want: func(a, b V, c H) ti.Vec3 { return ti.Vec3{a[0].Float32(), a[1].Float32(), a[2].Float32()} }},
			{text: "any(a < b)", want: func(a, b V, c H) bool {
				return runtest.Float64(a[0]) < runtest.Float64(b[0]) || runtest.Float64(a[1]) < runtest.Float64(b[1]) || runtest.Float64(a[2]) < runtest.Float64(b[2])
			}},
			{text: "a == b", want: func(a, b V, c H) bool {
				return runtest.Float64(a[0]) == runtest.Float64(b[0]) && runtest.Float64(a[1]) == runtest.Float64(b[1]) && runtest.Float64(a[2]) == runtest.Float64(b[2])
			}},
		}},
		{name: "f16 matrices", pools: []any{nil, tameHalves}, exprs: []expr{
			{text: "transpose(a)", want: func(a [2][2]H, b H) [2][2]H { return [2][2]H{{a[0][0], a[1][0]}, {a[0][1], a[1][1]}} }},
		}},
	}
	return append(gs,
		toHalf[int8]("i8"), toHalf[int16]("i16"), toHalf[int32]("i32"), toHalf[int64]("i64"),
		toHalf[uint8]("u8"), toHalf[uint16]("u16"), toHalf[uint32]("u32"), toHalf[uint64]("u64"),
		toHalf[float32]("f32"), toHalf[float64]("f64"))
}

// fromHalf converts to every type.
func fromHalf() group {
	type H = ti.Float16
	return group{name: "from f16", exprs: []expr{
		{text: "i8(a)", want: func(a H) int8 { return to[int8](runtest.Float64(a)) }},
		{text: "i16(a)", want: func(a H) int16 { return to[int16](runtest.Float64(a)) }},
		{text: "i32(a)", want: func(a H) int32 { return to[int32](runtest.Float64(a)) }},
		{text: "i64(a)", want: func(a H) int64 { return to[int64](runtest.Float64(a)) }},
		{text: "u8(a)", want: func(a H) uint8 { return to[uint8](runtest.Float64(a)) }},
		{text: "u16(a)", want: func(a H) uint16 { return to[uint16](runtest.Float64(a)) }},
		{text: "u32(a)", want: func(a H) uint32 { return to[uint32](runtest.Float64(a)) }},
		{text: "u64(a)", want: func(a H) uint64 { return to[uint64](runtest.Float64(a)) }},
		{text: "f32(a)", want: func(a H) float32 { return a.Float32() }},
		{text: "f64(a)", want: runtest.Float64},
		{text: "bool(a)", want: func(a H) bool { return runtest.Float64(a) != 0 }},
		{text: "f16(f32(a))", want: func(a H) H { return a }},
	}}
}

// toHalf converts a number of another type, rounding once.
func toHalf[T runtest.Integer | runtest.Float](name string) group {
	return group{name: name + " to f16", exprs: []expr{
		{text: "f16(a)", want: func(a T) ti.Float16 { return runtest.Half(float64(a)) }},
		{text: "float16(-a)", want: func(a T) ti.Float16 { return runtest.Half(float64(-a)) }},
	}}
}
