package gradient_test

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"testing"
	"time"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// TestTapeOfChanges swaps fields and changes constants between launches: the backward pass takes each launch as it was.
func TestTapeOfChanges(t *testing.T) {
	const source = `
package changes

var (
	A, B  field[f64]
	Loss  field[f64, D0]
	Scale f64
	Turn  bool
)

func Step() {
	for i := range A {
		x := A[i] * Scale
		if Turn {
			x = sin(x)
		}
		B[i] = x * A[(i+1)%A.shape[0]]
	}
}

func Sum() {
	for i := range A {
		Loss += A[i]
	}
}
`
	titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
		const n, steps = 5, 3
		var s struct {
			A, B      *ti.Field[float64]
			Loss      ti.Field[float64]
			Scale     float64
			Turn      bool
			Step, Sum func() error
		}
		fields := make([]*ti.Field[float64], steps+1) // of each step one
		for i := range fields {
			fields[i] = new(ti.Field[float64])
			rt.Place(ti.Shape{n}, ti.WithGrad(fields[i])...)
		}
		rt.Place(nil, ti.WithGrad(&s.Loss)...)
		s.A, s.B = fields[0], fields[1]
		titest.Must(t, rt.Load(source, &s))
		x := []float64{0.3, 1.1, -0.7, 0.9, 0.2}
		loss := func(x []float64) float64 {
			for k := range steps {
				next := make([]float64, n)
				for i := range next {
					v := x[i] * float64(k+1)
					if k == 1 {
						v = math.Sin(v)
					}
					next[i] = v * x[(i+1)%n]
				}
				x = next
			}
			sum := 0.0
			for _, v := range x {
				sum += v
			}
			return sum
		}
		titest.Must(t, fields[0].CopyFrom(x))
		titest.Must(t, rt.Tape(&s.Loss, func() error {
			for k := range steps {
				s.A, s.B, s.Scale, s.Turn = fields[k], fields[k+1], float64(k+1), k == 1
				if err := s.Step(); err != nil {
					return err
				}
			}
			s.A, s.B = fields[steps], fields[0]
			err := s.Sum()
			s.A, s.B, s.Scale = fields[1], fields[0], 100 // of which no launch knows
			return err
		}))
		for i := range x {
			at := func(h float64) float64 {
				moved := append([]float64{}, x...)
				moved[i] += h
				return loss(moved)
			}
			want := (at(1e-5) - at(-1e-5)) / 2e-5
			if got := fields[0].Grad().At(i); !(math.Abs(got-want) <= 1e-8*(1+math.Abs(want))) {
				t.Errorf("the derivative by element %d is %v, want %v", i, got, want)
			}
		}
	})
}

// TestAdjointsElsewhere places adjoints and tangents in another order of axes, in a tree with others, with another origin's tree, in blocks, and in
// sparse trees below a dense node.
func TestAdjointsElsewhere(t *testing.T) {
	const source = `
package elsewhere

var (
	X, Y field[vec2, D2]
	Loss field[f32, D0]
)

func Mix() {
	for i, j := range X {
		Y[i][j] = X[i][j] * X[i][(j+1)%6][1]
	}
}

func Sum() {
	for i, j := range Y {
		Loss += dot(Y[i][j], vec2(i+1, j+2))
	}
}
`
	type host struct {
		X, Y     ti.Field[ti.Vec2]
		Loss     ti.Field[float32]
		Mix, Sum func() error
	}
	plain := func(rt *ti.Runtime, f ti.AnyField) { rt.Place(ti.Shape{4, 6}, f) }
	var want []ti.Vec2
	for _, c := range []struct {
		name  string
		place func(rt *ti.Runtime, f ti.AnyField)
	}{
		{"plain", plain},
		{"another order", func(rt *ti.Runtime, f ti.AnyField) { rt.NewTree().Dense("j", 6).Dense("i", 4).Place(f) }},
		{"blocks", func(rt *ti.Runtime, f ti.AnyField) { rt.NewTree().Dense("ij", 2, 3).Dense("ji", 2, 2).Place(f) }},
		{"sparse below dense", func(rt *ti.Runtime, f ti.AnyField) { rt.NewTree().Dense("i", 4).Pointer("j", 3).Dense("j", 2).Place(f) }},
		{"masked", func(rt *ti.Runtime, f ti.AnyField) { rt.NewTree().Pointer("ij", 2, 2).Bitmasked("ij", 2, 3).Place(f) }},
	} {
		titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
			s := new(host)
			plain(rt, &s.X)
			plain(rt, &s.Y)
			c.place(rt, s.X.Grad())
			c.place(rt, s.Y.Grad())
			rt.Place(nil, ti.WithGrad(&s.Loss)...)
			titest.Must(t, rt.Load(source, s))
			for i := range 4 {
				for j := range 6 {
					s.X.Set(ti.Vec2{float32(i) - 1.5, float32(j*j) / 8}, i, j)
					s.X.Grad().Set(ti.Vec2{}, i, j) // the backward pass activates nothing
					s.Y.Grad().Set(ti.Vec2{}, i, j)
				}
			}
			titest.Must(t, rt.Tape(&s.Loss, func() error { return errors.Join(s.Mix(), s.Sum()) }))
			got := make([]ti.Vec2, 24)
			titest.Must(t, s.X.Grad().CopyTo(got))
			if want == nil {
				want = got
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: the adjoints are %v, want %v", c.name, got, want)
			}
		})
	}
}

