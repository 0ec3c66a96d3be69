package batch

import (
	"reflect"
	"testing"

	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/layout"
)

// rowKernel is a kernel that can be run by rows, of two components of a field X with 16 rows.
func rowKernel(t *testing.T) (*launch.Kernel, job.Layout) {
	t.Helper()
	elem, err := layout.ElemOf(reflect.TypeFor[[2]float32]())
	if err != nil {
		t.Fatal(err)
	}
	node, err := layout.NewTree(1).Root().Dense("ij", 16, 4)
	if err != nil {
		t.Fatal(err)
	}
	f := layout.NewField(elem)
	if err := node.Place(f, 0, len(elem.Comps)); err != nil {
		t.Fatal(err)
	}
	if err := f.Ready(); err != nil {
		t.Fatal(err)
	}
	return &launch.Kernel{
		Name: "K", Done: -1, Args: 2, Bases: []int{0}, Fields: []launch.Field{{Name: "X"}},
		Tasks: []launch.Task{{
			Loop: 1, Rows: launch.Rows{Step: 1}, Slots: []launch.Slot{{From: launch.BaseSlot}, {From: launch.ArgSlot}},
			Dims: []launch.Dim{{Hi: launch.Bound{From: launch.Arg, Bits: 32}}, {Hi: launch.Bound{Const: 4}}},
			States: []launch.State{{Values: []launch.Values{
				{First: 0, Comps: 1, Use: launch.Reads, Reach: launch.Reach{Lo: -1, Hi: 2, Known: true}},
				{First: 1, Comps: 1, Use: launch.Writes, Own: true, Reach: launch.Reach{Known: true}},
			}}},
		}},
	}, job.Layout{"X": {Field: f}}
}

// TestLoopsOf: a kernel that can be run by rows cannot if one thing is otherwise.
func TestLoopsOf(t *testing.T) {
	k, at := rowKernel(t)
	loops, ok := loopsOf(k, at)
	if !ok || len(loops) != 1 || len(loops[0].touches) != 2 {
		t.Fatalf("the loops of the kernel are %+v, %v", loops, ok)
	}
	if _, ok := loopsOf(nil, nil); ok {
		t.Error("a kernel that is interpreted can be run by rows")
	}
	for name, change := range map[string]func(k *launch.Kernel, t *launch.Task, s *launch.State){
		"records":              func(k *launch.Kernel, _ *launch.Task, _ *launch.State) { k.Records = true },
		"prints":               func(k *launch.Kernel, _ *launch.Task, _ *launch.State) { k.Prints = true },
		"results":              func(k *launch.Kernel, _ *launch.Task, _ *launch.State) { k.Results = 1 },
		"an early return":      func(k *launch.Kernel, _ *launch.Task, _ *launch.State) { k.Done = 0 },
		"sums":                 func(k *launch.Kernel, _ *launch.Task, _ *launch.State) { k.Sums = make([]launch.Sums, 1) },
		"no tasks":             func(k *launch.Kernel, _ *launch.Task, _ *launch.State) { k.Tasks = nil },
		"a helper":             func(_ *launch.Kernel, t *launch.Task, _ *launch.State) { t.Helper = true },
		"unknown rows":         func(_ *launch.Kernel, t *launch.Task, _ *launch.State) { t.Rows.Step = 0 },
		"serial code":          func(_ *launch.Kernel, t *launch.Task, _ *launch.State) { t.Dims = nil },
		"lists":                func(_ *launch.Kernel, t *launch.Task, _ *launch.State) { t.Lists = make([]launch.List, 1) },
		"private copies":       func(_ *launch.Kernel, t *launch.Task, _ *launch.State) { t.Private = make([]launch.Private, 1) },
		"partial results":      func(_ *launch.Kernel, t *launch.Task, _ *launch.State) { t.Partial = new(launch.Partial) },
		"a site":               func(_ *launch.Kernel, t *launch.Task, _ *launch.State) { t.Sites = []int{0} },
		"unsigned rows":        func(_ *launch.Kernel, t *launch.Task, _ *launch.State) { t.Dims[0].Unsigned = true },
		"unsigned columns":     func(_ *launch.Kernel, t *launch.Task, _ *launch.State) { t.Dims[1].Unsigned = true },
		"a computed beginning": func(_ *launch.Kernel, t *launch.Task, _ *launch.State) { t.Dims[1].Lo.From = launch.Frame },
		"a computed end":       func(_ *launch.Kernel, t *launch.Task, _ *launch.State) { t.Dims[0].Hi.From = launch.Frame },
		"the frame":            func(_ *launch.Kernel, t *launch.Task, _ *launch.State) { t.Slots[1].From = launch.FrameSlot },
		"memory of the caller": func(k *launch.Kernel, _ *launch.Task, _ *launch.State) { k.Fields[0].Memory = true },
		"another field":        func(k *launch.Kernel, _ *launch.Task, _ *launch.State) { k.Fields[0].Name = "Y" },
		"masks":                func(_ *launch.Kernel, _ *launch.Task, s *launch.State) { s.Mask = launch.Reads },
		"lists of cells":       func(_ *launch.Kernel, _ *launch.Task, s *launch.State) { s.List = launch.Reads },
		"allocation":           func(_ *launch.Kernel, _ *launch.Task, s *launch.State) { s.Allocation = launch.Reads },
		"cells that are gone":  func(_ *launch.Kernel, _ *launch.Task, s *launch.State) { s.Clears = true },
		"stores anywhere":      func(_ *launch.Kernel, _ *launch.Task, s *launch.State) { s.Values[1].Reach = launch.Reach{} },
	} {
		k, at := rowKernel(t)
		change(k, &k.Tasks[0], &k.Tasks[0].States[0])
		if _, ok := loopsOf(k, at); ok {
			t.Errorf("%s: it can be run by rows", name)
		}
	}
}

