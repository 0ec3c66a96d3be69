package quanttest

import (
	"errors"
	"maps"
	"math"
	"testing"

	"github.com/gotaichi/ti"
)

const vectorSource = `
package vectors

var (
	X, Y, Z field[vec3]
	A       field[vec3]
	P       field[vec2]
)

func Scale(a f32) {
	for p := range X {
		X[p] = a * A[p]
	}
}

func Add(a f32) {
	for p := range Y {
		Y[p] += a * A[p]
	}
}

// Twice reads at places found by what is read at places found by P.
func Twice(a f32) {
	for p := range Z {
		i := clamp(p+ivec2(P[p]), 0, Z.shape-1)
		k := clamp(p+ivec2(P[i]), 0, Z.shape-1)
		c := a * A[k]
		for m := range static(3) {
			if p.y%5 == m {
				c[m] = 0.25
			}
		}
		Z[p] = c
	}
}
`

// TestRangesOfVectors counts what loops over two indices store in fields of vectors, by machine code and on the oracle: in strips that
// are not full, with numbers beyond the ends and too small for the form, and in some strips infinite ones and NaNs.
func TestRangesOfVectors(t *testing.T) {
	places := map[string]func(cell *ti.Node, f *ti.Field[ti.Vec3]){
		"fixed": func(cell *ti.Node, f *ti.Field[ti.Vec3]) { cell.BitStruct(32).Place(f, ti.QuantFixed(10, 1)) },
		"stochastic": func(cell *ti.Node, f *ti.Field[ti.Vec3]) {
			cell.BitStruct(32).Place(f, ti.QuantFixed(10, 1).Stochastic())
		},
		"float":  func(cell *ti.Node, f *ti.Field[ti.Vec3]) { cell.BitStruct(64).Place(f, ti.QuantFloat(4, 8)) },
		"shared": func(cell *ti.Node, f *ti.Field[ti.Vec3]) { cell.BitStruct(32).PlaceShared(ti.QuantFloat(5, 9), f) },
	}
	for name, place := range places {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, got := vectorRanges(t, ti.Oracle, place), vectorRanges(t, ti.CPU, place)
			for i, w := range want {
				sameCounts(t, name, got[i], w, 1e-6)
			}
		})
	}
}

func vectorRanges(t *testing.T, arch ti.Arch, place func(*ti.Node, *ti.Field[ti.Vec3])) []ti.RangeReport {
	t.Helper()
	const rows, columns = 64, 66 // a strip for each row, with room for 128
	rt := newRuntime(t, ti.Config{Arch: arch, Threads: 2, StrictMath: true, Seed: 5})
	var s struct {
		X, Y, Z, A ti.Field[ti.Vec3]
		P          ti.Field[ti.Vec2]
		Scale      func(a float32) error
		Add        func(a float32) error
		Twice      func(a float32) error
	}
	for _, f := range []*ti.Field[ti.Vec3]{&s.X, &s.Y, &s.Z} {
		place(rt.NewTree().Dense(ti.IJ, rows, columns), f)
	}
	rt.Place(ti.Shape{rows, columns}, &s.A, &s.P)
	if err := rt.Load(vectorSource, &s); err != nil {
		t.Fatal(err)
	}
	unusual := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 1e-44, float32(math.Copysign(0, -1)), 3e38}
	for k := range rows * columns {
		i, j := k/columns, k%columns
		v := ti.Vec3{float32(math.Sin(float64(k))), float32(math.Cos(float64(3*k)) * math.Ldexp(1, -k%12)), float32(k%7) / 7}
		if i%3 == 0 && k%11 == 0 { // strips without them are counted otherwise
			v[k%3] = unusual[k/11%len(unusual)]
		}
		if i%8 == 1 { // all too low, and nothing else lost
			v = ti.Vec3{-2, -2, -2}
		}
		s.A.Set(v, i, j)
		s.P.Set(ti.Vec2{float32(k%5) - 2, float32(k%9) - 4}, i, j)
	}
	run := func() error {
		for _, f := range []func(float32) error{s.Scale, s.Add, s.Twice} {
			if err := f(0.8); err != nil {
				return err
			}
		}
		return nil
	}
	reports, err := rt.Ranges(run, ti.RangeOptions{}, &s.X, &s.Y, &s.Z)
	if err != nil {
		t.Fatal(err)
	}
	return reports
}

