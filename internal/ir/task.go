package ir

// A Task is a piece of a kernel that runs without the host's doing: serial code,
// or a parallel loop over a nest of ranges.
type Task struct {
	Name  string // what it does, such as "for p := range X"
	Index int
	Loop  int64 // ordinal of the loop among the kernel's outermost loops, from 1; 0 for serial code
	Part  int   // of a linked kernel, from 0: that of the last loop if several were fused
	First int   // the first of the parts if several loops were fused, otherwise Part
	Pos   Pos
	Dims  []Dim // none for a serial task; outermost first, the contiguous axis last

	// Prologue computes what all iterations share and makes thread-local
	// accumulators; Body, whose parameters are the indices of Dims, is one
	// iteration; Epilogue merges the accumulators. Values defined in the
	// prologue are visible in the other two. Prologue and epilogue run once for
	// each chunk of iterations and end in yield, the body in continue with no
	// target. A serial task has a body only, with no parameters.
	Prologue, Body, Epilogue *Block

	// Nest says how the indices of a loop over a field follow from the body's
	// parameters: index[Axis] = Low[Axis] + sum of parameter*Mul. It is nil where
	// the parameters are the indices.
	Nest []NestDim
	Low  []int64

	// Rows says how the index of the outermost dim follows the first index of the source's loop. The text form does not have it.
	Rows Rows

	// Lists are those of sparse nodes that the task runs over or reads, which the
	// engine makes before it runs; a bound FromList has the number of one.
	Lists []TaskList

	// Private lists the trees that the task only accumulates into and that are
	// small beside its work: each thread but one works on a copy of its own, which
	// a helper task merges afterwards.
	Private []Private

	// Parts is set where the result must not depend on the threads: into how many
	// parts the iterations are divided, whoever runs them, each but the first with a
	// copy of the private trees. 0 leaves it to the engine.
	Parts int

	// Partial, where it must not either, is where each chunk of iterations leaves
	// what it has accumulated; nil if nothing is merged so.
	Partial *Partial

	// Strided says that the accesses of neighbouring iterations mostly lie apart,
	// so that a vector of iterations would be gathered and scattered: the back end
	// should look for vectors within an iteration instead.
	Strided bool

	// Strip is how many iterations one of the innermost dim stands for, 0 if it is one. The loop
	// over them, or code for all, is in the body; nothing but what is said of the task goes by it.
	Strip int64

	// Batch is how many iterations of the innermost dim the body takes at a time, fewer at the end of a row or chunk; 0 where it takes
	// one. The body then has two parameters for that dim: the first index, and the one behind the last.
	Batch int64

	// Independent says that no iteration accesses memory again after storing to it. The
	// back end may then tell LLVM that the accesses of the loop have no dependences.
	Independent bool

	// Uneven says that an iteration may take long beside the others, so that the engine
	// must not hand out many at once just because the first were quick.
	Uneven bool

	// Steps is an upper bound of the steps of an iteration, or of serial code, each of which takes
	// about 0.1 to 5 ns; 0 if none is known. The last pass sets it, and the text form does not have it.
	Steps int64

	// Variants are the lane variants by which a vectoriser may replace calls in the
	// task. Other tasks may have more of the same functions.
	Variants []*Func

	// Threads is the largest number of threads that the source wants for the loop;
	// 0 leaves it to the engine.
	Threads int

	// BlockDim is how many threads of a GPU the source wants in a block; 0 leaves it to the machine.
	BlockDim int

	// States says what the task may do to fields of the host, in their order. The split takes it over from the
	// phases of the kernel. What is done through private copies and helpers is said of the task that they belong to.
	States []State

	// Helper marks a task that is not run in its turn but by the task that names
	// it in Private or Partial.
	Helper bool
}

// Blocks returns those of prologue, body and epilogue that t has, in this order.
func (t *Task) Blocks() []*Block {
	bs := make([]*Block, 0, 3)
	for _, b := range []*Block{t.Prologue, t.Body, t.Epilogue} {
		if b != nil {
			bs = append(bs, b)
		}
	}
	return bs
}

// A TaskList is a list of the blocks with active cells of the node that a field
// stands for or is placed in. Its address comes into entry Base of the base table.
// An entry stands for a block or, if Outer is not 0, for one combination of the first
// Outer dimensions within it; see the package sparse. It has the bits of its cells in the
// innermost bitmasked node, as they were when the list was made, in Masks words: 0 where the
// loop looks at the masks themselves, which it does not change then.
type TaskList struct {
	Base  int
	Field *Field
	Outer int
	Masks int
}

// A NestDim relates a parameter of a task's body to an axis; see Task.Nest.
type NestDim struct {
	Axis int
	Mul  int64
}

// Rows says that index i of a task's outermost dim stands for iterations of the loop whose first index is from Low+i*Step up to Low+(i+1)*Step-1,
// all of them in one task. Step is 0 where nothing is known.
type Rows struct{ Low, Step int64 }

// Group notes that indices of the innermost dim will be numbers of groups: group i has n of the present ones, from lo+i*n on.
func (t *Task) Group(lo, n int64) {
	if len(t.Dims) == 1 {
		t.Rows = Rows{Low: t.Rows.Low + lo*t.Rows.Step, Step: n * t.Rows.Step}
	}
}

// A Dim is one level of a task's loop nest: indices lo ≤ i < hi of kind Kind.
type Dim struct {
	Kind   Kind
	Lo, Hi Bound
}

// BoundFrom says where a bound comes from.
type BoundFrom uint8

const (
	FromConst BoundFrom = iota // Const alone
	FromFrame                  // Const + the i64 at frame offset Slot, stored by an earlier task
	FromArg                    // Const + the scalar in argument slot Slot, of the Dim's kind
	FromLen                    // Const + the length of Param: a slice, or an extent
	FromList                   // the number of entries of list Slot of the task; upper bound of the outermost dimension
)

// A Bound is a limit of a Dim.
type Bound struct {
	From  BoundFrom
	Const int64
	Slot  int64
	Param *Param
	Div   int64 // FromLen: the length, which is a multiple of it, is divided by it; 0 as 1
}

// Shrink is Div, of which 0 is 1.
func (b *Bound) Shrink() int64 { return max(1, b.Div) }

// A Private tree of a task; see Task.Private. All its components have kind Kind
// and are accumulated by Op. While the task runs, entry Base of a thread's base
// table names its copy, which holds the identity of Op everywhere before; the
// task number Merge then adds the copy, whose address is in entry Scratch, to the
// tree and sets it back to the identity.
type Private struct {
	Base, Scratch int
	Kind          Kind
	Op            AtomicKind // AtomicAdd, Min, Max, And, Or, Xor
	Merge         int
}

// Partial says that a task does not merge its accumulators in its epilogue, but
// stores them, Words numbers of 64 bits for each chunk, from the address in the
// base table's entry Scratch on, which the engine sets for each chunk. The helper
// task Merge then merges them in the order of the chunks, which are the same for
// any number of threads: its iteration i is chunk i.
type Partial struct {
	Scratch, Words, Merge int
}
