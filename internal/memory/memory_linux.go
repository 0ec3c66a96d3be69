package memory

import "golang.org/x/sys/unix"

const noReserve = unix.MAP_NORESERVE

// adviseHuge asks for large pages where they save a noticeable number of misses
// in the address cache. Refusal is no failure: it is only advice.
func adviseHuge(mem []byte) {
	if len(mem) >= hugeFrom {
		advise(mem, true)
	}
}

// advise says whether large pages are wanted.
func advise(mem []byte, large bool) {
	advice := unix.MADV_NOHUGEPAGE
	if large {
		advice = unix.MADV_HUGEPAGE
	}
	_ = unix.Madvise(mem, advice)
}

// retire gives the pages back at once; they are zero from then on.
func retire(mem []byte) error { return unix.Madvise(mem, unix.MADV_DONTNEED) }

// offer lets the system take the pages back when it needs them.
func offer(mem []byte) error { return unix.Madvise(mem, unix.MADV_FREE) }

// PhysicalMemory returns the bytes of memory that the machine has.
func PhysicalMemory() int64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	return int64(info.Totalram) * int64(info.Unit)
}

// discard gives whole pages back; they are zero when they are next touched.
func discard(mem []byte) {
	if unix.Madvise(mem, unix.MADV_DONTNEED) != nil {
		clear(mem)
	}
}
