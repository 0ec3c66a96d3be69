package store

import (
	"runtime"
	"time"

	"github.com/gotaichi/ti/internal/device"
)

// Close may be called at any moment, also while other goroutines read and write elements.
// A lock around each access would cost more than the access, so the memory of a dense
// tree is freed in two steps:
//
//   - [Tree.Close] stores nil as the base of each field, so that later accesses take the slow
//     path and find the tree closed. It gives the pages back to the system and keeps the
//     addresses: an access that is under way reads zero, or its write is lost. It then
//     sees that the base has changed, and fails.
//   - The addresses are given back when the garbage collector finds that the tree, and so
//     each of its fields, is unreachable.
//
// The elements of a sparse tree are read and written under the launch lock. Close takes
// that lock as well, so it can free their memory at once.

// retire gives back the pages of a closed dense tree now, and its addresses once the tree is
// unreachable.
func (t *Tree) retire() error {
	a := t.area
	if a == nil { // never used
		return nil
	}
	t.st.retired.Store(true)
	runtime.AddCleanup(t, func(a device.Area) { _ = a.Free() }, a)
	return a.Retire()
}

// allocate reserves the memory of a dense tree. If that fails, closed trees that are
// unreachable may still hold addresses, so it collects garbage and tries again.
func (st *Store) allocate(n int64) (device.Area, error) {
	a, err := st.cfg.Memory.Allocate(n)
	if err == nil || !st.retired.Load() {
		return a, err
	}
	runtime.GC()
	for range 10 { // the collector frees in a goroutine of its own
		time.Sleep(time.Millisecond)
		if a, err = st.cfg.Memory.Allocate(n); err == nil {
			break
		}
	}
	return a, err
}
