package compiled_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// TestPlanesFarAway steps through three planes in turn, by numbers at the end of their type, where the planes of two steps may be one: the backward pass
// is right, or an error says why not.
func TestPlanesFarAway(t *testing.T) {
	for _, c := range []struct {
		name, planes string
		t            int32
		says         string // the number that is too large; "" where there is a derivative
	}{
		{"near", "a, b := mod(t, 3), mod(t+1, 3)", 4, ""},
		{"below 0", "a, b := mod(t, 3), mod(t+1, 3)", -4, ""},
		{"one plane", "a, b := mod(t, 3), mod(t+1, 3)", math.MaxInt32, "2147483647"},
		{"far", "a, b := mod(t, 3), mod(t+1, 3)", 1 << 30, "1073741824"},
		{"far below 0", "a, b := mod(t, 3), mod(t+1, 3)", -1 << 30, "-1073741824"},
		{"not so far", "a, b := mod(t, 3), mod(t+1, 3)", 1<<30 - 1, ""},
		{"longer", "a, b := int(mod(i64(t), 3)), int(mod(i64(t)+1, 3))", math.MaxInt32, ""},
		{"two planes", "a, b := mod(t, 2), mod(t+1, 2)", math.MaxInt32, ""},
		{"a product", "a, b := mod(t*5, 3), mod(t*5+1, 3)", math.MaxInt32 / 5, "2147483645"},
		{"mirrored", "a, b := mod(t, 6), mod(1-t, 6)", -math.MaxInt32, "-2147483647"},
		{"one step", "a, b := 0, mod(t, 3)", math.MaxInt32, ""},
	} {
		for _, arch := range []ti.Arch{ti.Oracle, ti.LLVM} {
			rt := titest.New(t, ti.Config{Arch: arch})
			s := new(struct {
				T, Loss ti.Field[float64]
				P       ti.Field[int32]
				Step    func(t int32) error
				Sum     func() error
			})
			rt.Place(ti.Shape{6, 8}, ti.WithGrad(&s.T)...)
			rt.Place(nil, ti.WithGrad(&s.Loss)...)
			rt.Place(ti.Shape{2}, &s.P)
			titest.Must(t, rt.Load("package planes\nvar T field[f64, D2]\nvar Loss field[f64, D0]\nvar P field[i32, D1]\nfunc Step(t int) {\n"+c.planes+"\nP[0], P[1] = a, b\n"+
				"for j := range span(1, 7) {\nT[b][j] = T[a][j]*T[a][j-1]\n}\n}\n"+
				"func Sum() {\nfor i, j := range T {\nLoss += T[i][j]*f64(i*8+j+1)\n}\n}\n", s))
			for i := range 48 {
				s.T.Set(0.5+float64(i*7%48)/16, i/8, i%8)
			}
			err := rt.Tape(&s.Loss, func() error { return errors.Join(s.Step(c.t), s.Sum()) })
			if c.says != "" {
				e, ok := errors.AsType[*ti.RuntimeError](err)
				if !ok || !errors.Is(err, ti.ErrOverflow) || e.Kernel != "Step" || e.Pos.Line == 0 || !strings.Contains(e.Msg, "the backward pass: "+c.says+" is too large to tell remainders") {
					t.Errorf("%s: %v", c.name, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			a, b := int(s.P.At(0)), int(s.P.At(1))
			for i := range 48 {
				p, j := i/8, i%8
				want := float64(i + 1)
				if p == a && j >= 1 && j < 7 {
					want += float64(b*8+j+1) * s.T.At(a, j-1)
				}
				if p == a && j < 6 {
					want += float64(b*8+j+2) * s.T.At(a, j+1)
				}
				if d := s.T.Grad().At(p, j); !(math.Abs(d-want) <= 1e-12) {
					t.Errorf("%s: the derivative by T[%d][%d] is %v, want %v", c.name, p, j, d, want)
				}
			}
		}
	}
}
