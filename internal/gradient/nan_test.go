package gradient_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// TestNaNOnTheBackwardPass checks the reported origin of derivatives that are NaN.
func TestNaNOnTheBackwardPass(t *testing.T) {
	for _, cfg := range []ti.Config{{CheckNaN: true}, {Debug: true}, {Debug: true, CheckNaN: true}, {Arch: ti.Oracle, CheckNaN: true}, {Arch: ti.Oracle, Debug: true}} {
		rt := titest.New(t, cfg)
		s := newBadGrad(t, rt)
		run := func() error { return errors.Join(s.Root(), s.Sum()) }
		titest.Must(t, rt.Tape(&s.Loss, run))
		s.X.Set(0, 2)
		s.X.Set(math.Inf(1), 3)
		err := rt.Tape(&s.Loss, run)
		if e, ok := errors.AsType[*ti.RuntimeError](err); !ok || !errors.Is(err, ti.ErrNaN) || e.Kernel != "Root" || e.Pos.Line == 0 || !strings.Contains(e.Msg, "the backward pass through") {
			t.Errorf("%+v: a derivative that is not a number: %v", cfg, err)
		}
	}
}

// TestWhereNaNIsBorn has derivatives that are no numbers, in debug mode: the launch fails at what makes them of numbers, and nowhere else.
func TestWhereNaNIsBorn(t *testing.T) {
	for _, c := range []struct {
		body string
		x, z float64
		want string // "" for none
	}{
		{"Y[i] = sqrt(X[i])*Z[i]", math.Inf(1), math.Inf(1), "sqrt(…) = +Inf: its derivative, times +Inf,"},
		{"Y[i] = sqrt(X[i])*X[i]", 0, 1, ""}, // 0 by the table of kinks
		{"Y[i] = X[i]*Z[i]", 0, math.NaN(), ""},
		{"Y[i] = log(X[i])*Z[i]", math.NaN(), 0, ""},
		{"Y[i] = ifelse(X[i] > 0, X[i]*log(X[i]), 0)", 0, 1, ""},
		{"Y[i] = 0\nif X[i] > 0 {\nY[i] = X[i]*log(X[i])\n}", 0, 1, ""},
		{"Y[i] = rsqrt(X[i])", 0, 1, ""},                                            // infinite
		{"Y[i] = sin(X[i])", math.Inf(1), 1, "sin(+Inf): its derivative, times 1,"}, // nor is its result
		{"Y[i] = 1/X[i] - 1/(X[i]*X[i])", 0, 1, "is not a number"},
		{"Y[i] = determinant(inverse(dmat2(X[i], 0, 0, X[i])))", 0, 1, ""}, // neither is a number on the way there
		{"Y[i] = sqrt(X[i]) + rsqrt(X[i])", 0, 1, "the sum of the derivatives "},
		{"Y[i] = sqrt(X[2+i%1])*(f64(i) - 1.5)", 0, 1, "the sum of the derivatives -Inf and +Inf"},
		{"Y[i] = (sqrt(X[i]) + sqrt(X[(i+1)%4]))*(f64(i) - 1.5)", 0, 1, "the sum of the derivatives "}, // gathered
		{"a := X[2]\nloop:\nY[i] = sqrt(a)*(f64(i) - 1.5)", 0, 1, "the sum of the derivatives -Inf and +Inf"},
		{"Y[i] = own(X[i])", 3, 1, "the backward pass through own"},
		// A check reads nothing that is overwritten.
		{"w := W[i]\nW[i] = 5\nY[i] = 2*(w - X[i])", 1, 1, ""},
	} {
		for _, arch := range []ti.Arch{ti.LLVM, ti.Oracle} {
			rt := titest.New(t, ti.Config{Arch: arch, Debug: true})
			s := new(struct {
				X, Y, Z, W, Loss ti.Field[float64]
				Root, Sum        func() error
			})
			rt.Place(ti.Shape{4}, append(ti.WithGrad(&s.X, &s.Y, &s.Z), &s.W)...)
			rt.Place(nil, ti.WithGrad(&s.Loss)...)
			before, inside, ok := strings.Cut(c.body, "loop:\n")
			if !ok {
				before, inside = "", c.body
			}
			source := "package born\nvar (\nX, Y, Z, W field[f64]\nLoss field[f64, D0]\n)\n" +
				"func Root() {\n" + before + "for i := range X {\n" + inside + "\n}\n}\nfunc Sum() {\nfor i := range Y {\nLoss += Y[i]\n}\n}\n" +
				"//ti:grad own\nfunc ownGrad(x, d f64) f64 {\nreturn d*(x-x)/(x-3)\n}\nfunc own(x f64) f64 {\nreturn x\n}\n"
			titest.Must(t, rt.Load(source, s))
			s.X.Fill(1)
			s.Z.Fill(1)
			s.X.Set(c.x, 2)
			s.Z.Set(c.z, 2)
			err := rt.Tape(&s.Loss, func() error { return errors.Join(s.Root(), s.Sum()) })
			if c.want == "" && err == nil {
				continue
			}
			e, ok := errors.AsType[*ti.RuntimeError](err)
			if !ok || c.want == "" || !errors.Is(err, ti.ErrNaN) || e.Kernel != "Root" || !strings.Contains(e.Msg, c.want) || !strings.Contains(err.Error(), "in iteration [2]") {
				t.Errorf("%s with %v and %v: %v", c.body, c.x, c.z, err)
			}
		}
	}
}
