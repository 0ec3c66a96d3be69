package vulkan

import (
	"context"
	"slices"
	"time"

	"github.com/gotaichi/ti/internal/devicelist"
	"github.com/gotaichi/ti/internal/launch"
)

// task records the dispatches of a task.
func (w *launcher) task(ctx context.Context, i int, number uint64) error {
	t := &w.k.Tasks[i]
	total := w.extent(t)
	if total < 0 {
		return &launch.TooManyIterations{Place: w.k.Names[i].Place}
	}
	if total == 0 {
		return nil
	}
	began := time.Time{}
	if w.recorder != nil {
		began = time.Now()
	}
	w.m.extent(total)
	w.now = i
	p := &w.plans[i]
	err := w.plan(i, total, p)
	if p.came = w.trees.noted; err == nil {
		err = w.openLocal(ctx, p.local(t))
	}
	switch {
	case err != nil:
	case t.Partial != nil:
		err = w.ordered(ctx, i, p, number)
	case w.k.Records:
		err = w.recording(ctx, t, p, w.give(&w.own, i, p, number))
	default:
		err = w.iterations(ctx, i, p, w.give(&w.own, i, p, number))
	}
	if err != nil {
		return err
	}
	if r := w.recorder; r != nil {
		if err := w.flush(ctx); err != nil {
			return err
		}
		r.Add(w.k.Name, w.k.Names[i], time.Since(began))
	}
	return nil
}

// pushes are the words that a dispatch is given.
type pushes [launch.PushWords]uint64

// give writes the words of a task into the memory of a launch, and returns what its dispatches have in common.
func (w *launcher) give(own *place, i int, plan *plan, number uint64) *pushes {
	given, errs := w.layout.tasks[i].given, w.layout.tasks[i].errs
	words := own.words(given, int64(len(w.k.Tasks[i].Slots)))
	for n, s := range w.k.Tasks[i].Slots {
		v := uint64(0)
		switch s.From {
		case launch.ArgSlot:
			if v = w.args[s.At]; w.named(s.At) {
				v = w.callers.address(v)
			}
		case launch.BaseSlot:
			v = w.bases[s.At]
		case launch.FrameSlot:
			v = own.address + uint64(s.At)
		case launch.RootSlot:
			v = w.roots[s.At]
		}
		words[n] = v
	}
	p := &w.push[i]
	*p = pushes{
		launch.PushSlots: own.address + uint64(given),
		launch.PushErrs:  own.address + uint64(errs),
		launch.PushStop:  w.m.control.address + controlStop,
		launch.PushLimit: own.address + uint64(w.layout.limit),
		launch.PushKey:   launch.Key(w.data.Seed, number),
		launch.PushSpace: w.m.space.entry(),
		launch.PushMost:  own.address + uint64(w.layout.gate+8*devicelist.GateMost),

		launch.PushTilesX: uint64(plan.tiles[0]),
		launch.PushTilesY: uint64(plan.tiles[1]),
	}
	if i == w.now && plan.came != nil {
		p[launch.PushMost] = w.trees.most
	}
	if w.k.Records {
		p[launch.PushText] = w.m.text.address
	}
	if w.k.Tasks[i].Local > 0 {
		p[launch.PushLocal] = w.m.local.address
	}
	return p
}

// openLocal sees to it that there are so many bytes for large local arrays. Tasks that are recorded use those that there were.
func (w *launcher) openLocal(ctx context.Context, bytes int64) error {
	m, d := w.m, w.m.d
	if bytes == 0 || m.local != nil && m.local.Bytes() >= bytes {
		return nil
	}
	if err := w.flush(ctx); err != nil {
		return err
	}
	if m.local != nil {
		_ = m.local.Free()
		m.local = nil
	}
	var err error
	m.local, err = d.allocateHidden(bytes, d.hiddenType())
	return err
}

// named reports whether an argument slot has an address of the caller's memory.
func (w *launcher) named(slot int64) bool {
	return slices.ContainsFunc(w.k.Memory, func(m launch.Memory) bool { return int64(m.Slot) == slot })
}

// iterations records the dispatches of a task.
func (w *launcher) iterations(ctx context.Context, i int, p *plan, push *pushes) error {
	if p.came == nil && p.units > w.piece(i, p) {
		return w.long(ctx, i, p, func(begin, end int64) error { return w.units(p, push, begin, end) })
	}
	if err := w.units(p, push, 0, p.units); err != nil {
		return err
	}
	return w.short(i, p)
}

