package engine

import (
	"slices"
	"time"

	"github.com/gotaichi/ti/internal/launch"
)

// A Recorder measures the tasks of all launches from [Engine.Record] on. Without
// one a launch measures nothing.
type Recorder struct {
	// Chunks also keeps each batch of iterations that a thread ran.
	Chunks bool

	start int64 // clock of the engine when the recorder was set
	tasks []*TaskRecord
	index map[taskKey]*TaskRecord
}

type taskKey struct {
	kernel string
	launch.Name
}

// A TaskRecord is what a recorder knows of a task. Tasks of the same kernel, name
// and place are one, so that the instances of a kernel are summed.
type TaskRecord struct {
	Kernel string
	launch.Name
	Count    int
	Total    time.Duration
	Min, Max time.Duration
	Chunks   []Chunk // in no order between threads
}

// A Chunk is a batch of iterations that a thread ran.
type Chunk struct {
	Thread        int
	Start, Length time.Duration // Start counts from the beginning of the recording
	Begin, End    int64         // iterations, (0, 1) of serial code
}

// An interval is a Chunk as its thread notes it, in the time of the engine.
type interval struct {
	start, end int64
	begin, to  int64
}

// Record makes r measure the launches from now on, until it is called again with
// nil. It needs the lock.
func (e *Engine) Record(r *Recorder) {
	e.recorder = r
	for _, t := range e.threads {
		t.clock, t.intervals = nil, nil
		if r != nil && r.Chunks {
			t.clock = e.clock
		}
	}
	if r != nil {
		r.start = e.clock()
	}
}

// Recorder returns the recorder that is set, or nil. It needs the lock.
func (e *Engine) Recorder() *Recorder { return e.recorder }

// Add notes one run of a task that took from start until now.
func (r *Recorder) Add(kernel string, task launch.Name, took time.Duration) *TaskRecord {
	key := taskKey{kernel, task}
	t := r.index[key]
	if t == nil {
		if r.index == nil {
			r.index = map[taskKey]*TaskRecord{}
		}
		t = &TaskRecord{Kernel: kernel, Name: task, Min: took}
		r.index[key] = t
		r.tasks = append(r.tasks, t)
	}
	t.Count++
	t.Total += took
	t.Min, t.Max = min(t.Min, took), max(t.Max, took)
	return t
}

// Tasks returns the tasks that have run, the longest total first, equal ones in
// the order in which they first ran.
func (r *Recorder) Tasks() []*TaskRecord {
	out := slices.Clone(r.tasks)
	slices.SortStableFunc(out, func(a, b *TaskRecord) int { return int(min(1, max(-1, b.Total-a.Total))) })
	return out
}

// recordTask is runTask with a stopwatch.
func (e *Engine) recordTask(c *Code, t *task, done <-chan struct{}) bool {
	start := e.clock()
	ok := e.runTask(c, t, done)
	r := e.recorder.Add(c.Name, t.name, time.Duration(e.clock()-start))
	for i, th := range e.threads { // all have left the task
		for _, s := range th.intervals {
			r.Chunks = append(r.Chunks, Chunk{
				Thread: i, Start: time.Duration(s.start - e.recorder.start), Length: time.Duration(s.end - s.start), Begin: s.begin, End: s.to,
			})
		}
		th.intervals = th.intervals[:0]
	}
	return ok
}

// noted makes the call that run has prepared, and keeps it as an interval.
func (t *thread) noted(begin, end int64) {
	start := t.clock()
	callTask(&t.call)
	t.intervals = append(t.intervals, interval{start, t.clock(), begin, end})
}
