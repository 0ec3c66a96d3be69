package vulkan

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gotaichi/ti/internal/codegen/spirv"
	"github.com/gotaichi/ti/internal/ir"
)

// right are the results of a thread, computed by hand for each kind.
func right(k ir.Kind, of [3]uint64) (all [spirv.ProbeResults]uint64) {
	if k == ir.F32 {
		a, b, c := math.Float32frombits(uint32(of[0])), math.Float32frombits(uint32(of[1])), math.Float32frombits(uint32(of[2]))
		product := float32(a * b)
		for i, v := range []float32{a / b, float32(math.Sqrt(float64(a))), a + b, product, product + c} {
			all[i] = uint64(math.Float32bits(v))
		}
		if a < b {
			all[spirv.ProbeLess] = 1
		}
		return all
	}
	a, b, c := math.Float64frombits(of[0]), math.Float64frombits(of[1]), math.Float64frombits(of[2])
	product := float64(a * b)
	for i, v := range []float64{a / b, math.Sqrt(a), a + b, product, product + c} {
		all[i] = math.Float64bits(v)
	}
	if a < b {
		all[spirv.ProbeLess] = 1
	}
	return all
}

// TestJudge: the judge finds what a driver does wrong, and nothing else, in what the probe computes.
func TestJudge(t *testing.T) {
	for _, k := range []ir.Kind{ir.F32, ir.F64} {
		bits := k.Bits()
		for _, c := range []struct {
			name   string
			change func(of [3]uint64, all *[spirv.ProbeResults]uint64)
			want   wrongness
		}{
			{"right", func([3]uint64, *[spirv.ProbeResults]uint64) {}, 0},
			{"a quotient is one off", func(_ [3]uint64, all *[spirv.ProbeResults]uint64) { all[spirv.ProbeQuotient] ^= 1 }, wrongQuotients},
			{"a root is one off", func(_ [3]uint64, all *[spirv.ProbeResults]uint64) { all[spirv.ProbeRoot] ^= 1 }, wrongRoots},
			{"subnormal results are 0", func(of [3]uint64, all *[spirv.ProbeResults]uint64) {
				for _, i := range []int{spirv.ProbeSum, spirv.ProbeProduct} {
					if isSubnormal(k, all[i]) {
						all[i] &= 1 << (bits - 1)
					}
				}
			}, wrongSubnormals},
			{"subnormal operands are 0", func(of [3]uint64, all *[spirv.ProbeResults]uint64) {
				if isSubnormal(k, of[0]) && isSubnormal(k, of[1]) {
					all[spirv.ProbeLess] = 0
				}
			}, wrongSubnormals},
			{"sums are rounded up", func(of [3]uint64, all *[spirv.ProbeResults]uint64) {
				if !isSubnormal(k, of[0]) && !isSubnormal(k, of[1]) && !isSubnormal(k, all[spirv.ProbeSum]) {
					all[spirv.ProbeSum]++
				}
			}, wrongRounding},
			{"products and sums are fused", func(of [3]uint64, all *[spirv.ProbeResults]uint64) {
				v := math.FMA(ir.FloatValue(k, of[0]), ir.FloatValue(k, of[1]), ir.FloatValue(k, of[2]))
				if f := ir.FloatBits(k, v); !isNaN(k, f) && !slices.ContainsFunc(append(of[:], f, all[spirv.ProbeProduct]), func(v uint64) bool { return isSubnormal(k, v) }) {
					all[spirv.ProbeBoth] = f
				}
			}, wrongContraction},
		} {
			triples, got := probeTriples(k), wrongness(0)
			for i := 0; i < len(triples); i += 3 {
				of := [3]uint64(triples[i:])
				all := right(k, of)
				c.change(of, &all)
				got |= judge(k, of, func(i int) uint64 { return all[i] })
			}
			if got != c.want {
				t.Errorf("%s, %s: the judge finds %v, want %v", k, c.name, got.texts(), c.want.texts())
			}
		}
	}
}

// TestModes: widths that depend on each other are set together, if the device offers all.
func TestModes(t *testing.T) {
	all, none, only := [3]uint32{1, 1, 1}, [3]uint32{}, [3]uint32{0, 1, 0}
	for _, c := range []struct {
		k            ir.Kind
		independence uint32
		offered      [3]uint32
		want         string
	}{
		{ir.F32, 1, all, "[{4459 32}]"}, {ir.F32, 1, none, "[]"}, {ir.F32, 1, only, "[{4459 32}]"}, {ir.F64, 1, only, "[]"}, {ir.F64, 1, all, "[{4459 64}]"},
		{ir.F32, only32, only, "[{4459 32}]"}, {ir.F64, only32, all, "[{4459 16} {4459 64}]"}, {ir.F64, only32, [3]uint32{0, 0, 1}, "[]"},
		{ir.F32, noneBy, all, "[{4459 16} {4459 32} {4459 64}]"}, {ir.F32, noneBy, only, "[]"},
	} {
		if got := fmt.Sprint(modes(spirv.KeepSubnormals, c.k, c.independence, c.offered)); got != c.want {
			t.Errorf("%+v: the modes are %s", c, got)
		}
	}
}
