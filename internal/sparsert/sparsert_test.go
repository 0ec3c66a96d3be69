package sparsert

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
)

var update = flag.Bool("update", false, "rewrite the expected text in testdata")

// runtime is a kernel with all functions up to a number of coordinates.
func runtime(rank int) *ir.Kernel {
	k := &ir.Kernel{Name: "K", Int: ir.I32, Body: &ir.Block{}, Funcs: Function{Does: Grow}.IR()}
	for r := 1; r <= rank; r++ {
		f := find(r)
		k.Funcs = append(k.Funcs, f, enter(r, k.Funcs[1], f))
	}
	ir.NewBuilder(k.Body).Return()
	return k
}

// lockFreeRuntime is the same of those in which no thread waits.
func lockFreeRuntime(rank int) *ir.Kernel {
	k := &ir.Kernel{Name: "K", Int: ir.I32, Body: &ir.Block{}, Funcs: Function{Does: Grow}.LockFree()}
	for r := 1; r <= rank; r++ {
		f := (&lockFree{newEmitter(Function{Find, r}.Name(), ref)}).find(r)
		k.Funcs = append(k.Funcs, f, (&lockFree{newEmitter(Function{Enter, r}.Name(), ref)}).enter(r, k.Funcs[1], k.Funcs[2], f))
	}
	ir.NewBuilder(k.Body).Return()
	return k
}

// TestVerify checks that the functions are sound, for every number of coordinates, and that
// none lacks an effect that it has.
func TestVerify(t *testing.T) {
	for _, k := range []*ir.Kernel{runtime(MaxRank), lockFreeRuntime(MaxRank)} {
		if err := ir.Verify(k); err != nil {
			t.Error(err)
		}
	}
}

// TestFunctions checks that each function has its name, and all that it calls before it.
func TestFunctions(t *testing.T) {
	for _, f := range []Function{{Grow, 0}, {Find, 1}, {Enter, MaxRank}} {
		for _, all := range [][]*ir.Func{f.IR(), f.LockFree()} {
			if last := all[len(all)-1]; last.Name != f.Name() {
				t.Errorf("%s ends in %s", f.Name(), last.Name)
			}
			for i, fn := range all {
				ir.Visit(fn.Body, func(o *ir.Op) bool {
					if o.Func != nil && !slices.Contains(all[:i], o.Func) {
						t.Errorf("%s lacks %s", f.Name(), o.Func.Name)
					}
					return true
				})
			}
		}
	}
}

// TestGolden fixes the text of the functions, of tables that of one for two coordinates.
func TestGolden(t *testing.T) {
	golden(t, "testdata/runtime.ir", runtime(2))
	golden(t, "testdata/lockfree.ir", lockFreeRuntime(2))
}

func golden(t *testing.T, file string, k *ir.Kernel) {
	t.Helper()
	k.Funcs = slices.DeleteFunc(k.Funcs, func(f *ir.Func) bool { return strings.HasSuffix(f.Name, ".1") })
	got := k.String()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the text is\n%s\n(go test -update rewrites the file)", got)
	}
	if again, err := ir.Parse(got); err != nil || again.String() != got {
		t.Errorf("parsing the text gives another kernel, error %v", err)
	}
}
