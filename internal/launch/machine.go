package launch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gotaichi/ti/internal/device"
	"github.com/gotaichi/ti/internal/threadblock"
)

// A Machine runs code: it is the half of a target that a program needs whose code was made
// before.
type Machine interface {
	device.Memory

	// Load makes a kernel's code executable. There is a piece for each of its tasks, in
	// their order, and behind them one for each function that they call.
	Load(k *Kernel, pieces []Piece) (Loaded, error)

	// Last is the number of the launch that was begun last. The caller holds the launch lock.
	Last() uint64

	// Counts returns the numbers of launches begun and of tasks done, without launches of number 0. While other
	// goroutines launch, it may miss some that are over in microseconds; the numbers never fall.
	Counts() (launches, tasks int64)

	// Record makes r measure the launches from now on, until it is called again with nil. The caller holds the launch lock.
	Record(r *Recorder)

	// Watch makes launches keep their status up to date; without it they save the
	// time. It comes before the first launch.
	Watch()

	// Status returns how far the launch under way is; ok is false if none is, or nobody watches.
	Status() (s Status, ok bool)

	// Stop ends the launch under way, and all that follow, with [ErrStopped].
	Stop()

	// Close waits for the launch under way and frees what the machine has. Nothing may be launched after it.
	Close()
}

// Status is a snapshot of the launch under way.
type Status struct {
	Kernel      string
	Task, Tasks int
	Done, Total int64 // iterations of the task
	Elapsed     time.Duration
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
	Seed  uint64 // of the program's random numbers; see [Key]

	// Block returns the thread block for loops of a part that ask for none in the source; see [Kernel.Parts]. May be nil, and change from one launch to the next.
	Block func(part int) threadblock.Block

	// Share has the machine run a part of each launch; nil for all of it.
	Share Share
}

// A Launcher launches a kernel. Launches of one machine run one at a time: who calls a
// method holds the launch lock; see [Lock].
type Launcher interface {
	// Args are the argument slots, to be filled before Submit.
	Args() []uint64

	// Submit begins a launch, with the number that the program gives it. Launches of number 0 are no part of the program, and nothing counts or measures them. A machine that answers later
	// returns what can be waited for. Another one has ended the launch, and returns what [Pending.Wait] would. [Run] does both.
	Submit(ctx context.Context, number uint64) (Pending, *Fault, error)

	// Results are the result slots, valid from the end of a launch until the next one.
	Results() []uint64

	// Free gives back what launches have needed.
	Free()
}

// A SparingLauncher is a Launcher that can leave tasks out.
type SparingLauncher interface {
	Launcher

	// LeaveOut has the next launch run without those of Kernel.Tasks for which without is true.
	LeaveOut(without []bool)
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

// Key returns the key of the random numbers of a launch, which its number and the seed of the program decide.
func Key(seed, number uint64) uint64 {
	z := seed + number*0x9e3779b97f4a7c15 // the finaliser of SplitMix64 spreads every bit over the result
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
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
	Part  int // of a linked kernel, whose failure it is; Count has those of this part alone
}

// InPart is the error of the launch of a linked kernel that ended early: what came behind that part has not run. If the loops of several
// parts are one, First is the first of them, whose launch it is that ended.
type InPart struct {
	First, Part int
	Err         error
}

func (e *InPart) Error() string { return e.Err.Error() }

// Unwrap returns the error that the part would have ended with by itself.
func (e *InPart) Unwrap() error { return e.Err }

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

// ErrMemory is the error of a launch, or an allocation, for which the device has no memory.
var ErrMemory = errors.New("the device has no memory left")

// TooManyIterations is the error of a launch whose loop at Place has more than
// [MaxIterations] iterations.
type TooManyIterations struct{ Place Place }

func (e *TooManyIterations) Error() string {
	return fmt.Sprintf("the range of this parallel loop has more than %d iterations (1<<62)", int64(MaxIterations))
}
