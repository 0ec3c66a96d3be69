package store

import "unsafe"

// A Writer makes the host's stores to a field launches, where launches are queued, so that the host does not wait for those before them. Both
// ways store the same.
type Writer interface {
	// Fill sets all active elements to the one at v, and Set that at idx. They report false if they cannot do so now.
	Fill(v unsafe.Pointer) bool
	Set(v unsafe.Pointer, idx Index) bool
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

// cloned copies a Go value. What is passed through an interface moves to the heap, and that of a program that queues nothing is to stay where it is.
func (c *Field) cloned(v unsafe.Pointer) unsafe.Pointer {
	size := int(c.typ.Size())
	to := make([]uint64, (size+7)/8+1)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&to[0])), size), unsafe.Slice((*byte)(v), size))
	return unsafe.Pointer(&to[0])
}
