package session

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
func (inst *instance) follow(f *outline.Kernel) {
	var known []*layout.Node
	for _, field := range f.Fields {
		c := inst.scope.Named(field.Name)
		if c == nil || !field.List || slices.Contains(known, c.LayoutNode()) {
			continue
		}
		n := c.LayoutNode()
		known = append(known, n)
		t, following, fields := inst.k.p.maker.store.Followed(n)
		inst.lists = append(inst.lists, listTree{t, following})
		for _, root := range fields {
			inst.followAll(root)
		}
	}
}

// followAll adds the components of a field that lie elsewhere than its elements, each as a field of its own.
func (inst *instance) followAll(root *store.Field) {
	for _, part := range root.Elsewhere() {
		name := fmt.Sprintf("follower %d", len(inst.followers())) // no name that a source can have
		inst.scope = inst.scope.Clone()                           // it may be that of the program
		inst.add(name, part)
		inst.scope.Fields[len(inst.scope.Fields)-1].Follows = true
	}
}

// followers are the names of the fields that follow has added.
func (inst *instance) followers() (names []string) {
	for i := range inst.scope.Fields {
		if inst.scope.Fields[i].Follows {
			names = append(names, inst.scope.Fields[i].Path)
		}
	}
	return names
}
