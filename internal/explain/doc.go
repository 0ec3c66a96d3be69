// Package explain tells the author of a kernel, beside the lines of the source,
// what the compiler has made of it.
//
// In: a kernel as the passes left it, with their notes; LLVM's optimised code as
// text; the size of each task's machine code. Out: an annotated source. [Analyse]
// looks at tasks: over what they run, whether the code works on vectors and, where
// it does not, what stands in the way. [Report.Write] puts this and the notes
// beside the lines.
//
// What vectors LLVM has made is read off its code: a loop that it has vectorised
// has a block named vector.body, and the type of the values there gives the width.
package explain
