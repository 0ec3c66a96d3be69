package launch

import (
	"fmt"
	"unsafe"

	"github.com/gotaichi/ti/internal/threadblock"
)

// DispatchThreads is how many threads a workgroup has, where a task is the code of one thread of a dispatch, unless its pipeline says otherwise.
const DispatchThreads = 64

// What such code is given with each dispatch: words of 64 bits, in push constants. The addresses are those of the device. Iterations are numbered
// from 0, those of the innermost dim the fastest. A task for which [Task.Tiled] holds has tiles instead, each of as many iterations along the last three dims
// as a workgroup has threads along x, y and z. They are numbered likewise.
const (
	PushSlots  = iota // address of the words for the slots of the task
	PushErrs          // address of its [ErrorRecord]
	PushStop          // address of a word of 32 bits that is not 0 if the launch is to end
	PushLimit         // address of a word of 32 bits that becomes 1 where the driver would end a loop
	PushKey           // the launch's random key
	PushBegin         // the first iteration, or tile
	PushEnd           // the one behind the last
	PushZero          // 0, which compilers do not know
	PushTilesX        // the number of tiles along x, and along y
	PushTilesY
	PushText  // address of a [DispatchText], where the task has records
	PushChunk // iterations of a thread, where partial results are kept in order
	PushLocal // address of the large local arrays of all threads: see [Task.Local]
	PushSpace // address of the entry for the host's address 0 in the table of [SpaceShift]
	PushMost  // address of a word of 64 bits: no iteration, or tile, from that number on is run. Only tasks of kernels with sparse trees look there
	PushWords
)

// LocalMost is how many bytes a local array has at most that is no large one.
const LocalMost = 16 << 10

// PushBytes is their size.
const PushBytes = 8 * PushWords

// A DispatchText is the head of the room for the records of all threads of a dispatch. Words of 64 bits follow it: records as in a [Buffer], and gaps, whose
// site is TextGap. Next and the limits count words.
type DispatchText struct {
	Next        uint32 // words that were asked for so far
	End, Stop   uint32 // limits of records, and of those of printing
	Lost, Drops uint32 // as in a [Buffer]
	_           uint32
	First       uint64
	_           [32]byte
}

// SpaceShift says how the host's addresses of blocks become the device's: entry address>>SpaceShift of a table of words of 64 bits is added to one.
const SpaceShift = 32

// TextGap is the site of words that have no record.
const TextGap = 1<<32 - 1

// Offsets in a [DispatchText].
const (
	DispatchNext  = int64(unsafe.Offsetof(DispatchText{}.Next))
	DispatchEnd   = int64(unsafe.Offsetof(DispatchText{}.End))
	DispatchStop  = int64(unsafe.Offsetof(DispatchText{}.Stop))
	DispatchLost  = int64(unsafe.Offsetof(DispatchText{}.Lost))
	DispatchDrops = int64(unsafe.Offsetof(DispatchText{}.Drops))
	DispatchFirst = int64(unsafe.Offsetof(DispatchText{}.First))
	DispatchWords = int64(unsafe.Sizeof(DispatchText{}))
)

// The numbers of specialisation constants.
const (
	RoundLimit = iota // after how many rounds of all loops a subgroup gives up; 0 for none
	BlockX            // threads of a workgroup along x, y and z; DispatchThreads, 1 and 1 if they are not given
	BlockY
	BlockZ
	RoundSlots // how many subgroups of a workgroup count rounds
	ExactF32   // not 0 if quotients and roots of f32 are computed by integers
	ExactF64   // the same of f64
	SpecConstants
)

// InOrder reports whether one thread of a dispatch runs all: serial code, and loops whose iterations keep their order, as those of helper tasks do.
func InOrder(dims, threads int, helper bool) bool { return dims == 0 || threads == 1 || helper }

// InOrder reports whether one thread runs all of t.
func (t *Task) InOrder() bool { return InOrder(len(t.Dims), t.Threads, t.Helper) }

// Tiled reports whether dispatches number tiles, and not iterations: those of a loop with neighbours along several axes, whose iterations may be in any
// thread.
func Tiled(dims, threads, lists int, partial bool) bool {
	return dims > 1 && threads != 1 && lists == 0 && !partial
}

// Tiled reports whether dispatches of t number tiles.
func (t *Task) Tiled() bool { return Tiled(len(t.Dims), t.Threads, len(t.Lists), t.Partial != nil) }

// A Device describes what a machine runs on that is not this machine's processors.
type Device struct {
	Index   int    // by which programs choose it
	Name    string // as its maker calls it
	Target  string // what code is generated for
	Memory  int64  // bytes
	Threads int    // 0 if nobody knows
	Blocks  threadblock.Limits
}

// A DeviceMachine is a machine with a device of its own, which runs loops in blocks of threads.
type DeviceMachine interface {
	Machine
	Device() Device
}

// Lacking is the error of a kernel that needs what a device does not have.
type Lacking struct {
	Device, What string
	Place        Place // of the task that needs it
	Strict       bool  // it needs it for strict maths alone
}

func (e *Lacking) Error() string {
	return fmt.Sprintf("%s has no %s, which the kernel needs", e.Device, e.What)
}

// A BlockError is the error of a launch whose loop at Place cannot run in the thread block that it is to have.
type BlockError struct {
	Place Place
	Err   error
}

func (e *BlockError) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong with the block.
func (e *BlockError) Unwrap() error { return e.Err }
