package layout

import (
	"fmt"
	"slices"
)

// An Origin is an index of the finest cells along its axis. These are the cells with the
// largest extent among the nodes at and below the outermost node that divides the axis. A
// cell that spans s of them has the index floor(i/s), where i is the index of one of them. So
// the lowest index of such cells is origin/s, and the Origin has to be a multiple of s.
//
// Fields and nodes follow the same rule: a field has the indices of its node.

// low returns the lowest index of the cells of n along an axis, rounded down, and whether
// the division leaves no remainder.
func (n *Node) low(axis int) (low int64, even bool) {
	if n.unboundedAlong(axis) {
		return -n.extent(axis) / 2, true
	}
	origin, own, finest := n.tree.origin[axis], n.extent(axis), int64(1)
	if top := n.divider(axis); top != nil {
		finest = top.widest(axis)
	}
	low = origin * own / finest
	if origin*own%finest == 0 {
		return low, true
	}
	if origin < 0 {
		low--
	}
	return low, false
}

// divider returns the outermost node that divides an axis, of n and the nodes above it; nil
// if there is none.
func (n *Node) divider(axis int) (top *Node) {
	for ; n != nil; n = n.parent {
		if slices.Contains(n.axes, axis) {
			top = n
		}
	}
	return top
}

// lowest is low with an error where the division leaves a remainder. what names n, or the
// field in it, for the message.
func (n *Node) lowest(axis int, what string) (int64, error) {
	low, even := n.low(axis)
	if even {
		return low, nil
	}
	top := n.divider(axis)
	cells, span := n.extent(axis), top.widest(axis)
	common := gcd(cells, span)
	cells, span = cells/common, span/common
	spans := "each of its cells spans"
	if cells > 1 {
		spans = fmt.Sprintf("%d of its cells span", cells)
	}
	finest := top.finest(axis)
	return 0, fail(Mismatch, fmt.Sprintf("choose an Origin that is a multiple of %d along axis %c, or place them in different trees", span, axisLetters[axis]),
		"%s has no lowest index along axis %c: %s %d cells of %s, and the Origin %d, which counts the cells of %s, is no multiple of %d",
		what, axisLetters[axis], spans, span, finest, n.tree.origin[axis], finest, span)
}

// finest names, for messages, the finest cells along an axis at or below n: by a field in
// them, or else by their node.
func (n *Node) finest(axis int) string {
	var first *Node
	most := n.widest(axis)
	var find func(m *Node) string
	find = func(m *Node) string {
		if m.extent(axis) == most && first == nil {
			first = m
		}
		for _, it := range m.items {
			switch {
			case it.word != nil:
				if m.extent(axis) == most && len(it.word.Members) > 0 {
					return it.word.Members[0].Field.describe(0, 0)
				}
			case it.node != nil:
				if name := find(it.node); name != "" {
					return name
				}
			case m.extent(axis) == most:
				return it.field.describe(0, 0)
			}
		}
		return ""
	}
	if name := find(n); name != "" {
		return name
	}
	return fmt.Sprintf("a %s node", first.kind)
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Lowest returns the lowest index of a cell of n along each axis on the way to it, in
// alphabetical order: that of [Node.Cells], rounded down where the Origin leaves it uneven.
func (n *Node) Lowest() []int64 {
	var out []int64
	for _, a := range n.pathAxes() {
		low, _ := n.low(a)
		out = append(out, low)
	}
	return out
}

// origins sets the lowest indices of f. All parts of f must have the same.
func (f *Field) origins() error {
	first := f.at[0].node
	for k, a := range f.axes {
		low, err := first.lowest(a, f.describe(0, 0))
		if err != nil {
			return err
		}
		f.origin[k] = low
		for _, w := range f.at {
			own, err := w.node.lowest(a, f.describe(0, 0))
			switch {
			case err != nil:
				return err
			case own == low:
			case w.node.tree.origin[a] == first.tree.origin[a]:
				return fail(Mismatch, "place all parts of the field below one node, or leave the Origin 0",
					"parts of %s have lowest indices %d and %d along axis %c: the Origin %d counts the cells of %s for one and those of %s for the other, which are not equally fine",
					f.describe(0, 0), low, own, axisLetters[a], first.tree.origin[a], first.divider(a).finest(a), w.node.divider(a).finest(a))
			default:
				return fail(Mismatch, "set the same Origin in every tree that holds a part of it",
					"parts of %s have lowest indices %d and %d along axis %c", f.describe(0, 0), low, own, axisLetters[a])
			}
		}
	}
	return nil
}
