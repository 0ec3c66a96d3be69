package autodiff_test

import (
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/autodiff"
	"github.com/gotaichi/ti/internal/ir"
)

// TestNormalised counts the ifs of the normal form. A loop that is left early needs one around its iterations, if it counts, and
// one that ends it. What follows a jump goes into the region that reaches its end, without an if, and is never copied.
func TestNormalised(t *testing.T) {
	for _, c := range []struct {
		name, body string
		ifs        int
	}{
		{"no jump", "if s > 1 { s = s*0.5 }; s = sin(s)", 4},
		{"one region jumps", "if s > 1 { break }; s = sin(s)", 4},
		{"both jump", "if s > 1 { s = s*2; break } else { s = s*1.1; continue }", 3},
		{"both regions may reach the end", "if s > 1 { if s > 2 { break }; s = s*0.5 } else { s = s*1.1 }; s = sin(s)", 6},
		{"an if with two jumps", "if s > 1 { if s > 2 { break } else { continue } } else { s = s*1.1 }; s = sin(s)", 6},
		{"an if with one jump", "if s > 1 { if s > 2 { break } else { s = s*2 } } else { break }; s = sin(s)", 5},
		{"an if with the other jump", "if s > 1 { if s > 2 { s = s*2 } else { break } } else { break }; s = sin(s)", 5},
		{"one way past an inner if", "if s > 1 { if s > 2 { s = s*2 } else { break } } else { s = s*1.1 }; if s > 3 { s = s*3 }; s = sin(s)", 7},
		{"an endless loop", "if s > 1 { for { s = s*0.5; if s < 1 { break out } } } else { s = s*1.1 }; s = sin(s)", 6},
		{"a loop that ends", "if s > 1 { for { s = s*0.5; if s < 0.1 { break out }; if s < 0.5 { break } } } else { s = cos(s) }; s = sin(s)", 10},
		{"a switch with a way past it", "if s > 1 { switch { case s > 2: break; case s > 3: s = 2; default: break out }; s = s*1.1 } else { s = cos(s) }; s = sin(s)", 8},
		{"a switch that jumps", "if s > 1 { switch { case s > 2: break out; case s > 3: continue; default: break out } }; s = sin(s)", 6},
		{"a function that returns early", "if s > 1 { s = f(s); if s > 2 { break } } else { s = s*1.1 }; if s > 3 { s = s*3 }; s = sin(s)", 12},
		{"a function that returns out of an endless loop", "if s > 1 { s = g(s); if s > 2 { break } } else { s = s*1.1 }; if s > 3 { s = s*3 }; s = sin(s)", 9},
		{"many", strings.Repeat("if s > 1 { if s > 2 { break }; s = s*0.5 } else { s = s*1.1 }; s = sin(s);", 10), 33},
	} {
		k := lowered(t, `func f(x f64) f64 { for range 3 { if x > 2 { return x }; x *= 1.5 }; return sin(x) }
func g(x f64) f64 { for { if x > 2 { return x*2 }; x *= 1.5 } }
func K() { for i := range X { s := X[i]
out: for range serial(5) { `+c.body+" ; if s < -9 { break out } }; Y[i] = s } }")
		on, err := autodiff.Forward(k, nil, autodiff.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		ir.Visit(on.Body, func(o *ir.Op) bool {
			if o.Code == ir.OpIf {
				got++
			}
			return true
		})
		if got != c.ifs {
			t.Errorf("%s: %d ifs and not %d\n%s\n%s", c.name, got, c.ifs, k, on)
		}
	}
}
