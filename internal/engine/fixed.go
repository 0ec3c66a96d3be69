package engine

import (
	"fmt"

	"github.com/gotaichi/ti/internal/memory"
)

// fixed is what a task needs to be run so that its result does not depend on the
// number of threads. Its iterations are cut into the same chunks for any number of
// them, and each chunk is one call. What chunks accumulate is merged in their order.
// A task with private trees is divided into parts, runs of chunks: each part has
// copies of its own, whichever thread works on it, but for the first, which works
// on the trees themselves.
type fixed struct {
	chunk   int64            // iterations of a call
	part    int64            // iterations that one thread takes at a time, in order
	tables  [][]uint64       // slots of each thread
	trees   [][]uint64       // by part: addresses of the trees, in the order of task.private
	regions []*memory.Region // the memory of the copies
	window  int64            // iterations between two merges of partial results
	first   int64            // number of the first chunk of the window under way
	partial []uint64         // the partial results of its chunks

	// Where several machines share the range (shared.go): chunks end where iterations plus phase are a multiple of chunk, the first of this machine
	// begins at begin, and merged has the partial results of all machines.
	shared       bool
	phase, begin int64
	merged       []uint64
}

const (
	fixedChunks = 256 // at most about so many chunks, enough for many threads
	fixedLeast  = 512 // light iterations: fewer are not worth a call

	// A launch can be stopped between chunks, so these are not longer.
	fixedMost = 1 << 22
	heavyMost = 1 << 13

	fixedWindow = 1 << 14 // chunks of a window; it bounds the memory for partial results
)

// fixedChunk is the number of iterations of a chunk. It follows from the task and
// its range alone.
func (t *task) fixedChunk(total, inner int64) int64 {
	chunk := (total-1)/fixedChunks + 1
	most := int64(heavyMost)
	if !t.Heavy {
		chunk, most = max(chunk, fixedLeast), fixedMost
	}
	if t.Partial == nil || len(t.Private) == 0 { // else what each chunk has is kept to the end
		chunk = min(chunk, most)
	}
	return wholeRows(chunk, inner)
}

// A fixedRange is iterations begin ≤ i < end of a range of total ones, in rows of inner ones.
type fixedRange struct{ total, inner, begin, end int64 }

// runFixed runs a range in deterministic mode and reports whether it finished. Otherwise
// the launch was stopped, or there is no memory for the copies, and e.failed says so.
func (e *Engine) runFixed(c *Code, t *task, r fixedRange, done <-chan struct{}) bool {
	j := &e.job
	total := r.end - r.begin
	f, err := e.prepareFixed(c, t, r.total, r.inner)
	if err != nil {
		e.failed = err
		return false
	}
	calls := (total-1)/f.part + 1
	j.used = int(min(calls, int64(e.threadsFor(t))))
	if t.cost != 0 {
		j.used = int(min(int64(j.used), max(1, int64(t.cost*float64(total)/chunkMin))))
		if t.cost*float64(total) < hotBelow {
			j.used = 1
		}
	}
	main := e.threads[0]
	j.task, j.main, j.done, j.chunk = t, main.ctx, done, f.part
	finished := true
	for begin := r.begin; begin < r.end && finished; {
		end := begin + min(f.window, r.end-begin)
		f.first = f.chunkOf(begin)
		main.ctx.Slots, main.ctx.Loop, j.fixed = addressOf(f.tables[0]), uint64(t.Loop), f
		finished = e.shareChunks(t, begin, end)
		j.fixed = nil
		if p := t.Partial; p != nil && finished {
			c.bases[p.Scratch] = addressOf(f.partial)
			e.bind(c, &c.tasks[p.Merge])
			main.run(&c.tasks[p.Merge], 0, f.chunksIn(begin, end))
		}
		begin = end
	}
	for part := 1; part < int(calls) && len(t.Private) > 0; part++ {
		for k, p := range t.Private {
			c.bases[p.Scratch] = f.trees[part][k]
			finished = e.runTask(c, &c.tasks[p.Merge], nil) && finished
		}
	}
	return finished
}

