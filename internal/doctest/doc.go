// Package doctest tests the code in Markdown files: what a document shows compiles,
// runs and prints what the document says. It also follows the links between them.
//
// A block of the language go is one of these:
//
//   - A kernel source, which begins with a package clause. Its kernel Main, or its
//     only kernel if that has no parameters, is launched, on the oracle and natively.
//   - A part of one: declarations, statements, or both. Declarations of functions,
//     types, constants and of vars with capital names become the source's; the rest
//     becomes the body of Main, whose outermost loops are parallel.
//   - Host code: a package main, a file with imports, or a part that names package ti.
//     It must pass go vet. A part may use rt, err, ctx and source as if declared
//     before it, and packages of the standard library without import. A raw string in
//     it that begins with a package clause must be a kernel source without errors.
//
// A block of the language text directly below says what the block above prints: for
// kernels what they print, their results in a line each, and, if the launch fails,
// a line "error: " and the message. Where it begins with "error TI", it is what the
// compiler reports of the source, each error as
//
//	error TI0104: a comma between indices
//	help: write X[i][j]
//
// in the order of the source, help only if it is to be shown; where it begins with
// "doc.ti:", exactly as ti check prints it. A package main is run if such a block
// follows it. A kernel that prints without such a block is an error.
//
// Blocks of the languages sh, python and c, and of none (figures and transcripts),
// are not tested; any other is an error.
//
// A comment directly above a block has what does not interest the reader:
//
//	<!-- bind X=8 V=4x4 N=3 Dir=[0,1] S.Levels[0]=16 B=X: -->
//
// gives fields their extents (scalar for none; 8 for each axis where nothing is said)
// and constants their values, as JSON. "B=X:" binds the node that field X lies in.
// "tree:B=pointer(ij,4).dense(ij,4).place(X,Y)" places fields and names nodes as package
// treetext has it, without a space.
// The words debug, nan, wide and strict in it switch on Config.Debug, CheckNaN, int and
// float of 64 bits, and Config.StrictMath, for results that the last bits decide.
//
//	<!-- host x ti.Field[float32]; step func(float32) error -->
//
// says that the block is host code, and declares variables for it; a type may come
// last. The word wrong instead of host is for mistakes that go vet finds: copied locks.
//
//	<!-- from sdf.ti -->
//
// says that the block is part of that file, beside the document, which has its own
// tests: its paragraphs, as empty lines separate them, are compared with the file.
package doctest
