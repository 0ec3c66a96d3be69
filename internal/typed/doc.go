// Package typed is the typed tree: the form of a program between the checker, which
// makes it, and everything that reads it: lowering, warnings, coverage, the host.
//
// A [Program] has fields and kernels. A kernel is a [Func] whose body is a tree of
// statements (stmt.go) and expressions (expr.go). Every name is resolved to a [Var],
// [Field] or [Func], every expression has a [Type], and conversions are nodes of their
// own. Nothing is left to be evaluated at compile time: constants are folded into [Num],
// static loops are [Unrolled], type parameters and compile-time parameters are bound.
//
// The package also has the definitions that the checker and its readers must share: arithmetic on
// constants (fold.go), the memory form of a type (memory.go), and which functions can be
// kept out of line (inline.go). It reports no errors and imports no other part of the
// compiler but package syntax.
//
// Invariants of a tree that the checker made without errors:
//
//   - no type is [Unknown] or untyped;
//   - operands of an elementwise operator or builtin have equal types;
//   - each [VarRef] refers to a Var that is defined before it;
//   - each [Break] and [Continue] has a target around it;
//   - each [Return] has a value for every result, and control never reaches the end of
//     a function with results;
//   - the numbers of a [Const] are rounded to its type.
//
// Readers may share a tree between goroutines as long as none of them changes it.
package typed
