// Package sparse implements trees of pointer, bitmasked, dynamic and hash nodes at run time:
// their memory, look-ups of cells, the lists that loops run over, collection of
// deactivated cells, and saving.
//
// In: a frozen [layout.Tree], whose blocks, steps and control words describe the
// memory. Out: a [Tree], whose root block is the tree's base for compiled code.
// Compiled code activates cells itself, on many threads, by a protocol on the
// control words (layout/control.go); the code of this package runs between
// tasks. The package knows nothing of kernels and of the threads of the engine.
//
// # Memory
//
// All blocks of a kind are slots of one region of address space, a pool (pool.go). The pool has
// taken Top slots so far, and has a stack of slots that were freed. Free slots are
// zero, except slots from the top on that were in use before the pool was emptied:
// they are zeroed when they are taken. If more memory is free than a pool may keep (release.go), groups of about 64 KiB
// whose slots are all free go back to the system, and their slots leave the
// stack until they are needed. A pool without used slots starts again from the bottom, and keeps its
// pages.
// A [Budget] limits the memory of all trees of a runtime. Each pool may take all of the budget that is left
// when a task begins, so a single task may exceed the budget, and then fails. A task
// that finds no memory writes into the dump block of the kind; blocks that it made below the dump block are freed later
// (reclaim.go).
//
// A machine may have all this to itself, and a copy for the host at the same addresses. So the host comes to the memory through a door (door.go), which
// sees to it that the copy has what is read, and the machine what is written.
//
// Collection (collect.go, clear.go) removes cells from the tree, visits the blocks below
// them level by level, zeroes these and frees their slots.
//
// A node with other components of the same elements follows the node by which these are active
// (follow.go): when elements become inactive, its components are zeroed.
//
// # Look-ups
//
// descend.go follows the steps of an access: a look-up for a read ends at a missing block,
// one for a write makes the missing blocks. hash.go is the table of a hash node:
// levels of doubling size, which tasks add and [Tree.Settle] merges again.
//
// # Lists
//
// For each node whose cells have blocks of their own, list.go makes the list of these
// blocks with their coordinates, from the list of the node above. From these it makes the lists
// for loops (entries.go), which may contain copies of the bits of blocks. Lists are reused as long as the topology does
// not change: every node has a version, which counts changes. A new list takes the memory of the old
// one, unless an iterator of the host still uses it. A device may make lists itself (package devicelist): then it counts changes in control words, which
// [Tree.Prepare] sets to the versions and [Tree.Settle] reads. [Tree.RemakeLists] switches this reuse off, so
// that its benefit can be measured.
//
// # Saving
//
// save.go writes a tree block by block; load.go checks all that it reads before it
// changes anything.
//
// Invariant: inactive cells are zero, and so is everything below them. Methods may be
// called by several goroutines, but none while a task runs on the tree, except for
// [Tree.Find].
package sparse
