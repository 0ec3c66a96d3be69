package check

import (
	"reflect"
	"slices"
	"testing"

	"github.com/gotaichi/ti/internal/typed"
)

var (
	ofVec3  = typed.Array{Elem: typed.F32, Len: 3}
	linkT   = typed.NewStruct("Link", typed.StructField{Name: "To", Type: typed.I32}, typed.StructField{Name: "Cut", Type: typed.Bool})
	sourceT = typed.NewStruct("P", typed.StructField{Name: "X", Type: ofVec3}, typed.StructField{Name: "M", Type: typed.F64}, typed.StructField{Name: "L", Type: typed.Array{Elem: linkT, Len: 2}})
)

func TestMatchHost(t *testing.T) {
	swapped := typed.NewStruct("Link", typed.StructField{Name: "Cut", Type: typed.Bool}, typed.StructField{Name: "To", Type: typed.I32})
	tests := []struct {
		host  typed.Type
		comps []int
		want  string // of the problem
	}{
		{typed.NewStruct("Q", typed.StructField{Name: "X", Type: ofVec3}, typed.StructField{Name: "M", Type: typed.F64}, typed.StructField{Name: "L", Type: typed.Array{Elem: linkT, Len: 2}}), nil, ""},
		{typed.NewStruct("P", typed.StructField{Name: "L", Type: typed.Array{Elem: swapped, Len: 2}}, typed.StructField{Name: "M", Type: typed.F64}, typed.StructField{Name: "X", Type: ofVec3}),
			[]int{5, 6, 7, 4, 1, 0, 3, 2}, ""},
		{typed.NewStruct("P", typed.StructField{Name: "X", Type: ofVec3}, typed.StructField{Name: "m", Type: typed.F64}, typed.StructField{Name: "L", Type: typed.Array{Elem: linkT, Len: 2}}),
			nil, "the host has no member M; its m may be given the tag `ti:\"M\"`"},
		{typed.NewStruct("P", typed.StructField{Name: "X", Type: ofVec3}, typed.StructField{Name: "L", Type: typed.Array{Elem: linkT, Len: 2}}), nil, "the host has no member M"},
		{typed.NewStruct("P", typed.StructField{Name: "X", Type: ofVec3}, typed.StructField{Name: "M", Type: typed.F64}, typed.StructField{Name: "L", Type: typed.Array{Elem: linkT, Len: 2}}, typed.StructField{Name: "Extra", Type: typed.F32}),
			nil, "the host has a member Extra, which the source lacks"},
		{typed.NewStruct("P", typed.StructField{Name: "X", Type: ofVec3}, typed.StructField{Name: "M", Type: typed.F32}, typed.StructField{Name: "L", Type: typed.Array{Elem: linkT, Len: 2}}),
			nil, "member M is of type f64 in the source, and f32 in the host"},
		{typed.NewStruct("P", typed.StructField{Name: "X", Type: ofVec3}, typed.StructField{Name: "M", Type: typed.F64}, typed.StructField{Name: "L", Type: typed.Array{Elem: typed.NewStruct("Link", typed.StructField{Name: "To", Type: typed.I64}, typed.StructField{Name: "Cut", Type: typed.Bool}), Len: 2}}),
			nil, "member L[0].To is of type i32 in the source, and i64 in the host"},
		{typed.F32, nil, "the source has P, and the host f32"},
	}
	for _, tt := range tests {
		comps, problem := matchHost(sourceT, tt.host)
		if !slices.Equal(comps, tt.comps) || problem != tt.want {
			t.Errorf("%s: %v %q, want %v %q", tt.host, comps, problem, tt.comps, tt.want)
		}
	}
}

func TestMemoryOf(t *testing.T) {
	type link struct {
		To  int32
		Cut bool
	}
	type p struct {
		X [3]float32
		M float64
		L [2]link
	}
	g := reflect.TypeFor[p]()
	l, part := g.Field(2), reflect.TypeFor[link]()
	want := []int{0, 4, 8, int(g.Field(1).Offset)}
	for i := range 2 {
		at := int(l.Offset) + i*int(part.Size())
		want = append(want, at, at+int(part.Field(1).Offset))
	}
	m := typed.MemoryOf(sourceT)
	if m.Size != int(g.Size()) || m.Align != g.Align() || !slices.Equal(m.Offsets, want) {
		t.Errorf("%+v, want size %d, align %d, offsets %v", m, g.Size(), g.Align(), want)
	}
}
