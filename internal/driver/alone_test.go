package driver

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/gotaichi/ti/internal/engine"
	"github.com/gotaichi/ti/internal/launch"
)

// TestAlone runs a kernel here, and from files in a program that has neither compiler nor
// purego. Results and memory must be the same, bit by bit.
func TestAlone(t *testing.T) {
	dir, exe := t.TempDir(), ""
	const pkg = "../engine/testdata/alone"
	if deps := goTool(t, "list", "-deps", pkg); strings.Contains(deps, "purego") || strings.Contains(deps, "internal/ir\n") {
		t.Errorf("the program has more than it needs: %s", deps)
	}
	exe = filepath.Join(dir, "alone.exe")
	goTool(t, "build", "-o", exe, pkg)
	for _, level := range []int{0, 3} {
		p, lay := program(t)
		o := options(t, level)
		o.Deterministic, o.Threads = true, 2
		u, err := Prepare(&p.Program, "Smooth", lay, o)
		if err != nil {
			t.Fatal(err)
		}
		c, err := u.Compile()
		if err != nil {
			t.Fatal(err)
		}
		if len(u.Areas) != 1 {
			t.Fatalf("the kernel has the areas %v", u.Areas)
		}
		x := make([]float32, 64)
		for i := range x {
			x[i] = float32(i) * 0.37
		}
		write(t, dir, "kernel", c.Launch.Append(nil))
		write(t, dir, "pieces", launch.AppendPieces(nil, c.Pieces))
		write(t, dir, "area0", bytesOf(x))
		arg := uint64(math.Float32bits(0.25))
		out, err := exec.Command(exe, dir, fmt.Sprint(arg)).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		result := runHere(t, c, x, arg)
		if got := string(out); got != fmt.Sprintln(result) {
			t.Errorf("-O%d: the result is %s there, %d here", level, got, result)
		}
		got, err := os.ReadFile(filepath.Join(dir, "area0"))
		if err != nil || len(got) < 4*len(x) || string(got[:4*len(x)]) != string(bytesOf(x)) {
			t.Errorf("-O%d: the memory differs (%v)", level, err)
		}
	}
}

// runHere launches the kernel with one area and one argument, and returns its result.
func runHere(t *testing.T, c *Compiled, x []float32, arg uint64) uint64 {
	e := engine.New(2, &launch.Lock{})
	defer e.Close()
	bases := make([]launch.Base, len(c.Launch.Bases))
	for i, n := range c.Launch.Bases {
		if n == 0 {
			bases[i] = launch.Base{Area: given(unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), 4*len(x))), Bytes: int64(4 * len(x))}
		}
	}
	loaded, err := e.Load(c.Launch, c.Pieces)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close()
	code := loaded.Bind(launch.Data{Bases: bases, Seed: 1})
	code.Args()[0] = arg
	if fault, err := launch.Run(context.Background(), code, 1); err != nil || fault != nil {
		t.Fatal(fault, err)
	}
	return code.Results()[0]
}

func bytesOf(x []float32) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), 4*len(x)) }

func write(t *testing.T, dir, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// goTool runs the go command, without cgo, and returns its output.
func goTool(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// given is memory of a test as an area of the process.
type given []byte

func (g given) Bytes() int64 { return int64(len(g)) }
func (given) Shared() bool   { return true }
func (g given) Host() []byte { return g }
func (given) Map(bool) error { return nil }
func (given) Unmap() error   { return nil }
func (given) Retire() error  { return nil }
func (given) Free() error    { return nil }
