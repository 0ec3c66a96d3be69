package autodiff_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti/internal/autodiff/madeup"
)

var (
	seeds = flag.Int("seeds", 60, "random kernels to differentiate")
	first = flag.Uint64("first", 1, "seed of the first of them")
)

// TestRandomKernels differentiates kernels that are made up, with all kinds of control flow.
func TestRandomKernels(t *testing.T) { randomKernels(t, madeup.Kernel) }

// TestRandomExtrema does so with minima and maxima over iterations.
func TestRandomExtrema(t *testing.T) { randomKernels(t, madeup.Extrema) }

// TestRandomStencils does so with neighbours.
func TestRandomStencils(t *testing.T) { randomKernels(t, madeup.Stencil) }

func randomKernels(t *testing.T, kernel func(seed uint64) string) {
	for n := range *seeds {
		seed := *first + uint64(n)
		source := kernel(seed)
		ok := t.Run(fmt.Sprint(seed), func(t *testing.T) {
			k := lowered(t, source)
			back, err := adjoint(t, k)
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(seed, 1))
			x := make([]float64, 6)
			for i := range x {
				x[i] = rng.Float64()*2 - 1
			}
			compare(t, k, back, x, rng)
			compareForward(t, k, x, rng)
		})
		if !ok {
			t.Log(source)
		}
	}
}
