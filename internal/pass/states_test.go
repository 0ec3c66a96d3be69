package pass

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
)

// TestStates: what tasks do to fields, as the split notes it.
func TestStates(t *testing.T) {
	const head = `kernel K(a: f32) {
	int i32
	field @D [f32] [64] origin [0]
	field @X [f32] [64] origin [0] sparse
	field @BitsY [f32] [64] origin [0] node bitmasked sparse
	field @ListL [f32] [64 40] origin [0 0] node dynamic sparse list
	body {
		%a = param 0 : f32
		%0 = const 0 : i32
		%9 = const 9 : i32
		^0: `
	for _, c := range []struct{ name, body, want string }{
		{"a dense store", "parfor 1 %0, %9 { (%i: i32)\n%p = ptr @D.0 %i : ptr\nstore %p, %a", "D values w"},
		{"a dense sum", "parfor 1 %0, %9 { (%i: i32)\n%p = ptr @D.0 %i : ptr\n%o = atomic.add %p, %a : f32", "D values rw"},
		{"a sparse load", "parfor 1 %0, %9 { (%i: i32)\n%p = ptr @X.0 %i : ptr\n%v = load %p : f32\n%q = ptr @D.0 %i : ptr\nstore %q, %v",
			"D values w; X values r mask r"},
		{"a sparse store", "parfor 1 %0, %9 { (%i: i32)\n%p = ptr @BitsY.0 %i : ptr\nstore %p, %a", "BitsY values w mask rw list rw allocation rw"},
		{"the loop's own cells", "fieldfor 1 @X { (%i: i32)\n%p = ptr @X.0 %i : ptr\nstore %p, %a", "X values w mask r list r"},
		{"deactivation", "fieldfor 1 @BitsY { (%i: i32)\ndeactivate @BitsY %i", "BitsY values w mask rw list rw allocation rw"},
		{"append", "parfor 1 %0, %9 { (%i: i32)\n%n = append @ListL %i : i32", "ListL values w mask rw list rw allocation rw"},
		{"a length", "parfor 1 %0, %9 { (%i: i32)\n%n = count @ListL %i : i32\n%f = convert %n : f32\n%q = ptr @D.0 %i : ptr\nstore %q, %f",
			"D values w; ListL mask r list r"},
		{"isactive", "parfor 1 %0, %9 { (%i: i32)\n%n = isactive @X %i : bool\n%f = convert %n : f32\n%q = ptr @D.0 %i : ptr\nstore %q, %f",
			"D values w; X mask r"},
	} {
		k, err := ir.Parse(head + c.body + "\ncontinue ^0\n}\nreturn\n}\n}\n")
		if err != nil {
			t.Fatal(c.name, err)
		}
		if err := RunStage(k, Options{Options: option.Options{Level: 3, Verify: true}, Target: cpu(0), Layout: testLayout{}}, "split"); err != nil {
			t.Fatal(c.name, err)
		}
		for _, task := range k.Tasks {
			if got := statesText(task.States); got != c.want {
				t.Errorf("%s: %s does %q, want %q\n%s", c.name, task.Name, got, c.want, k)
			}
		}
	}
}

// statesText writes states as the test has them.
func statesText(states []ir.State) string {
	var all []string
	for _, s := range states {
		text := s.Field.Name
		for _, u := range []struct {
			what string
			use  ir.Use
		}{{"values", s.Values}, {"mask", s.Mask}, {"list", s.List}, {"allocation", s.Allocation}} {
			if u.use != 0 {
				text += fmt.Sprintf(" %s %s", u.what, [...]string{ir.Reads: "r", ir.Writes: "w", ir.Reads | ir.Writes: "rw"}[u.use])
			}
		}
		all = append(all, text)
	}
	return strings.Join(all, "; ")
}
