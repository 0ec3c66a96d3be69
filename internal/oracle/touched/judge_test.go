package touched

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/oracle"
)

// judged is a kernel with a serial beginning, a loop over all of X that stores both components of it and reads Y at
// its own index, a loop over the cells of B that deactivates them, and serial code that makes one active again. One
// component of Y is loaded for nothing.
const judged = `kernel K(a: f32) {
	int i32
	field @X [f32 f32] [4] origin [0] host [1 0]
	field @Y [f32 f32] [4] origin [0]
	field @One [f32] []
	field @B [f32] [8] origin [0] node bitmasked sparse
	body {
		%a = param 0 : f32
		%1 = const 1 : i32
		%one = ptr @One.0 : ptr
		store %one, %a
		^1: fieldfor 1 @X { (%i: i32)
			%y = ptr @Y.0 %i : ptr
			%v = load %y : f32
			%z = ptr @Y.1 %i : ptr
			%u = load %z : f32
			%x0 = ptr @X.0 %i : ptr
			store %x0, %v
			%x1 = ptr @X.1 %i : ptr
			store %x1, %a
			continue ^1
		}
		^2: fieldfor 2 @B { (%k: i32)
			deactivate @B %k
			continue ^2
		}
		%b = ptr @B.0 %1 : ptr
		store %b, %a
		return
	}
}
`

const (
	r, w, rw = launch.Reads, launch.Writes, launch.Reads | launch.Writes
)

// right is what tasks of the kernel are said to do; a loop without a task comes last but one.
func right() *launch.Kernel {
	return &launch.Kernel{
		Name: "K", Fields: []launch.Field{{Name: "X"}, {Name: "Y"}, {Name: "One"}, {Name: "B"}},
		Tasks: []launch.Task{
			{States: []launch.State{{Field: 2, Values: []launch.Values{{First: 0, Comps: 1, Use: w, Whole: true}}}}},
			{Loop: 1, States: []launch.State{
				{Field: 0, Values: []launch.Values{{First: 0, Comps: 2, Use: w, Whole: true, Own: true}}},
				{Field: 1, Values: []launch.Values{{First: 0, Comps: 1, Use: r, Own: true, Reach: launch.Reach{Known: true}}}},
			}},
			{Helper: true},
			{Loop: 2, States: []launch.State{{Field: 3, Values: []launch.Values{{First: 0, Comps: 1, Use: w}}, Mask: rw, List: rw, Allocation: rw, Clears: true}}},
			{States: []launch.State{{Field: 3, Values: []launch.Values{{First: 0, Comps: 1, Use: w}}, Mask: rw, List: rw, Allocation: rw}}},
		},
	}
}

// run judges two runs of the kernel.
func run(t *testing.T, text string, d *launch.Kernel) (j *Judge, errs []error) {
	t.Helper()
	k, err := ir.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if j, err = New(k, d); err != nil {
		return nil, []error{err}
	}
	cells := oracle.Cells{}
	b := oracle.NewNode(nil, ir.NodeBitmasked, []int{0}, []int64{8}, []int64{0}, false)
	b.Place(cells, 0, 1)
	b.Activate([]int64{3})
	for range 2 {
		env := &oracle.Env{
			Fields: []oracle.Memory{oracle.Cells{}, oracle.Cells{}, oracle.Cells{}, cells}, Nodes: []*oracle.Node{nil, nil, nil, b}, Args: []uint64{0},
		}
		run := j.Watch(env)
		_, err := oracle.Run(context.Background(), k, env)
		if err != nil {
			t.Fatal(err)
		}
		errs = append(errs, run.End(true))
	}
	return j, errs
}

func TestRight(t *testing.T) {
	j, errs := run(t, judged, right())
	for _, err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
	if idle := j.Idle(); len(idle) != 0 {
		t.Errorf("not touched: %q", idle)
	}
	d := right()
	d.Tasks[1].States[1].Values[0] = launch.Values{First: 0, Comps: 2, Use: rw}
	j, errs = run(t, judged, d)
	if errs[0] != nil || errs[1] != nil {
		t.Error(errs)
	}
	if idle, want := j.Idle(), []string{"K: loop 1: reads and writes component 1 of Y", "K: loop 1: writes component 0 of Y"}; !slices.Equal(idle, want) {
		t.Errorf("not touched: %q, want %q", idle, want)
	}
}

// TestRing: a distance on a ring counts without the turns.
func TestRing(t *testing.T) {
	for _, ring := range []launch.Reach{{Lo: 0, Hi: 1, Known: true}, {Lo: 7, Hi: 8, Known: true}, {Lo: -9, Hi: -8, Known: true}, {Lo: 1, Hi: 4, Known: true}} {
		d := right()
		d.Tasks[1].States[1].Values[0] = launch.Values{Comps: 1, Use: r, Ring: ring}
		if _, errs := run(t, judged, d); errs[0] != nil {
			t.Errorf("%+v: %v", ring, errs[0])
		}
	}
}

