package spirv

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
)

// nests are ranges of loops of one to four axes, one whose iterations keep their order, and their parameters.
var nests = []struct {
	dims, params string
	tiled        bool
}{
	{"i32 [0, 10)", "%2: i32", false},
	{"i32 [0, 10), i32 [2, arg 0)", "%2: i32, %11: i32", true},
	{"i64 [0, 10), i32 [0, 7), i32 [0, 9)", "%11: i64, %2: i32, %12: i32", true},
	{"i32 [0, 10), i32 [0, 7), i32 [0, 9), i32 [0, 3)", "%2: i32, %11: i32, %12: i32, %13: i32", true},
	{"i32 [0, 10), i32 [0, 7) threads 1", "%2: i32, %11: i32", false},
}

// nested is the kernel with such a loop.
func nested(t *testing.T, dims, params string) *ir.Task {
	t.Helper()
	text := strings.Replace(kernel, "i32 [0, 10) {", dims+" {", 1)
	k, err := ir.Parse(strings.Replace(text, "body(%2: i32)", "body("+params+")", 1))
	if err != nil {
		t.Fatal(err)
	}
	return k.Tasks[0]
}

// TestTiles: loops of several axes take their iterations by tiles, and others do not.
func TestTiles(t *testing.T) {
	for _, n := range nests {
		words, err := Module(nested(t, n.dims, n.params), nil, false)
		if err != nil {
			t.Fatalf("%s: %v", n.dims, err)
		}
		divides := strings.Contains(disassemble(words), "OpUMod")
		if divides != n.tiled && !strings.Contains(n.dims, "threads 1") || !strings.Contains(disassemble(words), "OpSpecConstantComposite") {
			t.Errorf("%s: the module is\n%s", n.dims, disassemble(words))
		}
	}
	for _, c := range []struct {
		task launch.Task
		want bool
	}{
		{launch.Task{}, false}, {launch.Task{Dims: make([]launch.Dim, 1)}, false}, {launch.Task{Dims: make([]launch.Dim, 2)}, true},
		{launch.Task{Dims: make([]launch.Dim, 2), Threads: 2}, true}, {launch.Task{Dims: make([]launch.Dim, 2), Threads: 1}, false},
		{launch.Task{Dims: make([]launch.Dim, 2), Lists: make([]launch.List, 1)}, false}, {launch.Task{Dims: make([]launch.Dim, 2), Partial: &launch.Partial{}}, false},
	} {
		if c.task.Tiled() != c.want {
			t.Errorf("%+v has tiles: %t", c.task, !c.want)
		}
	}
}

// TestValid has spirv-val, of the SPIR-V Tools, check modules of all kinds of loops and ops, and the probe with and without modes. Package internal/vulkan has it check those of programs.
func TestValid(t *testing.T) {
	if _, err := exec.LookPath(validator); err != nil {
		t.Skip("there is no spirv-val on this machine; SPIR-V Tools have it")
	}
	tasks := map[string]*ir.Task{}
	for _, n := range nests {
		tasks[n.dims] = nested(t, n.dims, n.params)
	}
	for _, s := range samples {
		tasks[s] = sampled(t, s, "i32 [0, 10)")
	}
	for _, e := range epilogues {
		tasks[e.ops] = summed(t, e.ops, "i32 [0, 10)")
	}
	for what, task := range tasks {
		words, err := Module(task, nil, false)
		if err != nil {
			t.Fatal(err)
		}
		validate(t, what, words)
	}
	for _, k := range []ir.Kind{ir.F32, ir.F64} {
		words, err := Probe(k)
		if err != nil {
			t.Fatal(err)
		}
		for _, modes := range [][]FloatMode{nil, {{Mode: KeepSubnormals, Bits: 32}}, {{Mode: KeepSubnormals, Bits: 32}, {Mode: KeepSubnormals, Bits: 64}, {Mode: RoundToNearest, Bits: 64}}} {
			validate(t, fmt.Sprintf("the probe of %v with modes %v", k, modes), WithModes(words, modes))
		}
	}
}

// validator is the command of the SPIR-V Tools that checks modules.
const validator = "spirv-val"

// validate has it check a module.
func validate(t *testing.T, what string, words []uint32) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "module.spv")
	if err := os.WriteFile(file, Bytes(words), 0o600); err != nil {
		t.Fatal(err)
	}
	if says, err := exec.Command(validator, "--target-env", "vulkan1.2", file).CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", what, err, says)
	}
}
