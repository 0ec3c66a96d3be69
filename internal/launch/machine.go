package launch

import (
	"context"
	"errors"
	"fmt"

	"github.com/gotaichi/ti/internal/device"
)

// A Machine runs code: it is the half of a target that a program needs whose code was made
// before.
type Machine interface {
	device.Memory

	// Load makes a kernel's code executable. There is a piece for each of its tasks, in
	// their order, and behind them one for each function that they call.
	Load(k *Kernel, pieces []Piece) (Loaded, error)
}

// Loaded is a kernel whose code is executable. It may be bound many times.
type Loaded interface {
	// Bind prepares launches that work on the given data.
	Bind(d Data) Launcher

	// Close gives the memory of the code back. No thread may be in it then or later.
	Close() error
}

// Data is what a kernel works on, besides its arguments.
type Data struct {
	Bases []Base // one for each entry of Kernel.Bases; what stands for an entry of -1 does not matter
	Trees Trees  // the sparse trees; nil if there are none
	Sink  Sink   // takes records; not nil if the kernel has any
}

// A Launcher launches a kernel. Launches of one machine run one at a time: who calls a
// method holds the machine's launch lock.
type Launcher interface {
	// Args are the argument slots, to be filled before Submit.
	Args() []uint64

	// Submit begins a launch. Its random numbers depend on the number, which the program counts; launches of
	// number 0 are no part of the program, and nothing counts or measures them. A machine that answers later returns
	// what can be waited for. Another one has ended the launch, and returns what [Pending.Wait] would. [Run] does both.
	Submit(ctx context.Context, number uint64) (Pending, *Fault, error)

	// Results are the result slots, valid from the end of a launch until the next one.
	Results() []uint64

	// Free gives back what launches have needed.
	Free()
}

// A Pending is a launch that has not ended yet.
type Pending interface {
	// Wait waits for its end, once. It returns the context's error, or [ErrStopped], if that ended the launch early, and a
	// fault, valid until the next launch, if the kernel recorded one.
	Wait() (*Fault, error)
}

// Run launches a kernel and waits for its end; see [Launcher.Submit].
func Run(ctx context.Context, l Launcher, number uint64) (*Fault, error) {
	pending, fault, err := l.Submit(ctx, number)
	if pending != nil {
		return pending.Wait()
	}
	return fault, err
}

// Base is memory as a kernel's base table has it: so many bytes of an area, from an offset on.
type Base struct {
	Area          device.Area // nil for an entry of -1
	Offset, Bytes int64
}

// Fault is a failure that a kernel recorded.
type Fault struct {
	Site  int
	Index [MaxValues]int64 // the index out of range, or the values of the site's text
	Loop  []int64          // the index of the iteration, empty in serial code
	Count int64
}

// Trees is what a machine asks of the sparse trees that a kernel works on. It is
// called by one goroutine at a time while a launch is under way, but not while a task runs.
type Trees interface {
	// Prepare comes before each task: it may activate as much as there is memory for.
	Prepare()
	// List returns a list for loops (see [List]), with a 0 behind its last entry, and the number of its
	// entries. The words are in the host's memory and stay as they are while the task that comes runs.
	List(node, outer int, masks bool) (words []uint64, entries int64, err error)
	// Settle comes after each task that ran, also one that was stopped. Its error is
	// that of the launch, which ends there. What the task has deactivated it has
	// recorded: it takes effect when the sink is told to flush.
	Settle() error
}

// A Sink takes what a kernel records. It is called by one goroutine at a time while a launch is under way, but not
// while a task runs.
type Sink interface {
	// Record takes a record of a site: the number of the iteration, then the values.
	// Those of one iteration come in their order, iterations in any. Slots is valid
	// during the call only.
	Record(site int, slots []uint64)
	// Room returns how many bytes the print records of all threads together may take until
	// they are given. It is called at the beginning of a launch.
	Room() int64
	// Dropped says that n print records found no room; first is the least number of an
	// iteration that lost one. Records that were given before may belong to later
	// iterations than first, since each thread has a buffer of its own.
	Dropped(n, first uint64)
	// Flush says that all records of a loop, or of the serial code between two, have
	// been given.
	Flush() error
}

// ErrStopped is the error of a launch that was ended because its machine stops.
var ErrStopped = errors.New("the engine has been stopped")

// ErrFull is the error of a launch that recorded more than there is room for.
var ErrFull = errors.New("the buffer of records is full")

// ErrSums is the error of a launch for whose sums there is no room. Nothing has been run.
var ErrSums = errors.New("there is no memory for the sums of a loop that adds to packed numbers")

// ErrCopies is the error of a launch for whose copies of trees there is no room.
var ErrCopies = errors.New("there is no memory for the copies of a tree that parts of a loop add to")

// TooManyIterations is the error of a launch whose loop at Place has more than
// [MaxIterations] iterations.
type TooManyIterations struct{ Place Place }

func (e *TooManyIterations) Error() string {
	return fmt.Sprintf("the range of this parallel loop has more than %d iterations (1<<62)", int64(MaxIterations))
}
