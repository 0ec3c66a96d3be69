package batch

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gotaichi/ti/internal/hostabi"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/variant"
)

// A Queue has the launches of a runtime that wait to be run.
type Queue struct {
	maker *variant.Maker
	most  int // tasks of a batch
	limit int // of the batch that is filling: most, or a little more; see widen
	sent  int // tasks of the batches that were submitted since the queue was empty

	removed *Removed

	busy   atomic.Bool // something is queued or runs
	period uint64      // counts the times at which the queue became empty

	recording bool                  // launches are noted, and none is run
	noted     sync.Mutex            // held while a launch is noted, or what was noted is looked at: who touches an element may hold the launch lock or not
	refused   atomic.Pointer[error] // why a recording has failed
	ctx       context.Context       // of launches that run

	drawing    *drawing // nil while nobody wants pictures
	planner    planner
	bypass     bypass
	tiled      bool // launches that can run tile by tile always do
	concurrent bool // launches that can run concurrently always do
	together   bool // launches that were linked always run so: nothing is measured. Else bits would depend on it, or a test wants it

	full    sequence // the last full batch
	rest    []entry  // room for the launches that are left of one
	filling *batch
	running *batch      // on the goroutine of the queue; nil if none is
	work    chan *batch // to that goroutine; nil before the first batch is submitted
	free    *batch

	overlapping launch.Overlapping // the machine; nil if a launch has ended when the next one begins
	started     []startedUnit      // of the batch that runs

	frame   hostabi.Frame    // of the launch that is being made
	next    *variant.Variant // of that launch
	panics  bool             // its function has no error result
	failure atomic.Pointer[failure]
	failed  int // launches that have failed; belongs to who runs batches
}

// Removed counts what need not run.
type Removed struct {
	Launches atomic.Int64 // whose values nobody reads
	Tasks    atomic.Int64 // of these, and of launches that were linked
}

// A failure is the first one that no call has reported yet.
type failure struct {
	err    error
	panics bool // the function of the kernel has no error result
}

// A batch is launches in their order. Args has their arguments.
type batch struct {
	launches []entry
	args     []uint64
	ranges   []uint64 // room for equalArgs
	used     int
	tasks    int
	done     chan struct{} // gets a value when it has run on the queue's goroutine
}

// An entry is a launch in a batch.
type entry struct {
	variant  *variant.Variant
	number   uint64
	at, args int // of its arguments
	tasks    int
	panics   bool
	again    bool // a store of the host that stores what the one before in the batch has stored
}

// New returns a queue whose batches have at most that many tasks, and which adds what it need not run to removed.
func New(m *variant.Maker, most int, removed *Removed) *Queue {
	q := &Queue{maker: m, most: most, limit: most, removed: removed, ctx: context.Background(), filling: newBatch(), free: newBatch(), planner: planner{maker: m}}
	q.together = m.Opt.LinkAlways || m.Opt.Deterministic && !m.Opt.StrictMath
	q.tiled = m.Opt.TileRows > 0
	q.concurrent = m.Opt.Concurrent
	q.bypass.round = 1
	q.planner.waits = q.together || q.tiled || q.concurrent
	q.frame.Code = (*adder)(q)
	return q
}

func newBatch() *batch { return &batch{done: make(chan struct{}, 1)} }

// Takes reports whether a launch of v can be queued. The variant is compiled, and the caller holds the launch lock.
func (q *Queue) Takes(ctx context.Context, v *variant.Variant) bool {
	k := v.Queued()
	if !k.Known || k.Handed != q.maker.Store.Handed() {
		k = v.Queue()
	}
	return k.Never == "" && !k.Shares && ctx.Done() == nil && !(k.Sparse && v.Follows()) && !q.maker.Judged()
}

// Enter returns the frame for a launch of v that is queued, or that runs at once in a bypass; nil if it has to wait for the queue. Else it is as Takes and Frame.
func (q *Queue) Enter(ctx context.Context, v *variant.Variant, panics bool) *hostabi.Frame {
	if q.passes(v) {
		return &v.Frame
	}
	if !q.Takes(ctx, v) || (q.filling.tasks >= q.limit || !q.busy.Load()) && q.startBypass() {
		return nil
	}
	return q.Frame(v, panics)
}

