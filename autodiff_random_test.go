package ti_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/autodiff/madeup"
)

var (
	gradSeeds = flag.Int("gradseeds", 6, "made-up kernels whose compiled adjoints are compared with interpreted ones")
	firstGrad = flag.Uint64("firstgrad", 1, "seed of the first of them")
)

type made struct {
	X, Y, Z ti.Field[float64]
	N       ti.Field[int32]
	L       ti.Field[float64]
	M       ti.Field[float64]
	K       func() error
	Sum     func() error
}

const madeHeader = `
package made

var (
	X, Y, Z field[f64, D1]
	N       field[i32, D1]
	L       field[f64, D0]
	M       field[f64, D2]
)

// Sum makes all that K computes part of the loss.
func Sum() {
	for i := range Y {
		L += Y[i]*f64(i+1) - Z[i]*sin(f64(i))
	}
	for i, j := range M {
		L += M[i][j]*f64(i-j)
	}
}

`

// TestRandomAdjoints compares the gradients of made-up kernels in compiled code with those that the interpreter gives.
func TestRandomAdjoints(t *testing.T) {
	for n := range *gradSeeds {
		seed := *firstGrad + uint64(n/2)
		source := madeHeader + []func(seed uint64) string{madeup.Kernel, madeup.Extrema}[n%2](seed)
		rng := rand.New(rand.NewPCG(seed, 2))
		x := make([]float64, 6)
		for i := range x {
			x[i] = rng.Float64()*2 - 1
		}
		want := gradientOf(t, ti.Config{Arch: ti.Oracle, Float: 64}, source, x)
		for _, threads := range []int{1, 3} {
			got := gradientOf(t, ti.Config{Arch: ti.LLVM, Threads: threads, Float: 64}, source, x)
			for i := range want {
				if !(math.Abs(got[i]-want[i]) <= 1e-9*(math.Abs(want[i])+1)) {
					t.Errorf("seed %d, %d threads: derivative %d is %v and not %v\n%s", seed, threads, i, got[i], want[i], source)
				}
			}
		}
	}
}

func gradientOf(t *testing.T, cfg ti.Config, source string, x []float64) []float64 {
	t.Helper()
	rt := newRuntime(t, cfg)
	defer func() { must(t, rt.Close()) }()
	m := new(made)
	rt.Place(ti.Shape{6}, ti.WithGrad(&m.X, &m.Y, &m.Z)...)
	rt.Place(ti.Shape{6}, &m.N)
	rt.Place(ti.Shape{3, 4}, ti.WithGrad(&m.M)...)
	rt.Place(nil, ti.WithGrad(&m.L)...)
	if err := rt.Load(source, m); err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	must(t, m.X.CopyFrom(x))
	for i := range 6 {
		m.N.Set(int32(i*5%4), i)
	}
	must(t, rt.Tape(&m.L, func() error {
		if err := m.K(); err != nil {
			return fmt.Errorf("%w\n%s", err, source)
		}
		return m.Sum()
	}))
	g := make([]float64, 6)
	must(t, m.X.Grad().CopyTo(g))
	return g
}
