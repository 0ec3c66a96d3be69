package session

import (
	"sync"
	"sync/atomic"
)

// Long work on a field checks now and then whether its tree has been closed.
const (
	pieceBytes  = 1 << 20 // bytes that are copied between two checks
	lookEvery   = 1 << 12 // elements that are visited between two checks
	leastPieces = 4       // that are worth waking goroutines for
)

// pieces returns the number of elements of a field, and of those in a piece of it.
func (c *Field) pieces() (n, piece int) {
	return int(c.lay.Len()), max(1, pieceBytes/int(c.typ.Size()))
}

// inPieces calls f for one piece after the other of a field whose elements are contiguous.
// It stops once a tree of the field is closed, and returns [ErrClosed] then.
func (c *Field) inPieces(f func(lo, hi int)) error {
	n, piece := c.pieces()
	for lo := 0; lo < n && !c.over(); lo += piece {
		f(lo, min(lo+piece, n))
	}
	return c.alive()
}

// atOnce is inPieces in no order: one processor alone does not keep the memory busy. There are as many
// goroutines as the runtime has threads for kernels.
func (c *Field) atOnce(f func(lo, hi int)) error {
	n, piece := c.pieces()
	count := (n + piece - 1) / piece
	if count < leastPieces || len(c.uses) == 0 || c.uses[0].rt.opt.Threads < 2 {
		return c.inPieces(f)
	}
	threads := min(c.uses[0].rt.opt.Threads, count/2)
	var taken atomic.Int64
	work := func() {
		for !c.over() {
			lo := int(taken.Add(1)-1) * piece
			if lo >= n {
				return
			}
			f(lo, min(lo+piece, n))
		}
	}
	var others sync.WaitGroup
	for range threads - 1 {
		others.Go(work)
	}
	work()
	others.Wait()
	return c.alive()
}
