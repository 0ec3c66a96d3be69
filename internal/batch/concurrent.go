package batch

import (
	"slices"

	"github.com/gotaichi/ti/internal/graph"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/variant"
)

// concurrent is launches of which some need not wait for others.
type concurrent struct {
	units    []concurrentUnit
	nodes    []launch.Node
	schedule launch.Schedule // nil before the first run
	numbers  []uint64        // of the launches of each unit; room for a run
}

// A concurrentUnit is launches that are one kernel.
type concurrentUnit struct {
	launches []int // their numbers in the batch
	code     variant.Concurrent
	kernel   *launch.Kernel
	launcher launch.Launcher // of the schedule
	saves    int             // tasks
}

// mostNodes is how many nodes run concurrently at most. What depends on what is found in a time that grows with their square.
const mostNodes = 256

// concur joins steps of which tasks can run concurrently.
func (p *planner) concur(known *plan, steps []step) (out []step) {
	if machine, can := p.maker.Machine.(launch.Scheduler); !can || !machine.Concurrent() {
		return steps
	}
	found, nodes := &concurrent{}, 0
	from := 0
	end := func(to int) {
		if s, ok := p.together(found, steps[from:to]); ok {
			out = append(out, s)
		} else {
			out = append(out, steps[from:to]...)
		}
		found, nodes, from = &concurrent{}, 0, to
	}
	for i := range steps {
		u, ok := known.concurrentUnit(&steps[i])
		n := 0
		if ok {
			n = len(u.kernel.Tasks)
		}
		if !ok || nodes+n > mostNodes || found.has(u) {
			end(i)
		}
		if !ok {
			out, from = append(out, steps[i]), i+1
			continue
		}
		found.units, nodes = append(found.units, u), nodes+n
	}
	end(len(steps))
	return out
}

// concurrentUnit returns the unit of a step; false if its tasks cannot run while others do.
func (p *plan) concurrentUnit(s *step) (u concurrentUnit, ok bool) {
	switch {
	case s.tiles != nil:
		return u, false
	case s.linked != nil:
		u = concurrentUnit{launches: s.launches, code: s.linked.Concurrent(), kernel: s.linked.Kernel, saves: s.saves}
	default:
		n := s.launches[0]
		u = concurrentUnit{launches: s.launches, code: p.variants[n].Concurrent(), kernel: p.kernels[n]}
	}
	return u, u.kernel != nil && runsBeside(u.kernel, u.code.Layout())
}

// has reports whether the code of a unit is that of another one: it has one place for its arguments.
func (c *concurrent) has(u concurrentUnit) bool {
	return slices.ContainsFunc(c.units, func(o concurrentUnit) bool { return o.code == u.code })
}

// runsBeside reports whether tasks of a kernel can run while others do that do not depend on them by the graph. They leave nothing but what is in
// fields and the frame, store to no word that another component has a part of, and it is known before the launch how many iterations they have.
func runsBeside(k *launch.Kernel, at job.Layout) bool {
	if k.Records || k.Prints || k.Results > 0 || returnsEarly(k) || len(k.Sums) > 0 || slices.ContainsFunc(k.Fields, func(f launch.Field) bool { return f.Memory }) {
		return false
	}
	for i := range k.Tasks {
		t := &k.Tasks[i]
		if len(t.Lists) > 0 || k.Deterministic && len(t.Private) > 0 || !fixedRange(t) || !inWholeWords(k, t, at) {
			return false
		}
	}
	return len(k.Tasks) > 0
}

// returnsEarly reports whether a kernel, or a part of a linked one, may end before its last task.
func returnsEarly(k *launch.Kernel) bool {
	return k.Done >= 0 || slices.ContainsFunc(k.Parts, func(p launch.Part) bool { return p.Done >= 0 })
}

