// Package lower turns the typed tree of package check into the IR of package ir.
//
// In comes a [typed.Program] without errors and one of its kernels; out goes an
// [ir.Kernel] with Body set. Lowering reports no mistake of a user: whatever can
// be wrong with a source, the checker has said. It does not optimise either,
// beyond choosing forms that passes understand well; repeated constants and dead
// values are left to them.
//
// Vectors and matrices are taken apart: a value of the tree is a list of scalar
// values, row-major. Variables are such lists too, kept in an environment that
// maps a variable to its current values; where control flow joins, the variables
// assigned on the way (assigned.go) become results of the op. Three kinds of
// variable are memory instead, an alloc with a cell for each component: those
// assigned through a run-time index, those that are read through one and no
// constants, and those that parallel loops reduce into.
//
// Values of more than [typed.MaxUnrolled] components are not taken apart (large.go). Such a
// variable is memory. Such an expression is evaluated lazily, one component at a time, in
// the loop of a store or reduction. So the code does not grow with the number of components.
//
// Functions are inlined, but for those with a derivative of their own in a kernel that is to be differentiated. Their
// large arguments and results are values of as many lanes ([Options].Whole): loaded from an array, stored to another one.
// A jump (return, continue, or break of a switch) whose
// rest can be moved into the other branch of its if becomes plain structured code
// (tail.go); other jumps become break and continue ops.
//
// An assignment to numbers that share an exponent is one store (assign.go): its stores follow each other, joined by
// [ir.More], behind what else the statement computes and stores. So are the atomics of an update.
//
// Parallel sums and products of halves are computed in f32 (gather.go).
//
// A section has become an index of its field by then (section.go). What lowering can tell without passes of an index,
// that it is one of the section (known.go), needs no check; other indices become ones that no element has, and are
// reported here.
//
// What the source prints is a record of the values (report.go), an assertion a branch
// around a failure. In debug mode the source's integer operations get checks
// (debug.go), and accesses of parallel loops records (touch.go).
//
// Invariants of the result: [ir.Verify] accepts it; the same tree gives the same
// text; parallel loops stand in the kernel's body only.
package lower
