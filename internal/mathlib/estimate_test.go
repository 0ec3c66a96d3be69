package mathlib

import (
	"math"
	"runtime"
	"sync"
	"testing"
	"unsafe"

	codegen "github.com/gotaichi/ti/internal/codegen/llvm"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/llvm/llvmtest"
	"github.com/gotaichi/ti/internal/target"
)

// newEstimateLoop compiles out[i] = EstimateRsqrt(x[i]), for packets of lanes elements.
func newEstimateLoop(t *testing.T, lanes int) loop {
	t.Helper()
	lib := llvmtest.Library(t)
	if traits := codegen.New(lib).Traits(); !traits.Provides(target.Estimates) {
		t.Skip("this processor has no estimates")
	}
	kernel := loopKernel(ir.OpRsqrt, ir.F32)
	for _, o := range kernel.Tasks[0].Body.Ops {
		switch o.Code {
		case ir.OpMul:
			o.Args[1].Def.Bits *= uint64(lanes)
		case ir.OpLoad:
			o.Result().Type = ir.Vec(ir.F32, lanes)
		}
	}
	b := ir.NewBuilder(&ir.Block{})
	for _, o := range kernel.Tasks[0].Body.Ops {
		if o.Code != ir.OpRsqrt {
			b.Emit(o)
			continue
		}
		kernel.Tasks[0].Body.Ops[len(kernel.Tasks[0].Body.Ops)-2].Args[1] = EstimateRsqrt(b, o.Args[0])
	}
	kernel.Tasks[0].Body.Ops = b.Block.Ops
	return compileLoop(t, lib, kernel, target.Traits{VectorBits: 512})
}

// TestEstimateRsqrt compares 1/√x in packets with f64: with -long for every f32, else for one
// in a thousand, and for the numbers around powers of two and the special ones.
func TestEstimateRsqrt(t *testing.T) {
	const chunk = 1 << 16
	step := uint64(1009)
	if *long {
		step = 1
	}
	for _, lanes := range []int{EstimateLanes, 2 * EstimateLanes} {
		l := newEstimateLoop(t, lanes)
		var mu sync.Mutex
		var wg sync.WaitGroup
		next, most, at := uint64(0), 0.0, float32(0)
		check := func(x, out []float32) {
			l.run(len(x)/lanes, unsafe.Pointer(&x[0]), nil, nil, unsafe.Pointer(&out[0]))
			for i, v := range out {
				want := 1 / math.Sqrt(float64(x[i]))
				if u := ulps32(v, want); u > 0 {
					mu.Lock()
					if u > most {
						most, at = u, x[i]
					}
					mu.Unlock()
				} else if v == 0 && math.Signbit(float64(v)) != math.Signbit(want) {
					t.Errorf("the sign of 1/√%v is wrong", x[i])
				}
			}
		}
		for range runtime.GOMAXPROCS(0) {
			wg.Go(func() {
				x, out := make([]float32, chunk), make([]float32, chunk)
				for {
					mu.Lock()
					first := next
					next += chunk * step
					mu.Unlock()
					if first > math.MaxUint32 {
						return
					}
					for i := range x {
						x[i] = math.Float32frombits(uint32(first + uint64(i)*step))
					}
					check(x, out)
				}
			})
		}
		wg.Wait()
		var x []float32
		for exp := range uint32(512) { // with both signs
			for d := range uint32(64) {
				x = append(x, math.Float32frombits(exp<<23+d-32))
			}
		}
		check(x, make([]float32, len(x)))
		t.Logf("%d lanes: %.3f ulp at %x", lanes, most, at)
		if most > maxULP {
			t.Errorf("%d lanes: the error is %.3f ulp at %x, at most %d are allowed", lanes, most, at, maxULP)
		}
	}
}
