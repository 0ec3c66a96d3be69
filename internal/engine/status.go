package engine

import (
	"sync/atomic"
	"time"

	"github.com/gotaichi/ti/internal/launch"
)

// status is where the launch under way stands, for observers without the lock.
type status struct {
	code        atomic.Pointer[Code]
	since       atomic.Int64
	task        atomic.Int64
	done, total atomic.Int64
	watched     bool
}

func (s *status) begin(c *Code) {
	if !s.watched {
		return
	}
	s.done.Store(0)
	s.total.Store(0)
	s.since.Store(time.Now().UnixNano())
	s.code.Store(c)
}

func (s *status) end() {
	if s.watched {
		s.code.Store(nil)
	}
}

// at says which task runs. An atomic store takes as long as a tenth of a short launch.
func (s *status) at(task int) {
	if s.watched {
		s.task.Store(int64(task))
	}
}

// of says how many iterations the task has.
func (s *status) of(total int64) {
	if s.watched {
		s.total.Store(total)
	}
}

// add counts iterations that are done.
func (s *status) add(iterations int64) {
	if s.watched {
		s.done.Add(iterations)
	}
}

// Watch makes launches keep their status up to date; without it they save the
// time. It comes before the first launch.
func (e *Engine) Watch() { e.now.watched = true }

// Status returns where the launch under way stands; ok is false if none is.
func (e *Engine) Status() (s launch.Status, ok bool) {
	c := e.now.code.Load()
	if c == nil {
		return s, false
	}
	return launch.Status{
		Kernel: c.Name, Task: int(e.now.task.Load()), Tasks: len(c.tasks),
		Done: e.now.done.Load(), Total: e.now.total.Load(),
		Elapsed: time.Since(time.Unix(0, e.now.since.Load())),
	}, true
}
