// Package plane makes vectors of the iterations over a plane of a small block: [Make]. Where fields
// are stored in blocks of, say, 4×4×4 numbers, a row of a block is too short for a vector, but the
// 16 numbers of two of its axes lie side by side. What an iteration reads at constant distances from
// its own element are then planes of the same block and of those around it, moved by some lanes.
//
// In: a task with places, over a range of indices. Out: the same over blocks, with a body for all
// planes of one, or as it was, and why.
//
//	plan   what a loop must be: see [PlanOf], by which split leaves the loop in one piece
//	blocks the shape of blocks, by the address formulas of fields
//	emit   the new body: values of a plane, and masks for blocks at the border of the range
//	window what is read of neighbours
//
// Tests: internal/pass has kernels before and after (TestGolden, internal/pass/testdata/planes); internal/runtest/program runs
// planes (TestPlanes, TestRandomPlanes).
package plane
