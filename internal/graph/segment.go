package graph

import (
	"fmt"
	"slices"

	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/site"
)

// A Segment is a node of the graph: tasks of a launch that are of one loop of the source, or serial code.
type Segment struct {
	Launch int   // number in Graph.Launches
	Tasks  []int // numbers in Kernel.Tasks, without helpers
	Loop   int64 // as in [launch.Task]
	Uses   []Use // at most one for each resource

	// Keep says why the segment must run whether or not anybody reads what it writes. It is empty if there is no reason.
	Keep string

	certain bool // what is written wholly is written in any case
	barrier bool // all memory may be touched
}

// A cut is the segments of a kernel, whatever it is bound to.
type cut struct{ parts []part }

// A part is a segment of a kernel.
type part struct {
	tasks   []int
	frame   []int64 // offsets of the values in the frame that its tasks use
	keep    string
	certain bool
}

// cutOf finds the segments of a kernel.
func cutOf(k *launch.Kernel) *cut {
	c := &cut{}
	for i := range k.Tasks {
		t := &k.Tasks[i]
		if t.Helper {
			continue
		}
		n := len(c.parts) - 1
		if n < 0 || t.Loop == 0 || !sameLoop(t, &k.Tasks[c.parts[n].tasks[0]]) {
			c.parts = append(c.parts, part{})
			n++
		}
		c.parts[n].tasks = append(c.parts[n].tasks, i)
	}
	certain := len(k.Sums) == 0 || !k.Deterministic // else there may be no memory for the sums
	for i := range c.parts {
		p := &c.parts[i]
		p.certain = certain
		for _, n := range p.tasks {
			p.add(k, n)
		}
		certain = p.certain && !(k.Done >= 0 && slices.Contains(p.frame, k.Done))
	}
	return c
}

// sameLoop reports whether two tasks are of one loop: parts of linked kernels number their own loops.
func sameLoop(a, b *launch.Task) bool { return a.Loop == b.Loop && a.Part == b.Part }

// add notes what is known of a task, and of its helpers, without the states.
func (p *part) add(k *launch.Kernel, n int) {
	t := &k.Tasks[n]
	if p.keep == "" {
		p.keep = keeps(k, t)
	}
	p.certain = p.certain && !mayStop(k, t)
	for _, at := range withHelpers(k, t) {
		p.uses(at)
		for _, s := range at.Sites {
			kind := k.Sites[s].Kind
			p.certain = p.certain && kind == site.Print
			if p.keep == "" {
				p.keep = fmt.Sprintf("it %s at %s", does(kind), placeText(k.Sites[s].Place))
			}
		}
	}
}

// uses notes which values in the frame a task uses.
func (p *part) uses(t *launch.Task) {
	add := func(at int64) {
		if !slices.Contains(p.frame, at) {
			p.frame = append(p.frame, at)
		}
	}
	for _, s := range t.Slots {
		if s.From == launch.FrameSlot {
			add(s.At)
		}
	}
	for _, d := range t.Dims {
		for _, b := range [...]launch.Bound{d.Lo, d.Hi} {
			if b.From == launch.Frame {
				add(b.At)
			}
		}
	}
}

// withHelpers returns a task and those that it names.
func withHelpers(k *launch.Kernel, t *launch.Task) []*launch.Task {
	all := []*launch.Task{t}
	for _, p := range t.Private {
		all = append(all, &k.Tasks[p.Merge])
	}
	if t.Partial != nil {
		all = append(all, &k.Tasks[t.Partial.Merge])
	}
	return all
}

// does says what happens at sites of a kind.
func does(k site.Kind) string {
	switch k {
	case site.Print:
		return "prints"
	case site.Deactivate:
		return "deactivates cells"
	case site.Read, site.Write, site.Update:
		return "records accesses"
	}
	return "may fail"
}

// keeps says why a task must run, as far as that is not said by its sites; "" if nothing says so.
func keeps(k *launch.Kernel, t *launch.Task) string {
	for _, s := range t.States {
		if s.Clears || (s.Mask|s.List|s.Allocation)&launch.Writes != 0 {
			return "it may change which cells of " + k.Fields[s.Field].Name + " are active"
		}
	}
	if !fits(k, t) {
		return "its range may be too long"
	}
	return ""
}

// mayStop reports whether a task may end the launch before the task is complete, for lack of memory or of an end. What the task may fail at is
// said by its sites.
func mayStop(k *launch.Kernel, t *launch.Task) bool {
	return len(t.Lists) > 0 || k.Deterministic && (len(t.Private) > 0 || t.Partial != nil) || keeps(k, t) != ""
}

const (
	// mostEntries is more than the entries that a list can have in memory.
	mostEntries = 1 << 44
	// mostElements is more than the elements that a dense field can have in memory, of a bit each.
	mostElements = 1 << 52
)

// fits reports whether the range of a task certainly has no more than [launch.MaxIterations] iterations.
func fits(k *launch.Kernel, t *launch.Task) bool {
	n := 1.0
	var extents []int64 // slots of the extents of one field
	of := -1
	for i := range t.Dims {
		d := &t.Dims[i]
		f := extentOf(k, d)
		switch {
		case f < 0:
			n *= longest(d)
		case f != of || slices.Contains(extents, d.Hi.At):
			n, of, extents = n*mostElements, f, []int64{d.Hi.At}
		default: // different axes together are no more than the elements
			extents = append(extents, d.Hi.At)
		}
	}
	return n <= launch.MaxIterations
}

// extentOf returns the field one of whose extents bounds a range that begins at 0 or above; -1 if there is none.
func extentOf(k *launch.Kernel, d *launch.Dim) int {
	if d.Hi.From != launch.Arg || d.Hi.Const > 0 || d.Lo.From != launch.Const || d.Lo.Const < 0 {
		return -1
	}
	return slices.IndexFunc(k.Fields, func(f launch.Field) bool { return slices.Contains(f.Extents, int(d.Hi.At)) })
}

// longest returns a bound on the iterations of a dimension.
func longest(d *launch.Dim) float64 {
	_, hi := limits(&d.Hi)
	lo, _ := limits(&d.Lo)
	return max(0, hi-lo)
}

// limits returns between which numbers a bound lies.
func limits(b *launch.Bound) (least, most float64) {
	const word = 1 << 63
	switch b.From {
	case launch.Const:
		least, most = 0, 0
	case launch.Entries:
		return 0, mostEntries
	case launch.Arg:
		most = 2 * float64(uint64(1)<<(b.Bits-1))
		if b.Signed {
			least, most = -most/2, most/2-1
		}
		div := float64(max(1, b.Div))
		least, most = least/div, most/div
	default:
		least, most = -word, 2*word
	}
	return least + float64(b.Const), most + float64(b.Const)
}

// placeText is a place for people.
func placeText(p launch.Place) string {
	switch {
	case p.Line == 0:
		return "an unknown place"
	case p.File == "":
		return fmt.Sprintf("%d:%d", p.Line, p.Column)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}
