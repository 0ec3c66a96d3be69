// Package domain runs a program on several ranks by domain decomposition: rows of fields are divided among the ranks, each of which runs the
// iterations that write its own rows.
//
// In: a division of an index space ([Grid]), the trees that are divided so, and the descriptors of kernels with the places of their fields. Out: for
// each kernel a [launch.Share], which the machine asks before and after each task, and messages of package mpi.
//
// All ranks have the whole address space of a divided tree, and code is that of one machine. A rank computes its own rows; of the others it has
// pages only where it has touched them. A row is a value of the first index. Ranks own whole tiles of rows.
//
// # How a task runs
//
// What it does to divided fields follows from its states (package pass/states):
//
//	everywhere  it touches no divided field, or is serial code that only writes them: all ranks run it, with the same result
//	divided     it touches rows at a bounded distance from its own first index: each rank runs the rows that write its own
//	bound       it writes certain rows, such as a border: the ranks that own these run it
//
// Anything else is an error that names the field and a remedy. Before a task, rows that it reads and that are not valid on a rank travel
// there from the rank that has them (halo exchange). Validity follows from the launches alone, so that all ranks know what each of them needs, and
// nobody asks.
//
// # Sums
//
// What a divided task adds to a variable of the kernel, or to an element at a constant index, is in partial results of chunks (option
// Ranks). Chunks end where tiles end, so they are those of one rank. All ranks get all of them, and merge them in their order. Other updates of fields
// that are not divided are merged by what each rank has changed, if their order does not matter.
//
// Invariants:
//
//   - All ranks make the same launches, in the same order, with equal arguments: each message says which launch it belongs to, and [ErrDiverged] tells.
//   - Own rows are always valid. A rank never reads a row that is not.
//   - Results are those of one rank, bit for bit, whatever the number of ranks.
//
// Tests: internal/domain has those of rows, package dist those of whole programs. A change is tested in half a minute of two processors by
//
//	go test ./internal/domain ./dist ./internal/engine
package domain
