//go:build unix && !linux && !darwin

package memory

import "errors"

// noReserve is no flag here: these systems reserve lazily by themselves.
const noReserve = 0

// adviseHuge does nothing: the system chooses page sizes by itself.
func adviseHuge([]byte) {}

// advise does nothing, as adviseHuge.
func advise([]byte, bool) {}

// retire does nothing: these systems have no common way to give pages back and keep
// their addresses. The pages go with the addresses.
func retire([]byte) error { return nil }

// offer fails, for the same reason.
func offer([]byte) error { return errors.ErrUnsupported }

// PhysicalMemory returns 0: not known here.
func PhysicalMemory() int64 { return 0 }

// discard zeroes pages; these systems have no common way to give them back at once.
func discard(mem []byte) { clear(mem) }
