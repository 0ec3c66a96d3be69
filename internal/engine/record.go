package engine

import (
	"time"

	"github.com/gotaichi/ti/internal/launch"
)

// An interval is a Chunk as its thread notes it, in the time of the engine.
type interval struct {
	start, end int64
	begin, to  int64
}

// Record makes r measure the launches from now on, until it is called again with
// nil. The caller holds the launch lock.
func (e *Engine) Record(r *launch.Recorder) {
	e.recorder = r
	for _, t := range e.threads {
		t.clock, t.intervals = nil, nil
		if r != nil && r.Chunks {
			t.clock = e.clock
		}
	}
	if r != nil {
		e.recorded = e.clock()
	}
}

// recordTask is runTask with a stopwatch.
func (e *Engine) recordTask(c *Code, t *task, done <-chan struct{}) bool {
	start := e.clock()
	ok := false
	if c.share != nil {
		ok = e.runShared(c, t, done)
	} else {
		ok = e.runTask(c, t, done)
	}
	r := e.recorder.Add(c.Name, t.name, time.Duration(e.clock()-start))
	for i, th := range e.threads { // all have left the task
		for _, s := range th.intervals {
			r.Chunks = append(r.Chunks, launch.Chunk{
				Thread: i, Start: time.Duration(s.start - e.recorded), Length: time.Duration(s.end - s.start), Begin: s.begin, End: s.to,
			})
		}
		th.intervals = th.intervals[:0]
	}
	return ok
}

// noted makes the call that run has prepared, and keeps it as an interval.
func (t *thread) noted(k *task, begin, end int64) {
	start := t.clock()
	if k.code != nil {
		t.embedded(k, begin, end)
	} else {
		callTask(&t.call)
	}
	t.intervals = append(t.intervals, interval{start, t.clock(), begin, end})
}
