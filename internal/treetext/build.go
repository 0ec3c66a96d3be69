package treetext

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gotaichi/ti"
)

// Named returns the nodes with names, in the order of the text.
func (t *Tree) Named() []*Node {
	var out []*Node
	t.visit(func(n *Node) {
		if n.Name != "" {
			out = append(out, n)
		}
	})
	return out
}

// Fields returns the names of the fields, in the order of the text, each once.
func (t *Tree) Fields() []string {
	var out []string
	t.visit(func(n *Node) {
		for _, p := range n.Fields {
			if f := p.Field(); !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	})
	return out
}

// Places reports whether the tree places what has that path: a field, or a member by itself.
func (t *Tree) Places(path string) bool {
	found := false
	t.visit(func(n *Node) {
		found = found || slices.ContainsFunc(n.Fields, func(p Place) bool { return p.Path == path })
	})
	return found
}

// Home returns the node that a field is placed in, or the first of its members; nil if
// it is not placed.
func (t *Tree) Home(field string) (home *Node) {
	t.visit(func(n *Node) {
		for _, p := range n.Fields {
			if home == nil && p.Field() == field {
				home = n
			}
		}
	})
	return home
}

// Sparse reports whether elements of a field, or of members of it, may be inactive.
func (t *Tree) Sparse(field string) (sparse bool) {
	t.visit(func(n *Node) {
		for _, p := range n.Fields {
			sparse = sparse || p.Field() == field && n.Sparse()
		}
	})
	return sparse
}

// visit calls f for every node, the root first.
func (t *Tree) visit(f func(*Node)) {
	var down func(n *Node)
	down = func(n *Node) {
		f(n)
		for _, c := range n.Nodes {
			down(c)
		}
	}
	down(t.Root)
}

// Path returns the nodes from below the root to n.
func (n *Node) Path() []*Node {
	var out []*Node
	for ; n.Kind != ""; n = n.Parent {
		out = append(out, n)
	}
	slices.Reverse(out)
	return out
}

// PathAxes returns the axes of n and the nodes above it, in alphabetical order.
func (n *Node) PathAxes() []rune {
	var out []rune
	for _, m := range n.Path() {
		out = append(out, []rune(m.Axes)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Sparse reports whether cells of n may be inactive.
func (n *Node) Sparse() bool {
	return slices.ContainsFunc(n.Path(), func(m *Node) bool { return m.Kind != "dense" && !m.IsWord() })
}

// Unbounded reports whether n is, or lies below, a hash node without sizes.
func (n *Node) Unbounded() bool {
	return slices.ContainsFunc(n.Path(), func(m *Node) bool { return m.Kind == "hash" && len(m.Sizes) == 0 })
}

// Built is a tree of a runtime.
type Built struct {
	Tree  *ti.Tree
	Nodes map[*Node]*ti.Node

	structs map[*Node]*ti.BitStruct
	arrays  map[*Node]*ti.BitArray
}

// OpenSizes returns the names that stand for sizes, in the order of the text, each once.
func (t *Tree) OpenSizes() (names []string) {
	t.visit(func(n *Node) {
		for _, name := range n.Open {
			if name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	})
	return names
}

// Give replaces the names of sizes by numbers.
func (t *Tree) Give(sizes map[string]int) {
	t.visit(func(n *Node) {
		for i, name := range n.Open {
			if name != "" {
				n.Sizes[i] = sizes[name]
			}
		}
	})
}

// Build makes the tree. Fields are found by find, by their names or the ways to their
// members. The first mistake ends it, with an *Error.
func (t *Tree) Build(rt *ti.Runtime, find func(path string) (ti.AnyField, error)) (*Built, error) {
	b := &builder{t: t, find: find, Built: &Built{Tree: rt.NewTree(), Nodes: map[*Node]*ti.Node{}, structs: map[*Node]*ti.BitStruct{}, arrays: map[*Node]*ti.BitArray{}}}
	if o := t.Origin; o != nil {
		b.Tree.Origin(ti.Axes(o.Axes), o.Lowest...)
		if err := b.mistake(o.at); err != nil {
			return nil, err
		}
	}
	if err := b.fill(t.Root, &b.Tree.Node); err != nil {
		return nil, err
	}
	return b.Built, nil
}

// NameError is an error about the name of a node.
func (t *Tree) NameError(n *Node, format string, args ...any) error {
	return newError(t.Text, n.nameAt, "", format, args...)
}

type builder struct {
	*Built
	t    *Tree
	find func(path string) (ti.AnyField, error)
}

// fill puts into a node what the description has in it.
func (b *builder) fill(n *Node, to *ti.Node) error {
	b.Nodes[n] = to
	for _, p := range n.Fields {
		f, err := b.field(p)
		if err != nil {
			return err
		}
		to.Place(f)
		if err := b.mistake(p.at); err != nil {
			return err
		}
	}
	for _, c := range n.Nodes {
		if c.IsWord() {
			if err := b.packs(c, to); err != nil {
				return err
			}
			continue
		}
		child, err := b.child(c, to)
		if err != nil {
			return err
		}
		if err := b.fill(c, child); err != nil {
			return err
		}
	}
	return nil
}

// field finds what is placed.
func (b *builder) field(p Place) (ti.AnyField, error) {
	f, err := b.find(p.Path)
	if err != nil {
		e := newError(b.t.Text, p.at, "", "%v", err)
		e.Cause = err
		return nil, e
	}
	return f, nil
}

// child makes a node below another.
func (b *builder) child(c *Node, above *ti.Node) (n *ti.Node, err error) {
	for i, name := range c.Open {
		if name != "" && c.Sizes[i] == 0 {
			return nil, newError(b.t.Text, c.at, "give a number", "the size %s has no value here: only ti build and ti bind leave sizes open", name)
		}
	}
	axes := ti.Axes(c.Axes)
	switch c.Kind {
	case "dense":
		n = above.Dense(axes, c.Sizes...)
	case "pointer":
		n = above.Pointer(axes, c.Sizes...)
	case "bitmasked":
		n = above.Bitmasked(axes, c.Sizes...)
	case "hash":
		n = above.Hash(axes, c.Sizes...)
	case "dynamic":
		if len(c.Sizes) != 1 {
			return nil, newError(b.t.Text, c.at, "write dynamic(k,1000)", "a list has one axis and the largest number of its elements, not %d numbers", len(c.Sizes))
		}
		n = above.Dynamic(axes, c.Sizes[0])
	default:
		panic(fmt.Sprintf("a node of kind %q", c.Kind))
	}
	if err := b.mistake(c.at); err != nil {
		return nil, err
	}
	if c.chunkAt > 0 {
		n.Chunk(c.Chunk)
		if err := b.mistake(c.chunkAt); err != nil {
			return nil, err
		}
	}
	if c.Morton {
		n.Morton()
	}
	return n, b.mistake(c.mortonAt)
}

// mistake is what the tree has to say about the step at a place of the text.
func (b *builder) mistake(at int) error {
	err := b.Tree.Err()
	if err == nil {
		return nil
	}
	e := newError(b.t.Text, at, "", "%v", err)
	e.Cause = err
	var list ti.SourceErrors
	if errors.As(err, &list) && len(list) > 0 {
		e.Msg, e.Help = list[0].Msg, list[0].Help
		if list[0].Code != 0 {
			e.Msg += fmt.Sprintf(" [%v]", list[0].Code)
		}
	}
	return e
}
