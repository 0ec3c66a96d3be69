package variant

import "sync"

// Numbers number the launches of a runtime: their random numbers depend on that. The sequence of the programs is one, and that
// of programs that work for others ([Program.Aside]) another, so that a program draws the same numbers whether or not it uses
// these. The launch lock guards both. What the product launches for the host (package aside) has number 0.
type Numbers struct {
	program, aside uint64 // of the last launch of each
}

// asideNumbers is set in the numbers of launches of programs that work for others.
const asideNumbers = 1 << 63

// of is the sequence that a program takes its numbers from.
func (n *Numbers) of(p *Program) *uint64 {
	if p.Aside {
		return &n.aside
	}
	return &n.program
}

// Next numbers a launch.
func (n *Numbers) Next(p *Program) uint64 {
	*n.of(p)++
	return n.Last(p)
}

// giveBack takes it that the launch that was numbered last has not begun.
func (n *Numbers) giveBack(p *Program) { *n.of(p)-- }

// Last is the number of the last launch in the sequence of p.
func (n *Numbers) Last(p *Program) uint64 {
	if p.Aside {
		return asideNumbers | n.aside
	}
	return n.program
}

// Now are the numbers of the last launches, for whoever does not hold the launch lock.
func (n *Numbers) Now(lock sync.Locker) Numbers {
	lock.Lock()
	defer lock.Unlock()
	return *n
}

// Resume runs f, whose launches have the numbers of those that followed first. The caller does not hold the
// launch lock.
func (n *Numbers) Resume(lock sync.Locker, first Numbers, f func() error) error {
	set := func(to Numbers) (was Numbers) {
		lock.Lock()
		defer lock.Unlock()
		was, *n = *n, to
		return was
	}
	defer set(set(first))
	return f()
}

// Back are the numbers before that many launches of each sequence, which the last ones were.
func (n *Numbers) Back(program, aside int) Numbers {
	return Numbers{program: n.program - min(n.program, uint64(program)), aside: n.aside - min(n.aside, uint64(aside))}
}
