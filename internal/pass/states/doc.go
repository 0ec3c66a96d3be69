// Package states computes how each part of a kernel accesses the fields of the host. The results serve optimisations that reorder, fuse or
// skip launches and tasks.
//
// In: the body of a kernel as it is lowered, and where its fields lie. Out: the same with phases (see [ir.Phase]): a phase is a parallel
// loop, or the serial code between two of them, and has states ([ir.State]).
//
//	states   phases, and accesses to values
//	reach    how far accesses are from their iteration
//	cells    accesses to cells and lists of sparse trees
//	whole    components of which every element is written
//	take     the states of tasks, after the split
//
// # Why states come before other passes
//
// States describe components and indices of the source. Later passes hide both: quantise turns accesses to packed components into
// accesses to words, which do not say which numbers change, bits and quantise run loops over words, and the split puts loops in memory
// order. The accesses that later passes add are not in the source: private copies, scratch, prefetches, accumulators that are zero between
// launches, loads of a word whose other numbers stay, and loads that if-conversion makes of stores. If they remove accesses, states list
// too many, which is safe. So states are computed once, before all passes, and kept up to date:
//
//   - A parallel loop has the number of its phase. A pass that makes several loops of one gives all of them that number, and a pass that
//     fuses two loops adds their states. The split fails if a loop has no phase.
//   - Serial code belongs to the phases between those of the loops around it, since loops stay in order.
//   - Tasks that share a loop do a part of its work: they have its states, without Whole ([Take]).
//
// # What states mean
//
// A task accesses only components and cells that its states name. They may name more.
//
//   - A value is read if some result may depend on it. A load without uses reads nothing. Writes do not imply that the old value is lost: a
//     task that writes without reading may leave elements unchanged, or may consist of a part of the iterations.
//   - An atomic reads and writes. An atomic load reads.
//   - Whole: if the task runs to its end, and the launch does not fail, every element has been written. If the component is not read, its
//     old value is lost. A task may not run at all: an early return ends the launch.
//   - Own: the loop's indices are the first indices of all elements that it accesses, in their order. So no two iterations access the same
//     element, and two loops that own a component may run iteration by iteration. Iterations are those of the source; a task may run them
//     in another order, and several at a time.
//   - Reach: an access of an iteration is to an element whose first index, minus the first index of the loop, is in an interval. It serves
//     schedules that run a loop row by row: rows of two loops in any order that respects the intervals. It follows from how the index is
//     computed (i-1, max(i-1, 0), a sum with the index of a short inner loop), and from the intervals of both numbers. So a clamped index stays
//     near, and one that is wrapped around does not. Where integers may wrap, nothing is known. Serial code has no reach.
//   - Index bounds the first indices themselves, and Ring is a Reach modulo the extent of the first axis. A loop over a border has the one, a
//     loop over a periodic domain the other. Both are said only where they are narrower than the Reach.
//   - Sum: all accesses are updates of one kind, and nothing uses the old values. Machines that run a loop together can add up what each of
//     them has added.
//   - A store of a number that shares its exponent rounds the other numbers of the group, unless one assignment stores all of them: it
//     reads and writes them. Readers of states must do the same for numbers that the kernel does not know.
//   - A load or store of an element of a sparse field tests whether it is active, and a store may activate it, with all cells above it:
//     it writes masks, lists and the allocator. In a loop over active cells, the iteration's own cell is active. Masks are those of the
//     nodes above the field; masks of other nodes in the tree are not accessed.
//   - Deactivating cells, and making lists shorter, writes the values of all fields in these cells. Clears names the node, for fields that
//     the kernel does not know.
//
// # What a kernel as a whole does to cells
//
// A kernel repeats (ir.Kernel.Repeats, repeats.go) if the cells that a launch activates follow from its arguments and from which cells are active when it begins, and it
// deactivates none. It is proved for code alone in which constants, arguments and indices of loops decide where, whether and how often something is activated.
//
// # What states leave to the layout
//
// Components in one word are different components here. Tasks that change one of them load and store the word, so a scheduler that runs
// two tasks at once must ask the layout whether they share words. Lists of active cells and allocators belong to a tree: states of two
// fields in one tree refer to the same ones. Two fields of a kernel may be one field of the host under two names, so readers of states
// first add up those of one field.
//
// Memory of the caller, slices and views, has no states, since it is no field of the host. Records for the host, text and failures, have
// none either; descriptors have flags for them.
//
// Tests: internal/pass has the states of kernels (TestStates, TestPhases, TestRepeats), internal/driver those of packed fields
// (TestStatesOfPackedFields); internal/oracle/touched compares states with the accesses of launches (TestPrograms).
package states
