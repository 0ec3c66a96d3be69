// Package distribute splits a loop into several, each with one kind of work, so that LLVM can vectorise the computation separately from
// accesses at data-dependent addresses ([Task]). It is loop distribution with scalar expansion: Kennedy and Allen, "Optimizing Compilers
// for Modern Architectures", 2002, sections 5.7 and 6.2.
//
// In: a task with addresses, after package versioning has removed checks from it. Out: the same in strips, in which several loops replace
// one loop over a strip and transfer values to each other in local arrays; or the task unchanged.
//
//	distribute  the pass: which loops are split, and whether that pays
//	strip       the length of strips
//	facts       dependences and accesses of a loop
//	division    the assignment of ops to the loops
//	indices     the values from which data-dependent addresses are computed
//	cut         two loops in the place of one, if the second needs what the first computes
//	transfer    the values that loops transfer, and their arrays
//	write       emission of the loops
//	reduction   variables in which a loop accumulates
//	narrow      reductions of 64 bits that a strip makes in 32
//
// The vector loop is the one that LLVM vectorises. A row is the number of an iteration in its strip, and so the index of its entry in the
// local arrays. If a loop counts, in histograms and above all for Runtime.Ranges, the counting follows the vector loop:
//
//	histogram   histograms, counted by vector comparisons
//	tally       the assignment of tallies to the loops
//	summary     the counting of stores, from arrays of the numbers of a strip
//	countingloop, rows    loops that are not split, except for their counting
//	cells       loops over the cells of a block of a sparse tree
//	inner       long loops within an iteration
//
// Invariants: stored values have the same bits as before. Reductions may be accumulated in another order, as the iterations of a parallel
// loop may run. Each access takes place once, except loads from local arrays to which nothing in the loop stores. No access is moved before
// a store of its own iteration to the same place.
package distribute
