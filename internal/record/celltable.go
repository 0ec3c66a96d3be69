package record

import (
	"slices"
	"unsafe"
)

// A cellTable holds what is known of components of elements that were touched, a T of each: an
// open hash table of blocks, which are neighbours along the last axis. It has no
// pointers for the garbage collector to follow, if T has none.
type cellTable[T any] struct {
	slots []uint64         // lower half of the hash<<32 | 1 + the number of the block; 0 if free
	slabs [][]cellBlock[T] // memory for blocks
	n     int              // blocks in use
}

// A cellBlock has neighbouring components.
type cellBlock[T any] struct {
	what  int64
	comp  uint64
	index [8]uint64 // of one of them; they differ in the last blockBits bits of the last axis
	cells [blockCells]T
}

const (
	blockBits  = 3
	blockCells = 1 << blockBits
	slabBlocks = 256
	keepSlots  = 1 << 12 // slots that a table keeps for the next loop
	keepSlabs  = 16      // and slabs
)

// reset empties the table.
func (t *cellTable[T]) reset() {
	if len(t.slots) > keepSlots {
		t.slots = nil
	}
	if len(t.slabs) > keepSlabs {
		t.slabs = slices.Clone(t.slabs[:keepSlabs])
	}
	clear(t.slots)
	t.n = 0
}

// bytes is the number of bytes in use.
func (t *cellTable[T]) bytes() int64 {
	return 8*int64(len(t.slots)) + int64(unsafe.Sizeof(cellBlock[T]{}))*slabBlocks*int64(len(t.slabs))
}

// at returns the entry of a component, and makes it if there is none.
func (t *cellTable[T]) at(what int64, comp uint64, index []uint64) *T {
	cell := uint64(0)
	hash := (uint64(what)<<32 ^ comp) * mixer
	last := len(index) - 1
	for i, x := range index {
		if i == last {
			cell, x = x&(blockCells-1), x>>blockBits
		}
		hash = (hash ^ hash>>29 ^ x) * mixer
	}
	if 4*t.n >= 3*len(t.slots) {
		t.grow()
	}
	hash ^= hash >> 32
	mask := uint64(len(t.slots) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		s := t.slots[at]
		if s == 0 {
			b := t.add(at, hash)
			b.what, b.comp = what, comp
			copy(b.index[:], index)
			return &b.cells[cell]
		}
		if s>>32 != hash&(1<<32-1) {
			continue
		}
		if b := t.block(int(uint32(s)) - 1); b.what == what && b.comp == comp && b.has(index) {
			return &b.cells[cell]
		}
	}
}

// has reports whether the element of that index is among those of the block.
func (b *cellBlock[T]) has(index []uint64) bool {
	last := len(index) - 1
	for i, x := range index {
		if x != b.index[i] && (i < last || (x^b.index[i])>>blockBits != 0) {
			return false
		}
	}
	return true
}

// each calls f for the components that there are entries of, in the order of their first entries. Rank is how long their indices are.
func (t *cellTable[T]) each(what int64, rank int, f func(comp uint64, index []uint64, entry *T)) {
	for n := range t.n {
		b := t.block(n)
		if b.what != what {
			continue
		}
		index := slices.Clone(b.index[:rank])
		for i := range b.cells {
			if rank > 0 {
				index[rank-1] = index[rank-1]&^(blockCells-1) | uint64(i)
			}
			f(b.comp, index, &b.cells[i])
		}
	}
}

// mixer spreads bits (Knuth, The Art of Computer Programming, volume 3, 6.4: 2⁶⁴ divided
// by the golden ratio).
const mixer = 0x9e3779b97f4a7c15

// block returns block i.
func (t *cellTable[T]) block(i int) *cellBlock[T] { return &t.slabs[i/slabBlocks][i%slabBlocks] }

// add makes a block and enters it in a free slot.
func (t *cellTable[T]) add(at, hash uint64) *cellBlock[T] {
	if t.n == len(t.slabs)*slabBlocks {
		t.slabs = append(t.slabs, make([]cellBlock[T], slabBlocks))
	}
	b := t.block(t.n)
	b.cells = [blockCells]T{}
	t.n++
	t.slots[at] = hash<<32 | uint64(t.n)
	return b
}

// grow doubles the number of slots. A slot holds the lower half of its hash, which is enough
// to find its new place.
func (t *cellTable[T]) grow() {
	old := t.slots
	t.slots = make([]uint64, max(64, 2*len(old)))
	mask := uint64(len(t.slots) - 1)
	for _, s := range old {
		if s == 0 {
			continue
		}
		at := s >> 32 & mask
		for t.slots[at] != 0 {
			at = (at + 1) & mask
		}
		t.slots[at] = s
	}
}
