// Package memory has address space outside of the Go heap: zeroed, lazily resident,
// with guard zones, never moved or seen by the garbage collector.
package memory

import (
	"fmt"
	"os"
	"unsafe"
)

// guard is the size of the inaccessible zone on each side of a region: at least
// a page everywhere, and two on machines with pages of 16 or 64 KiB.
const guard = 1 << 17

// LargePage is the size of the large pages that most systems have.
const LargePage = 2 << 20

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
	r, err := mapRegion((int(n) + guard - 1) / guard * guard)
	if err == nil {
		adviseHuge(r.mem)
	}
	return r, err
}

// Reserve is Map for memory of which only parts are ever used: it asks for no large
// pages, so that [Region.Discard] gives back what is not.
func Reserve(n int64) (*Region, error) {
	if n < 1 || int64(int(n)) != n {
		return nil, fmt.Errorf("cannot reserve %d bytes", n)
	}
	return mapRegion((int(n) + guard - 1) / guard * guard)
}

// Base returns the address of the first byte.
func (r *Region) Base() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(r.mem)) }

// Bytes returns the usable memory.
func (r *Region) Bytes() []byte { return r.mem }

// Discard zeroes the whole pages within the n bytes from off on and gives them back to
// the system, and says how many bytes those are. What is not a whole page stays as it
// is. The region must have been made by [Reserve].
func (r *Region) Discard(off, n int64) int64 {
	page := int64(os.Getpagesize())
	from, to := (off+page-1)/page*page, (off+n)/page*page
	if from >= to {
		return 0
	}
	discard(r.mem[from:to])
	return to - from
}

// Offer lets the system take the whole pages within the n bytes from off on when it needs
// memory: what is not written to from now on is what it was, or zero. It reports whether there
// is such a way; otherwise all stays as it is. The region must have been made by [Reserve].
func (r *Region) Offer(off, n int64) bool {
	page := int64(os.Getpagesize())
	from, to := (off+page-1)/page*page, (off+n)/page*page
	return from >= to || offer(r.mem[from:to]) == nil
}

// Retire gives the pages back to the system and keeps the addresses. It is for memory that
// others may still have pointers to: until [Region.Free] no access faults, reads give zero
// or old values, and writes may be lost.
func (r *Region) Retire() error { return retire(r.mem) }

// Large asks for large pages for the n bytes from off on of a region made by [Reserve], or
// for none any more. They are cheaper to touch for the first time, but whoever touches a
// byte may get 2 MiB. It is only advice.
func (r *Region) Large(off, n int64, large bool) {
	page := int64(os.Getpagesize())
	from, to := (off+page-1)/page*page, (off+n)/page*page
	if from < to {
		advise(r.mem[from:to], large)
	}
}

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
