package engine

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gotaichi/ti/internal/launch"
)

// Engine owns the threads that kernels run on. All fields but the atomic ones
// belong to the holder of the launch lock.
type Engine struct {
	turn     *launch.Lock
	stopper  *stopper
	threads  []*thread // [0] is whoever launches
	job      job
	embedder Embedder // runs the code; nil if it is that of the processors
	place    Place    // where everything is that tasks are given the address of
	errs     *launch.ErrorRecord
	site     int // of the kernel, that errs names; -1 for none
	part     int // of a linked kernel, in which that site is
	running  running
	begun    uint64 // the number of the last launch
	aside    bool   // the launch is none of the program's
	fault    launch.Fault
	start    time.Time
	last     int64 // clock at the end of the last loop that was not trivial
	closing  atomic.Bool
	workers  sync.WaitGroup

	// InOrder makes loops run on the calling thread, from the first iteration to the
	// last. RecordLimit bounds the room for the records of a thread, in bytes; 0 is as
	// much as the system gives. Spread makes threads share each loop, however short, a few iterations at
	// a time, and lets all begin together: tests want their interleavings. All are set before the first launch.
	InOrder     bool
	Spread      bool
	RecordLimit int64
	Room        Room  // for copies of trees; nil for as much as the system gives
	room        int64 // bytes for print records, over all threads, in this launch; see Sink.Room

	recorder *launch.Recorder // nil while nobody measures
	recorded int64            // clock when the recorder was set

	stacked   bool  // openStacks has succeeded
	callsBack bool  // tasks may call Go functions; only those of tests do
	failed    error // why a task could not be run

	counts counts
	now    status

	siteTask int  // the task that it failed in
	echo     bool // another machine reports failures of the task under way
}

// New starts an engine with the given number of threads, the caller's included. Turn is the launch lock.
func New(threads int, turn *launch.Lock) *Engine {
	e := &Engine{turn: turn, start: time.Now(), stopper: &stopper{quit: make(chan struct{})}}
	for range max(1, threads) {
		e.threads = append(e.threads, &thread{bed: newBed()})
	}
	_ = e.furnish(Process{}) // which has memory
	e.job.parts = make([]span, len(e.threads))
	e.job.idle = make(chan struct{}, 1)
	e.startWorkers()
	return e
}

func (e *Engine) startWorkers() {
	for _, t := range e.threads[1:] {
		e.workers.Go(func() { e.work(t) })
	}
}

// endWorkers has the workers end, of which none is in a job, and waits for them.
func (e *Engine) endWorkers() {
	for _, t := range e.threads[1:] {
		t.bed.wake()
	}
	e.workers.Wait()
}

// keep ends threads beyond a number. Nothing has been loaded.
func (e *Engine) keep(threads int) {
	if len(e.threads) <= threads {
		return
	}
	e.closing.Store(true)
	e.endWorkers()
	e.closing.Store(false)
	e.threads, e.job.parts = e.threads[:threads], e.job.parts[:threads]
	e.startWorkers()
}

// Close waits for the launch under way and ends the threads. None may follow.
func (e *Engine) Close() {
	e.turn.Lock()
	defer e.turn.Unlock()
	if e.closing.Swap(true) {
		return
	}
	e.endWorkers()
	e.stopper.close()
	for _, t := range e.threads {
		_ = t.text.free()
	}
	e.closeStacks()
	if e.embedder != nil {
		_ = e.embedder.Close()
	}
}

// Threads returns the number of threads.
func (e *Engine) Threads() int { return len(e.threads) }

// Last is the number of the launch that was begun last. It needs the lock.
func (e *Engine) Last() uint64 { return e.begun }

// begin counts a launch of the program, or several that were linked.
func (e *Engine) begin(c *Code, number uint64) {
	if number != 0 {
		e.counts.launches += c.launches
		e.begun = number
	}
}

// runAside is Run with nobody to count or measure the launch.
func (e *Engine) runAside(ctx context.Context, c *Code) (*launch.Fault, error) {
	recorder, clock := e.recorder, e.threads[0].clock
	record := func(r *launch.Recorder, clock func() int64) {
		e.recorder = r
		for _, t := range e.threads {
			t.clock = clock
		}
	}
	e.aside = true
	record(nil, nil)
	defer func() {
		e.aside = false
		record(recorder, clock)
	}()
	return e.run(ctx, c, 0)
}

