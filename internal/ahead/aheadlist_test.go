package ahead_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestAheadPackages: a program with the tag ti_ahead has nothing of the compiler, from the parser on.
func TestAheadPackages(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-tags", "ti_ahead", "github.com/gotaichi/ti").Output()
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
	for _, p := range []string{"syntax", "check", "prelude", "lower", "autodiff", "pass", "mathlib", "driver", "oracle", "cover", "explain", "codegen/llvm", "codegen/spirv", "vulkan", "llvm", "native"} {
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

// TestForeignPackages: what stands in for cgo is in programs for which it builds, and that can use it, alone.
func TestForeignPackages(t *testing.T) {
	for target, want := range map[[2]string]bool{
		{"linux", "amd64"}: true, {"darwin", "arm64"}: true, {"windows", "amd64"}: true, {"freebsd", "amd64"}: false, {"linux", "386"}: false,
	} {
		cmd := exec.Command("go", "list", "-deps", "github.com/gotaichi/ti")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+target[0], "GOARCH="+target[1])
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		if has := strings.Contains(string(out), "github.com/ebitengine/purego"); has != want {
			t.Errorf("%v: that a program has purego is %v, want %v", target, has, want)
		}
	}
}
