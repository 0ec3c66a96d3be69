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

const accessSource = `
package rules

var (
	X    field[f32, D2] // of each step
	Y, Z field[f32]
	N    field[int]
	S    field[f32, D0]
	Loss field[f32, D0]
)

func Step(t int) {
	for i := range X.shape[1] {
		X[t][i] = sin(X[t-1][i])*X[t-1][i]
	}
}

// InPlace forgets to keep the steps.
func InPlace() {
	for i := range Y {
		Y[i] += 0.1*sin(Y[i])
	}
}

// Copy is stored to twice if it runs twice.
func Copy(t int) {
	for i := range Y {
		Y[i] = X[t][i]
	}
}

func Zero() {
	for i := range Y {
		Y[i] = 0
	}
}

func Add(t int) {
	for i := range Y {
		Y[i] += X[t][N[i]]*X[t][i]
	}
}

func Shift() {
	for i := range N {
		N[i] = (i + 1) % N.shape[0]
	}
}

func Sum() {
	for i := range Y {
		Loss += Y[i]*Y[i]
	}
}

func Serial() {
	S += Y[0]
	S += Y[1]*Y[0]
	Loss += S*S
}

func More() {
	S += Y[2]
}

func Linear() {
	for i := range Y {
		Z[i] += 2*Y[i]
	}
}

func Weigh(w []f32) {
	for i := range Y {
		Y[i] += X[0][i] * w[i]
	}
}

func Clear(w []f32) {
	for i := range w {
		w[i] = 0
	}
}

func Count() {
	for i := range N {
		N[i] = N[i] + 1
	}
}
`

type accesses struct {
	rt                                                     *ti.Runtime
	X, Y, Z, S, Loss                                       ti.Field[float32]
	N                                                      ti.Field[int32]
	Step, Copy, Add                                        func(t int) error
	InPlace, Zero, Shift, Sum, Serial, More, Count, Linear func() error
	Weigh, Clear                                           func(w []float32) error
}

func newAccesses(t *testing.T, rt *ti.Runtime) *accesses {
	s := &accesses{rt: rt}
	rt.Place(ti.Shape{3, 8}, ti.WithGrad(&s.X)...)
	rt.Place(ti.Shape{8}, ti.WithGrad(&s.Y, &s.Z)...)
	rt.Place(ti.Shape{8}, &s.N)
	rt.Place(nil, ti.WithGrad(&s.S, &s.Loss)...)
	titest.Must(t, rt.Load(accessSource, s))
	s.X.Fill(0.5)
	return s
}

