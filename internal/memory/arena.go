package memory

import (
	"errors"
	"fmt"
	"sync"
)

// ArenaUnit is how far apart the regions of an [Arena] begin, and what their addresses are multiples of.
const ArenaUnit = 1 << 32

// An Arena is address space for regions, each of which begins at a multiple of [ArenaUnit]: so the high bits of an address tell the region.
type Arena struct {
	all  *Region // forbidden but for the regions
	base uintptr // of unit 0

	mu   sync.Mutex
	used []bool // by unit
}

// NewArena reserves an arena of so many units, or of fewer where the system does not give as much.
func NewArena(units int) (*Arena, error) {
	for ; units > 0; units /= 2 {
		all, err := reserveForbidden((units + 1) * ArenaUnit)
		if err != nil {
			continue
		}
		base := (uintptr(all.Base()) + ArenaUnit - 1) / ArenaUnit * ArenaUnit
		return &Arena{all: all, base: base, used: make([]bool, units)}, nil
	}
	return nil, errors.New("cannot reserve address space for several regions of 4 GiB")
}

// Base returns the address of the first unit, Units how many there are.
func (a *Arena) Base() uintptr { return a.base }

// Units returns how many units there are.
func (a *Arena) Units() int { return len(a.used) }

// Reserve returns a region of at least n bytes, as [Reserve] does.
func (a *Arena) Reserve(n int64) (*Region, error) {
	if n < 1 || int64(int(n)) != n {
		return nil, fmt.Errorf("cannot reserve %d bytes", n)
	}
	size := (int(n) + guard - 1) / guard * guard
	units := (size + 2*guard + ArenaUnit - 1) / ArenaUnit // what is left of a unit is forbidden
	first := a.take(units)
	if first < 0 {
		return nil, fmt.Errorf("cannot reserve %d bytes: the address space of the arena is used up", n)
	}
	mem := Bytes(a.base+uintptr(first)*ArenaUnit, size)
	give := func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		clear(a.used[first : first+units])
	}
	if err := allow(mem); err != nil {
		give()
		return nil, fmt.Errorf("cannot use %d bytes: %w", n, err)
	}
	return &Region{mem: mem, free: func() error {
		err := forbid(mem)
		give()
		return err
	}}, nil
}

// take finds units in a row, and returns the first; -1 if there are none.
func (a *Arena) take(units int) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	for first, free := 0, 0; first+units <= len(a.used); {
		switch {
		case free == units:
			for i := range units {
				a.used[first+i] = true
			}
			return first
		case a.used[first+free]:
			first, free = first+free+1, 0
		default:
			free++
		}
	}
	return -1
}

// Free gives the address space back. There are no regions in it any more.
func (a *Arena) Free() error { return a.all.Free() }
