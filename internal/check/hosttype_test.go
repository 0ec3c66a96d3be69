package check

import (
	"reflect"
	"slices"
	"testing"
)

var (
	ofVec3  = Array{F32, 3}
	linkT   = NewStruct("Link", StructField{Name: "To", Type: I32}, StructField{Name: "Cut", Type: Bool})
	sourceT = NewStruct("P", StructField{Name: "X", Type: ofVec3}, StructField{Name: "M", Type: F64}, StructField{Name: "L", Type: Array{linkT, 2}})
)

func TestMatchHost(t *testing.T) {
	swapped := NewStruct("Link", StructField{Name: "Cut", Type: Bool}, StructField{Name: "To", Type: I32})
	tests := []struct {
		host  Type
		comps []int
		want  string // of the problem
	}{
		{NewStruct("Q", StructField{Name: "X", Type: ofVec3}, StructField{Name: "M", Type: F64}, StructField{Name: "L", Type: Array{linkT, 2}}), nil, ""},
		{NewStruct("P", StructField{Name: "L", Type: Array{swapped, 2}}, StructField{Name: "M", Type: F64}, StructField{Name: "X", Type: ofVec3}),
			[]int{5, 6, 7, 4, 1, 0, 3, 2}, ""},
		{NewStruct("P", StructField{Name: "X", Type: ofVec3}, StructField{Name: "m", Type: F64}, StructField{Name: "L", Type: Array{linkT, 2}}),
			nil, "the host has no member M; its m may be given the tag `ti:\"M\"`"},
		{NewStruct("P", StructField{Name: "X", Type: ofVec3}, StructField{Name: "L", Type: Array{linkT, 2}}), nil, "the host has no member M"},
		{NewStruct("P", StructField{Name: "X", Type: ofVec3}, StructField{Name: "M", Type: F64}, StructField{Name: "L", Type: Array{linkT, 2}}, StructField{Name: "Extra", Type: F32}),
			nil, "the host has a member Extra, which the source lacks"},
		{NewStruct("P", StructField{Name: "X", Type: ofVec3}, StructField{Name: "M", Type: F32}, StructField{Name: "L", Type: Array{linkT, 2}}),
			nil, "member M is of type f64 in the source, and f32 in the host"},
		{NewStruct("P", StructField{Name: "X", Type: ofVec3}, StructField{Name: "M", Type: F64}, StructField{Name: "L", Type: Array{NewStruct("Link", StructField{Name: "To", Type: I64}, StructField{Name: "Cut", Type: Bool}), 2}}),
			nil, "member L[0].To is of type i32 in the source, and i64 in the host"},
		{F32, nil, "the source has P, and the host f32"},
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
	m := MemoryOf(sourceT)
	if m.Size != int(g.Size()) || m.Align != g.Align() || !slices.Equal(m.Offsets, want) {
		t.Errorf("%+v, want size %d, align %d, offsets %v", m, g.Size(), g.Align(), want)
	}
}
