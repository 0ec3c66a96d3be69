package store

import "unsafe"

// A Writer makes the host's stores to a field launches, where launches are queued, so that the host does not wait for those before them. Both
// ways store the same.
type Writer interface {
	// Fill sets all active elements to the one at v, and Set that at idx. They report false if they cannot do so now.
	Fill(v unsafe.Pointer) bool
	Set(v unsafe.Pointer, idx []int) bool
	// Free is called, under the lock of launches, when the field's tree has been closed.
	Free()
}

// writer returns what stores to the field behind launches that are queued; nil if none is, or nothing does.
func (c *Field) writer() Writer {
	if len(c.uses) == 0 {
		return nil
	}
	cfg := &c.uses[0].st.cfg
	if cfg.Writer == nil || cfg.Idle() || c.isPacked() {
		return nil
	}
	if c.writes.Load() == nil {
		w := cfg.Writer(c)
		c.writes.CompareAndSwap(nil, &w)
	}
	return *c.writes.Load()
}
