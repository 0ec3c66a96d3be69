package sparse

import (
	"cmp"
	"slices"

	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/parallel"
)

// blockList has the blocks of the cells of a node, or of the chunks of lists, in the
// order of the path: by the number of the cell in the outermost node, then in the next.
// Each has stride words: the address, the coordinate along each axis on the way to the
// node, in alphabetical order, counted in cells of the node (in chunks along the axis of
// a list), and of a chunk the number of elements below the length of its list.
type blockList struct {
	words  []uint64
	stride int
	rank   int
	stamp  int64 // as [Tree.stamp] has it
	lent   bool  // someone may read the words who does not have the lock: they stay what they are
}

func (l *blockList) len() int { return len(l.words) / l.stride }

// entry returns the words of a block.
func (l *blockList) entry(i int) []uint64 { return l.words[i*l.stride : (i+1)*l.stride] }

// chain returns the numbers of the nodes with blocks of their own on the way to n,
// itself included, outermost first.
func chain(n *layout.Node) []int {
	var out []int
	for ; n != nil; n = n.Parent() {
		if n.Kind().Allocates() {
			out = append(out, n.Number())
		}
	}
	slices.Reverse(out)
	return out
}

// stamp sums up the versions of nodes. They only grow, so the sum tells any change.
func (t *Tree) stamp(numbers []int) int64 {
	s := 1 + t.epoch
	for _, i := range numbers {
		s += t.nodes[i].version
	}
	return s
}

// blocks returns the blocks of a node with blocks of its own, or the root block. It
// needs the lock, and fails if a chunk is missing for which there is no memory.
func (t *Tree) blocks(n *layout.Node) (*blockList, error) {
	if n.Parent() == nil {
		return &blockList{words: []uint64{t.base}, stride: 1}, nil
	}
	k := &t.nodes[n.Number()]
	stamp := t.stamp(chain(n))
	if k.blocks.stamp == stamp {
		return &k.blocks, nil
	}
	above := k.Block.Node
	from, err := t.blocks(above)
	if err != nil {
		return nil, err
	}
	l := blockList{rank: len(n.PathAxes())}
	if !k.blocks.lent {
		l.words = k.blocks.words[:0]
		k.blocks.stamp = 0 // until it has been made
	}
	l.stride = 1 + l.rank
	switch n.Kind() {
	case layout.Pointer:
		l.words = t.pointers(l.words, k, from, newFrame(n, above, k))
	case layout.Hash:
		l.words = hashed(k.table)
	case layout.Dynamic:
		l.stride++
		if l.words, err = t.chunks(l.words, k, from, newFrame(n, above, k)); err != nil {
			return nil, err
		}
	}
	l.stamp = t.stamp(chain(n)) // chunks may have been made
	k.blocks = l
	return &k.blocks, nil
}

// frame tells how coordinates in a block follow from those of the block above and from
// the levels between.
type frame struct {
	levels []layout.Level // outermost first
	total  int64          // combinations of them
	axis   []int          // of each level: the position in the coordinates
	from   []int          // of each coordinate above: the position
	factor []int64        // and how many cells one above spans
	rank   int
}

// newFrame returns that of a container's instances, with the cells of pointers.
func newFrame(n, above *layout.Node, k *node) frame {
	axes := n.PathAxes()
	f := frame{levels: slices.Clone(k.Repeat), total: 1, rank: len(axes)}
	if n.Kind() == layout.Pointer {
		f.levels = append(f.levels, k.Cells...)
	}
	for _, l := range f.levels {
		f.total = mulClamp(f.total, l.Size)
		f.axis = append(f.axis, slices.Index(axes, l.Axis))
	}
	for _, a := range above.PathAxes() {
		f.from = append(f.from, slices.Index(axes, a))
		f.factor = append(f.factor, n.Extent(a)/above.Extent(a))
	}
	return f
}

