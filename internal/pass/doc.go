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
// A pass is one function, named as in the table, in a file of its own, or in a package below this one if it takes several files.
// Most passes see one unit at a time: the body of a kernel before the split, one task after it. The comment of a pass states its
// input and output. The driver does the timing, the dumping and the verifying, and turns a panic into an error that names pass and
// kernel, so no pass does.
//
// Adjacent rows of the table that repeat are a fixpoint loop: the driver runs them in turn on each unit until none of them changes it,
// for a few rounds at most (fixpoint.go). So forward, simplify and cse alternate: each finds more after the others.
//
// Some packages below this one are shared by passes:
//
//	unit       the unit of code, and substitution
//	fold       ops on constants
//	analysis   facts, computed on demand; the IR stays as it is
//	algebra    simplification
//	floatkey   integers in the order of floats
//	note       remarks for users
//	packet, plane    vectors of iterations
//
// Others are passes. Before the split:
//
//	states     how the parts of the source access fields; later passes keep this up to date
//	tally      counting of stored numbers: one op until the pass counters lowers it, behind distribute
//	bits, adapter, quantise    words of quantised numbers
//
// The split is package split. After it:
//
//	access     addresses
//	versioning versions of loops without checks or borders
//	distribute loop distribution
//	superword  vectors within an iteration
//
// The split decides how to transform each loop before it rewrites any: the order of its dims (nest.go), and for cells of sparse
// trees the entries of its list, masks and borders (cellplan.go, maskplan.go) and scratch (scratch.go, scratchfind.go). [Strategy]
// prints these decisions.
//
// Invariants: passes touch only the kernel they are given; their work is linear
// in its size, or in that of a task where they say so; the order of their output
// never depends on the order of a map.
package pass
