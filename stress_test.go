package ti_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/gotaichi/ti"
	codegen "github.com/gotaichi/ti/internal/codegen/llvm"
	"github.com/gotaichi/ti/internal/titest"
)

// stressSource has kernels of most kinds: with fields, reductions, memory of the
// caller, printed text, and compile-time parameters. %d is a number that makes
// programs differ.
const stressSource = `package p

var (
	X, Y field[f32]
	N    i32
)

func Step(a f32) {
	for i := range X {
		Y[i] += a*X[i] + %d
	}
}

func Sum() f32 {
	s := f32(0)
	for i := range Y {
		s += Y[i]
	}
	return s
}

func Scale(v []f32, a f32) {
	for i := range v {
		v[i] *= a
	}
}

func Copy(dst, src template) {
	for p := range dst {
		dst[p] = src[p] * N
	}
}
`

// TestStress loads, compiles and launches from a hundred goroutines at once, half of
// them sources that others load as well. It is meant for the race detector, which
// must find nothing.
func TestStress(t *testing.T) {
	t.Setenv(codegen.EnvObjects, "") // libLLVM is to be at work meanwhile
	rt := titest.New(t, ti.Config{Threads: 3})
	other := titest.New(t, ti.Config{Threads: 2})
	var wg sync.WaitGroup
	for g := range 100 {
		wg.Go(func() {
			rt := rt
			if g%4 == 3 {
				rt = other
			}
			if err := stress(rt, g); err != nil {
				t.Errorf("goroutine %d: %v", g, err)
			}
		})
	}
	wg.Wait()
}

// stress loads one program and looks at all that its kernels compute.
func stress(rt *ti.Runtime, g int) error {
	add := 0
	if g%2 == 1 {
		add = g % 8
	}
	var s struct {
		X, Y  ti.Field[float32]
		N     int32
		Step  func(a float32) error
		Sum   func() (float32, error)
		Scale func(v []float32, a float32) error
		Copy  func(dst, src *ti.Field[float32]) error
	}
	s.N = int32(1 + g%3)
	n := 64 + g%5
	rt.Place(ti.Shape{n}, &s.X, &s.Y)
	if err := rt.Load(fmt.Sprintf(stressSource, add), &s); err != nil {
		return err
	}
	s.X.Fill(float32(g))
	want := float32(0)
	for i := range 3 {
		if err := s.Step(2); err != nil {
			return err
		}
		want += float32(2*g + add)
		sum, err := s.Sum()
		if err != nil || sum != want*float32(n) {
			return fmt.Errorf("after step %d the sum is %v (%v), want %v", i, sum, err, want*float32(n))
		}
		v := []float32{1, 2, float32(g)}
		if err := s.Scale(v, 4); err != nil || v[2] != 4*float32(g) || v[0] != 4 {
			return fmt.Errorf("scaled to %v (%v)", v, err)
		}
	}
	for range 2 {
		if err := s.Copy(&s.X, &s.Y); err != nil {
			return err
		}
		if got := s.X.At(n - 1); got != want*float32(s.N) {
			return fmt.Errorf("copied %v, want %v", got, want*float32(s.N))
		}
		s.N++ // a host constant: another instance
	}
	return nil
}
