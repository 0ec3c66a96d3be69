package batch

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/gotaichi/ti/internal/graph"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/variant"
)

// A planner keeps plans for the batches that a program repeats. Their code is compiled in the background; until it is there, launches
// run by themselves.
type planner struct {
	maker *variant.Maker
	waits bool // a batch waits for its plan

	explains bool // why launches stay apart

	mu     sync.Mutex
	plans  map[uint64][]*plan // by hash of their variants
	last   *plan              // that of the last batch
	equal  []int32            // of the batch at hand, see equalArgs
	count  int
	closed bool
	alone  map[*variant.Variant]string // why launches of these cannot be linked with any

	storages storages // of the fields of all plans; belongs to who makes a plan
	planning sync.Mutex
}

// mostPlans is how many batches a planner knows. Beyond it, it forgets all: a program that does not repeat itself needs none.
const mostPlans = 512

// A plan is how a batch of launches of these variants is run.
type plan struct {
	variants []*variant.Variant
	kernels  []*launch.Kernel // nil for those that are interpreted
	tasks    []int            // of each launch
	again    []bool           // of each launch; see entry
	ranges   [][]int          // of each launch: arguments from which ranges of its loops follow
	equal    []int32          // see equalArgs
	batches  int              // so far; guarded by the planner's mu
	begun    bool             // the steps are being made
	made     atomic.Pointer[made]
}

// made is what there is of a plan once it has been made.
type made struct {
	graph   *graph.Graph
	removed []graph.Removal // launches that are not run
	left    []graph.Removal // tasks that launches which run by themselves leave out
	steps   []step
	apart   []string // why neighbours are not linked
}

// A step runs some launches of a batch.
type step struct {
	launches []int           // their numbers in the batch
	without  [][]bool        // of each launch, the tasks that it leaves out where it runs by itself; nil if none does
	linked   *variant.Linked // nil where there is one launch
	saves    int             // tasks
	guard    *guard
	tiles    *tiles // the launches run tile by tile; nil if they do not
	apart    []step // how they run otherwise

	concurrent *concurrent // launches of which some need not wait for others; nil if all do
	settled    *settled    // launches that may find active all cells that they need; nil if nothing is known of that
}

// plannedFrom is how often a batch comes before it is planned. A batch that comes once is not worth the time.
const plannedFrom = 2

// of returns the plan for a batch.
func (p *planner) of(b *batch) *plan {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.equal = equalArgs(p.equal[:0], b)
	if p.last != nil && p.last.fits(b.launches, p.equal) {
		p.meet(p.last)
		return p.last
	}
	h := hash(b.launches, p.equal)
	for _, known := range p.plans[h] {
		if known.fits(b.launches, p.equal) {
			p.meet(known)
			p.last = known
			return known
		}
	}
	if p.count >= mostPlans || p.closed {
		p.forgetAll()
	}
	made := &plan{equal: slices.Clone(p.equal)}
	for i := range b.launches {
		made.variants = append(made.variants, b.launches[i].variant)
		made.kernels = append(made.kernels, b.launches[i].variant.Descriptor())
		made.tasks = append(made.tasks, b.launches[i].tasks)
		made.again = append(made.again, b.launches[i].again)
		made.ranges = append(made.ranges, b.launches[i].variant.Queued().Ranges)
	}
	if p.plans == nil {
		p.plans = map[uint64][]*plan{}
	}
	p.plans[h], p.last = append(p.plans[h], made), made
	p.count++
	p.meet(made)
	return made
}

// meet counts a batch of a plan, and begins to make the plan once it pays. It needs mu.
//
// With Deterministic results must not depend on when code is there, unless linked code gives the same bits: then the batch waits for it.
func (p *planner) meet(known *plan) {
	known.batches++
	if known.begun || p.closed || known.batches < plannedFrom && !p.waits {
		return
	}
	known.begun = true
	if p.waits {
		p.mu.Unlock()
		p.make(known)
		p.mu.Lock()
		return
	}
	go p.make(known)
}

