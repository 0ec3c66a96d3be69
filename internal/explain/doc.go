// Package explain annotates the source of a kernel with remarks on the code that
// the compiler has made of it.
//
// In: a kernel after the passes, with their notes; LLVM's optimised code as
// text; the size of each task's machine code. Out: an annotated source. [Analyse]
// describes tasks: their ranges, whether their code is vectorised and, if not,
// what prevents it. [Report.Write] writes this and the notes beside the lines.
//
// Whether LLVM has vectorised a loop is read from its code: such a loop
// has a block named vector.body, and the type of the values there gives the width.
package explain
