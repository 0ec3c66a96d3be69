package memory

import (
	"fmt"
	"os"
	"unsafe"
)

// guard is the size of the inaccessible zone on each side of a region: at least
// a page everywhere, and two on machines with pages of 16 or 64 KiB.
const guard = 1 << 17

// LargePage is the size of the large pages of most systems.
const LargePage = 2 << 20

// hugeFrom is the size of the smallest region for which [Map] requests large pages.
const hugeFrom = 4 << 20

// Region is zeroed memory outside of the Go heap, page-aligned.
type Region struct {
	mem  []byte // the usable bytes, without the guard zones
	free func() error
}

// Access is what [Region.Guard] allows.
type Access int

// What is allowed.
const (
	Nothing Access = iota
	Reads
	All
)

// Map returns a region of at least n bytes. A page is resident only after it is touched.
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

// Reserve is [Map] for memory of which only parts are ever used. It does not request large pages, so that [Region.Discard] can return
// unused pages to the system.
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

// Discard returns the whole pages within the n bytes from off on to the system, and returns how many bytes these are. The pages read as
// zero afterwards. Bytes outside of these pages do not change. The region must have been made by [Reserve].
func (r *Region) Discard(off, n int64) int64 {
	page := int64(os.Getpagesize())
	from, to := (off+page-1)/page*page, (off+n)/page*page
	if from >= to {
		return 0
	}
	discard(r.mem[from:to])
	return to - from
}

// Offer lets the system reclaim the whole pages within the n bytes from off on when it needs memory. Until a page is written to again, it
// has its old contents or zeros. Offer returns false if the system does not support this; then no contents change. The region must have
// been made by [Reserve].
func (r *Region) Offer(off, n int64) bool {
	page := int64(os.Getpagesize())
	from, to := (off+page-1)/page*page, (off+n)/page*page
	return from >= to || offer(r.mem[from:to]) == nil
}

// Retire returns the pages to the system, but does not release the addresses. It is for memory to which others may still have pointers.
// Until [Region.Free], no access faults: reads give zero or old values, and writes may be lost.
func (r *Region) Retire() error { return retire(r.mem) }

// Large requests large pages for the n bytes from off on of a region made by [Reserve], or withdraws the request. Large pages are cheaper
// to touch for the first time, but an access to one byte may make 2 MiB resident. The request is only advice to the system.
func (r *Region) Large(off, n int64, large bool) {
	page := int64(os.Getpagesize())
	from, to := (off+page-1)/page*page, (off+n)/page*page
	if from < to {
		advise(r.mem[from:to], large)
	}
}

// Len returns the number of usable bytes: the requested number, rounded up to a multiple of the guard zone.
func (r *Region) Len() int64 { return int64(len(r.mem)) }

// OnFree has [Region.Free] call f first.
func (r *Region) OnFree(f func()) {
	free := r.free
	r.free = func() error {
		f()
		return free()
	}
}

// Free releases the memory. A second call does nothing.
func (r *Region) Free() error {
	if r.free == nil {
		return nil
	}
	free := r.free
	r.mem, r.free = nil, nil
	return free()
}
