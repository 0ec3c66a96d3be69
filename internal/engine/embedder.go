package engine

import (
	"fmt"
	"time"
	"unsafe"

	"github.com/gotaichi/ti/internal/device"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/memory"
)

// An Embedder runs tasks whose code is not that of the processors, in a place of its own. See [Engine.Embed].
type Embedder interface {
	Place

	// Load makes the code of a kernel ready, which comes as in [launch.Machine].
	Load(k *launch.Kernel, pieces []launch.Piece) (Embedded, error)

	// Threads is how many threads it runs tasks on, at most.
	Threads() int

	// Stack is how many bytes of its stack in the place a thread has.
	Stack() int64

	// Records is how many bytes of the place there are for records of a thread.
	Records() int64

	// Close frees what belongs to none of the kernels. No thread may be in any code.
	Close() error
}

// Embedded is a kernel's code.
type Embedded interface {
	// Call runs iterations of a task on a thread, given the addresses of its context and of the upper end of its stack. Threads may call at
	// once, each under its own number. An error is a trap: nothing is known of what the task has done.
	Call(task, thread int, ctx uint64, begin, end int64, stack uint64) error

	// Close gives the code back. No thread may be in it then or later.
	Close() error
}

// Embed has the engine run all tasks by an embedder, and keep all that they are given addresses of in its place. It comes before anything is loaded or
// allocated. The engine has no more threads than the embedder from now on, and closes it at its own end.
func (e *Engine) Embed(b Embedder) error {
	e.keep(b.Threads())
	if err := e.furnish(b); err != nil {
		return err
	}
	e.embedder = b
	return nil
}

// sliceMost is how many nanoseconds one call of embedded code takes, about: the Go scheduler cannot interrupt it, and to collect garbage it waits for
// the end of all calls.
const sliceMost = 1e6

// embedded calls embedded code, several times if it takes long. What is known of the cost may be the first iteration's, for which the code came into memory: so the
// calls grow as long as they are much shorter than was meant.
func (t *thread) embedded(k *task, begin, end int64) {
	most := end - begin
	if cost := max(k.cost, costBlur); cost > 0 && k.divisible() {
		most = min(most, k.wholeVectors(int64(max(1, min(sliceMost/cost, float64(most)))), sliceMost))
	}
	for begin < end && t.trap == nil {
		to := begin + min(most, end-begin)
		start := time.Time{}
		if to < end {
			start = time.Now()
		}
		if err := k.code.Call(k.number, int(t.ctx.Worker), address(t.ctx), begin, to, uint64(t.call.stack)); err != nil {
			t.trap = &launch.Trap{Place: k.name.Place, Err: err}
		}
		if begin = to; begin < end && time.Since(start) < sliceMost/8 {
			most *= 4
		}
	}
}

// divisible reports whether iterations can be run in any number of calls: each call leaves one partial result.
func (t *task) divisible() bool { return len(t.Dims) > 0 && t.Partial == nil }

// trapped reports whether a thread has met a trap, and keeps the first as what has failed.
func (e *Engine) trapped() bool {
	if e.embedder == nil {
		return false
	}
	for _, t := range e.threads {
		if t.trap != nil && e.failed == nil {
			e.failed = t.trap
		}
		t.trap = nil
	}
	return e.failed != nil
}

// A room is memory in the place of an embedder that a launch keeps for the next one.
type room struct{ region *memory.Region }

// atLeast sees to it that the room has so many bytes. If it had fewer it gets some more than these, and what it held is lost.
func (r *room) atLeast(bytes int64, space device.Space) (err error) {
	if r.region != nil && r.region.Len() >= bytes {
		return nil
	}
	r.free()
	r.region, err = space.Reserve(bytes + min(bytes/4, keptCopy))
	return err
}

// base is the address of the first byte.
func (r *room) base() uint64 { return uint64(uintptr(r.region.Base())) }

// free gives the memory back.
func (r *room) free() {
	if r.region != nil {
		_ = r.region.Free()
		r.region = nil
	}
}

// lend copies a list that lies in the Go heap, with the 0 behind it, and returns the address of the copy.
func (e *Engine) lend(r *room, words []uint64) (uint64, error) {
	if err := r.atLeast(int64(8*(len(words)+1)), e.place.Space()); err != nil {
		return 0, fmt.Errorf("%w for the list of a loop: %w", launch.ErrMemory, err)
	}
	copied := unsafe.Slice((*uint64)(r.region.Base()), len(words)+1)
	copy(copied, words)
	copied[len(words)] = 0
	return addressOf(copied), nil
}
