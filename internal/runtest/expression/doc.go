// Package expression has tables of expressions and their expected values. It has tests
// only.
//
// In: groups of expressions over the same arguments, each with an equivalent Go
// function. Out: failures, each with the expression and the arguments.
//
// A group becomes one kernel, a parallel loop that evaluates all its expressions for many
// arguments: all combinations of interesting values, or a sample of them, which is the same
// in each run. Integers and bools must agree exactly, floats within the units in the last place
// that the row allows.
package expression
