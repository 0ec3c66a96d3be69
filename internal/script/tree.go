package script

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/treetext"
	"github.com/gotaichi/ti/internal/typed"
)

// A BoundTree is a tree that -tree describes.
type BoundTree struct {
	*treetext.Built
	Text *treetext.Tree
}

// A TreeNode is a node of such a tree.
type TreeNode struct {
	*treetext.Node
	Tree *BoundTree
}

// node is the runtime's.
func (n *TreeNode) node() *ti.Node { return n.Tree.Nodes[n.Node] }

// TreeEnding is that of files with a tree: which cells are active, and what they hold.
const TreeEnding = ".titree"

func treeExample(node string) string {
	return fmt.Sprintf("-tree '%s=pointer(ij,64).dense(ij,16).place(X)'", node)
}

// buildTrees makes the trees of -tree, with the fields and nodes of the source that they
// name.
func (s *Session) buildTrees(texts []string) error {
	for _, text := range texts {
		if err := s.buildTree(text); err != nil {
			return TreeError(text, err)
		}
	}
	return nil
}

// TreeError shows where a description is wrong.
func TreeError(text string, err error) error {
	var e *treetext.Error
	if !errors.As(err, &e) {
		return fmt.Errorf("-tree '%s': %w", text, err)
	}
	line := strings.NewReplacer("\n", " ", "\r", " ").Replace(text)
	return fmt.Errorf("-tree, %v\n%s", err, diag.Excerpt(line, 1+e.Offset))
}

// ParseTrees describes to the checker what the trees of -tree have, with extents of 16.
func ParseTrees(texts []string) (map[string]check.HostField, error) {
	out := map[string]check.HostField{}
	for _, text := range texts {
		t, err := treetext.Parse(text)
		if err != nil {
			return nil, TreeError(text, err)
		}
		for _, name := range t.Fields() {
			out[name] = described(t.Home(name))
		}
		for _, n := range t.Named() {
			out[n.Name] = described(n)
		}
	}
	return out, nil
}

// described is a field in a node, or the node itself.
func described(n *treetext.Node) check.HostField {
	return check.HostField{
		Shape: slices.Repeat([]int{16}, len(n.PathAxes())), Node: typed.NodeKind(max(0, slices.Index(nodeKinds, n.Kind))),
		Sparse: n.Sparse(), List: n.Kind == "dynamic", Unbounded: n.Unbounded(),
	}
}

// nodeKinds are the words for check's kinds of nodes, in their order; the root is dense.
var nodeKinds = []string{typed.NodeDense: "dense", typed.NodePointer: "pointer", typed.NodeBitmasked: "bitmasked", typed.NodeDynamic: "dynamic", typed.NodeHash: "hash"}

func (s *Session) buildTree(text string) error {
	t, err := treetext.Parse(text)
	if err != nil {
		return err
	}
	t.Give(s.sizes)
	b := &BoundTree{Text: t}
	made := map[string]*Field{} // fields of this tree
	b.Built, err = t.Build(s.Runtime, func(path string) (ti.AnyField, error) { return s.treeField(made, path) })
	if err != nil {
		return err
	}
	for _, name := range t.Fields() {
		f := made[name]
		home := t.Home(name)
		if f.home == nil { // else another tree has other members of it
			f.rank, f.home = len(home.PathAxes()), &TreeNode{home, b}
		}
		f.Sparse = f.Sparse || t.Sparse(name)
		s.Fields[name], s.Host[name] = f, f.AnyField
	}
	for _, n := range t.Named() {
		i := s.VarNamed(n.Name)
		if i < 0 {
			return t.NameError(n, "the source has no var %s; it has %s", n.Name, s.VarNames())
		}
		if _, isNode := s.Package.Vars[i].Type.(typed.NodeType); !isNode {
			return t.NameError(n, "%s is no node; it is declared as %s", n.Name, s.Package.Vars[i].Type)
		}
		if s.Host[n.Name] != nil {
			return t.NameError(n, "two nodes are called %s", n.Name)
		}
		s.Nodes[n.Name], s.Host[n.Name] = &TreeNode{n, b}, b.Nodes[n]
	}
	s.Trees = append(s.Trees, b)
	return nil
}