// prepareFixed cuts the range and makes what its chunks and parts need of memory.
func (e *Engine) prepareFixed(c *Code, t *task, total, inner int64) (*fixed, error) {
	if t.fixed == nil {
		t.fixed = &fixed{tables: make([][]uint64, len(e.threads))}
		for i := range t.fixed.tables {
			var err error
			if t.fixed.tables[i], err = c.words(len(t.slots)); err != nil {
				t.fixed = nil
				return nil, err
			}
		}
	}
	f := t.fixed
	f.shared, f.phase, f.begin = false, 0, 0
	f.chunk = t.fixedChunk(total, inner)
	f.part = f.chunk
	chunks := (total-1)/f.chunk + 1
	for _, table := range f.tables {
		copy(table, t.slots)
	}
	f.window = total
	if p := t.Partial; p != nil {
		if len(t.Private) == 0 && chunks > fixedWindow {
			f.window = fixedWindow * f.chunk
		}
		if kept := int(min(chunks, f.window/f.chunk+1)) * p.Words; len(f.partial) < kept {
			partial, err := c.words(kept)
			if err != nil {
				return nil, err
			}
			f.partial = partial
		}
	}
	if len(t.Private) == 0 {
		return f, nil
	}
	parts := min(int64(max(1, t.Parts)), chunks)
	f.part = ((chunks-1)/parts + 1) * f.chunk
	return f, e.copiesOf(f, c, t, int(parts))
}

// copiesOf makes the copies of the private trees for the given number of parts.
func (e *Engine) copiesOf(f *fixed, c *Code, t *task, parts int) error {
	for len(f.trees) < parts {
		var trees []uint64
		had := len(f.regions)
		for _, p := range t.Private {
			if len(f.trees) == 0 {
				trees = append(trees, c.bases[p.Base])
				continue
			}
			r, err := e.mapCopy(c.sizes[p.Base])
			if err != nil { // the next run tries again
				for _, r := range f.regions[had:] {
					e.freeCopy(r)
				}
				f.regions = f.regions[:had]
				return fmt.Errorf("%d copies of %d bytes for deterministic results: %w", parts-1, c.sizes[p.Base], err)
			}
			f.regions = append(f.regions, r)
			fill(r.Bytes(), p.Identity, p.Size)
			trees = append(trees, uint64(uintptr(r.Base())))
		}
		f.trees = append(f.trees, trees)
	}
	return nil
}

// run runs the iterations that a thread has claimed, chunk by chunk. Unless t is a helper,
// it ends between two chunks once the launch is stopped.
func (f *fixed) run(th *thread, t *task, lo, hi int64, s *stopper) {
	table := f.tables[th.ctx.Worker]
	for k, p := range t.Private {
		t.setBase(table, p.Base, f.trees[f.partOf(lo)][k])
	}
	for ; lo < hi && (t.Helper || !s.stopped()); lo += f.chunk {
		if p := t.Partial; p != nil {
			t.setBase(table, p.Scratch, address(&f.partial[(f.chunkOf(lo)-f.first)*int64(p.Words)]))
		}
		th.run(t, max(lo, f.begin), min(lo+f.chunk, hi))
	}
}

// partOf returns the part that an iteration is in.
func (f *fixed) partOf(iteration int64) int64 {
	if f.shared {
		return 0
	}
	return iteration / f.part
}

// chunksIn is the number of chunks of a window.
func (f *fixed) chunksIn(begin, end int64) int64 { return (end-begin-1)/f.chunk + 1 }

// runFixedWhole runs all of a range on one thread, chunk by chunk, as runFixed does with all threads: bits are the same. The task has no private trees.
// Other threads may run other tasks of the launch, so it leaves the table of base addresses as it is.
func (e *Engine) runFixedWhole(th *thread, c *Code, t *task, total, inner int64) {
	f, err := e.prepareFixed(c, t, total, inner)
	if err != nil {
		th.trap = err
		return
	}
	for begin := int64(0); begin < total && !e.stopper.stopped(); begin += f.window {
		end := min(begin+f.window, total)
		f.first = begin / f.chunk
		th.ctx.Slots = addressOf(f.tables[th.ctx.Worker])
		f.run(th, t, begin, end, e.stopper)
		if p := t.Partial; p != nil && !e.stopper.stopped() {
			merge := &c.tasks[p.Merge]
			c.fill(merge)
			merge.setBase(merge.slots, p.Scratch, addressOf(f.partial))
			th.ctx.Slots, th.ctx.Loop = addressOf(merge.slots), uint64(merge.Loop)
			th.run(merge, 0, f.chunksIn(begin, end))
			th.ctx.Loop = uint64(t.Loop)
		}
	}
}
