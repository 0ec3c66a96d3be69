package vulkan

import (
	"slices"
	"time"

	"github.com/gotaichi/ti/internal/launch"
)

// This file has launches that are started: they need not have ended when the next one begins, and nobody looks at them before Await.

var (
	_ launch.Overlapping = (*Machine)(nil)
	_ launch.Starter     = (*launcher)(nil)
)

// startsMost is how many launches a submission has at most. The device begins while others are recorded.
const startsMost = 16

// Await waits for all launches that were started.
func (m *Machine) Await() []launch.Ended {
	r := &m.ring
	_ = r.finish() // the launches have the error
	ended := r.ended
	r.launches, r.ended = 0, r.ended[:0]
	return ended
}

// Start records a launch if nothing must be waited for before, between and behind its tasks.
func (w *launcher) Start(number uint64) bool {
	m, r := w.m, &w.m.ring
	if !w.canStart() || number != 0 && m.recorder != nil || m.watched || m.stopped.Load() || m.d.usable() != nil || w.upload() != nil {
		return false
	}
	own, ok := r.take(w.layout.bytes)
	if !ok {
		return false
	}
	w.layout.clear(&own)
	if number != 0 {
		m.last = number
		m.launches.Add(max(1, int64(len(w.k.Parts))))
	}
	s := &r.all[r.now]
	s.started = append(s.started, started{w: w, number: r.launches, own: own})
	r.launches++
	w.ordering.begin()
	takes := time.Duration(0)
	for i := range w.plans {
		p := &w.plans[i]
		if p.units == 0 {
			continue
		}
		takes += w.expected(i, p)
		push := w.give(&own, i, p, number)
		for begin := int64(0); begin < p.units; begin += p.most {
			end := min(p.units, begin+p.most)
			push[launch.PushBegin], push[launch.PushEnd] = uint64(begin), uint64(end)
			_ = r.dispatch(p.pipeline, push, p.groups(end-begin), &w.ordering, i) // it has begun
		}
	}
	if number != 0 {
		m.tasks.Add(int64(len(w.k.Tasks)))
	}
	w.written(nil)
	s.started[len(s.started)-1].takes = takes
	if err := r.load(takes); err == nil && len(s.started) == startsMost { // the launches have the error
		_ = r.submit()
	}
	return true
}

// canStart plans a launch, and reports whether it can be started.
func (w *launcher) canStart() bool {
	if !w.examined {
		w.examined, w.waits = true, w.mustWait()
	}
	if w.waits || w.dirty || len(w.sums) < len(w.k.Sums) {
		return false
	}
	for i := range w.k.Tasks {
		t, p := &w.k.Tasks[i], &w.plans[i]
		total := w.extent(t)
		if p.units = 0; total == 0 {
			continue
		}
		if total < 0 || w.dispatches(i, total, p) != nil || t.Local > 0 && (w.m.local == nil || w.m.local.Bytes() < p.local(t)) {
			return false
		}
		if takes := w.expected(i, p); takes == 0 || takes > w.m.d.piece {
			return false
		}
		var made bool
		if p.pipeline, made = w.code[i].pipelines[p.block]; !made { // on llvmpipe none is made while submissions are under way
			return false
		}
	}
	return true
}

// mustWait reports whether no launch of the kernel can be started: the host reads something between tasks, or gives or takes more than arguments.
func (w *launcher) mustWait() bool {
	k := w.k
	if k.Records || k.Results > 0 || len(k.Memory) > 0 || w.data.Trees != nil || w.layout.bytes > roomBytes {
		return true
	}
	return slices.ContainsFunc(k.Tasks, func(t launch.Task) bool {
		return t.Helper || t.Partial != nil || w.doneOf(&t) >= 0 || boundInFrame(&t)
	})
}

// outcome is how a launch has ended whose commands have failed with err, or have ended.
func (w *launcher) outcome(own *place, err error) (end launch.End, failed bool) {
	switch {
	case err != nil:
	case w.m.stopped.Load():
		err = launch.ErrStopped
	default:
		err = w.limited(own)
	}
	if err != nil {
		w.dirty = true
		return launch.End{Err: err, Part: w.k.Tasks[len(w.k.Tasks)-1].First}, true
	}
	if !w.failure(own, &w.fault) {
		return end, false
	}
	f := w.fault // the next launch may have one too
	return launch.End{Fault: &f}, true
}

// take returns memory for a launch in the submission that is recorded.
func (r *ring) take(bytes int64) (own place, ok bool) {
	if r.all[r.now].used+bytes > roomBytes {
		_ = r.submit() // the launches have the error
	}
	s, err := r.record()
	if err == nil && s.room == nil {
		s.room, err = r.d.allocate(roomBytes)
	}
	if err != nil {
		return own, false // who waits for the launch has the error
	}
	own = s.room.place(s.used, bytes)
	s.used += bytes
	return own, true
}
