package variant

import (
	"fmt"
	"slices"

	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/outline"
	"github.com/gotaichi/ti/internal/store"
)

// A listTree is a tree with lists that a kernel knows, and what its following was when the kernel was made.
type listTree struct {
	tree *store.Tree
	then int64
}

func (l *listTree) same() bool { return l.tree.Following() == l.then }

// follow adds what becomes zero with the elements of lists that the kernel knows, but lies elsewhere, to its fields:
// other fields may share a list with those that it names, and code that empties the list zeroes that. It needs p.mu.
func (v *Variant) follow(f *outline.Kernel) {
	var known []*layout.Node
	for _, field := range f.Fields {
		c := v.Scope.Named(field.Name)
		if c == nil || !field.List || slices.Contains(known, c.LayoutNode()) {
			continue
		}
		n := c.LayoutNode()
		known = append(known, n)
		t, following, fields := v.Kernel.Program.Maker.Store.Followed(n)
		v.lists = append(v.lists, listTree{t, following})
		for _, root := range fields {
			v.followAll(root)
		}
	}
}

// followAll adds the components of a field that lie elsewhere than its elements, each as a field of its own.
func (v *Variant) followAll(root *store.Field) {
	for _, part := range root.Elsewhere() {
		name := fmt.Sprintf("follower %d", len(v.followers())) // no name that a source can have
		v.Scope = v.Scope.Clone()                              // it may be that of the program
		v.add(name, part)
		v.Scope.Fields[len(v.Scope.Fields)-1].Follows = true
	}
}

// followers are the names of the fields that follow has added.
func (v *Variant) followers() (names []string) {
	for i := range v.Scope.Fields {
		if v.Scope.Fields[i].Follows {
			names = append(names, v.Scope.Fields[i].Path)
		}
	}
	return names
}
