package sparse

import (
	"slices"

	"github.com/gotaichi/ti/internal/layout"
)

// madeList is a list for loops: entries of [address of the block, its coordinate along
// each axis of the node in cells of the node with the block, the values of the outer
// dimensions, for a list the number of elements of the chunk, the bits of the innermost
// bitmasked node if they are asked for].
type madeList struct {
	node  *layout.Node
	outer int
	masks bool
	words []uint64
	own   []uint64 // memory of words, if it is not that of the list of blocks
	width int
	stamp int64
	needs []int // numbers of the nodes that it depends on
	times int   // made so often
}

// List returns a list for loops over a node, a 0 behind it, and its number of entries:
// one for each block with cells of the node or, if outer is not 0, for each combination
// of the first outer dimensions in it that the masks there leave. With masks, entries have
// the bits of the innermost bitmasked node, above which all dimensions are among the outer
// ones, and those without a bit are left out. Both stay valid until the topology changes
// and the list is asked for again.
func (t *Tree) List(n *layout.Node, outer int, masks bool) (words []uint64, entries int64, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l, err := t.list(n, outer, masks)
	if err == nil {
		err = t.err()
	}
	if err != nil || len(l.words) == 0 {
		return nil, 0, err
	}
	l.end()
	return l.words, int64(len(l.words) / l.width), nil
}

// end puts a 0 behind the last entry, where code looks for the block that comes next.
func (l *madeList) end() {
	n := len(l.words)
	if cap(l.words) == n {
		l.words = slices.Grow(l.words, 1)
	}
	l.words[:n+1][n] = 0
}

func (t *Tree) list(n *layout.Node, outer int, masks bool) (*madeList, error) {
	var l *madeList
	for _, m := range t.made {
		if m.node == n && m.outer == outer && m.masks == masks {
			l = m
		}
	}
	if l != nil && l.stamp == t.stamp(l.needs) {
		return l, nil
	}
	v := n.Visit()
	o := newOuter(t.door, v, outer, masks)
	blocks, err := t.blocks(v.Node)
	if err != nil {
		return nil, err
	}
	if l == nil {
		l = &madeList{node: n, outer: outer, masks: masks, needs: append(chain(v.Node), o.nodes...)}
		t.made = append(t.made, l)
	}
	f := entryLayout{rank: len(n.PathAxes()), spread: newSpread(n, v.Node), counted: v.Node.Kind() == layout.Dynamic, bits: o.words}
	l.width = 1 + f.rank + outer + btoi(f.counted) + o.words
	if f.width = l.width; o.whole() && slices.IsSorted(f.spread) && len(f.spread) == f.rank {
		l.words = blocks.words // has the same form
	} else {
		l.own = t.entries(l.own, blocks, o, &f)
		l.words = l.own
	}
	l.stamp = t.stamp(l.needs)
	l.times++
	return l, nil
}

// entryForm says how an entry is written.
type entryLayout struct {
	width, rank int
	spread      []int // see newSpread
	counted     bool  // there is a number of elements
	bits        int   // words
}

// entries writes the entries of a list, into the memory of an earlier one if it is large
// enough.
func (t *Tree) entries(memory []uint64, blocks *blockList, o outer, f *entryLayout) []uint64 {
	return t.gather(memory, int64(blocks.len())*o.total, int64(10+10*len(o.masks)+f.bits), func(to []uint64, lo, hi int64) []uint64 {
		at := o.from(lo % o.total)
		for i, b := lo, blocks.entry(int(lo/o.total)); i < hi; i++ {
			if at.i == o.total {
				at.first()
				b = blocks.entry(int(i / o.total))
			}
			if at.active(b[0]) {
				var e []uint64
				to, e = grown(to, f.width)
				if f.write(e, b, &at); f.bits > 0 && !at.bits(b[0], e[f.width-f.bits:]) {
					to = to[:len(to)-f.width]
				}
			}
			at.next()
		}
		return to
	})
}

// write writes the words of an entry but for the bits.
func (f *entryLayout) write(e, block []uint64, at *combination) {
	clear(e[1 : 1+f.rank])
	e[0] = block[0]
	for k, p := range f.spread {
		e[1+p] = block[1+k]
	}
	rest := e[1+f.rank:]
	for k := range rest[:len(rest)-f.bits-btoi(f.counted)] {
		rest[k] = 0 // there are no such dimensions
		if k < len(at.o.dims) {
			rest[k] = uint64(at.v[k])
		}
	}
	if f.counted {
		e[f.width-1] = block[len(block)-1]
	}
}

