// Package cover counts how often each statement of a source is executed.
//
// In: the files of a source, and its typed tree. Out: the same tree with a
// counter at the beginning of each basic block of statements, and, once kernels
// have run, a profile in the format of go tool cover.
//
// [New] divides the functions of the files into basic blocks. [Profiler.Instrument]
// adds a statement to each block that increments an element of a field. The compiler
// makes these updates atomic, or accumulates them in private copies, as it does for
// any update. All instances and inlined copies of a function are counted together; the
// body of a static loop is counted once for each of its copies. Code that is never
// launched, and branches that were never compiled, count 0.
//
// A block is found again in the tree by the position of its opening brace: the
// checker may drop, add and reorder statements, but keeps their positions.
package cover
