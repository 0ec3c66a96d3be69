package session

import "reflect"

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
