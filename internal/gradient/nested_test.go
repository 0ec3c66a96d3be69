package gradient_test

import (
	"errors"
	"math"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

const nestedSource = `
package nested

var (
	X    field[f64, D2] // states between parts
	S    field[f64, D2] // the steps of parts
	W    field[f64]     // what is differentiated, too
	Loss field[f64, D0]
)

func Begin(from, base int) {
	for i := range X.shape[1] {
		S[base][i] = X[from][i]
	}
}

func Step(t int) {
	n := X.shape[1]
	for i := range n {
		S[t+1][i] = S[t][i]*0.9 + sin(S[t][(i+1)%n]*W[i%3])*(0.5+f64(random()))
	}
}

func End(base, to int) {
	for i := range X.shape[1] {
		X[to][i] = S[base][i]
	}
}

func Sum(from int) {
	for i := range X.shape[1] {
		Loss += sqr(X[from][i])*f64(i+1)
	}
}
`

type nested struct {
	X, S, W, Loss ti.Field[float64]
	Begin, End    func(a, b int) error
	Step, Sum     func(t int) error
}

const (
	nestedSteps = 3 // of a part
	nestedParts = 13
	nestedWidth = 40
)

// newNested has room for all parts, or for one.
func newNested(t *testing.T, rt *ti.Runtime, parts int) *nested {
	s := new(nested)
	rt.Place(ti.Shape{parts, nestedWidth}, ti.WithGrad(&s.X)...)
	rt.Place(ti.Shape{parts * (nestedSteps + 1), nestedWidth}, ti.WithGrad(&s.S)...)
	rt.Place(ti.Shape{3}, ti.WithGrad(&s.W)...)
	rt.Place(nil, ti.WithGrad(&s.Loss)...)
	titest.Must(t, rt.Load(nestedSource, s))
	for i := range nestedWidth {
		s.X.Set(math.Sin(float64(i)), 0, i)
	}
	titest.Must(t, s.W.CopyFrom([]float64{0.7, 1.1, -0.4}))
	return s
}

// part makes the steps of a part, from one state to another.
func (s *nested) part(from, to, base int) error {
	err := s.Begin(from, base)
	for t := range nestedSteps {
		err = errors.Join(err, s.Step(base+t))
	}
	return errors.Join(err, s.End(base+nestedSteps, to))
}

// halves makes parts; the first half of them is a checkpoint, and the halves are made alike.
func (s *nested) halves(rt *ti.Runtime, parts int) error {
	if parts == 1 {
		return s.part(0, 0, 0)
	}
	n := parts / 2
	return errors.Join(
		rt.Checkpoint(func() error { return s.halves(rt, n) }, &s.X),
		rt.Checkpoint(func() error { return s.halves(rt, parts-n) }, &s.X),
	)
}

// segments makes parts, each of which is a checkpoint, in checkpoints of four.
func (s *nested) segments(rt *ti.Runtime, parts int) (err error) {
	for k := 0; k < parts && err == nil; k += 4 {
		err = rt.Checkpoint(func() (err error) {
			for range min(4, parts-k) {
				err = errors.Join(err, rt.Checkpoint(func() error { return s.part(0, 0, 0) }, &s.X))
			}
			return err
		}, &s.X)
	}
	return err
}

// bits are the derivatives by the first state and by W.
func (s *nested) bits(t *testing.T) (all []uint64) {
	for i := range nestedWidth {
		all = append(all, math.Float64bits(s.X.Grad().At(0, i)))
	}
	for i := range 3 {
		if s.W.Grad().At(i) == 0 {
			t.Error("there is no derivative by W")
		}
		all = append(all, math.Float64bits(s.W.Grad().At(i)))
	}
	return all
}

// TestNestedCheckpoints compares all bits of gradients by nested checkpoints, of halves and of segments, with those of a tape that
// keeps everything. Random numbers are drawn again when a part runs again.
func TestNestedCheckpoints(t *testing.T) {
	for _, arch := range []ti.Arch{ti.LLVM, ti.Oracle} {
		fresh := func() *ti.Runtime {
			return titest.New(t, ti.Config{Arch: arch, Threads: 3, Deterministic: true, Seed: 5})
		}
		rt := fresh()
		plain := newNested(t, rt, nestedParts+1)
		titest.Must(t, rt.Tape(&plain.Loss, func() (err error) {
			for k := range nestedParts {
				err = errors.Join(err, plain.part(k, k+1, k*(nestedSteps+1)))
			}
			return errors.Join(err, plain.Sum(nestedParts))
		}))
		want := plain.bits(t)
		for name, way := range map[string]func(s *nested, rt *ti.Runtime) error{
			"halves":   func(s *nested, rt *ti.Runtime) error { return s.halves(rt, nestedParts) },
			"segments": func(s *nested, rt *ti.Runtime) error { return s.segments(rt, nestedParts) },
		} {
			rt := fresh()
			s := newNested(t, rt, 1)
			titest.Must(t, rt.Tape(&s.Loss, func() error { return errors.Join(way(s, rt), s.Sum(0)) }))
			if a, b := plain.Loss.At(), s.Loss.At(); a != b {
				t.Errorf("%s: the loss is %v and not %v", name, b, a)
			}
			for i, bits := range s.bits(t) {
				if bits != want[i] {
					t.Errorf("%s: derivative %d is %v and not %v", name, i, math.Float64frombits(bits), math.Float64frombits(want[i]))
				}
			}
		}
	}
}
