package random

import (
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/runtest"
)

var reduceWrong = flag.Bool("reduce", false, "print the lines of a wrong kernel that are enough for it to be wrong, of those that are compared strictly")

// reduced takes lines out of a kernel as long as it is wrong in the same way: blocks and single lines, the longest first (delta debugging; Zeller and Hildebrandt, 2002). wrong says how a source is wrong,
// and nothing of a right one.
func reduced(src string, wrong func(src string) string) string {
	lines, how := strings.Split(src, "\n"), wrong(src)
	if how == "" {
		return src
	}
	for again := true; again; {
		again = false
		for _, g := range balanced(lines) {
			if g[1] > len(lines) || braces(lines[g[0]:g[1]]) != 0 { // what was taken out has moved it
				continue
			}
			if fewer := slices.Delete(slices.Clone(lines), g[0], g[1]); wrong(strings.Join(fewer, "\n")) == how {
				lines, again = fewer, true
			}
		}
	}
	return strings.Join(lines, "\n")
}

// balanced lists the parts of a text, by their first line and the one behind them, that have as many braces opened as closed: those behind and longer ones first, so that taking one out moves none of those that follow
// unless they contain it.
func balanced(lines []string) (parts [][2]int) {
	for i := range lines {
		for j := i; j < len(lines); j++ {
			if depth := braces(lines[i : j+1]); depth < 0 {
				break
			} else if depth == 0 {
				parts = append(parts, [2]int{i, j + 1})
				break
			}
		}
	}
	slices.SortStableFunc(parts, func(a, b [2]int) int {
		if la, lb := a[1]-a[0], b[1]-b[0]; la != lb {
			return lb - la
		}
		return b[0] - a[0]
	})
	return parts
}

// braces is how many more are opened than closed.
func braces(lines []string) (depth int) {
	for _, l := range lines {
		depth += strings.Count(l, "{") - strings.Count(l, "}")
	}
	return depth
}

// A quiet test keeps what is reported to itself.
type quiet struct {
	testing.TB
	said string
}

// quit ends a quiet test that cannot go on.
type quit struct{}

func (q *quiet) Error(a ...any)            { q.said += fmt.Sprintln(a...) }
func (q *quiet) Errorf(f string, a ...any) { q.said += fmt.Sprintf(f, a...) }
func (q *quiet) Fatal(a ...any)            { q.Error(a...); panic(quit{}) }
func (q *quiet) Fatalf(f string, a ...any) { q.Errorf(f, a...); panic(quit{}) }

// wrongness says how the outcomes of a source in two variants differ, or how it fails to compile; numbers and places are left out.
func wrongness(t *testing.T, judge, v runtest.Variant, src string, s scene) (how string) {
	q := &quiet{TB: t}
	defer func() {
		if e := recover(); e != nil && e != (quit{}) {
			panic(e)
		}
		line, _, _ := strings.Cut(q.said, "\n")
		how = digits.ReplaceAllString(line, "")
	}()
	run := func(v runtest.Variant) outcome {
		r := &runtest.Run{TB: q, Variant: v}
		r.RT, r.Out = v.StrictRuntime(t)
		defer r.RT.Close()
		return launchRandom(r, src, s)
	}
	want := run(judge)
	got := run(v)
	if q.said == "" && (got.results != want.results || got.printed != want.printed || got.fields != want.fields) {
		q.said = "the outcomes differ"
	}
	return how
}

var digits = regexp.MustCompile(`[0-9]+`)

// TestReduced takes lines out of a text that is wrong as long as some of them stand in it.
func TestReduced(t *testing.T) {
	src := "var (\n\tX\n\tY\n)\nfunc f() {\n\ta\n\tfor {\n\t\tb\n\t\tif {\n\t\t\tc\n\t\t}\n\t}\n\td\n}\nfunc g() {\n\te\n}"
	got := reduced(src, func(src string) string {
		if braces(strings.Split(src, "\n")) == 0 && strings.Contains(src, "b") && strings.Contains(src, "func g") && strings.Contains(src, "X") {
			return "wrong"
		}
		return ""
	})
	if want := "\tX\n\tfor {\n\t\tb\n\t}\nfunc g() {\n}"; strings.ReplaceAll(got, "func f() {\n", "") != want && got != "\tX\nfunc f() {\n\tfor {\n\t\tb\n\t}\n}\nfunc g() {\n}" {
		t.Errorf("what is left is\n%s", got)
	}
	if got := reduced(src, func(string) string { return "" }); got != src {
		t.Errorf("a right text is changed:\n%s", got)
	}
}
