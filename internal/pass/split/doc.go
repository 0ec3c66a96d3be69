// Package split cuts a kernel into tasks: each outermost loop becomes one, and the code between
// two of them.
//
// In: a kernel with a body, and where its fields lie. Out: the same with tasks and a frame; loops
// over fields are loops over their memory.
//
// What becomes of each loop is decided before the first is rewritten:
//
//	strategy   the plans of all tasks, and their text for people
//	nest       loops in the order of memory of a dense field
//	cellplan   loops over the cells of a sparse tree: their list, the border of blocks
//	maskplan   and how they look at masks
//	scratch    and which neighbours they read from copies
//
// Then the plans are carried out:
//
//	split, import            the code between loops, and values that cross tasks
//	listtask, listmask       loops over lists, and their masks
//	scratchfill, scratchbody loops that read neighbours from copies
//
// Tests: internal/pass has kernels before and after (TestGolden, internal/pass/testdata/split); internal/driver runs loops
// over sparse trees (TestRandomSparse).
package split
