package touched

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/oracle"
)

// A Judge knows what the tasks of a kernel are said to touch, and what runs have touched.
type Judge struct {
	k     *ir.Kernel
	names []string // of the fields in the descriptor
	parts map[partKey]*part
}

// A partKey is a parallel loop by its ordinal, or the serial code behind it.
type partKey struct {
	ordinal int64
	serial  bool
}

func (k partKey) String() string {
	switch {
	case !k.serial:
		return fmt.Sprintf("loop %d", k.ordinal)
	case k.ordinal == 0:
		return "the serial code at the beginning"
	}
	return fmt.Sprintf("the serial code behind loop %d", k.ordinal)
}

// A part is what tasks of one loop, or of serial code, are said to do, and what runs have done there.
type part struct {
	values  [][]claim  // by field of the kernel, and by component as the host counts it
	nodes   []topology // by field
	entered bool       // by the run
}

// A claim is what is said of a component, and found out about it.
type claim struct {
	use        launch.Use
	whole, own bool
	reach      launch.Reach
	index      launch.Reach
	ring       launch.Reach
	found      launch.Use
	filled     filling // of the run, where the component is said to be written wholly
}

// A topology is what is said of the cells of a field or node.
type topology struct {
	mask, list, allocation launch.Use
	clears                 bool
}

// New returns a judge of a kernel and its descriptor.
func New(k *ir.Kernel, d *launch.Kernel) (*Judge, error) {
	j := &Judge{k: k, parts: map[partKey]*part{}}
	for i, f := range k.Fields {
		if i >= len(d.Fields) || d.Fields[i].Name != f.Name {
			return nil, fmt.Errorf("touched: field %d of kernel %s is %s, and the descriptor has another one", i, k.Name, f.Name)
		}
	}
	for _, f := range d.Fields {
		j.names = append(j.names, f.Name)
	}
	last := int64(0)
	for i := range d.Tasks {
		t := &d.Tasks[i]
		if t.Helper {
			if len(t.States) > 0 {
				return nil, fmt.Errorf("touched: helper task %d of kernel %s has states; they belong to the task that it helps", i, k.Name)
			}
			continue
		}
		if t.Loop > 0 {
			last = t.Loop
		}
		j.part(partKey{last, t.Loop == 0}).add(t.States)
	}
	return j, nil
}

func (j *Judge) part(at partKey) *part {
	if j.parts[at] == nil {
		j.parts[at] = &part{values: make([][]claim, len(j.names)), nodes: make([]topology, len(j.names))}
	}
	return j.parts[at]
}

// add notes what a task is said to do, beside others of the part. What all of them own is owned, and what one of them
// writes wholly is written.
func (p *part) add(states []launch.State) {
	for _, s := range states {
		n := &p.nodes[s.Field]
		n.mask, n.list, n.allocation, n.clears = n.mask|s.Mask, n.list|s.List, n.allocation|s.Allocation, n.clears || s.Clears
		for _, v := range s.Values {
			of := p.values[s.Field]
			of = append(of, make([]claim, max(0, v.First+v.Comps-len(of)))...)
			p.values[s.Field] = of
			for c := v.First; c < v.First+v.Comps; c++ {
				ring := v.Ring
				if !ring.Known {
					ring = v.Reach
				}
				first := of[c].use == 0
				of[c].own = v.Own && (of[c].own || first)
				of[c].reach, of[c].index, of[c].ring = joined(of[c].reach, v.Reach, first), joined(of[c].index, v.Index, first), joined(of[c].ring, ring, first)
				of[c].use, of[c].whole = of[c].use|v.Use, of[c].whole || v.Whole
			}
		}
	}
}

// joined has both of two reaches, or is the second one if it is the first of all.
func joined(r, s launch.Reach, first bool) launch.Reach {
	switch {
	case first:
		return s
	case !r.Known || !s.Known:
		return launch.Reach{}
	}
	return launch.Reach{Lo: min(r.Lo, s.Lo), Hi: max(r.Hi, s.Hi), Known: true}
}

