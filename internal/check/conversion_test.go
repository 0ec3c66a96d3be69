package check

import (
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/syntax"
)

// TestConversionRemedies checks the remedy for an assignment that lacks a conversion, and that the remedy compiles.
func TestConversionRemedies(t *testing.T) {
	for _, row := range []struct{ assign, remedy string }{
		{"x[i] = i", "write x[i] = f32(i)"},
		{"x[i] = (i + n) * 2", "write x[i] = f32((i + n) * 2)"},
		{"x[i] = d", "write x[i] = f32(d)"},
		{"k[i] = x[i]", "write k[i] = i32(x[i])"},
		{"v[i] = ivec2(i, n)", "write v[i] = vec2(ivec2(i, n))"},
		{"x[i] = i / n", "convert the dividend, f32(i) / n, or for the integer quotient the result, f32(i / n)"},
	} {
		body := func(s string) string {
			return "func F(x []f32, k []i32, v []vec2, n i32, d f64) {\n\tfor i := range x {\n\t\t" + s + "\n\t}\n}"
		}
		errs := checkLoop(t, body(row.assign))
		if len(errs) != 1 || errs[0].Code != syntax.NeedsConversion || errs[0].Help != row.remedy {
			t.Errorf("%s: %v, want %q", row.assign, errs, row.remedy)
			continue
		}
		if text, ok := strings.CutPrefix(row.remedy, "write "); ok {
			if errs := checkLoop(t, body(text)); len(errs) != 0 {
				t.Errorf("%s, the remedy for %s: %v", text, row.assign, errs)
			}
		}
	}
}
