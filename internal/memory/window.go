package memory

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
)

// WindowPages is how many pages of WebAssembly a [Window] has, each of 64 KiB, and WindowBytes how many bytes these are. It is one page
// less than 32 bits can address: a length of 2^32 is 0 in 32 bits.
const (
	WindowPages       = 1<<16 - 1
	WindowBytes int64 = WindowPages << 16
)

// A Window is address space that begins at a multiple of 4 GiB, so that the low 32 bits of an address in it tell the place. Code with
// addresses of 32 bits works in it, and the host uses the same memory by addresses of 64 bits. Regions lie one behind the other, without guard zones.
// Nothing lies at the beginning, where the 32 bits would be 0. An access to what no region has faults.
type Window struct {
	arena *Arena

	mu    sync.Mutex
	free  []gap // that no region has, in the order of their addresses, none adjacent to the next
	freed bool  // no region is wanted any more
}

// A gap is part of a window.
type gap struct{ from, to int64 }

// windowStart is where the first region of a window begins.
const windowStart = 1 << 16

// NewWindow reserves a window.
func NewWindow() (*Window, error) {
	arena, err := NewArena(1)
	if err != nil {
		return nil, fmt.Errorf("cannot reserve 8 GiB of address space (a limit such as ulimit -v may be set): %w", err)
	}
	return &Window{arena: arena, free: []gap{{windowStart, WindowBytes}}}, nil
}

// Bytes returns all of the window.
func (w *Window) Bytes() []byte {
	n := WindowBytes
	return Bytes(w.arena.base, int(n))
}

// Left returns how many bytes no region has.
func (w *Window) Left() (n int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, g := range w.free {
		n += g.to - g.from
	}
	return n
}

// Map returns a region of at least n bytes, zero, at a multiple of the size of a page.
func (w *Window) Map(n int64) (*Region, error) { return w.region(n, adviseHuge) }

// Reserve is [Window.Map] for memory of which only parts are ever used; see [Reserve].
func (w *Window) Reserve(n int64) (*Region, error) { return w.region(n, func([]byte) {}) }

func (w *Window) region(n int64, prepare func([]byte)) (*Region, error) {
	if n < 0 {
		return nil, fmt.Errorf("cannot reserve %d bytes", n)
	}
	page := int64(os.Getpagesize())
	size := (max(1, min(n, WindowBytes+1)) + page - 1) / page * page
	from := w.take(size)
	if from < 0 {
		return nil, fmt.Errorf("cannot reserve %s: of the 4 GiB that 32 bits can address, %s are left", Text(n), Text(w.Left()))
	}
	mem := w.Bytes()[from : from+size : from+size]
	if err := allow(mem); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot use %s: %w", Text(n), err), w.give(mem, from))
	}
	prepare(mem)
	return &Region{mem: mem, free: func() error { return w.give(mem, from) }}, nil
}

// take finds the first gap with so much room, and takes it from its beginning; -1 if there is none. Large regions begin with a large page.
func (w *Window) take(size int64) int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range w.free {
		g := w.free[i]
		from := g.from
		if size >= hugeFrom {
			from = (from + LargePage - 1) / LargePage * LargePage
		}
		if from+size > g.to {
			continue
		}
		rest := make([]gap, 0, 2)
		if from > g.from {
			rest = append(rest, gap{g.from, from})
		}
		if from+size < g.to {
			rest = append(rest, gap{from + size, g.to})
		}
		w.free = slices.Replace(w.free, i, i+1, rest...)
		return from
	}
	return -1
}

// give makes a region a gap again. Its pages go back to the system, so that the next region there is zero.
func (w *Window) give(mem []byte, from int64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := forbid(mem)
	g := gap{from, from + int64(len(mem))}
	i, _ := slices.BinarySearchFunc(w.free, g.from, func(g gap, at int64) int { return cmp.Compare(g.from, at) })
	first := i
	if i > 0 && w.free[i-1].to == g.from {
		first, g.from = i-1, w.free[i-1].from
	}
	if i < len(w.free) && w.free[i].from == g.to {
		g.to = w.free[i].to
		i++
	}
	w.free = slices.Replace(w.free, first, i, g)
	return errors.Join(err, w.end())
}

// Free gives the address space back, as soon as there is no region in it any more.
func (w *Window) Free() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.freed = true
	return w.end()
}

// end gives the address space back if nobody needs it. The caller holds mu.
func (w *Window) end() error {
	if !w.freed || len(w.free) != 1 || w.free[0] != (gap{windowStart, WindowBytes}) {
		return nil
	}
	return w.arena.Free()
}
