package autodiff_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gotaichi/ti/internal/autodiff"
	"github.com/gotaichi/ti/internal/pass/note"
)

// TestUnrolled sees which loops are unrolled for a gather, and that a remark names each with its largest number of iterations.
func TestUnrolled(t *testing.T) {
	for _, c := range []struct {
		source string
		want   []int
	}{
		{"func K() { for i := range 6 { s := 0.0; for d := range serial(3) { s += X[(i+d)%6] }; Y[i] = s*s } }", []int{3}},
		{"func K() { for i := range 6 { s := 0.0; for d := range span(20, 23) { s += X[(i+d)%6] }; Y[i] = s*s } }", []int{3}},
		{"func K() { for i := range 6 { s := X[(i+1)%6]; for range serial(0) { s = sin(s) }; Y[i] = s*s } }", nil},
		{"func K() { for i := range 6 { s := 0.0; for d := range span(3, 1) { s += X[(i+d)%6] }; for d := range serial(2) { s += X[(i+d)%6] }; Y[i] = s } }", []int{2}},
		{"func K() { for i := range 6 { s := X[i]; for a := range serial(3) { for b := range serial(a) { s *= X[(i+a+2*b)%6] } }; Y[i] = s } }", []int{2, 3}},
		{"func K() { for i := range 6 { s := X[i]; for a := range serial(3) { for b := range serial(2-a) { s *= X[(i+a+2*b)%6] } }; Y[i] = s } }", []int{2, 3}},
		{"func K() { for i := range 6 { s := X[i]; for a := range serial(3) { for b := range serial(4) { if b > a { break }; s *= X[(i+a+2*b)%6] } }; Y[i] = s } }", []int{3, 3}},
		{"func K() { for i := range 6 { s := X[i]; for d := range serial(5) { if d == 3 { break }; s *= X[(i+d)%6] }; Y[i] = s } }", []int{3}},
		{"func K() { for i := range 6 { s := X[i]; for d := range serial(3) { s += X[N[d]] }; Y[i] = s*s } }", nil},
		{"func K() { for i := range 6 { s := X[i]; for range N[i] { s = sin(s) }; Y[i] = s*X[(i+1)%6] } }", nil},
		{"func K() { for i := range 6 { s := X[i]; for a := range serial(3) { for b := range span(a, 0) { s *= X[(i+b)%6] }; s *= X[(i+a)%6] }; Y[i] = s } }", []int{0, 3}},
		{"func K() { for i := range 6 { Z[i] = X[i] }; for i := range 6 { s := 0.0; for d := range serial(3) { s += X[(i+d)%6] }; Y[i] = s*s } }", []int{3}},
	} {
		k := lowered(t, c.source)
		notes := &note.Notes{}
		if _, err := autodiff.Reverse(k, adjointsOf(k), autodiff.Options{Notes: notes}); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, n := range notes.List {
			if n.Is(note.LoopUnrolled) {
				got = append(got, n.Text)
			}
		}
		var want []string
		for _, trips := range c.want {
			want = append(want, fmt.Sprintf(note.LoopUnrolled.String(), trips))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: unrolled are %q, want %q", c.source, got, want)
		}
	}
}

// TestWhyNotUnrolled checks the remarks on loads in serial loops that are not unrolled.
func TestWhyNotUnrolled(t *testing.T) {
	for _, c := range []struct {
		source string
		want   []note.Reason
	}{
		{"func K() { for i := range 6 { s := X[i]; for d := range serial(3) { s = sin(sin(sin(sin(s*X[(i+d)%6])))) }; Y[i] = s } }", []note.Reason{note.ManyIterations}},
		{"func K() { for i := range X { Z[i] = X[i]*f64(atomicAdd(&N[0], 1)) }; for i := range 6 { s := X[i]; for d := range serial(3) { s = sin(sin(sin(sin(s*X[(i+d)%6])))) }; Y[i] = s } }", []note.Reason{note.ManyIterations}},
		{"func K() { for i := range 6 { s := 0.0; for d := range N[i] { s += X[(i+d)%6]*X[i] }; Y[i] = s } }", []note.Reason{note.DataDecides}},
		{"func K() { for i := range 5 { s := X[i+1]; for range N[i] { s = sin(s) }; Y[i] = s } }", []note.Reason{note.LoopWithin}},
		{"func K() { for i := range 6 { s := 0.0; for d := range serial(3) { s += X[(i+d)%6] }; Y[i] = s*s } }", nil},
	} {
		k := lowered(t, c.source)
		notes := &note.Notes{}
		if _, err := autodiff.Reverse(k, adjointsOf(k), autodiff.Options{Notes: notes, Record: oldValues}); err != nil {
			t.Fatal(err)
		}
		var got []note.Reason
		for _, n := range notes.List {
			if n.Is(note.AdjointNotGathered) {
				got = append(got, n.Of[1:]...)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: the causes are %v, want %v", c.source, got, c.want)
		}
	}
}
