package engine

import (
	"context"
	"math"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/spin"
)

var _ launch.Scheduler = (*Engine)(nil)

// A schedule is nodes of a task graph in program order. Each runs on one thread once those before it have run; no barrier is between them.
//
// A node that is long by itself is run by all threads, behind all nodes that come before it in the program and before all that come behind it.
// Between two of these, nodes run concurrently.
type schedule struct {
	engine  *Engine
	codes   []*Code
	numbers []uint64
	nodes   []*node
	runs    uint64
	spans   []nodeSpan
	some    bool            // some nodes run concurrently
	unknown bool            // the cost of some node is not known yet
	done    <-chan struct{} // of the run under way

	from, to int // the nodes that run concurrently now
	ends     []launch.End
	faults   []launch.Fault
}

// A node is tasks of one launch that one thread runs.
type node struct {
	state   atomic.Int32 // of this run
	waiting atomic.Int32 // how many of the nodes before it that run concurrently with it have not run
	runner  atomic.Int32 // the thread that ran it last, whose caches have what it touches; -1 for none
	ended   bool         // it did not run to its end
	failed  error        // why, if it was not stopped

	code        int
	tasks       []int
	after, then []int
	cost        float64 // nanoseconds on one thread; negative while unknown
	over        float64 // when it is over, in nanoseconds, if there are enough threads
	site, part  int     // of its first failure; site is -1 for none
	errs        *launch.ErrorRecord
}

// The states of a node.
const (
	nodeWaits int32 = iota
	nodeTaken
)

// A nodeSpan is nodes that run concurrently, or one that is run by itself.
type nodeSpan struct {
	from, to   int
	concurrent bool
}

const (
	nodeMost    = aloneBelow                      // ns: longer nodes are shared by threads
	sharedExtra = 1e3                             // ns that sharing a loop takes beside its iterations
	errorWords  = int(launch.ErrSize+63) / 64 * 8 // of a node's record, in lines of its own
	respan      = 16                              // runs after which the costs of nodes are looked at again
)

// Concurrent reports whether there is more than one thread.
func (e *Engine) Concurrent() bool { return len(e.threads) > 1 && !e.InOrder }

// Schedule prepares to run launches together, see [launch.Scheduler].
func (e *Engine) Schedule(launchers []launch.Launcher, nodes []launch.Node) (launch.Schedule, bool) {
	s := &schedule{engine: e, ends: make([]launch.End, len(launchers)), faults: make([]launch.Fault, len(launchers))}
	for _, l := range launchers {
		c, is := l.(*Code)
		if !is || c.engine != e || c.failed != nil {
			return nil, false
		}
		s.codes = append(s.codes, c)
	}
	records, err := e.place.Words(len(nodes) * errorWords)
	if err != nil {
		return nil, false
	}
	runtime.AddCleanup(s, e.place.Drop, records)
	for i := range nodes {
		n := &node{code: nodes[i].Launcher, tasks: nodes[i].Tasks, after: nodes[i].After}
		n.runner.Store(-1)
		n.errs = (*launch.ErrorRecord)(unsafe.Pointer(&records[i*errorWords]))
		for _, before := range n.after {
			s.nodes[before].then = append(s.nodes[before].then, i)
		}
		s.nodes = append(s.nodes, n)
	}
	return s, true
}

// Run makes the launches, see [launch.Schedule].
func (s *schedule) Run(ctx context.Context, numbers []uint64, always bool) ([]launch.End, bool) {
	e := s.engine
	if e.recorder != nil || e.now.watched || !s.fits(always || e.Spread) || e.openStacks() != nil {
		return nil, false
	}
	if s.done = ctx.Done(); s.done != nil {
		e.stopper.begin(s.done)
		defer e.stopper.end()
	}
	s.numbers = numbers
	for i, c := range s.codes {
		c.Begin(numbers[i])
		clear(c.frame)
	}
	e.counts.publish()
	for _, n := range s.nodes {
		n.errs.Count, n.errs.Site, n.site, n.failed, n.ended = 0, 0, -1, nil, false
	}
	for i := range s.spans {
		if p := &s.spans[i]; p.concurrent {
			s.together(p.from, p.to)
		} else {
			s.alone(s.nodes[p.from])
		}
	}
	s.end(ctx)
	return s.ends, true
}

