package launch

import "fmt"

// A Kernel is a compiled kernel as the engine sees it.
type Kernel struct {
	Name    string
	Args    int      // argument slots
	Numbers []Number // what some of these always hold
	Results int      // slots at the beginning of the frame that hold results
	Frame   int64    // bytes
	Done    int64    // offset in the frame of an i32 that is not 0 after an early return; -1 if there is none
	Bases   []int    // area of memory that each entry of the table of base addresses names; -1 for lists and scratch memory
	Sums    []Sums   // memory that the kernel leaves as it finds it, zero
	Ranges  []int    // argument slots from which ranges of loops follow, in ascending order: where launches have equal ones, their loops may be alike
	Memory  []Memory // of the caller, that arguments name
	Records bool     // some task records
	Prints  bool     // some task prints
	Repeats bool     // the cells that a launch activates follow from its arguments and from which cells are active; it deactivates none

	// Deterministic says that results must not depend on the number of threads: ranges are
	// cut into chunks that follow from the task and the range alone.
	Deterministic bool

	Tasks  []Task
	Fields []Field
	Parts  []Part // the kernels that were linked into this one, in their order; nil if it is one kernel

	// Information for users: no code depends on it.
	Names []Name // of each task
	Sites []Site
}

// A Part is one of several kernels that were linked into one. Its tasks take effect behind those of the parts before it. What it calls its
// fields is not here: sites have their names as its source does, and Fields those of the linked kernel.
type Part struct {
	Name string
	Args int   // the first of its argument slots
	Key  int   // the argument slot for the key of its random numbers, see [Key]; -1 if it draws none
	Done int64 // as that of a kernel by itself: once it is set, no later task of the part runs
}

// Sums is memory of a kernel that is zero before and after each launch. An entry of the table of base addresses has its
// address.
type Sums struct {
	Base  int
	Bytes int64
}

// A Number is what an argument slot holds whatever the host gives: tasks that differ in numbers
// alone have one code, which reads them.
type Number struct {
	Slot  int
	Value uint64
}

// A Name is how a task is named to people, and where its source stands.
type Name struct {
	Task string
	Place
}

// A Place is a place in a source; Line is 0 if it is not known.
type Place struct {
	File         string
	Line, Column int
}

// A Task is a loop over a range, or serial code. Tasks run in their order, but for helpers.
type Task struct {
	Loop    int64  // number of the loop in the source that the task is of, from 1; 0 for serial code
	Part    int    // number in Kernel.Parts of the last of those that it does work of; only that one can fail here
	First   int    // that of the first of those; it is the one that ends early here, for want of memory
	Slots   []Slot // what its code is given
	Sites   []int  // number in Kernel.Sites of each site that its code has
	Dims    []Dim  // none of serial code; the innermost last
	Rows    Rows
	Lists   []List
	Private []Private
	Partial *Partial // where chunks leave what they accumulate, in deterministic mode; nil if they merge it

	// Parts is into how many parts the range is divided in deterministic mode, each but the
	// first with a private copy; 0 leaves it to the engine.
	Parts int
	// Threads is the largest number of threads that the source wants; 0 for any.
	Threads int
	// BlockDim is how many threads of a GPU the source wants in a block; 0 for any.
	BlockDim int

	States []State // what it does to the fields, by number
	Helper bool    // run by the task that names it in Private or Partial, not in its turn
	Heavy  bool    // an iteration is long enough for a call of its own
	Local  int64   // bytes of local arrays of a thread that have more than [LocalMost] each
	Uneven bool    // iterations may take much longer than the first ones did

	// Steps bounds the steps of an iteration, or of serial code, each of which takes about 0.1 to
	// 5 ns; 0 if no bound is known. Code that has one neither waits nor calls back.
	Steps int64
}

// A Slot is a word that a task's code is given.
type Slot struct {
	From SlotSource
	At   int64
}

// A SlotSource says what is in a slot.
type SlotSource uint8

// The sources of slots.
const (
	ArgSlot   SlotSource = iota // argument slot At
	BaseSlot                    // entry At of the table of base addresses, or of the thread's copy
	FrameSlot                   // the address of offset At in the frame
	RootSlot                    // the root block of the tree of entry At of the table of base addresses, as the words of its tree refer to blocks
)

