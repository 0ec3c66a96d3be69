package sparse

import (
	"sync/atomic"
	"unsafe"
)

// Tests read and write trees in shared memory as compiled code does, without a door.

func load(addr uint64) uint64     { return peek(addr) }
func store(addr uint64, v uint64) { atomic.StoreUint64(word(addr), v) }

// memoryAt returns n bytes at an address.
func memoryAt(addr uint64, n int64) []byte { return unsafe.Slice((*byte)(at(addr)), n) }

// at returns one of the control words.
func (p *pool) at(offset int64) *uint64 { return word(p.control + uint64(offset)) }

// at returns a word of the header.
func (h *table) at(offset uint64) *uint64 { return word(h.head + offset) }
