// Package batch queues launches, and runs them in batches.
//
// In: launches that nothing waits for: a variant, its arguments, and the number of the launch. Out: the same launches, in their
// order, some time later; and the first failure among them.
//
// Config.Batch changes when launches run, never what they do. A launch is queued if nobody can tell when it runs ([Queue.Takes]): it
// has no results, prints nothing, takes no memory of the caller, its context cannot end, no observer needs what it leaves, and the host has no memory
// of its fields for good. All others wait for the queue and run at once.
//
// One batch is filled while another one runs, on a goroutine of the queue. A batch that has as many tasks as Config.Batch says is submitted by the
// next launch, any batch when the program calls Flush, and when something waits, which then runs it. No timer submits.
//
// # Plans
//
// The second time that a batch comes, a plan is made for it (plan.go): launches of which nobody reads what they write are dropped (internal/graph), or such loops of a launch (leftout.go), and others
// are compiled as one kernel (variant.Link), if that has fewer tasks than they have. That happens in the background; until then launches run
// one by one. A guard measures both ways and keeps the faster one (guard.go). Which arguments are equal, of those from which ranges of loops follow, is in
// the key of a plan (equal.go).
//
// With Deterministic and without StrictMath bits depend on which way is taken. Then the first batch waits for its plan, and nothing is measured.
//
// # Time tiles
//
// A chain of stencils on fields that are larger than the caches loads them again in each launch. If rows of each launch need only near rows of
// those before it, launches run tile by tile instead: some rows of the first, then those rows of the second that need no more of the first, and so on,
// and then the next rows of the first. Hu's thesis and the literature call that skewed time tiling, or wavefronts; see Wonnacott, "Achieving Scalable
// Locality with Time Skewing", International Journal of Parallel Programming 30(3), 2002.
//
// A row is the first index of the source's loop. States say how far from its row each loop touches each component (launch.Reach), and tasks say which rows
// an index of their outermost dimension stands for (launch.Rows). Two loops that touch the same component, of which one writes it, touch the same element
// only if the row of the earlier one is at most that of the later one plus Hi of the later reach minus Lo of the earlier one. So a loop may run rows
// below the first row that the earlier one has not run, minus that number (ahead, in tileable.go). This keeps flow, anti and output dependences alike, and
// is all that there is to keep: within a launch rows run in their order, and threads share the rows of one launch as they share any range.
// A component that nobody writes may be read anywhere.
//
// Tasks run so if pieces change nothing (loopsOf): no sums, lists, private copies or records, nothing that may fail or return early, nothing
// that passes from one task to the next but through fields, no packed numbers, whose loops may be loops over words, and what is written is near.
// Launches that are linked are tasks like others. Code of tiles has no stores that bypass the caches (variant.LinkRows). A machine whose launches
// end later has no launch.RowLauncher, and runs launches by themselves.
//
//	tileable   which tasks can be run by rows, and by how much one must be ahead of another
//	tiles      which launches of a plan run so, and the rows of a tile
//	tilerun    running them
//
// A tile has as many rows as stay in a cache of one processor with the lag of the last launch behind the first. Launches that touch less than the caches hold are
// left alone. Bits are those of launches by themselves, so a guard measures both ways in Deterministic mode, too.
//
// # Concurrent tasks
//
// Steps that follow each other, each a launch or launches that were linked, become one step if the state-flow graph of their kernels has two segments
// with no path between them (concurrent.go). A machine that can (launch.Scheduler) runs such segments at the same time, each on one thread, and no
// barrier is between them: a segment waits only for those from which an edge leads to it. So short loops on different fields, which are not worth
// being shared by threads, take turns on all of them. Nothing is compiled. Values are those of launches one by one: any topological order gives them,
// random numbers follow from the number of the launch, and in deterministic mode chunks are the same. Else sums of floats are rounded as threads
// happen to share them, as without batches.
//
// Launches are left out if they do something that the machine does for one launch at a time (runsBeside): records, lists and activations, sums, early
// returns, in deterministic mode private copies; if it is not known before how many iterations their loops have; or if they use packed numbers, since
// two components may share a word. One variant has room for the arguments of one launch, so it is in such a step once. All launches of the step run,
// and the first failure in program order is kept.
//
// Launches take less time so only if their tasks are short. The machine knows what tasks cost, and runs those that are worth it as before, with all
// threads. The guard measures the rest.
//
// # Launches that activate nothing any more
//
// The cells that some launches activate follow from their arguments and from which cells are active (launch.Kernel.Repeats). If such launches have changed no cell, they
// change none when they run again with the same arguments, unless a cell has changed in between (settled.go). Then they run by code that activates nothing, in
// which more loops are fused. Versions of nodes, which only grow, tell whether a cell has changed; a launch that has failed tells nothing.
//
// # Launches that gain nothing
//
// A launch of less than a microsecond that runs by itself in the end takes longer if it is queued. So after some hundred such launches in a row the next thousands run at
// once, as without batches (bypass.go), until the program launches another kernel. Then launches are queued again for a while, to find out
// whether they gain something by now. A launch of a kernel without a task is counted, and that is all.
//
// # Launches that overlap
//
// A machine whose launches end later may be a launch.Overlapping. Then a launch of a batch is started, and the next one does not wait for its end
// (overlap.go). A launch that cannot be started waits for all that have been. So does a guard before and behind what it measures, and the end of a batch:
// when a batch has run, nothing is under way.
//
// # Stores of the host
//
// Fill and Set are launches of kernels that are written for the field (hostwrite.go), while something is queued.
//
// # Recordings
//
// A queue may record launches instead of running them, for a [Replay] that runs again and again (replay.go), or draw the graph of its batches (draw.go).
//
// # What waits
//
// The launch lock (launch.Lock) waits for the queue, and so does the host before it touches an element (store.Config.Settle). The
// fields of queued launches are guarded: At and Set of them call the store, which waits (store.Tree.Guard).
//
// # Where a batch ends
//
// A program that launches nine kernels in a loop fills a batch of 64 tasks with seven rounds and a part of the eighth. If batches ended
// there, each would begin with another kernel, and there would be nine plans for them. So a full batch is cut where its last whole round ends
// (repeat.go). A program that waits after a few more tasks than a batch has, up to a quarter more, gets batches of as many ([Queue.widen]): the rest would gain
// little by itself.
//
// # Failures
//
// All launches of a batch run, also behind one that fails: a program that goes on after an error gets the same values. The first
// failure in program order is kept, and the first call that can report an error does so: a launch, Sync or Close. If
// the function of the failed kernel has no error result, reading an element reports it, too, by a panic. Failures of launches between the failed one
// and the call that reports it are dropped.
//
// Invariants:
//
//   - Whoever adds to the queue holds the launch lock (launch.Lock.Order). So do the callers of all methods but Idle and Settle.
//   - The running batch owns the frames and executables of variants, and the machine, until it has run.
//   - If the queue is idle, the holder of the launch lock owns them.
//
// Tests: beside it are those of what is queued, of failures and of where batches end, and host programs that are made up and run at several
// sizes of batches; internal/flow has those of calls, internal/launch those of the lock. A change is tested in half a minute of two processors by
//
//	go test ./internal/batch ./internal/flow ./internal/launch
//
// More programs of launches that find their cells active are made up by
//
//	go test ./internal/batch -run RandomSettled -settledseeds 400 -firstsettled 1000
//
// More programs of concurrent launches, whose nodes run in another order than that of the program, are made up by
//
//	go test ./internal/batch -run RandomConcurrent -concurrentseeds 400 -firstconcurrent 5000
package batch