// sameCounts compares what machine code has counted with what the oracle has. The mean errors may differ by a part of the largest: machine
// code adds up in another order, and within a strip in f32.
func sameCounts(t *testing.T, what string, g, w ti.RangeReport, part float64) {
	t.Helper()
	if g.Least != w.Least || g.Largest != w.Largest || g.SmallestMagnitude != w.SmallestMagnitude || !maps.Equal(g.Exponents, w.Exponents) {
		t.Errorf("%s: %s is\n%v\nand on the oracle\n%v", what, w.Field, g, w)
	}
	if len(w.Stores) == 0 || len(g.Stores) != len(w.Stores) {
		t.Fatalf("%s: %s: %d places, %d on the oracle", what, w.Field, len(g.Stores), len(w.Stores))
	}
	for k, s := range w.Stores {
		o := g.Stores[k]
		if o.Total != s.Total || o.Clamped != s.Clamped || o.Flushed != s.Flushed || o.Absorbed != s.Absorbed || o.LargestError != s.LargestError || !maps.Equal(o.Errors, s.Errors) {
			t.Errorf("%s: %s at %s: %+v, and %+v on the oracle", what, w.Field, s.Position, o, s)
		}
		if math.Abs(o.MeanError-s.MeanError) > part*(s.LargestError+1e-30) {
			t.Errorf("%s: %s at %s: mean error %v, and %v on the oracle", what, w.Field, s.Position, o.MeanError, s.MeanError)
		}
	}
}

const cellsSource = `
package cells

var (
	S, T field[f32]
	V    field[vec2, D2]
	A    field[f32]
)

func Run(a f32) {
	for i := range S {
		S[i] = a * A[i]
	}
	for i := range T {
		T[i] += a * A[i]
	}
	for i, j := range V {
		V[i][j] = a * vec2(A[i*8+j], A[j])
	}
}
`

// TestRangesOfCells counts what loops over the cells of sparse trees store, block by block, by machine code and on the oracle.
func TestRangesOfCells(t *testing.T) {
	run := func(arch ti.Arch) []ti.RangeReport {
		rt := newRuntime(t, ti.Config{Arch: arch, Threads: 2, StrictMath: true})
		var s struct {
			S, T, A ti.Field[float32]
			V       ti.Field[ti.Vec2]
			Run     func(a float32) error
		}
		const blocks, size = 6, 64
		rt.NewTree().Pointer(ti.I, blocks).Dense(ti.I, size).Place(&s.S)
		rt.NewTree().Pointer(ti.I, blocks).Dense(ti.I, size).BitStruct(16).Place(&s.T, ti.QuantFixed(16, 2))
		rt.NewTree().Pointer(ti.IJ, blocks, 1).Dense(ti.IJ, 8, 8).BitStruct(32).Place(&s.V, ti.QuantFixed(12, 2))
		rt.Place(ti.Shape{blocks * size}, &s.A)
		if err := rt.Load(cellsSource, &s); err != nil {
			t.Fatal(err)
		}
		for i := range blocks * size {
			a := float32(math.Sin(float64(i)) * math.Ldexp(1, -i%17))
			switch i {
			case 70:
				a = float32(math.NaN())
			case 200:
				a = 5
			}
			s.A.Set(a, i)
		}
		for _, b := range []int{0, 1, 3, 5} {
			s.S.Set(1, b*size)
			s.T.Set(0.5, b*size+b)
			s.V.Set(ti.Vec2{0.25, 1}, b*8, b)
		}
		reports, err := rt.Ranges(func() error { return errors.Join(s.Run(0.7), s.Run(-0.3)) }, ti.RangeOptions{}, &s.S, &s.T, &s.V)
		if err != nil {
			t.Fatal(err)
		}
		return reports
	}
	want, got := run(ti.Oracle), run(ti.CPU)
	for i, w := range want {
		sameCounts(t, "cells", got[i], w, 1e-6)
	}
}