// fits reports whether the launches can be run together with their arguments as they are, and some nodes concurrently. It finds out which.
func (s *schedule) fits(always bool) bool {
	for _, n := range s.nodes {
		c := s.codes[n.code]
		for _, i := range n.tasks {
			if total, _ := c.extent(&c.tasks[i]); total < 0 {
				return false
			}
		}
	}
	if s.runs++; always || s.unknown || s.runs%respan == 1 {
		s.divide(always)
	}
	return s.some
}

// divide finds out which nodes run concurrently.
func (s *schedule) divide(always bool) {
	s.spans, s.some, s.unknown = s.spans[:0], false, false
	for _, n := range s.nodes {
		n.cost = s.codes[n.code].costOf(n.tasks)
		s.unknown = s.unknown || n.cost < 0
	}
	for from := 0; from < len(s.nodes); {
		to := from
		for to < len(s.nodes) && (always || s.nodes[to].cost >= 0 && s.nodes[to].cost <= nodeMost) {
			to++
		}
		if to-from > 1 && (always || s.pays(from, to)) {
			s.spans, s.some = append(s.spans, nodeSpan{from, to, true}), true
			from = to
			continue
		}
		for to = max(to, from+1); from < to; from++ {
			s.spans = append(s.spans, nodeSpan{from, from + 1, false})
		}
	}
}

const serialCost = 2e3 // ns that serial code is taken to run for if nothing is known of it

// costOf returns how long tasks run on one thread; -1 while it is not known.
func (c *Code) costOf(tasks []int) (ns float64) {
	for _, i := range tasks {
		t := &c.tasks[i]
		total, _ := c.extent(t)
		switch {
		case len(t.Dims) == 0 && t.Steps > 0:
			ns += float64(t.Steps)
		case len(t.Dims) == 0: // no other thread can help, so it is never too long
			ns += serialCost
		case t.cost == 0 && total > 0:
			return -1
		default:
			ns += t.cost * float64(total)
		}
	}
	return ns
}

// pays reports whether nodes take less time concurrently than one after the other, shared by all threads. All threads are as fast as the caller, and
// none waits for a node that does not depend on others.
func (s *schedule) pays(from, to int) bool {
	threads := float64(len(s.engine.threads))
	alone, work, longest := 0.0, 0.0, 0.0
	for _, n := range s.nodes[from:to] {
		work += n.cost
		if n.cost < hotBelow {
			alone += n.cost
		} else {
			alone += n.cost/threads + sharedExtra
		}
		begin := 0.0
		for _, k := range n.after {
			if k >= from {
				begin = max(begin, s.nodes[k].over)
			}
		}
		n.over = begin + n.cost
		longest = max(longest, n.over)
	}
	return max(longest, work/threads)+sharedExtra < alone
}

// alone runs a node as a launch by itself runs its tasks.
func (s *schedule) alone(n *node) {
	e, c, main := s.engine, s.codes[n.code], s.engine.threads[0].ctx
	main.Errs, main.Key = address(n.errs), launch.Key(c.seed, s.numbers[n.code])
	for _, i := range n.tasks {
		t := &c.tasks[i]
		if n.ended = s.stopped() || !e.runTask(c, t, s.done); n.ended {
			n.failed, e.failed = e.failed, nil
			return
		}
		n.note(t)
	}
}

// stopped reports whether the launches are to end.
func (s *schedule) stopped() bool {
	if s.done != nil {
		select {
		case <-s.done:
			return true
		default:
		}
	}
	return s.engine.stopper.stopped()
}

// together runs nodes concurrently.
func (s *schedule) together(from, to int) {
	e := s.engine
	s.from, s.to = from, to
	for _, n := range s.nodes[from:to] {
		before := int32(0)
		for _, k := range n.after {
			if k >= from {
				before++
			}
		}
		n.waiting.Store(before)
		n.state.Store(nodeWaits)
	}
	j := &e.job
	j.nodes, j.used = s, min(len(e.threads), to-from)
	j.open()
	for _, w := range e.threads[1:j.used] {
		w.bed.wake()
	}
	if e.Spread {
		j.assemble()
	}
	s.work(e.threads[0])
	j.close()
	j.nodes = nil
	e.last = e.clock()
}

// work runs nodes until none is left for the thread. Whoever has run a node looks for another one. So a thread may leave while others run nodes: what
// waits for these is for the others to run.
func (s *schedule) work(t *thread) {
	first, turns := s.from, 0
	for turns < spins {
		for first < s.to && s.nodes[first].state.Load() != nodeWaits {
			first++
		}
		if first == s.to {
			return
		}
		n := s.take(int32(t.ctx.Worker), first)
		if n == nil {
			spin.Pause()
			turns++
			continue
		}
		turns = 0
		s.run(t, n)
		for _, k := range n.then {
			if k < s.to {
				s.nodes[k].waiting.Add(-1)
			}
		}
	}
}

