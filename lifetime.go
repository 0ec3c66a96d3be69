package ti

import (
	"runtime"
	"time"

	"github.com/gotaichi/ti/internal/memory"
)

// Close may come at any moment, also while other goroutines read and write elements.
// A lock around each access would cost more than the access, so the memory of a dense
// tree ends in two steps. [Tree.Close] stores nil in the base of each field, from which
// on accesses take the slow path and find the tree closed, and gives the pages back to
// the system. The addresses stay valid, so that an access under way reads zero or writes
// in vain; it looks at the base again afterwards and fails then. The addresses are given
// back when the garbage collector finds that nobody can reach the tree, and so none of
// its fields.
//
// What lies in a sparse tree is read and written under the launch lock, which Close
// takes as well, so its memory goes at once.

// retire gives the pages of a closed tree back now, and the addresses when nothing
// leads to the tree any more.
func (t *Tree) retire() error {
	r := t.region
	if r == nil { // never used
		return nil
	}
	t.rt.retired.Store(true)
	runtime.AddCleanup(t, func(r *memory.Region) { _ = r.Free() }, r)
	return r.Retire()
}

// mapMemory reserves the memory of a dense tree. Where there is none, closed trees that
// nobody reaches may still have their addresses, which a collection frees.
func (rt *Runtime) mapMemory(n int64) (*memory.Region, error) {
	r, err := memory.Map(n)
	if err == nil || !rt.retired.Load() {
		return r, err
	}
	runtime.GC()
	for range 10 { // the collector frees in a goroutine of its own
		time.Sleep(time.Millisecond)
		if r, err = memory.Map(n); err == nil {
			break
		}
	}
	return r, err
}

// usable reports a runtime that New has not made, or that has been closed; what says
// what it was wanted for.
func (rt *Runtime) usable(what string) error {
	switch {
	case !rt.made():
		return errorOf(ErrArgs, "%s: a Runtime that is nil or zero; use the one that ti.New returns", what)
	case rt.closed.Load():
		return errorOf(ErrClosed, "%s: the runtime has been closed", what)
	}
	return nil
}

// made reports whether New has made rt.
func (rt *Runtime) made() bool { return rt != nil && rt.eng != nil }

// mustBeMade panics for a runtime that New has not made, in methods without an error.
func (rt *Runtime) mustBeMade(what string) {
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
