package sparse

import (
	"slices"
	"unsafe"

	"github.com/gotaichi/ti/internal/layout"
)

// An element of a field becomes inactive as a whole, though some of its components may lie in
// another node, or another tree, where nothing is deactivated. Whoever holds such components
// follows the node by which the element is active, and zeroes them. So all that is inactive
// reads as zero, and still does once it is active again, and no access has to ask.

// A follower holds components of the elements in the cells of a node.
type follower struct {
	node  *layout.Node // by which the elements are active
	other *layout.Node // in which the components lie
	zero  func(idx []int)
}

// Follow has zero called for each element in a cell of node that becomes inactive, with its
// index, which is valid during the call. Nothing is called where the cells of other, in which
// what is to be zeroed lies, become inactive by themselves. Zero may be called several times for an element.
func (t *Tree) Follow(node, other *layout.Node, zero func(idx []int)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.followers = append(t.followers, follower{node, other, zero})
}

// Followed calls f for all that follows nodes of the tree.
func (t *Tree) Followed(f func(node *layout.Node, zero func(idx []int))) {
	for _, w := range t.followers {
		f(w.node, w.zero)
	}
}

// concerned returns those who follow elements that become inactive with the cells of n.
func (t *Tree) concerned(n *layout.Node) []follower {
	var out []follower
	for _, w := range t.followers {
		if w.node.Ends(n) && !w.other.Within(n) {
			out = append(out, w)
		}
	}
	return out
}

// notify calls followers for the elements in the cells of n that are to leave. Indices are from 0.
func (t *Tree) notify(n *node, leaving []int64) {
	all := t.concerned(n.Node)
	if len(all) == 0 {
		return
	}
	rank := len(n.spans)
	for ; len(leaving) > 0; leaving = leaving[rank:] {
		var cell index
		copy(cell[:], leaving[:rank])
		if !t.active(n.steps, cell) {
			continue
		}
		for _, w := range all {
			t.below(n.Node, cell, w)
		}
	}
}

// below calls a follower for the active elements in a cell of n.
func (t *Tree) below(n *layout.Node, cell index, w follower) {
	if n == w.node {
		origin := t.origin(n)
		idx := make([]int, len(origin))
		for k, low := range origin {
			idx[k] = int(cell[k] + low)
		}
		w.zero(idx)
		return
	}
	next := w.node
	for next.Parent() != n {
		next = next.Parent()
	}
	t.inCell(n, cell, next, func(c index) bool {
		t.below(next, c, w)
		return true
	})
}

// inCell calls f for the active cells of next in a cell of n, which is its parent and active.
func (t *Tree) inCell(n *layout.Node, cell index, next *layout.Node, f func(c index) bool) {
	axes, above := next.PathAxes(), n.PathAxes()
	var first index // of the cells of next
	for k, a := range axes {
		if i := slices.Index(above, a); i >= 0 {
			first[k] = cell[i] * (next.Extent(a) / n.Extent(a))
		}
	}
	var steps []layout.Step
	if next.Kind() != layout.Dense {
		steps = t.nodes[next.Number()].steps
	}
	own, sizes := next.Axes(), next.Sizes()
	var nest func(depth int, c index) bool
	nest = func(depth int, c index) bool {
		if depth == len(own) {
			if steps != nil && !t.active(steps, c) {
				return next.Kind() != layout.Dynamic // behind the end of a list there is nothing
			}
			return f(c)
		}
		k := slices.Index(axes, own[depth])
		for range sizes[depth] {
			if !nest(depth+1, c) {
				return false
			}
			c[k]++
		}
		return true
	}
	nest(0, first)
}

// notifyAll calls followers for all elements that become inactive when all cells of n do.
func (t *Tree) notifyAll(n *layout.Node) error {
	for _, w := range t.concerned(n) {
		if err := t.each(w.node, func(idx []int, _ unsafe.Pointer) bool {
			w.zero(idx)
			return true
		}); err != nil {
			return err
		}
	}
	return nil
}

// notifyList calls followers for the elements of the list at an index that lacks its axis.
func (t *Tree) notifyList(k *node, idx []int) {
	all := t.concerned(k.Node)
	if len(all) == 0 {
		return
	}
	up := k.Node.Parent()
	rel := relative(idx, k.origin[:len(idx)])
	for _, w := range all {
		t.inCell(up, rel, k.Node, func(c index) bool {
			t.below(k.Node, c, w)
			return true
		})
	}
}

// An absence finds the elements that become inactive when a tree is replaced by another.
type absence struct {
	w      follower
	before [][]int
}

// absences notes the active elements that somebody follows.
func (t *Tree) absences() (all []absence, err error) {
	for _, w := range t.followers {
		a := absence{w: w}
		if err := t.each(w.node, func(idx []int, _ unsafe.Pointer) bool {
			a.before = append(a.before, slices.Clone(idx))
			return true
		}); err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

// notifyAbsences calls followers for the elements that were active and are not any more.
func (t *Tree) notifyAbsences(all []absence) {
	for _, a := range all {
		for _, idx := range a.before {
			if !t.Active(a.w.node, idx) {
				a.w.zero(idx)
			}
		}
	}
}
