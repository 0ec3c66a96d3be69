package launch

import (
	"slices"
	"time"
)

// A Recorder measures the tasks of all launches from [Machine.Record] on. Without
// one a launch measures nothing.
type Recorder struct {
	// Chunks also keeps each batch of iterations that a thread ran.
	Chunks bool

	tasks []*TaskRecord
	index map[taskKey]*TaskRecord
}

type taskKey struct {
	kernel string
	Name
}

// A TaskRecord is what a recorder knows of a task. Tasks of the same kernel, name
// and place are one, so that the instances of a kernel are summed.
type TaskRecord struct {
	Kernel string
	Name
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

// Add notes one run of a task that took from start until now.
func (r *Recorder) Add(kernel string, task Name, took time.Duration) *TaskRecord {
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