// Run launches c with the arguments in c.Args, as the launch of a number; see [launch.Launcher]. The caller holds the launch lock. It
// returns ctx's error when that ended the launch early, and a fault if the
// kernel recorded one; the fault is valid until the lock is released.
func (e *Engine) Run(ctx context.Context, c *Code, number uint64) (*launch.Fault, error) {
	if number == 0 {
		return e.runAside(ctx, c)
	}
	return e.run(ctx, c, number)
}

// run has as few returns as there may be for its defers to cost nothing: with more of them Go keeps a list.
func (e *Engine) run(ctx context.Context, c *Code, number uint64) (*launch.Fault, error) {
	done := ctx.Done()
	if done != nil { // else it is never done
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	if e.stopper.stopped() {
		return nil, launch.ErrStopped
	}
	if !e.stacked {
		if err := e.openStacks(); err != nil {
			return nil, err
		}
	}
	if done != nil {
		e.stopper.begin(done)
		defer e.stopper.end()
	}
	e.errs.Count, e.errs.Site, e.site, e.part, e.running = 0, 0, -1, 0, running{}
	clear(c.frame)
	if err := e.openSums(c); err != nil {
		return nil, err
	}
	main := e.threads[0].ctx
	e.begin(c, number)
	main.Errs, main.Key = address(e.errs), launch.Key(c.seed, number)
	e.now.begin(c)
	defer e.now.end()
	var err error
	if c.records || c.share != nil {
		err = e.runNoted(ctx, c, done, number)
	} else {
		err = e.runTasks(ctx, c, done)
	}
	if err != nil {
		return nil, e.inPart(c, err)
	}
	c.closeSums()
	if e.errs.Count == 0 && c.share == nil {
		return nil, nil
	}
	return e.ended(c)
}

// runNoted runs the tasks of a launch that records, or that several machines make together.
func (e *Engine) runNoted(ctx context.Context, c *Code, done <-chan struct{}, number uint64) error {
	if e.echo = false; c.share != nil {
		if err := c.share.Begin(number, c.args); err != nil {
			return err
		}
	}
	if c.records {
		return e.runRecorded(ctx, c, done)
	}
	return e.runTasks(ctx, c, done)
}

// ended returns the fault of a launch that has one, or that several machines have made together.
func (e *Engine) ended(c *Code) (*launch.Fault, error) {
	if c.share != nil {
		return c.share.Fail(e.faultOf(), e.siteTask)
	}
	return e.faultOf(), nil
}

// faultOf returns the fault of the launch that ends; nil if there is none.
func (e *Engine) faultOf() *launch.Fault {
	if e.errs.Count == 0 {
		return nil
	}
	e.fault = launch.Fault{Site: e.site, Index: e.errs.Values, Loop: e.errs.Loop[:min(e.errs.Rank, launch.MaxRank)], Count: int64(e.errs.Count), Part: e.part}
	return &e.fault
}

// running has the first and the last part of the task that was begun last.
type running struct{ first, last int }

// inPart says in which part a linked kernel ended early.
func (e *Engine) inPart(c *Code, err error) error {
	if c.linked {
		return &launch.InPart{Part: e.running.last, First: e.running.first, Err: err}
	}
	return err
}

// runTasks runs the tasks of a launch in their order.
func (e *Engine) runTasks(ctx context.Context, c *Code, done <-chan struct{}) error {
	loop := int64(0)
	for i := range c.tasks {
		t := &c.tasks[i]
		if t.Helper || c.without != nil && c.without[i] {
			continue
		}
		if i > 0 {
			if c.returned(t) {
				continue
			}
			if e.stopper.stopped() || done != nil && ctx.Err() != nil {
				return e.why(ctx)
			}
		}
		if c.records && (t.Loop != loop || loop == 0) {
			if err := c.Sink.Flush(); err != nil {
				return err
			}
			loop = t.Loop
		}
		if c.records {
			e.shareRoom(t)
		}
		e.now.at(i)
		e.running = running{t.First, t.Part}
		failures := e.errs.Count
		if c.Trees != nil {
			if err := c.enter(t); err != nil {
				return err
			}
		}
		ok := false
		switch {
		case e.recorder != nil:
			ok = e.recordTask(c, t, done)
		case c.share != nil:
			ok = e.runShared(c, t, done)
		default:
			ok = e.runTask(c, t, done)
		}
		e.noteFailure(t, failures)
		if err := e.leave(c, t); err != nil {
			return err
		}
		if !ok {
			if err := e.failed; err != nil {
				e.failed = nil
				return err
			}
			return e.why(ctx)
		}
		if !e.aside {
			e.counts.tasks++
		}
	}
	return nil
}

// noteFailure keeps the first failure of a launch behind a task, before which there were so many. Launches of the parts of a linked kernel by
// themselves are each told of the failures of one part. So failures of parts behind the first that fails are forgotten.
func (e *Engine) noteFailure(t *task, before uint64) {
	own := int(e.errs.Site) - 1
	switch {
	case e.echo:
		if e.errs.Count = before; e.site < 0 {
			e.errs.Site = 0
		}
	case e.site >= 0 && t.Part > e.part:
		e.errs.Count = before
	case e.site < 0 && own >= 0 && own < len(t.Sites):
		e.site, e.siteTask, e.part = t.Sites[own], t.number, t.Part
	}
}

// leave brings everything in order after a task. Records are taken out also where it has
// failed: the next launch would take them for its own.
func (e *Engine) leave(c *Code, t *task) (err error) {
	if c.Trees != nil {
		err = c.Trees.Settle()
	}
	if c.records {
		if lost := e.drainRecords(c, t); err == nil {
			err = lost
		}
	}
	return err
}

// Where the time of a loop decides how it is run.
const (
	aloneBelow    = 12e3    // ns: shorter loops are not worth waking a thread for
	hotBelow      = 4e3     // ns: nor are shorter ones worth one that is awake
	hotFor        = 20e3    // ns after a loop: the next one probably finds threads awake
	chunkMin      = 1e3     // ns: shorter chunks cost more to hand out than they balance
	chunkFine     = 20e3    // ns: nor does handing out longer ones cost anything, and the last one is waited for
	chunkMax      = 500e3   // ns: longer chunks keep a cancelled launch waiting
	aloneMost     = 20e6    // ns: longer loops without a context are cut too, so that [Engine.Stop] can end them
	unevenMost    = 1 << 13 // iterations of a chunk, at most, where some may take much longer than the measured ones
	wholeBelow    = 30e3    // ns: shorter loops are cut into one chunk for each thread
	chunkBrief    = 40e3    // ns: chunks of tasks that can be run by brief calls are no longer
	briefMost     = 60e3    // ns: shorter calls hold up the scheduler no more than Go code does
	handOffFrom   = 100e3   // ns: a longer call that cannot be brief hands off its processor, where all have one
	briefSteps    = 1 << 22 // steps of such a call, at most, should the measurement be wrong
	shortSteps    = 1 << 13 // steps that are over in 50 µs at the worst, measured or not
	spreadFine    = 256     // iterations up to which Spread hands out each by itself
	assembleTries = 1000    // looks at whether all threads have joined
	probeSize     = 64      // iterations, at most, that are timed before anything is known
)

// runTask runs one task and reports whether it finished. Otherwise the launch was
// stopped, or e.failed says why the task could not be run. Helpers are never stopped:
// they merge what has been accumulated.
func (e *Engine) runTask(c *Code, t *task, done <-chan struct{}) bool {
	return e.runPart(c, t, done, wholeRange)
}

// wholeRange is what a task runs unless it is run row by row.
var wholeRange = launch.Range{To: math.MaxInt64}

// runPart is runTask for indices of the outermost dimension in a range.
func (e *Engine) runPart(c *Code, t *task, done <-chan struct{}, r launch.Range) bool {
	e.bind(c, t)
	finished := e.runAll(c, t, done, r)
	if e.trapped() {
		return false
	}
	if t.Helper || !e.stopper.stopped() {
		return finished
	}
	t.cost = 0 // iterations that were measured after the stop returned at once
	return false
}

// bind gives the calling thread what the code of t is given.
func (e *Engine) bind(c *Code, t *task) {
	c.fill(t)
	main := e.threads[0].ctx
	main.Slots, main.Loop = addressOf(t.slots), uint64(t.Loop)
}

// runAll is runPart without its last look at the stop word. Code that polls returns
// early when the word is set, which looks like the end of the task from here.
func (e *Engine) runAll(c *Code, t *task, done <-chan struct{}, r launch.Range) bool {
	main := e.threads[0]
	if len(t.Dims) == 0 {
		if !t.brief(1) {
			e.counts.publish()
		}
		main.run(t, 0, 1)
		return true
	}
	total, inner := c.extent(t)
	if total <= 0 {
		if total < 0 {
			e.failed = &launch.TooManyIterations{Place: t.name.Place}
		}
		e.now.of(0)
		return total == 0
	}
	begin, end := c.iterations(t, total, r)
	if begin >= end {
		return true
	}
	e.now.of(end - begin)
	if !t.brief(end - begin) {
		e.counts.publish()
	}
	if e.InOrder {
		return e.inOrder(c, t, begin, end, done)
	}
	t.runs++
	if c.deterministic {
		finished := e.runFixed(c, t, fixedRange{total, inner, begin, end}, done)
		e.last = e.clock()
		return finished
	}
	if e.Spread {
		t.cost = aloneMost / max(1, float64(end-begin)/spreadFine)
	}
	if t.cost == 0 {
		if begin = e.probe(main, t, begin, end); begin == end {
			return true
		}
	}
	left := t.cost * float64(end-begin)
	alone := e.alone(t, left, done)
	if alone && !(t.Uneven && end-begin > unevenMost) {
		if t.runs%16 < 2 {
			e.timed(main, t, begin, end)
		} else {
			main.run(t, begin, end)
		}
		if left >= hotBelow {
			e.last = e.clock()
		}
		return true
	}
	finished := e.share(c, t, begin, end, inner, done, alone)
	e.last = e.clock()
	return finished
}

// alone reports whether a loop that takes left nanoseconds is best run by the
// calling thread, in one go. In a quick succession of short loops the first wakes
// the threads for those that follow.
func (e *Engine) alone(t *task, left float64, done <-chan struct{}) bool {
	if e.threadsFor(t) == 1 {
		return left < chunkMax || done == nil && left < aloneMost
	}
	return left < hotBelow || left < aloneBelow && float64(e.clock()-e.last) > hotFor
}

// probe runs the first iterations, learns their cost and returns where they end. It
// begins with one and takes more as long as they are quick: slow ones are for all
// threads to share, and a launch that is to be cancelled waits for one of them.
func (e *Engine) probe(th *thread, t *task, begin, all int64) int64 {
	most := begin + min(all-begin, probeSize)
	for n := int64(1); begin < most; n *= 4 {
		end := min(most, begin+n)
		t.cost = 0 // the longest batch says most
		e.timed(th, t, begin, end)
		slow := t.cost*float64(end-begin) > chunkMax/4
		begin = end
		if slow {
			break
		}
	}
	return begin
}

// timed runs iterations on one thread and learns their cost.
func (e *Engine) timed(th *thread, t *task, begin, end int64) {
	start := e.clock()
	th.run(t, begin, end)
	t.learn(e.clock()-start, end-begin)
}

// learn mixes a measurement into what is known of the task's cost. One that is much shorter takes its place: a thread
// that waits for a core measures too much, never too little, and a cost that is far too high cuts a loop into chunks
// of few iterations.
func (t *task) learn(ns, iterations int64) {
	cost := max(float64(ns)/float64(iterations), 1e-4)
	if t.cost == 0 || cost < t.cost/2 {
		t.cost = cost
		return
	}
	t.cost += (cost - t.cost) / 4
}

// clock is the time since the engine was started, in nanoseconds.
func (e *Engine) clock() int64 { return int64(time.Since(e.start)) }
