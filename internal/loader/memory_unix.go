//go:build unix

package loader

import (
	"syscall"
	"unsafe"
)

// reserve gets zeroed, writable memory of its own pages.
func reserve(size int) ([]byte, error) {
	return syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
}

// seal makes the memory executable and no longer writable. The kernel makes
// the instruction cache see the new code when it maps the pages so.
func seal(memory []byte) error { return syscall.Mprotect(memory, syscall.PROT_READ|syscall.PROT_EXEC) }

// release gives the memory back.
func release(memory []byte) error { return syscall.Munmap(memory) }

func address(memory []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(memory))) }
