package session

import "github.com/gotaichi/ti/internal/variant"

// usable returns an error for a runtime that New has not made, or that has been closed;
// what names the call.
func (rt *Runtime) usable(what string) error {
	if rt == nil {
		return (*variant.Maker)(nil).Usable(what)
	}
	return rt.maker.Usable(what)
}

// made reports whether New has made rt.
func (rt *Runtime) made() bool { return rt != nil && rt.maker != nil }

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
	if !rt.maker.Closed.Load() {
		rt.background.Go(f)
	}
}