// Why says why Takes has reported false, as in "has results".
func (q *Queue) Why(ctx context.Context, v *variant.Variant) string {
	switch k := v.Queue(); {
	case k.Never != "":
		return k.Never
	case ctx.Done() != nil:
		return "is launched with a context that can end"
	case k.Shares:
		return "uses a field of which the program has the memory"
	case k.Sparse && v.Follows():
		return "may deactivate elements of which a part lies in another tree"
	}
	return "is observed"
}

// Frame returns a frame whose code adds a launch of v to the queue. The caller fills the arguments and runs the code before it gives
// the launch lock back. panics says that the caller has no error result.
//
// A full batch is submitted here, and not where it becomes full: a program that waits then runs it on its own goroutine, and need not wake another one.
func (q *Queue) Frame(v *variant.Variant, panics bool) *hostabi.Frame {
	if q.filling.tasks >= q.limit && !q.recording {
		q.submitFull()
	}
	q.next, q.panics = v, panics
	q.frame.Args = q.filling.room(v.Queued().Slots)
	return &q.frame
}

// room returns slots for the arguments of a launch, which belong to it once it is added.
func (b *batch) room(slots int) []uint64 {
	if len(b.args) < b.used+slots {
		b.args = append(b.args, make([]uint64, max(slots, len(b.args), 64))...)
	}
	return b.args[b.used : b.used+slots]
}

// next returns the entry of the launch that add adds. It may hold what a launch has left that was added before.
func (b *batch) next() *entry {
	n := len(b.launches)
	if n == cap(b.launches) {
		b.launches = slices.Grow(b.launches, 1)
	}
	return &b.launches[:n+1][n]
}

// add adds the launch of the entry that next has returned, whose arguments are in place.
func (b *batch) add(e *entry) {
	b.launches = b.launches[:len(b.launches)+1]
	b.used += e.args
	b.tasks += max(1, e.tasks)
}

// An adder is a Queue as the code of its frame.
type adder Queue

// Run adds the launch that Frame was asked for.
func (a *adder) Run(context.Context) error {
	q := (*Queue)(a)
	q.push(q.maker.Numbers.Next(q.next.Kernel.Program))
	return nil
}

// Add adds a launch of v that the queue takes, with a number and its arguments. The caller holds the launch lock.
func (q *Queue) Add(v *variant.Variant, args []uint64, number uint64) {
	copy(q.Frame(v, false).Args, args)
	q.push(number)
}

// push adds the launch that Frame was asked for, with a number; 0 for one that is none of the program.
func (q *Queue) push(number uint64) {
	v := q.next
	k := v.Queued()
	if k.Tasks == 0 && !q.recording && q.drawing == nil { // there is nothing to run
		q.removed.Launches.Add(1)
		return
	}
	if k.Guarded != q.period {
		v.Guard()
		k.Guarded = q.period
	}
	k.Bypass, q.bypass.left = q.bypass.round, 0
	b := q.filling
	e := b.next() // filled in place: a copy would wait for each of the stores to it
	e.variant, e.number, e.at, e.args, e.tasks, e.panics, e.again = v, number, b.used, k.Slots, k.Tasks, q.panics, false
	if number == 0 && !k.Sparse { // cells that become active are 0
		e.again = b.again(e)
	}
	if q.recording {
		q.noted.Lock()
		b.add(e)
		q.noted.Unlock()
	} else {
		b.add(e)
	}
	if !q.busy.Load() {
		q.busy.Store(true)
	}
}

// submitFull submits the launches up to the end of the last whole round.
func (q *Queue) submitFull() {
	b := q.filling
	n := q.full.rounds(b.launches)
	q.rest = append(q.rest[:0], b.launches[n:]...)
	args := b.args[:b.used]
	b.launches = b.launches[:n]
	q.Flush()
	for _, e := range q.rest {
		to := q.filling
		copy(to.room(e.args), args[e.at:e.at+e.args])
		e.at = to.used
		e.again = e.again && to.again(&e)
		next := to.next()
		*next = e
		to.add(next)
	}
	clear(q.rest)
}

// Flush submits what is queued, and does not wait for it.
func (q *Queue) Flush() {
	b := q.filling
	if len(b.launches) == 0 || q.recording {
		return
	}
	q.await(nil)
	q.sent += b.tasks
	q.filling, q.free = q.free, nil
	q.running = b
	if q.work == nil {
		q.work = make(chan *batch)
		go q.worker(q.work)
	}
	q.work <- b
}