// reaches reports whether an iteration may access an element with that first index, of a field with that extent of the first axis.
func (c *claim) reaches(iteration, index []int64, extent int64) bool {
	if !c.reach.Known && !c.index.Known && !c.ring.Known {
		return true
	}
	if len(index) == 0 || (c.reach.Known || c.ring.Known) && len(iteration) == 0 {
		return false
	}
	in := func(r launch.Reach, n int64) bool { return !r.Known || r.Lo <= n && n <= r.Hi }
	d := int64(0)
	if len(iteration) > 0 {
		d = index[0] - iteration[0]
	}
	return in(c.reach, d) && in(c.index, index[0]) && (!c.ring.Known || c.ring.Hi-c.ring.Lo >= extent || in(c.ring, c.ring.Lo+mod(d-c.ring.Lo, extent)))
}

// mod is the remainder of a division that rounds down.
func mod(a, n int64) int64 { return (a%n + n) % n }

// claim returns what is said of a component, nil for nothing.
func (p *part) claim(field, comp int) *claim {
	if p == nil || comp >= len(p.values[field]) {
		return nil
	}
	return &p.values[field][comp]
}

// maxProblems bounds how many problems of a run are reported.
const maxProblems = 5

// A Run compares one run of the kernel with what is said. Runs of a judge follow each other.
type Run struct {
	judge    *Judge
	env      *oracle.Env
	at       partKey
	part     *part // nil where the kernel has no task
	problems map[string]bool
}

// Watch makes a run in env be judged.
func (j *Judge) Watch(env *oracle.Env) *Run {
	for _, p := range j.parts {
		p.entered = false
	}
	r := &Run{judge: j, env: env, problems: map[string]bool{}}
	env.Watcher = r
	return r
}

// Enter begins a part of the kernel. If no task is left of a loop, what follows it belongs to what comes before.
func (r *Run) Enter(ordinal int64, serial bool) {
	loop := partKey{ordinal, false}
	switch {
	case ordinal > 0 && r.judge.parts[loop] == nil && !serial:
		r.part = nil
		return
	case ordinal > 0 && r.judge.parts[loop] == nil:
		r.at.serial = true
	default:
		r.at = partKey{ordinal, serial}
	}
	if r.part = r.judge.parts[r.at]; r.part == nil || r.part.entered {
		return
	}
	r.part.entered = true
	for f := range r.part.values {
		for c := range r.part.values[f] {
			if of := &r.part.values[f][c]; of.whole {
				of.filled.begin(r.shape(f))
			}
		}
	}
}

// shape returns the extents of a field.
func (r *Run) shape(field int) []int64 {
	f := r.judge.k.Fields[field]
	shape := make([]int64, f.Rank())
	for axis := range shape {
		n, at := f.Extent(axis)
		if at != nil {
			n = int64(r.env.Args[at.LengthSlot()])
		}
		shape[axis] = n
	}
	return shape
}

// Value judges an access to an element.
func (r *Run) Value(f *ir.Field, comp int, index, iteration []int64, a oracle.Access) {
	if f.Host != nil {
		comp = f.Host[comp]
	}
	use, what := launch.Reads, "reads"
	if a == oracle.Write {
		use, what = launch.Writes, "writes"
	}
	if r.part == nil && use == launch.Reads { // nothing is left that could depend on it
		return
	}
	c := r.part.claim(f.Index, comp)
	if c == nil || c.use&use == 0 {
		r.problem("%s %s component %d of %s, and no state says so", r.at, what, comp, f.Name)
		return
	}
	c.found |= use
	if n := len(iteration); c.own && (iteration == nil || len(index) < n || !slices.Equal(index[:n], iteration)) {
		r.problem("iteration %v of %s %s element %v of component %d of %s, which is said to be of each iteration's own", iteration, r.at, what, index, comp, f.Name)
	}
	if !c.own && !c.reaches(iteration, index, extentOf(f)) {
		r.problem("iteration %v of %s %s element %v of component %d of %s, of which it is said to%s", iteration, r.at, what, index, comp, f.Name, c.near())
	}
	if c.whole && use == launch.Writes {
		c.filled.add(f, index)
	}
}

// near says where an iteration may access elements.
func (c *claim) near() (text string) {
	for _, r := range []struct {
		what string
		launch.Reach
	}{{"reach", c.reach}, {"have the index", c.index}, {"be on the ring from", c.ring}} {
		if r.Known {
			text += fmt.Sprintf(" %s %d to %d", r.what, r.Lo, r.Hi)
		}
	}
	return text
}

// extentOf returns the extent of the first axis of a field.
func extentOf(f *ir.Field) int64 {
	if len(f.Shape) == 0 {
		return 1
	}
	return f.Shape[0]
}

