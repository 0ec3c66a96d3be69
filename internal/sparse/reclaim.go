package sparse

import "github.com/gotaichi/ti/internal/layout"

// reclaim takes back the slots that a task has lost which found no memory for a block:
// such a task goes on with the dump block of the kind, and may have made blocks below it. Those are
// found as what is neither in the tree nor free.
func (t *Tree) reclaim() {
	t.zeroRange(t.dump, 0, t.dump.Len())
	t.shorten()
	for id, slots := range t.lost() {
		if p := t.pools[id]; p != nil {
			for _, s := range slots {
				p.clear(p.address(s), p.bytes)
			}
			p.push(slots)
			p.shed()
		}
	}
}

// Lost returns the number of blocks that are neither part of the tree nor free: none, in
// a tree that is in order. It looks at all blocks.
func (t *Tree) Lost() (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, slots := range t.lost() {
		n += len(slots)
	}
	return n
}

// lost returns the slots of such blocks, by kind.
func (t *Tree) lost() [][]uint64 {
	known := make([][]bool, len(t.pools))
	for id, p := range t.pools {
		if p == nil {
			continue
		}
		p.flush()
		known[id] = make([]bool, p.top())
		note := func(s uint64) {
			if s < uint64(len(known[id])) { // it is, unless the machine has not given what was to be read
				known[id][s] = true
			}
		}
		for _, s := range p.free64(p.count()) {
			note(s)
		}
		for g, r := range p.released {
			for s := int64(g) * p.group; r && s < int64(g+1)*p.group; s++ {
				note(uint64(s))
			}
		}
	}
	t.mark(known)
	lost := make([][]uint64, len(t.pools))
	for id := range known {
		for s, k := range known[id] {
			if !k {
				lost[id] = append(lost[id], uint64(s))
			}
		}
	}
	return lost
}

// shorten makes lists as long as their last chunk allows: code notes the length before it
// has the chunk, so a write for which there was none has made its list longer. What
// lacks within a list is left to whoever needs it.
func (t *Tree) shorten() {
	for i := range t.nodes {
		k := &t.nodes[i]
		if k.Node.Kind() != layout.Dynamic {
			continue
		}
		from, err := t.blocks(k.Block.Node)
		if err != nil {
			continue // only lists of chunks need memory, and there is none in a chunk
		}
		for b := range from.len() {
			eachPlace(from.entry(b)[0]+uint64(k.Const), k.Repeat, func(place uint64) {
				length := t.length(k.Node, place)
				chunks := (length + k.Chunk - 1) / k.Chunk
				for chunks > 0 && t.chunk(k, place, chunks-1, false) == 0 {
					chunks--
				}
				if short := chunks * k.Chunk; short < length {
					t.store(place, uint64(short))
					k.version++
				}
			})
		}
	}
}

// mark notes the slots of all blocks of the tree.
func (t *Tree) mark(known [][]bool) {
	all := []dead{{t.lay.Blocks()[0], t.base}}
	for len(all) > 0 {
		d := all[len(all)-1]
		all = all[:len(all)-1]
		for _, l := range t.links(d.kind) {
			eachPlace(d.block+uint64(l.off), l.levels, func(place uint64) {
				if b := t.load(place); b != 0 {
					all = append(all, dead{l.into, b})
				}
			})
		}
		for _, c := range t.tables(d.kind) {
			t.nodes[c.Node.Number()].table.entries(func(_, b uint64) {
				all = append(all, dead{c.Into[0], b})
			})
		}
		if d.kind.ID != 0 {
			if s, of := t.pools[d.kind.ID].slot(d.block), known[d.kind.ID]; s < uint64(len(of)) {
				of[s] = true
			}
		}
	}
}