// TestDataAccess breaks the rules of data access in several launches, which debug mode finds.
func TestDataAccess(t *testing.T) {
	for _, c := range []struct {
		name string
		run  func(s *accesses) error
		want string // in the message; "" for no error
		at   []int
	}{
		{"fine", func(s *accesses) error {
			return errors.Join(s.Shift(), s.Step(1), s.Zero(), s.Add(1), s.Add(0), s.Sum(), s.Serial())
		}, "", nil},
		{"constants stored again", func(s *accesses) error { return errors.Join(s.Zero(), s.Zero(), s.Add(0), s.Sum()) }, "", nil},
		{"bookkeeping", func(s *accesses) error { return errors.Join(s.Count(), s.Zero(), s.Sum()) }, "", nil},
		{"integration in place", func(s *accesses) error { // what is read is added up, and only that
			return errors.Join(s.Copy(0), s.Linear(), s.Add(1), s.Sum())
		}, "", nil},
		{"constants after use", func(s *accesses) error { return errors.Join(s.Copy(0), s.Linear(), s.Zero(), s.Add(1), s.Sum()) },
			"launch 3 under the tape overwrites Y[0] here, which launch 2, of Linear, has read at", []int{0}},
		{"after a checkpoint", func(s *accesses) error {
			err := s.rt.Checkpoint(func() error { return errors.Join(s.Copy(0), s.Linear(), s.Zero(), s.Add(1)) })
			return errors.Join(err, s.Sum())
		}, "", nil},
		{"in a checkpoint", func(s *accesses) error {
			err := s.rt.Checkpoint(func() error { return errors.Join(s.Copy(0), s.Sum(), s.Zero(), s.Add(1)) })
			return errors.Join(err, s.Sum())
		}, "launch 3 under the tape overwrites Y[0]", []int{0}},
		{"overwritten", func(s *accesses) error { return errors.Join(s.Step(1), s.Step(2), s.Step(1), s.Copy(2), s.Sum()) },
			"launch 3 under the tape overwrites X[1 0] here, which launch 2, of Step, has read at", []int{1, 0}},
		{"accumulated after", func(s *accesses) error { return errors.Join(s.Copy(0), s.Sum(), s.Add(1)) },
			"launch 3 under the tape changes Y[0] here, which launch 2, of Sum, has read at", []int{0}},
		{"stored twice", func(s *accesses) error { return errors.Join(s.Copy(0), s.Copy(1), s.Sum()) },
			"launch 2 under the tape overwrites Y[0] here, which launch 1, of Copy, has stored to at", []int{0}},
		{"integers", func(s *accesses) error { return errors.Join(s.Add(0), s.Shift(), s.Sum()) }, "launch 2 under the tape overwrites N[0]", []int{0}},
		{"serial code", func(s *accesses) error { return errors.Join(s.Copy(0), s.Serial(), s.More()) }, "launch 3 under the tape changes S[]", []int{}},
		{"the program", func(s *accesses) error {
			err := errors.Join(s.Zero(), s.Add(1))
			s.Z.Fill(2) // which nothing uses
			s.X.Set(s.X.At(1, 4)+1, 1, 4)
			return errors.Join(err, s.Sum())
		}, "the program has changed X[1 4] under the tape", []int{1, 4}},
		{"the program in the end", func(s *accesses) error {
			err := errors.Join(s.Zero(), s.Add(1), s.Sum())
			all, _ := s.X.Slice()
			all[9]++
			return err
		}, "the program has changed X[1 1] under the tape", []int{1, 1}},
		{"the program, between an update and a read", func(s *accesses) error {
			err := errors.Join(s.Copy(0), s.Add(1))
			s.Y.Set(9, 2)
			return errors.Join(err, s.Sum())
		}, "launch 3 under the tape reads Y[2] here, which the program has changed, by itself or through a slice, after launch 2, of Add, has added to at", []int{2}},
		{"the program, between two reads", func(s *accesses) error {
			err := errors.Join(s.Copy(0), s.Linear())
			s.Y.Set(9, 2)
			return errors.Join(err, s.Linear())
		}, "launch 3 under the tape reads Y[2] here, which the program has changed, by itself or through a slice, after launch 2, of Linear, has read at", []int{2}},
		{"the program, before a checkpoint", func(s *accesses) error {
			err := s.Copy(0)
			s.Y.Set(9, 2)
			return errors.Join(err, s.rt.Checkpoint(s.Sum))
		}, "which the program has changed, by itself or through a slice, after launch 1, of Copy, has stored to at", []int{2}},
		{"the program, what no launch reads after that", func(s *accesses) error {
			err := errors.Join(s.Copy(0), s.Linear(), s.Sum())
			s.Z.Set(9, 2)
			return errors.Join(err, s.Serial())
		}, "", nil},
		{"the program, what a kernel stores to after that", func(s *accesses) error {
			return s.rt.Checkpoint(func() error {
				err := errors.Join(s.Copy(0), s.Linear())
				s.Y.Set(9, 2)
				return errors.Join(err, s.Zero(), s.Sum())
			})
		}, "", nil},
		{"the program, within CustomGrad", func(s *accesses) error {
			err := s.Copy(0)
			custom := s.rt.CustomGrad(func() error {
				s.Y.Fill(0.25)
				return nil
			}, func() error {
				s.Y.Grad().Fill(0)
				return nil
			})
			return errors.Join(err, custom, s.Sum())
		}, "", nil},
		{"the program, before CustomGrad", func(s *accesses) error {
			err := s.Copy(0)
			s.Y.Set(9, 2)
			custom := s.rt.CustomGrad(func() error { return nil }, func() error { return nil })
			return errors.Join(err, custom, s.Sum())
		}, "launch 3 under the tape reads Y[2] here, which the program has changed", []int{2}},
		{"memory of the program", func(s *accesses) error { // of which the tape has a copy
			w := make([]float32, 8)
			return errors.Join(s.Zero(), s.Weigh(w), s.Clear(w), s.Weigh(w), s.Sum())
		}, "", nil},
		{"the program, constants", func(s *accesses) error {
			err := s.Zero()
			s.Y.Set(9, 2)
			return errors.Join(err, s.Sum())
		}, "", nil},
		{"in place", func(s *accesses) error { return errors.Join(s.InPlace(), s.Sum()) }, "changes Y[0]", []int{0}},
	} {
		for _, arch := range []ti.Arch{ti.LLVM, ti.Oracle} {
			t.Run(c.name+"/"+arch.String(), func(t *testing.T) {
				rt := titest.New(t, ti.Config{Arch: arch, Threads: 2, Debug: true})
				s := newAccesses(t, rt)
				for range 2 { // each tape has a history of its own
					err := rt.Tape(&s.Loss, func() error { return c.run(s) })
					if c.want == "" {
						titest.Must(t, err)
						continue
					}
					e, ok := errors.AsType[*ti.RuntimeError](err)
					if !ok || !errors.Is(err, ti.ErrAccess) || !strings.Contains(e.Msg, c.want) || !slices.Equal(e.Index, c.at) || e.Pos.Line == 0 {
						t.Errorf("the error is %v", err)
					}
				}
			})
		}
	}
}

