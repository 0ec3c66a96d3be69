//go:build unix

package loader

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// reserve gets zeroed, writable memory of its own pages.
func reserve(size int) ([]byte, error) {
	return unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
}

// seal makes the memory executable and no longer writable. The kernel makes
// the instruction cache see the new code when it maps the pages so.
func seal(memory []byte) error { return unix.Mprotect(memory, unix.PROT_READ|unix.PROT_EXEC) }

// release gives the memory back.
func release(memory []byte) error { return unix.Munmap(memory) }

func address(memory []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(memory))) }
