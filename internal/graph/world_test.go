package graph_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/graph"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/site"
)

// A world is what kernels of tests are bound to.
//
//	X, Y, Z, S  dense, of one component
//	A           X by another name
//	D           dense, of three components; D1 is the member that is its component 1
//	U, V        share an exponent
//	P, Q        in cells of node B of tree T; node is B
//	R           in cells of node C below B
//	O           in tree T2
type world struct {
	fields []string // the numbers that kernels know them by
	stored []graph.Storage
	trees  []*graph.Tree
	nodes  []*graph.Node
}

func newWorld() *world {
	w := &world{}
	dense := map[string]*graph.Memory{}
	for _, name := range []string{"X", "Y", "Z", "S"} {
		dense[name] = w.add(name, graph.Storage{})
	}
	w.stored = append(w.stored, graph.Storage{Memory: dense["X"]})
	w.fields = append(w.fields, "A")
	d := &graph.Memory{Name: "D", Comps: 3}
	w.fields = append(w.fields, "D", "D1")
	w.stored = append(w.stored, graph.Storage{Memory: d}, graph.Storage{Memory: d, First: 1})
	e := []*graph.Exponent{{Name: "U and V"}}
	w.add("U", graph.Storage{Exponents: e})
	w.add("V", graph.Storage{Exponents: e})
	t, t2 := &graph.Tree{Name: "T"}, &graph.Tree{Name: "T2"}
	b, n2 := &graph.Node{Name: "B", Tree: t}, &graph.Node{Name: "N", Tree: t2}
	c := &graph.Node{Name: "C", Tree: t}
	w.trees, w.nodes = []*graph.Tree{t, t2}, []*graph.Node{b, c, n2}
	w.add("P", graph.Storage{Nodes: []*graph.Node{b}, Cells: b})
	w.add("Q", graph.Storage{Nodes: []*graph.Node{b}, Cells: b})
	w.add("R", graph.Storage{Nodes: []*graph.Node{b, c}, Cells: c})
	w.add("O", graph.Storage{Nodes: []*graph.Node{n2}, Cells: n2})
	w.fields = append(w.fields, "B", "C")
	w.stored = append(w.stored, graph.Storage{Nodes: []*graph.Node{b}, Cells: b}, graph.Storage{Nodes: []*graph.Node{b, c}, Cells: c})
	return w
}

// add adds a field of one component.
func (w *world) add(name string, s graph.Storage) *graph.Memory {
	s.Memory = &graph.Memory{Name: name, Comps: 1}
	w.fields, w.stored = append(w.fields, name), append(w.stored, s)
	return s.Memory
}

const rw = launch.Reads | launch.Writes

// sites of kernels of tests.
var sites = []launch.Site{
	{Site: site.Site{Kind: site.Index}, Place: launch.Place{File: "a.ti", Line: 9, Column: 1}},
	{Site: site.Site{Kind: site.Print}, Place: launch.Place{File: "a.ti", Line: 9, Column: 2}},
	{Site: site.Site{Kind: site.Deactivate}, Place: launch.Place{File: "a.ti", Line: 9, Column: 3}},
}

// batch makes a launch of each line: the name of a kernel, a colon, and its segments, divided by semicolons. A segment is
//
//	r:X w:X W:X rw:X    it reads X, writes some of it, writes all of it, updates it; rW:X reads and writes all
//	r:D.1               of component 1; without a number of all components
//	over:P              it loops over active cells
//	grow:P              it may activate cells
//	clear:P             it deactivates cells
//	frame:8             it uses the value at offset 8 of the frame
//	fail print record   it has such a site
//	return              it may return early
//	wipe:P              the same, and nothing else said of P
//	long begin          its range may be too long; it has no known end, or beginning
//	lists               it runs over a list
//	helped merged       it has a helper task with a site at which it may fail, for a private copy or partial results
//
// and the name may have marks behind it: "!" for memory of the caller, "?" for fields stored nobody knows where, "^" for a result.
func (w *world) batch(t testing.TB, text string) []graph.Launch {
	t.Helper()
	var all []graph.Launch
	for line := range strings.Lines(text) {
		name, segments, ok := strings.Cut(strings.TrimSpace(line), ":")
		if name == "" && !ok {
			continue
		}
		l := graph.Launch{Number: uint64(len(all) + 1), Fields: w.stored}
		l.External = strings.Contains(name, "!")
		if strings.Contains(name, "?") {
			l.Fields = make([]graph.Storage, len(w.stored))
		}
		k := &launch.Kernel{Name: strings.Trim(name, "!?^"), Frame: 64, Done: -1, Sites: sites}
		if strings.Contains(name, "^") {
			k.Results = 1
		}
		for _, f := range w.fields {
			k.Fields = append(k.Fields, launch.Field{Name: f})
		}
		for i, s := range strings.Split(segments, ";") {
			if strings.TrimSpace(s) != "" {
				w.task(t, k, i, strings.Fields(s))
			}
		}
		if err := k.Check(); err != nil {
			t.Fatal(err)
		}
		l.Kernel = k
		all = append(all, l)
	}
	return all
}

