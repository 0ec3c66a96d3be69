// Package vet finds what is suspicious in a kernel source that has no errors:
// certain races (by the form of the indices, and by a sample of the iterations),
// loops that are serial by accident, comparisons that rounding upsets, variables
// that are never set, calls without effect, directives that change nothing,
// comments that look like operands.
//
// In: a typed tree. Out: warnings, which are errors with codes from TI0901 on.
// Each kind of warning is a file. A warning is given only where the tree shows
// that the code cannot mean what it says; where it depends on values of run time,
// or on code that is not looked into, there is none.
package vet
