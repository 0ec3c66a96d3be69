package memory

import "unsafe"

// Pointer turns an address of foreign memory into a pointer.
func Pointer(addr uintptr) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&addr))
}

// Bytes is a view of n bytes of foreign memory.
func Bytes(addr uintptr, n int) []byte {
	if addr == 0 || n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(Pointer(addr)), n)
}
