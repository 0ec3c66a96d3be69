package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/graph"
	"github.com/gotaichi/ti/internal/launch"
)

// removed is what was removed as text: "F" for a launch, "F[0 2]" for segments of one.
func removed(g *graph.Graph, all []graph.Removal) string {
	var text []string
	for _, r := range all {
		name := g.Launches[r.Launch].Kernel.Name
		if first, end := g.Of(r.Launch); len(r.Segments) < end-first {
			var of []int
			for _, n := range r.Segments {
				of = append(of, n-first)
			}
			name += fmt.Sprint(of)
		}
		text = append(text, name)
	}
	return strings.Join(text, " ")
}

func TestDead(t *testing.T) {
	for _, c := range []struct{ name, batch, segments, launches string }{
		{"fields are live behind the batch", "F: W:X", "", ""},
		{"overwritten", "F: W:X\nG: W:X", "F", "F"},
		{"by another name", "F: W:X\nG: W:A", "F", "F"},
		{"another field", "F: W:X\nG: W:Y", "", ""},
		{"read in between", "F: W:X\nG: r:X w:Y\nH: W:X", "", ""},
		{"read by who is dead", "F: W:X\nG: r:X W:Y\nH: W:X W:Y", "F G", "F G"},
		{"read by who overwrites", "F: W:X\nG: rW:X", "", ""},
		{"overwritten in part", "F: W:X\nG: w:X", "", ""},
		{"in part, then wholly", "F: W:X\nG: w:X\nH: W:X", "F G", "F G"},
		{"in part by who runs", "F: W:X\nG: w:X print\nH: W:X", "F", "F"},
		{"a part is overwritten", "F: w:X\nG: W:X", "F", "F"},
		{"an update is overwritten", "F: rw:X\nG: W:X", "F", "F"},
		{"one of two fields", "F: W:X W:Y\nG: W:X", "", ""},
		{"both by two launches", "F: W:X W:Y\nG: W:X\nH: W:Y", "F", "F"},
		{"one of three components", "F: W:D\nG: W:D.1", "", ""},
		{"all of them", "F: W:D\nG: W:D1 W:D.0\nH: W:D.2", "F", "F"},
		{"one of two segments", "F: W:X ; W:Y\nG: W:X", "F[0]", ""},
		{"both", "F: W:X ; r:X W:Y\nG: W:Y W:X", "F", "F"},
		{"one that another one reads", "F: W:X ; r:X W:Y\nG: W:X", "", ""},
		{"one that lives keeps what the other reads", "E: W:Z\nF: r:Z W:X ; W:Y\nG: W:X W:Z", "E F[0]", ""},
		{"nothing is written", "F: r:X", "F", "F"},
		{"nothing is done", "F:", "F", "F"},
		{"it may fail", "F: W:X fail\nG: W:X", "", ""},
		{"it prints", "F: W:X print\nG: W:X", "", ""},
		{"it records", "F: W:X record\nG: W:X", "", ""},
		{"its helper may fail", "F: W:X helped\nG: W:X", "", ""},
		{"what merges may fail", "F: W:X merged\nG: W:X", "", ""},
		{"its range may be too long", "F: W:X long\nG: W:X", "", ""},
		{"it activates", "F: W:X grow:P\nG: W:X", "", ""},
		{"it deactivates", "F: W:X clear:P\nG: W:X", "", ""},
		{"memory of the caller", "F!: W:X\nG: W:X", "", ""},
		{"who overwrites may fail", "F: W:X\nG: W:X fail", "", ""},
		{"before it overwrites", "F: W:X\nG: w:Y fail ; W:X", "", ""},
		{"or behind that", "F: W:X\nG: W:X ; w:Y fail", "F", "F"},
		{"who overwrites prints", "F: W:X\nG: W:X print", "F", "F"},
		{"who overwrites has no memory for lists", "F: W:X\nG: W:X lists", "", ""},
		{"who overwrites may return early", "F: W:X\nG: w:Y return ; W:X", "", ""},
		{"behind that", "F: W:X\nG: W:X return ; w:Y", "F", "F"},
		{"who overwrites activates", "F: W:X\nG: W:X grow:P", "", ""},
		{"memory of the caller in between", "F: W:X\nG!: w:Y\nH: W:X", "", ""},
		{"memory of the caller overwrites", "F: W:X\nG!: W:X", "", ""},
		{"cells in between", "F: W:X\nG: clear:B\nH: W:X", "F", "F"},
		{"who reads the frame is dead", "F: frame:8 ; frame:8 W:X\nG: W:X", "F", "F"},
		{"who reads the frame lives", "F: frame:8 W:Y ; frame:8 W:X\nG: W:Y", "", ""},
		{"frames are apart", "F: frame:8 W:Y ; frame:16 W:X\nG: W:Y", "F[0]", ""},
		{"the frame of another launch", "F: frame:8 W:Y\nG: frame:8 W:Y", "F", "F"},
		{"results", "F^: frame:0 W:Y\nG: W:Y", "", ""},
		{"the bound of a range", "F: frame:48 ; long W:X", "", ""},
		{"where a range begins", "F: frame:48 ; begin W:X", "", ""},
		{"an early return skips who lives", "F: return ; W:X", "", ""},
		{"an early return skips nobody who lives", "F: return ; W:X\nG: W:X", "F", "F"},
		{"an exponent is shared", "F: W:U\nG: W:U", "", ""},
		{"a launch between fails", "F: W:X\nG: w:Y fail\nH: W:X", "F", "F"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld()
			g := graph.New(w.batch(t, c.batch), nil)
			if got := removed(g, g.DeadSegments()); got != c.segments {
				t.Errorf("segments %q are dead, want %q", got, c.segments)
			}
			launches, within := g.Removable()
			if got := removed(g, launches); got != c.launches {
				t.Errorf("launches %q are dead, want %q", got, c.launches)
			}
			for _, r := range within {
				if got := removed(g, []graph.Removal{r}); !strings.Contains(c.segments, got) {
					t.Errorf("%s need not run beside the other segments of its launch, but is not among the dead ones, %q", got, c.segments)
				}
			}
		})
	}
}

