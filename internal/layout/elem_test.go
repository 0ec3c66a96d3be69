package layout

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// particle has padding inside, behind its last member, and in an array.
type particle struct {
	Alive bool
	Pos   [3]float32
	Mass  float64
	Links [2]struct {
		To     int32
		Broken bool
	}
	Tag uint16
}

// describe writes kinds and offsets of the components, equal neighbours once.
func describe(e *Elem) string {
	var parts []string
	for _, c := range e.Comps {
		parts = append(parts, fmt.Sprintf("%v@%d", c.Kind, c.Offset))
	}
	return strings.Join(parts, " ")
}

func TestElemOf(t *testing.T) {
	type base struct{ ID int32 }
	type Named struct{ ID int32 }
	tests := []struct {
		v     any
		want  string
		error string
	}{
		{float32(0), "f32@0", ""},
		{true, "bool@0", ""},
		{[3]int64{}, "i64@0 i64@8 i64@16", ""},
		{[2][2]uint16{}, "u16@0 u16@2 u16@4 u16@6", ""},
		{struct{ X float32 }{}, "f32@0", ""},
		{particle{}, "bool@0 f32@4 f32@8 f32@12 f64@16 i32@24 bool@28 i32@32 bool@36 u16@40", ""},
		{[2]struct {
			A float64
			B bool
		}{}, "f64@0 bool@8 f64@16 bool@24", ""},
		{struct {
			Named
			X float32
		}{}, "i32@0 f32@4", ""},
		{struct {
			x [1][1][1]float32 `ti:"x"`
		}{}, "f32@0", ""},
		{0, "", "use int32"},
		{"", "", "no pointers"},
		{struct{ A struct{ N int } }{}, "", "its member A.N is a int; its size is the machine's"},
		{struct{ P *int32 }{}, "", "its member P is a *int32; elements hold no pointers"},
		{struct{}{}, "", "no members"},
		{struct{ x float32 }{}, "", "its member x is unexported; begin its name with a capital letter, or give it the tag `ti:\"x\"`"},
		{struct{ base }{}, "", "base is unexported"},
		{struct {
			A float32
			_ [4]byte
		}{}, "", "blank member"},
		{struct {
			A float32 `ti:"-"`
		}{}, "", "hides"},
		{struct {
			A float32
			B float32 `ti:"A"`
		}{}, "", "two members"},
		{[0]float32{}, "", "length 0"},
		{[1][1][1]float32{}, "", "3 array levels"},
		{[2000]bool{}, "", "more than 1024"},
		{reflect.ArrayOf(1<<20, reflect.TypeFor[[1 << 20]bool]()), "", "more than 1024"},
		{struct{ A, B [600]bool }{}, "", "more than 1024"},
	}
	for _, tt := range tests {
		typ, given := tt.v.(reflect.Type) // of a value too large to exist
		if !given {
			typ = reflect.TypeOf(tt.v)
		}
		e, err := ElemOf(typ)
		switch {
		case tt.error != "":
			if err == nil || !strings.Contains(err.Error(), tt.error) {
				t.Errorf("%T: %v", tt.v, err)
			}
		case err != nil || describe(e) != tt.want:
			t.Errorf("%T: %v, %v", tt.v, describe(e), err)
		}
	}
}

// TestStructPlaces checks that an element placed whole lies as in Go, its padding
// its own, and that parts of it, wherever they are cut, are aligned and disjoint.
func TestStructPlaces(t *testing.T) {
	e := elem[particle](t)
	for lo := range len(e.Comps) {
		for hi := lo + 1; hi <= len(e.Comps); hi++ {
			tree := NewTree(0)
			f, g := NewField(e), NewField(elem[bool](t))
			a := build(t, tree, []step{{"i", []int{5}}})
			b := build(t, tree, []step{{"i", []int{5}}})
			for _, err := range []error{a.Place(f, lo, hi), a.Place(g, 0, 1)} {
				if err != nil {
					t.Fatal(err)
				}
			}
			if lo > 0 || hi < len(e.Comps) {
				if err := b.Place(f, 0, len(e.Comps)); err != nil {
					t.Fatal(err)
				}
			}
			if err := f.Ready(); err != nil {
				t.Fatal(err)
			}
			used := map[int64]string{}
			take := func(name string, at, size int64) {
				for p := at; p < at+size; p++ {
					if old := used[p]; old != "" || p >= tree.Bytes() {
						t.Fatalf("components %d to %d: %s shares byte %d with %q", lo, hi, name, p, old)
					}
					used[p] = name
				}
			}
			for i := range 5 {
				for c, comp := range e.Comps {
					at := f.Access(c).Offset([]int{i})
					if at%comp.Kind.Bytes() != 0 {
						t.Fatalf("components %d to %d: component %d lies at %d", lo, hi, c, at)
					}
					if !f.Whole() {
						take(fmt.Sprintf("%d.%d", i, c), at, comp.Kind.Bytes())
					} else if c == 0 {
						take(fmt.Sprint(i), at, e.Size)
					}
				}
				take(fmt.Sprintf("other %d", i), g.Access(0).Offset([]int{i}), 1)
			}
			if _, _, uniform := tree.Uniform(); uniform {
				t.Fatal("a tree of several kinds is uniform")
			}
			if whole := lo == 0 && hi == len(e.Comps); f.Whole() != whole {
				t.Errorf("components %d to %d: whole is %v", lo, hi, f.Whole())
			}
		}
	}
}
