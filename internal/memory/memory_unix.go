//go:build unix

package memory

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// mapRegion reserves n bytes with a guard zone on each side. Where there is room for several
// large pages the first byte is that of one.
func mapRegion(n int) (*Region, error) {
	align := guard
	if n >= 2*LargePage {
		align = LargePage
	}
	all, err := reserveForbidden(n + 2*guard + align)
	if err != nil {
		return nil, err
	}
	low := guard
	if rest := (int(uintptr(all.Base())) + guard) % align; rest > 0 {
		low += align - rest
	}
	mem := all.mem[low : low+n : low+n]
	if err := allow(mem); err != nil {
		_ = all.Free()
		return nil, fmt.Errorf("cannot use %d bytes: %w", n, err)
	}
	return &Region{mem: mem, free: all.Free}, nil
}

// ReadOnly makes writing to the region fail.
func (r *Region) ReadOnly() error { return unix.Mprotect(r.mem, unix.PROT_READ) }

// Forbid makes each access to the region fault, or allows them again.
func (r *Region) Forbid(all bool) error {
	allowed := unix.PROT_READ | unix.PROT_WRITE
	if all {
		allowed = unix.PROT_NONE
	}
	return unix.Mprotect(r.mem, allowed)
}

// Guard makes accesses to n bytes from off on, which are whole pages, fault that are not allowed: all, writes, or none.
func (r *Region) Guard(off, n int64, a Access) error {
	return unix.Mprotect(r.mem[off:off+n], [...]int{Nothing: unix.PROT_NONE, Reads: unix.PROT_READ, All: unix.PROT_READ | unix.PROT_WRITE}[a])
}

// reserveForbidden reserves n bytes of address space that nobody may access.
func reserveForbidden(n int) (*Region, error) {
	all, err := unix.Mmap(-1, 0, n, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE|noReserve)
	if err != nil {
		return nil, fmt.Errorf("cannot reserve %d bytes: %w", n, err)
	}
	return &Region{mem: all, free: func() error { return unix.Munmap(all) }}, nil
}

// allow makes part of forbidden memory usable; it is zero. Forbid gives its pages back.
func allow(mem []byte) error { return unix.Mprotect(mem, unix.PROT_READ|unix.PROT_WRITE) }

func forbid(mem []byte) error {
	discard(mem)
	return unix.Mprotect(mem, unix.PROT_NONE)
}