// units records the dispatches of some units.
func (w *launcher) units(p *plan, push *pushes, begin, end int64) error {
	for ; begin < end; begin += p.most {
		to := min(end, begin+p.most)
		push[launch.PushBegin], push[launch.PushEnd] = uint64(begin), uint64(to)
		if err := w.dispatch(p.pipeline, push, p.groups(to-begin)); err != nil {
			return err
		}
	}
	return nil
}

// Partial results are kept in order by chunks of iterations, of which a thread has one. The chunks follow from the number of iterations alone.
const (
	chunkLeast  = 64
	chunksMost  = 1 << 13 // chunks of a task, about
	chunkMost   = 1 << 14 // iterations of a chunk
	chunkWindow = 1 << 13 // chunks whose results are there at a time

	recordWindow = 16 // the same of a task of a kernel that records: its records are given behind each window
)

// ordered runs a task chunk by chunk, and the helper task that merges their results, one behind the other. How many chunks are merged at a time changes nothing.
// A task that one thread runs has one chunk at a time.
func (w *launcher) ordered(ctx context.Context, i int, p *plan, number uint64) error {
	of, total := w.k.Tasks[i].Partial, p.units
	chunk := min(max(chunkLeast, (total-1)/chunksMost+1), chunkMost)
	alone := w.k.Tasks[i].InOrder()
	if alone {
		chunk = orderRounds
	}
	chunks := (total-1)/chunk + 1
	merging := &w.plans[of.Merge]
	if err := w.plan(of.Merge, chunks, merging); err != nil {
		return err
	}
	window := min(chunkWindow, p.grid[0]*launch.DispatchThreads)
	switch {
	case alone:
		window = 1
	case w.k.Records:
		window = recordWindow
	}
	if err := w.openPartial(ctx, min(chunks, window)*int64(8*of.Words)); err != nil {
		return err
	}
	w.bases[of.Scratch] = w.partial.address
	push, merge := w.give(&w.own, i, p, number), w.give(&w.own, of.Merge, merging, number)
	push[launch.PushChunk] = uint64(chunk)
	record := func(first, end int64) error {
		push[launch.PushBegin], push[launch.PushEnd] = uint64(first*chunk), uint64(min(total, end*chunk))
		if err := w.dispatch(p.pipeline, push, p.groups(end-first)); err != nil {
			return err
		}
		if w.k.Records {
			if _, _, err := w.giveRecords(ctx, &w.k.Tasks[i]); err != nil {
				return err
			}
		}
		return w.units(merging, merge, 0, end-first)
	}
	p.units, p.each, p.most = chunks, chunk, window
	if w.k.Records {
		for first := int64(0); first < chunks; first += window {
			if err := record(first, min(chunks, first+window)); err != nil {
				return err
			}
		}
		return nil
	}
	return w.pieces(ctx, i, p, record)
}

// openPartial sees to it that there is room for partial results.
func (w *launcher) openPartial(ctx context.Context, bytes int64) (err error) {
	if w.partial != nil && w.partial.Bytes() >= bytes {
		return nil
	}
	if w.partial != nil {
		if err := w.flush(ctx); err != nil { // a task that is recorded may use it
			return err
		}
		_ = w.partial.Free()
	}
	if w.partial, err = w.m.d.allocate(bytes); err != nil {
		w.partial = nil
	}
	return err
}

// begins sees to it that commands can be recorded.
func (w *launcher) begins() error {
	if w.recorded {
		return nil
	}
	if err := w.upload(); err != nil {
		return err
	}
	w.recorded, w.since = true, time.Now()
	return nil
}

// dispatch records one.
func (w *launcher) dispatch(pipeline handle, push *pushes, groups [3]int64) error {
	if err := w.begins(); err != nil {
		return err
	}
	return w.m.ring.dispatch(pipeline, push, groups, &w.ordering, w.now)
}

// flush submits what has been recorded, and waits for it.
func (w *launcher) flush(ctx context.Context) error {
	if w.recorded {
		w.recorded = false
		for _, t := range w.hidden {
			t.bring(&w.m.ring)
		}
		err := w.m.ring.finish()
		w.written(err)
		if err != nil {
			return err
		}
		w.trees.waited()
		for _, i := range w.whole {
			w.plans[i].learn()
		}
		w.learn(time.Since(w.since), w.whole)
		w.whole = w.whole[:0]
	}
	return w.goesOn(ctx)
}
