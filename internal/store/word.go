package store

import (
	"go/token"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/quant"
)

// A Word is a machine word in each cell of a node: a bit struct or a bit array.
type Word struct {
	_       noCopy
	node    *Node
	lay     *layout.Word // nil for a mistake
	pos     token.Position
	checked bool // whether it is empty
}

// BitStruct adds a word that fields are packed in.
func (n *Node) BitStruct(bits int) *Word {
	return n.word(func() (*layout.Word, error) { return n.lay.BitStruct(bits) })
}

// BitArray adds an array whose elements lie in one word.
func (n *Node) BitArray(bits int, axes string, size ...int) *Word {
	return n.word(func() (*layout.Word, error) { return n.lay.BitArray(bits, axes, size...) })
}

// word adds a word made by make, which is not called below a mistake.
func (n *Node) word(make func() (*layout.Word, error)) *Word {
	defer n.building()()
	w := &Word{node: n, pos: diag.User()}
	if n.lay != nil {
		lay, err := make()
		n.tree.noteAt(err, w.pos)
		w.lay = lay
	}
	n.tree.words = append(n.tree.words, w)
	return w
}

// Place packs a field behind what the word has.
func (w *Word) Place(c *Field, formats []quant.Format) *Word {
	w.mustBeMade()
	defer w.node.building()()
	pos := diag.User()
	w.node.tree.misplaced(c, w.node.adopt(c, pos, func() error {
		if w.lay == nil {
			return nil
		}
		return w.lay.Place(c.lay, c.lo, c.hi, formats...)
	}), pos)
	return w
}

// PlaceShared packs fields that share one exponent.
func (w *Word) PlaceShared(format quant.Format, fields []*Field) *Word {
	w.mustBeMade()
	defer w.node.building()()
	pos := diag.User()
	var parts []layout.Part
	for _, c := range fields {
		if err := w.node.adopt(c, pos, func() error { return nil }); err != nil {
			w.node.tree.misplaced(c, err, pos)
			return w
		}
		parts = append(parts, layout.Part{Field: c.lay, Lo: c.lo, Hi: c.hi})
	}
	if w.lay == nil {
		return w
	}
	if err := w.lay.PlaceShared(format, parts...); err != nil {
		w.node.tree.noteAt(err, pos)
		for _, c := range fields {
			c.misplace(layoutError(err, pos))
		}
	}
	return w
}

func (w *Word) mustBeMade() {
	if w == nil || w.node == nil {
		panic(diag.Errorf(diag.ErrArgs, "a bit struct or bit array of no node; use what Node.BitStruct or Node.BitArray returns"))
	}
}

// emptyWords notes the words that nothing is placed in, once each.
func (t *Tree) emptyWords() {
	for _, w := range t.words {
		if w.lay != nil && !w.checked && len(t.errs) == 0 {
			t.noteAt(w.lay.Empty(), w.pos)
		}
		w.checked = true
	}
}

// Memory returns the address of the words, one a cell in the order of memory, and their number.
// bits is the size of the words that the caller wants.
func (w *Word) Memory(bits int) (words []byte, err error) {
	w.mustBeMade()
	t := w.node.tree
	t.st.mu.Lock()
	err = t.ready()
	t.st.mu.Unlock()
	switch {
	case err != nil:
		return nil, err
	case t.closed.Load():
		return nil, diag.Errorf(diag.ErrClosed, "the tree of a bit struct has been closed")
	case w.lay == nil:
		return nil, t.Err()
	case int64(bits) != w.lay.Bits():
		return nil, diag.Errorf(diag.ErrArgs, "words of %d bits, and those of the bit struct have %d: ask for []uint%d", bits, w.lay.Bits(), w.lay.Bits())
	}
	off, n, ok := w.lay.Run()
	if !ok {
		return nil, diag.Errorf(diag.ErrLayout, "the words do not follow each other without a gap: something else lies in the cells, or they are cells of a sparse node; use At, Set, CopyTo and CopyFrom of the fields")
	}
	if !t.area.Shared() {
		return nil, diag.Errorf(diag.ErrLayout, "the words are in memory of the device alone; use At, Set, CopyTo and CopyFrom of the fields")
	}
	if settle := t.st.cfg.Settle; settle != nil {
		if err := settle(nil); err != nil {
			return nil, err
		}
	}
	t.hand()
	size := w.lay.Kind.Bytes()
	return t.memory()[off : off+n*size], nil
}
