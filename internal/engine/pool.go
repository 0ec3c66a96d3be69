package engine

import (
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/memory"
	"github.com/gotaichi/ti/internal/spin"
)

// thread is a runner of tasks: worker i, or for i = 0 whoever launches.
type thread struct {
	ctx   *launch.Context
	text  buffer
	call  call
	stack *memory.Region // that tasks run on; nil until a launch needs it
	bed   bed

	trap     error // why it could not run a task to its end; nil if it could
	handsOff bool  // all processors work on the job: long calls hand off that of this thread

	clock     func() int64 // not nil while a recorder keeps intervals
	intervals []interval

	_ [64]byte
}

// run calls a task.
func (t *thread) run(k *task, begin, end int64) {
	c := &t.call
	c.fn, c.ctx, c.begin, c.end = k.entry, uintptr(unsafe.Pointer(t.ctx)), begin, end
	switch {
	case t.clock != nil:
		t.noted(k, begin, end)
	case k.code != nil:
		t.embedded(k, begin, end)
	case k.brief(end - begin):
		callBrief(c)
	case t.handsOff && k.cost*float64(end-begin) > handOffFrom:
		callHandingOff(c)
	default:
		callTask(c)
	}
}

// brief reports whether so many iterations are over so soon that the Go scheduler need not
// know of the call. It takes a call for a system call otherwise, and where all processors are in
// one for long it wakes a thread every few 10 µs to look after them, which takes a tenth of a processor.
func (t *task) brief(iterations int64) bool {
	if t.Steps == 0 || t.Steps > briefSteps || iterations > briefSteps || t.Steps*iterations > briefSteps {
		return false
	}
	return t.Steps*iterations <= shortSteps || t.cost > 0 && t.cost*float64(iterations) <= briefMost
}

// job is a range that threads share, or nodes of which each runs some. state says which one it is, whether it can
// still be joined, and how many workers have: its other fields are written
// before it is opened and after it is closed and left by all, so workers may read
// them from joining to leaving.
type job struct {
	state atomic.Uint64 // number<<32 | open<<31 | waited<<30 | workers inside
	idle  chan struct{} // notified by the last one to leave a closed job that is waited for

	task    *task
	fixed   *fixed    // how the task is run in deterministic mode, else nil
	nodes   *schedule // of which threads run nodes; nil if they share a task
	main    *launch.Context
	parts   []span
	used    int
	chunk   int64
	most    int64 // iterations that chunks may grow to; 0 for chunks of one size
	done    <-chan struct{}
	stopped atomic.Bool
}

const (
	jobOpen   = 1 << 31
	jobWaited = 1 << 30 // the thread that closes the job sleeps until it is notified
	jobInside = jobWaited - 1
	jobNumber = 32
)

// open makes the job joinable.
func (j *job) open() { j.state.Store((j.state.Load()>>jobNumber+1)<<jobNumber | jobOpen) }

// join enters the job if it is open.
func (j *job) join() bool {
	for {
		s := j.state.Load()
		if s&jobOpen == 0 {
			return false
		}
		if j.state.CompareAndSwap(s, s+1) {
			return true
		}
	}
}

// assemble waits a while until all threads are in the job.
func (j *job) assemble() {
	for range assembleTries {
		if int(j.state.Load()&jobInside) >= j.used-1 {
			return
		}
		runtime.Gosched()
	}
}

// leave is the end of join.
func (j *job) leave() {
	if s := j.state.Add(^uint64(0)); s&(jobOpen|jobWaited|jobInside) == jobWaited {
		j.idle <- struct{}{}
	}
}

// close ends joining and waits until all have left: in a spin first, since to be put to sleep and
// woken by the Go scheduler takes as long as a short loop.
func (j *job) close() {
	j.state.And(^uint64(jobOpen))
	for range spins {
		if j.state.Load()&jobInside == 0 {
			return
		}
		spin.Pause()
	}
	if s := j.state.Or(jobWaited); s&jobInside != 0 { // those inside see that they are waited for
		<-j.idle
	}
}

