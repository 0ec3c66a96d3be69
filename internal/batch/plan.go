package batch

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/variant"
)

// A planner keeps plans for the batches that a program repeats. Their code is compiled in the background; until it is there, launches
// run by themselves.
type planner struct {
	maker *variant.Maker
	waits bool // a batch waits for its plan

	mu     sync.Mutex
	plans  map[uint64][]*plan // by hash of their variants
	count  int
	closed bool
	alone  map[*variant.Variant]string // why launches of these cannot be linked with any

	removed atomic.Int64 // tasks that linked launches did not run
}

// mostPlans is how many batches a planner knows. Beyond it, it forgets all: a program that does not repeat itself needs none.
const mostPlans = 512

// A plan is how a batch of launches of these variants is run.
type plan struct {
	variants []*variant.Variant
	tasks    []int // of each launch
	batches  int   // so far; guarded by the planner's mu
	begun    bool  // the groups are being made
	groups   atomic.Pointer[[]*group]
}

// A group is launches of a batch that have been linked, from one to before another.
type group struct {
	from, to int
	linked   *variant.Linked
	saves    int // tasks
	guard    guard
}

// plannedFrom is how often a batch comes before it is planned. A batch that comes once is not worth the time.
const plannedFrom = 2

// of returns the plan for a batch, nil if it has none yet.
func (p *planner) of(b *batch) *plan {
	if len(b.launches) < 2 {
		return nil
	}
	h := hash(b.launches)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, known := range p.plans[h] {
		if known.fits(b.launches) {
			p.meet(known)
			return known
		}
	}
	if p.count >= mostPlans || p.closed {
		p.forgetAll()
	}
	made := &plan{}
	for i := range b.launches {
		made.variants = append(made.variants, b.launches[i].variant)
		made.tasks = append(made.tasks, b.launches[i].tasks)
	}
	if p.plans == nil {
		p.plans = map[uint64][]*plan{}
	}
	p.plans[h] = append(p.plans[h], made)
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

// hash is a number that is equal for equal sequences of variants.
func hash(all []entry) uint64 {
	h := uint64(14695981039346656037) // FNV-1a, by words
	for i := range all {
		h = (h ^ uint64(uintptr(unsafe.Pointer(all[i].variant)))) * 1099511628211
	}
	return h
}

func (p *plan) fits(all []entry) bool {
	if len(all) != len(p.variants) {
		return false
	}
	for i := range all {
		if all[i].variant != p.variants[i] {
			return false
		}
	}
	return true
}

// make links launches of a plan where that saves tasks.
func (p *planner) make(known *plan) {
	var groups []*group
	for from := 0; from < len(known.variants); {
		g, next := p.group(known, from)
		if g != nil {
			groups = append(groups, g)
		}
		from = next
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || slices.ContainsFunc(groups, func(g *group) bool { return !g.linked.Alive() }) {
		for _, g := range groups {
			g.linked.Free()
		}
		return
	}
	known.groups.Store(&groups)
}

// group links the launches from one on, as many as can be. It returns nil if nothing is gained, and the launch from which to go on.
func (p *planner) group(known *plan, from int) (g *group, next int) {
	all, to := known.variants, from
	for to < len(all) && to-from < mostParts && p.canLink(all[to]) {
		to++
	}
	for to-from > 1 {
		alone := 0
		for _, n := range known.tasks[from:to] {
			alone += n
		}
		linked, err := variant.Link(all[from:to], func(tasks int) bool { return tasks < alone })
		if apart, is := errors.AsType[*job.Apart](err); is && apart.Part < to-from {
			if apart.Part == 0 {
				p.refuse(all[from], apart.Error())
				return nil, from + 1
			}
			to = from + apart.Part
			continue
		}
		if err != nil {
			return nil, to
		}
		return &group{from: from, to: to, linked: linked, saves: alone - linked.Tasks()}, to
	}
	return nil, max(to, from+1)
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
	for h, plans := range p.plans {
		p.plans[h] = slices.DeleteFunc(plans, func(known *plan) bool {
			groups := known.groups.Load()
			alive := !slices.ContainsFunc(known.variants, func(v *variant.Variant) bool { return !v.Alive() })
			if alive {
				return false
			}
			p.count--
			known.free(groups)
			return true
		})
		if len(p.plans[h]) == 0 {
			delete(p.plans, h)
		}
	}
}

// forgetAll drops all plans whose groups have been made. It needs mu, and no batch runs.
func (p *planner) forgetAll() {
	for h, plans := range p.plans {
		p.plans[h] = slices.DeleteFunc(plans, func(known *plan) bool {
			groups := known.groups.Load()
			if known.begun && groups == nil {
				return false // they are being made
			}
			p.count--
			known.free(groups)
			return true
		})
	}
	clear(p.alone)
}

func (p *plan) free(groups *[]*group) {
	if groups == nil {
		return
	}
	for _, g := range *groups {
		g.linked.Free()
	}
	p.groups.Store(nil)
}

// close drops everything. Plans that are being made are dropped once they are. The caller holds the launch lock.
func (p *planner) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.forgetAll()
}

// run runs a batch as its plan says.
func (q *Queue) runPlanned(b *batch, groups []*group) {
	next := 0
	for _, g := range groups {
		q.runEach(b, next, g.from)
		q.runGroup(b, g)
		next = g.to
	}
	q.runEach(b, next, len(b.launches))
}

// runGroup runs launches that were linked, together or each by itself, whichever takes less time.
func (q *Queue) runGroup(b *batch, g *group) {
	together, measured := g.guard.choose()
	if q.together {
		together, measured = true, false
	}
	start := time.Time{}
	if measured {
		start = time.Now()
	}
	if together {
		q.runLinked(b, g)
	} else {
		q.runEach(b, g.from, g.to)
	}
	if measured {
		g.guard.note(together, time.Since(start))
	}
}

func (q *Queue) runLinked(b *batch, g *group) {
	for i := g.from; i < g.to; i++ {
		e := &b.launches[i]
		copy(g.linked.Args(i-g.from), b.args[e.at:e.at+e.args])
	}
	ran, part, err := g.linked.Run(context.Background(), b.launches[g.to-1].number)
	if err != nil {
		q.fail(&b.launches[g.from+part], err)
	}
	if ran == g.to-g.from {
		q.planner.removed.Add(int64(g.saves))
	}
	q.runEach(b, g.from+ran, g.to)
}
