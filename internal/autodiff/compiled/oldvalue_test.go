package compiled_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/gradcheck"
	"github.com/gotaichi/ti/internal/titest"
)

const listSource = `
package lists

var (
	X    field[f64]
	List field[f64]       // the numbers above 0, in any order
	From field[i32]       // where they come from
	Near field[f64, D2]   // of each number, those that are near
	Size field[i32]       // how many
	N    field[i32, D0]
	Loss field[f64, D0]
)

func Clear() {
	N = 0
	for i := range Size {
		Size[i] = 0
	}
}

// Collect makes the list.
func Collect() {
	for i := range X {
		if X[i] > 0 {
			k := atomicAdd(&N, 1)
			List[k] = X[i]*X[i]
			From[k] = i
		}
	}
}

// Neighbours makes a list for each number, by a serial loop of a length that only the data know.
func Neighbours() {
	for i := range X {
		for j := range X {
			if i == j {
				continue
			}
			if abs(X[i]-X[j]) < 0.7 {
				k := atomicAdd(&Size[j], 1)
				Near[j][k] = X[i]*X[j]
			}
		}
	}
}

func Sum() {
	for k := range int(N) {
		Loss += List[k]*sin(f64(From[k]))
	}
	for i := range Size {
		for k := range Size[i] {
			Loss += sqr(Near[i][k])*f64(i+1)
		}
	}
}
`

type lists struct {
	X, List, Near                   ti.Field[float64]
	From, Size, N                   ti.Field[int32]
	Loss                            ti.Field[float64]
	Clear, Collect, Neighbours, Sum func() error
}

const listed = 60

func newLists(t *testing.T, rt *ti.Runtime) *lists {
	s := new(lists)
	rt.Place(ti.Shape{listed}, ti.WithDual(ti.WithGrad(&s.X, &s.List)...)...)
	rt.Place(ti.Shape{listed, listed}, ti.WithDual(ti.WithGrad(&s.Near)...)...)
	rt.Place(ti.Shape{listed}, &s.From, &s.Size)
	rt.Place(nil, &s.N)
	rt.Place(nil, ti.WithDual(ti.WithGrad(&s.Loss)...)...)
	if err := rt.Load(listSource, s); err != nil {
		t.Fatal(err)
	}
	for i := range listed {
		s.X.Set(math.Sin(float64(i*i)), i)
	}
	return s
}

func (s *lists) run() error {
	s.Loss.Fill(0)
	return errors.Join(s.Clear(), s.Collect(), s.Neighbours(), s.Sum())
}

// want is what run computes, and its derivatives of first and second order along d.
func (s *lists) want(d func(i int) float64) (grad []float64, hessian []float64) {
	grad, hessian = make([]float64, listed), make([]float64, listed)
	x := func(i int) float64 { return s.X.At(i) }
	for i := range listed {
		if x(i) > 0 {
			grad[i] += 2 * x(i) * math.Sin(float64(i))
			hessian[i] += 2 * d(i) * math.Sin(float64(i))
		}
		for j := range listed {
			if i != j && math.Abs(x(i)-x(j)) < 0.7 {
				w := float64(j + 1)
				grad[i] += 2 * x(i) * x(j) * x(j) * w
				grad[j] += 2 * x(j) * x(i) * x(i) * w
				hessian[i] += 2*d(i)*x(j)*x(j)*w + 4*x(i)*x(j)*d(j)*w
				hessian[j] += 2*d(j)*x(i)*x(i)*w + 4*x(j)*x(i)*d(i)*w
			}
		}
	}
	return grad, hessian
}

// TestTapeOfSlots has kernels take the slots of lists by atomics: the backward pass finds the slots of the launch, in any order of threads.
func TestTapeOfSlots(t *testing.T) {
	for _, debug := range []bool{false, true} {
		titest.EachArchWith(t, ti.Config{Debug: debug, Threads: 3}, func(t *testing.T, rt *ti.Runtime) {
			s := newLists(t, rt)
			grad, _ := s.want(func(int) float64 { return 0 })
			check := func(what string, x *ti.Field[float64], want []float64) {
				t.Helper()
				for i, w := range want {
					if got := x.At(i); !(math.Abs(got-w) <= 1e-10*(1+math.Abs(w))) {
						t.Fatalf("%s: element %d is %v, want %v", what, i, got, w)
					}
				}
			}
			for range 3 {
				if err := rt.Tape(&s.Loss, s.run); err != nil {
					t.Fatal(err)
				}
				check("tape", s.X.Grad(), grad)
			}
			// The lists are made a second time under the checkpoint, and other launches come between.
			err := rt.Tape(&s.Loss, func() error {
				s.Loss.Fill(0)
				return rt.Checkpoint(func() error { return errors.Join(s.Clear(), s.Collect(), s.Neighbours(), s.Sum()) }, &s.Loss)
			})
			if err != nil {
				t.Fatal(err)
			}
			check("checkpoint", s.X.Grad(), grad)
			d := func(i int) float64 { return math.Cos(float64(i)) }
			for i := range listed {
				s.X.Dual().Set(d(i), i)
			}
			if err := rt.Tangent(func() error { return rt.Tape(&s.Loss, s.run) }); err != nil {
				t.Fatal(err)
			}
			_, hessian := s.want(d)
			check("hessian", s.X.Grad().Dual(), hessian)
		})
	}
}

