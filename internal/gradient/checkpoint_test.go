package gradient_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

const secondSource = `
package second

var (
	A, B  field[f64] // B becomes A squared times Scale
	Loss  field[f64, D0]
	Scale f64
)

func Step() {
	for i := range A {
		B[i] = A[i] * A[i] * Scale
	}
}

func Sum() {
	for i := range B {
		Loss += B[i]
	}
}

func Move(from, to field[f64], by f64) {
	for i := range from {
		to[i] = from[i] * from[i] * by
	}
}
`

type second struct {
	rt        *ti.Runtime
	A, B      *ti.Field[float64]
	c         ti.Field[float64]
	Loss      ti.Field[float64]
	Scale     float64
	Step, Sum func() error
	Move      func(from, to *ti.Field[float64], by float64) error
}

func newSecond(t *testing.T, rt *ti.Runtime) *second {
	s := &second{rt: rt, A: new(ti.Field[float64]), B: new(ti.Field[float64]), Scale: 0.5}
	rt.Place(ti.Shape{3}, ti.WithGrad(s.A, s.B, &s.c)...)
	rt.Place(nil, ti.WithGrad(&s.Loss)...)
	titest.Must(t, rt.Load(secondSource, s))
	titest.Must(t, s.A.CopyFrom([]float64{1, 3, 5}))
	titest.Must(t, s.c.CopyFrom([]float64{2, 2, 2}))
	return s
}

// TestSecondRun changes what the second run of a checkpoint finds: constants and pointers are those of the first run, and other launches
// are errors that name the difference.
func TestSecondRun(t *testing.T) {
	nop := func() error { return nil }
	for _, c := range []struct {
		name string
		run  func(s *second, n *int) error
		want string // in the error; the derivatives are 1, 3 and 5 without one
	}{
		{"a constant", func(s *second, n *int) error {
			err := errors.Join(s.rt.Checkpoint(s.Step, s.A), s.Sum())
			s.Scale = 5
			return err
		}, ""},
		{"a constant within", func(s *second, n *int) error {
			return errors.Join(s.rt.Checkpoint(func() error {
				*n++
				s.Scale = float64(*n) / 2
				return s.Step()
			}, s.A), s.Sum())
		}, ""},
		{"pointers swapped within", func(s *second, n *int) error {
			a, b := s.A, s.B
			err := errors.Join(s.rt.Checkpoint(func() error {
				err := s.Step()
				s.A, s.B = s.B, s.A
				return err
			}, s.A), s.Move(b, &s.c, 0), s.rt.Checkpoint(func() error {
				s.A, s.B = a, b
				return s.Sum()
			}))
			s.A, s.B = b, nil
			return err
		}, ""},
		{"nested", func(s *second, n *int) error {
			return errors.Join(s.rt.Checkpoint(func() error {
				return errors.Join(s.rt.CustomGrad(func() error { return s.Move(s.A, &s.c, 1) }, nop),
					s.rt.Checkpoint(func() error { *n++; s.Scale = float64(*n) / 2; return s.Step() }, s.A), s.Sum())
			}, s.A))
		}, ""},
		{"another field", func(s *second, n *int) error {
			return errors.Join(s.rt.Checkpoint(func() error {
				if *n++; *n > 1 {
					return s.Move(&s.c, s.B, 0.5)
				}
				return s.Move(s.A, s.B, 0.5)
			}), s.Sum())
		}, "launch 1, Move, of a checkpoint has "},
		{"another argument", func(s *second, n *int) error {
			return errors.Join(s.rt.Checkpoint(func() error { *n++; return s.Move(s.A, s.B, 0.5*float64(*n)) }), s.Sum())
		}, "launch 1, Move, of a checkpoint has other arguments in the second run"},
		{"CustomGrad", func(s *second, n *int) error {
			return errors.Join(s.rt.Checkpoint(func() error {
				if *n++; *n > 1 {
					return s.rt.CustomGrad(s.Step, nop)
				}
				return s.Step()
			}), s.Sum())
		}, "launch 1, Step, of a checkpoint is CustomGrad in the second run"},
		{"no CustomGrad", func(s *second, n *int) error {
			return errors.Join(s.rt.Checkpoint(func() error {
				if *n++; *n > 1 {
					return s.Step()
				}
				return s.rt.CustomGrad(s.Step, nop)
			}), s.Sum())
		}, "CustomGrad before launch 1 of a checkpoint is Step in the second run"},
		{"Checkpoint", func(s *second, n *int) error {
			return errors.Join(s.rt.Checkpoint(func() error {
				if *n++; *n > 1 {
					return s.rt.Checkpoint(s.Step, s.A)
				}
				return s.Step()
			}), s.Sum())
		}, "launch 1, Step, of a checkpoint is Checkpoint in the second run"},
		{"no launch", func(s *second, n *int) error {
			return errors.Join(s.rt.Checkpoint(func() error {
				if *n++; *n > 1 {
					return nil
				}
				return s.Step()
			}), s.Sum())
		}, "the second run of a checkpoint ends before launch 1, Step,"},
		{"one launch more", func(s *second, n *int) error {
			return errors.Join(s.rt.Checkpoint(func() error {
				if *n++; *n > 1 {
					return errors.Join(s.Step(), s.Step())
				}
				return s.Step()
			}), s.Sum())
		}, "comes to launch 2, Step, after all"},
	} {
		for _, debug := range []bool{false, true} {
			titest.EachArchWith(t, ti.Config{Debug: debug}, func(t *testing.T, rt *ti.Runtime) {
				s, n := newSecond(t, rt), 0
				x, loss := s.A, &s.Loss
				err := rt.Tape(loss, func() error { return c.run(s, &n) })
				if c.want != "" {
					if !errors.Is(err, ti.ErrAccess) || !strings.Contains(err.Error(), c.want) {
						t.Errorf("%s: the error is %v", c.name, err)
					}
					return
				}
				if err != nil {
					t.Errorf("%s: %v", c.name, err)
				}
				got := make([]float64, 3)
				titest.Must(t, x.Grad().CopyTo(got))
				if !slices.Equal(got, []float64{1, 3, 5}) {
					t.Errorf("%s: the derivatives are %v", c.name, got)
				}
			})
		}
	}
}