// treeField finds the field, or member of one, that a tree places.
func (s *Session) treeField(made map[string]*Field, path string) (ti.AnyField, error) {
	name := treetext.Place{Path: path}.Field()
	if f := s.Fields[name]; made[name] == nil && f != nil && !s.whole(name) {
		made[name] = f // of which other members are in another tree
	}
	if made[name] == nil {
		i := s.VarNamed(name)
		if i < 0 {
			return nil, fmt.Errorf("the source has no var %s; it has %s", name, s.VarNames())
		}
		t, isField := s.Package.Vars[i].Type.(typed.FieldType)
		switch {
		case !isField:
			return nil, fmt.Errorf("%s is no field; it is declared as %s", name, s.Package.Vars[i].Type)
		case s.Host[name] != nil:
			return nil, fmt.Errorf("%s is placed in two trees", name)
		}
		if err := DependsOnConstants(s.Package, t); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		gt, elem, err := elemType(t.Elem)
		if err != nil {
			return nil, err
		}
		made[name] = &Field{AnyField: ti.FieldOf(name, gt), elem: elem, kind: kindOf(gt)}
	}
	whole := made[name].AnyField
	if path == name {
		return whole, nil
	}
	for _, m := range ti.Members(whole) {
		if found := descend(m, whole.Name()+strings.TrimPrefix(path, name)); found != nil {
			return found, nil
		}
	}
	var members []string
	for _, m := range ti.Members(whole) {
		members = append(members, m.Name())
	}
	return nil, fmt.Errorf("%s has no member %s; it has %s", name, strings.TrimPrefix(strings.TrimPrefix(path, name), "."), Listed(members))
}

// whole reports whether a tree so far has the field of that name with all its members.
func (s *Session) whole(name string) bool {
	return slices.ContainsFunc(s.Trees, func(b *BoundTree) bool {
		return b.Text.Places(name)
	})
}

// load gives a field of a tree the contents of a file, or its tree those of a saved one.
func (b *Field) load(name string) error {
	if !isTreeFile(name) {
		_, isShape := ParseShape(name)
		switch {
		case isShape:
			return fmt.Errorf("-tree gives it its shape; what can be bound to it is a file with contents")
		case b.home.Unbounded():
			return fmt.Errorf("its indices have no bounds, so only a saved tree (%s) fits; or give the hash node sizes", TreeEnding)
		}
		return b.loadFile(name)
	}
	return loadTree(b.Tree(), name)
}

// loadFile gives a field the contents of a file of its shape.
func (b *Field) loadFile(name string) error {
	var shape []int
	var data []byte
	var err error
	if isStruct(b.Elem()) {
		shape, data, err = b.readStructs(name, b.Elem())
	} else if t, wrong := b.read(name, b.Elem()); wrong != nil {
		err = wrong
	} else {
		shape, data = t.shape[:len(t.shape)-len(b.elem)], t.data
	}
	if err != nil {
		return err
	}
	if !slices.Equal(shape, b.Shape()) {
		return fmt.Errorf("%s has shape %v, but the field has %v", name, shape, b.Shape())
	}
	_, err = b.ReadFrom(bytes.NewReader(data))
	return err
}

// loadTree gives a tree what was saved of one.
func loadTree(t *ti.Tree, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err = t.ReadFrom(bufio.NewReader(f)); errors.Is(err, ti.ErrLayout) {
		return errors.New(strings.TrimPrefix(err.Error(), ti.ErrLayout.Error()+": "))
	}
	return err
}

// isTreeFile reports whether a file of that name has a tree.
func isTreeFile(name string) bool { return strings.EqualFold(filepath.Ext(name), TreeEnding) }

// SaveTree writes a tree to a file.
func SaveTree(t *ti.Tree, name string) error {
	return fillFile(name, t.WriteTo)
}

// Descriptions are what -describe prints, of each tree of -tree and of the others in the
// order of the source.
func (s *Session) Descriptions() ([]string, error) {
	var trees []*ti.Tree
	for _, t := range s.Trees {
		trees = append(trees, t.Tree)
	}
	for _, v := range s.Package.Vars {
		if f := s.Fields[v.Name]; f != nil && !slices.Contains(trees, f.Tree()) {
			trees = append(trees, f.Tree())
		}
	}
	var out []string
	for _, t := range trees {
		var b strings.Builder
		if err := t.Describe(&b); err != nil {
			return nil, err
		}
		out = append(out, b.String())
	}
	return out, nil
}
