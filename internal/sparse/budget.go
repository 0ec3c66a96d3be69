package sparse

import (
	"errors"
	"sync/atomic"

	"github.com/gotaichi/ti/internal/memory"
)

// ErrMemory says that a cell could not be activated, because the memory limit is
// reached or a region of address space is full. Everything else stays as it was.
var ErrMemory = errors.New("there is no memory left for the cells of a sparse tree")

// Budget bounds the memory of all trees that share it.
type Budget struct {
	limit   int64
	used    atomic.Int64
	changes atomic.Int64 // how often used has changed
}

// unknownMemory is the limit where neither the program nor the system says one.
const unknownMemory = 1 << 36

// NewBudget returns a budget of limit bytes; 0 stands for what the machine has.
func NewBudget(limit int64) *Budget {
	if limit <= 0 {
		limit = memory.PhysicalMemory()
	}
	if limit <= 0 {
		limit = unknownMemory
	}
	return &Budget{limit: limit}
}

// Used returns the bytes in use.
func (b *Budget) Used() int64 { return b.used.Load() }

// Add counts n bytes more, which may be negative.
func (b *Budget) Add(n int64) {
	if n != 0 {
		b.used.Add(n)
		b.changes.Add(1)
	}
}

// Take counts n bytes more if there are so many, and reports whether there are.
func (b *Budget) Take(n int64) bool {
	if b.used.Add(n) > b.limit {
		b.used.Add(-n)
		return false
	}
	b.changes.Add(1)
	return true
}

// Give counts n bytes less.
func (b *Budget) Give(n int64) { b.Add(-n) }

// Left returns how many bytes there are still to be had.
func (b *Budget) Left() int64 { return max(0, b.limit-b.used.Load()) }

// exceeded reports whether more is in use than there should be.
func (b *Budget) exceeded() bool { return b.used.Load() > b.limit }
