package ti_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

const joinedSource = `
package joined

var (
	X    field[f64, D1]
	Loss field[f64, D0]
	N    i32
)

func Far(i i32) {
	X[i] = 1
}

func Other(i i32) {
	X[i] = 2
}

func Sum() {
	staticAssert(N < 100, "N is %d", N)
	for i := range X {
		Loss += X[i]
	}
}
`

type joinedHost struct {
	X, Loss    ti.Field[float64]
	N          int32
	Far, Other func(i int32) error
	Sum        func() error
}

// TestJoinedErrors joins the errors of many launches that fail for one cause.
func TestJoinedErrors(t *testing.T) {
	rt := titest.New(t, ti.Config{Threads: 1})
	s := new(joinedHost)
	rt.Place(ti.Shape{4}, ti.WithGrad(&s.X)...)
	rt.Place(nil, ti.WithGrad(&s.Loss)...)
	titest.Must(t, rt.Load(joinedSource, s))

	far := func() (err error) { // at other indices each time
		for i := range int32(52) {
			err = errors.Join(err, s.Far(100+i))
		}
		return err
	}
	both := func() error {
		var errs []error
		for i := range int32(3) {
			errs = append(errs, s.Far(10+i), s.Other(20+i), io.EOF)
		}
		return errors.Join(errs...)
	}
	refused := func() (err error) {
		defer func(n int32) { s.N = n }(s.N)
		s.N = 100
		for range 52 {
			err = errors.Join(err, s.Sum())
		}
		return err
	}
	calls := map[string]func(f func() error) error{
		"Tape":       func(f func() error) error { return rt.Tape(&s.Loss, f) },
		"Adjoint":    func(f func() error) error { return rt.Adjoint(f) },
		"Tangent":    rt.Tangent,
		"Checkpoint": func(f func() error) error { return rt.Checkpoint(f) },
		"CustomGrad": func(f func() error) error { return rt.CustomGrad(f, func() error { return nil }) },
		"Checkpoint within Tape": func(f func() error) error {
			return rt.Tape(&s.Loss, func() error { return rt.Checkpoint(f) })
		},
		"CustomGrad within Tape, going on": func(f func() error) error {
			return rt.Tape(&s.Loss, func() error {
				return errors.Join(rt.CustomGrad(f, func() error { return nil }), s.Sum())
			})
		},
		"the backward pass": func(f func() error) error {
			return rt.Tape(&s.Loss, func() error {
				return errors.Join(rt.CustomGrad(func() error { return nil }, f), s.Sum())
			})
		},
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			if name != "Adjoint" { // which launches nothing
				err := call(far)
				wantJoined(t, err, ti.ErrRange, 1, "index [100] of X", "(and 51 more failed for the same reason)")
				if e, ok := errors.AsType[*ti.RuntimeError](err); !ok || e.Kernel != "Far" {
					t.Errorf("no error of Far is found in %v", err)
				}
				wantJoined(t, call(both), io.EOF, 3, "kernel Far", "kernel Other", "EOF (and 2 more failed for the same reason)")
			}
			err := call(refused)
			if e, ok := errors.AsType[ti.SourceErrors](err); !ok || len(e) != 1 {
				t.Errorf("no errors of a source are found in %v", err)
			}
			if text := err.Error(); strings.Count(text, "N is 100") != 1 || !strings.Contains(text, "and 51 more failed for the same reason") {
				t.Errorf("the error is not printed once:\n%s", text)
			}
			titest.Must(t, s.Far(1)) // the runtime goes on
		})
	}

	t.Run("one by one", func(t *testing.T) {
		titest.Must(t, s.Sum())
		text := refused().Error()
		if n := strings.Count(text, "\n    "); n > 3 {
			t.Errorf("the source is shown again and again:\n%s", text)
		}
		s.N = 101 // another error
		if text := s.Sum().Error(); !strings.Contains(text, "\n    ") || strings.Contains(text, "as before") {
			t.Errorf("another error is not printed in full:\n%s", text)
		}
		err := s.Sum()
		if text := err.Error(); strings.Contains(text, "\n") || !strings.Contains(text, "as before") || !strings.Contains(text, "N is 101") {
			t.Errorf("the same error is printed as:\n%s", text)
		}
		if e, ok := errors.AsType[*ti.SourceError](err); !ok || e.Pos.Line == 0 {
			t.Errorf("no error of a source is found in %v", err)
		}
		s.N = 0
		titest.Must(t, s.Sum())
	})

	t.Run("left alone", func(t *testing.T) {
		for _, want := range []error{io.EOF, errors.Join(io.EOF, io.ErrUnexpectedEOF)} {
			if err := rt.Tape(&s.Loss, func() error { return want }); err != want {
				t.Errorf("the function's %v has become %v", want, err)
			}
		}
	})
}

// wantJoined wants an error of some lines that is another and has some texts.
func wantJoined(t *testing.T, err, is error, lines int, texts ...string) {
	t.Helper()
	if !errors.Is(err, is) {
		t.Fatalf("the error is not %v: %v", is, err)
	}
	if n := strings.Count(err.Error(), "\n") + 1; n != lines {
		t.Errorf("%d lines where %d are wanted:\n%v", n, lines, err)
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%q is not in\n%v", text, err)
		}
	}
}
