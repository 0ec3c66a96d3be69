// Package split cuts a kernel into tasks: each outermost loop becomes a task, and so does the code between two of them.
//
// In: a kernel with a body, and where its fields lie. Out: the same with tasks and a frame; loops over fields are loops over their
// memory.
//
// All loops are planned before the first is rewritten:
//
//	strategy   the plans of all tasks, and their text for users
//	nest       loops in the memory order of a dense field
//	cellplan   loops over the cells of a sparse tree: their list, the border of blocks
//	maskplan   how these loops read masks
//	scratch    which neighbours they read from local copies
//
// Then the loops are rewritten:
//
//	split, import            the code between loops, and values that cross tasks
//	listtask, listmask       loops over lists, and their masks
//	scratchfill, scratchbody loops that read neighbours from local copies
//
// Tests: internal/pass has kernels before and after (TestGolden, internal/pass/testdata/split); internal/driver runs loops
// over sparse trees (TestRandomSparse).
package split
