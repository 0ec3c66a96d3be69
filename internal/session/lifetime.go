package session

import (
	"runtime"
	"time"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/memory"
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
	r := t.region
	if r == nil { // never used
		return nil
	}
	t.rt.retired.Store(true)
	runtime.AddCleanup(t, func(r *memory.Region) { _ = r.Free() }, r)
	return r.Retire()
}

// mapMemory reserves the memory of a dense tree. If that fails, closed trees that are
// unreachable may still hold addresses, so it collects garbage and tries again.
func (rt *Runtime) mapMemory(n int64) (*memory.Region, error) {
	r, err := rt.machine.Allocate(n)
	if err == nil || !rt.retired.Load() {
		return r, err
	}
	runtime.GC()
	for range 10 { // the collector frees in a goroutine of its own
		time.Sleep(time.Millisecond)
		if r, err = rt.machine.Allocate(n); err == nil {
			break
		}
	}
	return r, err
}

// usable returns an error for a runtime that New has not made, or that has been closed;
// what names the call.
func (rt *Runtime) usable(what string) error {
	switch {
	case !rt.made():
		return diag.Errorf(diag.ErrArgs, "%s: a Runtime that is nil or zero; use the one that ti.New returns", what)
	case rt.closed.Load():
		return diag.Errorf(diag.ErrClosed, "%s: the runtime has been closed", what)
	}
	return nil
}

// made reports whether New has made rt.
func (rt *Runtime) made() bool { return rt != nil && rt.eng != nil }

// MustBeMade panics for a runtime that New has not made, in methods without an error.
func (rt *Runtime) MustBeMade(what string) {
	if !rt.made() {
		panic(rt.usable(what))
	}
}

// inBackground calls f in a goroutine that Close waits for. It does nothing once Close
// has begun.
func (rt *Runtime) inBackground(f func()) {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if !rt.closed.Load() {
		rt.background.Go(f)
	}
}
