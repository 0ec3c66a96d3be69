package loader

import (
	"syscall"
	"unsafe"

	"github.com/gotaichi/ti/internal/memory"
)

// Constants of VirtualAlloc, VirtualProtect and VirtualFree.
const (
	memCommitReserve = 0x3000
	memRelease       = 0x8000
	pageReadWrite    = 0x04
	pageExecuteRead  = 0x20
)

// kernel calls a function of kernel32 that returns 0 when it fails.
func kernel(name string, args ...uintptr) (uintptr, error) {
	r, _, errno := syscall.NewLazyDLL("kernel32.dll").NewProc(name).Call(args...)
	if r == 0 {
		return 0, errno
	}
	return r, nil
}

// reserve gets zeroed, writable memory of its own pages.
func reserve(size int) ([]byte, error) {
	base, err := kernel("VirtualAlloc", 0, uintptr(size), memCommitReserve, pageReadWrite)
	if err != nil {
		return nil, err
	}
	return memory.Bytes(base, size), nil
}

// seal makes the memory executable and no longer writable, and lets the
// instruction cache see the new code.
func seal(memory []byte) error {
	var old uint32
	if _, err := kernel("VirtualProtect", address(memory), uintptr(len(memory)), pageExecuteRead, uintptr(unsafe.Pointer(&old))); err != nil {
		return err
	}
	const thisProcess = ^uintptr(0)
	_, err := kernel("FlushInstructionCache", thisProcess, address(memory), uintptr(len(memory)))
	return err
}

// release gives the memory back.
func release(memory []byte) error {
	_, err := kernel("VirtualFree", address(memory), 0, memRelease)
	return err
}

func address(memory []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(memory))) }