// TestGradcheckOfSlots compares launch by launch.
func TestGradcheckOfSlots(t *testing.T) {
	rt := titest.New(t, ti.Config{Threads: 1})
	s := newLists(t, rt)
	if err := gradcheck.Check(rt, &s.Loss, s.run, &s.X); err != nil {
		t.Error(err)
	}
}

// TestManyOldValues has more than there is room for, and a launch that stores none.
func TestManyOldValues(t *testing.T) {
	rt := titest.New(t, ti.Config{MemoryLimit: 4 << 20})
	var s struct {
		X, Y, Loss ti.Field[float32]
		N          ti.Field[int32]
		Slots      func(n int) error
	}
	rt.Place(ti.Shape{10}, ti.WithGrad(&s.X, &s.Y)...)
	rt.Place(nil, ti.WithGrad(&s.Loss)...)
	rt.Place(nil, &s.N)
	err := rt.Load(`
package many

var (
	X, Y field[f32]
	Loss field[f32, D0]
	N    field[i32, D0]
)

func Slots(n int) {
	for range n {
		k := atomicAdd(&N, 1)
		Loss += X[k%10]
	}
}
`, &s)
	if err != nil {
		t.Fatal(err)
	}
	if err := rt.Tape(&s.Loss, func() error { return s.Slots(1000) }); err != nil || s.X.Grad().At(3) != 100 {
		t.Errorf("a tape gives %v and the derivative %v, want 100", err, s.X.Grad().At(3))
	}
	err = rt.Tape(&s.Loss, func() error { return s.Slots(1 << 20) })
	want := fmt.Sprintf("%d bytes", 8*(1<<20+2))
	if e, ok := errors.AsType[*ti.RuntimeError](err); !ok || !errors.Is(err, ti.ErrMemory) || !strings.Contains(e.Msg, want) || e.Pos.Column != 8 {
		t.Errorf("2²⁰ old values: the error is %v", err)
	}
	err = rt.Adjoint(func() error { return s.Slots(10) })
	if !errors.Is(err, ti.ErrGradient) || !strings.Contains(fmt.Sprint(err), "Adjoint launches nothing") {
		t.Errorf("Adjoint of atomics: the error is %v", err)
	}
}

// TestTapeOfAppends makes lists in a sparse tree: append returns the slot.
func TestTapeOfAppends(t *testing.T) {
	const source = `
package appends

var (
	X    field[f32]
	List field[f32, D2] // numbers of alike sign
	W    field[f32]
	Loss field[f32, D0]
)

func Gather() {
	for i := range X {
		k := append(List[int(X[i] > 0)], 0)
		if k >= 0 {
			Loss += X[i] * W[k] * f32(k+1)
		}
	}
}
`
	titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
		var s struct {
			X, List, W, Loss ti.Field[float32]
			Gather           func() error
		}
		const n = 40
		rt.Place(ti.Shape{n}, ti.WithGrad(&s.X)...)
		rt.Place(ti.Shape{64}, ti.WithGrad(&s.W)...)
		rt.Place(nil, ti.WithGrad(&s.Loss)...)
		rt.NewTree().Dense("i", 2).Dynamic("j", 64).Place(&s.List)
		if err := rt.Load(source, &s); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			s.X.Set(float32(math.Sin(float64(i)*2)), i)
		}
		for k := range 64 {
			s.W.Set(float32(k)/8-3, k)
		}
		titest.Must(t, rt.Tape(&s.Loss, s.Gather))
		// Whatever the order, W[k] gets the two numbers in slot k, and the sum over i of dX*X is the loss.
		sum, loss := 0.0, float64(s.Loss.At())
		for i := range n {
			sum += float64(s.X.Grad().At(i)) * float64(s.X.At(i))
		}
		if !(math.Abs(sum-loss) <= 1e-3*math.Abs(loss)) {
			t.Errorf("the derivatives by X come to %v, want %v", sum, loss)
		}
		sum = 0
		for k := range 64 {
			sum += float64(s.W.Grad().At(k)) * float64(s.W.At(k))
		}
		if !(math.Abs(sum-loss) <= 1e-3*math.Abs(loss)) {
			t.Errorf("the derivatives by W come to %v, want %v", sum, loss)
		}
	})
}

