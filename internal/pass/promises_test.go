package pass

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/pass/passtest"
)

// promiseKernels are the bodies of loops over P, in which %u is promised to be distinct in each iteration, with the remarks on them: the
// line of a mark or an update, and the text. A line is the middle number of a position.
var promiseKernels = []struct {
	name, body string
	want       []string
}{
	{"used", `
		%p = ptr @X.0 %u : ptr
		%o = atomic.add %p, %v : f32 @0:2:1`,
		[]string{"2: no atomic: the element belongs to one iteration"}},
	{"used by one field and stored to another", `
		%p = ptr @X.0 %u : ptr
		%o = atomic.add %p, %v : f32 @0:2:1
		%q = ptr @Y.0 %u : ptr
		store %q, %v`,
		[]string{"2: no atomic: the element belongs to one iteration"}},
	{"used after it was of no use elsewhere", `
		%q = ptr @Y.0 %u : ptr
		%o1 = atomic.add %q, %v : f32
		%q1 = ptr @Y.0 %w : ptr
		store %q1, %v
		%p = ptr @X.0 %u : ptr
		%o = atomic.add %p, %v : f32 @0:2:1`,
		[]string{"2: no atomic: the element belongs to one iteration"}},
	{"no access at all", ``,
		[]string{"1: loopUnique has no effect: no update of an element has it as an index"}},
	{"a load only", `
		%p = ptr @X.0 %u : ptr
		%x = load %p : f32`,
		[]string{"1: loopUnique has no effect: no update of an element has it as an index"}},
	{"a store only", `
		%p = ptr @X.0 %u : ptr
		store %p, %v`,
		[]string{"1: loopUnique has no effect: no update of an element has it as an index"}},
	{"an update of an array", `
		%c = alloc 4 x f32 : ptr
		%p = cell %c, %u : ptr
		%o = atomic.add %p, %v : f32 @0:2:1`,
		[]string{
			"1: loopUnique has no effect: no update of an element has it as an index",
			"2: no atomic: the element belongs to one iteration",
		}},
	{"another index", `
		%p = ptr @X.0 %u : ptr
		%o = atomic.add %p, %v : f32
		%q = ptr @X.0 %w : ptr
		store %q, %v`,
		[]string{"1: loopUnique has no effect: the loop also writes to X at another index"}},
	{"another index of a slice", `
		%p = elem $a.0 %u : ptr
		%o = atomic.add %p, %v : f32
		%q = elem $a.0 %w : ptr
		store %q, %v`,
		[]string{"1: loopUnique has no effect: the loop also writes to a at another index"}},
	{"a second promise", `
		%u2 = unique %w : i32 @0:3:1
		%p = ptr @X.0 %u : ptr
		%o = atomic.add %p, %v : f32
		%q = ptr @X.0 %u2 : ptr
		%o2 = atomic.add %q, %v : f32`,
		[]string{
			"1: loopUnique has no effect: the loop also writes to X at another index",
			"3: loopUnique has no effect: the loop also writes to X at another index",
		}},
	{"memory of two slices", `
		%p = elem $a.0 %u : ptr
		%o = atomic.add %p, %v : f32
		%q = elem $b.0 %w : ptr
		store %q, %v`,
		[]string{"1: loopUnique has no effect: a may be the same memory as another slice or view that the loop writes to"}},
	{"memory of a view and a slice", `
		%p = ptr @m.0 %u : ptr
		%o = atomic.add %p, %v : f32
		%q = elem $b.0 %w : ptr
		store %q, %v`,
		[]string{"1: loopUnique has no effect: m may be the same memory as another slice or view that the loop writes to"}},
	{"a word", `
		%p = ptr @"Q.word0".0 %u : ptr
		%o = atomic.xor %p, %bits : u32`,
		[]string{"1: loopUnique has no effect: Q lies in words with other numbers"}},
	{"a word that no atomic writes to", `
		%p = ptr @"Q.word0".0 %u : ptr
		store %p, %bits`,
		nil},
	{"one component of a vector", `
		%u0 = unique 7.0 of 2 %w : i32 @0:3:1
		%u1 = unique 7.1 of 2 %w : i32 @0:3:1
		%q = ptr @X.0 %u : ptr
		%o1 = atomic.add %q, %v : f32 @0:4:1
		%p = ptr @T.0 %u0, %w : ptr
		%o = atomic.add %p, %v : f32`,
		[]string{
			"3: loopUnique has no effect: not all components of the vector, which is distinct only as a whole, are indices of T",
			"4: no atomic: the element belongs to one iteration",
		}},
	{"both components of a vector", `
		%u0 = unique 7.0 of 2 %w : i32 @0:3:1
		%u1 = unique 7.1 of 2 %w : i32 @0:3:1
		%q = ptr @X.0 %u : ptr
		%o1 = atomic.add %q, %v : f32 @0:4:1
		%p = ptr @T.0 %u0, %u1 : ptr
		%o = atomic.add %p, %v : f32 @0:5:1`,
		[]string{
			"4: no atomic: the element belongs to one iteration",
			"5: no atomic: the element belongs to one iteration",
		}},
	{"an update in a branch", `
		%c = lt %w, %i : bool
		if %c {
			%p = ptr @X.0 %u : ptr
			%o = atomic.add %p, %v : f32 @0:2:1
			yield
		} else {
			yield
		}`,
		[]string{"2: no atomic: the element belongs to one iteration"}},
	{"a mark in a branch", `
		%c = lt %w, %i : bool
		if %c {
			%u2 = unique %w : i32 @0:3:1
			%p = ptr @X.0 %u : ptr
			%o = atomic.add %p, %v : f32 @0:2:1
			yield
		} else {
			yield
		}`,
		[]string{
			"2: no atomic: the element belongs to one iteration",
			"3: loopUnique has no effect: no update of an element has it as an index",
		}},
	{"an update that seldom runs in a branch", `
		%c = lt %w, %i : bool
		if %c {
			if.seldom %c {
				%p = ptr @X.0 %u : ptr
				%o = atomic.add %p, %v : f32 @0:2:1
				yield
			} else {
				yield
			}
			yield
		} else {
			yield
		}`,
		nil},
	{"an update that seldom runs", `
		%c = lt %w, %i : bool
		if.seldom %c {
			%c2 = lt %i, %w : bool
			if %c2 {
				%p = ptr @X.0 %u : ptr
				%o = atomic.add %p, %v : f32 @0:2:1
				yield
			} else {
				yield
			}
			yield
		} else {
			%p3 = ptr @X.0 %u : ptr
			%o3 = atomic.add %p3, %v : f32 @0:3:1
			yield
		}
		if.seldom %c {
			%p4 = ptr @X.0 %u : ptr
			%o4 = atomic.add %p4, %v : f32 @0:4:1
			yield
		} else {
			yield
		}`,
		[]string{"3: no atomic: the element belongs to one iteration"}},
}

