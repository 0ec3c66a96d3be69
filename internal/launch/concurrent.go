package launch

import "context"

// A Scheduler is a Machine that can run tasks of several launches concurrently. A machine whose launches end later is none.
type Scheduler interface {
	Machine

	// Concurrent reports whether it would: not if it has one thread.
	Concurrent() bool

	// Schedule prepares to run launches of kernels together, each of which appears once. The nodes are in program order, and have all their tasks but
	// helpers. It is not ok if a launcher is not the machine's.
	//
	// The kernels have no results, sums, lists, records or early returns, and no bounds of loops in their frames. With Deterministic they have no
	// private copies.
	Schedule(launchers []Launcher, nodes []Node) (s Schedule, ok bool)
}

// A Node is tasks of a launch that run in their order on one thread, if they run concurrently with those of other nodes.
type Node struct {
	Launcher int   // its number
	Tasks    []int // numbers in Kernel.Tasks
	After    []int // nodes that have to run before: those from which an edge leads to this one
}

// A Schedule runs launches together. Its methods need the launch lock, like those of launchers.
type Schedule interface {
	// Run makes the launches, with the numbers that the program gives them, and has ended when it returns. Their arguments are in place. The order of nodes is
	// that of the program or another topological one; always says that nodes also run concurrently if that is known to take longer.
	//
	// It is not ok, and nothing has run, if a launch may end early for its arguments, if somebody measures or watches launches, or if nothing would run
	// concurrently. What it returns has an end of each launch, and is valid until the next run.
	Run(ctx context.Context, numbers []uint64, always bool) (ends []End, ok bool)
}

// An End is how a launch has ended.
type End struct {
	Err   error  // it ended early, in this part of a linked kernel
	Part  int    // 0 of one kernel
	Fault *Fault // it has recorded one
}
