package ti

import (
	"go/token"
	"io"
	"time"

	"github.com/gotaichi/ti/internal/observe"
	"github.com/gotaichi/ti/internal/session"
)

// Profile runs f and returns the time of each task in the launches made
// meanwhile, the longest total first, together with the error of f. Compilation
// is not counted. Launches are optimised as always; measuring one costs them a
// fraction of a microsecond for each task. A Profile inside another is [ErrBusy].
func (rt *Runtime) Profile(f func() error) (Profile, error) {
	return profileOf((*session.Runtime)(rt).Profile(f))
}

// Trace is [Runtime.Profile] that also writes which thread ran what and when, as
// a trace in JSON: chrome://tracing, https://ui.perfetto.dev and others show it,
// with a row for each thread. Each batch of iterations that a thread ran takes
// about 150 bytes.
func (rt *Runtime) Trace(w io.Writer, f func() error) (Profile, error) {
	return profileOf((*session.Runtime)(rt).Trace(w, f))
}

// WriteGraph runs f with all its launches in one batch (see [Config.Batch]), and writes the state-flow graph of that batch for Graphviz.
// Parts of launches are nodes: loops, and the serial code between. The values, masks, lists and allocators that one leaves for
// another are edges. What need not run is grey, with the reason as tooltip. Launches that run as one are in a box. What
// waits, such as reading an element, ends the batch, and the graph goes on in a further cluster. A picture is made by
// dot -Tsvg. Kernels are compiled for it: f may take a second longer than otherwise. It returns the error of f, or the failure
// of a launch.
func (rt *Runtime) WriteGraph(w io.Writer, f func() error) error {
	return (*session.Runtime)(rt).WriteGraph(w, f)
}

// A Profile lists tasks and their times.
type Profile []TaskTime

// TaskTime is the time of one task: a parallel loop or serial part of a kernel.
// With the architecture [Oracle] a kernel is one task.
type TaskTime struct {
	Kernel string         // name
	Task   string         // what it does, such as "for p := range X"
	Pos    token.Position // of the loop
	Count  int            // times run
	Total  time.Duration
	Min    time.Duration
	Max    time.Duration
}

func profileOf(tasks []observe.TaskTime, err error) (Profile, error) {
	if tasks == nil {
		return nil, err
	}
	p := make(Profile, len(tasks))
	for i, t := range tasks {
		p[i] = TaskTime(t)
	}
	return p, err
}

// String formats p as a table with a line for each task and one for the sum.
func (p Profile) String() string {
	tasks := make([]observe.TaskTime, len(p))
	for i, t := range p {
		tasks[i] = observe.TaskTime(t)
	}
	return observe.FormatProfile(tasks)
}
