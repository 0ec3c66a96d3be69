package shipped

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/internal/ahead"
	"github.com/gotaichi/ti/internal/randtest"
)

// few are the examples that are tried where not everything is asked for: short ones, on dense fields, on sparse
// ones with kernels of many tasks, and with kernels that have compile-time parameters.
var few = []string{"life", "mgpcg", "optflow"}

// TestExamples runs each example twice: once to compile what it launches for this machine's level, and then built with
// the tag ti_ahead, with a name for libLLVM that leads nowhere. Both must do the same work.
func TestExamples(t *testing.T) {
	here := ahead.Here()
	if len(here) == 0 {
		t.Skip("no code is compiled ahead of time for this machine")
	}
	for _, name := range examples(t) {
		if !randtest.All() && !slices.Contains(few, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			command(t, nil, "go", "build", "-ldflags=-s -w", "-o", filepath.Join(dir, "compiling"), "../../"+name)
			command(t, nil, "go", "build", "-ldflags=-s -w", "-tags", "ti_ahead", "-o", filepath.Join(dir, "shipped"), "../../"+name)
			args := []string{"-short", "-json", "-out", filepath.Join(dir, "out")}
			want := result(t, command(t, []string{"TI_CACHE=off", "TI_RECORD=" + dir, "TI_RECORD_FOR=" + here[0].String()}, filepath.Join(dir, "compiling"), args...))
			code := filepath.Join(dir, here[0].String()+ahead.Ending)
			got := result(t, command(t, []string{"TI_CODE=" + code, "TI_LIBLLVM=" + filepath.Join(dir, "none")}, filepath.Join(dir, "shipped"), args...))
			// Solvers that stop at a residual may take a step more or less: sums are rounded in vectors of another width.
			if math.Abs(got.Amount-want.Amount) > 0.01*want.Amount || got.File != want.File {
				t.Errorf("it does %v %s and writes %s, where it compiles %v and %s", got.Amount, got.Unit, got.File, want.Amount, want.File)
			}
			if info, err := os.Stat(got.File); err != nil || info.Size() == 0 {
				t.Errorf("its picture: %v", err)
			}
		})
	}
}

// examples lists them.
func examples(t *testing.T) (names []string) {
	t.Helper()
	all, err := filepath.Glob("../../*/main.go")
	if err != nil || len(all) == 0 {
		t.Fatal(all, err)
	}
	for _, path := range all {
		names = append(names, filepath.Base(filepath.Dir(path)))
	}
	return names
}

// command runs a program with more in its environment, and returns what it prints.
func command(t *testing.T, env []string, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(name, args...)
	var said strings.Builder
	cmd.Env, cmd.Stderr = append(os.Environ(), env...), &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", cmd, err, out, said.String())
	}
	return out
}

func result(t *testing.T, out []byte) (r demo.Result) {
	t.Helper()
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return r
}
