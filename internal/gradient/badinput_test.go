package gradient_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/titest"
)

const badGradSource = `
package bad

var (
	X, Y field[f64]
	Loss field[f64, D0]
)

// Root has a derivative that is infinite at 0, and is multiplied by 0.
func Root() {
	for i := range X {
		Y[i] = sqrt(X[i])*sqrt(X[i])
	}
}

func Sum() {
	for i := range Y {
		Loss += Y[i]
	}
}

// Far is an index out of range.
func Far(n int) {
	for i := range X {
		Y[i] = X[i+n]
	}
}

// Long has any number of iterations in each thread.
func Long(n int) {
	for i := range X {
		y := X[i]
		for range n {
			y = y*0.99999 + 0.00001*X[i]*X[i]
		}
		Y[i] = y
	}
}

// Bent is not linear, so that its backward pass wants all that it computes.
func Bent(n int) {
	for i := range X {
		y := X[i]
		for range n {
			y = 1/(1+y)
		}
		Y[i] = y
	}
}

// While is Long with a loop of which nobody knows the length before.
func While(n int) {
	for i := range X {
		y, k := X[i], 0
		for k < n && y > -1 {
			y = y*0.99999 + 0.00001*X[i]*X[i]
			k++
		}
		Y[i] = y
	}
}

// Little is launched often.
func Little() {
	for i := range X {
		Y[i] += X[i]
	}
}
`

type badGrad struct {
	X, Y, Loss             ti.Field[float64]
	Root, Sum, Little      func() error
	Far, Long, While, Bent func(n int) error
}

func newBadGrad(t *testing.T, rt *ti.Runtime) *badGrad {
	s := new(badGrad)
	rt.Place(ti.Shape{4}, ti.WithGrad(&s.X, &s.Y)...)
	rt.Place(nil, ti.WithGrad(&s.Loss)...)
	titest.Must(t, rt.Load(badGradSource, s))
	s.X.Fill(1)
	return s
}

// TestTapeOfFailures has launches under a tape fail, and trees closed before the backward pass.
func TestTapeOfFailures(t *testing.T) {
	titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
		s := newBadGrad(t, rt)
		s.X.Grad().Fill(5)
		err := rt.Tape(&s.Loss, func() error { return errors.Join(s.Far(2), s.Sum()) })
		if e, ok := errors.AsType[*ti.RuntimeError](err); !ok || !errors.Is(err, ti.ErrRange) || e.Kernel != "Far" {
			t.Errorf("a launch that fails: %v", err)
		}
		titest.Must(t, rt.Tape(&s.Loss, func() error { return errors.Join(s.Far(0), s.Sum()) }))
		if d := s.X.Grad().At(1); d != 1 {
			t.Errorf("after that the derivative is %v", d)
		}
		err = rt.Tape(&s.Loss, func() error { return errors.Join(s.Far(0), s.Sum(), s.X.Tree().Close()) })
		if !errors.Is(err, ti.ErrClosed) {
			t.Errorf("a tree that is closed before the backward pass: %v", err)
		}
	})
}

// TestTripCounts runs the backward pass of loops without iterations, and with a million; with ten if all tests are to run.
func TestTripCounts(t *testing.T) {
	rt := titest.New(t, ti.Config{Threads: 2})
	s := newBadGrad(t, rt)
	long := 1_000_000
	switch {
	case titest.InSoftware(rt): // a driver in software does not do more rounds
		long = 10_000
	case randtest.All():
		long = 10_000_000
	}
	for _, loop := range []func(n int) error{s.Long, s.While} {
		for _, n := range []int{0, 1, long} {
			titest.Must(t, rt.Tape(&s.Loss, func() error { return errors.Join(loop(n), s.Sum()) }))
			p := math.Pow(0.99999, float64(n)) // not a subnormal number, which would take long
			if got, want := s.X.Grad().At(2), p+2*(1-p); !(math.Abs(got-want) <= 1e-9) {
				t.Errorf("with %d iterations the derivative is %v and not %v", n, got, want)
			}
		}
	}
	if titest.InSoftware(rt) {
		return
	}
	titest.Must(t, rt.Tape(&s.Loss, func() error { return errors.Join(s.Long(20_000_000), s.Sum()) })) // which keeps nothing
	// More than a full stack of segments: parts of these run again several times.
	for i, c := range []struct {
		loop func(n int) error
		want float64
	}{{s.While, 2}, {s.Bent, 0}} {
		if i > 0 && !randtest.All() {
			break
		}
		titest.Must(t, rt.Tape(&s.Loss, func() error { return errors.Join(c.loop(17_000_000), s.Sum()) }))
		if got := s.X.Grad().At(2); !(math.Abs(got-c.want) <= 1e-9) {
			t.Errorf("with seventeen million iterations the derivative is %v and not %v", got, c.want)
		}
	}
}