// TestAhead: a loop is ahead by what is between the reaches of a component that both touch and one writes.
func TestAhead(t *testing.T) {
	k, at := rowKernel(t)
	loops, _ := loopsOf(k, at)
	first := loops[0] // reads component 0 in -1 to 2, and writes component 1
	reach := func(lo, hi int64) launch.Reach { return launch.Reach{Lo: lo, Hi: hi, Known: true} }
	field := first.touches[0].field
	for _, c := range []struct {
		name       string
		touches    []touch
		rows       int64
		needed, ok bool
	}{
		{"reads what is read", []touch{{field, 0, launch.Reads, reach(-9, 9)}}, 0, false, true},
		{"reads it anywhere", []touch{{field, 0, launch.Reads, launch.Reach{}}}, 0, false, true},
		{"writes what is read", []touch{{field, 0, launch.Writes, reach(0, 0)}}, 1, true, true},
		{"writes it elsewhere", []touch{{field, 0, launch.Writes, reach(3, 4)}}, 5, true, true},
		{"reads what is written", []touch{{field, 1, launch.Reads, reach(-2, 3)}}, 3, true, true},
		{"reads it anywhere", []touch{{field, 1, launch.Reads, launch.Reach{}}}, 0, true, false},
		{"writes what is written", []touch{{field, 1, launch.Writes, reach(-4, -2)}}, -2, true, true},
		{"does both", []touch{{field, 1, launch.Writes, reach(-4, -2)}, {field, 0, launch.Writes, reach(0, 0)}}, 1, true, true},
		{"does both in the other order", []touch{{field, 0, launch.Writes, reach(0, 0)}, {field, 1, launch.Writes, reach(-4, -2)}}, 1, true, true},
		{"uses another field", []touch{{nil, 0, launch.Reads | launch.Writes, reach(-9, 9)}}, 0, false, true},
	} {
		rows, needed, ok := ahead(&first, &loop{touches: c.touches})
		if needed != c.needed || ok != c.ok || ok && rows != c.rows {
			t.Errorf("a loop that %s: the first is ahead by %d, needed %v, known %v; want %d, %v, %v", c.name, rows, needed, ok, c.rows, c.needed, c.ok)
		}
	}
}
