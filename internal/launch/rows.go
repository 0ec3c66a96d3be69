package launch

import "context"

// A Range is indices from ≤ i < to of the outermost dimension of a task.
type Range struct{ From, To int64 }

// A RowLauncher is a Launcher that can run the tasks of a launch piece by piece, between pieces of other launches. It is for kernels whose tasks are
// all loops over ranges ([Task.Rows] has a step), which neither fail nor record nor return early, and which pass nothing to each other but through
// fields. A machine whose launches end later has none.
type RowLauncher interface {
	Launcher

	// Begin counts a launch with the number that the program gives it, of which RunRows runs the pieces.
	Begin(number uint64)

	// Outer returns the range of the outermost dimension of a task, for the arguments as they are. It is not ok if they have the launch fail,
	// or if somebody measures launches ([Machine.Record]).
	Outer(task int) (r Range, ok bool)

	// RunRows runs the indices of a task that are in r, and has ended when it returns. Number is that of the launch.
	RunRows(ctx context.Context, number uint64, task int, r Range) error
}