// grown makes a slice longer by n words, and returns it and those, which may hold anything.
func grown(s []uint64, n int) (all, end []uint64) {
	l := len(s)
	s = slices.Grow(s, n)[:l+n]
	return s, s[l:]
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// newSpread returns the position among the axes of n of each axis of a node above it.
func newSpread(n, above *layout.Node) []int {
	var out []int
	axes := n.PathAxes()
	for _, a := range above.PathAxes() {
		out = append(out, slices.Index(axes, a))
	}
	return out
}

// outer is the first dimensions within a block, and the masks that they decide.
type outer struct {
	door
	dims  []layout.NestDim
	total int64
	masks []outerMask
	words int   // of the bits of the last mask in each entry; 0 if there are none
	nodes []int // of the masks
}

// outerMask is a mask whose node has some of its dimensions among the outer ones: of
// each combination it decides on rest cells that follow each other.
type outerMask struct {
	step *layout.Step
	rest int64
}

// mostOuter is the largest number of dimensions of lists.
const mostOuter = 64

// newOuter returns the first count dims. A mask is looked at if it has one of them, and with
// bits all masks are.
func newOuter(d door, v layout.Visit, count int, bits bool) outer {
	o := outer{door: d, total: 1}
	for _, in := range v.Inside {
		before := len(o.dims)
		rest := int64(1)
		for _, d := range in.Dims {
			if len(o.dims) < min(count, mostOuter) {
				o.dims = append(o.dims, d)
				o.total *= d.Extent
			} else {
				rest *= d.Extent
			}
		}
		if in.Mask != nil && (len(o.dims) > before || bits) {
			o.masks = append(o.masks, outerMask{in.Mask, rest})
			o.nodes = append(o.nodes, in.Node.Number())
		}
	}
	if bits {
		o.words = v.MaskWords(count)
	}
	return o
}

// whole reports whether there is an entry for each block.
func (o *outer) whole() bool { return len(o.dims) == 0 && len(o.masks) == 0 }

// A combination is a combination of the outer dimensions, of which one comes after the
// other.
type combination struct {
	o   *outer
	i   int64            // its number
	v   [mostOuter]int64 // along each dimension
	rel index            // of its first cell within the block
}

// from returns combination i.
func (o *outer) from(i int64) combination {
	c := combination{o: o, i: i}
	for k := len(o.dims) - 1; k >= 0; k-- {
		d := &o.dims[k]
		c.v[k] = i % d.Extent
		c.rel[d.Axis] += c.v[k] * d.Mul
		i /= d.Extent
	}
	return c
}

// first goes back to the first combination, from behind the last.
func (c *combination) first() { c.i = 0 }

// next goes on, behind the last combination to what is like the first.
func (c *combination) next() {
	c.i++
	for k := len(c.o.dims) - 1; k >= 0; k-- {
		d := &c.o.dims[k]
		c.v[k]++
		if c.rel[d.Axis] += d.Mul; c.v[k] < d.Extent {
			return
		}
		c.rel[d.Axis] -= d.Mul * d.Extent
		c.v[k] = 0
	}
}

// active reports whether the masks leave a combination in a block. The bits of the last
// are asked elsewhere if entries have them.
func (c *combination) active(block uint64) bool {
	masks := c.o.masks
	if c.o.words > 0 {
		masks = masks[:len(masks)-1]
	}
	for i := range masks {
		m := &masks[i]
		if !c.o.anyBit(m.place(block, &c.rel), sum(m.step.Cells, c.rel[:]), m.rest) {
			return false
		}
	}
	return true
}

// bits reads the bits of the last mask, and reports whether there is a one.
func (c *combination) bits(block uint64, to []uint64) bool {
	m := &c.o.masks[len(c.o.masks)-1]
	place, cell, any := m.place(block, &c.rel), sum(m.step.Cells, c.rel[:]), uint64(0)
	for i := range to {
		to[i] = c.o.bitsAt(place, cell, m.rest-64*int64(i))
		any |= to[i]
		cell += 64
	}
	return any != 0
}

// place returns the address of the words of a mask.
func (m *outerMask) place(block uint64, rel *index) uint64 {
	return block + uint64(m.step.Const+sum(m.step.Terms, rel[:]))
}

// bitsAt returns n bits of a mask, but at most 64, from a cell on.
func (d door) bitsAt(mask uint64, cell, n int64) uint64 {
	at, shift := mask+uint64(cell/64*wordBytes), cell%64
	d.read(at, wordBytes)
	w := peek(at) >> shift
	if n = min(n, 64); shift+n > 64 {
		d.read(at+wordBytes, wordBytes)
		w |= peek(at+wordBytes) << (64 - shift)
	}
	if n < 64 {
		w &= 1<<n - 1
	}
	return w
}

// anyBit reports whether one of n bits from a cell on is set.
func (d door) anyBit(mask uint64, cell, n int64) bool {
	for ; n > 0; n -= 64 {
		if d.bitsAt(mask, cell, n) != 0 {
			return true
		}
		cell += 64
	}
	return false
}
