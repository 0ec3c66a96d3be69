package engine

import (
	"fmt"
	"slices"

	"github.com/gotaichi/ti/internal/launch"
)

// runShared runs the part of a task that this machine has, where several run a kernel together. Like runTask it reports whether it finished.
func (e *Engine) runShared(c *Code, t *task, done <-chan struct{}) bool {
	total, inner := int64(0), int64(1)
	var outer launch.Range
	each := int64(0)
	if len(t.Dims) > 0 {
		total, inner = c.extent(t)
		if total < 0 {
			e.failed = &launch.TooManyIterations{Place: t.name.Place}
			return false
		}
		if total > 0 {
			outer.From, outer.To = c.outer(t)
			each = total / (outer.To - outer.From)
		}
	}
	portion, err := c.share.Enter(t.number, outer, each)
	e.echo = portion.Echo
	finished := false
	if err == nil {
		c.before = c.before[:0]
		if portion.Cut {
			c.before = append(c.before, c.frame...)
		}
		finished, err = e.runPortion(c, t, portion, fixedRange{total: total, inner: inner}, done)
	}
	if err != nil {
		e.failed = err
		return false
	}
	return finished
}

// runPortion runs the rows of a portion.
func (e *Engine) runPortion(c *Code, t *task, p launch.Portion, r fixedRange, done <-chan struct{}) (finished bool, err error) {
	if len(t.Dims) == 0 || !p.Shared {
		finished = len(t.Dims) > 0 && p.Rows.From >= p.Rows.To || e.runPart(c, t, done, p.Rows)
		return finished, c.leave(t)
	}
	if r.total == 0 {
		return true, c.leave(t)
	}
	lo, hi := c.outer(t)
	each := r.total / (hi - lo)
	e.bind(c, t)
	r.begin, r.end = (max(p.Rows.From, lo)-lo)*each, (min(p.Rows.To, hi)-lo)*each
	f, err := e.prepareFixed(c, t, r.total, r.inner)
	if err != nil {
		return false, err
	}
	f.alignTo(p, lo, each, r.total)
	first, chunks := f.chunkOf(r.begin), f.chunkOf(r.total-1)+1
	if t.Partial != nil && chunks > mostParts {
		return false, fmt.Errorf("%s:%d: the loop has %d tiles, and sums have at most %d partial results; take larger tiles", t.name.File, t.name.Line, chunks, mostParts)
	}
	own := int64(0)
	if r.begin < r.end {
		own = f.chunkOf(r.end-1) + 1 - first
	}
	if t.Partial != nil {
		if f.partial, err = c.grown(f.partial, int(own)*t.Partial.Words); err != nil {
			return false, err
		}
	}
	finished = true
	if own > 0 {
		e.now.of(r.end - r.begin)
		finished = e.runChunks(t, f, r, first, done)
		if e.trapped() || !t.Helper && e.stopper.stopped() {
			return false, nil
		}
	}
	if err := c.leave(t); err != nil || !finished || t.Partial == nil {
		return finished, err
	}
	words := t.Partial.Words
	all, err := c.share.Gather(t.number, words, f.partial[:int(own)*words], first, chunks)
	if err != nil {
		return false, err
	}
	if f.merged, err = c.grown(f.merged, len(all)); err != nil {
		return false, err
	}
	copy(f.merged, all)
	c.bases[t.Partial.Scratch] = addressOf(f.merged)
	merge := &c.tasks[t.Partial.Merge]
	e.bind(c, merge)
	e.threads[0].run(merge, 0, chunks)
	return true, nil
}

// leave ends the rows of a task, which have left the frame as it was if other machines run others.
func (c *Code) leave(t *task) error {
	if len(c.before) > 0 && !slices.Equal(c.before, c.frame) {
		return fmt.Errorf("%s:%d: %w", t.name.File, t.name.Line, launch.ErrFrame)
	}
	return c.share.Leave(t.number)
}

// mostParts is how many partial results of chunks a task has at most, all machines together; the helper task that merges them can have no more.
const mostParts = 1 << 16

// grown returns words of the machine with room for n.
func (c *Code) grown(words []uint64, n int) ([]uint64, error) {
	if n <= len(words) {
		return words, nil
	}
	return c.words(n)
}

// alignTo has chunks end where the portion says.
func (f *fixed) alignTo(p launch.Portion, lo, each, total int64) {
	rows := p.Chunk
	if want := max(1, f.chunk/each, 2*total/each/mostParts); rows > want { // several chunks in one of the portion, all of one size
		for rows = want; p.Chunk%rows != 0; rows-- {
		}
	}
	f.shared, f.chunk, f.part = true, rows*each, rows*each
	f.phase = ((lo-p.Origin)%rows + rows) % rows * each
}

// chunkOf returns the number of the chunk that an iteration is in.
func (f *fixed) chunkOf(iteration int64) int64 { return (iteration + f.phase) / f.chunk }

// runChunks runs whole chunks, of which the first has that number.
func (e *Engine) runChunks(t *task, f *fixed, r fixedRange, first int64, done <-chan struct{}) bool {
	j := &e.job
	n := r.end - r.begin
	calls := f.chunkOf(r.end-1) + 1 - first
	j.used = int(min(calls, int64(e.threadsFor(t))))
	if len(t.Private) > 0 {
		j.used = 1 // which works on the trees themselves
	}
	if t.cost != 0 {
		if t.cost*float64(n) < hotBelow {
			j.used = 1
		}
		j.used = int(min(int64(j.used), max(1, int64(t.cost*float64(n)/chunkMin))))
	}
	main := e.threads[0]
	j.task, j.main, j.done, j.chunk, j.fixed = t, main.ctx, done, f.chunk, f
	f.first, f.begin = first, r.begin
	main.ctx.Slots, main.ctx.Loop = addressOf(f.tables[0]), uint64(t.Loop)
	t.runs++
	finished := e.shareChunks(t, first*f.chunk-f.phase, r.end)
	j.fixed, f.begin = nil, 0
	e.last = e.clock()
	return finished
}