// A Dim is one level of a loop nest: lo ≤ i < hi, compared as unsigned numbers of 64 bits
// if Unsigned.
type Dim struct {
	Lo, Hi   Bound
	Unsigned bool
}

// Rows says that index i of a task's outermost dimension stands for the iterations of the source's loop whose first index is from Low+i*Step up to
// Low+(i+1)*Step-1. Step is 0 where nothing is known.
type Rows struct{ Low, Step int64 }

// A Source says where a bound comes from.
type Source uint8

// The sources of bounds. To all but the last Const is added.
const (
	Const   Source = iota
	Frame          // the i64 at offset At of the frame, stored by an earlier task
	Arg            // the low Bits bits of argument slot At, with a sign if Signed
	Entries        // the number of entries of list At
)

// A Bound is a limit of a Dim.
type Bound struct {
	From   Source
	Const  int64
	At     int64
	Bits   int
	Signed bool
	Div    int64 // of an Arg: what it is divided by, which leaves no remainder; 0 as 1
}

// Value returns a bound, given the areas of the launch.
func (b *Bound) Value(args, frame []uint64, entries []int64) int64 {
	switch b.From {
	case Frame:
		return b.Const + int64(frame[b.At/8])
	case Arg:
		v := int64(args[b.At])
		if shift := 64 - b.Bits; b.Signed {
			v = v << shift >> shift
		} else {
			v = int64(uint64(v) << shift >> shift)
		}
		if b.Div > 1 {
			v /= b.Div
		}
		return b.Const + v
	case Entries:
		return entries[b.At]
	}
	return b.Const
}

// A List is a list of the blocks with active cells of a node, whose address comes into
// entry Base of the table of base addresses before the task runs.
type List struct {
	Base  int
	Node  int  // number in Kernel.Fields of the field that is placed in the node, or stands for it
	Outer int  // an entry stands for one combination of so many outer dimensions of a block; 0 for a block
	Masks bool // entries have the bits of the cells' activity
}

// Private says that a task accumulates into the tree of entry Base, and that each thread
// but one does so in a copy of its own. A copy is filled with the number Identity, of Size
// bytes. The task Merge adds the copy whose address is in entry Scratch to the tree, and
// fills it so again.
type Private struct {
	Base, Scratch int
	Size          int
	Identity      uint64
	Merge         int
}

// Partial says that each chunk of a task stores what it has accumulated, Words slots, at
// the address in entry Scratch; iteration i of the task Merge merges that of chunk i.
type Partial struct {
	Scratch, Words, Merge int
}

// MaxIterations is the largest number of iterations of a loop over a range. Numbers of
// iterations then fit an int64, with room for the sums that divide them among threads.
const MaxIterations = 1 << 62

// MaxSums is the largest number of bytes of sums.
const MaxSums = 1 << 40