const cellsSource = `
package cells

var (
	C    field[f64] // in a sparse tree
	N    node
	S    field[f64, D0]
	Loss field[f64, D0]
)

func Enter(i int) { C[i] = 1 }

func Clear() {
	for i := range N {
		deactivate(N, i)
	}
}

func Count() {
	for i := range C {
		Loss += S * S * C[i]
	}
}
`

type cells struct {
	C, S, Loss   ti.Field[float64]
	N            *ti.Node
	Enter        func(i int32) error
	Clear, Count func() error
}

// TestCellsOfSecondRun loops over active cells in checkpoints: those of the second run must be those of the first.
func TestCellsOfSecondRun(t *testing.T) {
	for _, c := range []struct {
		name string
		run  func(rt *ti.Runtime, s *cells) error
		want float64 // the derivative by S; 0 for an error
	}{
		{"the same", func(rt *ti.Runtime, s *cells) error { return rt.Checkpoint(s.Count, &s.S) }, 12},
		{"activated after", func(rt *ti.Runtime, s *cells) error {
			return errors.Join(rt.Checkpoint(s.Count, &s.C, &s.S), s.Enter(9))
		}, 0},
		{"activated within", func(rt *ti.Runtime, s *cells) error {
			return rt.Checkpoint(func() error { return errors.Join(s.Count(), s.Enter(9)) }, &s.C)
		}, 0},
		{"activated by the program", func(rt *ti.Runtime, s *cells) error {
			err := rt.Checkpoint(s.Count, &s.C)
			s.C.Set(1, 20)
			return err
		}, 0},
		{"others, as many", func(rt *ti.Runtime, s *cells) error {
			return errors.Join(rt.Checkpoint(s.Count), s.Clear(), s.Enter(1), s.Enter(9), s.Enter(17))
		}, 0},
		{"again and again", func(rt *ti.Runtime, s *cells) error {
			fill := func() error { return errors.Join(s.Clear(), s.Enter(9), s.Enter(1), s.Enter(17)) }
			return errors.Join(rt.Checkpoint(func() error { return errors.Join(fill(), s.Count()) }), s.Clear(), s.Enter(5))
		}, 12},
		{"nested", func(rt *ti.Runtime, s *cells) error {
			return errors.Join(rt.Checkpoint(func() error { return rt.Checkpoint(s.Count) }), s.Enter(9))
		}, 0},
		{"nested, the same", func(rt *ti.Runtime, s *cells) error {
			return rt.Checkpoint(func() error { return rt.Checkpoint(s.Count) })
		}, 12},
	} {
		for _, place := range []func(rt *ti.Runtime, s *cells){
			func(rt *ti.Runtime, s *cells) { s.N = rt.NewTree().Bitmasked("i", 32); s.N.Place(ti.WithGrad(&s.C)...) },
			func(rt *ti.Runtime, s *cells) {
				s.N = rt.NewTree().Pointer("i", 32)
				s.N.Dense("i", 1).Place(ti.WithGrad(&s.C)...)
			},
			func(rt *ti.Runtime, s *cells) { s.N = rt.NewTree().Hash("i", 32); s.N.Place(ti.WithGrad(&s.C)...) },
		} {
			titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
				s := new(cells)
				place(rt, s)
				rt.Place(nil, ti.WithGrad(&s.S, &s.Loss)...)
				titest.Must(t, rt.Load(cellsSource, s))
				s.S.Set(2)
				titest.Must(t, errors.Join(s.Enter(3), s.Enter(4), s.Enter(30)))
				err := rt.Tape(&s.Loss, func() error { return c.run(rt, s) })
				switch d := s.S.Grad().At(); {
				case c.want == 0 && (!errors.Is(err, ti.ErrAccess) || !strings.Contains(err.Error(), "other active cells of C")):
					t.Errorf("%s: the error is %v, the derivative %v", c.name, err, d)
				case c.want != 0 && (err != nil || d != c.want):
					t.Errorf("%s: the derivative is %v, the error %v", c.name, d, err)
				}
			})
		}
	}
}

