package sparse

import (
	"unsafe"

	"github.com/gotaichi/ti/internal/layout"
)

// madeList is a list for loops: entries of [address of the block, its coordinate along
// each axis of the node in cells of the node with the block, the values of the outer
// dimensions, and for a list the number of elements of the chunk].
type madeList struct {
	node  *layout.Node
	outer int
	words []uint64
	width int
	stamp int64
	needs []int // numbers of the nodes that it depends on
}

// List returns the address of a list for loops over a node, and its number of entries:
// one for each block with cells of the node or, if outer is not 0, for each combination
// of the first outer dimensions in it that the masks there leave. Both stay valid until
// the topology changes.
func (t *Tree) List(n *layout.Node, outer int) (addr uintptr, entries int64, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l, err := t.list(n, outer)
	if err != nil || len(l.words) == 0 {
		return 0, 0, err
	}
	return uintptr(unsafe.Pointer(unsafe.SliceData(l.words))), int64(len(l.words) / l.width), nil
}

func (t *Tree) list(n *layout.Node, outer int) (*madeList, error) {
	var l *madeList
	for _, m := range t.made {
		if m.node == n && m.outer == outer {
			l = m
		}
	}
	if l != nil && l.stamp == t.stamp(l.needs) {
		return l, nil
	}
	v := n.Visit()
	o := newOuter(n, v, outer)
	blocks, err := t.blocks(v.Node)
	if err != nil {
		return nil, err
	}
	if l == nil {
		l = &madeList{node: n, outer: outer, width: 1 + len(n.PathAxes()) + outer, needs: append(chain(v.Node), o.nodes...)}
		if v.Node.Kind() == layout.Dynamic {
			l.width++
		}
		t.made = append(t.made, l)
	}
	l.words = t.entries(n, v, o, blocks, l.width)
	l.stamp = t.stamp(l.needs)
	return l, nil
}

// entries writes the entries of a list.
func (t *Tree) entries(n *layout.Node, v layout.Visit, o outer, blocks *blockList, width int) []uint64 {
	rank := len(n.PathAxes())
	f := newSpread(n, v.Node)
	counted := v.Node.Kind() == layout.Dynamic
	all := t.gather(int64(blocks.len())*o.total, int64(10+10*len(o.masks)), func(to []uint64, lo, hi int64) []uint64 {
		for i := lo; i < hi; i++ {
			b := blocks.entry(int(i / o.total))
			values, rel := o.values(i % o.total)
			if !o.active(b[0], rel[:]) {
				continue
			}
			to = append(to, b[0])
			var c [layout.MaxRank]uint64
			for k, p := range f {
				c[p] = b[1+k]
			}
			to = append(to, c[:rank]...)
			for _, x := range values[:len(o.dims)] {
				to = append(to, uint64(x))
			}
			for range width - 1 - rank - len(o.dims) - btoi(counted) { // dimensions that there are not
				to = append(to, 0)
			}
			if counted {
				to = append(to, b[blocks.stride-1])
			}
		}
		return to
	})
	return all
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
		for p, b := range axes {
			if a == b {
				out = append(out, p)
			}
		}
	}
	return out
}

// outer is the first dimensions within a block, and the masks that they decide.
type outer struct {
	dims  []layout.NestDim
	total int64
	masks []outerMask
	nodes []int // of the masks
}

// outerMask is a mask whose node has some of its dimensions among the outer ones: of
// each combination it decides on rest cells that follow each other.
type outerMask struct {
	step *layout.Step
	rest int64
}

// most is the largest number of dimensions of lists.
const mostOuter = 64

func newOuter(n *layout.Node, v layout.Visit, count int) outer {
	o := outer{total: 1}
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
		if in.Mask != nil && (len(o.dims) > before || len(in.Dims) == 0 && count > 0 && len(o.dims) < count) {
			o.masks = append(o.masks, outerMask{in.Mask, rest})
			o.nodes = append(o.nodes, in.Node.Number())
		}
	}
	return o
}

// values returns combination i, and the index of its first cell within the block.
func (o *outer) values(i int64) (v [mostOuter]int64, rel index) {
	for k := len(o.dims) - 1; k >= 0; k-- {
		d := &o.dims[k]
		v[k] = i % d.Extent
		rel[d.Axis] += v[k] * d.Mul
		i /= d.Extent
	}
	return v, rel
}

// active reports whether the masks leave a combination in a block.
func (o *outer) active(block uint64, rel []int64) bool {
	for _, m := range o.masks {
		place := block + uint64(m.step.Const+sum(m.step.Terms, rel))
		if !anyBit(place, sum(m.step.Cells, rel), m.rest) {
			return false
		}
	}
	return true
}

// anyBit reports whether one of n bits from a cell on is set.
func anyBit(mask uint64, cell, n int64) bool {
	for end := cell + n; cell < end; {
		w := load(mask+uint64(cell/64*wordBytes)) >> (cell % 64)
		if left := min(64-cell%64, end-cell); left < 64 {
			w &= 1<<left - 1
		}
		if w != 0 {
			return true
		}
		cell += 64 - cell%64
	}
	return false
}
