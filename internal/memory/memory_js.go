package memory

import "unsafe"

// mapRegion takes the bytes from the Go heap: a program in a page has one memory, of at most 4 GiB, and no pages that could be given back or forbidden.
func mapRegion(n int) (*Region, error) {
	all := make([]byte, n+guard)
	low := -int(uintptr(unsafe.Pointer(&all[0]))) & (guard - 1)
	return &Region{mem: all[low : low+n : low+n], free: func() error { return nil }}, nil
}

// reserveForbidden takes the bytes from the Go heap, too.
func reserveForbidden(n int) (*Region, error) { return mapRegion(n) }

// ReadOnly does nothing: nothing can be forbidden here.
func (r *Region) ReadOnly() error { return nil }

// Forbid does nothing either.
func (r *Region) Forbid(bool) error { return nil }

// allow does nothing.
func allow([]byte) error { return nil }

// forbid leaves zeros, as elsewhere.
func forbid(mem []byte) error {
	clear(mem)
	return nil
}

// adviseHuge does nothing: there are no large pages.
func adviseHuge([]byte) {}

// advise does nothing, as adviseHuge.
func advise([]byte, bool) {}

// retire does nothing: the collector takes what nobody refers to.
func retire([]byte) error { return nil }

// offer does nothing: what the memory holds is kept.
func offer([]byte) error { return nil }

// discard leaves zeros.
func discard(mem []byte) { clear(mem) }

// PhysicalMemory is what 32 bits can address.
func PhysicalMemory() int64 { return WindowBytes }