// task adds a task of a segment.
func (w *world) task(t testing.TB, k *launch.Kernel, i int, words []string) {
	t.Helper()
	task := launch.Task{Loop: int64(i + 1), Dims: []launch.Dim{{Hi: launch.Bound{Const: 4}}}}
	states := map[int]*launch.State{}
	var helper []launch.Task
	for _, word := range words {
		op, of, _ := strings.Cut(word, ":")
		switch op {
		case "fail":
			task.Sites = append(task.Sites, 0)
		case "print":
			task.Sites = append(task.Sites, 1)
		case "record":
			task.Sites = append(task.Sites, 2)
		case "return":
			k.Done = 56
			task.Slots = append(task.Slots, launch.Slot{From: launch.FrameSlot, At: 56})
		case "long":
			task.Dims[0].Hi = launch.Bound{From: launch.Frame, At: 48}
		case "lists":
			k.Bases = []int{0, -1}
			task.Lists = []launch.List{{Base: 1, Node: slices.Index(w.fields, "P")}}
		case "begin":
			task.Dims[0].Lo = launch.Bound{From: launch.Frame, At: 48}
		case "merged":
			k.Deterministic, k.Bases = true, []int{0, -1}
			task.Partial = &launch.Partial{Scratch: 1, Words: 1, Merge: len(k.Tasks) + 1}
			helper = []launch.Task{{Helper: true, Sites: []int{0}}}
		case "wipe":
			task.States = []launch.State{{Field: slices.Index(w.fields, of), Clears: true}}
		case "helped":
			k.Bases = []int{0, -1}
			task.Private = []launch.Private{{Base: 0, Scratch: 1, Size: 4, Merge: len(k.Tasks) + 1}}
			helper = []launch.Task{{Helper: true, Sites: []int{0}}}
		case "frame":
			at, err := strconv.Atoi(of)
			if err != nil {
				t.Fatal(err)
			}
			task.Slots = append(task.Slots, launch.Slot{From: launch.FrameSlot, At: int64(at)})
		default:
			w.state(t, states, op, of)
		}
	}
	for _, s := range states {
		task.States = append(task.States, *s)
	}
	slices.SortFunc(task.States, func(a, b launch.State) int { return a.Field - b.Field })
	for _, add := range append([]launch.Task{task}, helper...) {
		k.Tasks = append(k.Tasks, add)
		k.Names = append(k.Names, launch.Name{Task: fmt.Sprintf("loop %d", i+1), Place: launch.Place{File: "a.ti", Line: i + 1, Column: 1}})
	}
}

// state notes what a word says of a field.
func (w *world) state(t testing.TB, states map[int]*launch.State, op, of string) {
	t.Helper()
	name, comp, one := strings.Cut(of, ".")
	n := slices.Index(w.fields, name)
	if n < 0 {
		t.Fatalf("there is no field %s", name)
	}
	if states[n] == nil {
		states[n] = &launch.State{Field: n}
	}
	s := states[n]
	v := launch.Values{Comps: 1}
	if w.stored[n].Memory != nil && !one {
		v.Comps = w.stored[n].Memory.Comps - w.stored[n].First
	}
	if name == "D1" {
		v.Comps = 1
	}
	if one {
		v.First, _ = strconv.Atoi(comp)
	}
	switch op {
	case "r":
		v.Use = launch.Reads
	case "w":
		v.Use = launch.Writes
	case "W":
		v.Use, v.Whole = launch.Writes, true
	case "rw":
		v.Use = rw
	case "rW":
		v.Use, v.Whole = rw, true
	case "over":
		s.Mask, s.List = s.Mask|launch.Reads, s.List|launch.Reads
		return
	case "grow":
		s.Mask, s.List, s.Allocation = rw, rw, rw
		return
	case "clear":
		s.Mask, s.List, s.Allocation, s.Clears = rw, rw, rw, true
		return
	default:
		t.Fatalf("what is %s", op)
	}
	s.Values = append(s.Values, v)
}
