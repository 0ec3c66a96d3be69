// Package diag is what every mistake in a source, in binding it or in a layout is made of: a code, a
// position, a message with its remedy, and the line; and what went wrong, for errors.Is, in these and in
// all other errors that programs get.
//
// In: what a package above has found out. Out: errors, and the position of the program's call (User).
//
// It is apart from package syntax, which has the text of all codes and the parser, so that programs
// without a compiler report mistakes of the host as all others do.
//
// These hold: a code keeps its number and meaning for good; a list that was sorted has each mistake once.
//
// Tests: package ti has the mistakes of hosts (TestHostMistakes), internal/bind those in binding (TestMistakes),
// internal/syntax positions, lines and codes (TestErrorText, TestRegistry).
package diag
