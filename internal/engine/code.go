package engine

import (
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/gotaichi/ti/internal/ir"
)

// Code is a kernel ready to run: entry points, and the memory that its launches
// use. It is made by [NewCode]; its methods need the engine's lock.
type Code struct {
	Name string
	Sink Sink // of records; not nil if the code has any

	// Trees has the sparse trees that the kernel works on; nil if there are none.
	Trees Trees

	records bool // some task records
	tasks   []task
	args    []uint64
	bases   []uint64
	sizes   []int64 // of the trees
	entries []int64 // of each list of the task that runs
	frame   []uint64
	done    int64 // frame offset of the early-return flag, -1 if there is none
}

// task is a task with what its runs have taught about it.
type task struct {
	entry   uintptr
	name    string
	loop    int64  // ordinal of its loop, 0 for serial code
	file    string // of pos
	pos     ir.Pos
	dims    []ir.Dim
	lists   []ir.TaskList
	private []ir.Private
	partial *ir.Partial
	parts   int
	heavy   bool
	prints  bool   // some task of the kernel prints
	uneven  bool   // iterations have loops, so some may take much longer than those that were measured
	fixed   *fixed // for deterministic mode; nil until needed
	helper  bool
	threads int     // most that may share it, 0 for any
	copies  *copies // for private; nil until needed
	cost    float64 // nanoseconds an iteration, 0 while unknown
	runs    uint64
}

// Base is a tree as a kernel's base table has it.
type Base struct {
	Address uintptr
	Bytes   int64
}

// NewCode prepares a kernel to be run: k as the passes left it, the address of
// each of its tasks, and the trees of its base table (what stands for a scratch
// entry does not matter).
func NewCode(k *ir.Kernel, entries []uintptr, bases []Base) *Code {
	slots := 0
	for _, p := range k.Params {
		slots = max(slots, p.Slot+p.Slots())
	}
	c := &Code{
		Name:  k.Name,
		args:  aligned(slots),
		bases: aligned(len(bases)),
		sizes: make([]int64, len(bases)),
		frame: aligned(max(len(k.Results), int(k.FrameSize+7)/8)),
		done:  k.DoneSlot,
	}
	for i, b := range bases {
		c.bases[i], c.sizes[i] = uint64(b.Address), b.Bytes
	}
	prints := false
	for _, b := range k.Blocks() {
		ir.Walk(b, func(o *ir.Op) bool {
			if o.Code == ir.OpRecord {
				c.records = true
				prints = prints || int(o.Aux) < len(k.Sites) && k.Sites[o.Aux].Kind == ir.SitePrint
			}
			return true
		})
	}
	for i, t := range k.Tasks {
		c.tasks = append(c.tasks, task{
			entry: entries[i], name: t.Name, loop: t.Loop, pos: t.Pos, dims: t.Dims, lists: t.Lists, private: t.Private, helper: t.Helper, prints: prints, threads: t.Threads,
			partial: t.Partial, parts: t.Parts, heavy: len(t.Dims) > 0 && heavy(t), uneven: t.Uneven,
		})
		if int(t.Pos.File) < len(k.Files) {
			c.tasks[i].file = k.Files[t.Pos.File]
		}
	}
	return c
}

// aligned returns n zero words that begin at a cache line, and share none with
// other data.
func aligned(n int) []uint64 {
	mem := make([]uint64, n+16)
	skip := int(-uintptr(unsafe.Pointer(&mem[0]))%64) / 8
	return mem[skip : skip+n : skip+n]
}

// Args are the argument slots, to be filled before Run.
func (c *Code) Args() []uint64 { return c.args }

// Results are the result slots, valid after Run until the lock is released.
func (c *Code) Results() []uint64 { return c.frame }

// Tasks returns the number of tasks.
func (c *Code) Tasks() int { return len(c.tasks) }

// word returns the i64 at a byte offset of the frame.
func (c *Code) word(offset int64) int64 { return int64(c.frame[offset/8]) }

// returned reports whether the kernel has returned early.
func (c *Code) returned() bool {
	if c.done < 0 {
		return false
	}
	return *(*int32)(unsafe.Add(unsafe.Pointer(&c.frame[0]), c.done)) != 0
}

// extent returns the number of iterations of t, -1 if they are more than
// [ir.MaxIterations], and the number of those of its innermost dimension.
func (c *Code) extent(t *task) (total, inner int64) {
	total, inner = 1, 1
	tooMany := false
	for _, d := range t.dims {
		lo, hi := c.bound(d.Kind, d.Lo), c.bound(d.Kind, d.Hi)
		if d.Kind == ir.U64 && uint64(hi) <= uint64(lo) || d.Kind != ir.U64 && hi <= lo {
			return 0, 1 // even where another dimension has too many
		}
		inner = hi - lo // as a u64; negative as an i64 where it is 2^63 or more
		over, low := bits.Mul64(uint64(total), uint64(inner))
		if tooMany = tooMany || over != 0 || low > ir.MaxIterations; !tooMany {
			total = int64(low)
		}
	}
	if tooMany {
		return -1, inner
	}
	return total, inner
}

func (c *Code) bound(k ir.Kind, b ir.Bound) int64 {
	switch b.From {
	case ir.FromFrame:
		return b.Const + c.word(b.Slot)
	case ir.FromArg:
		return b.Const + int64(ir.IntBits(k, int64(c.args[b.Slot])))
	case ir.FromLen:
		return b.Const + int64(c.args[b.Param.LengthSlot()])
	case ir.FromList:
		return c.entries[b.Slot]
	}
	return b.Const
}

// call is what the assembly glue reads: a task, its arguments and its stack.
type call struct {
	fn, ctx    uintptr
	begin, end int64
	stack      uintptr // its upper end, from which it grows down; 0 for the thread's own
}

// ctxSlots are the words of a task's context, in the order of the ABI.
type ctxSlots struct {
	args, bases, frame, errs, key, worker, text, stop uint64
}

// record is the error record as tasks write it.
type record struct {
	count uint64
	site  uint64
	index [MaxValues]int64
	loop  [MaxRank]int64
	rank  uint64
}

// MaxRank is the number of indices of a loop that an error record holds, and
// MaxValues that of the values of the site.
const (
	MaxRank   = 8
	MaxValues = 64
)

// Fault is a failure that a kernel recorded.
type Fault struct {
	Site  int
	Index [MaxValues]int64 // the index out of range, or the values of the site's text
	Loop  []int64          // the index of the iteration, empty in serial code
	Count int64
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
