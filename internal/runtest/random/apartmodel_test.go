package random

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/gotaichi/ti"
)

// This file is a model of fields whose members lie in several nodes and trees, in plain Go: it shares nothing with the
// compiler and the oracle. Which cells of each node are active is a set, and what elements hold is an array.

// shard is an element; it has five components.
type shard struct {
	A int32   `ti:"a"`
	B float32 `ti:"b"`
	V ti.Vec2 `ti:"v"`
	K int32   `ti:"k"`
}

const shardComps = 5

// values are the components of an element, which are small integers.
type values [shardComps]int32

func (v values) shard() shard {
	return shard{v[0], float32(v[1]), ti.Vec2{float32(v[2]), float32(v[3])}, v[4]}
}

func valuesOf(s shard) values {
	return values{s.A, int32(s.B), int32(s.V[0]), int32(s.V[1]), s.K}
}

// A place is an element, by its indices along i, from 0, and j.
type place [2]int

// A modelNode is a node of a tree.
type modelNode struct {
	parent *modelNode
	kind   string
	along  bool  // it, or one above, divides the second axis
	span   place // elements in a cell along each axis
	name   string
	node   *ti.Node

	active map[place]bool // of a pointer, bitmasked or hash node
	length map[int]int    // of lists, by first index
}

// cell is the cell that an element lies in.
func (n *modelNode) cell(p place) place {
	return place{p[0] / n.span[0], p[1] / n.span[1]}
}

// within reports whether n is a node, or lies below it.
func (n *modelNode) within(above *modelNode) bool {
	for ; n != nil; n = n.parent {
		if n == above {
			return true
		}
	}
	return false
}

// has reports whether the cells around an element are active.
func (n *modelNode) has(p place) bool {
	for ; n != nil; n = n.parent {
		switch n.kind {
		case "dense":
		case "dynamic":
			if p[1] >= n.length[p[0]] {
				return false
			}
		default:
			if !n.active[n.cell(p)] {
				return false
			}
		}
	}
	return true
}

// enter makes them active.
func (n *modelNode) enter(p place) {
	for ; n != nil; n = n.parent {
		switch n.kind {
		case "dense":
		case "dynamic":
			n.length[p[0]] = max(n.length[p[0]], p[1]+1)
		default:
			n.active[n.cell(p)] = true
		}
	}
}

// sparse reports whether cells of n may be inactive.
func (n *modelNode) sparse() bool {
	for ; n != nil; n = n.parent {
		if n.kind != "dense" {
			return true
		}
	}
	return false
}

// decides reports whether n is what makes the elements of a leaf inactive, together with others: it
// is above the leaf, or the leaf, and not dense.
func (n *modelNode) decides(leaf *modelNode) bool { return n.kind != "dense" && leaf.within(n) }

// A model is a field, its trees, and other fields that share these.
type model struct {
	lo      int   // lowest index along i
	shape   place // elements
	rank    int
	nodes   []*modelNode
	home    [shardComps]*modelNode
	data    map[place]values
	trees   []*ti.Tree
	members [shardComps]ti.AnyField
	beside  *ti.Field[int32] // in the list that the first member is in; nil where there is none
}

func (m *model) places() (all []place) {
	for i := range m.shape[0] {
		for j := range m.shape[1] {
			all = append(all, place{i, j})
		}
	}
	return all
}

// active reports whether an element is, which goes by its first member.
func (m *model) active(p place) bool { return m.home[0].has(p) }

// store writes a component: it and the element become active.
func (m *model) store(p place, c int, v int32) {
	m.home[0].enter(p)
	m.home[c].enter(p)
	e := m.data[p]
	e[c] = v
	m.data[p] = e
}

func (m *model) storeAll(p place, v values) {
	for c, x := range v {
		m.store(p, c, x)
	}
}

// forget zeroes what lies in a node, of the elements for which in is true, and all members of those that end.
func (m *model) forget(n *modelNode, in func(p place) bool) {
	ends := false
	for _, k := range m.nodes {
		ends = ends || k.within(n) && k.decides(m.home[0])
	}
	for p, e := range m.data {
		if !in(p) {
			continue
		}
		for c := range e {
			if ends || m.home[c].within(n) {
				e[c] = 0
			}
		}
		m.data[p] = e
	}
	for _, k := range m.nodes {
		if k.within(n) {
			maps.DeleteFunc(k.active, func(c place, _ bool) bool { return in(place{c[0] * k.span[0], c[1] * k.span[1]}) })
			maps.DeleteFunc(k.length, func(i, _ int) bool { return in(place{i, 0}) })
		}
	}
}