// coordinates appends those of combination i below a block.
func (f *frame) coordinates(to, above []uint64, i int64) []uint64 {
	var c index
	for k, p := range f.from {
		c[p] = int64(above[k]) * f.factor[k]
	}
	for k := len(f.levels) - 1; k >= 0; k-- {
		l := &f.levels[k]
		c[f.axis[k]] += i % l.Size * l.Div
		i /= l.Size
	}
	for _, v := range c[:f.rank] {
		to = append(to, uint64(v))
	}
	return to
}

// offset returns the offset of combination i.
func offset(levels []layout.Level, i int64) int64 {
	off := int64(0)
	for k := len(levels) - 1; k >= 0; k-- {
		off += i % levels[k].Size * levels[k].Stride
		i /= levels[k].Size
	}
	return off
}

// gather calls f for spans of the numbers below n, in parallel, and joins what it
// appends in their order. Each number takes about weight nanoseconds. The result lies in
// the given memory if there is room.
func (t *Tree) gather(memory []uint64, n, weight int64, f func(to []uint64, lo, hi int64) []uint64) []uint64 {
	parts := int64(1)
	if n == 0 {
		return memory[:0]
	}
	if n*weight > 50e3 && t.threads > 1 {
		parts = min(n, int64(t.threads)*8)
	}
	if parts <= 1 {
		return fitting(f(memory[:0], 0, n))
	}
	for int64(len(t.parts)) < parts {
		t.parts = append(t.parts, nil)
	}
	found := t.parts[:parts]
	parallel.For(t.threads, int(parts), n*weight/parts, func(i int) {
		k := int64(i)
		found[i] = f(found[i][:0], n/parts*k+min(k, n%parts), n/parts*(k+1)+min(k+1, n%parts))
	})
	total := 0
	for _, p := range found {
		total += len(p)
	}
	out := slices.Grow(memory[:0], total)
	for i, p := range found {
		out = append(out, p...)
		found[i] = fitting(p)
	}
	return fitting(out)
}

// fitting returns words in memory that is not much too large for them.
func fitting(words []uint64) []uint64 {
	const little = 1 << 12
	if cap(words) > little && cap(words)/4 > len(words) {
		return slices.Clone(words)
	}
	return words
}

// row appends the blocks behind the pointers of a row, those of the combinations from i to
// end, of which the first is at p.
func (f *frame) row(d door, to []uint64, p uint64, above []uint64, i, end int64) []uint64 {
	var first [layout.MaxRank]uint64
	var axis int
	var stride, step uint64
	if n := len(f.levels); n > 0 {
		axis, stride, step = f.axis[n-1], uint64(f.levels[n-1].Stride), uint64(f.levels[n-1].Div)
	}
	d.read(p, int64(stride)*(end-i-1)+wordBytes)
	for from := i; i < end; i++ {
		if b := peek(p); b != 0 {
			if from >= 0 {
				f.coordinates(first[:0], above, from)
				first[axis] -= uint64(from) * step // as if the row began with 0
				from = -1
			}
			var e []uint64
			to, e = grown(to, 1+f.rank)
			e[0] = b
			copy(e[1:], first[:f.rank])
			e[1+axis] += uint64(i) * step
		}
		p += stride
	}
	return to
}

// pointers lists the blocks behind the pointers of a node.
func (t *Tree) pointers(memory []uint64, k *node, from *blockList, f frame) []uint64 {
	row := int64(1)
	if n := len(f.levels); n > 0 {
		row = f.levels[n-1].Size
	}
	return t.gather(memory, int64(from.len())*f.total, 1, func(to []uint64, lo, hi int64) []uint64 {
		for lo < hi {
			above, i := from.entry(int(lo/f.total)), lo%f.total
			end := min(hi-lo+i, (i/row+1)*row) // of the row
			p := above[0] + uint64(k.Const+offset(f.levels, i))
			lo += end - i
			to = f.row(t.door, to, p, above[1:1+from.rank], i, end)
		}
		return to
	})
}

