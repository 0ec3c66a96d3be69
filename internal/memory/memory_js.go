package memory

import (
	"fmt"
	"runtime"
	"unsafe"
)

// mapRegion takes the bytes from the Go heap: a program in a page has one memory, of at most 4 GiB, and no pages that could be given back or forbidden.
func mapRegion(n int) (*Region, error) {
	left := pageLeft()
	for round := 0; int64(n) > left && round < 3; round++ { // unless what nobody refers to is enough
		collect()
		left = pageLeft()
	}
	if int64(n) > left {
		return nil, fmt.Errorf("cannot reserve %s: of the 4 GiB of a program in a page, %s are left", Text(int64(n)), Text(max(0, left)))
	}
	all := make([]byte, n+guard)
	low := -int(uintptr(unsafe.Pointer(&all[0]))) & (guard - 1)
	return &Region{mem: all[low : low+n : low+n], free: func() error { return nil }}, nil
}

// collect collects garbage, and lets the goroutines run that free what others have left: that is garbage of the next round.
func collect() {
	runtime.GC()
	for range 10 {
		runtime.Gosched()
	}
}

// pageLeft is how many bytes the Go heap can grow by. The runtime ends the program where it asks for more.
func pageLeft() int64 {
	const ownMost = 256 << 20 // what the Go program needs for itself
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return WindowBytes - ownMost - int64(stats.Sys) + int64(stats.HeapIdle)
}

// reserveForbidden takes the bytes from the Go heap, too.
func reserveForbidden(n int) (*Region, error) { return mapRegion(n) }

// ReadOnly does nothing: nothing can be forbidden here.
func (r *Region) ReadOnly() error { return nil }

// Forbid does nothing either.
func (r *Region) Forbid(bool) error { return nil }

// Guard does nothing.
func (r *Region) Guard(off, n int64, a Access) error { return nil }

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
