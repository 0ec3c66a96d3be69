package ti_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestAheadPackages: a program with the tag ti_ahead has nothing of the compiler, from the parser on.
func TestAheadPackages(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-tags", "ti_ahead", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	has := map[string]bool{}
	for p := range strings.FieldsSeq(string(out)) {
		has[p] = true
	}
	if !has["github.com/gotaichi/ti/internal/session"] {
		t.Fatalf("the list is %s", out)
	}
	for _, p := range []string{"syntax", "check", "prelude", "lower", "autodiff", "pass", "mathlib", "driver", "oracle", "cover", "explain", "codegen/llvm", "llvm", "native"} {
		if has["github.com/gotaichi/ti/internal/"+p] {
			t.Errorf("a program without the compiler has internal/%s", p)
		}
	}
	for _, p := range []string{"go/parser", "go/ast", "go/scanner", "regexp", "encoding/json", "github.com/ebitengine/purego"} {
		if has[p] {
			t.Errorf("a program without the compiler has %s", p)
		}
	}
}
