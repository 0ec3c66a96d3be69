package store

import "github.com/gotaichi/ti/internal/parallel"

// Long work on a field checks now and then whether its tree has been closed.
const (
	pieceBytes = 1 << 20 // bytes that are copied between two checks
	pieceTime  = 40e3    // ns that this takes, about
)

// pieces returns the number of elements of a field, and of those in a piece of it.
func (c *Field) pieces() (n, piece int) {
	return int(c.lay.Len()), max(1, pieceBytes/int(c.typ.Size()))
}

// inPieces calls f, with the memory mapped, for one piece after the other of a field whose elements are contiguous.
// It stops once a tree of the field is closed, and returns [diag.ErrClosed] then.
func (c *Field) inPieces(write bool, f func(lo, hi int)) error {
	n, piece := c.pieces()
	for lo := 0; lo < n && !c.Over(); lo += piece {
		if err := c.mapMemory(write); err != nil {
			return err
		}
		f(lo, min(lo+piece, n))
		if err := c.unmapMemory(); err != nil {
			return err
		}
	}
	return c.Alive()
}

// atOnce is inPieces in no order: one processor alone does not keep the memory busy. There are as many
// goroutines as the runtime has threads for kernels, and pieces: a rest is not worth one.
func (c *Field) atOnce(write bool, f func(lo, hi int)) error {
	n, piece := c.pieces()
	threads := 1
	if len(c.uses) > 0 {
		threads = c.uses[0].st.cfg.Threads
	}
	if err := c.mapMemory(write); err != nil {
		return err
	}
	parallel.For(min(threads, n/piece), (n+piece-1)/piece, pieceTime, func(i int) {
		if !c.Over() {
			f(i*piece, min((i+1)*piece, n))
		}
	})
	if err := c.unmapMemory(); err != nil {
		return err
	}
	return c.Alive()
}
