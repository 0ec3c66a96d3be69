package porttest

import (
	"bytes"
	"embed"
	"math"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
)

//go:embed testdata/*/*.ti
var sources embed.FS

// devices are what each program runs on: the results must not depend on it.
var devices = map[string]ti.Config{
	"llvm1":  {Arch: ti.LLVM, Threads: 1},
	"llvm3":  {Arch: ti.LLVM, Threads: 3},
	"oracle": {Arch: ti.Oracle},
	"debug":  {Arch: ti.LLVM, Threads: 3, Debug: true},
}

// run runs a test on the devices named, each with a runtime of its own.
func run(t *testing.T, names []string, test func(t *testing.T, rt *ti.Runtime)) {
	t.Helper()
	runPrinting(t, names, func(t *testing.T, rt *ti.Runtime, _ *bytes.Buffer) { test(t, rt) })
}

// runPrinting is run for programs that print: out has what they printed.
func runPrinting(t *testing.T, names []string, test func(t *testing.T, rt *ti.Runtime, out *bytes.Buffer)) {
	t.Helper()
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			cfg, ok := devices[name]
			if !ok {
				t.Fatalf("there is no device %q", name)
			}
			var out bytes.Buffer
			cfg.Stdout = &out
			rt, err := ti.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			defer rt.Close()
			test(t, rt, &out)
			if err := rt.Sync(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// all are the devices of small programs, native those of programs that take the
// oracle too long.
var (
	all    = []string{"llvm1", "llvm3", "oracle"}
	native = []string{"llvm1", "llvm3"}

	// long are those of programs that take seconds to compile.
	long = []string{"llvm3", "oracle"}

	// checked are those of programs with assertions, or lists that could overflow.
	checked = []string{"llvm1", "llvm3", "oracle", "debug"}
)

// some are the devices of tests that take seconds on each: one of them, where not everything is asked for.
func some(names []string) []string {
	if randtest.All() {
		return names
	}
	return names[:1]
}

// load loads the source of a program for its host.
func load(t *testing.T, rt *ti.Runtime, name string, host any) {
	t.Helper()
	if _, err := rt.Compile(ti.Files(sources, "testdata/"+name+"/*.ti"), host); err != nil {
		t.Fatal(err)
	}
}

// elements returns a copy of a field, row by row.
func elements[T any](t *testing.T, f *ti.Field[T]) []T {
	t.Helper()
	n := 1
	for _, s := range f.Shape() {
		n *= s
	}
	v := make([]T, n)
	if err := f.CopyTo(v); err != nil {
		t.Fatal(err)
	}
	return v
}

// near fails unless got is want within tol, absolute and relative.
func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*(1+math.Abs(want))) {
		t.Errorf("%s is %v; want %v, within %v", what, got, want, tol)
	}
}

// nearAll is near for vectors.
func nearAll[A, B ~float32 | ~float64](t *testing.T, what string, got []A, want []B, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s has %d components; want %d", what, len(got), len(want))
	}
	for i := range got {
		if g, w := float64(got[i]), float64(want[i]); !(math.Abs(g-w) <= tol*(1+math.Abs(w))) {
			t.Errorf("%s is %v; want %v, within %v", what, got, want, tol)
			return
		}
	}
}
