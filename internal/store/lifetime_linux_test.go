package store_test

import (
	"bytes"
	"os"
	"runtime"
	"testing"
	"time"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// TestAddressesReturn closes trees that nobody keeps: their addresses are given back,
// those of a tree with a reachable field are not.
func TestAddressesReturn(t *testing.T) {
	mappings := func() int {
		maps, err := os.ReadFile("/proc/self/maps")
		if err != nil {
			t.Skip(err)
		}
		return bytes.Count(maps, []byte("\n"))
	}
	rt := titest.New(t, ti.Config{})
	kept := ti.NewField[int32](rt, 1000)
	kept.Fill(5)
	const trees = 500
	before := mappings()
	for range trees {
		x := ti.NewField[int32](rt, 1000)
		x.Set(1, 999)
		if err := x.Tree().Close(); err != nil {
			t.Fatal(err)
		}
	}
	for range 200 {
		runtime.GC()
		if mappings() < before+trees/10 {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if n := mappings(); n >= before+trees/10 {
		t.Errorf("%d mappings before %d trees, %d afterwards", before, trees, n)
	}
	if kept.At(999) != 5 {
		t.Error("a field that is in use has lost its elements")
	}
}

// TestAddressesEnough makes and closes trees whose addresses together are more than a
// process has.
func TestAddressesEnough(t *testing.T) {
	rt := titest.New(t, titest.OnProcessors(t, ti.Config{MemoryLimit: 1 << 50})) // other devices have no address space without memory
	side := 1 << 20
	if rt.Device().Arch == ti.Wasm { // a runtime has 4 GiB of addresses there, of which each tree takes half
		side = 1 << 14
	}
	for range 40 {
		x := ti.NewField[int64](rt, side, side)
		x.Set(1, side-1, side-1)
		if err := x.Tree().Close(); err != nil {
			t.Fatal(err)
		}
	}
}
