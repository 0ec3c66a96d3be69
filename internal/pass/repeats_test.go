package pass

import (
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/pass/passtest"
)

// TestRepeats: whether the cells that a kernel activates follow from its arguments and from which cells are active.
func TestRepeats(t *testing.T) {
	const head = `kernel K(a: f32, k: i32) {
	int i32
	field @D [f32] [64] origin [0]
	field @N [i32] [64] origin [0]
	field @X [f32] [64] origin [0] sparse
	field @Y [f32] [64] origin [0] sparse
	field @BitsB [f32] [64] origin [0] node bitmasked sparse
	field @ListL [f32] [64 40] origin [0 0] node dynamic sparse list
	body {
		%a = param 0 : f32
		%k = param 1 : i32
		%0 = const 0 : i32
		%1 = const 1 : i32
		%9 = const 9 : i32
		%none = ptr @N.0 %0 : ptr
		%bound = load %none : i32
		^0: `
	const (
		dense  = "parfor 1 %0, %9 { (%i: i32)\n%pn = ptr @N.0 %i : ptr\n%n = load %pn : i32\n%few = lt %n, %9 : bool\n%low = lt %i, %9 : bool\n"
		sparse = "fieldfor 1 @Y { (%i: i32)\n%pn = ptr @Y.0 %i : ptr\n%n = load %pn : f32\n%few = lt %n, %a : bool\n"
	)
	store := func(field, index string) string { return "%s = ptr @" + field + " " + index + " : ptr\nstore %s, %a\n" }
	under := func(cond, body string) string { return "if " + cond + " {\n" + body + "yield\n} else {\nyield\n}\n" }
	both := strings.NewReplacer("field @X [f32]", "field @X [f32 f32]")
	for _, c := range []struct {
		name, body string
		want       bool
	}{
		{"a dense store", dense + store("D.0", "%n"), true},
		{"at the index of the loop", dense + store("X.0", "%i"), true},
		{"at what is computed from it and an argument", dense + "%q = mul %i, %k : i32\n" + store("X.0", "%q"), true},
		{"at a loaded index", dense + store("X.0", "%n"), false},
		{"at what is computed from one", dense + "%q = add %i, %n : i32\n" + store("X.0", "%q"), false},
		{"a sum at a loaded index", dense + "%s = ptr @X.0 %n : ptr\n%o = atomic.add %s, %a : f32\n", false},
		{"a component that is loaded", dense + "%s = ptr.dynamic @X.0/2 %i, %n : ptr\nstore %s, %a\n", false},
		{"at a random index", dense + "%r = rand : u32\n%q = convert %r : i32\n" + store("X.0", "%q"), false},
		{"at an index that follows from the key", dense + "%r = key : u64\n%q = convert %r : i32\n" + store("X.0", "%q"), false},
		{"under a condition on the index", dense + under("%low", store("X.0", "%i")), true},
		{"under a loaded condition", dense + under("%few", store("X.0", "%i")), false},
		{"under both", dense + under("%few", under("%low", store("X.0", "%i"))), false},
		{"a dense store under a loaded condition", dense + under("%few", "%p2 = ptr @D.0 %i : ptr\nstore %p2, %a\n") + store("X.0", "%i"), true},
		{"in an inner loop", dense + "^1: for %0, %k { (%j: i32)\n" + store("X.0", "%j") + "continue ^1\n}\n", true},
		{"in one up to what is loaded", dense + "^1: for %0, %n { (%j: i32)\n" + store("X.0", "%j") + "continue ^1\n}\n", false},
		{"at what an inner loop passes on", dense + "^1: %w = for %0, %k, %0 : i32 { (%j: i32, %c: i32)\n" + store("X.0", "%c") + "continue ^1 %n\n}\n", false},
		{"in a loop up to what is loaded", "parfor 1 %0, %bound { (%i: i32)\n" + store("X.0", "%i"), false},
		{"behind an iteration's early end", dense + "if %few {\ncontinue ^0\n} else {\nyield\n}\n" + store("X.0", "%i"), false},
		{"an early end, and no sparse store", dense + "if %few {\ncontinue ^0\n} else {\nyield\n}\n" + store("D.0", "%i"), true},
		{"behind what leaves a block", dense + "^1: block {\nif %few {\nbreak ^1\n} else {\nyield\n}\n" + store("X.0", "%i") + "yield\n}\n", false},
		{"in an endless loop", dense + "^1: loop {\n" + store("X.0", "%i") + "break ^1\n}\n", false},
		{"the loop's own cell under a loaded condition", sparse + under("%few", store("Y.0", "%i")), true},
		{"another cell in that loop", sparse + "%q = div %i, %9 : i32\n" + store("Y.0", "%q"), true},
		{"and under a loaded condition", sparse + "%q = div %i, %9 : i32\n" + under("%few", store("Y.0", "%q")), false},
		{"activation", dense + "activate @BitsB %i\n", true},
		{"at a loaded index ", dense + "activate @BitsB %n\n", false},
		{"where a cell is active", dense + "%b = isactive @X %i : bool\n" + under("%b", store("X.0", "%i")), false},
		{"deactivation", dense + "deactivate @BitsB %i\n", false},
		{"append", dense + "%l = append @ListL %i : i32\n", false},
		{"shrink", dense + "shrink @ListL %i, %0\n", false},
		{"an element of a list", dense + store("ListL.0", "%i, %0"), false},
		{"in a loop over lists", "fieldfor 1 @ListL { (%i: i32, %j: i32)\n" + store("X.0", "%i"), false},
	} {
		text := head
		if strings.Contains(c.body, "dynamic") {
			text = both.Replace(head)
		}
		k, err := ir.Parse(text + c.body + "\ncontinue ^0\n}\nreturn\n}\n}\n")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if err := RunStage(k, Options{Options: option.Options{Level: 3, Verify: true}, Target: passtest.CPU(0), Layout: passtest.Layout{}}, "states"); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if k.Repeats != c.want {
			t.Errorf("%s: Repeats is %v", c.name, k.Repeats)
		}
	}
}
