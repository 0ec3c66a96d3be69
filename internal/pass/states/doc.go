// Package states finds out what each part of a kernel does to the fields of the host, for those who order, join or
// leave out launches and tasks.
//
// In: the body of a kernel as it is lowered, and where its fields lie. Out: the same with phases (see [ir.Phase]): a
// phase is a parallel loop, or the serial code between two of them, and has states ([ir.State]).
//
//	states   phases, and accesses to values
//	cells    accesses to cells and lists of sparse trees
//	whole    components of which every element is written
//	take     what the split gives to tasks
//
// # Why so early
//
// States speak of components and indices as the source has them. Later passes hide both: quantise turns accesses to
// packed components into accesses to words, which do not say which numbers change, bits and quantise run loops over
// words, and the split orders loops as memory lies. What later passes add is no access of the source: private copies,
// scratch, prefetches, sums that are zero between launches, loads of a word whose other numbers are kept, and loads
// that if-conversion makes of stores. What they remove makes states say too much, which does no harm. So states are
// found once, before all passes, and carried along:
//
//   - A parallel loop has the number of its phase. A pass that makes several loops of one gives all of them that
//     number, and one that joins two adds the states. The split fails if a loop has no phase.
//   - Serial code belongs to the phases between those of the loops around it, since loops stay in order.
//   - Tasks that share a loop do a part of what it does: they have its states, without Whole ([Take]).
//
// # What states say
//
// A task does nothing to a component, and nothing to cells, that its states do not name. They may say too much.
//
//   - A value is read if something may depend on it. A load that nothing uses reads nothing. Writes do not say that
//     the old value is lost: a task that writes without reading may keep elements, or parts of the iterations may.
//   - An atomic reads and writes. An atomic load reads.
//   - Whole: if the task runs to its end, and the launch does not fail, every element has been written. If the
//     component is not read, what it held before is lost. A task may not run at all: an early return ends the launch.
//   - Own: the loop's indices are the first indices of all elements that it touches, in their order. So no two
//     iterations touch the same element, and two loops that own a component may run iteration by iteration.
//     Iterations are those of the source; a task may take them in another order, and several at a time.
//   - A store of a number that shares its exponent rounds the other numbers of the group, unless one assignment
//     stores all of them: it reads and writes them. Who reads states must do the same for those that the kernel does
//     not know.
//   - A load or store of an element of a sparse field asks whether it is active, and a store may make it so, with all
//     cells around it: it writes masks, lists and the allocator. In a loop over active cells, the iteration's own is
//     active. Masks are those of the nodes in which the field lies, and of those above. Nothing is said of masks of
//     other nodes in a tree.
//   - What makes cells inactive, or lists shorter, writes the values of all fields in these cells. Clears says so of
//     the node, for fields that the kernel does not know.
//
// # What states leave to the layout
//
// Components in one word are different components here. Tasks that change one of them load and store the word, so
// whoever runs two tasks at once must ask the layout whether they share words. Lists of active cells and allocators
// belong to a tree: two states of fields in one tree are about the same. Two fields of a kernel may be one field of the
// host under two names, so whoever reads states adds those of one field first.
//
// Memory of the caller, slices and views, has no states: it is no field of the host. Neither has what is told to the
// host, text and failures, which descriptors have flags for.
//
// Tests: internal/pass has the states of kernels (TestStates, TestPhases), internal/driver those of packed fields
// (TestStatesOfPackedFields); internal/oracle/touched compares states with what launches touch (TestPrograms).
package states
