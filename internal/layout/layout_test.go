package layout

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
)

func elem[T any](t *testing.T) *Elem {
	t.Helper()
	e, err := ElemOf(reflect.TypeFor[T]())
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// step is a Dense call of a layout under test.
type step struct {
	axes  string
	sizes []int
}

// morton marks a step whose cells lie in Z-order.
const morton = "z"

func build(t *testing.T, tree *Tree, steps []step) *Node {
	t.Helper()
	n := tree.Root()
	for _, s := range steps {
		var err error
		axes, z := strings.CutSuffix(s.axes, morton)
		if n, err = n.Dense(axes, s.sizes...); err != nil {
			t.Fatal(err)
		}
		if z {
			if err := n.Morton(); err != nil {
				t.Fatal(err)
			}
		}
	}
	return n
}

// TestAddresses checks on many layouts that the addresses of all components of
// all elements are in the tree, aligned, and disjoint, and that the nest visits
// every element once in the order of its address.
func TestAddresses(t *testing.T) {
	tests := []struct {
		name   string
		steps  []step
		origin map[string]int
		flat   bool
	}{
		{"scalar", nil, nil, true},
		{"line", []step{{"i", []int{7}}}, nil, true},
		{"matrix", []step{{"ij", []int{5, 3}}}, nil, true},
		{"column major", []step{{"ji", []int{5, 3}}}, nil, true},
		{"joined levels", []step{{"i", []int{4}}, {"i", []int{8}}}, nil, true},
		{"blocked", []step{{"ij", []int{3, 2}}, {"ij", []int{4, 5}}}, nil, false},
		{"blocked three deep", []step{{"ij", []int{3, 2}}, {"i", []int{3}}, {"ji", []int{2, 3}}}, nil, false},
		{"negative origin", []step{{"ij", []int{3, 2}}, {"ij", []int{4, 5}}}, map[string]int{"i": -6, "j": 9}, false},
		{"size one", []step{{"ij", []int{1, 4}}, {"ij", []int{3, 1}}}, nil, true},
		{"late axis", []step{{"k", []int{3}}, {"i", []int{2}}, {"k", []int{2}}}, nil, false},
		{"z-order", []step{{"ijz", []int{8, 8}}}, nil, false},
		{"z-order of unequal sizes", []step{{"ijkz", []int{2, 16, 4}}}, nil, false},
		{"z-order of one axis", []step{{"iz", []int{16}}}, nil, true},
		{"z-order twice", []step{{"ijz", []int{4, 2}}, {"k", []int{3}}, {"jiz", []int{2, 4}}}, map[string]int{"i": -16, "j": 3}, false},
		{"rows in z-order", []step{{"ijz", []int{4, 4}}, {"j", []int{5}}}, nil, false},
		{"four axes", []step{{"ijkl", []int{2, 3, 2, 3}}}, nil, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tree := NewTree(3)
			for axis, low := range map[string]int(tt.origin) {
				if err := tree.Origin(axis, low); err != nil {
					t.Fatal(err)
				}
			}
			n := build(t, tree, tt.steps)
			f, g := NewField(elem[[3]float32](t)), NewField(elem[float64](t))
			if err := errors.Join(n.Place(f, 0, 3), n.Place(g, 0, 1)); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(f.Ready(), g.Ready()); err != nil {
				t.Fatal(err)
			}
			used := map[int64]string{}
			checkField(t, tree, f, used)
			checkField(t, tree, g, used)
			if !f.Whole() || f.Contiguous() && len(tt.steps) > 0 {
				t.Errorf("whole %v, contiguous %v", f.Whole(), f.Contiguous())
			}
			if _, flat := f.Access(0).Flat(); flat != tt.flat {
				t.Errorf("flat %v, terms %v", flat, f.Access(0).Terms)
			}
		})
	}
}

