// Package lower turns the typed tree of package check into the IR of package ir.
//
// In: a [typed.Program] without errors and one of its kernels. Out: an
// [ir.Kernel] with Body set. Lowering reports no mistake of a user: the checker
// has found all of them. It does not optimise either, except that it chooses
// forms that passes handle well; passes remove repeated constants and dead values.
//
// Vectors and matrices are scalarised: a value of the tree is a list of scalar
// values, row-major. Variables are such lists too, in an environment that
// maps a variable to its current values; where control flow joins, the variables
// that were assigned in a branch (assigned.go) become results of the op. Three kinds of
// variables are memory instead, an alloc with a cell for each component: those
// assigned through a run-time index, those that are read through one and are not
// constant, and those that parallel loops reduce into.
//
// Values of more than [typed.MaxUnrolled] components are not scalarised (large.go). Such a
// variable is memory. Such an expression is evaluated lazily, one component at a time, in
// the loop of a store or reduction. So the code does not grow with the number of components.
//
// Functions are inlined, except functions with a derivative of their own in a kernel that is to be differentiated. A
// large argument or result of such a function is one value with a lane for each component ([Options].Whole): it is
// loaded from an array and stored to another one. If the code after a jump (return, continue, or break of a switch)
// can be moved into the other branch of the if around the jump, it becomes structured code (tail.go); other jumps
// become break and continue ops.
//
// An assignment to numbers that share an exponent is one store (assign.go): its stores are consecutive, joined by
// [ir.More], and come after everything else that the statement computes and stores. The same holds for the atomics of
// an update.
//
// Parallel sums and products of halves are computed in f32 (gather.go).
//
// The index of a section is already rewritten to an index of its field (section.go). If lowering can prove that an index
// is within the section (known.go), it needs no check. Any other index is checked here: outside of the section it is
// replaced by an index that no element has, and the failure is reported.
//
// A print becomes a record of its values (report.go), an assertion a branch
// around a failure. In debug mode the source's integer operations get checks
// (debug.go), and accesses of parallel loops are recorded (touch.go).
//
// Invariants of the result: [ir.Verify] accepts it; the same tree gives the same
// text; only the kernel's body contains parallel loops.
package lower