// share runs iterations of a task in chunks, on several threads unless alone is set;
// false means that it was stopped. Where there is no memory for all private copies, fewer
// threads do it.
func (e *Engine) share(c *Code, t *task, begin, total, inner int64, done <-chan struct{}, alone bool) bool {
	j := &e.job
	n := total - begin
	j.used = int(min(int64(e.threadsFor(t)), max(1, int64(t.cost*float64(n)/chunkMin))))
	if alone {
		j.used = 1
	}
	j.task, j.main, j.done = t, e.threads[0].ctx, done
	if len(t.Private) > 0 {
		j.used = e.privatise(c, t, j.used)
	}
	j.chunk = t.chunkSize(n, inner, j.used)
	if t.Uneven && j.chunk > unevenMost {
		j.chunk = max(1, wholeRows(unevenMost, inner))
	}
	if j.most = 0; t.runs == 1 {
		j.most = largestChunk(t, n, j.used)
	}
	finished := e.shareChunks(t, begin, total)
	j.most = 0
	if t.copies != nil {
		e.merge(c, t)
	}
	return finished
}

// shareChunks runs the chunks of the job that e.job describes, on job.used threads.
func (e *Engine) shareChunks(t *task, begin, total int64) (finished bool) {
	j := &e.job
	e.divide(begin, total, j.chunk, j.used)
	if t.prints {
		e.ascend(j.used)
	}
	j.stopped.Store(false)
	if j.used > 1 {
		j.open()
		for _, w := range e.threads[1:j.used] {
			w.bed.wake()
		}
		if e.Spread {
			j.assemble()
		}
	}
	start := e.clock()
	main := e.threads[0]
	main.handsOff = j.used > 1 && e.handsOff(j.used)
	ran := e.drain(main, 0)
	main.handsOff = false
	took := e.clock() - start
	if j.used > 1 {
		j.close()
	}
	if ran > 0 {
		t.learn(took, ran) // behind the end of the others, which look at what is known
	}
	return !j.stopped.Load()
}

// handsOff reports whether a job of so many threads has all processors of the Go scheduler.
func (e *Engine) handsOff(threads int) bool {
	return threads >= runtime.GOMAXPROCS(0) && !e.callsBack
}

// threadsFor is the number of threads that may share a task.
func (e *Engine) threadsFor(t *task) int {
	if t.Threads > 0 {
		return min(t.Threads, len(e.threads))
	}
	return len(e.threads)
}

// chunkSize is the number of iterations that a thread claims at a time: an eighth
// of its share, within bounds of time, in whole rows where it holds some, and short enough for
// a brief call if calls can be. Of a short loop it is the whole share, since its data, still in
// the threads' caches from the launch before, would cost more to move than the balance gains.
func (t *task) chunkSize(n, inner int64, threads int) int64 {
	share, longest := float64(n)/float64(threads), chunkMax/t.cost
	if t.Steps > 0 && t.code == nil {
		longest = min(chunkBrief/t.cost, float64(briefSteps/t.Steps))
	}
	chunk := int64(max(1, min(max(share/8, chunkMin/t.cost), max(share/32, chunkFine/t.cost), longest)))
	if t.cost*float64(n) < wholeBelow {
		chunk = (n + int64(threads) - 1) / int64(threads)
	}
	if chunk = wholeRows(chunk, inner); chunk < inner && n >= 4*fewVectors*int64(threads) {
		chunk = t.wholeVectors(chunk, chunkMax)
	}
	return chunk
}

// fewVectors is a number of iterations that most loops run as vectors.
const fewVectors = 16

// wholeVectors makes about n iterations a number of which none runs by itself because vectors do not take it. Iterations one by one take several times as long: then
// the cost that is measured is higher, the next chunks have fewer iterations, and in the end no vectors run. It may be more than n, for some times as many nanoseconds
// as meant.
func (t *task) wholeVectors(n int64, meant float64) int64 {
	switch {
	case n >= fewVectors:
		return n / fewVectors * fewVectors
	case t.code != nil && t.cost*fewVectors < 4*meant:
		return fewVectors
	}
	return n
}

