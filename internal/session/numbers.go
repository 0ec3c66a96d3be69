package session

import "sync"

// numbers number the launches of a program: their random numbers depend on that. The launch lock guards them. What the
// product launches for the host has number 0, and shifts none.
type numbers struct {
	last uint64
}

// next numbers a launch.
func (n *numbers) next() uint64 {
	n.last++
	return n.last
}

// resume runs f, whose launches have the numbers of those that followed launch first. The caller does not hold the launch lock.
func (n *numbers) resume(lock sync.Locker, first uint64, f func() error) error {
	set := func(to uint64) (was uint64) {
		lock.Lock()
		defer lock.Unlock()
		was, n.last = n.last, to
		return was
	}
	defer set(set(first))
	return f()
}