// deactivate makes a cell inactive.
func (m *model) deactivate(n *modelNode, c place) {
	if n.kind == "dense" || n.kind == "dynamic" || !n.has(place{c[0] * n.span[0], c[1] * n.span[1]}) {
		return
	}
	m.forget(n, func(p place) bool { return n.cell(p) == c })
}

// clear does so with all cells of a node.
func (m *model) clear(n *modelNode) { m.forget(n, func(place) bool { return true }) }

// shrink keeps the first elements of the list of first index i, in which the field lies.
func (m *model) shrink(i, length int) {
	if n := m.home[0]; n.length[i] > length && n.parent.has(place{i, 0}) {
		m.forget(n, func(p place) bool { return p[0] == i && p[1] >= length })
		if length > 0 {
			n.length[i] = length
		}
	}
}

// add appends an element to the list of first index i, and stores some of its components.
func (m *model) add(i int, v values, comps ...int) {
	n := m.home[0]
	k := n.length[i]
	if k >= m.shape[1] {
		return
	}
	n.enter(place{i, k})
	for _, c := range comps {
		m.store(place{i, k}, c, v[c])
	}
}

// elements returns the active elements.
func (m *model) elements() (all []place) {
	for _, p := range m.places() {
		if m.active(p) {
			all = append(all, p)
		}
	}
	return all
}

// index is the index that the program knows an element by.
func (m *model) index(p place) []int { return []int{p[0] + m.lo, p[1]}[:m.rank] }

// A snapshot is what a model holds at one time.
type snapshot struct {
	data   map[place]values
	active []map[place]bool
	length []map[int]int
}

func (m *model) save() snapshot {
	s := snapshot{data: maps.Clone(m.data)}
	for _, n := range m.nodes {
		s.active, s.length = append(s.active, maps.Clone(n.active)), append(s.length, maps.Clone(n.length))
	}
	return s
}

func (m *model) restore(s snapshot) {
	m.data = maps.Clone(s.data)
	for i, n := range m.nodes {
		n.active, n.length = maps.Clone(s.active[i]), maps.Clone(s.length[i])
	}
}

// newModel makes up trees and places the field in them. In each runtime the same seed gives the same.
func newModel(rt *ti.Runtime, f *ti.Field[shard], seed uint64) *model {
	r := rand.New(rand.NewPCG(seed, 0xa9a27))
	m := &model{rank: 1, shape: place{64, 1}, data: map[place]values{}}
	if r.IntN(3) == 0 {
		m.rank, m.shape = 2, place{16, 6}
	}
	if r.IntN(3) == 0 {
		m.lo = -m.shape[0] / 2
	}
	list := m.rank == 2 && r.IntN(3) > 0 // the first member lies in a list
	members := ti.Members(f)
	units := [][]int{{0}, {1}, {2, 3}, {4}}
	fields := [][]ti.AnyField{{members[0]}, {members[1]}, {members[2]}, {members[3]}}
	if parts := ti.Members(members[2]); r.IntN(3) == 0 {
		units, fields = [][]int{{0}, {1}, {2}, {3}, {4}}, [][]ti.AnyField{{members[0]}, {members[1]}, {parts[0]}, {parts[1]}, {members[3]}}
	}
	for _, p := range m.places() {
		m.data[p] = values{}
	}
	// Neighbours in the order of members share a leaf now and then, which packs integers.
	for u := 0; u < len(units); {
		leaf := m.grow(rt, r, u == 0, u == 0 && list)
		n := 1
		for u+n < len(units) && r.IntN(3) == 0 {
			n++
		}
		for k := u; k < u+n; k++ {
			for _, c := range units[k] {
				m.home[c], m.members[c] = leaf, fields[k][0]
			}
			if c := units[k][0]; c == 0 || c == 4 {
				if r.IntN(3) == 0 {
					leaf.node.BitStruct(16).Place(fields[k][0], ti.QuantInt(14))
					continue
				}
			}
			leaf.node.Place(fields[k]...)
		}
		if u == 0 && leaf.kind == "dynamic" {
			m.beside = &ti.Field[int32]{}
			leaf.node.Place(m.beside)
		}
		u += n
	}
	return m
}

