// Package plane makes vectors of the iterations over a plane of a small block: [Make]. If fields are stored in blocks of, say, 4×4×4
// numbers, a row of a block is too short for a vector, but the 16 numbers along two of its axes are contiguous. Loads at constant
// distances from an iteration's own element are then planes of the same block and of neighbouring ones, shifted by some lanes.
//
// In: a task with places, over a range of indices. Out: the same over blocks, with a body for all planes of a block; or the task
// unchanged, and the reason.
//
//	plan   the conditions for planes: see [PlanOf], by which split knows not to split such a loop
//	blocks the shape of blocks, from the address formulas of fields
//	emit   the new body: values of a plane, and masks for blocks at the border of the range
//	window loads of neighbours
//
// Tests: internal/pass has kernels before and after (TestGolden, internal/pass/testdata/planes); internal/runtest/program runs
// planes (TestPlanes, TestRandomPlanes).
package plane
