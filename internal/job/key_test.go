package job

import (
	"reflect"
	"slices"
	"testing"

	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/layout"
)

// TestKeyOfNode asks for the key of a kernel that is given a node beside a field whose extents are read at launch. A node lies in a tree, and in no
// array of elements.
func TestKeyOfNode(t *testing.T) {
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	elem, err := layout.ElemOf(reflect.TypeFor[float32]())
	check(err)
	node := func(id int) (cells, field *layout.Field) {
		tree := layout.NewTree(id)
		n, err := tree.Root().Dense("i", 8)
		check(err)
		field = layout.NewField(elem)
		check(n.Place(field, 0, 1))
		check(field.Ready())
		cells, err = n.Cells()
		check(err)
		return cells, field
	}
	cells, field := node(0)
	others, _ := node(1)
	key := func(cells *layout.Field) any {
		q := Question{
			Kernel: "K", Fields: []Field{{"B", 0}, {"X", 1}},
			Layout: Layout{"B": {Field: cells}, "X": {Field: field}},
			Late:   map[string]string{"X": "X", "B": "X"},
		}
		return q.Key()
	}
	if key(cells) != key(cells) {
		t.Error("one question has two keys")
	}
	if _, ok := (Layout{"B": {Field: cells}}).Area(Region{"B", 0, Array}); ok {
		t.Error("a node has an array of elements")
	}
	if a, ok := (Layout{"B": {Field: others}}).Area(Region{"B", 0, Tree}); !ok || a.Tree != 1 {
		t.Errorf("the area of a node's tree is %+v, %v", a, ok)
	}
}

// TestLinkKey: the key of launches that are linked tells which memory they have in common, and in which order they are made.
func TestLinkKey(t *testing.T) {
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	elem, err := layout.ElemOf(reflect.TypeFor[float32]())
	check(err)
	tree := func(id int) (nodes []*layout.Field, fields []*layout.Field) {
		tree := layout.NewTree(id)
		var placed []*layout.Node
		for range 2 {
			n, err := tree.Root().Dense("i", 8)
			check(err)
			f := layout.NewField(elem)
			check(n.Place(f, 0, 1))
			placed, fields = append(placed, n), append(fields, f)
		}
		for i, n := range placed {
			check(fields[i].Ready())
			cells, err := n.Cells()
			check(err)
			nodes = append(nodes, cells)
		}
		return nodes, fields
	}
	n, f := tree(0)
	others, g := tree(1)
	use := func(f *layout.Field) *Question {
		q := &Question{Kernel: "K", Fields: []Field{{"X", 1}}, Layout: Layout{"X": {Field: f}}}
		if f.CellsOf() != nil {
			q.Fields[0].Comps = 0
		}
		return q
	}
	key := func(launches []int, of ...*layout.Field) any {
		var all []*Question
		for _, f := range of {
			all = append(all, use(f))
		}
		return LinkKey(all, launches, nil)
	}
	two := []int{0, 1}
	for _, c := range []struct {
		name string
		a, b any
		same bool
	}{
		{"once more", key(two, f[0], g[0]), key(two, f[0], g[0]), true},
		{"other trees of the same form", key(two, f[0], g[0]), key(two, g[0], f[0]), true},
		{"one field", key(two, f[0], f[0]), key(two, f[0], g[0]), false},
		{"one tree", key(two, f[0], f[1]), key(two, f[0], g[1]), false},
		{"the other place in the tree", key(two, f[0], g[0]), key(two, f[0], g[1]), false},
		{"another order", key(two, f[0], g[1]), key([]int{1, 0}, f[0], g[1]), false},
		{"another launch", key(two, f[0], g[1]), key([]int{0, 1, 1}, f[0], g[1]), false},
		{"one node", key(two, n[0], n[0]), key(two, n[0], n[1]), false},
		{"nodes of one tree", key(two, n[0], n[1]), key(two, n[0], others[1]), false},
	} {
		if (c.a == c.b) != c.same {
			t.Errorf("%s: the keys are the same: %v", c.name, c.a == c.b)
		}
	}
	questions := []*Question{use(f[0]), use(g[0])}
	equal := func(s ...[]SameArg) any { return LinkKey(questions, two, s) }
	keys := []any{equal(), equal(nil, []SameArg{{0, 0, 0}}), equal(nil, []SameArg{{1, 0, 0}}), equal(nil, []SameArg{{0, 0, 1}}), equal([]SameArg{{1, 0, 0}}, nil)}
	for i := range keys {
		if slices.Index(keys, keys[i]) != i {
			t.Errorf("which arguments are equal is not in key %d", i)
		}
	}
	if use(f[0]).Key() == key([]int{0}, f[0]) {
		t.Error("a kernel and a link of it have one key")
	}
}

// TestLinkAnswer reads what was written, and refuses what is damaged or of other launches.
func TestLinkAnswer(t *testing.T) {
	linked := &LinkAnswer{Tasks: 3, Fields: []LinkedField{{"X", 0, "X"}, {"X#2", 1, "X"}}, Answer: Answer{Regions: []Region{{Field: "X#2", Comp: 1, Part: Array}}}}
	linked.Answer.Key[3], linked.Answer.Code[5] = 7, 9
	apart := &LinkAnswer{Apart: &Apart{Place: launch.Place{File: "p.ti", Line: 3, Column: 4}, Kernel: "K", Part: 1, Reason: "it prints"}}
	for _, a := range []*LinkAnswer{linked, apart} {
		data := a.Append(nil)
		if got, err := ReadLinkAnswer(data, 2); err != nil || !reflect.DeepEqual(got, a) {
			t.Errorf("read %+v, %v; want %+v", got, err, a)
		}
		for n := range data {
			if _, err := ReadLinkAnswer(data[:n], 2); err == nil {
				t.Errorf("%d bytes of %d are read without an error", n, len(data))
			}
		}
		if _, err := ReadLinkAnswer(data, 1); err == nil {
			t.Error("an answer about a second launch is taken for one of a single launch")
		}
	}
	at := LayoutOf(linked.Fields, func(part int) Layout { return Layout{"X": {First: part}} })
	if want := (Layout{"X": {}, "X#2": {First: 1}}); !reflect.DeepEqual(at, want) {
		t.Errorf("the layout is %+v, want %+v", at, want)
	}
}