func checkField(t *testing.T, tree *Tree, f *Field, used map[int64]string) {
	t.Helper()
	count, last := int64(0), int64(-1)
	visit(f, func(idx []int) {
		count++
		for c, comp := range f.Elem.Comps {
			a := f.Access(c)
			off := a.Offset(idx)
			if off < 0 || off+comp.Kind.Bytes() > tree.Bytes() || off%comp.Kind.Bytes() != 0 || a.Tree != 3 {
				t.Fatalf("component %d of %v at %d of %d", c, idx, off, tree.Bytes())
			}
			for b := off; b < off+comp.Kind.Bytes(); b++ {
				if used[b] != "" {
					t.Fatalf("byte %d used by %s and by %v", b, used[b], idx)
				}
				used[b] = fmt.Sprint(idx)
			}
			if c == 0 && off <= last {
				t.Fatalf("%v at %d does not follow %d", idx, off, last)
			}
			if c == 0 {
				last = off
			}
		}
	})
	if count != f.Len() {
		t.Errorf("visited %d of %d elements", count, f.Len())
	}
}

// visit visits the elements in the order of the nest.
func visit(f *Field, yield func(idx []int)) {
	idx := make([]int, f.Rank())
	for k := range idx {
		idx[k] = int(f.Origin()[k])
	}
	var descend func(dims []NestDim)
	descend = func(dims []NestDim) {
		if len(dims) == 0 {
			yield(idx)
			return
		}
		d := dims[0]
		start := idx[d.Axis]
		for c := range d.Extent {
			idx[d.Axis] = start + int(c*d.Mul)
			descend(dims[1:])
		}
		idx[d.Axis] = start
	}
	descend(f.Nest(0))
}

func TestContiguous(t *testing.T) {
	tests := []struct {
		steps []step
		want  bool
	}{
		{nil, true},
		{[]step{{"ij", []int{4, 6}}}, true},
		{[]step{{"i", []int{2}}, {"i", []int{3}}}, true},
		{[]step{{"i", []int{2}}, {"j", []int{3}}}, true},
		{[]step{{"ji", []int{4, 6}}}, false},
		{[]step{{"ij", []int{2, 2}}, {"ij", []int{2, 2}}}, false},
	}
	for _, tt := range tests {
		tree := NewTree(0)
		f := NewField(elem[[2][2]float64](t))
		if err := errors.Join(build(t, tree, tt.steps).Place(f, 0, 4), f.Ready()); err != nil {
			t.Fatal(err)
		}
		if f.Contiguous() != tt.want {
			t.Errorf("%v: contiguous %v", tt.steps, f.Contiguous())
		}
	}
}

// TestMembers places a component in a separate tree.
func TestMembers(t *testing.T) {
	f := NewField(elem[[3]float32](t))
	a, b := NewTree(0), NewTree(1)
	na, nb := build(t, a, []step{{"i", []int{5}}}), build(t, b, []step{{"i", []int{5}}})
	if err := errors.Join(nb.Place(f, 1, 2), na.Place(f, 0, 3), f.Ready()); err != nil {
		t.Fatal(err)
	}
	if k, n, ok := a.Uniform(); k != F32 || n != 64 || !ok {
		t.Errorf("uniform %v, %v, %v", k, n, ok)
	}
	if a.Bytes() != 64 || b.Bytes() != 64 || f.Whole() {
		t.Errorf("bytes %d and %d, whole %v", a.Bytes(), b.Bytes(), f.Whole())
	}
	for c, want := range []struct {
		tree   int
		offset int64
	}{{0, 24}, {1, 12}, {0, 28}} {
		if acc := f.Access(c); acc.Tree != want.tree || acc.Offset([]int{3}) != want.offset {
			t.Errorf("component %d in tree %d at %d", c, acc.Tree, acc.Offset([]int{3}))
		}
	}
}

