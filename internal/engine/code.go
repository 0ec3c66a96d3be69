package engine

import (
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/gotaichi/ti/internal/launch"
)

// Code is a kernel ready to run: entry points, and the memory that its launches
// use. It is made by [NewCode]; its methods need the engine's lock.
type Code struct {
	Name string
	Sink launch.Sink // of records; not nil if the code has any

	// Trees has the sparse trees that the kernel works on; nil if there are none.
	Trees launch.Trees

	engine *Engine // that it was loaded into; nil if made by NewCode
	place  Place   // where its words lie; nil for the Go heap
	failed error   // why no launch can run
	k      *launch.Kernel
	lent   []room  // copies of lists, by entry of the base table
	guests *guests // the caller's memory in the place; nil if tasks reach it where it is
	seed   uint64  // of random numbers

	records       bool // some task records
	deterministic bool
	linked        bool  // it has parts
	launches      int64 // that it stands for
	tasks         []task
	args          []uint64
	bases         []uint64
	sizes         []int64 // of the trees
	entries       []int64 // of each list of the task that runs
	frame         []uint64
	sums          []sumMemory
	without       []bool // tasks that the next launch leaves out; nil for none

	share  launch.Share // what this machine runs where several run the kernel together; nil for all
	before []uint64     // the frame, while a part of a task runs
}

// task is a task with its code and what its runs have taught about it.
type task struct {
	launch.Task
	entry  uintptr
	code   Embedded // instead of entry, where the code is not that of the processors
	number int
	slots  []uint64 // what its code is given; a thread with a private copy has another
	name   launch.Name
	done   int64   // see doneOf; -1 if it always runs
	prints bool    // some task of the kernel prints
	fixed  *fixed  // for deterministic mode; nil until needed
	copies *copies // for Private; nil until needed
	cost   float64 // nanoseconds an iteration, 0 while unknown
	runs   uint64
}

// NewCode prepares a kernel to be run, given the address of each of its tasks and the
// trees of its base table, which are shared with the host (what stands for a scratch entry does not matter).
func NewCode(k *launch.Kernel, entries []uintptr, bases []launch.Base) *Code {
	c := &Code{}
	c.prepare(k, bases)
	for i := range c.tasks {
		c.tasks[i].entry = entries[i]
	}
	return c
}

// prepare fills in what follows from the descriptor and the data.
func (c *Code) prepare(k *launch.Kernel, bases []launch.Base) {
	c.k = k
	c.Name, c.records, c.deterministic = k.Name, k.Records, k.Deterministic
	c.linked, c.launches = len(k.Parts) > 0, max(1, int64(len(k.Parts)))
	c.args, c.bases, c.sizes = c.first(k.Args), c.first(len(bases)), make([]int64, len(bases))
	c.frame = c.first(max(k.Results, int(k.Frame+7)/8))
	for _, n := range k.Numbers {
		c.args[n.Slot] = n.Value
	}
	for i, b := range bases {
		if c.sizes[i] = b.Bytes; b.Area != nil {
			c.bases[i] = address(unsafe.SliceData(b.Area.Host())) + uint64(b.Offset)
		}
	}
	for _, s := range k.Sums {
		c.sums = append(c.sums, sumMemory{Sums: s})
	}
	for i := range k.Tasks {
		c.tasks = append(c.tasks, task{Task: k.Tasks[i], number: i, done: doneOf(k, &k.Tasks[i]), prints: k.Prints, slots: c.first(len(k.Tasks[i].Slots))})
		if i < len(k.Names) {
			c.tasks[i].name = k.Names[i]
		}
	}
}

// fill writes what the code of t is given into its slots, as it is now.
func (c *Code) fill(t *task) {
	for i, s := range t.Slots {
		switch s.From {
		case launch.ArgSlot:
			t.slots[i] = c.args[s.At]
			if c.guests != nil {
				t.slots[i] = c.guests.args[s.At]
			}
		case launch.BaseSlot:
			t.slots[i] = c.bases[s.At]
		case launch.FrameSlot:
			t.slots[i] = addressOf(c.frame) + uint64(s.At)
		}
	}
}

// setBase puts the address of a base into a table of slots, if the code of t is given it.
func (t *task) setBase(slots []uint64, base int, address uint64) {
	for i, s := range t.Slots {
		if s.From == launch.BaseSlot && int(s.At) == base {
			slots[i] = address
		}
	}
}

// Args are the argument slots, to be filled before Submit.
func (c *Code) Args() []uint64 { return c.args }

// Results are the result slots, valid from the end of a launch until the lock is released.
func (c *Code) Results() []uint64 { return c.frame }

// LeaveOut has the next launch run without some tasks.
func (c *Code) LeaveOut(without []bool) { c.without = without }

// Tasks returns the number of tasks.
func (c *Code) Tasks() int { return len(c.tasks) }

// doneOf is where in the frame a flag says that a task is not to run.
func doneOf(k *launch.Kernel, t *launch.Task) int64 {
	if t.Part < len(k.Parts) {
		return k.Parts[t.Part].Done
	}
	return k.Done
}

// returned reports whether the kernel of t, or its part of a linked one, has returned early.
func (c *Code) returned(t *task) bool {
	return t.done >= 0 && *(*int32)(unsafe.Add(unsafe.Pointer(&c.frame[0]), t.done)) != 0
}

// extent returns the number of iterations of t, -1 if they are more than
// [launch.MaxIterations], and the number of those of its innermost dimension.
func (c *Code) extent(t *task) (total, inner int64) {
	total, inner = 1, 1
	tooMany := false
	for _, d := range t.Dims {
		lo, hi := d.Lo.Value(c.args, c.frame, c.entries), d.Hi.Value(c.args, c.frame, c.entries)
		if d.Unsigned && uint64(hi) <= uint64(lo) || !d.Unsigned && hi <= lo {
			return 0, 1 // even where another dimension has too many
		}
		inner = hi - lo // as a u64; negative as an i64 where it is 2^63 or more
		over, low := bits.Mul64(uint64(total), uint64(inner))
		if tooMany = tooMany || over != 0 || low > launch.MaxIterations; !tooMany {
			total = int64(low)
		}
	}
	if tooMany {
		return -1, inner
	}
	return total, inner
}

// call is what the assembly glue reads: a task, its arguments and its stack.
type call struct {
	fn, ctx    uintptr
	begin, end int64
	stack      uintptr // its upper end, from which it grows down; 0 for the thread's own
}

func address[T any](p *T) uint64 { return uint64(uintptr(unsafe.Pointer(p))) }

// addressOf returns the address of the first word, 0 of none.
func addressOf(words []uint64) uint64 {
	return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(words))))
}

// span is a thread's part of a range: chunks are claimed from next on. It fills
// a cache line by itself.
type span struct {
	next atomic.Int64
	end  int64
	_    [48]byte
}