// fixedRange reports whether the arguments decide how many iterations a task has.
func fixedRange(t *launch.Task) bool {
	fixed := func(b *launch.Bound) bool { return b.From == launch.Const || b.From == launch.Arg }
	return !slices.ContainsFunc(t.Dims, func(d launch.Dim) bool { return !fixed(&d.Lo) || !fixed(&d.Hi) })
}

// inWholeWords reports whether a task touches dense fields alone, of numbers that are not packed.
func inWholeWords(k *launch.Kernel, t *launch.Task, at job.Layout) bool {
	for _, s := range t.States {
		f := at[k.Fields[s.Field].Name]
		if s.Mask|s.List|s.Allocation != 0 || s.Clears || f.Field == nil || f.Field.CellsOf() != nil {
			return false
		}
		for _, v := range s.Values {
			for c := f.First + v.First; c < f.First+v.First+v.Comps; c++ {
				if f.Field.Access(c).Packed != nil {
					return false
				}
			}
		}
	}
	return true
}

// together makes a step of others. It is not ok if each of their tasks depends on the one before.
func (p *planner) together(c *concurrent, steps []step) (s step, ok bool) {
	var all []graph.Launch
	for i := range c.units {
		u := &c.units[i]
		l := graph.Launch{Kernel: u.kernel, Number: uint64(i) + 1}
		for _, f := range u.kernel.Fields {
			l.Fields = append(l.Fields, p.storages.dense(u.code.Layout()[f.Name]))
		}
		all = append(all, l)
	}
	g := graph.New(all, nil)
	for n := range g.Segments {
		c.nodes = append(c.nodes, launch.Node{Launcher: g.Segments[n].Launch, Tasks: g.Segments[n].Tasks})
	}
	for _, e := range g.Edges {
		if to := &c.nodes[e.To]; !slices.Contains(to.After, e.From) {
			to.After = append(to.After, e.From)
		}
	}
	if !inParallel(g) {
		return s, false
	}
	var launches []int
	for i := range steps {
		launches = append(launches, steps[i].launches...)
	}
	return step{launches: launches, concurrent: c, apart: steps, guard: &guard{row: awakeRow}}, true
}

// inParallel reports whether no path leads from some segment to some later one.
func inParallel(g *graph.Graph) bool {
	for to := range g.Segments {
		if to > 0 && !g.Reaches(to-1, to) {
			return true // if each reaches the next one, each reaches all that follow
		}
	}
	return false
}

// runConcurrently runs launches as far as they need not wait for each other. It reports false if it has run nothing.
func (q *Queue) runConcurrently(b *batch, c *concurrent) bool {
	if !c.prepare(q.maker.Machine.(launch.Scheduler)) {
		return false
	}
	c.numbers = c.numbers[:0]
	hosts := 0
	for i := range c.units {
		u := &c.units[i]
		for part, n := range u.launches {
			e := &b.launches[n]
			u.code.Set(part, b.args[e.at:e.at+e.args], e.number)
		}
		number, host := b.numbers(u.launches)
		if c.numbers = append(c.numbers, number); number != 0 {
			hosts += host
		}
	}
	ends, ok := c.schedule.Run(q.ctx, c.numbers, q.concurrent)
	if !ok {
		return false
	}
	q.removed.Launches.Add(-int64(hosts))
	for i := range ends {
		u := &c.units[i]
		q.removed.Tasks.Add(int64(u.saves))
		if part, err := u.code.Ended(q.ctx, &ends[i]); err != nil {
			q.fail(&b.launches[u.launches[part]], err)
		}
	}
	return true
}

// prepare makes the schedule of the code that there is now.
func (c *concurrent) prepare(m launch.Scheduler) (ok bool) {
	same := c.schedule != nil
	for i := range c.units {
		u := &c.units[i]
		if now := u.code.Launcher(); now != u.launcher {
			u.launcher, same = now, false
		}
	}
	if same {
		return true
	}
	var all []launch.Launcher
	for i := range c.units {
		all = append(all, c.units[i].launcher)
	}
	c.schedule, ok = m.Schedule(all, c.nodes)
	return ok
}
