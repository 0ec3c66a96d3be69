// Package diag defines diagnostics: a mistake in a source, in its binding or in a layout has a code, a
// position, a message with a remedy, and the line. It also defines the errors that errors.Is finds in these and in
// all other errors that programs get.
//
// In: the findings of packages above. Out: errors, and the position of the program's call (User).
//
// It is separate from package syntax, which has the parser and the explanations of all codes, so that programs
// without a compiler can report mistakes of the host in the same way.
//
// Invariants: a code never changes its number or meaning; a sorted list has no duplicates.
//
// Tests: package ti has the mistakes of hosts (TestHostMistakes), internal/bind those in binding (TestMistakes),
// internal/syntax positions, lines and codes (TestErrorText, TestRegistry).
package diag