func TestReasons(t *testing.T) {
	w := newWorld()
	g := graph.New(w.batch(t, "F: W:X W:Y ; frame:8\nG: W:X\nH: ; W:Y\nI: r:X"), nil)
	var got []string
	for _, r := range g.DeadLaunches() {
		got = append(got, g.Launches[r.Launch].Kernel.Name+": "+g.Reason(&r))
	}
	want := "F: X is overwritten by loop 1 of G (launch 2) at a.ti:1:1 before anything reads it, and " +
		"Y is overwritten by loop 2 of H (launch 3) at a.ti:2:1 before anything reads it\n" +
		"I: it writes nothing that anything reads"
	if s := strings.Join(got, "\n"); s != want {
		t.Errorf("the reasons are\n%s\nwant\n%s", s, want)
	}
}

// TestKeep: the graph says why a segment must run.
func TestKeep(t *testing.T) {
	for _, c := range []struct{ segment, want string }{
		{"W:X", ""},
		{"fail", "it may fail at a.ti:9:1"},
		{"helped", "it may fail at a.ti:9:1"},
		{"merged", "it may fail at a.ti:9:1"},
		{"wipe:P", "it may change which cells of P are active"},
		{"begin", "its range may be too long"},
		{"print", "it prints at a.ti:9:2"},
		{"record", "it deactivates cells at a.ti:9:3"},
		{"grow:P", "it may change which cells of P are active"},
		{"long", "its range may be too long"},
	} {
		w := newWorld()
		for mark, want := range map[string]string{"": c.want, "!": "it works with memory of the caller"} {
			if got := graph.New(w.batch(t, "F"+mark+": "+c.segment), nil).Segments[0].Keep; got != want {
				t.Errorf("%s%s is kept since %q, want %q", c.segment, mark, got, want)
			}
		}
	}
	w := newWorld()
	if got := graph.New(w.batch(t, "F?: r:X"), nil).Segments[0].Keep; got != "it is not known where its fields are stored" {
		t.Errorf("a segment on unknown fields is kept since %q", got)
	}
}

