package variant_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/gotaichi/ti"
)

// TestTime compiles a kernel with TI_TIME, which prints its steps to standard error.
func TestTime(t *testing.T) {
	t.Setenv("TI_TIME", "1")
	file, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	usual := os.Stderr
	os.Stderr = file
	defer func() { os.Stderr = usual }()
	rt, err := ti.New(ti.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	var h struct {
		X     ti.Field[float32]
		Twice func() error
	}
	rt.Place(ti.Shape{16}, &h.X)
	if err := rt.Load("package k\n\nvar X field[f32]\n\nfunc Twice() {\n\tfor i := range X {\n\t\tX[i] *= 2\n\t}\n}\n", &h); err != nil {
		t.Fatal(err)
	}
	if err := h.Twice(); err != nil {
		t.Fatal(err)
	}
	module := `.* bytes +task`
	if rt.Device().Arch == ti.Wasm {
		module = "" // a task is a module
	}
	told, err := os.ReadFile(file.Name())
	if err != nil || !regexp.MustCompile(`(?ms)^kernel Twice: .* ops +split\n`+module+`.* bytes +task0: for i := range X, line 6; most: `).Match(told) {
		t.Errorf("%v, and this was told:\n%s", err, told)
	}
}
