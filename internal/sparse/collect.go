package sparse

import (
	"slices"
	"sync"

	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/parallel"
)

// dead is a block that nothing leads to any more.
type dead struct {
	kind  *layout.Block
	block uint64
}

// Deactivate notes that a cell is to become inactive with all that is below it, which
// [Tree.Collect] carries out. Nothing happens to a cell that is inactive already, or of
// a node that is not pointer, hash or bitmasked. The index must be in range.
func (t *Tree) Deactivate(n *layout.Node, idx []int) {
	switch n.Kind() {
	case layout.Pointer, layout.Hash, layout.Bitmasked:
	default:
		return
	}
	t.mu.Lock()
	k := &t.nodes[n.Number()]
	for i, x := range idx {
		k.leaving = append(k.leaving, int64(x)-k.origin[i])
	}
	t.mu.Unlock()
}

// DeactivateAll does so with many cells, whose indices follow each other.
func (t *Tree) DeactivateAll(n *layout.Node, cells []int64) {
	switch n.Kind() {
	case layout.Pointer, layout.Hash, layout.Bitmasked:
	default:
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	k := &t.nodes[n.Number()]
	k.leaving = slices.Grow(k.leaving, len(cells))
	rank := len(k.origin)
	for len(cells) > 0 {
		for i, x := range cells[:rank] {
			k.leaving = append(k.leaving, x-k.origin[i])
		}
		cells = cells[rank:]
	}
}

// Collect makes the cells noted by [Tree.Deactivate] inactive. Its time is that of what
// lies below them.
func (t *Tree) Collect() {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := t.dead
	for i := range t.nodes { // those above first: what was below is not found any more then
		if k := &t.nodes[i]; len(k.leaving) > 0 {
			all = t.detach(k, all)
			const keep = 4 << 20
			if k.leaving = k.leaving[:0]; cap(k.leaving) > keep {
				k.leaving = nil
			}
		}
	}
	if len(all) > 0 {
		t.retire(all)
	}
}

// detach takes the cells of a node that are to leave out of the tree, and adds the blocks
// that hang from them to the dead.
func (t *Tree) detach(n *node, to []dead) []dead {
	t.notify(n, n.leaving)
	rank, last := len(n.spans), len(n.steps)-1
	s := &n.steps[last]
	var in, low index // the index within a block, of which the first cell has index low
	block := uint64(0)
	for i := 0; i < len(n.leaving); i += rank {
		idx, same := n.leaving[i:i+rank], i > 0
		for a, x := range idx {
			in[a] = x - low[a]
			same = same && uint64(in[a]) < uint64(n.spans[a])
		}
		if !same {
			for a, x := range idx {
				in[a] = x % n.spans[a]
				low[a] = x - in[a]
			}
			block = t.descend(n.steps[:last], low[:]) // in inactive cells there is nothing active
		}
		if block == 0 {
			continue
		}
		place := block + uint64(s.Const+sum(s.Terms, in[:]))
		switch s.Kind {
		case layout.StepPointer:
			if b := t.load(place); b != 0 {
				t.store(place, 0)
				to = append(to, dead{s.Into, b})
				n.version++
			}
		case layout.StepTable:
			var coords [layout.MaxRank]uint32
			if b := n.table.remove(coordinates(s, in[:], &coords)); b != 0 {
				to = append(to, dead{s.Into, b})
				n.version++
			}
		case layout.StepMask:
			cell := sum(s.Cells, in[:])
			if at, bit := place+uint64(cell/64*wordBytes), uint64(1)<<(cell%64); t.load(at)&bit != 0 {
				t.store(at, t.load(at)&^bit)
				off := n.Const + n.First
				to = t.emptyCell(n.Node, n.Block, place+uint64(n.First+cell*n.CellBytes), off, len(n.Repeat)+len(n.Cells), to)
				n.version++
			}
		}
	}
	return to
}

// below reports whether a node is below another.
func below(n, above *layout.Node) bool {
	for ; n != nil; n = n.Parent() {
		if n == above {
			return true
		}
	}
	return false
}

// hanging adds the blocks that instances of a container lead to to the dead. The first
// instance is at place.
func (t *Tree) hanging(c *layout.Container, place uint64, repeat []layout.Level, to []dead) []dead {
	switch c.Node.Kind() {
	case layout.Pointer:
		return t.hangingIn(place, slices.Concat(repeat, c.Cells), c.Into[0], to)
	case layout.Dynamic:
		for _, l := range listLinks(c) {
			to = t.hangingIn(place+uint64(l.off), slices.Concat(repeat, l.levels), l.into, to)
		}
		return to
	case layout.Hash:
		h := t.nodes[c.Node.Number()].table
		h.entries(func(e, block uint64) {
			h.removeEntry(e)
			to = append(to, dead{c.Into[0], block})
		})
	}
	return to
}

// hangingIn adds the blocks that an array of pointers leads to to the dead.
func (t *Tree) hangingIn(place uint64, levels []layout.Level, into *layout.Block, to []dead) []dead {
	eachPlace(place, levels, func(p uint64) {
		if b := t.load(p); b != 0 {
			to = append(to, dead{into, b})
		}
	})
	return to
}

// eachPlace calls f for each combination of levels.
func eachPlace(place uint64, levels []layout.Level, f func(p uint64)) {
	if len(levels) == 0 {
		f(place)
		return
	}
	for range levels[0].Size {
		eachPlace(place, levels[1:], f)
		place += uint64(levels[0].Stride)
	}
}

// retire zeroes blocks and all that hangs from them, and gives their slots back. Blocks that
// lead to no others are zeroed last, since a pool of which nothing is left need not do that.
func (t *Tree) retire(all []dead) {
	leaf, count := make([]bool, len(t.pools)), make([]int64, len(t.pools))
	for i, b := range t.lay.Blocks() {
		leaf[i] = len(t.links(b)) == 0 && len(t.tables(b)) == 0
	}
	for level := 0; level < len(all); {
		from := level
		level = len(all)
		all = t.retireLevel(all, from, leaf)
	}
	for i := range all {
		count[all[i].kind.ID]++
	}
	for id, n := range count {
		if p := t.pools[id]; n > 0 && p.last(n) {
			p.empty()
		} else if n > 0 {
			p.flush()
			p.push(t.freed(all, id, leaf[id]))
			p.release()
		}
	}
	for i := range t.nodes {
		if h := t.nodes[i].table; h != nil {
			h.tidy()
		}
	}
	const keep = 1 << 18
	if t.dead = all[:0]; cap(all) > keep {
		t.dead = nil
	}
}

// retireLevel zeroes the blocks from number from on but for leaves, and appends what hangs from them.
func (t *Tree) retireLevel(all []dead, from int, leaf []bool) []dead {
	level := all[from:]
	if !slices.ContainsFunc(level, func(d dead) bool { return !leaf[d.kind.ID] }) {
		return all
	}
	var mu sync.Mutex
	const batch = 64
	parallel.For(t.threads, (len(level)+batch-1)/batch, batch*200, func(i int) {
		var below []dead
		for _, d := range level[i*batch : min(len(level), (i+1)*batch)] {
			if !leaf[d.kind.ID] {
				below = t.hangingFrom(d, below)
				t.door.clear(d.block, d.kind.Bytes)
			}
		}
		if len(below) > 0 {
			mu.Lock()
			all = append(all, below...)
			mu.Unlock()
		}
	})
	return all
}

// freed returns the slots of the dead blocks of a kind, zeroed, highest first.
func (t *Tree) freed(all []dead, id int, leaf bool) []uint64 {
	p := t.pools[id]
	var slots []uint64
	for _, d := range all {
		if d.kind.ID == id {
			slots = append(slots, p.slot(d.block))
		}
	}
	slices.Sort(slots) // whichever thread came first
	if leaf {
		parallel.For(t.threads, len(slots), p.bytes/16+10, func(i int) { p.clear(p.address(slots[i]), p.bytes) })
	}
	slices.Reverse(slots)
	return slots
}

// hangingFrom adds the blocks that a block leads to to the dead.
func (t *Tree) hangingFrom(d dead, to []dead) []dead {
	// A directory of a list has nothing but pointers.
	if c := t.listOf(d.kind); c != nil {
		for i, b := range c.Into[:len(c.Into)-1] {
			if b != d.kind {
				continue
			}
			for k := range c.Fan[i+1] {
				if p := t.load(d.block + uint64(k*wordBytes)); p != 0 {
					to = append(to, dead{c.Into[i+1], p})
				}
			}
		}
		return to
	}
	for _, c := range d.kind.Containers {
		to = t.hanging(c, d.block+uint64(c.Const), c.Repeat, to)
	}
	return to
}

// listOf returns the container of the list that a kind of block is a part of, or nil.
func (t *Tree) listOf(kind *layout.Block) *layout.Container {
	if kind.Node.Kind() != layout.Dynamic {
		return nil
	}
	return t.nodes[kind.Node.Number()].Container
}
