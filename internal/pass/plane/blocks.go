package plane

import (
	"cmp"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// A shape describes the innermost blocks of a component in memory, axis by axis.
type shape struct {
	sizes   []int64 // indices of a block; 1 along an axis without blocks
	inner   []int64 // bytes between neighbouring elements of a block
	outer   []int64 // bytes between the most distant elements: they define the order of the axes
	lows    []int64 // index of the first cell of some block
	bytes   int64   // of a number
	blocked bool
}

// shapeOf describes the blocks of the component at a place. It is not ok if the addresses do not follow from the indices alone, as in
// sparse trees.
func shapeOf(at *ir.Op, lay unit.Layout) (s shape, ok bool) {
	acc := lay.Access(at.Field, int(at.Aux))
	n := len(acc.Shape)
	if len(acc.Steps) > 0 || acc.Packed != nil {
		return s, false
	}
	s = shape{make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n), int64(at.Field.Comps[at.Aux].Size()), false}
	for a := range s.sizes {
		s.sizes[a] = 1
	}
	for _, t := range acc.Terms {
		if t.Inner != 0 {
			return s, false
		}
		s.outer[t.Axis] = max(s.outer[t.Axis], t.Stride)
		if t.Div != 1 {
			continue
		}
		s.inner[t.Axis] = t.Stride
		if t.Mod > 1 {
			s.sizes[t.Axis], s.blocked = t.Mod, true
		}
	}
	for a, size := range s.sizes {
		if acc.Shape[a] < 0 || acc.Shape[a]%size != 0 {
			return s, false
		}
		s.lows[a] = ((acc.Origin[a] % size) + size) % size
	}
	return s, true
}

// sameBlocks reports whether the blocks of s and o have the same cells in the same order.
func (s *shape) sameBlocks(o *shape) bool {
	if !slices.Equal(s.sizes, o.sizes) || !slices.Equal(s.lows, o.lows) {
		return false
	}
	for a, size := range s.sizes {
		if size > 1 && s.inner[a]*o.bytes != o.inner[a]*s.bytes {
			return false
		}
	}
	return true
}

// Limits of planes, in lanes.
const (
	fewestLanes = 8
	mostLanes   = 64
)

// across returns the axes of a plane, innermost first, and its lanes: the fewest that fill a vector of this number of bits. There are
// none if a row of a block is longer than a vector, or if the numbers of a plane are not contiguous. A plane may be a row that fills
// one vector: blocks are then visited in memory order, and neighbours along the other axes are whole vectors.
func (s *shape) across(bits int) (axes []int, lanes int) {
	var all []int
	for a, size := range s.sizes {
		if size > 1 {
			all = append(all, a)
		}
	}
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(s.inner[a], s.inner[b]) })
	filled := func(n int64) bool { return n*s.bytes*8 >= int64(bits) }
	n := int64(1)
	for i, a := range all {
		if s.inner[a] != n*s.bytes || n*s.sizes[a] > mostLanes || i >= 2 && n >= fewestLanes && filled(n) {
			break
		}
		n *= s.sizes[a]
		axes = append(axes, a)
		if i == 0 && n*s.bytes*8 > int64(bits) {
			return nil, 0
		}
	}
	if len(axes) < 2 || n < fewestLanes {
		return nil, 0
	}
	return axes, int(n)
}

// order returns the axes in the order of the memory of blocks, outermost first.
func (s *shape) order() []int {
	axes := make([]int, len(s.sizes))
	for a := range axes {
		axes[a] = a
	}
	slices.SortStableFunc(axes, func(a, b int) int { return cmp.Compare(s.outer[b], s.outer[a]) })
	return axes
}

// numberKind reports whether planes may hold numbers of kind k. Bools may not, since they are bytes in memory.
func numberKind(k ir.Kind) bool { return k.IsInt() || k.IsFloat() }