// Check reports what is wrong with a descriptor whose numbers do not fit each other.
func (k *Kernel) Check() error {
	if len(k.Names) != len(k.Tasks) {
		return fmt.Errorf("launch: %d tasks have %d names", len(k.Tasks), len(k.Names))
	}
	if k.Args < 0 || k.Results < 0 || k.Frame < 0 || k.Done < -1 || k.Done >= 0 && k.Done > k.Frame-4 {
		return fmt.Errorf("launch: the areas of %s have impossible sizes", k.Name)
	}
	for _, n := range k.Numbers {
		if n.Slot < 0 || n.Slot >= k.Args {
			return fmt.Errorf("launch: a number of %s is for slot %d of %d", k.Name, n.Slot, k.Args)
		}
	}
	for _, s := range k.Sums {
		if s.Base < 0 || s.Base >= len(k.Bases) || s.Bytes < 1 || s.Bytes > MaxSums {
			return fmt.Errorf("launch: sums of %d bytes have base %d, and there are %d", s.Bytes, s.Base, len(k.Bases))
		}
	}
	for i := range k.Memory {
		if err := k.checkMemory(&k.Memory[i]); err != nil {
			return err
		}
	}
	for i, n := range k.Ranges {
		if n < 0 || n >= k.Args || i > 0 && k.Ranges[i-1] >= n {
			return fmt.Errorf("launch: ranges of %s follow from slot %d of %d, or slots are out of order", k.Name, n, k.Args)
		}
	}
	for _, p := range k.Parts {
		if p.Args < 0 || p.Args > k.Args || p.Key < -1 || p.Key >= k.Args {
			return fmt.Errorf("launch: the arguments of part %s begin at slot %d of %d, and its key is in slot %d", p.Name, p.Args, k.Args, p.Key)
		}
		if p.Done < -1 || p.Done >= 0 && p.Done > k.Frame-4 {
			return fmt.Errorf("launch: the flag of part %s is at %d in a frame of %d bytes", p.Name, p.Done, k.Frame)
		}
	}
	for i := range k.Tasks {
		if err := k.checkTask(&k.Tasks[i]); err != nil {
			return fmt.Errorf("launch: task %d of %s: %w", i, k.Name, err)
		}
	}
	for i := range k.Fields {
		if err := k.checkField(&k.Fields[i]); err != nil {
			return err
		}
	}
	for i := range k.Sites {
		if err := k.checkSite(&k.Sites[i]); err != nil {
			return err
		}
	}
	return nil
}

func (k *Kernel) checkTask(t *Task) error {
	base := func(n int) bool { return n >= 0 && n < len(k.Bases) }
	helper := func(n int) bool { return n >= 0 && n < len(k.Tasks) && k.Tasks[n].Helper }
	if t.Part < 0 || t.Part >= max(1, len(k.Parts)) {
		return fmt.Errorf("there is no part %d", t.Part)
	}
	for _, s := range t.Slots {
		limit := [...]int64{ArgSlot: int64(k.Args), BaseSlot: int64(len(k.Bases)), FrameSlot: k.Frame, RootSlot: int64(len(k.Bases))}
		if int(s.From) >= len(limit) || s.At < 0 || s.At >= limit[s.From] {
			return fmt.Errorf("the slot %+v is outside of what it comes from", s)
		}
	}
	for _, n := range t.Sites {
		if n < 0 || n >= len(k.Sites) {
			return fmt.Errorf("there is no site %d", n)
		}
	}
	for _, d := range t.Dims {
		for _, b := range []Bound{d.Lo, d.Hi} {
			ok := false
			switch b.From {
			case Const:
				ok = true
			case Frame:
				ok = b.At >= 0 && b.At%8 == 0 && b.At <= k.Frame-8
			case Arg:
				ok = b.At >= 0 && b.At < int64(k.Args) && b.Bits > 0 && b.Bits <= 64 && b.Div >= 0
			case Entries:
				ok = b.At >= 0 && b.At < int64(len(t.Lists))
			}
			if !ok {
				return fmt.Errorf("a bound, %+v, is outside of what it comes from", b)
			}
		}
	}
	if t.BlockDim < 0 {
		return fmt.Errorf("a block has %d threads", t.BlockDim)
	}
	if r := t.Rows; r.Step < 0 || r.Step == 0 && r.Low != 0 || r.Step > 0 && len(t.Dims) == 0 {
		return fmt.Errorf("the rows %+v are impossible", r)
	}
	for _, l := range t.Lists {
		if !base(l.Base) || l.Node < 0 || l.Node >= len(k.Fields) {
			return fmt.Errorf("the list %+v has no place", l)
		}
	}
	for _, p := range t.Private {
		if !base(p.Base) || !base(p.Scratch) || !helper(p.Merge) || p.Size < 1 || p.Size > 8 {
			return fmt.Errorf("the private copy %+v has no place, or no task that merges it", p)
		}
	}
	if p := t.Partial; p != nil && (!base(p.Scratch) || !helper(p.Merge) || p.Words < 1 || !k.Deterministic) {
		return fmt.Errorf("the partial results %+v have no place, or no task that merges them, or the kernel is not deterministic", *p)
	}
	return k.checkStates(t)
}
