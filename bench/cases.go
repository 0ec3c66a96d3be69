package main

import (
	"embed"
	"fmt"

	"github.com/gotaichi/ti"
)

//go:embed kernels/*.ti
var kernels embed.FS

// A benchmark is a case of the suite.
type benchmark struct {
	name string
	want float64 // the checksum
	tol  float64 // by how much a checksum may differ, relative

	// peerTol, if not 0, is the tolerance for peers that add up with less precision.
	peerTol float64

	start func(rt *ti.Runtime) (*trial, error)
}

// A trial is a benchmark made ready on a runtime: compiled, its data in place.
type trial struct {
	launch func() error            // what is timed
	per    int                     // kernel launches in one call of launch
	long   bool                    // measured for 3 seconds and at least 3 times
	check  func() (float64, error) // starts from fresh data, launches once and returns the checksum
}

// benchmarks is the suite, in the order in which it runs.
var benchmarks = []benchmark{
	{name: "launch_empty", want: 0, start: launchEmpty},
	{name: "launch_small", want: 1024, start: launchSmall},
	{name: "saxpy", want: 33537486.2, tol: 1e-6, start: saxpy(1 << 24)},
	{name: "saxpy_l2", want: 130757.763, tol: 1e-6, start: saxpy(1 << 16)},
	{name: "reduce_sum", want: 8380134.7, tol: 1e-5, peerTol: 1e-3, start: reduceSum},
	{name: "reduce_max", want: 1.00000203, tol: 1e-6, start: reduceMax},
	{name: "math_sin_exp", want: 7078675.08, tol: 1e-5, start: mathSinExp},
	{name: "math_pow", want: 9099897.82, tol: 1e-5, start: mathPow},
	{name: "stencil2d", want: 27762645.7, tol: 1e-5, start: stencil2d},
	{name: "stencil3d", want: 1075810.23, tol: 1e-5, start: stencil3d(true)},
	{name: "stencil3d_flat", want: 1075810.23, tol: 1e-5, start: stencil3d(false)},
	{name: "julia", want: 1700457.27, tol: 1e-4, start: julia},
	{name: "mpm88", want: 6247.18594, tol: 1e-4, start: mpm88},
	{name: "nbody", want: 8.15026212, tol: 1e-4, start: nbody},
	{name: "life", want: 7857666, start: life},
	{name: "histogram", want: 274877906944, start: histogram},
	{name: "svd3", want: 154074.342, tol: 1e-4, start: singular},
	{name: "mat4_chain", want: 4355794.06, tol: 1e-5, start: matrices},
	{name: "monte_carlo_pi", want: 3.14, start: monteCarloPi},
	{name: "sparse_activate", want: 1382224, start: sparseActivate},
	{name: "sparse_iterate", want: 2764448, start: sparseIterate},
	{name: "sparse_stencil", want: 2303814.72, tol: 1e-5, start: sparseStencil},
	{name: "sparse_bitmasked", want: 4194304, start: sparseBitmasked},
	{name: "dynamic_append", want: 549755289600, start: dynamicAppend},
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

// inOrder calls functions until one fails.
func inOrder(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
