package random

import (
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/runtest"
)

var wasmSeeds = randtest.New("wasmseeds", "firstwasm", "random kernels as WebAssembly", 60, 20)

// TestRandomWasm compares random kernels that run as WebAssembly with the oracle, on one thread and three, some of them in debug mode.
func TestRandomWasm(t *testing.T) {
	wasmSeeds.Each(t, func(t *testing.T, seed uint64) {
		v := runtest.Variant{Label: "wasm", Arch: ti.Wasm, Threads: 1 + 2*int(seed/2%2), Layout: runtest.Layout(seed % 5)}
		compareStrictly(t, seed, v)
	})
}

// compareStrictly compares a random kernel in a variant, checked or not, with the oracle, bit for bit.
func compareStrictly(t *testing.T, seed uint64, v runtest.Variant) {
	s := newScene(seed)
	s.exact = true // the oracle is the only judge
	src := randomKernel(s)
	judge := runtest.OracleVariant
	v.Unchecked = s.safe && seed/5%2 == 0
	v.Unrolled = s.unrolled(0)
	if seed%4 == 2 {
		judge.Debug, v.Debug, v.Unchecked = true, true, false
	}
	want := runKernel(t, judge, src, s)
	got := runKernel(t, v, src, s)
	got.compareResults(t, want)
	got.compareFailures(t, want, false)
	if t.Failed() && *reduceWrong {
		src = reduced(src, func(src string) string { return wrongness(t, judge, v, src, s) })
	}
	failWith(t, s, v, src)
}
