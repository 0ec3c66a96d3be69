package memory

import "golang.org/x/sys/unix"

const noReserve = unix.MAP_NORESERVE

// adviseHuge does nothing: the system chooses page sizes by itself.
func adviseHuge([]byte) {}

// advise does nothing, as adviseHuge.
func advise([]byte, bool) {}

// retire lets the system take the pages back when it needs them.
func retire(mem []byte) error { return unix.Madvise(mem, unix.MADV_FREE) }

// offer is the same.
func offer(mem []byte) error { return retire(mem) }

// PhysicalMemory returns the bytes of memory that the machine has.
func PhysicalMemory() int64 {
	n, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return 0
	}
	return int64(n)
}

// discard zeroes pages and lets the system take them when it wants.
func discard(mem []byte) {
	clear(mem)
	_ = unix.Madvise(mem, unix.MADV_FREE)
}