// TestWrong changes what is said in one place at a time.
func TestWrong(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(d *launch.Kernel)
		text   func(s string) string
		want   string
	}{
		{"a field is missing", func(d *launch.Kernel) { d.Tasks[1].States = d.Tasks[1].States[1:] }, nil, "loop 1 writes component 0 of X, and no state says so"},
		{"a component is missing", func(d *launch.Kernel) { d.Tasks[1].States[0].Values[0].Comps = 1 }, nil, "loop 1 writes component 1 of X, and no state says so"},
		{"components as the kernel counts them", func(d *launch.Kernel) {
			d.Tasks[1].States[0].Values = []launch.Values{{First: 0, Comps: 1, Use: w}}
		}, func(s string) string { return strings.Replace(s, "store %x1, %a", "", 1) }, "loop 1 writes component 1 of X, and no state says so"},
		{"another use", func(d *launch.Kernel) { d.Tasks[1].States[0].Values[0].Use = r }, nil, "loop 1 writes component 0 of X, and no state says so"},
		{"a read", func(d *launch.Kernel) { d.Tasks[1].States[1].Values[0].Use = w }, nil, "loop 1 reads component 0 of Y, and no state says so"},
		{"in another task", func(d *launch.Kernel) {
			d.Tasks[0].States, d.Tasks[4].States = d.Tasks[4].States, d.Tasks[0].States
		}, nil, "the serial code at the beginning writes component 0 of One, and no state says so"},
		{"a task is missing", func(d *launch.Kernel) { d.Tasks = slices.Delete(d.Tasks, 1, 2) }, nil, "writes component 0 of X, and no state says so"},
		{"a helper", func(d *launch.Kernel) { d.Tasks[2].States = d.Tasks[1].States }, nil, "helper task 2 of kernel K has states"},
		{"another kernel", func(d *launch.Kernel) { d.Fields[1].Name = "Z" }, nil, "field 1 of kernel K is Y"},
		{"not whole", nil, func(s string) string { return strings.Replace(s, "fieldfor 1 @X", "parfor 1 %1, %1", 1) }, "loop 1 writes 0 of the 4 elements of component 0 of X, which are said to be written wholly"},
		{"not all", nil, func(s string) string {
			return strings.Replace(s, "%x1 = ptr @X.1 %i", "%x1 = ptr @X.1 %1", 1)
		}, "loop 1 writes 1 of the 4 elements of component 0 of X, which are said to be written wholly"},
		{"not its own", nil, func(s string) string { return strings.Replace(s, "%y = ptr @Y.0 %i", "%y = ptr @Y.0 %1", 1) },
			"iteration [0] of loop 1 reads element [1] of component 0 of Y, which is said to be of each iteration's own"},
		{"out of reach", func(d *launch.Kernel) {
			d.Tasks[1].States[1].Values[0] = launch.Values{First: 0, Comps: 1, Use: r, Reach: launch.Reach{Lo: 1, Hi: 2, Known: true}}
		}, nil, "iteration [0] of loop 1 reads element [0] of component 0 of Y, of which it is said to reach 1 to 2"},
		{"of another index", func(d *launch.Kernel) {
			d.Tasks[1].States[1].Values[0] = launch.Values{Comps: 1, Use: r, Index: launch.Reach{Lo: 1, Hi: 2, Known: true}}
		}, nil, "is said to have the index 1 to 2"},
		{"on no ring", func(d *launch.Kernel) {
			d.Tasks[1].States[1].Values[0] = launch.Values{Comps: 1, Use: r, Ring: launch.Reach{Lo: 1, Hi: 2, Known: true}}
		}, nil, "is said to be on the ring from 1 to 2"},
		{"on a ring, several turns away", func(d *launch.Kernel) {
			d.Tasks[1].States[1].Values[0] = launch.Values{Comps: 1, Use: r, Ring: launch.Reach{Lo: 9, Hi: 10, Known: true}}
		}, nil, "is said to be on the ring from 9 to 10"},
		{"in no reach of serial code", func(d *launch.Kernel) { d.Tasks[4].States[0].Values[0].Reach.Known = true }, nil, "reach 0 to 0"},
		{"zero at the end of the loop", func(d *launch.Kernel) { d.Tasks[3].States[0].Values[0].Own = true }, nil, "of loop 2 writes element [3] of component 0 of B, which is said to be of each iteration's own"},
		{"zero", func(d *launch.Kernel) { d.Tasks[3].States[0].Values = nil }, nil, "loop 2 writes component 0 of B, and no state says so"},
		{"a list", func(d *launch.Kernel) { d.Tasks[3].States[0].List = w }, nil, "loop 2 accesses the lists of a node (1), and no state says so"},
		{"a mask", func(d *launch.Kernel) { d.Tasks[3].States[0].Mask = w }, nil, "loop 2 accesses the masks of a node (1), and no state says so"},
		{"cells", func(d *launch.Kernel) { d.Tasks[3].States[0].Clears = false }, nil, "loop 2 accesses the cells of a node (2), and no state says so"},
		{"activation", func(d *launch.Kernel) { d.Tasks[4].States[0].Mask = r }, nil, "the serial code behind loop 2 accesses the masks of a node (2), and no state says so"},
		{"allocation", func(d *launch.Kernel) { d.Tasks[4].States[0].Allocation = 0 }, nil, "the serial code behind loop 2 accesses the lists of a node (2), and no state says so"},
	} {
		d, text := right(), judged
		if c.change != nil {
			c.change(d)
		}
		if c.text != nil {
			text = c.text(text)
		}
		_, errs := run(t, text, d)
		if errs[0] == nil || !strings.Contains(errs[0].Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, errs[0], c.want)
		}
	}
}