// largestChunk is what chunks may grow to where the cost of an iteration is not known well: a
// part of each thread's share that leaves some to balance.
func largestChunk(t *task, n int64, threads int) int64 {
	most := max(1, n/int64(8*threads))
	if t.Uneven {
		most = min(most, unevenMost)
	}
	return most
}

// next is the size of a thread's next chunk after one that took so many nanoseconds. The
// first run of a task begins with what its first iterations cost. They may have waited for
// pages of memory, and then a chunk is a single iteration: it grows as long as chunks are
// shorter than is worth handing out, and shrinks where that went too far.
func (j *job) next(chunk, ns int64) int64 {
	switch {
	case ns < chunkFine/2:
		return max(chunk, min(4*chunk, j.most))
	case ns > chunkMax:
		return max(chunk/4, min(chunk, j.chunk))
	}
	return chunk
}

// wholeRows makes a chunk end with a row, or with a vector.
func wholeRows(chunk, inner int64) int64 {
	switch {
	case chunk >= inner:
		return chunk / inner * inner
	case chunk > 64:
		return chunk / 64 * 64
	}
	return chunk
}

// divide gives each thread its part: whole chunks, the rest to the last.
func (e *Engine) divide(begin, end, chunk int64, threads int) {
	chunks := (end - begin + chunk - 1) / chunk
	n := int64(threads)
	at := func(i int64) int64 { // chunks*i may have more than 63 bits
		return min(end, begin+(chunks/n*i+chunks%n*i/n)*chunk)
	}
	for i := range n {
		p := &e.job.parts[i]
		p.next.Store(at(i))
		p.end = at(i + 1)
	}
}

// ascend makes all threads claim their chunks from the first part, which becomes the whole
// range. Early iterations then run first, so that where there is no room for all that a
// loop prints, its first lines are kept.
func (e *Engine) ascend(threads int) {
	parts := e.job.parts[:threads]
	parts[0].end = parts[threads-1].end
	for i := range parts[1:] {
		parts[i+1].next.Store(parts[0].end)
	}
}

// help is a worker's share of the job it has joined.
func (e *Engine) help(t *thread) {
	j := &e.job
	me := t.ctx.Worker
	if int(me) >= j.used {
		return
	}
	if j.nodes != nil {
		j.nodes.work(t) // which gives the thread the context of each node
		return
	}
	text := t.ctx.Text
	*t.ctx = *j.main
	t.ctx.Worker, t.ctx.Text = me, text
	if f := j.fixed; f != nil {
		t.ctx.Slots = addressOf(f.tables[me])
	}
	if cs := j.task.copies; cs != nil {
		t.ctx.Slots = addressOf(cs.tables[me])
		cs.joined[me] = true
	}
	e.drain(t, int(me))
}

// drain runs chunks, of the thread's own part and then of the others', and
// returns how many iterations it ran.
func (e *Engine) drain(t *thread, me int) int64 {
	j := &e.job
	ran, chunk, clock := int64(0), j.chunk, int64(0)
	if j.most > 0 {
		clock = e.clock()
	}
	for k := range j.used {
		p := &j.parts[(me+k)%j.used]
		for !j.stopped.Load() {
			if p.next.Load() >= p.end {
				break
			}
			lo := p.next.Add(chunk) - chunk
			hi := min(lo+chunk, p.end)
			if lo >= hi {
				break
			}
			if j.fixed != nil {
				j.fixed.run(t, j.task, lo, hi, e.stopper)
			} else {
				t.run(j.task, lo, hi)
			}
			ran += hi - lo
			e.now.add(hi - lo)
			if j.most > 0 {
				now := e.clock()
				chunk, clock = j.next(chunk, now-clock), now
			}
			if !j.task.Helper && e.stopper.stopped() {
				j.stopped.Store(true)
			}
			if j.done != nil {
				select {
				case <-j.done:
					j.stopped.Store(true)
				default:
				}
			}
		}
	}
	return ran
}
