package launch

import "errors"

// A Share has a machine run a part of each launch, beside other machines that run the rest (package domain). It says which rows of a loop
// the machine runs, and brings what they read. All machines call it for the same tasks in the same order. It is called by one goroutine at a
// time, but not while a task runs.
type Share interface {
	// Begin comes before the tasks of a launch. Args are its arguments.
	Begin(number uint64, args []uint64) error
	// Enter comes before a task. Outer is the range of the outermost dimension, of which one index has so many iterations; both are
	// 0 for serial code.
	Enter(task int, outer Range, each int64) (Portion, error)
	// Leave comes when the iterations have run, before the partial results of several machines are merged.
	Leave(task int) error
	// Gather returns the partial results of all chunks of a task, whose words follow each other, given those of this machine's chunks.
	Gather(task int, words int, own []uint64, first, all int64) ([]uint64, error)
	// Fail returns the failure that all machines report, if any of them has one; own is nil for a machine without. It comes at the end of each
	// launch that can fail. Task is the one in which this machine failed first.
	Fail(own *Fault, task int) (*Fault, error)
}

// ErrFrame is the error of a task whose rows machines share, and that changes a variable of the kernel otherwise than by a sum.
var ErrFrame = errors.New("the loop runs on several ranks, and changes a variable of the kernel otherwise than by a sum whose old values nothing uses")

// A Portion is what a machine runs of a task.
type Portion struct {
	// Rows are the indices of the outermost dimension.
	Rows Range
	// Cut says that other machines run other rows. Then the rows leave the kernel's frame as it is, but for what partial results are merged into.
	Cut bool
	// Echo says that another machine runs these rows as well, and reports how they fail.
	Echo bool
	// Shared says that other machines run the rest, each chunk once: iterations are cut into chunks of Chunk indices of the outermost dimension, or
	// less, that end at multiples of Chunk if indices are counted from Origin.
	Shared        bool
	Chunk, Origin int64
}
