package job

import (
	"reflect"
	"testing"

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
