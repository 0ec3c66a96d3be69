// Package distribute takes loops apart into loops of one kind of work each, so that vectors can compute what has nothing to do
// with accesses at places that are data ([Task]). It is loop distribution with scalar expansion: Kennedy and Allen, "Optimizing
// Compilers for Modern Architectures", 2002, sections 5.7 and 6.2.
//
// In: a task with addresses, after package versioning has taken checks out of it. Out: the same in strips, with several loops in the
// place of one over a strip, which hand values over in local arrays; or the task as it was.
//
//	distribute  the pass: which loops, and whether it pays
//	strip       how long strips are
//	facts       what is known of a loop
//	division    which op goes into which of the loops
//	indices     what the places that are data follow from
//	cut         two loops in the place of one, where the second needs what the first computes
//	transfer    what the loops hand over
//	write       the loops
//	reduction   variables that a loop adds up
//	narrow      reductions of 64 bits that a strip makes in 32
//
// A loop that counts, in histograms and above all for Runtime.Ranges, has its counting behind the loop of the vectors:
//
//	histogram   histograms, counted by comparisons of vectors
//	tally       which of the loops counts a store (package tally)
//	summary     the counting of stores from arrays of the numbers of a strip
//	loose, rows loops that stay whole but for the counting
//	cells       loops over the cells of a block of a sparse tree
//	inner       long loops within an iteration
//
// Invariants: stores get the bits that they had. Reductions may be added up in another order, as the iterations of a parallel loop may.
// Each access takes place once, but for loads of local arrays that nothing in the loop changes. No access overtakes a store of
// its own iteration to the same place.
package distribute
