package quanttest

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/gotaichi/ti"
)

// TestCopiesOfPlain copies fields whose elements do not follow each other: every bit arrives, of NaNs and in the gaps of
// structs, too.
func TestCopiesOfPlain(t *testing.T) { inBothWays(t, testCopiesOfPlain) }

func testCopiesOfPlain(t *testing.T, rt *ti.Runtime) {
	type inner struct {
		A uint8
		B float64
	}
	type gappy struct {
		A int8
		B inner
		C [3]float32
		D bool
	}
	var x, y ti.Field[float32]
	var d ti.Field[float64]
	var h ti.Field[ti.Float16]
	var g ti.Field[gappy]
	var l ti.Field[int64]
	var c ti.Field[uint8]
	var m ti.Field[ti.Mat3]
	rt.NewTree().Dense(ti.IJ, 30, 50).Place(&x, &y, &d, &h, &l, &c)
	rt.NewTree().Origin(ti.IJ, -7, 2).Dense(ti.IJ, 4, 4).Dense(ti.IJ, 8, 8).Place(&g, &m)
	bits := func(r *rand.Rand) float32 {
		return []float32{math.Float32frombits(0x7f800001), math.Float32frombits(0xffc12345), float32(math.Inf(-1)), float32(math.Copysign(0, -1)), math.Float32frombits(1), 1}[r.IntN(6)]
	}
	r := rand.New(rand.NewPCG(1, 2))
	src, got := make([]float32, 1500), make([]float32, 1500)
	for i := range src {
		src[i] = bits(r)
	}
	same := func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }
	if err := x.CopyFrom(src); err != nil {
		t.Fatal(err)
	}
	y.Fill(3)
	if err := x.CopyTo(got); err != nil || !slices.EqualFunc(got, src, same) || !same(x.At(1, 7), src[57]) {
		t.Fatalf("bits of numbers are lost, %v", err)
	}
	halves, back := make([]ti.Float16, 1500), make([]ti.Float16, 1500)
	for i := range halves {
		halves[i] = ti.Float16(r.Uint32())
	}
	if err := errors.Join(h.CopyFrom(halves), h.CopyTo(back)); err != nil || !slices.Equal(back, halves) {
		t.Fatalf("bits of half numbers are lost, %v", err)
	}
	copies(t, "f64", &d, func(r *rand.Rand) float64 { return r.NormFloat64() })
	copies(t, "i64", &l, func(r *rand.Rand) int64 { return int64(r.Uint64()) })
	copies(t, "u8", &c, func(r *rand.Rand) uint8 { return uint8(r.Uint32()) })
	copies(t, "matrices", &m, func(r *rand.Rand) (m ti.Mat3) {
		for i := range m {
			for j := range m[i] {
				m[i][j] = r.Float32()
			}
		}
		return m
	})
	copies(t, "a struct", &g, func(r *rand.Rand) gappy {
		return gappy{int8(r.Uint32()), inner{uint8(r.Uint32()), r.Float64()}, [3]float32{r.Float32(), 2, r.Float32()}, r.IntN(2) > 0}
	})
	if y.At(3, 3) != 3 {
		t.Error("a field beside others was changed")
	}
}

const copiedSource = `
package p

var X field[f32]

func Draw() {
	for i := range X {
		X[i] = random()
	}
}

func Print() {
	print(X[0])
}
`

// copied is the host of copiedSource.
type copied struct {
	X           ti.Field[float32]
	Draw, Print func() error
}

func newCopied(t *testing.T, cfg ti.Config, n int) (*ti.Runtime, *copied) {
	t.Helper()
	rt := newRuntime(t, cfg)
	s := new(copied)
	rt.NewTree().Dense(ti.I, n).BitStruct(16).Place(&s.X, ti.QuantFixed(16, 1))
	if err := rt.Load(copiedSource, s); err != nil {
		t.Fatal(err)
	}
	return rt, s
}

