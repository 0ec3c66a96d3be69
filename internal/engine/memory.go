package engine

import (
	"fmt"
	"unsafe"
)

// guard is the size of the inaccessible zone on each side of a region: at least
// a page everywhere, and two on machines with pages of 16 or 64 KiB.
const guard = 1 << 17

// hugeFrom is the size from which on large pages are asked for.
const hugeFrom = 4 << 20

// Region is zeroed memory outside of the Go heap, page-aligned.
type Region struct {
	mem  []byte // what is usable
	free func() error
}

// Map returns a region of n bytes. Nothing of it is resident until it is touched.
func Map(n int64) (*Region, error) {
	if n < 0 || int64(int(n)) != n {
		return nil, fmt.Errorf("cannot reserve %d bytes", n)
	}
	if n == 0 {
		n = 1
	}
	return mapRegion((int(n) + guard - 1) / guard * guard)
}

// Base returns the address of the first byte.
func (r *Region) Base() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(r.mem)) }

// Len returns the number of bytes, rounded up to whole pages.
func (r *Region) Len() int64 { return int64(len(r.mem)) }

// Free gives the memory back; doing so again does nothing.
func (r *Region) Free() error {
	if r.free == nil {
		return nil
	}
	free := r.free
	r.mem, r.free = nil, nil
	return free()
}
