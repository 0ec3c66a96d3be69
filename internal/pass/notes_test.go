package pass

import (
	"slices"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/pass/passtest"
)

// TestGathers checks the remarks on accesses with large strides: each stride once, in the order of the accesses.
func TestGathers(t *testing.T) {
	k, err := ir.Parse(`kernel Far() {
	int i32
	field @X [f32 f32] [128] origin [0]
	bases [0]
	task 0 "far" loop 1 i32 [0, 128) {
		prologue {
			yield
		}
		body(%i: i32) {
			%64 = const 64 : i64
			%96 = const 96 : i64
			%b = base 0 : ptr
			%j = convert %i : i64
			%o = mul.nowrap %j, %64 : i64
			%p = offset %b, %o : ptr
			%v = load %p : f32 alias 1
			store %p, %v alias 1
			%o2 = mul.nowrap %j, %96 : i64
			%q = offset %b, %o2 : ptr
			store %q, %v alias 1
			continue
		}
		epilogue {
			yield
		}
	}
}
`)
	if err != nil {
		t.Fatal(err)
	}
	notes := &note.Notes{}
	if err := RunStage(k, Options{Options: option.Options{Level: 3}, Target: passtest.CPU(0), Notes: notes, Layout: passtest.Layout{}}, "strided"); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range notes.List {
		got = append(got, n.Text)
	}
	want := []string{"strided: neighbouring iterations access numbers of X that lie 64, 96 bytes apart"}
	if !slices.Equal(got, want) {
		t.Errorf("the notes are %q, want %q", got, want)
	}
}
