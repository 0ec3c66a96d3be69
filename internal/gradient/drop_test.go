package gradient_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

const droppedSource = `
package dropped

var (
	X, A field[f32]
	C    field[f32]
	L    field[f32, D0]
	B    node
)

func Put() {
	for i := range X {
		A[i] = 3 * X[i]
	}
}

func Other() {
	for i := range C {
		L += C[i]
	}
}

func Drop() {
	for i := range A {
		if i == 2 {
			deactivate(B, i)
		}
	}
}

func Squares() {
	for i := range X {
		L += A[i] * A[i]
	}
}

func Sum() {
	for i := range X {
		L += 5 * A[i]
	}
}

func All() {
	for i := range X {
		A[i] = 3 * X[i]
	}
	for i := range A {
		if i == 2 {
			deactivate(B, i)
		}
	}
	for i := range X {
		L += A[i] * A[i]
	}
}

func Rest() {
	for i := range A {
		drop(i)
	}
	for i := range X {
		L += A[i] * A[i] * X[i]
	}
}

func Alone() {
	A[2] = 3 * X[2]
	for i := range A {
		drop(i)
	}
	L += A[2] * A[2]
}

func Add() {
	for i := range X {
		A[i] += 5 * X[i]
	}
}

func One() {
	A[2] = 3 * X[2]
}

func Zero() {
	for i := range X {
		A[i] = 0
	}
}

func Helped() {
	for i := range X {
		L += get(i) * get(i)
	}
	for i := range A {
		drop(i)
	}
	for i := range X {
		L += X[i]
	}
}

func HelpedBehind() {
	for i := range A {
		drop(i)
	}
	for i := range X {
		L += get(i) * X[i]
	}
}

func Around() {
	for i := range X {
		L += A[i] * A[i]
	}
	for i := range A {
		drop(i)
	}
	for i := range X {
		L += A[i] * A[i] * X[i]
	}
}

func Serial() {
	deactivate(B, 2)
	L += A[2] * A[2]
	for i := range X {
		L += X[i]
	}
}

func Twice() {
	for i := range A {
		drop(i - 1)
	}
	for i := range X {
		L += A[i] * A[i]
	}
	for i := range A {
		drop(i)
	}
	for i := range X {
		L += X[i]
	}
}

func drop(i int) {
	if i == 2 {
		deactivate(B, i)
	}
}

func get(i int) f32 {
	return A[i]
}
`

