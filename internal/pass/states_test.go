package pass

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/pass/passtest"
)

// TestStates checks the states of tasks, which come from the phases of the source.
func TestStates(t *testing.T) {
	const head = `kernel K(a: f32, v: view, "v.0": length, "Open.0": extent) {
	int i32
	field @D [f32 f32] [64] origin [0]
	field @E [f32] [64] origin [0]
	field @Open [f32] [-1] origin [0]
	field @Like [f32] [-1] origin [0] like @Open
	field @One [f32] []
	field @X [f32] [64] origin [0] sparse
	field @BitsY [f32] [64] origin [0] node bitmasked sparse
	field @ListL [f32] [64 40] origin [0 0] node dynamic sparse list
	field @v [f32] [-1] view $v [0] 4
	body {
		%a = param 0 : f32
		%0 = const 0 : i32
		%9 = const 9 : i32
		%64 = const 64 : i32
		%1 = const 1 : i32
		%63 = const 63 : i32
		%l1 = const 1 : i64
		%true = eq %0, %0 : bool
		%n = len $"Open.0" : i32
		^0: `
	load := func(index string) string {
		return "fieldfor 1 @D { (%i: i32)\n" + index + "\n%p = ptr @D.0 %q : ptr\n%v = load %p : f32\n%r = ptr @One.0 : ptr\nstore %r, %v"
	}
	for _, c := range []struct{ name, body, want string }{
		{"a dense store", "parfor 1 %0, %9 { (%i: i32)\n%p = ptr @D.0 %i : ptr\nstore %p, %a", "@D .0 w own"},
		{"of all elements", "parfor 1 %0, %64 { (%i: i32)\n%p = ptr @D.1 %i : ptr\nstore %p, %a", "@D .1 w whole own"},
		{"in a loop over the field", "fieldfor 1 @D { (%i: i32)\n%p = ptr @D.0 %i : ptr\nstore %p, %a\n%q = ptr @D.1 %i : ptr\nstore %q, %a", "@D .0 to 1 w whole own"},
		{"and over another one", "fieldfor 1 @E { (%i: i32)\n%p = ptr @D.0 %i : ptr\nstore %p, %a", "@D .0 w whole own"},
		{"of extents at launch", "fieldfor 1 @Like { (%i: i32)\n%p = ptr @Open.0 %i : ptr\nstore %p, %a", "@Open .0 w whole own"},
		{"up to an extent", "parfor 1 %0, %n { (%i: i32)\n%p = ptr @Like.0 %i : ptr\nstore %p, %a", "@Like .0 w whole own"},
		{"that is another one", "parfor 1 %0, %n { (%i: i32)\n%p = ptr @D.0 %i : ptr\nstore %p, %a", "@D .0 w own"},
		{"in a field that is sparse", "fieldfor 1 @X { (%i: i32)\n%p = ptr @D.0 %i : ptr\nstore %p, %a", "@D .0 w own; @X mask r list r"},
		{"under a condition", "fieldfor 1 @D { (%i: i32)\nif %true {\n%p = ptr @D.0 %i : ptr\nstore %p, %a\nyield\n} else {\nyield\n}", "@D .0 w own"},
		{"on both sides of one", "fieldfor 1 @D { (%i: i32)\n%p = ptr @D.0 %i : ptr\nif %true {\nstore %p, %a\nyield\n} else {\nstore %p, %a\nyield\n}", "@D .0 w whole own"},
		{"behind a continue", "fieldfor 1 @D { (%i: i32)\nif %true {\ncontinue ^0\n} else {\nyield\n}\n%p = ptr @D.0 %i : ptr\nstore %p, %a", "@D .0 w own"},
		{"before one", "fieldfor 1 @D { (%i: i32)\n%p = ptr @D.0 %i : ptr\nstore %p, %a\nif %true {\ncontinue ^0\n} else {\nyield\n}", "@D .0 w whole own"},
		{"in a loop within", "fieldfor 1 @D { (%i: i32)\n^1: for %0, %9 { (%k: i32)\n%p = ptr @D.0 %i : ptr\nstore %p, %a\ncontinue ^1\n}", "@D .0 w own"},
		{"of any component", "fieldfor 1 @D { (%i: i32)\n%p = ptr.dynamic @D.0/2 %i, %i : ptr\nstore %p, %a", "@D .0 to 1 w own"},
		{"an exchange that may fail", "fieldfor 1 @D { (%i: i32)\n%p = ptr @D.0 %i : ptr\n%o = atomic.cas %p, %a, %a : f32", "@D .0 rw own"},
		{"a load", "fieldfor 1 @D { (%i: i32)\n%p = ptr @E.0 %i : ptr\n%v = load %p : f32\n%q = ptr @D.0 %i : ptr\nstore %q, %v", "@D .0 w whole own; @E .0 r own"},
		{"a load that nothing uses", "fieldfor 1 @D { (%i: i32)\n%p = ptr @E.0 %i : ptr\n%v = load %p : f32", ""},
		{"an atomic load", "fieldfor 1 @D { (%i: i32)\n%p = ptr @E.0 %i : ptr\n%v = atomic.load %p, %a : f32", "@E .0 r own"},
		{"at one index and another", "parfor 1 %0, %9 { (%i: i32)\n%p = ptr @D.0 %i : ptr\nstore %p, %a\n%q = ptr @D.0 %9 : ptr\nstore %q, %a\n%r = ptr @D.1 %i : ptr\nstore %r, %a", "@D .0 w reach 0 to 9 .1 w own"},
		{"the first index of two", "parfor 1 %0, %9 { (%i: i32)\n%p = ptr @ListL.0 %i, %0 : ptr\nstore %p, %a", "@ListL .0 w own mask rw list rw allocation rw"},
		{"memory of the caller", "fieldfor 1 @v { (%i: i32)\n%p = ptr @v.0 %i : ptr\nstore %p, %a", ""},
		{"a dense sum", "parfor 1 %0, %9 { (%i: i32)\n%p = ptr @One.0 : ptr\n%o = atomic.add %p, %a : f32", "@One .0 rw sum add"},
		{"a dense difference", "parfor 1 %0, %9 { (%i: i32)\n%p = ptr @One.0 : ptr\n%o = atomic.sub %p, %a : f32", "@One .0 rw sum add"},
		{"two kinds of sums", "parfor 1 %0, %9 { (%i: i32)\n%p = ptr @One.0 : ptr\n%o = atomic.add %p, %a : f32\n%q = atomic.min %p, %a : f32", "@One .0 rw"},
		{"a sum that is read", "parfor 1 %0, %9 { (%i: i32)\n%p = ptr @One.0 : ptr\n%o = atomic.add %p, %a : f32\n%q = load %p : f32\nstore %p, %q", "@One .0 rw"},
		{"an old value that is used", "parfor 1 %0, %9 { (%i: i32)\n%p = ptr @One.0 : ptr\n%o = atomic.add %p, %a : f32\n%q = ptr @D.0 %i : ptr\nstore %q, %o", "@D .0 w own; @One .0 rw"},
		{"one row of all", "parfor 1 %0, %9 { (%i: i32)\n%p = ptr @D.0 %1 : ptr\nstore %p, %a", "@D .0 w reach -7 to 1 index 1 to 1"},
		{"a sparse load", "parfor 1 %0, %9 { (%i: i32)\n%p = ptr @X.0 %i : ptr\n%v = load %p : f32\n%q = ptr @D.0 %i : ptr\nstore %q, %v",
			"@D .0 w own; @X .0 r own mask r"},
		{"a sparse store", "parfor 1 %0, %9 { (%i: i32)\n%p = ptr @BitsY.0 %i : ptr\nstore %p, %a", "@BitsY .0 w own mask rw list rw allocation rw"},
		{"the loop's own cells", "fieldfor 1 @X { (%i: i32)\n%p = ptr @X.0 %i : ptr\nstore %p, %a", "@X .0 w own mask r list r"},
		{"a list that becomes shorter", "fieldfor 1 @ListL { (%i: i32, %k: i32)\nshrink @ListL %i, %0\n%p = ptr @ListL.0 %i, %k : ptr\nstore %p, %a", "@ListL .0 w mask rw list rw allocation rw clears"},
		{"activation", "parfor 1 %0, %9 { (%i: i32)\nactivate @BitsY %i", "@BitsY mask rw list rw allocation rw"},
		{"deactivation", "fieldfor 1 @BitsY { (%i: i32)\ndeactivate @BitsY %i", "@BitsY .0 w mask rw list rw allocation rw clears"},
		{"append", "parfor 1 %0, %9 { (%i: i32)\n%k = append @ListL %i : i32", "@ListL .0 w mask rw list rw allocation rw"},
		{"a length", "parfor 1 %0, %9 { (%i: i32)\n%k = count @ListL %i : i32", "@ListL mask r list r"},
		{"isactive", "parfor 1 %0, %9 { (%i: i32)\n%k = isactive @X %i : bool", "@X mask r"},
		{"an element before", load("%q = sub %i, %1 : i32"), "@D .0 r reach -1 to -1; @One .0 w"},
		{"elements of a loop", load("^1: for %0, %9 { (%k: i32)\n%s = add %i, %k : i32\n%t = ptr @D.0 %s : ptr\nstore %t, %a\ncontinue ^1\n}\n%q = sub %i, %1 : i32"), "@D .0 rw reach -1 to 8; @One .0 w"},
		{"clamped to the first", load("%b = sub %i, %9 : i32\n%q = max %b, %0 : i32"), "@D .0 r reach -9 to 0; @One .0 w"},
		{"clamped to the last", load("%b = add %i, %1 : i32\n%q = min %b, %63 : i32"), "@D .0 r reach 0 to 1; @One .0 w"},
		{"clamped too low", load("%b = add %i, %1 : i32\n%q = min %b, %9 : i32"), "@D .0 r reach -54 to 1 index 1 to 9; @One .0 w"},
		{"in one of two places", load("%b = add %i, %1 : i32\n%q = select %true, %b, %i : i32"), "@D .0 r reach 0 to 1; @One .0 w"},
		{"as a condition yields", load("%b = sub %i, %1 : i32\n%q = if %true : i32 {\nyield %b\n} else {\nyield %i\n}"), "@D .0 r reach -1 to 0; @One .0 w"},
		{"as a wider integer", load("%b = convert %i : i64\n%q = sub %b, %l1 : i64"), "@D .0 r reach -1 to -1; @One .0 w"},
		{"at twice the index", load("%q = add %i, %i : i32"), "@D .0 r reach 0 to 63; @One .0 w"},
		{"wrapped around", load("%b = add %i, %1 : i32\n%q = mod %b, %64 : i32"), "@D .0 r reach -63 to 63 ring 1 to 1; @One .0 w"},
		{"wrapped below", load("%b = sub %i, %1 : i32\n%q = mod %b, %64 : i32"), "@D .0 r reach -63 to 63 ring -1 to -1; @One .0 w"},
		{"wrapped a turn ahead", load("%b = add %i, %63 : i32\n%q = rem %b, %64 : i32"), "@D .0 r reach -63 to 63 ring -1 to -1; @One .0 w"},
		{"wrapped elsewhere", load("%b = add %i, %1 : i32\n%q = mod %b, %9 : i32"), "@D .0 r reach -63 to 8 index 0 to 8; @One .0 w"},
		{"mirrored", load("%q = sub %63, %i : i32"), "@D .0 r reach -63 to 63; @One .0 w"},
		{"a loaded index", "fieldfor 1 @D { (%i: i32)\n%p = ptr @E.0 %i : ptr\n%v = load %p : f32\n%w = convert %v : i32\n%q = ptr @D.0 %w : ptr\nstore %q, %v", "@D .0 w; @E .0 r own"},
		{"a sum that may wrap", load("%big = const 2147483647 : i32\n%q = add %i, %big : i32"), "@D .0 r; @One .0 w"},
		{"up to an extent, and one more", "parfor 1 %0, %n { (%i: i32)\n%s = add %i, %1 : i32\n%p = ptr @D.0 %s : ptr\nstore %p, %a", "@D .0 w reach 1 to 1"},
		{"the other index", "parfor 1 %0, %9, %0, %9 { (%i: i32, %j: i32)\n%s = add %j, %1 : i32\n%p = ptr @ListL.0 %s, %i : ptr\nstore %p, %a", "@ListL .0 w reach -7 to 9 index 1 to 9 mask rw list rw allocation rw"},
		{"cells that are dense", "parfor 1 %0, %9 { (%i: i32)\nactivate @D %i", ""},
	} {
		k, err := ir.Parse(head + c.body + "\ncontinue ^0\n}\nreturn\n}\n}\n")
		if err != nil {
			t.Fatal(c.name, err)
		}
		for _, stage := range []string{"states", "split"} {
			if err := RunStage(k, Options{Options: option.Options{Level: 3, Verify: true}, Target: passtest.CPU(0), Layout: passtest.Layout{}}, stage); err != nil {
				t.Fatal(c.name, err)
			}
		}
		for _, task := range k.Tasks {
			if got := statesText(k, task); got != c.want {
				t.Errorf("%s: %s touches %q, want %q\n%s", c.name, task.Name, got, c.want, k)
			}
		}
	}
}

