package ir_test

import (
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
)

// TestVerifyStates: states are of components of fields of the host, in their order.
func TestVerifyStates(t *testing.T) {
	const head = "kernel K(v: view, \"v.0\": length) {\nint i32\nfield @X [f32 f32] [4]\nfield @v [f32] [-1] view $v [0] 4\nfield @Y [f32] [4]\nphase 1 loop\n"
	for _, c := range []struct{ states, want string }{
		{"touches @X .0 to 1 rw whole own\ntouches @Y .0 r", ""},
		{"touches @Y .0 r\ntouches @X .0 r", "out of order"},
		{"touches @v .0 r", "of no field of the host"},
		{"touches @X .0 to 2 r", "values of no component"},
		{"touches @X .1 r .0 r", "values of no component, or out of order"},
		{"touches @X .0 r whole", "values of no component"},
		{"touches @X .0 r reach -1 to 2", ""},
		{"touches @X .0 r reach 2 to 1", "impossible reach"},
	} {
		k, err := ir.Parse(head + c.states + "\nbody {\n^0: fieldfor 1 phase 1 @X { (%i: i32)\ncontinue ^0\n}\nreturn\n}\n}\n")
		if err != nil {
			t.Fatal(c.states, err)
		}
		if err := ir.Verify(k); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.states, err, c.want)
		}
	}
}

// TestStates: what is done in several places comes to the most that is done, and runs of components to one.
func TestStates(t *testing.T) {
	f := &ir.Field{Name: "X", Comps: []ir.Kind{ir.F32, ir.F32, ir.F32, ir.F32}, Shape: []int64{4}}
	var s ir.States
	s.Touch(f, 0, ir.Writes, true)
	s.Fill(f, 0)
	s.Touch(f, 1, ir.Writes, true)
	s.Fill(f, 1)
	var other ir.States
	other.Touch(f, 1, ir.Reads, false)
	other.Touch(f, 2, ir.Reads, true)
	other.TouchNear(f, 3, ir.Reads, ir.Reach{Lo: -1, Hi: 0, Known: true})
	other.TouchNear(f, 3, ir.Reads, ir.Reach{Lo: 2, Hi: 2, Known: true})
	s.Touch(f, 3, ir.Reads, true)
	other.Of(f).Mask = ir.Reads
	k := &ir.Kernel{Name: "K", Fields: []*ir.Field{f}, Phases: []ir.Phase{{States: s.List()}}}
	s.Add(other.List())
	k.Phases = append(k.Phases, ir.Phase{States: s.List()}, ir.Phase{States: ir.InPart(s.List()), Loop: true, Name: "A + B", First: 2})
	for _, want := range []string{"phase 3 loop \"A + B\" from 2\n", "touches @X .0 to 1 w whole own .3 r own\n", "touches @X .0 w whole own .1 rw whole .2 r own .3 r reach -1 to 2 mask r\n", "touches @X .0 w own .1 rw .2 r own .3 r reach -1 to 2 mask r\n"} {
		if !strings.Contains(k.String(), want) {
			t.Errorf("there is no %q in\n%s", want, k)
		}
	}
}

// TestFirstPart: the first part of which a loop was made is in the text of its phase and its task, and at most the last one.
func TestFirstPart(t *testing.T) {
	const text = `kernel K() {
	int i32
	part A args 0 key -1 loops 0
	part B args 0 key -1 loops 1
	part C args 0 key -1 loops 2
	phase 1 loop "B + C" from 1
	frame 0 done -1
	task 0 "B + C" loop 1 part 2 from 1 {
		prologue {
			yield
		}
		body {
			return
		}
		epilogue {
			yield
		}
	}
}
`
	k, err := ir.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if k.Phases[0].First != 1 || k.Tasks[0].First != 1 || k.Tasks[0].Part != 2 || !strings.Contains(k.String(), `loop 1 part 2 from 1`) || !strings.Contains(k.String(), `loop "B + C" from 1`) {
		t.Errorf("the text is read as\n%s", k)
	}
	k.Tasks[0].First = 3
	if err := ir.Verify(k); err == nil || !strings.Contains(err.Error(), "parts from 3 to 2") {
		t.Error(err)
	}
}
