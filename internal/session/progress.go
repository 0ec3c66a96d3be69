package session

import (
	"time"

	"github.com/gotaichi/ti/internal/config"
)

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
		case <-rt.maker.Stop:
			return
		case <-tick.C:
		}
		if s, ok := rt.maker.Machine.Status(); ok && s.Elapsed > patience {
			rt.maker.Opt.Progress(config.Progress{
				Kernel: s.Kernel, Task: s.Task, Tasks: s.Tasks, Done: s.Done, Total: s.Total, Elapsed: s.Elapsed,
			})
			continue
		}
		if b := rt.maker.Building.Load(); b != nil && time.Since(b.Since) > patience {
			rt.maker.Opt.Progress(config.Progress{Kernel: b.Kernel, Compile: true, Elapsed: time.Since(b.Since)})
		}
	}
}
