//go:build unix && !linux && !darwin

package memory

// noReserve is no flag here: these systems reserve lazily by themselves.
const noReserve = 0

// adviseHuge does nothing: the system chooses page sizes by itself.
func adviseHuge([]byte) {}

// advise does nothing, as adviseHuge.
func advise([]byte, bool) {}

// PhysicalMemory returns 0: not known here.
func PhysicalMemory() int64 { return 0 }

// discard zeroes pages; these systems have no common way to give them back at once.
func discard(mem []byte) { clear(mem) }
