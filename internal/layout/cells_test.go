package layout

import (
	"slices"
	"strings"
	"testing"
)

func TestCells(t *testing.T) {
	tree := NewTree(0)
	if err := tree.Origin("ij", -8, 4); err != nil {
		t.Fatal(err)
	}
	block := build(t, tree, []step{{"ij", []int{4, 3}}})
	inner, err := block.Dense("ji", 2, 4)
	if err != nil {
		t.Fatal(err)
	}
	f := NewField(elem[float32](t))
	if err := inner.Place(f, 0, 1); err != nil {
		t.Fatal(err)
	}
	c, err := block.Cells()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(c.Shape(), []int64{4, 3}) || !slices.Equal(c.Origin(), []int64{-2, 2}) || len(c.Elem.Comps) != 0 {
		t.Errorf("shape %v, origin %v", c.Shape(), c.Origin())
	}
	if n := c.Nest(0); !slices.Equal(n, []NestDim{{0, 4, 1}, {1, 3, 1}}) {
		t.Errorf("nest %v", n)
	}
	if whole, err := inner.Cells(); err != nil || !slices.Equal(whole.Origin(), []int64{-8, 4}) || !slices.Equal(whole.Shape(), []int64{16, 6}) {
		t.Errorf("the cells of elements: %v, %v", whole, err)
	}
}

func TestCellsOfUnevenOrigin(t *testing.T) {
	tree := NewTree(0)
	if err := tree.Origin("i", -6); err != nil {
		t.Fatal(err)
	}
	block := build(t, tree, []step{{"i", []int{4}}})
	inner, _ := block.Dense("i", 4)
	if err := inner.Place(NewField(elem[float32](t)), 0, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := block.Cells(); err == nil || !strings.Contains(err.Error(), "spans 4 elements along axis i, whose lowest index is -6") {
		t.Errorf("%v", err)
	}
}
