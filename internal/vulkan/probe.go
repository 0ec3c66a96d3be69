package vulkan

import (
	"math"
	"math/rand/v2"

	"github.com/gotaichi/ti/internal/codegen/spirv"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
)

// This file has the numbers with which floats are probed, and the judge of what comes out.

// probeCount is how many triples there are, a multiple of the threads of a workgroup.
const probeCount = 64 * launch.DispatchThreads

// probeTriples are the bits of three numbers for each thread.
func probeTriples(k ir.Kind) (all []uint64) {
	r := rand.New(rand.NewPCG(0x7469, uint64(k.Bits())))
	for i := range probeCount {
		a, b, c := probeTriple(r, k, i)
		all = append(all, a, b, c)
	}
	return all
}

// probeTriple draws numbers whose quotient, root, sum and product are hard to round, or subnormal.
func probeTriple(r *rand.Rand, k ir.Kind, i int) (a, b, c uint64) {
	digits, least := map[ir.Kind]int{ir.F32: 24, ir.F64: 53}[k], map[ir.Kind]int{ir.F32: -149, ir.F64: -1074}[k]
	bits := func(v float64) uint64 { return ir.FloatBits(k, v) }
	random := func() uint64 { return r.Uint64() >> (64 - k.Bits()) }
	normal := func(spread int) float64 { return math.Ldexp(1+r.Float64(), r.IntN(2*spread+1)-spread) }
	odd := func() float64 { return 1 + math.Ldexp(float64(r.Int64N(1<<(digits-1))|1), -digits) } // with a bit more than there is room for, as far as f64 has it
	sign := random() & (1 << (k.Bits() - 1))
	switch i % 8 {
	case 0: // any at all: infinities and NaNs too
		return random(), random(), random()
	case 1: // the quotient is near the middle between two numbers
		b := ir.FloatValue(k, bits(normal(30)))
		return bits(b*odd()) ^ sign, bits(b), bits(normal(3))
	case 2: // so is the root
		s := odd() * math.Ldexp(1, r.IntN(60)-30)
		return bits(s * s), bits(normal(2)), bits(normal(9))
	case 3: // subnormal operands
		return random()&(1<<(digits-1)-1) ^ sign, random() & (1<<(digits-1) - 1), bits(1)
	case 4: // a subnormal product, and quotient
		a := normal(20)
		return bits(a) ^ sign, bits(math.Ldexp(r.Float64()+1, least+r.IntN(digits)) / a), bits(0)
	case 5: // the product and c nearly cancel each other, so that fusing them shows
		x, y := ir.FloatValue(k, bits(normal(9))), ir.FloatValue(k, bits(normal(9)))
		return bits(x), bits(y), bits(-x * y)
	case 6: // far from each other
		return bits(math.Ldexp(normal(2), -least/2-20)) ^ sign, bits(math.Ldexp(normal(2), -least*5/6)), bits(normal(2))
	}
	return bits(normal(40)) ^ sign, bits(normal(40)), bits(normal(40))
}

// judge says what is wrong with the results of a thread.
func judge(k ir.Kind, of [3]uint64, result func(int) uint64) (w wrongness) {
	a, b, c := ir.FloatValue(k, of[0]), ir.FloatValue(k, of[1]), ir.FloatValue(k, of[2])
	var want [spirv.ProbeResults]uint64
	less := uint64(0)
	if a < b {
		less = 1
	}
	product := rounded(k, a*b, func() float32 { return float32(a) * float32(b) })
	of32 := [3]float32{float32(a), float32(b), float32(c)}
	want[spirv.ProbeQuotient] = rounded(k, a/b, func() float32 { return of32[0] / of32[1] })
	want[spirv.ProbeRoot] = rounded(k, math.Sqrt(a), func() float32 { return float32(math.Sqrt(a)) })
	want[spirv.ProbeSum] = rounded(k, a+b, func() float32 { return of32[0] + of32[1] })
	want[spirv.ProbeProduct] = product
	p := ir.FloatValue(k, product)
	want[spirv.ProbeBoth] = rounded(k, p+c, func() float32 { return float32(p) + of32[2] })
	want[spirv.ProbeLess] = less
	for i, v := range want {
		got := result(i)
		if got == v || i != spirv.ProbeLess && isNaN(k, got) && isNaN(k, v) {
			continue
		}
		used := map[int][]uint64{spirv.ProbeRoot: {of[0]}, spirv.ProbeBoth: {of[0], of[1], of[2], product}}[i]
		if used == nil {
			used = of[:2]
		}
		w |= whyWrong(k, i, append(used[:len(used):len(used)], v))
	}
	return w
}

// whyWrong says what is wrong with a result, given the numbers that have to do with it.
func whyWrong(k ir.Kind, result int, all []uint64) wrongness {
	switch result {
	case spirv.ProbeQuotient:
		return wrongQuotients
	case spirv.ProbeRoot:
		return wrongRoots
	}
	for i, v := range all {
		if isSubnormal(k, v) && !(result == spirv.ProbeLess && i == len(all)-1) {
			return wrongSubnormals
		}
	}
	if result == spirv.ProbeBoth {
		return wrongContraction
	}
	return wrongRounding
}

// rounded are the bits of a result that was computed for the kind.
func rounded(k ir.Kind, wide float64, narrow func() float32) uint64 {
	if k == ir.F32 {
		return uint64(math.Float32bits(narrow()))
	}
	return math.Float64bits(wide)
}

func isNaN(k ir.Kind, bits uint64) bool { return math.IsNaN(ir.FloatValue(k, bits)) }

func isSubnormal(k ir.Kind, bits uint64) bool {
	abs, least := bits&(1<<(k.Bits()-1)-1), map[ir.Kind]uint64{ir.F32: 1 << 23, ir.F64: 1 << 52}[k]
	return abs != 0 && abs < least
}