// TestDroppedCells has launches under a tape deactivate the cells of elements that other launches used. Where debug mode has no error,
// derivatives are right.
func TestDroppedCells(t *testing.T) {
	type fields struct {
		X, A, C, L                                  ti.Field[float32]
		B                                           *ti.Node
		Put, Drop, Squares, Sum, All, Rest, Alone   func() error
		Helped, HelpedBehind, Around, Serial, Twice func() error
		Other, Add, One, Zero                       func() error
	}
	for _, c := range []struct {
		name  string
		run   func(rt *ti.Runtime, s *fields) error
		dense string // in the error if adjoints lie in a dense tree; "" for none
		with  string // and if they lie beside the field
		at    float32
	}{
		{"put, drop, squares", func(_ *ti.Runtime, s *fields) error { return errors.Join(s.Put(), s.Drop(), s.Squares()) },
			"launch 2 under the tape, of Drop, deactivates the cell of A[2], which launch 1, of Put, has stored to here: its adjoint would be that of both values", "", 0},
		{"put, squares, drop", func(_ *ti.Runtime, s *fields) error { return errors.Join(s.Put(), s.Squares(), s.Drop()) },
			"which launch 2, of Squares, has read here: the backward pass would find 0", "has read here: the backward pass would find 0", 0},
		{"put, sum, drop", func(_ *ti.Runtime, s *fields) error { return errors.Join(s.Put(), s.Sum(), s.Drop()) },
			"which launch 2, of Sum, has read here: its adjoint would be that of both values", "has read here: its adjoint would be lost", 0},
		{"drop, put, squares", func(_ *ti.Runtime, s *fields) error { return errors.Join(s.Drop(), s.Put(), s.Squares()) }, "", "", 36},
		{"all", func(_ *ti.Runtime, s *fields) error { return s.All() },
			"launch 1 under the tape, of All, deactivates the cell of A[2], which launch 1, of All, has stored to here", "", 0},
		{"another field, all", func(_ *ti.Runtime, s *fields) error { return errors.Join(s.Other(), s.All()) },
			"launch 2 under the tape, of All, deactivates the cell of A[2], which launch 2, of All, has stored to here", "", 0},
		{"alone", func(_ *ti.Runtime, s *fields) error { return s.Alone() },
			"launch 1 under the tape, of Alone, deactivates the cell of A[2], which launch 1, of Alone, has stored to here", "", 0},
		{"rest", func(_ *ti.Runtime, s *fields) error { return s.Rest() }, "", "", 0},
		{"put, squares, rest", func(_ *ti.Runtime, s *fields) error { return errors.Join(s.Put(), s.Squares(), s.Rest()) },
			"launch 3 under the tape, of Rest, deactivates the cell of A[2], which launch 2, of Squares, has read here: the backward pass would find 0", "launch 2, of Squares, has read here: the backward pass would find 0", 0},
		{"put, sum, rest", func(_ *ti.Runtime, s *fields) error { return errors.Join(s.Put(), s.Sum(), s.Rest()) },
			"which launch 2, of Sum, has read here: its adjoint would be that of both values", "which launch 2, of Sum, has read here: its adjoint would be lost", 0},
		{"put, helped", func(_ *ti.Runtime, s *fields) error { return errors.Join(s.Put(), s.Helped()) },
			"which launch 2, of Helped, has read here: the backward pass would find 0", "which launch 2, of Helped, has read here: the backward pass would find 0", 0},
		{"helped behind", func(_ *ti.Runtime, s *fields) error { return s.HelpedBehind() }, "", "", 0},
		{"put, around", func(_ *ti.Runtime, s *fields) error { return errors.Join(s.Put(), s.Around()) },
			"which launch 2, of Around, has read here: the backward pass would find 0", "which launch 2, of Around, has read here: the backward pass would find 0", 0},
		{"put, serial", func(_ *ti.Runtime, s *fields) error { return errors.Join(s.Put(), s.Serial()) },
			"which launch 2, of Serial, has read here: the backward pass would find 0", "which launch 2, of Serial, has read here: the backward pass would find 0", 0},
		{"put, twice", func(_ *ti.Runtime, s *fields) error { return errors.Join(s.Put(), s.Twice()) },
			"which launch 2, of Twice, has read here: the backward pass would find 0", "which launch 2, of Twice, has read here: the backward pass would find 0", 0},
		{"checkpoints", func(rt *ti.Runtime, s *fields) error {
			for range 2 {
				if err := rt.Checkpoint(func() error { return errors.Join(s.Drop(), s.Put(), s.Squares()) }); err != nil {
					return err
				}
			}
			return nil
		}, "", "", 72},
		{"a checkpoint that drops", func(rt *ti.Runtime, s *fields) error {
			return errors.Join(s.Put(), s.Sum(), rt.Checkpoint(s.Drop))
		}, "", "launch 3 under the tape, of Drop, deactivates the cell of A[2], which launch 2, of Sum, has read here: its adjoint would be lost", 15},
		{"a checkpoint that drops, and a sum", func(rt *ti.Runtime, s *fields) error {
			return errors.Join(s.Put(), s.Sum(), rt.Checkpoint(s.Drop), s.Sum())
		}, "launch 3 under the tape, of Drop, deactivates the cell of A[2], which launch 2, of Sum, has read here: its adjoint would be that of both values",
			"its adjoint would be lost", 0},
		{"a checkpoint that drops and puts", func(rt *ti.Runtime, s *fields) error {
			return errors.Join(s.Put(), s.Sum(), rt.Checkpoint(func() error { return errors.Join(s.Drop(), s.Put(), s.Squares()) }))
		}, "", "", 51},
		{"a checkpoint that drops and adds", func(rt *ti.Runtime, s *fields) error {
			return errors.Join(s.Put(), rt.Checkpoint(func() error { return errors.Join(s.Drop(), s.Add()) }), s.Sum())
		}, "which launch 1, of Put, has stored to here: its adjoint would be that of both values", "which launch 1, of Put, has stored to here: its adjoint would be that of both values", 0},
		{"drop and add", func(rt *ti.Runtime, s *fields) error {
			return errors.Join(s.Put(), s.Drop(), s.Add(), s.Sum())
		}, "which launch 1, of Put, has stored to here: its adjoint would be that of both values", "which launch 1, of Put, has stored to here: its adjoint would be that of both values", 0},
		{"drop and put again", func(_ *ti.Runtime, s *fields) error {
			return errors.Join(s.One(), s.Drop(), s.One(), s.Sum())
		}, "which launch 1, of One, has stored to here: its adjoint would be that of both values", "launch 3 under the tape overwrites A[2] here, which launch 1, of One, has stored to", 0},
		{"put, drop, a checkpoint that puts", func(rt *ti.Runtime, s *fields) error {
			return errors.Join(s.Put(), s.Drop(), rt.Checkpoint(func() error { return errors.Join(s.Put(), s.Sum()) }))
		}, "which launch 1, of Put, has stored to here: its adjoint would be that of both values", "", 15},
		{"put zeros, drop, put", func(_ *ti.Runtime, s *fields) error {
			return errors.Join(s.Zero(), s.Drop(), s.Put(), s.Sum())
		}, "", "", 15},
		{"drop at the end of a checkpoint", func(rt *ti.Runtime, s *fields) error {
			return rt.Checkpoint(func() error { return errors.Join(s.Put(), s.Squares(), s.Drop()) })
		}, "has read here: the backward pass would find 0", "has read here: the backward pass would find 0", 0},
	} {
		for _, arch := range []ti.Arch{ti.LLVM, ti.Oracle} {
			for _, with := range []bool{false, true} {
				want := c.dense
				if with {
					want = c.with
				}
				for _, debug := range []bool{false, true} {
					if !debug && (want != "" || arch == ti.Oracle) {
						continue
					}
					t.Run(fmt.Sprintf("%s/%v/with=%v/debug=%v", c.name, arch, with, debug), func(t *testing.T) {
						rt := titest.New(t, ti.Config{Arch: arch, Threads: 2, Debug: debug})
						s := &fields{}
						s.B = rt.NewTree().Pointer(ti.I, 8)
						rt.NewTree().Pointer(ti.I, 8).Place(&s.C)
						if with {
							s.B.Dense(ti.I, 1).Place(ti.WithGrad(&s.A)...)
						} else {
							s.B.Dense(ti.I, 1).Place(&s.A)
							rt.Place(ti.Shape{8}, s.A.Grad())
						}
						rt.Place(ti.Shape{8}, ti.WithGrad(&s.X)...)
						rt.Place(nil, ti.WithGrad(&s.L)...)
						titest.Must(t, rt.Load(droppedSource, s))
						s.X.Fill(2)
						s.A.Fill(1)
						err := rt.Tape(&s.L, func() error { return c.run(rt, s) })
						if want != "" {
							e, ok := errors.AsType[*ti.RuntimeError](err)
							if !ok || !errors.Is(err, ti.ErrAccess) || !strings.Contains(e.Msg, want) || e.Pos.Line == 0 || len(e.Index) != 1 || e.Index[0] != 2 {
								t.Errorf("the error is %v", err)
							}
							return
						}
						titest.Must(t, err)
						if got := s.X.Grad().At(2); got != c.at {
							t.Errorf("the derivative is %v, not %v", got, c.at)
						}
					})
				}
			}
		}
	}
}