// hashed lists the blocks of a table by their coordinates, those along the first axis of
// the alphabet first: in the order of their indices, whatever that of the node's axes.
func hashed(h *table) []uint64 {
	type cell struct {
		block  uint64
		coords index
	}
	var all []cell
	axes := h.axes
	h.entries(func(_, block uint64) {
		c := cell{block: block}
		for i := range h.rank {
			c.coords[i] = int64(h.coordinate(block, i))
		}
		all = append(all, c)
	})
	slices.SortFunc(all, func(a, b cell) int { return compareIn(axes, a.coords[:], b.coords[:]) })
	out := make([]uint64, 0, len(all)*(1+h.rank))
	for i := range all {
		out = append(out, all[i].block)
		for _, from := range axes {
			out = append(out, uint64(all[i].coords[from]))
		}
	}
	return out
}

// compareIn compares coordinates, some before others.
func compareIn[T cmp.Ordered](order []int, a, b []T) int {
	for _, i := range order {
		if c := cmp.Compare(a[i], b[i]); c != 0 {
			return c
		}
	}
	return 0
}

// alphabetical returns, for each axis of a hash node in the order of the alphabet, which
// coordinate of its cells it is.
func alphabetical(n *layout.Node) []int {
	var out []int
	for _, a := range n.PathAxes() {
		out = append(out, slices.Index(n.Axes(), a))
	}
	return out
}

// chunks lists the chunks of lists that have elements below the length, and makes those
// that are missing.
func (t *Tree) chunks(memory []uint64, k *node, from *blockList, f frame) ([]uint64, error) {
	last := slices.Index(k.Node.PathAxes(), k.Node.Axes()[0])
	list := func(i int64) (place uint64, length int64) {
		place = from.entry(int(i / f.total))[0] + uint64(k.Const+offset(f.levels, i%f.total))
		return place, t.length(k.Node, place)
	}
	lists := int64(from.len()) * f.total
	short := t.gather(nil, lists, 10, func(to []uint64, lo, hi int64) []uint64 { // which lists miss some
		for i := lo; i < hi; i++ {
			place, length := list(i)
			for c := int64(0); c*k.Chunk < length; c++ {
				if t.chunk(k, place, c, false) == 0 {
					to = append(to, uint64(i))
					break
				}
			}
		}
		return to
	})
	for _, i := range short {
		place, length := list(int64(i))
		for c := int64(0); c*k.Chunk < length; c++ {
			if t.chunk(k, place, c, true) == 0 {
				return nil, ErrMemory
			}
		}
	}
	return t.gather(memory, lists, 10, func(to []uint64, lo, hi int64) []uint64 {
		for i := lo; i < hi; i++ {
			place, length := list(i)
			above := from.entry(int(i / f.total))
			for c := int64(0); c*k.Chunk < length; c++ {
				to = append(to, t.chunk(k, place, c, false))
				at := len(to) + last
				to = f.coordinates(to, above[1:1+from.rank], i%f.total)
				to[at] = uint64(c)
				to = append(to, uint64(min(k.Chunk, length-c*k.Chunk)))
			}
		}
		return to
	}), nil
}

// chunk returns the block of a chunk of the list whose length word is at place. One that
// is missing is 0, or made, with the directories on the way.
func (t *Tree) chunk(k *node, place uint64, c int64, grow bool) uint64 {
	if c < k.Near {
		return t.follow(place+uint64(1+c)*wordBytes, k.Into[len(k.Into)-1], grow)
	}
	span := int64(1)
	for _, n := range k.Fan[1:] {
		span *= n
	}
	p := place + uint64(1+k.Near)*wordBytes
	for i := range k.Fan {
		b := t.follow(p+uint64(c/span)*wordBytes, k.Into[i], grow)
		c %= span
		if b == 0 || i == len(k.Fan)-1 {
			return b
		}
		p = b
		span /= k.Fan[i+1]
	}
	return 0
}

// follow returns the block behind a pointer; one that is missing is 0, or made.
func (t *Tree) follow(slot uint64, kind *layout.Block, grow bool) uint64 {
	b := t.load(slot)
	if b == 0 && grow {
		if b = t.pools[kind.ID].take(); b != 0 {
			t.store(slot, b)
		}
	}
	return b
}
