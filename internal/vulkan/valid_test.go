package vulkan_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/titest"
)

// TestValid has spirv-val, of the SPIR-V Tools, check the modules of all programs. Drivers do not.
func TestValid(t *testing.T) {
	if _, err := exec.LookPath("spirv-val"); err != nil {
		t.Skip("there is no spirv-val on this machine; SPIR-V Tools have it")
	}
	for _, p := range slices.Concat(programs, numberPrograms) {
		t.Run(p.name, func(t *testing.T) {
			cfg := ti.Config{Deterministic: p.deterministic}
			valid(t, cfg, func(rt *ti.Runtime) *ti.Program { return p.load(t, rt, new(host), false) })
		})
	}
	for _, k := range []ir.Kind{ir.F16, ir.F32, ir.F64} {
		t.Run("operations of "+k.String(), func(t *testing.T) {
			valid(t, ti.Config{StrictMath: true}, func(rt *ti.Runtime) *ti.Program { return loadTable(t, rt, new(tableHost), k, 8) })
		})
	}
}

// header is how many bytes stand before the instructions of a module: some say who has made it.
const header = 20

// assembled is what spirv-as makes of a module in words.
func assembled(t *testing.T, text string) []byte {
	t.Helper()
	from, to := filepath.Join(t.TempDir(), "module.spvasm"), filepath.Join(t.TempDir(), "module.spv")
	must(t, os.WriteFile(from, []byte(text), 0o600))
	if out, err := exec.Command("spirv-as", "--target-env", "vulkan1.2", "--preserve-numeric-ids", "-o", to, from).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s\n%s", err, out, text)
	}
	module, err := os.ReadFile(to)
	must(t, err)
	return module
}

// valid checks the modules of the kernel Run, and that their text stands for the same instructions.
func valid(t *testing.T, cfg ti.Config, load func(*ti.Runtime) *ti.Program) {
	var modules [][]byte
	cfg = titest.Vulkan(t, cfg)
	cfg.Cache = ti.Cache{Policy: ti.CacheOff}
	rt, err := titest.NewWatched(cfg, func(pieces []launch.Piece) {
		for _, p := range pieces {
			modules = append(modules, p.Code)
		}
	})
	must(t, err)
	defer func() { must(t, rt.Close()) }()
	var text strings.Builder
	must(t, load(rt).Kernel("Run").Dump(&text, "spirv"))
	if len(modules) == 0 {
		t.Fatal("there is no module")
	}
	texts := strings.Split(text.String(), "; task")[1:]
	for _, text := range texts {
		again := assembled(t, "; task"+text)
		if !slices.ContainsFunc(modules, func(m []byte) bool { return bytes.Equal(again[header:], m[header:]) }) {
			t.Errorf("%s\nis none of the modules", text)
		}
	}
	for _, m := range modules {
		file := filepath.Join(t.TempDir(), "module.spv")
		must(t, os.WriteFile(file, m, 0o600))
		if out, err := exec.Command("spirv-val", "--target-env", "vulkan1.2", file).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	}
}
