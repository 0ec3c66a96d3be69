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
	"github.com/gotaichi/ti/internal/llvm/llvmtest"
	"github.com/gotaichi/ti/internal/randtest"
)

// few are the examples that are tried where not everything is asked for: short ones, on dense fields, on sparse
// ones with kernels of many tasks, and with kernels that have compile-time parameters.
var few = []string{"life", "mgpcg", "optflow"}

// TestExamples runs each example twice: once to compile what it launches for this machine's level and as modules, and then built with
// the tag ti_ahead, with a name for libLLVM that leads nowhere. All must do the same work.
func TestExamples(t *testing.T) {
	levels := []ahead.Level{ahead.Wasm}
	if here := ahead.Here(); len(here) > 0 && llvmtest.Compiles(t) {
		levels = append(levels, here[0])
	}
	for _, name := range examples(t) {
		if !randtest.All() && !slices.Contains(few, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			var names []string
			for _, l := range levels {
				names = append(names, l.String())
			}
			command(t, nil, "go", "build", "-ldflags=-s -w", "-o", filepath.Join(dir, "compiling"), "../../"+name)
			args := []string{"-short", "-json", "-out", filepath.Join(dir, "out")}
			want := result(t, command(t, []string{"TI_CACHE=off", "TI_RECORD=" + dir, "TI_RECORD_FOR=" + strings.Join(names, ",")}, filepath.Join(dir, "compiling"), args...))
			for _, l := range levels {
				shipped(t, dir, name, l, args, want)
			}
		})
	}
}

// shipped builds an example with the code of a level alone, and runs it.
func shipped(t *testing.T, dir, name string, l ahead.Level, args []string, want demo.Result) {
	t.Helper()
	tags, arch := "ti_ahead", "llvm"
	if l == ahead.Wasm {
		tags, arch = "ti_ahead,ti_wasm", "wasm"
	}
	program := filepath.Join(dir, "shipped-"+arch)
	command(t, nil, "go", "build", "-ldflags=-s -w", "-tags", tags, "-o", program, "../../"+name)
	code := filepath.Join(dir, l.String()+ahead.Ending)
	got := result(t, command(t, []string{"TI_ARCH=" + arch, "TI_CODE=" + code, "TI_LIBLLVM=" + filepath.Join(dir, "none")}, program, args...))
	// Solvers that stop at a residual may take a step more or less: sums are rounded in vectors of another width.
	if math.Abs(got.Amount-want.Amount) > 0.01*want.Amount || got.File != want.File {
		t.Errorf("%v: it does %v %s and writes %s, where it compiles %v and %s", l, got.Amount, got.Unit, got.File, want.Amount, want.File)
	}
	if info, err := os.Stat(got.File); err != nil || info.Size() == 0 {
		t.Errorf("%v: its picture: %v", l, err)
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
