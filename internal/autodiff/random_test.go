package autodiff_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti/internal/autodiff/madeup"
	"github.com/gotaichi/ti/internal/randtest"
)

var seeds = randtest.New("seeds", "first", "random kernels to differentiate", 8, 8)

// TestRandomKernels compares derivatives of kernels that are made up, with all kinds of control flow. Each is also differentiated
// without one of the parts of the compiler that concern adjoints.
func TestRandomKernels(t *testing.T) { randomKernels(t, madeup.Kernel, 1e-10) }

// TestRandomExtrema does so with minima and maxima over iterations.
func TestRandomExtrema(t *testing.T) { randomKernels(t, madeup.Extrema, 1e-10) }

// TestRandomStencils does so with neighbours.
func TestRandomStencils(t *testing.T) { randomKernels(t, madeup.Stencil, 1e-10) }

// TestRandomGrids does so with neighbours along two axes.
func TestRandomGrids(t *testing.T) { randomKernels(t, madeup.Grid, 1e-10) }

// TestRandomRereads does so with loops that read elements several times. They have many iterations, so fewer of them are tried.
func TestRandomRereads(t *testing.T) {
	randomKernelsOf(t, max(1, seeds.Count()/4), madeup.Reread, 1e-10)
}

// TestRandomPrograms does so with all that a kernel may hold, in f64.
func TestRandomPrograms(t *testing.T) {
	randomKernels(t, func(seed uint64) string { return madeup.Program(seed, "f64") }, 1e-10)
}

// TestRandomMixed does so with f32 and f64 mixed, where each product of derivatives is rounded to f32, and a
// comparison may come out in another way.
func TestRandomMixed(t *testing.T) {
	randomKernels(t, func(seed uint64) string { return madeup.Program(seed, "f32") }, 1e-4)
}

func randomKernels(t *testing.T, kernel func(seed uint64) string, tolerance float64) {
	randomKernelsOf(t, seeds.Count(), kernel, tolerance)
}

// randomKernelsOf does so for this number of seeds.
func randomKernelsOf(t *testing.T, count uint, kernel func(seed uint64) string, tolerance float64) {
	for n := range count {
		seed := seeds.First() + uint64(n)
		source := kernel(seed)
		ok := t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 1))
			x := make([]float64, 6)
			for i := range x {
				x[i] = rng.Float64()*2 - 1
			}
			newSubject(t, source, manners[seed%uint64(len(manners))]).agree(t, x, rng, tolerance)
		})
		if !ok {
			t.Log(source)
		}
	}
}