func TestStructureOfArrays(t *testing.T) {
	tree := NewTree(0)
	f, g := NewField(elem[uint8](t)), NewField(elem[float64](t))
	n1, n2 := build(t, tree, []step{{"i", []int{5}}}), build(t, tree, []step{{"i", []int{9}}})
	if err := errors.Join(n1.Place(f, 0, 1), n2.Place(g, 0, 1), f.Ready(), g.Ready()); err != nil {
		t.Fatal(err)
	}
	if got := g.Access(0).Offset([]int{8}); got != 64+64 || tree.Bytes() != 192 {
		t.Errorf("offset %d, bytes %d", got, tree.Bytes())
	}
	if _, _, ok := tree.Uniform(); ok {
		t.Error("a tree of u8 and f64 is uniform")
	}
	if !f.Contiguous() || !g.Contiguous() {
		t.Error("not contiguous")
	}
}

func TestMistakes(t *testing.T) {
	scalar := elem[float32](t)
	dense := func(axes string, sizes ...int) func() error {
		return func() error { _, err := NewTree(0).Root().Dense(axes, sizes...); return err }
	}
	tests := []struct {
		name string
		do   func() error
		kind ErrorKind
		want string
	}{
		{"zero", dense("i", 0), BadSize, "size 0 along axis i"},
		{"negative", dense("ij", 4, -3), BadSize, "size -3 along axis j"},
		{"count", dense("ijk", 4, 3), BadSize, `axes "ijk" have 2 size values; give 3, or one for all`},
		{"z-order of other sizes", func() error { return build(t, NewTree(0), []step{{"ij", []int{8, 12}}}).Morton() }, BadSize, "size 12 along axis j of a node in Z-order is no power of two"},
		{"z-order of a root", func() error { return NewTree(0).Root().Morton() }, BadSize, "root of a tree"},
		{"no size", dense("i"), BadSize, "0 size values"},
		{"no axis", dense("", 3), BadAxes, "no axes"},
		{"unknown", dense("ix", 3), BadAxes, "'x' is not an axis"},
		{"twice", dense("iji", 3), BadAxes, "'i' appears twice"},
		{"extent", dense("i", 1<<40), TooLarge, "extent of 1099511627776"},
		{"bytes", func() error {
			tree, f := NewTree(0), NewField(scalar)
			return errors.Join(build(t, tree, []step{{"ijk", []int{1 << 20, 1 << 20, 1 << 20}}}).Place(f, 0, 1), f.Ready())
		}, TooLarge, "more memory than"},
		{"placed twice", func() error {
			n, f := NewTree(0).Root(), NewField(scalar)
			return errors.Join(n.Place(f, 0, 1), n.Place(f, 0, 1))
		}, Placed, "placed already"},
		{"parts differ", func() error {
			f := NewField(elem[[2]int8](t))
			n, m := build(t, NewTree(0), []step{{"i", []int{4}}}), build(t, NewTree(1), []step{{"i", []int{5}}})
			return errors.Join(n.Place(f, 0, 1), m.Place(f, 1, 2))
		}, Mismatch, "shape [5] here"},
		{"parts with other axes", func() error {
			f := NewField(elem[[2]int8](t))
			n, m := build(t, NewTree(0), []step{{"i", []int{4}}}), build(t, NewTree(1), []step{{"j", []int{4}}})
			return errors.Join(n.Place(f, 0, 1), m.Place(f, 1, 2))
		}, Mismatch, `the axes "j" here, and parts of it are placed with "i"`},
		{"origin of much", func() error {
			tree := NewTree(0)
			build(t, tree, []step{{"i", []int{4}}, {"i", []int{1 << 20}}})
			return errors.Join(tree.Origin("i", math.MaxInt32-1<<22), tree.Origin("i", math.MaxInt32-1<<22+1))
		}, TooLarge, "4194304 elements along axis i from 2143289344 on reach to 2147483647"},
		{"much behind an origin", func() error {
			tree := NewTree(0)
			if err := tree.Origin("ij", 4, math.MaxInt32-10); err != nil {
				return err
			}
			n := build(t, tree, []step{{"ij", []int{4, 5}}})
			_, ok := n.Dense("j", 2)
			_, err := n.Dense("ji", 3, 1)
			return errors.Join(ok, err)
		}, TooLarge, "15 elements along axis j from 2147483637 on reach to 2147483651"},
		{"origins differ", func() error {
			f := NewField(elem[[2]int8](t))
			a, b := NewTree(0), NewTree(1)
			n, m := build(t, a, []step{{"i", []int{4}}}), build(t, b, []step{{"i", []int{4}}})
			return errors.Join(n.Place(f, 0, 1), m.Place(f, 1, 2), b.Origin("i", -2), f.Ready())
		}, Mismatch, "lowest indices 0 and -2 along axis i"},
		{"not placed", func() error { return NewField(scalar).Ready() }, Mismatch, "not placed"},
		{"frozen", func() error {
			tree := NewTree(0)
			n := build(t, tree, []step{{"i", []int{4}}})
			if err := tree.Freeze(); err != nil {
				return err
			}
			return n.Place(NewField(scalar), 0, 1)
		}, Frozen, "before the first Load"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.do()
			var e *Error
			if !errors.As(err, &e) || e.Kind != tt.kind || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestMorton checks the order of cells against the definition: the address is the
// bits of the indices, interleaved.
func TestMorton(t *testing.T) {
	tree := NewTree(0)
	n := build(t, tree, []step{{"ij" + morton, []int{16, 16}}})
	f := NewField(elem[uint16](t))
	if err := n.Place(f, 0, 1); err != nil {
		t.Fatal(err)
	}
	if err := f.Ready(); err != nil {
		t.Fatal(err)
	}
	for i := range 16 {
		for j := range 16 {
			z := 0
			for b := range 4 {
				z |= i >> b & 1 << (2*b + 1)
				z |= j >> b & 1 << (2 * b)
			}
			if got := f.Access(0).Offset([]int{i, j}); got != int64(2*z) {
				t.Fatalf("element %d, %d lies at %d, not %d", i, j, got, 2*z)
			}
		}
	}
}

// TestLoops checks that the loops of compiled code visit every element once, and
// that they are few where cells lie in Z-order.
func TestLoops(t *testing.T) {
	for name, steps := range map[string][]step{
		"one level":  {{"ij" + morton, []int{64, 16}}},
		"two levels": {{"ij" + morton, []int{4, 2}}, {"k", []int{3}}, {"ji" + morton, []int{2, 8}}},
		"small":      {{"ij" + morton, []int{2, 4}}},
		"rows":       {{"ij", []int{6, 4}}, {"j", []int{5}}},
	} {
		tree := NewTree(0)
		f := NewField(elem[float32](t))
		if err := errors.Join(build(t, tree, steps).Place(f, 0, 1), f.Ready()); err != nil {
			t.Fatal(err)
		}
		dims := f.Loops(0)
		if len(dims) > 6+2 {
			t.Errorf("%s: %d loops", name, len(dims))
		}
		visited := map[[MaxRank]int64]bool{}
		var visit func(d int, idx [MaxRank]int64)
		visit = func(d int, idx [MaxRank]int64) {
			if d == len(dims) {
				visited[idx] = true
				return
			}
			for range dims[d].Extent {
				visit(d+1, idx)
				idx[dims[d].Axis] += dims[d].Mul
			}
		}
		visit(0, [MaxRank]int64{})
		total := int64(1)
		for _, d := range dims {
			total *= d.Extent
		}
		for idx := range visited {
			for k, n := range f.Shape() {
				if idx[k] >= n {
					t.Fatalf("%s: index %v is out of range", name, idx)
				}
			}
		}
		if int64(len(visited)) != f.Len() || total != f.Len() {
			t.Errorf("%s: %d indices in %d iterations for %d elements", name, len(visited), total, f.Len())
		}
	}
}
