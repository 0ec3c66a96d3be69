// Package batch queues launches, and runs them in batches.
//
// In: launches that nothing waits for: a variant, its arguments, and the number of the launch. Out: the same launches, in their
// order, some time later; and the first failure among them.
//
// Config.Batch changes when launches run, never what they do. A launch is queued if nobody can tell when it runs ([Queue.Takes]): it
// has no results, prints nothing, takes no memory of the caller, its context cannot end, no observer sees it, and the host has no memory
// of its fields for good. All others wait for the queue and run at once.
//
// One batch is filled while another one runs, on a goroutine of the queue. A batch is submitted when it has as many tasks as
// Config.Batch says, when the program calls Flush, and when something waits. No timer submits.
//
// # Plans
//
// The second time that a batch comes, a plan is made for it (plan.go): launches of which nobody reads what they write are dropped (internal/graph), and others
// are compiled as one kernel (variant.Link), if that has fewer tasks than they have. That happens in the background; until then launches run
// one by one. A guard measures both ways and keeps the faster one (guard.go).
//
// With Deterministic and without StrictMath bits depend on which way is taken. Then the first batch waits for its plan, and nothing is measured.
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
// (repeat.go).
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
package batch
