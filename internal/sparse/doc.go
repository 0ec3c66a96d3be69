// Package sparse has trees of pointer, bitmasked, dynamic and hash nodes at run time:
// their memory, the way to a cell, the lists that loops run over, collection of what
// was deactivated, and saving.
//
// In: a frozen [layout.Tree], whose blocks, steps and control words say how everything
// lies in memory. Out: a [Tree], whose root block compiled code works on as the tree's
// base. Compiled code activates cells by itself, on many threads, by the protocol that
// the control words are made for (layout/control.go); all that is here runs between
// tasks. The package knows nothing of kernels and threads of the engine.
//
// # Memory
//
// All blocks of a kind lie in one region of address space (pool.go): slots, of which
// Top were ever taken, and a stack of those that were given back. What is free is
// zero, but for slots at the top and above that were in use before the pool was emptied:
// they are zeroed when they are taken. Groups of slots of about 64 KiB that are free altogether go back to the system
// when more has been freed than a pool may keep (release.go), and their slots leave the
// stack until they are needed. A pool of which nothing is in use starts anew, with the
// pages that it has.
// A [Budget] bounds what all trees of a runtime have; each pool may take what is left
// of it when a task begins, so that a single task may overdraw it, and then fails. A task
// that finds no memory writes into the dump block of the kind; what it made below that is found again
// (reclaim.go).
//
// Collection (collect.go, clear.go) takes cells out of the tree, visits what hangs from
// them level by level, zeroes it and gives the slots back.
//
// Who holds components of the same elements elsewhere follows the node by which they are active
// (follow.go), and zeroes them when elements become inactive: there is no other trace of that.
//
// # Ways
//
// descend.go follows the steps of an access: to read, where a missing block ends the
// look-up, or to write, which makes what is missing. hash.go is the table of a hash node:
// levels of doubling size, which tasks add and [Tree.Settle] merges again.
//
// # Lists
//
// list.go makes, for each node whose cells have blocks of their own, the list of those
// blocks with their coordinates, from that of the node above; and from it the lists
// for loops (entries.go), which may have a copy of the bits of a block. Both are kept as long as the topology stays what it was:
// every node has a version, which counts changes. A new list takes the memory of the old
// one, unless an iterator of the host is still at it. [Tree.RemakeLists] does without, so
// that what this saves can be measured.
//
// # Saving
//
// save.go writes a tree block by block, load.go checks all of what it reads before it
// changes anything.
//
// Invariant: what is inactive is zero, and so is everything below it. Methods may be
// called by several goroutines, but none while a task runs on the tree, except for
// [Tree.Find].
package sparse