// TestHalves differentiates a run by checkpoints of halves, with fields for one step, and counts what is held at once: 1,024 steps need 11 states, 16 five.
func TestHalves(t *testing.T) {
	const source = `
package halves

var (
	State, X, Next field[f64]
	P, Loss        field[f64, D0]
)

func Begin() {
	for i := range X {
		X[i] = State[i]
	}
}

func Step() {
	for i := range X {
		Next[i] = X[i] + 0.01*sin(X[(i+1)%X.shape[0]]*P)
	}
}

func End() {
	for i := range X {
		State[i] = Next[i]
	}
}

func Sum() {
	for i := range X {
		Loss += State[i] * State[i]
	}
}
`
	for _, c := range []struct{ steps, elements int }{{1024, 3}, {16, 1 << 19}} {
		rt := titest.New(t, ti.Config{})
		var s struct {
			State, X, Next        ti.Field[float64]
			P, Loss               ti.Field[float64]
			Begin, Step, End, Sum func() error
		}
		rt.Place(ti.Shape{c.elements}, ti.WithGrad(&s.State, &s.X, &s.Next)...)
		rt.Place(nil, ti.WithGrad(&s.P, &s.Loss)...)
		titest.Must(t, rt.Load(source, &s))
		heap := func() int64 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			return int64(m.HeapAlloc)
		}
		launches, base, most := 0, heap(), int64(0)
		step := func() error {
			if launches++; c.elements > 100 {
				most = max(most, heap()-base)
			}
			return errors.Join(s.Begin(), s.Step(), s.End())
		}
		var halves func(n int) error
		halves = func(n int) error {
			if n == 1 {
				return step()
			}
			half := func() error { return halves(n / 2) }
			return errors.Join(rt.Checkpoint(half, &s.State), rt.Checkpoint(half, &s.State))
		}
		begin := func(p float64) {
			for i := range c.elements {
				s.State.Set(math.Sin(float64(i)), i)
			}
			s.P.Set(p)
			s.Loss.Set(0)
		}
		begin(1.3)
		titest.Must(t, rt.Tape(&s.Loss, func() error { return errors.Join(halves(c.steps), s.Sum()) }))
		got := s.P.Grad().At()
		levels := bits.Len(uint(c.steps)) // and a state for each
		if launches != levels*c.steps {
			t.Errorf("%d steps were launched, want %d", launches, levels*c.steps)
		}
		if state := int64(8 * c.elements); c.elements > 100 && (most > state*int64(levels)+state/2 || most < state*int64(levels-1)) {
			t.Errorf("%d steps hold %d bytes; %d states have %d", c.steps, most, levels, state*int64(levels))
		}
		at := func(p float64) float64 {
			begin(p)
			for range c.steps {
				titest.Must(t, errors.Join(s.Begin(), s.Step(), s.End()))
			}
			titest.Must(t, s.Sum())
			return s.Loss.At()
		}
		want := (at(1.3+1e-4) - at(1.3-1e-4)) / 2e-4
		if !(math.Abs(got-want) <= 1e-6*math.Abs(want)) {
			t.Errorf("%d steps: the derivative is %v, want %v", c.steps, got, want)
		}
	}
}

// BenchmarkTape measures what a tape adds to a launch: time, the least of all runs, and bytes that it keeps.
func BenchmarkTape(b *testing.B) {
	rt := titest.New(b, ti.Config{})
	var s struct {
		X, Y, Loss ti.Field[float32]
		Move       func(t int) error
		Sum        func() error
	}
	rt.Place(ti.Shape{4}, ti.WithGrad(&s.X, &s.Y)...)
	rt.Place(nil, ti.WithGrad(&s.Loss)...)
	titest.Must(b, rt.Load("package cost\nvar X, Y field[f32]\nvar Loss field[f32, D0]\n"+
		"func Move(t int) { X[t] = Y[t] }\nfunc Sum() { Loss = X[0] }", &s))
	titest.Must(b, s.Move(0))
	titest.Must(b, s.Sum())
	launches := func(n int) time.Duration {
		began := time.Now()
		for range n {
			if err := s.Move(1); err != nil {
				b.Fatal(err)
			}
		}
		return time.Since(began)
	}
	plain, taped := time.Hour, time.Hour
	var before, after runtime.MemStats
	for b.Loop() {
		const n = 100_000
		plain = min(plain, launches(n))
		titest.Must(b, rt.Tape(&s.Loss, func() error {
			runtime.GC()
			runtime.ReadMemStats(&before)
			taped = min(taped, launches(n))
			runtime.GC()
			runtime.ReadMemStats(&after)
			return s.Sum()
		}))
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/n, "B/launch")
	}
	b.ReportMetric(float64(plain.Nanoseconds())/100_000, "ns/launch")
	b.ReportMetric(float64((taped-plain).Nanoseconds())/100_000, "ns-more/launch")
}