// take takes a node that can run, from number first on: one that the thread has run the last time, if there is one. It is nil if there is none. Spread takes
// the last one of all.
func (s *schedule) take(thread int32, first int) *node {
	if s.engine.Spread {
		for k := s.to - 1; k >= first; k-- {
			if n := s.nodes[k]; n.take(thread) {
				return n
			}
		}
		return nil
	}
	for _, n := range s.nodes[first:s.to] {
		if n.runner.Load() == thread && n.take(thread) {
			return n
		}
	}
	for _, n := range s.nodes[first:s.to] {
		if n.take(thread) {
			return n
		}
	}
	return nil
}

// take takes a node for a thread, if it can run and no other thread has taken it.
func (n *node) take(thread int32) bool {
	if n.state.Load() != nodeWaits || n.waiting.Load() != 0 || !n.state.CompareAndSwap(nodeWaits, nodeTaken) {
		return false
	}
	n.runner.Store(thread)
	return true
}

// run runs a node on one thread. The launches are not ended within a short task, as they are not where a thread runs it alone.
func (s *schedule) run(th *thread, n *node) {
	c := s.codes[n.code]
	th.ctx.Errs, th.ctx.Key = address(n.errs), launch.Key(c.seed, s.numbers[n.code])
	for _, i := range n.tasks {
		t := &c.tasks[i]
		if n.ended = s.stopped(); n.ended {
			return
		}
		s.runWhole(th, c, t)
		if n.ended = th.trap != nil; n.ended {
			n.failed, th.trap = th.trap, nil
			return
		}
		if n.ended = s.engine.stopper.stopped(); n.ended {
			t.cost = 0 // as in runPart
			return
		}
		n.note(t)
	}
}

// runWhole runs all iterations of a task on one thread, while other threads run other tasks.
func (s *schedule) runWhole(th *thread, c *Code, t *task) {
	e := s.engine
	c.fill(t)
	th.ctx.Slots, th.ctx.Loop = addressOf(t.slots), uint64(t.Loop)
	if len(t.Dims) == 0 {
		th.run(t, 0, 1)
		return
	}
	total, inner := c.extent(t)
	if total == 0 {
		return
	}
	t.runs++
	if c.deterministic {
		start := e.clock()
		e.runFixedWhole(th, c, t, total, inner)
		t.learn(e.clock()-start, total)
		return
	}
	begin := int64(0)
	if t.cost == 0 {
		begin = e.probe(th, t, begin, total)
	}
	for begin < total && !s.stopped() {
		end := min(total, begin+t.unstopped())
		if t.runs%16 < 2 {
			e.timed(th, t, begin, end)
		} else {
			th.run(t, begin, end)
		}
		begin = end
	}
}

// unstopped is how many iterations run in one call.
func (t *task) unstopped() int64 {
	n := max(1, chunkMax/t.cost)
	if t.Uneven {
		n = min(n, unevenMost)
	}
	return int64(min(n, math.MaxInt32))
}

// note keeps the first failure of a node behind one of its tasks.
func (n *node) note(t *task) {
	if own := int(n.errs.Site) - 1; n.site < 0 && own >= 0 && own < len(t.Sites) {
		n.site, n.part = t.Sites[own], t.Part
	}
}

// end finds out how each launch has ended. As in a launch by itself, failures of the parts of a linked kernel behind the first that fails are
// forgotten.
func (s *schedule) end(ctx context.Context) {
	clear(s.ends)
	for _, n := range s.nodes {
		end := &s.ends[n.code]
		part := s.codes[n.code].tasks[n.tasks[0]].Part
		switch {
		case end.Err != nil:
		case n.ended:
			if end.Err, end.Part = n.failed, part; n.failed == nil {
				end.Err = s.engine.why(ctx)
			}
		case n.errs.Count > 0 && end.Fault == nil:
			end.Fault = &s.faults[n.code]
			r := n.errs
			*end.Fault = launch.Fault{Site: n.site, Index: r.Values, Loop: r.Loop[:min(r.Rank, launch.MaxRank)], Count: int64(r.Count), Part: n.part}
		case n.errs.Count > 0 && n.part <= end.Fault.Part:
			end.Fault.Count += int64(n.errs.Count)
		}
	}
}