// TestRanges: which ranges are short enough whatever their bounds are.
func TestRanges(t *testing.T) {
	arg := func(at int64, bits int, signed bool) launch.Bound {
		return launch.Bound{From: launch.Arg, At: at, Bits: bits, Signed: signed}
	}
	to := func(b ...launch.Bound) (all []launch.Dim) {
		for _, b := range b {
			all = append(all, launch.Dim{Hi: b})
		}
		return all
	}
	half := arg(0, 64, true)
	half.Div = 8
	further := arg(2, 64, true)
	further.Const = 1
	for _, c := range []struct {
		name string
		dims []launch.Dim
		fits bool
	}{
		{"serial code", nil, true},
		{"constant", to(launch.Bound{Const: 1 << 62}), true},
		{"too long", to(launch.Bound{Const: 1 << 31}, launch.Bound{Const: 1<<31 + 1}), false},
		{"empty", to(launch.Bound{Const: -4}, launch.Bound{From: launch.Frame}), true},
		{"two signed arguments", to(arg(0, 32, true), arg(1, 32, true)), true},
		{"two unsigned arguments", to(arg(0, 32, false), arg(1, 32, false)), false},
		{"three arguments", to(arg(0, 32, true), arg(1, 32, true), arg(0, 32, true)), false},
		{"between two arguments", []launch.Dim{{Lo: arg(0, 32, true), Hi: arg(1, 32, true)}}, true},
		{"twice", []launch.Dim{{Lo: arg(0, 32, true), Hi: arg(1, 32, true)}, {Lo: arg(0, 32, true), Hi: arg(1, 32, true)}}, false},
		{"a long argument", to(arg(0, 64, true)), false},
		{"an eighth of it", to(half), true},
		{"in the frame", to(launch.Bound{From: launch.Frame, At: 8}), false},
		{"a list", to(launch.Bound{From: launch.Entries}, launch.Bound{Const: 1 << 18}), true},
		{"of large blocks", to(launch.Bound{From: launch.Entries}, launch.Bound{Const: 1 << 19}), false},
		{"the extents of a field", to(arg(2, 64, true), arg(3, 64, true)), true},
		{"of two fields", to(arg(2, 64, true), arg(4, 64, true)), false},
		{"an extent twice", to(arg(2, 64, true), arg(2, 64, true)), false},
		{"and more", to(further), false},
		{"from below 0", []launch.Dim{{Lo: launch.Bound{Const: -1}, Hi: arg(2, 64, true)}}, false},
		{"beside a constant", to(arg(2, 64, true), launch.Bound{Const: 1024}), true},
	} {
		k := &launch.Kernel{Done: -1, Args: 5, Frame: 64, Names: make([]launch.Name, 1)}
		k.Fields = []launch.Field{{Name: "X"}, {Name: "Y", Extents: []int{2, 3}}, {Name: "Z", Extents: []int{4}}}
		k.Tasks = []launch.Task{{Dims: c.dims, Lists: []launch.List{{Node: 0}}}}
		k.Bases = []int{-1}
		if err := k.Check(); err != nil {
			t.Fatal(err)
		}
		g := graph.New([]graph.Launch{{Kernel: k, Fields: make([]graph.Storage, 3)}}, nil)
		if keep := g.Segments[0].Keep; (keep == "") != c.fits {
			t.Errorf("%s: kept since %q", c.name, keep)
		}
	}
}

// TestSumsWithoutMemory: in deterministic mode there may be no memory for sums, so that nothing is overwritten.
func TestSumsWithoutMemory(t *testing.T) {
	for _, c := range []struct {
		deterministic bool
		change        func(k *launch.Kernel)
		want          string
	}{
		{true, func(*launch.Kernel) {}, "F"},
		{true, func(k *launch.Kernel) { k.Sums = []launch.Sums{{Bytes: 8}} }, ""},
		{false, func(k *launch.Kernel) { k.Sums = []launch.Sums{{Bytes: 8}} }, "F"},
		{true, func(k *launch.Kernel) { k.Tasks[0].Partial = &launch.Partial{Merge: 1} }, ""},
		{true, func(k *launch.Kernel) { k.Tasks[0].Private = []launch.Private{{Merge: 1}} }, ""},
		{false, func(k *launch.Kernel) { k.Tasks[0].Private = []launch.Private{{Merge: 1}} }, "F"},
	} {
		w := newWorld()
		all := w.batch(t, "F: W:X\nG: W:X")
		k := all[1].Kernel
		k.Deterministic = c.deterministic
		k.Tasks = append(k.Tasks, launch.Task{Helper: true})
		c.change(k)
		g := graph.New(all, nil)
		if got := removed(g, g.DeadLaunches()); got != c.want {
			t.Errorf("deterministic %v, %+v: %q is dead, want %q", c.deterministic, k.Sums, got, c.want)
		}
	}
}