const sharedGridSource = `
package shared

var (
	X    field[f64, D2] // of each step
	G    field[f64]     // the grid of all steps
	Loss field[f64, D0]
)

func Grid(t int) {
	for i := range G {
		G[i] = 0
	}
	for p := range X.shape[1] {
		G[p/2] += sin(X[t][p]) * (0.5 + f64(random()))
	}
}

func Transfer(t int) {
	for p := range X.shape[1] {
		X[t+1][p] = X[t][p] + 0.3*G[(p+1)%G.shape[0]]*G[p/2]*(0.5 + f64(random()))
	}
}

func Sum(t int) {
	for p := range X.shape[1] {
		Loss += sqr(X[t][p])
	}
}
`

// TestCustomSharedGrid takes four steps that share a grid, each of which is computed again on the backward pass by CustomGrad, as
// docs/gradients.md has it, or by a checkpoint. Both compare with difference quotients; the steps draw random numbers.
func TestCustomSharedGrid(t *testing.T) {
	const steps, n = 4, 6
	for _, within := range []bool{false, true} {
		titest.EachArchWith(t, ti.Config{Threads: 1, Seed: 3}, func(t *testing.T, rt *ti.Runtime) {
			var s struct {
				X, G, Loss          ti.Field[float64]
				Grid, Transfer, Sum func(t int) error
			}
			rt.Place(ti.Shape{steps + 1, n}, ti.WithGrad(&s.X)...)
			rt.Place(ti.Shape{n / 2}, ti.WithGrad(&s.G)...)
			rt.Place(nil, ti.WithGrad(&s.Loss)...)
			titest.Must(t, rt.Load(sharedGridSource, &s))
			step := func(t int) error { return errors.Join(s.Grid(t), s.Transfer(t)) }
			custom := func(t int) error {
				return rt.CustomGrad(
					func() error { return step(t) },
					func() error {
						err := s.Grid(t)
						return errors.Join(err, rt.Adjoint(func() error { return step(t) }))
					})
			}
			checkpoint := func(t int) error { return rt.Checkpoint(func() error { return step(t) }) }
			run := func(x []float64, step func(int) error) (err error) {
				for p, v := range x {
					s.X.Set(v, 0, p)
				}
				s.Loss.Set(0)
				for k := range steps {
					err = errors.Join(err, step(k))
				}
				return errors.Join(err, s.Sum(steps))
			}
			x := []float64{0.3, 0.9, -0.4, 1.2, 0.7, -1}
			state, err := titest.Save(rt)
			titest.Must(t, err)
			for name, step := range map[string]func(int) error{"CustomGrad": custom, "Checkpoint": checkpoint} {
				f := func() error { return run(x, step) }
				if within {
					f = func() error { return rt.Checkpoint(func() error { return run(x, step) }) }
				}
				titest.Must(t, state.Resume(func() error { return rt.Tape(&s.Loss, f) }))
				for p := range x {
					got := s.X.Grad().At(0, p)
					at := func(h float64) float64 {
						moved := slices.Clone(x)
						moved[p] += h
						titest.Must(t, state.Resume(func() error { return run(moved, func(t int) error { return errors.Join(s.Grid(t), s.Transfer(t)) }) }))
						return s.Loss.At()
					}
					if want := (at(1e-5) - at(-1e-5)) / 2e-5; math.Abs(got-want) > 1e-7*(1+math.Abs(want)) {
						t.Errorf("%s: the derivative by element %d is %v, want %v", name, p, got, want)
					}
				}
			}
		})
	}
}

