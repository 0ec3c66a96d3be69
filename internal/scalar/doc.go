// Package scalar has the kinds of scalars: signed and unsigned integers, floats, bools and addresses, with their names and sizes.
//
// In: a kind, or its name. Out: facts about the kind. The IR computes with these kinds, and package site describes by them the values
// that kernels hand to the host.
//
// Invariants: the package imports nothing of the compiler. A name and its kind determine each other ([ParseKind]).
//
// Tests: internal/ir and internal/launch have kinds in their text and binary forms (TestPrintIsInverseOfParse, TestEveryField).
package scalar
