package memory

import (
	"errors"
	"math/bits"
	"sync"
	"unsafe"
)

// A Heap gives small pieces of memory in a [Window]. Each begins at a line of the cache and shares none with another.
type Heap struct {
	window *Window

	mu      sync.Mutex
	regions []*Region
	rest    []uint64     // of the last region
	free    [][][]uint64 // pieces that were given back, by the logarithm of their size in lines
	closed  bool
}

const (
	lineWords = 8
	heapWords = 1 << 13 // of a region: pieces that are larger have one of their own
)

// NewHeap returns a heap in w without memory.
func NewHeap(w *Window) *Heap { return &Heap{window: w, free: make([][][]uint64, 32)} }

// Words returns n words, zero.
func (h *Heap) Words(n int) ([]uint64, error) {
	class := classOf(n)
	size := lineWords << class
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, errors.New("the memory has been given back")
	}
	if all := h.free[class]; len(all) > 0 {
		words := all[len(all)-1]
		h.free[class] = all[:len(all)-1]
		clear(words)
		return words[:n:size], nil
	}
	if len(h.rest) < size {
		r, err := h.window.Map(8 * int64(max(size, heapWords)))
		if err != nil {
			return nil, err
		}
		h.regions = append(h.regions, r)
		fresh := unsafe.Slice((*uint64)(r.Base()), r.Len()/8)
		if size >= heapWords {
			return fresh[:n:size], nil
		}
		h.rest = fresh
	}
	words := h.rest[:n:size]
	h.rest = h.rest[size:]
	return words, nil
}

// Drop gives back what [Heap.Words] has returned. Once the heap is closed it does nothing.
func (h *Heap) Drop(words []uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.closed {
		class := classOf(cap(words))
		h.free[class] = append(h.free[class], words[:cap(words)])
	}
}

// Close gives all memory back to the window.
func (h *Heap) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range h.regions {
		_ = r.Free()
	}
	h.regions, h.rest, h.free, h.closed = nil, nil, nil, true
}

// classOf is the logarithm of the number of lines that so many words take, rounded up to a power of two.
func classOf(n int) int {
	lines := max(1, (n+lineWords-1)/lineWords)
	return bits.Len(uint(lines - 1))
}