// TestInputsOfSecondRun has the second run of a checkpoint read something else than the first, which debug mode finds.
func TestInputsOfSecondRun(t *testing.T) {
	for _, c := range []struct {
		name string
		run  func(s *accesses) error
		want string // in the message; "" for no error
	}{
		{"nothing", func(s *accesses) error {
			return errors.Join(s.rt.Checkpoint(func() error { return errors.Join(s.Zero(), s.Add(1), s.Sum()) }))
		}, ""},
		{"a field to keep", func(s *accesses) error {
			return errors.Join(s.rt.Checkpoint(s.Sum), s.Zero())
		}, "launch 1 of a checkpoint reads Y here"},
		{"kept", func(s *accesses) error {
			return errors.Join(s.rt.Checkpoint(s.Sum, &s.Y), s.Zero())
		}, ""},
		{"changed within", func(s *accesses) error {
			return s.rt.Checkpoint(func() error { return errors.Join(s.Zero(), s.Add(0), s.Shift(), s.Sum()) })
		}, "launch 3 under the tape overwrites N[0]"}, // in the second run
		{"bookkeeping within", func(s *accesses) error {
			return s.rt.Checkpoint(func() error { return errors.Join(s.Zero(), s.Add(0), s.Sum()) })
		}, ""},
		{"counted within", func(s *accesses) error {
			return s.rt.Checkpoint(func() error { return errors.Join(s.Count(), s.Copy(1), s.Sum()) })
		}, "launch 1 of a checkpoint reads N here"},
		{"added to, then read", func(s *accesses) error {
			return s.rt.Checkpoint(func() error { return errors.Join(s.Add(1), s.Sum()) })
		}, "launch 2 of a checkpoint reads Y here"},
		{"added to, then read, kept", func(s *accesses) error {
			return s.rt.Checkpoint(func() error { return errors.Join(s.Add(1), s.Sum()) }, &s.Y)
		}, ""},
		{"the program", func(s *accesses) error {
			err := errors.Join(s.Zero(), s.rt.Checkpoint(func() error { return s.Add(1) }), s.Sum())
			s.Z.Fill(7) // which nothing uses
			s.X.Fill(2)
			return err
		}, "launch 1 of a checkpoint reads X here"},
		{"nested", func(s *accesses) error {
			return errors.Join(s.rt.Checkpoint(func() error { return s.rt.Checkpoint(s.Sum) }), s.Zero())
		}, "launch 1 of a checkpoint reads Y here"},
		{"nested, within", func(s *accesses) error {
			return s.rt.Checkpoint(func() error { return errors.Join(s.rt.Checkpoint(s.Sum), s.Zero()) }, &s.Y)
		}, "launch 1 of a checkpoint reads Y here"},
		{"nested, kept", func(s *accesses) error {
			return s.rt.Checkpoint(func() error { return errors.Join(s.rt.Checkpoint(s.Sum, &s.Y), s.Zero()) }, &s.Y)
		}, ""},
		{"in a CustomGrad", func(s *accesses) error {
			return errors.Join(s.rt.Checkpoint(func() error {
				return s.rt.CustomGrad(s.Sum, func() error { return s.rt.Adjoint(s.Sum) })
			}), s.Zero())
		}, "launch 1 of a checkpoint reads Y here"},
		{"what was read before", func(s *accesses) error {
			return errors.Join(s.Sum(), s.rt.Checkpoint(func() error { return s.Copy(1) }, &s.Y))
		}, "launch 2 under the tape overwrites Y[0] here, which launch 1, of Sum, has read"},
	} {
		titest.EachArchWith(t, ti.Config{Debug: true, Threads: 2}, func(t *testing.T, rt *ti.Runtime) {
			s := newAccesses(t, rt)
			s.Y.Fill(3)
			err := rt.Tape(&s.Loss, func() error { return c.run(s) })
			if c.want == "" {
				if err != nil {
					t.Errorf("%s: %v", c.name, err)
				}
				return
			}
			e, ok := errors.AsType[*ti.RuntimeError](err)
			if !ok || !errors.Is(err, ti.ErrAccess) || !strings.Contains(e.Msg, c.want) || e.Pos.Line == 0 {
				t.Errorf("%s: the error is %v", c.name, err)
			}
		})
	}
}

