package device

import (
	"testing"

	"github.com/gotaichi/ti/internal/memory"
)

// TestWindowMost: after two dozen regions, each as large as it may be, a window has room for stacks and copies.
func TestWindowMost(t *testing.T) {
	window, err := memory.NewWindow()
	if err != nil {
		t.Fatal(err)
	}
	w := Window{window}
	if most := w.Most(); most < memory.WindowBytes/5 {
		t.Errorf("the first region may have %d bytes", most)
	}
	for range 24 {
		r, err := w.Reserve(w.Most())
		if err != nil {
			t.Fatal(err)
		}
		defer r.Free()
	}
	if left := w.Left(); left < 256<<20 {
		t.Errorf("%d bytes are left", left)
	}
	if err := w.Free(); err != nil {
		t.Fatal(err)
	}
}
