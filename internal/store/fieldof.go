package store

import (
	"fmt"
	"go/token"
	"math"
	"math/bits"
	"reflect"
	"slices"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/layout"
)

// Init makes c a field with elements of type t, unless it is one already: the zero Field
// is ready to use.
func (c *Field) Init(t reflect.Type) { c.once.Do(func() { c.init(t) }) }

// Layout says where the elements of the whole field lie. C has its components from Lo to Hi.
func (c *Field) Layout() *layout.Field { return c.lay }

// Lo is the first component of c in its layout: 0, but for a member.
func (c *Field) Lo() int { return c.lo }

// Hi is the component behind the last of c in its layout.
func (c *Field) Hi() int { return c.hi }

// Comps returns how many numbers an element has.
func (c *Field) Comps() int { return c.hi - c.lo }

// Access is where component n lies.
func (c *Field) Access(n int) *layout.Access { return c.lay.Access(c.lo + n) }

// Offset is where component n is in a Go value. The field is ready.
func (c *Field) Offset(n int) uintptr { return c.comps[n].offset }

// IsMember reports whether c is a part of another field.
func (c *Field) IsMember() bool { return c.parent != nil }

// Overlaps reports whether two fields have components in common.
func (c *Field) Overlaps(d *Field) bool { return c.lay == d.lay && c.lo < d.hi && d.lo < c.hi }

// Trees are those that hold a part of c, or say which of its elements are active. The field is ready.
func (c *Field) Trees() []*Tree { return c.uses }

// InUse reports whether the field has been made ready.
func (c *Field) InUse() bool { return c.inUse.Load() }

// Pos is where the field was placed.
func (c *Field) Pos() token.Position { return c.pos }

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
	err := c.Bounded()
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

// check panics, as a slice would, on an index that is out of range or has not as many
// numbers as it takes: those along the first axes.
func (c *Field) check(idx Index, n, rank int) {
	if n != rank {
		c.miscounted(idx, n, rank)
	}
	for k, i := range idx[:n] {
		if a := &c.Axes[k]; uint(i-a.Origin) >= a.Extent {
			c.outOfRange(idx, n, k)
		}
	}
}

// The panics are apart so that no index moves to the heap for their sake.
//
//go:noinline
func (c *Field) miscounted(idx Index, n, rank int) {
	what := "a list of " + c.Name() // which lacks the axis of the list
	if rank == c.Rank {
		what = c.Name()
	}
	panic(fmt.Sprintf("ti: %d indices %v for %s, which takes %d", n, idx[:min(n, len(idx))], what, rank))
}

//go:noinline
func (c *Field) outOfRange(idx Index, n, axis int) {
	a := &c.Axes[axis]
	panic(fmt.Sprintf("ti: index %v out of range of %s: axis %d runs from %d to %d", idx[:n], c.Name(), axis, a.Origin, a.Origin+int(a.Extent)-1))
}
