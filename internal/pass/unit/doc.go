// Package unit has the unit of code that most passes work on ([Unit]: the body of a kernel, or a task), substitution of values in it
// ([Subst]), and the interface by which passes ask where fields lie ([Layout]).
//
// In: blocks of IR. Out: their ops in order, and ops with replaced operands. The package makes no decisions.
//
// Invariants: a visit sees an op before those in its regions. Op operands that share an array with another op are copied before they
// are changed.
//
// Tests: all passes use it, and internal/pass verifies the IR after each (TestEveryPass).
package unit
