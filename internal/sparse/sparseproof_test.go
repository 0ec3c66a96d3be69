package sparse_test

import (
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// TestStoresActivateNoOthers stores to the active cells of rows that are mostly active, as they are computed whole: also where the
// compiler does not prove that a loop's own cell is active, the others stay inactive.
func TestStoresActivateNoOthers(t *testing.T) {
	for _, without := range []string{"", "proof", "access"} {
		t.Setenv("TI_WITHOUT", without)
		rt := titest.New(t, ti.Config{})
		var s struct {
			X          ti.Field[int32]
			Some, Grow func() error
			Count      func() (int, error)
		}
		rt.NewTree().Bitmasked(ti.I, 8).Bitmasked(ti.I, 8).Place(&s.X)
		if err := rt.Load(`package p

var X field[i32, D1]

func Some() {
	for i := range 64 {
		if i%8 != 3 {
			X[i] = i
		}
	}
}

func Grow() {
	for i := range X {
		X[i] = max(X[i], 3)
	}
}

func Count() int {
	n := 0
	for range X {
		n++
	}
	return n
}
`, &s); err != nil {
			t.Fatal(err)
		}
		for _, f := range []func() error{s.Some, s.Grow} {
			if err := f(); err != nil {
				t.Fatal(err)
			}
			if n, err := s.Count(); n != 56 || err != nil {
				t.Errorf("without %q: %d active cells, want 56 (%v)", without, n, err)
			}
		}
	}
}