// worker runs batches that are submitted. It stays, since a new goroutine would have to grow its stack for each.
func (q *Queue) worker(work <-chan *batch) {
	for b := range work {
		q.run(b)
		b.done <- struct{}{}
	}
}

// await waits until the submitted batch has run. It gives up, and reports false, if done is closed before.
func (q *Queue) await(done <-chan struct{}) bool {
	b := q.running
	if b == nil {
		return true
	}
	select {
	case <-b.done:
	case <-done:
		return false
	}
	q.running = nil
	b.reset()
	q.free = b
	q.bypass.renew()
	return true
}

func (b *batch) reset() {
	clear(b.launches)
	b.launches, b.used, b.tasks = b.launches[:0], 0, 0
}

// Idle reports whether all launches have run.
func (q *Queue) Idle() bool { return !q.busy.Load() }

// Drain runs what is queued. It gives up, and reports false, if done is closed before all launches have run.
func (q *Queue) Drain(done <-chan struct{}) bool {
	if q.recording && len(q.filling.launches) > 0 {
		_ = q.Refuse("waits for its launches") // Plan returns it
	}
	if q.Idle() || q.recording {
		return true
	}
	if !q.await(done) {
		return false
	}
	if b := q.filling; len(b.launches) > 0 {
		q.widen(q.sent + b.tasks)
		if done != nil {
			q.Flush()
			if !q.await(done) {
				return false
			}
		} else {
			q.run(b)
			b.reset()
			q.bypass.renew()
		}
	}
	q.period++
	q.sent = 0
	q.busy.Store(false)
	return true
}

// widen sets the limit of the next batches, where the program waits after so many tasks. It will often do so again. If they are a few more than those of a
// batch, they are to be one batch, since the second one would have the rest alone.
func (q *Queue) widen(tasks int) {
	if tasks > q.most+q.most/4 {
		q.limit = q.most
		return
	}
	q.limit = max(q.limit, tasks)
}

// run runs the launches of a batch.
func (q *Queue) run(b *batch) {
	var p *plan
	if len(b.launches) > 1 || q.drawing != nil {
		p = q.planner.of(b)
		if q.drawing != nil {
			q.draw(b, p)
		}
		if !q.alone(p.made.Load()) {
			q.bypass.gained()
			q.runAs(b, p)
			return
		}
	}
	if !q.bypass.timed() {
		q.runAs(b, p)
		return
	}
	start := time.Now()
	q.runAs(b, p)
	q.bypass.note(len(b.launches), time.Since(start))
}

// runAs runs the launches of a batch by a plan, and one by one if there is none or it has not been made.
func (q *Queue) runAs(b *batch, p *plan) {
	q.overlapping, _ = q.maker.Machine.(launch.Overlapping)
	defer q.collect(b)
	if p != nil {
		if m := p.made.Load(); m != nil {
			q.runPlanned(b, m)
			return
		}
	}
	for i := range b.launches {
		q.runOne(b, &b.launches[i])
	}
}

// runEach runs the launches of a step from one on, each by itself.
func (q *Queue) runEach(b *batch, s *step, from int) {
	for n, i := range s.launches[from:] {
		if s.without == nil || s.without[from+n] == nil {
			q.runOne(b, &b.launches[i])
			continue
		}
		q.runWithout(b, &b.launches[i], s.without[from+n])
	}
}

func (q *Queue) runOne(b *batch, e *entry) {
	v := e.variant
	copy(v.Frame.Args, b.args[e.at:e.at+e.args])
	if q.start(startedUnit{code: v.Concurrent(), entry: e}, e.number) {
		return
	}
	if q.collect(b) {
		copy(v.Frame.Args, b.args[e.at:e.at+e.args])
	}
	if err := v.Exe.RunAs(q.ctx, e.number); err != nil {
		q.fail(e, err)
	}
}

// fail keeps an error unless there is one that nobody has reported.
func (q *Queue) fail(e *entry, err error) {
	q.failed++
	q.failure.CompareAndSwap(nil, &failure{err: err, panics: e.panics})
}

// Forget drops what the queue has for trees that have been closed. The caller holds the launch lock, and nothing is queued.
func (q *Queue) Forget() { q.planner.forget() }

// Close gives the code of linked launches back. The caller holds the launch lock, and nothing is queued or will be.
func (q *Queue) Close() {
	q.planner.close()
	if q.work != nil {
		close(q.work)
		q.work = nil
	}
}
