package variant

import "sync"

// numbers number the launches of a program: their random numbers depend on that. The launch lock guards them. What the
// product launches for the host has number 0, and shifts none.
type numbers struct {
	Last uint64
}

// next numbers a launch.
func (n *numbers) next() uint64 {
	n.Last++
	return n.Last
}

// Resume runs f, whose launches have the numbers of those that followed launch first. The caller does not hold the
// launch lock.
func (n *numbers) Resume(lock sync.Locker, first uint64, f func() error) error {
	set := func(to uint64) (was uint64) {
		lock.Lock()
		defer lock.Unlock()
		was, n.Last = n.Last, to
		return was
	}
	defer set(set(first))
	return f()
}
