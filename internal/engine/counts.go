package engine

import "sync/atomic"

// counts says what has run. Its plain fields belong to the holder of the launch lock, who publishes them
// before a task that may take long: an atomic addition for each launch would be a seventh of a short one.
type counts struct {
	launches, tasks int64
	public          struct{ launches, tasks atomic.Int64 }
}

// publish lets everyone see the counts. It needs the lock.
func (n *counts) publish() {
	n.public.launches.Store(n.launches)
	n.public.tasks.Store(n.tasks)
}

// Counts returns the numbers of launches begun and of tasks done. While other goroutines launch, it may
// miss some that are over in microseconds; the numbers never fall.
func (e *Engine) Counts() (launches, tasks int64) {
	if e.turn.TryLock() {
		e.counts.publish()
		e.turn.Unlock()
	}
	return e.counts.public.launches.Load(), e.counts.public.tasks.Load()
}
