//go:build unix

package memory

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// mapRegion reserves n bytes with a guard zone on each side.
func mapRegion(n int) (*Region, error) {
	all, err := unix.Mmap(-1, 0, n+2*guard, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE|noReserve)
	if err != nil {
		return nil, fmt.Errorf("cannot reserve %d bytes: %w", n, err)
	}
	mem := all[guard : guard+n : guard+n]
	if err := unix.Mprotect(mem, unix.PROT_READ|unix.PROT_WRITE); err != nil {
		_ = unix.Munmap(all)
		return nil, fmt.Errorf("cannot use %d bytes: %w", n, err)
	}
	return &Region{mem: mem, free: func() error { return unix.Munmap(all) }}, nil
}

// ReadOnly makes writing to the region fail.
func (r *Region) ReadOnly() error { return unix.Mprotect(r.mem, unix.PROT_READ) }
