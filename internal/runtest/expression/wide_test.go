package expression

import (
	"regexp"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/runtest"
)

// defaulted are the expressions of the tables whose type is int or float because
// nothing else says what it is.
var defaulted = map[string]bool{
	"unit(2, 1)": true, "a * 0.5": true, "a / 2.0": true, "0.5 * a": true, "len(a) + a.n": true, "ifelse(a, 1.5, 2.5)": true, "sqrt(c)": true,
}

// shortName matches the short names of vectors and matrices whose numbers are as wide as int and float.
var shortName = regexp.MustCompile(`\b([iu]?)(vec|mat)([234])\b`)

// inFull writes such types in full, with the numbers of 32 bits that the tables mean.
func inFull(source string) string {
	return shortName.ReplaceAllStringFunc(source, func(name string) string {
		part := shortName.FindStringSubmatch(name)
		full := "[" + part[3] + "]"
		if part[2] == "mat" {
			full += full
		}
		return full + map[string]string{"": "f32", "i": "i32", "u": "u32"}[part[1]]
	})
}

// TestWideExpressions runs the tables of expressions. Those whose type is int or
// float are left out: the tables say what these are in 32 bits. Each group runs on the oracle
// and in one of the variants with LLVM in turn, with -variants in all.
func TestWideExpressions(t *testing.T) {
	rts := &runtest.Runtimes{}
	defer rts.Close(t)
	for i, g := range groups() {
		some := runtest.WideVariants
		if !runtest.AllVariants() {
			some = []runtest.Variant{some[0], some[1+i%(len(some)-1)]}
		}
		var kept []expr
		for _, e := range g.exprs {
			if !strings.Contains(e.text, "int(") && !strings.Contains(e.text, "float(") && !defaulted[e.text] {
				kept = append(kept, e)
			}
		}
		g.exprs, g.rewrite = kept, inFull
		t.Run(g.name, func(t *testing.T) {
			args := g.tuples()
			runtest.RunIn(t, rts, some, func(r *runtest.Run) { g.run(r, args) })
		})
	}
}
