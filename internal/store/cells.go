package store

import (
	"fmt"
	"iter"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/layout"
)

// Active reports whether a cell of the node is active, that is, whether all cells on the path
// to it are.
func (n *Node) Active(idx ...int) bool {
	c := n.mustCore()
	c.check(indexOf(idx), len(idx), c.Rank)
	if !n.lay.Sparse() {
		return true
	}
	n.lock()
	defer n.unlock()
	return n.tree.sparse.Active(n.lay, idx)
}

// Cells iterates over the active cells in the order in which they lie in memory.
func (n *Node) Cells() iter.Seq[Index] {
	return func(yield func(Index) bool) {
		c := n.mustCore()
		if n.tree.sparse == nil {
			c.inMemoryOrder()(yield)
			return
		}
		n.tree.cells(n.lay)(yield)
	}
}

// Count returns the number of active cells.
func (n *Node) Count() int {
	c := n.mustCore()
	if !n.lay.Sparse() {
		return int(c.lay.Len())
	}
	n.lock()
	defer n.unlock()
	count, err := n.tree.sparse.Count(n.lay)
	if err != nil {
		panic(diag.Errorf(diag.ErrMemory, "counting cells: %w", err))
	}
	return count
}

// Len returns the length of the list of a Dynamic node in the cell of its parent that the
// indices name.
func (n *Node) Len(idx ...int) int {
	c := n.mustCore()
	if n.lay.Kind() != layout.Dynamic {
		panic(fmt.Sprintf("ti: Len of a %v node, which has no lists; those of a Dynamic node have a length", n.lay.Kind()))
	}
	c.check(indexOf(idx), len(idx), c.Rank-1)
	n.lock()
	defer n.unlock()
	return n.tree.sparse.Len(n.lay, idx)
}

// Clear deactivates all cells of the node and of the sparse nodes below it, and zeroes what
// stays.
func (n *Node) Clear() {
	n.mustCore()
	n.lock()
	defer n.unlock()
	if n.tree.sparse == nil {
		n.zero()
		return
	}
	if err := n.tree.sparse.Clear(n.lay); err != nil {
		panic(diag.Errorf(diag.ErrMemory, "clearing a node: %w", err))
	}
}

// zero zeroes the cells of a node in a dense tree.
func (n *Node) zero() {
	_, off, levels := n.lay.Array()
	size := n.lay.CellBytes()
	for len(levels) > 0 && levels[len(levels)-1].Stride == size { // cells without a gap
		size *= levels[len(levels)-1].Size
		levels = levels[:len(levels)-1]
	}
	if n.lay.Parent() == nil {
		size = n.tree.bytes
	}
	must(n.tree.whileMapped(true, func(memory []byte) error {
		zero(memory, off, size, levels)
		return nil
	}))
}

// zero zeroes size bytes at each place that levels lead to from off.
func zero(memory []byte, off, size int64, levels []layout.Level) {
	if len(levels) == 0 {
		clear(memory[off : off+size])
		return
	}
	for range levels[0].Size {
		zero(memory, off, size, levels[1:])
		off += levels[0].Stride
	}
}

// mustCore is Core for methods without an error.
func (n *Node) mustCore() *Field {
	if err := n.usable(); err != nil {
		panic(err)
	}
	if n.lay == nil {
		panic(n.tree.Err())
	}
	c, err := n.Core()
	if err != nil {
		panic(err)
	}
	return c
}

// lock takes the launch lock: topology is looked at and changed while no kernel runs.
func (n *Node) lock() {
	n.tree.st.cfg.Launches.Lock()
	if n.tree.closed.Load() {
		n.tree.st.cfg.Launches.Unlock()
		panic(diag.Errorf(diag.ErrClosed, "the tree has been closed"))
	}
}

// unlock gives it back. It panics if the host could not look at the tree.
func (n *Node) unlock() {
	err := n.tree.unmapSparse()
	n.tree.st.cfg.Launches.Unlock()
	must(err)
}

// cells iterates over the active cells of a node of a sparse tree. The launch lock is
// held while the tree is looked at, and free while the loop's body runs.
func (t *Tree) cells(n *layout.Node) iter.Seq[Index] {
	return func(yield func(Index) bool) {
		var err error
		t.st.cfg.Launches.Lock()
		if !t.closed.Load() {
			for cell := range t.sparse.Cells(n, &err) {
				var idx Index
				copy(idx[:], cell)
				t.st.cfg.Launches.Unlock()
				more := yield(idx) // a panic leaves the lock free
				t.st.cfg.Launches.Lock()
				if !more || t.closed.Load() {
					break
				}
			}
		}
		late := t.unmapSparse()
		t.st.cfg.Launches.Unlock()
		must(late)
		if err != nil {
			panic(diag.Errorf(diag.ErrMemory, "the cells of a node: %w", err))
		}
	}
}
