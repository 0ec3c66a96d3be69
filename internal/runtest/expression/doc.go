// Package expression holds tables of expressions with what they must give. It has tests
// only.
//
// In: groups of expressions over the same arguments, each with a Go function that gives the
// same. Out: failures, each with the expression and the arguments.
//
// A group becomes one kernel, a parallel loop that evaluates all its expressions for many
// arguments: all combinations of values worth trying, or a sample of them, which is the same
// in each run. Integers and bools agree exactly, floats within the units in the last place
// that the row allows.
package expression
