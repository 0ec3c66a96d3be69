package sparse

import (
	"slices"

	"github.com/gotaichi/ti/internal/layout"
)

// Clear makes all cells of a node inactive, with all that is below them. Of a dense
// node, and of the root, it clears what is below and zeroes the rest.
func (t *Tree) Clear(n *layout.Node) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.clear(n)
}

func (t *Tree) clear(n *layout.Node) error {
	if err := t.notifyAll(n); err != nil {
		return err
	}
	return t.drop(n)
}

// drop clears a node without a word to those who follow it.
func (t *Tree) drop(n *layout.Node) error {
	var all []dead
	switch {
	case n.Parent() == nil:
		all = t.hangingFrom(dead{t.lay.Blocks()[0], t.base}, nil)
		t.zeroRoot()
	case n.Kind() == layout.Dense:
		b, off, levels := n.Array()
		blocks, err := t.blocks(n.Visit().Node)
		if err != nil {
			return err
		}
		for i := range blocks.len() {
			eachPlace(blocks.entry(i)[0]+uint64(off), levels, func(cell uint64) {
				all = t.emptyCell(n, b, cell, off, len(levels), all)
			})
		}
	default:
		k := &t.nodes[n.Number()]
		blocks, err := t.blocks(k.Block.Node)
		if err != nil {
			return err
		}
		for i := range blocks.len() {
			eachPlace(blocks.entry(i)[0]+uint64(k.Const), k.Repeat, func(place uint64) {
				all = t.clearContainer(k, place, all)
			})
		}
	}
	for i := range t.nodes {
		if below(t.nodes[i].Node, n) {
			t.nodes[i].version++
		}
	}
	t.retire(all)
	if n.Parent() == nil { // also what a task has set aside and not needed
		for _, p := range t.pools {
			if p != nil {
				p.shed()
			}
		}
	}
	return nil
}

// Empty makes the list of a dynamic node in the cell of its parent that the index names
// empty, and gives its memory back.
func (t *Tree) Empty(n *layout.Node, idx []int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := &t.nodes[n.Number()]
	if place := t.listAt(k, idx); place != 0 {
		t.notifyList(k, idx)
		all := t.clearContainer(k, place, nil)
		k.version++
		t.retire(all)
	}
}

// Shorten sets the length of the list of a dynamic node in the cell of its parent that the index names. The list is longer, and
// its elements from there on are zero. They stay where they are, and nobody who follows them is told.
func (t *Tree) Shorten(n *layout.Node, idx []int, length int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := &t.nodes[n.Number()]
	if place := t.listAt(k, idx); place != 0 {
		t.store(place, uint64(length))
		k.version++
	}
}

// emptyCell zeroes a cell of a node that lies within a block of kind b; blocks that hang from it
// become dead. The first cell of the node is at offset off of the block, and depth
// levels lie between the two.
func (t *Tree) emptyCell(n *layout.Node, b *layout.Block, cell uint64, off int64, depth int, to []dead) []dead {
	for _, c := range b.Containers {
		if c.Node != n && below(c.Node, n) {
			before := len(to)
			to = t.hanging(c, cell+uint64(c.Const-off), c.Repeat[depth:], to)
			if len(to) > before {
				t.nodes[c.Node.Number()].version++
			}
		}
	}
	t.door.clear(cell, n.CellBytes())
	return to
}

// clearContainer zeroes an instance of a container; blocks that hang from it become dead.
func (t *Tree) clearContainer(k *node, place uint64, to []dead) []dead {
	to = t.hanging(k.Container, place, nil, to)
	count := int64(1)
	for _, l := range k.Cells {
		count *= l.Size
	}
	switch k.Node.Kind() {
	case layout.Pointer:
		t.door.clear(place, count*wordBytes)
	case layout.Dynamic:
		t.door.clear(place, k.ListBytes())
	case layout.Bitmasked:
		for _, c := range k.Block.Containers {
			if c.Node != k.Node && below(c.Node, k.Node) {
				to = t.hanging(c, place+uint64(c.Const-k.Const), c.Repeat[len(k.Repeat):], to)
			}
		}
		t.door.clear(place, k.First+count*k.CellBytes)
	}
	return to
}

// zeroRoot zeroes what the root block holds but for the control words and the headers
// of tables, whose entries are gone.
func (t *Tree) zeroRoot() {
	for _, s := range t.plain() {
		t.zeroRange(t.root, int64(t.base-uint64(uintptr(t.root.Base())))+s.off, s.n)
	}
}

// span is a range of bytes.
type span struct{ off, n int64 }

// plain returns the parts of the root block that are neither control words nor headers
// of tables.
func (t *Tree) plain() []span {
	var heads []int64
	for i := range t.nodes {
		if t.nodes[i].table != nil {
			heads = append(heads, t.nodes[i].Const)
		}
	}
	slices.Sort(heads)
	var out []span
	from := int64(0)
	for _, h := range append(heads, t.lay.Control()) {
		out = append(out, span{from, h - from})
		from = h + layout.TableBytes
	}
	return out
}
