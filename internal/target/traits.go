package target

// Traits describe a target.
type Traits struct {
	Name      string // of the target, such as "llvm"
	Processor string // as the makers of compilers call it, such as "znver3"; "" if not known
	Arch      string // as GOARCH has it; "" is amd64
	Windows   bool   // tasks are called by the convention of Windows, on its stacks

	Has Features

	VectorBits int // width of vectors; 0 for none
	GatherCost int // what it costs to load a lane from a place of its own, beside the load: 0 where an instruction loads a vector so
	Stack      int // bytes of stack that a task may use
	StackAlign int // what a task finds the stack aligned to, in bytes; 0 for what its calling convention says
	Locals     int // of these, for local arrays

	// Version is the major version of the library that generates code, which decides what
	// its language has.
	Version int
}

// LineBytes is the length of the lines in which processors read and write memory.
const LineBytes = 64

// Features is a set of things that a target can do.
type Features uint32

// The features.
const (
	Threads        Features = 1 << iota // iterations of a loop run at once, on few threads that each run many; otherwise each has a thread of its own
	Gathers                             // vectors of addresses
	Prefetch                            // memory asked for before it is read
	FMA                                 // fused multiply-add as one instruction
	FloatMax                            // the smallest and largest of floats as a reduction of vectors
	Estimates                           // reciprocal square roots of vectors to 14 bits, as one instruction
	Streams                             // lines of memory written past the caches
	Scales                              // vectors of f32 multiplied by powers of two, as one instruction
	BlockAddresses                      // blocks of sparse trees named by their addresses; the code generator of another target names them
	Masks                               // loads and stores of those lanes of a vector that a mask chooses, as one instruction
	Narrow                              // 32 bits are the better width of integers: of 64 bits, arithmetic takes several instructions
	Alone                               // nothing behind the passes makes vectors, so that they make all of them
	FusedSingle                         // products of f32 that are rounded once take few instructions, though more than two roundings do

	// All is every feature.
	All Features = 1<<iota - 1
)

// CPU is what processors of all kinds can do.
const CPU = Threads | Gathers | Prefetch | BlockAddresses

// Provides reports whether the target has all of f.
func (t *Traits) Provides(f Features) bool { return t.Has&f == f }
