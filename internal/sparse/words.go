package sparse

import (
	"sync/atomic"
	"unsafe"

	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/memory"
)

const wordBytes = 8

// at turns an address in a tree's memory, which is outside of the Go heap, into a
// pointer.
func at(addr uint64) unsafe.Pointer { return memory.Pointer(uintptr(addr)) }

// word returns the word at an address.
func word(addr uint64) *uint64 { return (*uint64)(at(addr)) }

// peek returns a word that others may write at the same time, of which the host has what the machine has: see [door]. Loops
// over many words use it.
func peek(addr uint64) uint64 { return atomic.LoadUint64(word(addr)) }

// sum is layout.Sum for int64 indices that count from 0.
func sum(terms []layout.Term, idx []int64) int64 {
	s := int64(0)
	for i := range terms {
		t := &terms[i]
		c := idx[t.Axis]
		if t.Div != 1 {
			c /= t.Div
		}
		if t.Mod != 0 && c >= t.Mod { // mostly it is less, and a division takes longer
			c %= t.Mod
		}
		s += c * t.Stride
	}
	return s
}

// roundUp rounds n up to a multiple of align.
func roundUp(n, align int64) int64 { return (n + align - 1) / align * align }