// statesText returns the states of a task as the text form has them.
func statesText(k *ir.Kernel, t *ir.Task) string {
	one := &ir.Kernel{Name: k.Name, Int: k.Int, Fields: k.Fields, Tasks: []*ir.Task{{Name: t.Name, States: t.States}}}
	var all []string
	for line := range strings.Lines(one.String()) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), "touches "); ok {
			all = append(all, text)
		}
	}
	return strings.Join(all, "; ")
}

// TestPhases checks that serial code between loops has its own states, that a fused loop has the states of both loops, and that tasks
// that share a loop have no component marked as wholly written.
func TestPhases(t *testing.T) {
	const text = `kernel K(a: f32) {
	int i32
	field @D [f32] [64] origin [0]
	field @E [f32] [64] origin [0]
	field @One [f32] []
	field @Two [f32] []
	field @BlockF [f32] [64] origin [0]
	body {
		%a = param 0 : f32
		%0 = const 0 : i32
		%64 = const 64 : i32
		%p = ptr @One.0 : ptr
		store %p, %a
		^0: fieldfor 1 @D { (%i: i32)
			%q = ptr.inbounds @D.0 %i : ptr
			store %q, %a
			continue ^0
		}
		^1: fieldfor 1 @D { (%j: i32)
			%u = ptr.inbounds @E.0 %j : ptr
			store %u, %a
			continue ^1
		}
		%r = ptr @One.0 : ptr
		%s = load %r : f32
		%t = ptr @Two.0 : ptr
		store %t, %s
		^2: fieldfor 2 @BlockF { (%k: i32)
			%v = ptr @BlockF.0 %k : ptr
			store %v, %a
			continue ^2
		}
		return
	}
}
`
	want := []string{"@One .0 w whole", "@D .0 w whole own; @E .0 w whole own", "@One .0 r; @Two .0 w whole", "@BlockF .0 w whole own"}
	for _, stages := range [][]string{{"states", "split"}, {"states", "simplify", "cse", "dce", "loopfusion", "split"}} {
		k, err := ir.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, stage := range stages {
			if err := RunStage(k, Options{Options: option.Options{Level: 3, Verify: true}, Target: passtest.CPU(0), Layout: passtest.Layout{}}, stage); err != nil {
				t.Fatal(err)
			}
		}
		var got []string
		for _, task := range k.Tasks {
			got = append(got, statesText(k, task))
		}
		all := want
		if len(stages) == 2 { // the loops over D are not fused
			all = []string{want[0], "@D .0 w whole own", "@E .0 w whole own", want[2], want[3]}
		}
		if fmt.Sprint(got) != fmt.Sprint(all) {
			t.Errorf("after %v the tasks touch\n%s\nwant\n%s\n%s", stages, strings.Join(got, "\n"), strings.Join(all, "\n"), k)
		}
	}
}

// TestNoPhase checks that the split fails if a pass makes a loop without a phase.
func TestNoPhase(t *testing.T) {
	k, err := ir.Parse("kernel K() {\nint i32\nfield @D [f32] [64] origin [0]\nbody {\n^0: fieldfor 1 @D { (%i: i32)\ncontinue ^0\n}\nreturn\n}\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	opts := Options{Options: option.Options{Level: 3, Verify: true}, Target: passtest.CPU(0), Layout: passtest.Layout{}}
	if err := RunStage(k, opts, "states"); err != nil {
		t.Fatal(err)
	}
	k.Body.Ops[0].Phase = 0
	if err := RunStage(k, opts, "split"); err == nil || !strings.Contains(err.Error(), "a loop has no phase") {
		t.Error(err)
	}
}
