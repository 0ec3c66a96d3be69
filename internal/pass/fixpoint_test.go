package pass

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/pass/passtest"
)

// chains returns a kernel whose first task follows an index through memory a number of times, twice, with ops after it that nothing
// can share. Its second task only stores.
func chains(length, padding int) string {
	var b strings.Builder
	for _, way := range []string{"a", "b"} {
		fmt.Fprintf(&b, "\t\t\t%%%s0 = add %%i, %%one : i32\n", way)
		for j := range length {
			fmt.Fprintf(&b, "\t\t\t%%p%[1]s%[2]d = ptr @X.0 %%%[1]s%[2]d : ptr\n\t\t\t%%v%[1]s%[2]d = load %%p%[1]s%[2]d : i32\n", way, j)
			fmt.Fprintf(&b, "\t\t\t%%%[1]s%[3]d = mul %%v%[1]s%[2]d, %%three : i32\n", way, j, j+1)
		}
	}
	fmt.Fprintf(&b, "\t\t\t%%s0 = add %%a%[1]d, %%b%[1]d : i32\n", length)
	for j := range padding {
		fmt.Fprintf(&b, "\t\t\t%%m%[1]d = mul %%s%[1]d, %%s%[1]d : i32\n\t\t\t%%s%[2]d = xor %%m%[1]d, %%i : i32\n", j, j+1)
	}
	return fmt.Sprintf(`kernel Chains() {
	int i32
	field @X [i32] [128] origin [0]
	field @Y [i32] [128] origin [0]
	task 0 "chains" loop 1 i32 [0, 128) {
		prologue {
			yield
		}
		body(%%i: i32) {
			%%one = const 1 : i32
			%%three = const 3 : i32
			%%y = ptr.inbounds @Y.0 %%i : ptr
%s			store %%y, %%s%d
			continue
		}
		epilogue {
			yield
		}
	}
	task 1 "stores" loop 1 i32 [0, 128) {
		prologue {
			yield
		}
		body(%%i: i32) {
			%%one = const 1 : i32
			%%y = ptr.inbounds @Y.0 %%i : ptr
			store %%y, %%one
			continue
		}
		epilogue {
			yield
		}
	}
}
`, b.String(), padding)
}

// settle takes a kernel through the fixpoint loop that begins with forward. It returns how often each stage ran, and visited each task.
func settle(t *testing.T, k *ir.Kernel, without option.Switches) map[string]int {
	t.Helper()
	visits := map[string]int{}
	opts := Options{Options: option.Options{Level: 3, Verify: true, Without: without}, Target: passtest.CPU(0), Layout: passtest.Layout{}}
	opts.Time = func(stage string, _ time.Duration) { visits[stage]++ }
	opts.TimeTask = func(of *ir.Task, stage string, _ time.Duration) { visits[fmt.Sprintf("%s of %s", stage, of.Name)]++ }
	rows := pipeline()
	for rows[0].name != "forward" {
		rows = rows[1:]
	}
	if err := (&state{k: k, opts: &opts}).loop(firstLoop(rows), &dumper{opts: &opts}); err != nil {
		t.Fatal(err)
	}
	return visits
}

// TestFixpoint follows indices through memory. Each round replaces one of two loads, and no further stage runs on a task that forward
// does not change.
func TestFixpoint(t *testing.T) {
	for _, c := range []struct {
		name            string
		length, padding int
		without         option.Switches
		loads, rounds   int
	}{
		{"one load", 1, 0, 0, 1, 2},
		{"a chain", 5, 0, 0, 5, 6},
		{"a chain in much that stays as it is", 5, 1000, 0, 9, 1},
		{"a chain longer than there are rounds", maxRounds + 3, 0, 0, maxRounds + 6, maxRounds},
		{"a chain without sharing", 5, 0, option.CSE, 9, 1},
		{"a chain without forwarding", 5, 0, option.Forward, 10, 0},
	} {
		k, err := ir.Parse(chains(c.length, c.padding))
		if err != nil {
			t.Fatal(err)
		}
		visits := settle(t, k, c.without)
		if n := strings.Count(k.String(), "load "); n != c.loads {
			t.Errorf("%s: %d loads are left, want %d\n%s", c.name, n, c.loads, k)
		}
		if n := visits["forward of chains"]; n != c.rounds {
			t.Errorf("%s: forward saw the chain %d times, want %d: %v", c.name, n, c.rounds, visits)
		}
		if n := visits["forward of stores"]; n > 1 || visits["simplify forward of stores"]+visits["cse forward of stores"] > max(0, 1-n) {
			t.Errorf("%s: a task that nothing changes went on: %v", c.name, visits)
		}
	}
}
