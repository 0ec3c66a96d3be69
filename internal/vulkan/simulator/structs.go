package simulator

import (
	"unsafe"

	"github.com/gotaichi/ti/internal/memory"
)

// This file reads and writes the structures of C, by the offsets that they have on machines of 64 bits.

// A pointer leads to a structure.
type pointer uintptr

func (p pointer) u32(offset int) uint32 {
	return *(*uint32)(memory.Pointer(uintptr(p) + uintptr(offset)))
}

func (p pointer) u64(offset int) uint64 {
	return *(*uint64)(memory.Pointer(uintptr(p) + uintptr(offset)))
}

func (p pointer) to(offset int) pointer { return pointer(p.u64(offset)) }

func (p pointer) set32(offset int, v uint32) {
	*(*uint32)(memory.Pointer(uintptr(p) + uintptr(offset))) = v
}

func (p pointer) set64(offset int, v uint64) {
	*(*uint64)(memory.Pointer(uintptr(p) + uintptr(offset))) = v
}

func (p pointer) text(offset int, s string) {
	copy(memory.Bytes(uintptr(p)+uintptr(offset), len(s)+1), s+"\x00")
}

// bytes are a copy of some.
func (p pointer) bytes(n int) []byte { return append([]byte{}, memory.Bytes(uintptr(p), n)...) }

// words are a copy of some.
func (p pointer) words(n int) []uint32 {
	if n == 0 {
		return nil
	}
	return append([]uint32{}, unsafe.Slice((*uint32)(memory.Pointer(uintptr(p))), n)...)
}

// chained finds a structure by its number among those behind p.
func (p pointer) chained(number uint32) pointer {
	for p = p.to(8); p != 0; p = p.to(8) {
		if p.u32(0) == number {
			return p
		}
	}
	return 0
}

// Numbers of structures.
const (
	structProperties11   = 50
	structFeatures11     = 49
	structFeatures12     = 51
	structProperties12   = 52
	structSubgroup       = 1000094000
	structExternalBuffer = 1000072000
	structImport         = 1000178000
	structAllocateFlags  = 1000060000
	structMemoryBarrier  = 46
)
