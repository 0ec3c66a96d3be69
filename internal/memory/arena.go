package memory

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sync"
)

// ArenaUnit is how far apart the regions of an [Arena] begin, and what their addresses are multiples of.
const ArenaUnit int64 = 1 << 32

// An Arena is address space for regions, each of which begins at a multiple of [ArenaUnit]: so the high bits of an address tell the region.
type Arena struct {
	all  *Region // forbidden but for the regions
	base uintptr // of unit 0

	mu    sync.Mutex
	used  []bool // by unit
	freed bool
}

// NewArena reserves an arena of so many units, or of fewer where the system does not give as much.
func NewArena(units int) (*Arena, error) {
	if bits.UintSize < 64 {
		return nil, errors.New("regions of 4 GiB need addresses of 64 bits")
	}
	for ; units > 0; units /= 2 {
		all, err := reserveForbidden(int(int64(units+1) * ArenaUnit))
		if err != nil {
			continue
		}
		base := uintptr((int64(uintptr(all.Base())) + ArenaUnit - 1) / ArenaUnit * ArenaUnit)
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
	units := int((int64(size+2*guard) + ArenaUnit - 1) / ArenaUnit) // what is left of a unit is forbidden
	first := a.take(units)
	if first < 0 {
		return nil, fmt.Errorf("cannot reserve %d bytes: the address space of the arena is used up", n)
	}
	mem := Bytes(a.base+uintptr(int64(first)*ArenaUnit), size)
	if err := allow(mem); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot use %d bytes: %w", n, err), a.give(first, units))
	}
	return &Region{mem: mem, free: func() error { return errors.Join(forbid(mem), a.give(first, units)) }}, nil
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

// give frees units, and the address space if it was in use only for them.
func (a *Arena) give(first, units int) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	clear(a.used[first : first+units])
	return a.end()
}

// Free gives the address space back, as soon as there is no region in it any more. No more are reserved.
func (a *Arena) Free() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.freed = true
	return a.end()
}

// end gives the address space back if nobody needs it. The caller holds mu.
func (a *Arena) end() error {
	if !a.freed || slices.Contains(a.used, true) {
		return nil
	}
	return a.all.Free()
}