// grow adds nodes that lead to a new leaf, in a new tree or below a node that there is.
func (m *model) grow(rt *ti.Runtime, r *rand.Rand, first, list bool) *modelNode {
	var above *modelNode
	var at *ti.Node
	left, second := m.shape[0], m.rank == 2
	var inner []*modelNode // nodes that others may lie below
	for _, n := range m.nodes {
		if n.kind != "dynamic" && (n.span[0] > 1 || second && !n.along) {
			inner = append(inner, n)
		}
	}
	if !first && len(inner) > 0 && r.IntN(2) == 0 {
		above = inner[r.IntN(len(inner))]
		at, left, second = above.node, above.span[0], second && !above.along
	} else {
		tree := rt.NewTree()
		if m.lo != 0 {
			tree.Origin("i", m.lo)
		}
		m.trees = append(m.trees, tree)
		at = &tree.Node
	}
	dense := !first && r.IntN(3) == 0 // all of it
	for left > 1 || second {
		n := &modelNode{parent: above, active: map[place]bool{}, length: map[int]int{}, name: fmt.Sprintf("N%d", len(m.nodes)), along: above != nil && above.along}
		size := 2 << r.IntN(3)
		if size = min(size, left); r.IntN(3) == 0 {
			size = left
		}
		kinds := []string{"dense", "pointer", "bitmasked", "hash"}
		n.kind = kinds[r.IntN(len(kinds))]
		switch {
		case dense:
			n.kind = "dense"
		case n.kind == "hash" && above != nil:
			n.kind = "pointer"
		case first && left == size && !second && !above.sparse():
			n.kind = "bitmasked"
		case first && n.kind == "dense" && above == nil:
			n.kind = "pointer"
		}
		axes, sizes := ti.Axes("i"), []int{size}
		switch {
		case left == 1:
			axes, sizes = "j", []int{m.shape[1]}
			if n.along = true; list || !dense && r.IntN(3) == 0 {
				n.kind = "dynamic"
			} else if n.kind == "hash" {
				n.kind = "bitmasked"
			}
		case second && !list && size == left && r.IntN(2) == 0:
			axes, sizes, n.along = "ij", []int{size, m.shape[1]}, true
		}
		if axes != "j" {
			left /= size
		}
		second = second && !n.along
		n.span = place{left, 1}
		if !n.along {
			n.span[1] = m.shape[1]
		}
		switch n.kind {
		case "dense":
			at = at.Dense(axes, sizes...)
		case "pointer":
			at = at.Pointer(axes, sizes...)
		case "bitmasked":
			at = at.Bitmasked(axes, sizes...)
		case "hash":
			at = at.Hash(axes, sizes...)
		case "dynamic":
			at = at.Dynamic("j", m.shape[1]).Chunk(2)
		}
		n.node, above = at, n
		m.nodes = append(m.nodes, n)
	}
	return above
}

// String describes the trees.
func (m *model) String() string {
	var b strings.Builder
	for _, n := range m.nodes {
		up := "tree"
		if n.parent != nil {
			up = n.parent.name
		}
		var comps []int
		for c, h := range m.home {
			if h == n {
				comps = append(comps, c)
			}
		}
		fmt.Fprintf(&b, "%s: %s below %s, cells of %v elements, components %v\n", n.name, n.kind, up, n.span, comps)
	}
	fmt.Fprintf(&b, "elements %v from %d on", m.shape, m.lo)
	return b.String()
}

// state is what a program can see of the model.
func (m *model) state() string {
	var b strings.Builder
	for _, p := range m.places() {
		fmt.Fprintln(&b, m.index(p), m.data[p], m.active(p))
	}
	for _, n := range m.nodes {
		if n.sparse() {
			fmt.Fprintln(&b, n.name, m.count(n))
		}
	}
	return b.String()
}

// count is the number of active cells of a node.
func (m *model) count(n *modelNode) int {
	cells := map[place]bool{}
	for _, p := range m.places() {
		if n.has(p) {
			cells[n.cell(p)] = true
		}
	}
	return len(cells)
}

// observed is the same of the trees in memory.
func (m *model) observed(f *ti.Field[shard]) string {
	var b strings.Builder
	on := map[ti.Index]bool{}
	for p := range f.All() {
		on[p] = true
	}
	for _, p := range m.places() {
		var at ti.Index
		copy(at[:], m.index(p))
		fmt.Fprintln(&b, m.index(p), valuesOf(f.At(m.index(p)...)), on[at])
	}
	for _, n := range m.nodes {
		if n.sparse() {
			fmt.Fprintln(&b, n.name, n.node.Count())
		}
	}
	return b.String()
}

// nodesBy returns the nodes of which a kernel may deactivate cells.
func (m *model) nodesBy() []*modelNode {
	return slices.DeleteFunc(slices.Clone(m.nodes), func(n *modelNode) bool { return n.kind == "dense" || n.kind == "dynamic" })
}
