package check

import (
	"go/token"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/syntax"
)

// checkLoop checks a kernel whose parallel loop has this body.
func checkLoop(t *testing.T, text string) syntax.ErrorList {
	t.Helper()
	f, errs := syntax.Parse("c.ti", "package p\n\n"+text+"\n", token.Position{})
	if errs != nil {
		t.Fatal(errs)
	}
	p, _ := Declare([]*syntax.File{f})
	_, errs = p.Check(&Host{})
	return errs
}

// TestChainsAccumulate checks that a chain of one operator that begins with the
// variable accumulates in a parallel loop, and that no other chain does.
func TestChainsAccumulate(t *testing.T) {
	for rhs, ok := range map[string]bool{
		"r || i > 5":                      true,
		"r || i > 5 || i < 2":             true,
		"(r || i > 5) || i < 2 || i == n": true,
		"r || (i > 5 || i < 2)":           true,
		"r && i > 5 && i < 2":             true,
		"r || i > 5 && i < 2":             true,
		"r && i > 5 || i < 2":             false,
		"(r && i > 5) || i < 2 || i == n": false,
		"i > 5 || r || i < 2":             false,
	} {
		errs := checkLoop(t, "func F(n i32) bool {\n\tr := false\n\tfor i := range n {\n\t\tr = "+rhs+"\n\t}\n\treturn r\n}")
		if ok && len(errs) != 0 || !ok && (len(errs) == 0 || errs[0].Code != syntax.ParallelWrite) {
			t.Errorf("r = %s: %v", rhs, errs)
		}
	}
}

func TestStaticRangeOfTwo(t *testing.T) {
	errs := checkLoop(t, "func F(n i32) i32 {\n\tr := 0\n\tfor i := range static(1, 4) {\n\t\tr += i\n\t}\n\treturn r + n\n}")
	if len(errs) != 1 || !strings.Contains(errs[0].Help, "range static(span(1, 4))") {
		t.Errorf("%v", errs)
	}
}

// TestAccumulationRemedies checks the remedy for a parallel loop that assigns to a variable, and that the remedy compiles.
func TestAccumulationRemedies(t *testing.T) {
	for _, row := range []struct{ assign, remedy string }{
		{"x = x + i", "x += i"},
		{"x = i + x", "x += i"},
		{"x = x + i - n", "x += i - n"},
		{"x = i - n + x", "x += i - n"},
		{"x = x - (i - n) - 1", "x += n - i - 1"},
		{"x = x - i - n", "x -= i + n"},
		{"x = (x) + i*n", "x += i*n"},
		{"x = i - x", ""},
		{"x = x + x", ""},
		{"x = x + i*x", ""},
		{"x = x * i * n", "x *= i * n"},
		{"x = i * x", "x *= i"},
		{"x = x / i", "x /= i"},
		{"x = x * i / n", ""}, // integers
		{"f = f * 2 / g", "f *= 2 / g"},
		{"x = x | i | n", "x |= i | n"},
		{"x = i ^ x", "x ^= i"},
		{"x = x &^ (i + 1)", "x &= ^(i + 1)"},
		{"x = x << 1", ""},
		{"m = max(i, m)", "m = max(m, i)"},
		{"m = max(max(n, m), i, 3)", "m = max(m, n, i, 3)"},
		{"m = min(m+1, i)", ""},
		{"m = max(min(m, i), n)", ""},
		{"r = i > 5 || r", "r = r || i > 5"},
		{"r = i > 5 || r || i < n", "r = r || i > 5 || i < n"},
		{"r = i > 5 && i < n || r", "r = r || i > 5 && i < n"},
		{"r = r && i > 5 || i < 2", ""},
		{"v.x = i + v.x", "v.x += i"},
		{"v = v * 2", ""},
		{"x = i", ""},
	} {
		body := func(s string) string {
			return "func F(n i32, g f32) (x, m i32, r bool, f f32, v ivec2) {\n\tfor i := range n {\n\t\t" + s + "\n\t\t_ = i\n\t}\n\treturn\n}"
		}
		errs := checkLoop(t, body(row.assign))
		if len(errs) != 1 || errs[0].Code != syntax.ParallelWrite {
			t.Errorf("%s: %v", row.assign, errs)
			continue
		}
		if row.remedy == "" {
			if strings.HasPrefix(errs[0].Help, "write ") {
				t.Errorf("%s: %s", row.assign, errs[0].Help)
			}
			continue
		}
		if want := "write " + row.remedy + ", which"; !strings.HasPrefix(errs[0].Help, want) {
			t.Errorf("%s: the remedy is %q, want %q", row.assign, errs[0].Help, want)
		}
		if errs := checkLoop(t, body(row.remedy)); len(errs) != 0 {
			t.Errorf("%s, the remedy for %s: %v", row.remedy, row.assign, errs)
		}
	}
}