// TestPromiseNotes checks that there are remarks on promises without effect and on updates that need no atomic, and no others.
func TestPromiseNotes(t *testing.T) {
	const frame = `kernel K(a: []f32, b: []f32, m: view) {
	int i32
	file "a.ti"
	field @X [f32] [128] origin [0]
	field @Y [f32] [128] origin [0]
	field @T [f32] [16 16] origin [0 0]
	field @Q [f32] [128] origin [0]
	field @"Q.word0" [u32] [64] origin [0] word @Q.0 [2]
	field @m [f32] [128] view $m [0] 4
	field @P [i32] [128] origin [0]
	body {
		%%v = const 0x1p+00 : f32
		%%bits = const 3 : u32
		^0: fieldfor 1 @P { (%%i: i32)
			%%at = ptr @P.0 %%i : ptr
			%%w = load %%at : i32
			%%u = unique %%w : i32 @0:1:1
			%s
			continue ^0
		}
		return
	}
}
`
	for _, c := range promiseKernels {
		t.Run(c.name, func(t *testing.T) {
			if got := nonAtomicNotes(t, fmt.Sprintf(frame, c.body)); !slices.Equal(got, c.want) {
				t.Errorf("the notes are %q, want %q", got, c.want)
			}
		})
	}
}

// TestSerialNotes checks the remarks on serial code, and on lists.
func TestSerialNotes(t *testing.T) {
	got := nonAtomicNotes(t, `kernel K() {
	int i32
	file "a.ti"
	field @X [i32] [128] origin [0]
	field @L [i32] [64 40] origin [0 0] node dynamic sparse list
	body {
		%0 = const 0 : i32
		%64 = const 64 : i32
		%p = ptr @X.0 %0 : ptr
		%a = atomic.add %p, %64 : i32 @0:1:1
		%b = append @L %0 : i32 @0:2:1
		^0: for %0, %64 { (%i: i32)
			%c = atomic.add %p, %64 : i32 @0:3:1
			%d = append @L %i : i32 @0:4:1
			continue ^0
		}
		^1: parfor 1 %0, %64 { (%j: i32)
			%e = append @L %j : i32 @0:5:1
			%f = atomic.add %p, %64 : i32 @0:6:1
			continue ^1
		}
		return
	}
}
`)
	want := []string{
		"1: no atomic: this code is serial", "2: no atomic: this code is serial", "3: no atomic: this code is serial",
		"4: no atomic: this code is serial", "5: no atomic: the list belongs to one iteration",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the notes are %q, want %q", got, want)
	}
}

// nonAtomicNotes returns the notes of stage nonatomic on a kernel, each with its line, sorted.
func nonAtomicNotes(t *testing.T, text string) (all []string) {
	t.Helper()
	k, err := ir.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	notes := &note.Notes{}
	if err := RunStage(k, Options{Options: option.Options{Level: 3}, Target: passtest.CPU(512), Notes: notes, Layout: passtest.Layout{}}, "nonatomic"); err != nil {
		t.Fatal(err)
	}
	for _, n := range notes.List {
		all = append(all, fmt.Sprintf("%d: %s", n.Pos.Line, n.Text))
	}
	slices.Sort(all)
	return all
}