// TestSparseInputsOfSecondRun changes active elements after a checkpoint.
func TestSparseInputsOfSecondRun(t *testing.T) {
	for _, keep := range []bool{false, true} {
		titest.EachArchWith(t, ti.Config{Debug: true}, func(t *testing.T, rt *ti.Runtime) {
			s := new(cells)
			s.N = rt.NewTree().Bitmasked("i", 32)
			s.N.Place(ti.WithGrad(&s.C)...)
			rt.Place(nil, ti.WithGrad(&s.S, &s.Loss)...)
			titest.Must(t, rt.Load(cellsSource, s))
			s.S.Set(2)
			titest.Must(t, errors.Join(s.Enter(3), s.Enter(4), s.Enter(30)))
			kept := []ti.AnyField{&s.S}
			if keep {
				kept = append(kept, &s.C)
			}
			err := rt.Tape(&s.Loss, func() error {
				err := rt.Checkpoint(s.Count, kept...)
				s.C.Set(5, 4)
				s.S.Set(9)
				return err
			})
			if d := s.S.Grad().At(); keep && (err != nil || d != 12) {
				t.Errorf("the derivative is %v, the error %v", d, err)
			}
			if !keep && (!errors.Is(err, ti.ErrAccess) || !strings.Contains(err.Error(), "launch 1 of a checkpoint reads C here")) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}
