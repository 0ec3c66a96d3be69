package layout

import (
	"errors"
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
	if _, err := block.Cells(); err == nil || !strings.Contains(err.Error(), "along axis i: each of its cells spans 4 cells of a field of float32, and the Origin -6") {
		t.Errorf("%v", err)
	}
}

// TestOriginOfCoarseCells places fields with cells of different sizes in each block: a grid,
// a list, and fields whose cells are multiples of those of the grid or not.
func TestOriginOfCoarseCells(t *testing.T) {
	const none = 1 << 40
	for _, tt := range []struct {
		origin                   int
		grid, list, half, thirds int64 // the lowest index, or none
		wrong                    string
	}{
		{-72, -72, -3, -36, -48, ""},
		{24, 24, 1, 12, 16, ""},
		{0, 0, 0, 0, 0, ""},
		{-12, -12, none, -6, -8, "list has no lowest index along axis i: each of its cells spans 24 cells of grid, and the Origin -12, which counts the cells of grid, is no multiple of 24; choose an Origin that is a multiple of 24 along axis i"},
		{-2, -2, none, -1, none, "thirds has no lowest index along axis i: 2 of its cells span 3 cells of grid, and the Origin -2, which counts the cells of grid, is no multiple of 3"},
		{-1, -1, none, none, none, "half has no lowest index along axis i: each of its cells spans 2 cells of grid"},
	} {
		tree := NewTree(0)
		must := func(n *Node, err error) *Node {
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		if err := tree.Origin("i", tt.origin); err != nil {
			t.Fatal(err)
		}
		block := must(tree.Root().Pointer("i", 8))
		nodes := []*Node{must(block.Bitmasked("i", 24)), must(block.Dynamic("j", 100)), must(block.Dense("i", 12)), must(block.Dense("i", 16))}
		beside := must(tree.Root().Dense("i", 8)) // shares no node with them
		fields := make([]*Field, 5)
		for k, name := range []string{"grid", "list", "half", "thirds", "beside"} {
			fields[k] = NewField(elem[float32](t))
			fields[k].Name = name
			if err := append(nodes, beside)[k].Place(fields[k], 0, 1); err != nil {
				t.Fatal(err)
			}
		}
		var errs []string
		for k, want := range []int64{tt.grid, tt.list, tt.half, tt.thirds, int64(tt.origin)} {
			f := fields[k]
			err := f.Ready()
			if want == none {
				if err == nil {
					t.Errorf("origin %d: %s has lowest index %v", tt.origin, f.Name, f.Origin())
					continue
				}
				errs = append(errs, err.Error())
				continue
			}
			if err != nil || f.Origin()[0] != want || f.LowestNow()[0] != want {
				t.Errorf("origin %d: %s has lowest index %v, not %d: %v", tt.origin, f.Name, f.Origin(), want, err)
				continue
			}
			if c, err := f.Node().Cells(); err != nil || !slices.Equal(c.Origin(), f.Origin()) {
				t.Errorf("origin %d: the node of %s: %v, %v", tt.origin, f.Name, c, err)
			}
		}
		if !strings.Contains(strings.Join(errs, "\n"), tt.wrong) {
			t.Errorf("origin %d: %q", tt.origin, errs)
		}
	}
}

// TestOriginOfPartsApart places parts of a field beside cells of different fineness.
func TestOriginOfPartsApart(t *testing.T) {
	tree := NewTree(0)
	if err := tree.Origin("i", -8); err != nil {
		t.Fatal(err)
	}
	a, b := build(t, tree, []step{{"i", []int{8}}}), build(t, tree, []step{{"i", []int{8}}})
	f, fine := NewField(elem[[2]float32](t)), NewField(elem[float32](t))
	f.Name, fine.Name = "f", "fine"
	finer, err := b.Dense("i", 4)
	if err := errors.Join(err, a.Place(f, 0, 1), b.Place(f, 1, 2), finer.Place(fine, 0, 1)); err != nil {
		t.Fatal(err)
	}
	const want = "parts of f have lowest indices -8 and -2 along axis i: the Origin -8 counts the cells of f for one and those of fine for the other"
	if err := f.Ready(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v", err)
	}
	if err := fine.Ready(); err != nil {
		t.Error(err)
	}
}