// TestCopiesLeaveNoTrace checks that copies by kernels change neither random numbers nor counts of launches, nor appear
// in a profile.
func TestCopiesLeaveNoTrace(t *testing.T) {
	t.Setenv("TI_COPY_FROM", "1")
	draw := func(copying bool) ([]float32, ti.Stats) {
		rt, s := newCopied(t, ti.Config{Seed: 5}, 100)
		x := make([]float32, 100)
		p, err := rt.Profile(func() error {
			for range 3 {
				if err := s.Draw(); err != nil {
					return err
				}
				if !copying {
					continue
				}
				if err := errors.Join(s.X.CopyTo(x), s.X.CopyFrom(x)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range p {
			if task.Kernel != "Draw" {
				t.Errorf("the profile has task %s of %s", task.Task, task.Kernel)
			}
		}
		for i := range x {
			x[i] = s.X.At(i)
		}
		return x, rt.Stats()
	}
	want, plain := draw(false)
	got, with := draw(true)
	if !slices.Equal(got, want) {
		t.Error("copies change the random numbers of later launches")
	}
	if with.Launches != plain.Launches || with.Tasks != plain.Tasks {
		t.Errorf("%d launches of %d tasks with copies, %d of %d without", with.Launches, with.Tasks, plain.Launches, plain.Tasks)
	}
}

// copyWriter copies a field whenever something is printed, which happens within a launch.
type copyWriter struct {
	f   *ti.Field[float32]
	x   []float32
	err error
}

func (w *copyWriter) Write(b []byte) (int, error) {
	w.err = errors.Join(w.err, w.f.CopyTo(w.x), w.f.CopyFrom(w.x))
	return len(b), nil
}

// TestCopiesWithinLaunches copies a field while a launch holds the threads: it does not wait for that.
func TestCopiesWithinLaunches(t *testing.T) {
	t.Setenv("TI_COPY_FROM", "1")
	w := &copyWriter{x: make([]float32, 100)}
	_, s := newCopied(t, ti.Config{Stdout: w}, 100)
	w.f = &s.X
	s.X.Fill(0.5)
	if err := errors.Join(s.Print(), s.X.CopyTo(w.x), s.Print()); err != nil || w.err != nil || w.x[99] != 0.5 {
		t.Fatal(err, w.err, w.x[99])
	}
}

// TestCopiesAndClose closes trees and runtimes while others copy their fields.
func TestCopiesAndClose(t *testing.T) {
	t.Setenv("TI_COPY_FROM", "1")
	for turn := range 6 {
		rt, s := newCopied(t, ti.Config{Stdout: io.Discard}, 1<<16)
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				x := make([]float32, 1<<16)
				for {
					err := s.X.CopyFrom(x)
					if err == nil {
						err = s.X.CopyTo(x)
					}
					if errors.Is(err, ti.ErrClosed) {
						return
					}
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		for range turn {
			_ = s.Draw()
		}
		closed := rt.Close
		if turn%2 == 0 {
			closed = s.X.Tree().Close
		}
		if err := closed(); err != nil {
			t.Error(err)
		}
		wg.Wait()
	}
}

// BenchmarkCopies copies packed fields beside plain ones, all in memory that was touched before: by kernels, or by Go with
// TI_COPY_FROM=1000000000.
func BenchmarkCopies(b *testing.B) {
	for _, n := range []int{1 << 20, 1 << 26} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { benchmarkCopies(b, n) })
	}
}

func benchmarkCopies(b *testing.B, n int) {
	rt := newRuntime(b, ti.Config{})
	data, whole, vecs := make([]float32, n), make([]int32, n), make([]ti.Vec3, n)
	for i := range data {
		data[i], whole[i] = float32(math.Sin(float64(i))), int32(i%7)
		vecs[i] = ti.Vec3{data[i], -data[i] / 2, data[i] * 3}
	}
	real := func(name string, place func(n *ti.Node, f *ti.Field[float32])) {
		f := new(ti.Field[float32])
		place(rt.NewTree().Dense(ti.I, n), f)
		copyBoth(b, name, f, data)
	}
	real("f32", func(n *ti.Node, f *ti.Field[float32]) { n.Place(f) })
	real("f32 beside another", func(n *ti.Node, f *ti.Field[float32]) { n.Place(f, new(ti.Field[float32])) })
	for _, q := range []ti.Quant{ti.QuantFixed(16, 8), ti.QuantFixed(32, 8), ti.QuantFloat(8, 22), ti.QuantFloat(5, 11)} {
		bits := 16
		if q.Bits() > bits {
			bits = 32
		}
		real(q.String(), func(n *ti.Node, f *ti.Field[float32]) { n.BitStruct(bits).Place(f, q) })
	}
	real("fixed(16,8) beside another", func(n *ti.Node, f *ti.Field[float32]) {
		n.BitStruct(32).Place(f, ti.QuantFixed(16, 8)).Place(new(ti.Field[float32]), ti.QuantFixed(16, 8))
	})
	vector := func(name string, place func(n *ti.Node, f *ti.Field[ti.Vec3])) {
		f := new(ti.Field[ti.Vec3])
		place(rt.NewTree().Dense(ti.I, n), f)
		copyBoth(b, name, f, vecs)
	}
	vector("vec3", func(n *ti.Node, f *ti.Field[ti.Vec3]) { n.Place(f) })
	vector("vec3 shared float(6,19)", func(n *ti.Node, f *ti.Field[ti.Vec3]) { n.BitStruct(64).PlaceShared(ti.QuantFloat(6, 19), f) })
	vector("vec3 shared float(5,9)", func(n *ti.Node, f *ti.Field[ti.Vec3]) { n.BitStruct(32).PlaceShared(ti.QuantFloat(5, 9), f) })
	vector("vec3 fixed(21,8)", func(n *ti.Node, f *ti.Field[ti.Vec3]) { n.BitStruct(64).Place(f, ti.QuantFixed(21, 8)) })
	integer := func(name string, place func(t *ti.Tree, f *ti.Field[int32])) {
		f := new(ti.Field[int32])
		place(rt.NewTree(), f)
		copyBoth(b, name, f, whole)
	}
	integer("i32", func(t *ti.Tree, f *ti.Field[int32]) { t.Dense(ti.I, n).Place(f) })
	integer("int(15)", func(t *ti.Tree, f *ti.Field[int32]) { t.Dense(ti.I, n).BitStruct(16).Place(f, ti.QuantInt(15)) })
	for _, bits := range []int{1, 4} {
		integer(fmt.Sprintf("array of int(%d)", bits), func(t *ti.Tree, f *ti.Field[int32]) {
			t.Dense(ti.I, n*bits/32).BitArray(32, ti.I, 32/bits).Place(f, ti.QuantInt(bits).Unsigned())
		})
	}
	f := new(ti.Field[float32])
	rt.NewTree().Dense(ti.I, n/4).BitArray(64, ti.I, 4).Place(f, ti.QuantFixed(16, 8))
	copyBoth(b, "array of fixed(16,8)", f, data)
}

// copyBoth copies a field to data and back.
func copyBoth[T any](b *testing.B, name string, f *ti.Field[T], data []T) {
	for _, way := range []struct {
		name string
		copy func([]T) error
	}{{"to", f.CopyTo}, {"from", f.CopyFrom}} {
		for range 5 { // so that all memory is there, and the kernel
			_ = way.copy(data)
		}
		b.Run(name+"/"+way.name, func(b *testing.B) {
			for b.Loop() {
				if err := way.copy(data); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(data)), "ns/element")
		})
	}
}
