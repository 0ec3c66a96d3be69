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
