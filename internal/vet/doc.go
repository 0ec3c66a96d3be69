// Package vet finds suspicious code in a kernel source that has no errors:
// certain races (by the form of the indices, and by a sample of the iterations),
// loops that are serial by accident, comparisons that depend on rounding, variables
// that are never set, calls without effect, directives that change nothing,
// comments that look like operands.
//
// In: a typed tree. Out: warnings, which are errors with codes from TI0901 on.
// Each kind of warning has a file. A warning is given only if the tree proves
// that the code does not do what it appears to do; if that depends on run-time values,
// or on code that vet does not examine, there is none.
package vet