// TestManyLaunches records a hundred thousand launches, and a million if all tests are asked for.
func TestManyLaunches(t *testing.T) {
	n := 100_000
	if randtest.All() {
		n = 1_000_000
	}
	rt := titest.New(t, ti.Config{Threads: 1})
	s := newBadGrad(t, rt)
	titest.Must(t, rt.Tape(&s.Loss, func() error {
		for range n {
			if err := s.Little(); err != nil {
				return err
			}
		}
		return s.Sum()
	}))
	if d := s.X.Grad().At(0); d != float64(n) {
		t.Errorf("the derivative is %v and not %d", d, n)
	}
}

// TestLaunchesBesideATape has goroutines launch while a tape records: it takes their launches, too.
func TestLaunchesBesideATape(t *testing.T) {
	rt := titest.New(t, ti.Config{Threads: 2})
	s := newBadGrad(t, rt)
	titest.Must(t, rt.Tape(&s.Loss, func() error {
		var wait sync.WaitGroup
		errs := make([]error, 8)
		for g := range errs {
			wait.Go(func() {
				for range 100 {
					errs[g] = errors.Join(errs[g], s.Little())
				}
			})
		}
		wait.Wait()
		return errors.Join(append(errs, s.Sum())...)
	}))
	if d := s.X.Grad().At(0); d != 800 {
		t.Errorf("the derivative is %v and not 800", d)
	}
}

// TestEndlessUnderATape stops a loop that does not end, by a deadline and by closing the runtime.
func TestEndlessUnderATape(t *testing.T) {
	for _, arch := range []ti.Arch{ti.LLVM, ti.Oracle} {
		rt := titest.New(t, ti.Config{Arch: arch, Threads: 2})
		if titest.InSoftware(rt) { // a driver in software does not do so many rounds
			continue
		}
		var s struct {
			X, Y, Loss ti.Field[float64]
			Spin       func(ctx context.Context) error
			Sum        func() error
		}
		rt.Place(ti.Shape{4}, ti.WithGrad(&s.X, &s.Y)...)
		rt.Place(nil, ti.WithGrad(&s.Loss)...)
		titest.Must(t, rt.Load(`package p
var (
	X, Y field[f64]
	Loss field[f64, D0]
)
func Spin() { for i := range X { y := X[i]; for y > 0 { y = y*0.5 + 1 }; Y[i] = y } }
func Sum() { for i := range Y { Loss += Y[i] } }
`, &s))
		s.X.Fill(-1)
		gradient := func(wait time.Duration) error {
			ctx, cancel := context.WithTimeout(context.Background(), wait)
			defer cancel()
			return rt.Tape(&s.Loss, func() error { return errors.Join(s.Spin(ctx), s.Sum()) })
		}
		titest.Must(t, gradient(time.Minute)) // of which no iteration begins
		s.X.Fill(1)
		if err := gradient(30 * time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v: an endless loop under a tape: %v", arch, err)
		}
		s.X.Fill(-1)
		titest.Must(t, gradient(time.Minute))
		if d := s.X.Grad().At(1); d != 1 {
			t.Errorf("%v: after that the derivative is %v", arch, d)
		}
		s.X.Fill(1)
		go func() { time.Sleep(30 * time.Millisecond); _ = rt.Close() }()
		if err := gradient(time.Minute); !errors.Is(err, ti.ErrClosed) {
			t.Errorf("%v: an endless loop under a tape of a runtime that is closed: %v", arch, err)
		}
	}
}

