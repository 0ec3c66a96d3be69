package program_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// A NaN that an operation on numbers makes is a failure if CheckNaN says so; one that
// is passed on is none.
func TestCheckNaN(t *testing.T) {
	for _, cfg := range []ti.Config{{CheckNaN: true}, {CheckNaN: true, Debug: true}, {CheckNaN: true, Arch: ti.Oracle}, {}} {
		var h struct {
			Div, Root, Pass func(a, b float32) (float32, error)
		}
		if err := titest.New(t, cfg).Load(`package p
func Div(a, b f32) f32 { return a / b }
func Root(a, b f32) f32 { return sqrt(a) * b }
func Pass(a, b f32) f32 { return (nan + a) * b }
`, &h); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			f    func(a, b float32) (float32, error)
			a, b float32
			want string
		}{
			{h.Div, 0, 0, "0 / 0 is not a number"}, {h.Div, 1, 0, ""}, {h.Root, -1, 2, "sqrt(-1) is not a number"},
			{h.Root, 4, 2, ""}, {h.Pass, 1, 2, ""},
		} {
			_, err := c.f(c.a, c.b)
			if c.want == "" || !cfg.CheckNaN {
				if err != nil {
					t.Errorf("%+v: %v", cfg, err)
				}
			} else if !errors.Is(err, ti.ErrNaN) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%+v: error %v, want %q", cfg, err, c.want)
			}
		}
	}
}