const droppedApartSource = `
package dropped

type pair struct { a, b f32 }

var (
	X field[f32]
	P field[pair]
	L field[f32, D0]
	B node
)

func Put() {
	for i := range X {
		P[i].b = 3 * X[i]
	}
}

func Drop() {
	for i := range P {
		if i == 2 {
			deactivate(B, i)
		}
	}
}

func Squares() {
	for i := range X {
		L += P[i].b * P[i].b
	}
}
`

// TestDroppedApart deactivates elements under a tape, of which a member lies elsewhere and becomes zero with them.
func TestDroppedApart(t *testing.T) {
	type pair struct {
		A float32 `ti:"a"`
		B float32 `ti:"b"`
	}
	for _, arch := range []ti.Arch{ti.LLVM, ti.Oracle} {
		for _, dense := range []bool{false, true} { // where the member lies
			t.Run(fmt.Sprintf("%v/dense=%v", arch, dense), func(t *testing.T) {
				rt := titest.New(t, ti.Config{Arch: arch, Threads: 2, Debug: true})
				s := &struct {
					X, L               ti.Field[float32]
					P                  ti.Field[pair]
					B                  *ti.Node
					Put, Drop, Squares func() error
				}{}
				s.B = rt.NewTree().Pointer(ti.I, 8)
				members := ti.Members(&s.P)
				s.B.Place(members[0])
				if dense {
					rt.Place(ti.Shape{8}, members[1])
				} else {
					rt.NewTree().Pointer(ti.I, 8).Place(members[1])
				}
				rt.Place(ti.Shape{8}, s.P.Grad())
				rt.Place(ti.Shape{8}, ti.WithGrad(&s.X)...)
				rt.Place(nil, ti.WithGrad(&s.L)...)
				titest.Must(t, rt.Load(droppedApartSource, s))
				s.X.Fill(2)
				titest.Must(t, rt.Tape(&s.L, func() error { return errors.Join(s.Drop(), s.Put(), s.Squares()) }))
				if got := s.X.Grad().At(2); got != 36 {
					t.Errorf("the derivative is %v, not 36", got)
				}
				err := rt.Tape(&s.L, func() error { return errors.Join(s.Put(), s.Squares(), s.Drop()) })
				e, ok := errors.AsType[*ti.RuntimeError](err)
				if want := "has read here: the backward pass would find 0"; !ok || !errors.Is(err, ti.ErrAccess) || !strings.Contains(e.Msg, want) {
					t.Errorf("the error is %v, and not that launch 2 %s", err, want)
				}
			})
		}
	}
}
