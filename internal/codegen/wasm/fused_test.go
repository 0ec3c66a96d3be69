package wasm

import (
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/mathlib"
)

// TestFusedProducts computes fused products of f32 whose sums often lie halfway between two numbers, or nearly so, of all sizes.
func TestFusedProducts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	number := func(exponent int) uint64 { // few digits, or a run of ones
		digits := uint64(1<<23 - 1)
		for range 3 {
			digits &= uint64(random.Uint32())
		}
		switch random.IntN(4) {
		case 0:
			digits = 0
		case 1:
			digits = 1<<23 - 1<<random.IntN(23)
		case 2:
			digits = 1 << random.IntN(23)
		}
		return uint64(random.IntN(2))<<31 | uint64(min(max(exponent, 0), 255))<<23 | digits
	}
	var rows [][]uint64
	var want []uint64
	for len(rows) < 1<<14 {
		a, b := random.IntN(256), random.IntN(256)
		c := a + b - 127 - 50 + random.IntN(100)
		if random.IntN(2) == 0 { // a denormal result, or nearly
			b = 120 - a + random.IntN(30)
		}
		r := []uint64{number(a), number(b), number(c)}
		if random.IntN(8) == 0 { // a product of a little less than half of the least number, beside a denormal one
			a, k := uint64(1+random.IntN(102)), 1+random.IntN(12)
			r = []uint64{a<<23 | 1<<23 - 1<<k, (103-a)<<23 | 1<<(k-1), uint64(random.Uint32() >> 9)}
		}
		rows = append(rows, r)
		want = append(want, mathlib.Eval(ir.OpFma, ir.F32, r...))
	}
	c := opCase{ir.OpFma, []ir.Kind{ir.F32, ir.F32, ir.F32}, ir.F32}
	m := newMachine(t, false)
	start := m.next
	for _, n := range []int{1, 2, 3, 4, 8} {
		m.next = start
		b := newBench()
		var vs []*ir.Value
		for arg := range c.args {
			vs = append(vs, b.Load(ir.Vec(ir.F32, n), b.row(int64(arg), ir.F32, n)))
		}
		b.Store(b.row(3, ir.F32, n), b.OpOf(ir.OpFma, ir.Vec(ir.F32, n), vs...))
		b.end()
		for i, got := range b.runVectors(t, m, c, rows, n) {
			if !same(ir.F32, got, want[i]) {
				t.Errorf("%d lanes: of %x it is %x, want %x", n, rows[i], got, want[i])
				break
			}
		}
	}
}