// hash is a number that is equal for equal sequences of variants with equal patterns of arguments.
func hash(all []entry, equal []int32) uint64 {
	h := uint64(14695981039346656037) // FNV-1a, by words
	for i := range all {
		if all[i].again {
			h++
		}
		h = (h ^ uint64(uintptr(unsafe.Pointer(all[i].variant)))) * 1099511628211
	}
	for _, n := range equal {
		h = (h ^ uint64(n)) * 1099511628211
	}
	return h
}

func (p *plan) fits(all []entry, equal []int32) bool {
	if len(all) != len(p.variants) || !slices.Equal(equal, p.equal) {
		return false
	}
	for i := range all {
		if all[i].variant != p.variants[i] || all[i].again != p.again[i] {
			return false
		}
	}
	return true
}

// make finds out which launches of a plan nobody needs, and links others where that saves tasks.
func (p *planner) make(known *plan) {
	p.planning.Lock()
	defer p.planning.Unlock()
	m := &made{}
	var live []int
	m.graph = p.storages.graphOf(known.variants, known.kernels, 0, nil)
	if m.graph != nil {
		m.removed, m.left = m.graph.Removable()
		m.removed = known.redundant(m.graph, m.removed)
	}
	for i := range known.variants {
		if !slices.ContainsFunc(m.removed, func(r graph.Removal) bool { return r.Launch == i }) {
			live = append(live, i)
		}
	}
	for from := 0; from < len(live); {
		to := p.link(known, live[from:], m)
		from += to
	}
	m.leaveOut()
	m.steps = p.settle(known, p.concur(known, p.tile(known, m.steps)))
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || slices.ContainsFunc(m.steps, func(s step) bool { return !s.alive() }) {
		m.free()
		return
	}
	known.made.Store(m)
}

// link adds steps for the first of these launches, and returns for how many: as many as can be linked are, if that saves tasks.
func (p *planner) link(known *plan, live []int, m *made) int {
	to := 0
	for to < len(live) && to < mostParts && p.canLink(known.variants[live[to]]) {
		to++
	}
	for to > 1 {
		alone := 0
		var parts []*variant.Variant
		for _, i := range live[:to] {
			alone += known.tasks[i]
			parts = append(parts, known.variants[i])
		}
		linked, err := variant.Link(parts, known.same(live[:to]), func(tasks int) bool { return tasks < alone })
		if apart, is := errors.AsType[*job.Apart](err); is && apart.Part < to {
			m.apart = append(m.apart, apart.Error())
			if apart.Part == 0 {
				p.refuse(parts[0], apart.Error())
			}
			to = apart.Part
			continue
		}
		if nothing, is := errors.AsType[*variant.NothingSaved](err); is && p.explains {
			m.apart = append(m.apart, nothing.WhyApart()...)
		}
		if err != nil {
			break // loops of these launches that are neighbours cannot be fused, so neither can those of some of them
		}
		if p.explains {
			m.apart = append(m.apart, linked.WhyApart()...)
		}
		linked.WhyApart = nil // it holds the lowered kernels
		m.steps = append(m.steps, step{launches: live[:to], linked: linked, saves: alone - linked.Tasks(), guard: new(guard)})
		return to
	}
	to = max(to, 1)
	for i := range to {
		m.steps = append(m.steps, step{launches: live[i : i+1]})
	}
	return to
}

// mostParts is how many launches are linked at most.
const mostParts = 64

func (p *planner) canLink(v *variant.Variant) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return v.CanLink() && p.alone[v] == ""
}

// refuse notes that launches of v cannot be linked.
func (p *planner) refuse(v *variant.Variant, why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.alone == nil {
		p.alone = map[*variant.Variant]string{}
	}
	p.alone[v] = why
}

// forget drops the plans for launches whose trees have been closed, or whose code has been given back. The caller holds the launch lock.
func (p *planner) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = nil
	for h, plans := range p.plans {
		p.plans[h] = slices.DeleteFunc(plans, func(known *plan) bool {
			alive := !slices.ContainsFunc(known.variants, func(v *variant.Variant) bool { return !v.Alive() })
			if alive {
				return false
			}
			p.count--
			known.made.Load().free()
			return true
		})
		if len(p.plans[h]) == 0 {
			delete(p.plans, h)
		}
	}
}

