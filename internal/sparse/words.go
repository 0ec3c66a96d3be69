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

// load and store are for words that others may read at the same time.
func load(addr uint64) uint64     { return atomic.LoadUint64(word(addr)) }
func store(addr uint64, v uint64) { atomic.StoreUint64(word(addr), v) }

// memoryAt returns n bytes at an address.
func memoryAt(addr uint64, n int64) []byte { return unsafe.Slice((*byte)(at(addr)), n) }

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
