// Package pass turns a kernel as lowering leaves it into tasks that a back end
// can translate: optimised, split at the outermost loops, every access made
// explicit arithmetic on addresses.
//
// What comes in: an [ir.Kernel] with a Body, verified. What goes out: the same
// kernel with Tasks in place of Body, in which no place is made by ptr or elem,
// no random draw and no loop over a field is left, and transcendental functions
// are calls. The table in pipeline.go lists the passes in their order, and is the
// table of contents of this package; the table below it says which orders matter
// and why.
//
// A pass is one function, named as in the table, in a file of its own, or in a package below this one where it takes several.
// Most see one unit at a time: the body of a kernel before the split, one task after it.
// What a pass may assume and what it leaves is said in its comment. The driver
// does the timing, the dumping and the verifying, and turns a panic into an error
// that names pass and kernel, so no pass does.
//
// Rows of the table that repeat are a loop: the driver takes each unit through them until
// none of them changes it, a few rounds at most (fixpoint.go). So forward, simplify and cse
// alternate: each finds more in what the others leave.
//
// Below it are packages of what passes share: units and substitution (unit), ops on constants
// (fold), facts that are asked for and change nothing (analysis), simplification (algebra), keys of floats (floatkey), what
// is said to people (note), and vectors of iterations (packet, plane). Others are passes: what tasks do to fields is told of the
// source, before all passes, and carried along (states); counts of what is stored (tally) and words of quantised numbers
// (bits, adapter, quantise) come before the split (split); addresses (access), versions of loops (versioning), loops taken apart
// (distribute) and vectors within an iteration (superword) after it.
//
// What split makes of a loop is decided for all loops before anything is rewritten: the
// order of its dims (nest.go), and for cells of sparse trees what an entry of its list
// stands for, masks and borders (cellplan.go, maskplan.go) and scratch (scratch.go,
// scratchfind.go). [Strategy] prints it.
//
// Invariants: passes touch only the kernel they are given; their work is linear
// in its size, or in that of a task where they say so; the order of their output
// never depends on the order of a map.
package pass