// forgetAll drops all plans that are not being made. It needs mu, and no batch runs.
func (p *planner) forgetAll() {
	p.last = nil
	for h, plans := range p.plans {
		p.plans[h] = slices.DeleteFunc(plans, func(known *plan) bool {
			if known.begun && known.made.Load() == nil {
				return false // it is being made
			}
			p.count--
			known.made.Load().free()
			return true
		})
	}
	clear(p.alone)
}

// free gives the code back. m may be nil.
func (m *made) free() {
	if m == nil {
		return
	}
	for i := range m.steps {
		m.steps[i].free()
	}
}

func (s *step) free() {
	if s.linked != nil {
		s.linked.Free()
	}
	if s.settled != nil {
		s.settled.code.Free()
	}
	s.tiles.free()
	for i := range s.apart {
		s.apart[i].free()
	}
}

// alive reports whether the code of a step can still be launched.
func (s *step) alive() bool {
	return (s.linked == nil || s.linked.Alive()) && (s.settled == nil || s.settled.code.Alive()) && s.tiles.alive() && !slices.ContainsFunc(s.apart, func(a step) bool { return !a.alive() })
}

// close drops everything. Plans that are being made are dropped once they are. The caller holds the launch lock.
func (p *planner) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.forgetAll()
}

// runPlanned runs a batch as its plan says.
func (q *Queue) runPlanned(b *batch, m *made) {
	for i := range m.steps {
		q.runStep(b, &m.steps[i])
	}
	for _, r := range m.removed {
		q.removed.Tasks.Add(int64(b.launches[r.Launch].tasks))
	}
	q.removed.Launches.Add(int64(len(m.removed)))
}

// runStep runs launches that were linked, run tile by tile or run concurrently together or each by itself, whichever takes less time. Whether they run tile
// by tile or concurrently changes no bits.
func (q *Queue) runStep(b *batch, s *step) {
	if s.linked == nil && s.apart == nil {
		q.runEach(b, s, 0)
		return
	}
	together, measured := true, false
	if !q.always(s) {
		together, measured = s.guard.choose()
	}
	start := time.Time{}
	if measured {
		q.collect(b)
		start = time.Now()
	}
	switch {
	case together && s.linked != nil:
		q.runLinked(b, s)
	case together && s.tiles != nil && q.runTiles(b, s.tiles):
	case together && s.concurrent != nil && q.runConcurrently(b, s.concurrent):
	case together && s.settled != nil && q.runSettled(b, s):
	case s.settled != nil && (together || measured):
		q.observe(b, s)
		measured, together = measured && !together, false
	case s.apart != nil:
		measured = measured && !(together && s.concurrent != nil) // the costs of tasks are not known yet, or not worth it
		together = false
		for i := range s.apart {
			q.runStep(b, &s.apart[i])
		}
	default:
		q.runEach(b, s, 0)
	}
	if measured {
		q.collect(b)
		s.guard.note(together, time.Since(start))
	}
}

// always reports whether the launches of a step run together whatever it takes.
func (q *Queue) always(s *step) bool {
	return q.together && (s.linked != nil || s.settled != nil) || q.tiled && s.tiles != nil || q.concurrent && s.concurrent != nil
}

func (q *Queue) runLinked(b *batch, s *step) {
	code := s.linked.Concurrent()
	b.set(&code, s.launches)
	last, host := b.numbers(s.launches) // stores of the host are none of the program's launches
	if last != 0 {
		q.removed.Launches.Add(-int64(host))
	}
	if q.start(startedUnit{code: code, launches: s.launches}, last) {
		q.removed.Tasks.Add(int64(s.saves))
		return
	}
	if q.collect(b) {
		b.set(&code, s.launches)
	}
	ran, part, err := s.linked.Run(q.ctx, last)
	if err != nil {
		q.fail(&b.launches[s.launches[part]], err)
	}
	if ran == len(s.launches) {
		q.removed.Tasks.Add(int64(s.saves))
	}
	q.runEach(b, s, ran)
}
