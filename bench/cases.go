package main

import (
	"embed"
	"fmt"
	"time"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/bench/internal/suite"
)

//go:embed kernels/*.ti
var kernels embed.FS

// benchmarks is the suite, in the order in which it runs.
var benchmarks = []suite.Case{
	{Name: "launch_empty", Want: 0, Start: launchEmpty},
	{Name: "launch_small", Want: 1024, Start: launchSmall},
	{Name: peakMemoryCase, Want: 8380.1347, Tol: 1e-4, Start: peakRead(summed)},
	{Name: peakCacheCase, Want: 1047.46298, Tol: 1e-4, Start: peakRead(cached)},
	{Name: peakFlopsCase, Want: 20490.0195, Tol: 1e-4, Start: peakFlops},
	{Name: "saxpy", Want: 33537486.2, Tol: 1e-6, Start: saxpy(1 << 24)},
	{Name: "saxpy_l2", Want: 130757.763, Tol: 1e-6, Start: saxpy(1 << 16)},
	{Name: "reduce_sum", Want: 8380134.7, Tol: 1e-5,
		PeerTol: 1e-3, Start: reduceSum},
	{Name: "reduce_max", Want: 1.00000203, Tol: 1e-6, Start: reduceMax},
	{Name: "math_sin_exp", Want: 7078675.08, Tol: 1e-5, Start: mathSinExp},
	{Name: "math_pow", Want: 9099897.82, Tol: 1e-5, Start: mathPow},
	{Name: "stencil2d", Want: 27762645.7, Tol: 1e-5, Start: stencil2d},
	{Name: "stencil3d", Want: 1075810.23, Tol: 1e-5, Start: stencil3d(true)},
	{Name: "stencil3d_flat", Want: 1075810.23, Tol: 1e-5, Start: stencil3d(false)},
	{Name: "julia", Want: 1700457.27, Tol: 1e-4, Start: julia},
	{Name: "mpm88", Want: 6247.18594, Tol: 1e-4, Budget: suite.Budget{Least: 3, For: 3 * time.Second}, Start: mpm88},
	{Name: "nbody", Want: 8.15026212, Tol: 1e-4, Start: nbody},
	{Name: "life", Want: 7857666, Start: life},
	{Name: "histogram", Want: 274877906944, Start: histogram},
	{Name: "svd3", Want: 154074.342, Tol: 1e-4, Start: singular},
	{Name: "mat4_chain", Want: 4355794.06, Tol: 1e-5, Start: matrices},
	{Name: "monte_carlo_pi", Want: 3.14, Start: monteCarloPi},
	{Name: "sparse_activate", Want: 1382224, Start: sparseActivate},
	{Name: "sparse_iterate", Want: 2764448, Start: sparseIterate},
	{Name: "sparse_stencil", Want: 2303814.72, Tol: 1e-5, Start: sparseStencil},
	{Name: "sparse_bitmasked", Want: 4194304, Start: sparseBitmasked},
	{Name: "dynamic_append", Want: 549755289600, Start: dynamicAppend},
	{Name: "autodiff_springs", Want: -641.92441, Tol: 1e-5, Start: autodiffSprings},
	{Name: "autodiff_wave", Want: 0.0154834, Tol: 1e-4, PeerTol: 1e-3, Start: autodiffWave},
	{Name: "autodiff_smoke", Want: 0.00152338, Tol: 1e-3, Start: autodiffSmoke},
	{Name: "autodiff_mpm", Want: 0.0112954, Tol: 1e-3, Start: autodiffMPM},
	{Name: "autodiff_billiards", Want: 2.531599, Tol: 1e-2, Start: autodiffBilliards},
	{Name: "autodiff_electric", Want: 1356.72, Tol: 1e-2, Start: autodiffElectric},
	{Name: "autodiff_massspring", Want: 0.02023995, Tol: 1e-2, Start: autodiffMassSpring},
	{Name: "autodiff_convolution", Want: 9.0812774e+11, Tol: 1e-4, Start: autodiffConvolution},
	{Name: "autodiff_dense", Want: 7749957.8, Tol: 1e-4, Start: autodiffDense},
	{Name: "autodiff_attention", Want: 0.0077832437, Tol: 1e-4, Start: autodiffAttention},
	{Name: "autodiff_rigidbody", Want: 0.00122487, Tol: 1e-2, Start: autodiffRigidBody},
}

// load compiles a file of kernels/ for a host and waits until its kernels are ready.
func load(rt *ti.Runtime, file string, host any) error {
	text, err := kernels.ReadFile("kernels/" + file)
	if err != nil {
		return fmt.Errorf("the benchmark's kernel is not in the program: %w", err)
	}
	_, err = rt.Compile(ti.Text(file, string(text)), host)
	return err
}

// total adds up a term for each element of a field, in double precision.
func total[T any](f *ti.Field[T], term func(T) float64) (float64, error) {
	n := 1
	for _, extent := range f.Shape() {
		n *= extent
	}
	data := make([]T, n)
	if err := f.CopyTo(data); err != nil {
		return 0, err
	}
	s := 0.0
	for _, v := range data {
		s += term(v)
	}
	return s, nil
}

// plain and square are terms of a total.
func plain(v float32) float64  { return float64(v) }
func square(v float32) float64 { return float64(v) * float64(v) }
