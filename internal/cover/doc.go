// Package cover counts how often each statement of a source is executed.
//
// In: the files of a source, and its typed tree. Out: the same tree with a
// counter at the beginning of each basic block of statements, and, once kernels
// have run, a profile in the format of go tool cover.
//
// [New] divides the functions of the files into blocks: statements that are all
// executed if the first one is. [Profiler.Instrument] puts statements into the
// tree that add one to an element of a field; that they are atomic, and gathered
// by each thread for itself, is what the compiler makes of any such update. A
// function is counted as one, however often it is instantiated or inlined, and a
// static loop once for each of its bodies. What is never launched, or in a branch
// that was never compiled, counts 0.
//
// A block is found again in the tree by the place of the brace that opens it: the
// checker may drop, add and reorder statements, but keeps their places.
package cover