// TestJudgeOfStops sees that the oracle's tape takes what stopGrad marks as constant also in a launch that stores old values.
func TestJudgeOfStops(t *testing.T) {
	l := &lender{t: t, open: map[loan]*lent{}}
	defer l.closeAll()
	const source = madeHeader + madeWide + `
func K() {
	for i := range X {
		u := stopGrad(X[i])
		n := atomicAdd(&C[0], 4)
		Y[i] = u * X[i] * f64(n)
	}
}
`
	x := []float64{0.5, -1, 2, 0.25, 3, -0.75}
	back, tape, _ := gradientOf[float64](l, loan{arch: ti.Oracle}, source, x, madeDense)
	for i := range x {
		want := x[i] * float64(4*i) * float64(i+1)
		if !(math.Abs(back[i]-want) <= 1e-12 && math.Abs(tape[i]-want) <= 1e-12) {
			t.Errorf("derivative %d is %v and on the tape %v, and should be %v", i, back[i], tape[i], want)
		}
	}
}

const oldKindsSource = `
package kinds

var (
	X    field[f64]
	Y    field[f64, D2]
	A    field[i8]
	B    field[u8]
	C    field[i32]
	D    field[u32]
	E    field[i64]
	F    field[u64]
	G    field[f16]
	H    field[f32]
	I    field[f64]
	Loss field[f64, D0]
)

func K() {
	for i := range X {
		k := i / 2 // all of these numbers have about the same size
		Y[i][0] = X[i] * f64(atomicAdd(&A[k], 3))
		Y[i][1] = X[i] * f64(atomicAdd(&B[k], 3))
		Y[i][2] = X[i] * f64(atomicAdd(&C[k], 3)) * 1e-9
		Y[i][3] = X[i] * f64(atomicAdd(&D[k], 3)) * 1e-9
		Y[i][4] = X[i] * f64(atomicAdd(&E[k], 3)) * 1e-18
		Y[i][5] = X[i] * f64(atomicAdd(&F[k], 3)) * 1e-18
		Y[i][6] = X[i] * f64(atomicAdd(&G[k], 3))
		Y[i][7] = X[i] * f64(atomicAdd(&H[k], 3))
		Y[i][8] = X[i] * atomicAdd(&I[k], 3)
	}
}

// Serial has a chain of old values.
func Serial() {
	for i := range X {
		s := f64(0)
		for k := range serial(int(X[i]) + 2) {
			s += X[i] * f64(atomicAdd(&A[k], 3)) * f64(atomicAdd(&B[k], 3)) * f64(atomicAdd(&C[k], 3)) * 1e-9 * f64(atomicAdd(&D[k], 3)) * 1e-9 * f64(atomicAdd(&E[k], 3)) * 1e-18
			s += X[i] * f64(atomicAdd(&F[k], 3)) * 1e-18 * f64(atomicAdd(&G[k], 3)) * f64(atomicAdd(&H[k], 3)) * atomicAdd(&I[k], 3)
		}
		Y[i][0] = s
	}
}

func Sum() {
	for i, j := range Y {
		Loss += Y[i][j]
	}
}
`

// TestOldKinds has old values of each type of number, negative ones, large ones and such with a fraction: the derivative is that which the
// launch found.
func TestOldKinds(t *testing.T) {
	titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
		s := new(struct {
			X, Y, Loss     ti.Field[float64]
			A              ti.Field[int8]
			B              ti.Field[uint8]
			C              ti.Field[int32]
			D              ti.Field[uint32]
			E              ti.Field[int64]
			F              ti.Field[uint64]
			G              ti.Field[ti.Float16]
			H              ti.Field[float32]
			I              ti.Field[float64]
			K, Serial, Sum func() error
		})
		rt.Place(ti.Shape{6}, ti.WithGrad(&s.X)...)
		rt.Place(ti.Shape{6, 9}, ti.WithGrad(&s.Y)...)
		rt.Place(ti.Shape{3}, &s.A, &s.B, &s.C, &s.D, &s.E, &s.F, &s.G, &s.H, &s.I)
		rt.Place(nil, ti.WithGrad(&s.Loss)...)
		titest.Must(t, rt.Load(oldKindsSource, s))
		for name, k := range map[string]func() error{"K": s.K, "Serial": s.Serial} {
			s.X.Fill(1)
			s.Y.Fill(0)
			s.A.Fill(-100)
			s.B.Fill(200)
			s.C.Fill(-2_000_000_000)
			s.D.Fill(4_000_000_000)
			s.E.Fill(-1 << 62)
			s.F.Fill(1<<63 + 1<<40)
			s.G.Fill(ti.ToFloat16(-1.375))
			s.H.Fill(0.123)
			s.I.Fill(-4.56)
			titest.Must(t, rt.Tape(&s.Loss, func() error { return errors.Join(k(), s.Sum()) }))
			for i := range 6 {
				want := 0.0
				for j := range 9 {
					want += s.Y.At(i, j)
				}
				if got := s.X.Grad().At(i); !(math.Abs(got-want) <= 1e-12*math.Abs(want)) || want == 0 {
					t.Errorf("%s: the derivative by X[%d] is %v, not %v", name, i, got, want)
				}
			}
		}
	})
}
