package engine

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/gotaichi/ti/internal/device"
	"github.com/gotaichi/ti/internal/launch"
)

// A Place is where an engine has everything of which tasks are given an address.
type Place interface {
	device.Memory

	// Words returns n words, zero, which begin at a line of the cache and share none with others.
	Words(n int) ([]uint64, error)

	// Drop gives words back that nobody needs any more.
	Drop(words []uint64)
}

// Process is the memory of the process as a place. Words lie in the Go heap.
type Process struct{ device.Process }

// Words returns words of the Go heap.
func (Process) Words(n int) ([]uint64, error) { return aligned(n), nil }

// Drop leaves them to the collector.
func (Process) Drop([]uint64) {}

// aligned returns n zero words of the Go heap that begin at a line of the cache, and share none with other data.
func aligned(n int) []uint64 {
	mem := make([]uint64, n+16)
	pad := int(-uintptr(unsafe.Pointer(&mem[0]))%64) / 8
	return mem[pad : pad+n : pad+n]
}

// furnish has the engine and its threads use a place, before the first launch.
func (e *Engine) furnish(p Place) error {
	shared, err := p.Words(stopWords + int(launch.ErrSize)/8)
	if err != nil {
		return fmt.Errorf("no memory for the threads of kernels: %w", err)
	}
	e.stopper.word = (*atomic.Int32)(unsafe.Pointer(&shared[stopWords/2-8]))
	e.errs = (*launch.ErrorRecord)(unsafe.Pointer(&shared[stopWords]))
	for i, t := range e.threads {
		own, err := p.Words(threadWords)
		if err != nil {
			return fmt.Errorf("no memory for the threads of kernels: %w", err)
		}
		t.ctx = (*launch.Context)(unsafe.Pointer(&own[0]))
		t.text.Buffer = (*launch.Buffer)(unsafe.Pointer(&own[threadWords/2]))
		t.ctx.Worker, t.ctx.Text, t.ctx.Stop = uint64(i), address(t.text.Buffer), address(e.stopper.word)
	}
	e.place = p
	return nil
}

const (
	// stopWords are two lines of the cache around that of the stop word, and its own: threads that poll
	// must not wait for what others write beside it.
	stopWords   = 32
	threadWords = 16 // the context of a thread, and its buffer
)

// words returns words for the launches of c, which are given back when c is garbage.
func (c *Code) words(n int) ([]uint64, error) {
	if c.place == nil {
		return aligned(n), nil
	}
	words, err := c.place.Words(n)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", launch.ErrMemory, err)
	}
	runtime.AddCleanup(c, c.place.Drop, words)
	return words, nil
}

// first is words for what c is made with. If there is no memory for them, launches of c fail.
func (c *Code) first(n int) []uint64 {
	words, err := c.words(n)
	if err != nil {
		c.failed = err
		return aligned(n)
	}
	return words
}