// TestDroppedFailures has functions under a tape drop the errors of launches that failed: a launch is missing then.
func TestDroppedFailures(t *testing.T) {
	titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
		s := newBadGrad(t, rt)
		p, err := rt.Compile(ti.Text("bad.ti", badGradSource), s)
		titest.Must(t, err)
		far := p.Kernel("Far")
		done, cancel := context.WithCancel(context.Background())
		cancel()
		for _, c := range []struct {
			name   string
			launch func()
			want   error
		}{
			{"an index", func() { _ = s.Far(2) }, ti.ErrRange},
			{"in a checkpoint", func() { _ = rt.Checkpoint(func() error { _ = s.Far(2); return nil }) }, ti.ErrRange},
			{"an argument", func() { _, _ = far.Launch(context.Background(), "two") }, ti.ErrArgs},
			{"too few arguments", func() { _, _ = far.Launch(context.Background()) }, ti.ErrArgs},
			{"a context", func() { _, _ = far.Launch(done, int32(0)) }, context.Canceled},
		} {
			s.X.Grad().Fill(5)
			err := rt.Tape(&s.Loss, func() error { c.launch(); return s.Sum() })
			if !errors.Is(err, c.want) {
				t.Errorf("%s: the tape returns %v", c.name, err)
			}
			if d := s.X.Grad().At(1); d != 0 {
				t.Errorf("%s: something was differentiated: %v", c.name, d)
			}
		}
		if err := rt.Adjoint(func() error { _, _ = far.Launch(context.Background(), "two"); return nil }); !errors.Is(err, ti.ErrArgs) {
			t.Errorf("Adjoint returns %v", err)
		}
		titest.Must(t, rt.Tape(&s.Loss, func() error { return errors.Join(s.Far(0), s.Sum()) }))
	})
}

// TestTapeOnTheBackwardPass begins tapes within the backward pass of another, and within Adjoint: they change nothing.
func TestTapeOnTheBackwardPass(t *testing.T) {
	titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
		s := newBadGrad(t, rt)
		run := func() error { return errors.Join(s.Far(0), s.Sum()) }
		inner := func() error { return rt.Tape(&s.Loss, s.Sum) }
		err := rt.Tape(&s.Loss, func() error {
			return errors.Join(s.Far(0), rt.CustomGrad(s.Sum, func() error {
				if err := inner(); !errors.Is(err, ti.ErrBusy) {
					t.Errorf("a tape on the backward pass of another: %v", err)
				}
				return rt.Adjoint(s.Sum)
			}))
		})
		titest.Must(t, err)
		if d := s.X.Grad().At(1); d != 1 {
			t.Errorf("the derivative is %v", d)
		}
		titest.Must(t, rt.Tape(&s.Loss, run)) // the next one is not within another
		titest.Must(t, rt.Adjoint(func() error {
			if err := inner(); !errors.Is(err, ti.ErrBusy) {
				t.Errorf("a tape within Adjoint: %v", err)
			}
			return s.Far(0)
		}))
		if d := s.X.Grad().At(1); d != 2 {
			t.Errorf("after Adjoint the derivative is %v", d)
		}
		func() {
			defer func() { _ = recover() }()
			_ = rt.Tape(&s.Loss, func() error { panic("in a tape") })
		}()
		titest.Must(t, rt.Tape(&s.Loss, run))
	})
}

// TestAtomicLoadStore has atomic loads and stores of elements with an adjoint, which have no derivative. That of an integer is a constant.
func TestAtomicLoadStore(t *testing.T) {
	titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
		var s struct {
			X, Y, L           ti.Field[float64]
			N                 ti.Field[int32]
			Load, Store, Pick func() error
		}
		rt.Place(ti.Shape{3}, ti.WithGrad(&s.X, &s.Y)...)
		rt.Place(ti.Shape{3}, &s.N)
		rt.Place(nil, ti.WithGrad(&s.L)...)
		titest.Must(t, rt.Load(`package p

var X, Y field[f64, D1]
var N field[i32, D1]
var L field[f64, D0]

func Load() {
	for i := range X { L += atomicLoad(&X[i]) }
}

func Store() {
	for i := range X { atomicStore(&Y[i], 2*X[i]) }
	for i := range Y { L += Y[i] }
}

func Pick() {
	for i := range X { L += X[atomicLoad(&N[i])]*X[i] }
}`, &s))
		for name, k := range map[string]func() error{"load": s.Load, "xchg": s.Store} {
			err := rt.Tape(&s.L, k)
			if !errors.Is(err, ti.ErrGradient) || !strings.Contains(err.Error(), "atomic "+name+" on an element with an adjoint has no derivative") {
				t.Errorf("%s: %v", name, err)
			}
		}
		titest.Must(t, s.X.CopyFrom([]float64{2, 3, 5}))
		titest.Must(t, rt.Tape(&s.L, s.Pick))
		for i, want := range []float64{2 + 2 + 3 + 5, 2, 2} {
			if got := s.X.Grad().At(i); got != want {
				t.Errorf("the derivative by X[%d] is %v, not %v", i, got, want)
			}
		}
	})
}