// TestSparseDataAccess has the program change fields in sparse trees between launches.
func TestSparseDataAccess(t *testing.T) {
	const source = `
package cells

var (
	X    field[vec2, D2]
	N    field[i32, D2]
	Loss field[f32, D0]
)

func Sum() {
	for i, j := range X {
		if i < 8 {
			Loss += dot(X[i][j], X[i][j]) * f32(N[i][j])
		}
	}
}
`
	for _, c := range []struct {
		name   string
		change func(x *ti.Field[ti.Vec2], n *ti.Field[int32])
		want   string // in the message; "" for no error
	}{
		{"nothing", func(x *ti.Field[ti.Vec2], n *ti.Field[int32]) {}, ""},
		{"what was read", func(x *ti.Field[ti.Vec2], n *ti.Field[int32]) { x.Set(ti.Vec2{1, 9}, 3, 5) }, "the program has changed X[3 5] under the tape"},
		{"integers", func(x *ti.Field[ti.Vec2], n *ti.Field[int32]) { n.Set(7, 3, 4) }, "the program has changed N[3 4] under the tape"},
		{"the same number", func(x *ti.Field[ti.Vec2], n *ti.Field[int32]) { x.Set(ti.Vec2{1, 2}, 3, 5) }, ""},
		{"what nothing has read", func(x *ti.Field[ti.Vec2], n *ti.Field[int32]) { x.Set(ti.Vec2{5, 5}, 12, 2) }, ""},
	} {
		titest.EachArchWith(t, ti.Config{Debug: true}, func(t *testing.T, rt *ti.Runtime) {
			var s struct {
				X    ti.Field[ti.Vec2]
				N    ti.Field[int32]
				Loss ti.Field[float32]
				Sum  func() error
			}
			rt.NewTree().Pointer("ij", 4, 4).Bitmasked("ij", 4, 4).Place(ti.WithGrad(&s.X)...)
			rt.NewTree().Hash("ij", 4, 4).Dense("ij", 4, 4).Place(&s.N)
			rt.Place(nil, ti.WithGrad(&s.Loss)...)
			titest.Must(t, rt.Load(source, &s))
			for _, i := range []int{3, 12} {
				s.X.Set(ti.Vec2{1, 2}, i, 5)
				s.X.Set(ti.Vec2{3, 2}, i, 4)
				s.N.Set(2, i, 5)
				s.N.Set(3, i, 4)
				s.X.Set(ti.Vec2{3, 2}, i, 2)
			}
			err := rt.Tape(&s.Loss, func() error {
				err := s.Sum()
				c.change(&s.X, &s.N)
				return errors.Join(err, s.Sum())
			})
			if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, ti.ErrAccess) || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s: the error is %v", c.name, err)
			}
		})
	}
}

// TestOrdinals has serial code and a loop behind an early return, in a kernel whose old values a tape keeps: the accesses of the loops are not one loop's.
func TestOrdinals(t *testing.T) {
	titest.EachArchWith(t, ti.Config{Debug: true}, func(t *testing.T, rt *ti.Runtime) {
		s := new(struct {
			X, Y, Loss ti.Field[float64]
			N, C       ti.Field[int32]
			K          func() error
		})
		rt.Place(ti.Shape{6}, ti.WithGrad(&s.X, &s.Y)...)
		rt.Place(ti.Shape{6}, &s.N, &s.C)
		rt.Place(nil, ti.WithGrad(&s.Loss)...)
		titest.Must(t, rt.Load(`
package ordinals

var (
	X, Y field[f64]
	N, C field[i32]
	Loss field[f64, D0]
)

func K() {
	if X[0] > 9 {
		return
	}
	g := f64(0)
	for k := range serial(N[2] + 2) {
		g += X[k]
	}
	for i := range span(1, 5) {
		Y[i] = sin(X[i]*g)
	}
	for i := range X {
		Loss += Y[i] * f64(atomicAdd(&C[i], 1)+1)
	}
}
`, s))
		s.X.Fill(1)
		titest.Must(t, rt.Tape(&s.Loss, s.K))
		if d, want := s.X.Grad().At(3), 2*math.Cos(2); !(math.Abs(d-want) <= 1e-12) {
			t.Errorf("the derivative is %v and not %v", d, want)
		}
	})
}