// A filling is which elements of a component a run has written.
type filling struct {
	shape    []int64
	of, done int64 // elements that there are, and that are written
	written  []bool
}

func (w *filling) begin(shape []int64) {
	*w = filling{shape: shape, of: 1}
	for _, n := range shape {
		w.of *= n
	}
	w.written = make([]bool, w.of)
}

func (w *filling) add(f *ir.Field, index []int64) {
	at := int64(0)
	for axis, i := range index {
		at = at*w.shape[axis] + i - f.Low(axis)
	}
	if !w.written[at] {
		w.written[at] = true
		w.done++
	}
}

// Mask judges a question for cells of a node, or a change of which are active.
func (r *Run) Mask(n *oracle.Node, a oracle.Access) {
	r.cells(n, "the masks", a, func(t *topology) bool { return t.mask&launch.Use(a) == launch.Use(a) }, r.reaches)
}

// List judges an access to lists of a node.
func (r *Run) List(n *oracle.Node, a oracle.Access) {
	r.cells(n, "the lists", a, func(t *topology) bool {
		return t.list&launch.Use(a) == launch.Use(a) && (a&oracle.Write == 0 || t.allocation == launch.Reads|launch.Writes)
	}, r.reaches)
}

// Cleared judges that cells of a node become inactive, or lists shorter.
func (r *Run) Cleared(n *oracle.Node) {
	r.cells(n, "the cells", oracle.Write, func(t *topology) bool { return t.clears && t.mask&launch.Writes != 0 }, func(f int, n *oracle.Node) bool {
		return slices.Contains(r.nodesOf(f), n)
	})
}

// cells judges an access to something that the cells of a node have: a state must say so, of a field that the node is
// meant by.
func (r *Run) cells(n *oracle.Node, what string, a oracle.Access, says func(*topology) bool, meant func(f int, n *oracle.Node) bool) {
	if r.part == nil && a == oracle.Read {
		return
	}
	found := false
	if r.part != nil {
		for f := range r.part.nodes {
			found = found || says(&r.part.nodes[f]) && meant(f, n)
		}
	}
	if !found {
		r.problem("%s accesses %s of a node (%d), and no state says so", r.at, what, a)
	}
}

// reaches reports whether a node is one of a field, or lies above it.
func (r *Run) reaches(f int, n *oracle.Node) bool {
	for _, of := range r.nodesOf(f) {
		for ; of != nil; of = of.Parent() {
			if of == n {
				return true
			}
		}
	}
	return false
}

// nodesOf returns the nodes that a field, with its components, is placed in.
func (r *Run) nodesOf(f int) (all []*oracle.Node) {
	if f < len(r.env.Nodes) {
		all = append(all, r.env.Nodes[f])
	}
	if f < len(r.env.Parts) {
		all = append(all, r.env.Parts[f]...)
	}
	return all
}

func (r *Run) problem(format string, args ...any) {
	if len(r.problems) < maxProblems {
		r.problems[fmt.Sprintf(format, args...)] = true
	}
}

// End ends a run, which has come to its end or not, and returns what was wrong.
func (r *Run) End(complete bool) error {
	for at, p := range r.judge.parts {
		if complete && p.entered {
			r.wholly(at, p)
		}
	}
	var errs []error
	for p := range r.problems {
		errs = append(errs, fmt.Errorf("the states of kernel %s are wrong: %s", r.judge.k.Name, p))
	}
	slices.SortFunc(errs, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}

// wholly compares what was to be written wholly in a part that has run with what was.
func (r *Run) wholly(at partKey, p *part) {
	for f, values := range p.values {
		for c := range values {
			if w := &values[c].filled; values[c].whole && w.done != w.of {
				r.problem("%s writes %d of the %d elements of component %d of %s, which are said to be written wholly", at, w.done, w.of, c, r.judge.names[f])
			}
		}
	}
}

// Idle lists what the states name that no run has touched so far.
func (j *Judge) Idle() (all []string) {
	for at, p := range j.parts {
		for f, values := range p.values {
			for c, of := range values {
				if idle := of.use &^ of.found; idle != 0 {
					all = append(all, fmt.Sprintf("%s: %s: %s component %d of %s", j.k.Name, at, [...]string{launch.Reads: "reads", launch.Writes: "writes", launch.Reads | launch.Writes: "reads and writes"}[idle], c, j.names[f]))
				}
			}
		}
	}
	slices.Sort(all)
	return all
}
