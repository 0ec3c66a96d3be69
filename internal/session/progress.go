package session

import "time"

// Progress says how far a long compilation or launch has come.
type Progress struct {
	Kernel  string
	Compile bool // compiling; else running
	Task    int  // the task under way, from 0, of Tasks
	Tasks   int
	Done    int64 // iterations of the task finished, of Total; 0 of 0 where unknown
	Total   int64
	Elapsed time.Duration
}

// buildStatus is a compilation under way.
type buildStatus struct {
	kernel string
	since  time.Time
}

// When progress is reported: from patience on, every interval.
const (
	patience = 200 * time.Millisecond
	interval = 100 * time.Millisecond
)

// watch calls Config.Progress until the runtime is closed.
func (rt *Runtime) watch() {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-rt.stop:
			return
		case <-tick.C:
		}
		if s, ok := rt.eng.Status(); ok && s.Elapsed > patience {
			rt.opt.Progress(Progress{
				Kernel: s.Kernel, Task: s.Task, Tasks: s.Tasks, Done: s.Done, Total: s.Total, Elapsed: s.Elapsed,
			})
			continue
		}
		if b := rt.building.Load(); b != nil && time.Since(b.since) > patience {
			rt.opt.Progress(Progress{Kernel: b.kernel, Compile: true, Elapsed: time.Since(b.since)})
		}
	}
}
