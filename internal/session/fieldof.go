package session

import (
	"math"
	"math/bits"
	"reflect"
	"slices"

	"github.com/gotaichi/ti/internal/diag"
)

// Shape is the extent of the elements along each axis, or of a node's cells; Index is the
// index of one of them, of which the first rank entries count.
type (
	Shape = []int
	Index = [8]int
)

// Init makes c a field with elements of type t, unless it is one already: the zero Field
// is ready to use.
func (c *Field) Init(t reflect.Type) { c.once.Do(func() { c.init(t) }) }

// Elem is the element type.
func (c *Field) Elem() reflect.Type { return c.typ }

// Shape is the extent along each axis, nil for a field that is not placed.
func (c *Field) Shape() Shape {
	if n := c.Node(); c.lay == nil || n == nil || n.lay == nil {
		return nil
	}
	_, shape := c.domain(c.lay.LowestNow())
	return shape
}

// Len is the product of the extents, 0 for a field that is not placed and the largest int where it is larger.
func (c *Field) Len() int {
	shape := c.Shape()
	if shape == nil {
		return 0
	}
	n := 1
	for _, e := range shape {
		high, low := bits.Mul64(uint64(n), uint64(e))
		if high > 0 || low > math.MaxInt {
			n = math.MaxInt
		} else {
			n = int(low)
		}
	}
	if slices.Contains(shape, 0) {
		return 0
	}
	return n
}

// largestSlice is about as many bytes as Go can make at once.
const largestSlice = min(math.MaxInt, uint64(1)<<47)

// MustCount is Len for a field whose elements are to be copied. It panics if that is not possible.
func (c *Field) MustCount() int {
	err := c.bounded()
	if n := c.Len(); err == nil && uint64(n) > largestSlice/uint64(c.typ.Size()) {
		err = diag.Errorf(diag.ErrMemory, "a copy of all elements of %s, %v of %d bytes each: no slice is as large; All iterates over those that are active", c.Name(), c.Shape(), c.typ.Size())
	}
	if err != nil {
		panic(err)
	}
	return c.Len()
}

// Origin is the lowest index along each axis.
func (c *Field) Origin() Shape {
	if c.Shape() == nil {
		return nil
	}
	lowest, _ := c.domain(c.lay.LowestNow())
	return lowest
}

// Tree is the tree that the field is placed in, nil if in none.
func (c *Field) Tree() *Tree {
	if n := c.Node(); n != nil {
		return n.tree
	}
	return nil
}

// indexOf copies indices, as many as any field has.
func indexOf(idx []int) (to Index) {
	copy(to[:], idx)
	return to
}

func toInts(s []int64) []int {
	out := make([]int, len(s))
	for k, v := range s {
		out[k] = int(v)
	}
	return out
}
