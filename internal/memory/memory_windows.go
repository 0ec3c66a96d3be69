package memory

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"
)

// mapRegion reserves n bytes with a guard zone on each side. Windows charges
// committed memory against the page file, but gives it pages only when touched.
func mapRegion(n int) (*Region, error) {
	all, err := reserveForbidden(n + 2*guard)
	if err != nil {
		return nil, err
	}
	mem := all.mem[guard : guard+n : guard+n]
	if err := allow(mem); err != nil {
		_ = all.Free()
		return nil, fmt.Errorf("cannot use %d bytes: %w", n, err)
	}
	return &Region{mem: mem, free: all.Free}, nil
}

type memoryStatus struct {
	length, load                              uint32
	totalPhys, availPhys                      uint64
	totalPageFile, availPageFile              uint64
	totalVirtual, availVirtual, availExtended uint64
}

// PhysicalMemory returns the bytes of memory that the machine has.
func PhysicalMemory() int64 {
	proc := windows.NewLazySystemDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx")
	var s memoryStatus
	s.length = uint32(unsafe.Sizeof(s))
	if ok, _, _ := proc.Call(uintptr(unsafe.Pointer(&s))); ok == 0 {
		return 0
	}
	return int64(s.totalPhys)
}

// ReadOnly makes writing to the region fail.
func (r *Region) ReadOnly() error {
	var old uint32
	return windows.VirtualProtect(uintptr(r.Base()), uintptr(len(r.mem)), windows.PAGE_READONLY, &old)
}

// Forbid makes each access to the region fault, or allows them again.
func (r *Region) Forbid(all bool) error {
	allowed := uint32(windows.PAGE_READWRITE)
	if all {
		allowed = windows.PAGE_NOACCESS
	}
	var old uint32
	return windows.VirtualProtect(uintptr(r.Base()), uintptr(len(r.mem)), allowed, &old)
}

// Guard makes accesses to n bytes from off on, which are whole pages, fault that are not allowed: all, writes, or none.
func (r *Region) Guard(off, n int64, a Access) error {
	allowed := [...]uint32{Nothing: windows.PAGE_NOACCESS, Reads: windows.PAGE_READONLY, All: windows.PAGE_READWRITE}[a]
	var old uint32
	return windows.VirtualProtect(uintptr(unsafe.Pointer(&r.mem[off])), uintptr(n), allowed, &old)
}

// discard gives the pages back, and takes zeroed ones in their place, which become
// resident when they are touched.
func discard(mem []byte) {
	addr := uintptr(unsafe.Pointer(unsafe.SliceData(mem)))
	if windows.VirtualFree(addr, uintptr(len(mem)), windows.MEM_DECOMMIT) != nil {
		clear(mem)
		return
	}
	if _, err := windows.VirtualAlloc(addr, uintptr(len(mem)), windows.MEM_COMMIT, windows.PAGE_READWRITE); err != nil {
		panic("memory: pages given back a moment ago are not to be had: " + err.Error())
	}
}

// adviseHuge does nothing: large pages take a privilege here.
func adviseHuge([]byte) {}

// advise does nothing, as adviseHuge.
func advise([]byte, bool) {}

// retire lets the system drop the pages instead of writing them to the page file. They
// stay committed, since an access to what is not committed would fault.
func retire(mem []byte) error {
	addr := uintptr(unsafe.Pointer(unsafe.SliceData(mem)))
	_, err := windows.VirtualAlloc(addr, uintptr(len(mem)), windows.MEM_RESET, windows.PAGE_READWRITE)
	return err
}

// offer is the same: the pages stay committed, and what they hold is not kept.
func offer(mem []byte) error { return retire(mem) }

// reserveForbidden reserves n bytes of address space that nobody may access.
func reserveForbidden(n int) (*Region, error) {
	addr, err := windows.VirtualAlloc(0, uintptr(n), windows.MEM_RESERVE, windows.PAGE_NOACCESS)
	if err != nil {
		return nil, fmt.Errorf("cannot reserve %d bytes: %w", n, err)
	}
	return &Region{mem: Bytes(addr, n), free: func() error { return windows.VirtualFree(addr, 0, windows.MEM_RELEASE) }}, nil
}

// allow makes part of forbidden memory usable; it is zero. Forbid gives its pages back.
func allow(mem []byte) error {
	_, err := windows.VirtualAlloc(uintptr(unsafe.Pointer(unsafe.SliceData(mem))), uintptr(len(mem)), windows.MEM_COMMIT, windows.PAGE_READWRITE)
	return err
}

func forbid(mem []byte) error {
	return windows.VirtualFree(uintptr(unsafe.Pointer(unsafe.SliceData(mem))), uintptr(len(mem)), windows.MEM_DECOMMIT)
}
