// Package packet vectorises iterations: tasks whose innermost dim counts packets ([Make]), if LLVM's vectoriser fails because of
// control flow or elements of many components, and loops over rows of elements with a step for each vector ([Rows]), for pass interior.
//
// Iterations are independent of each other except for what they accumulate: several lanes may update the same place by atomics, the same
// place of a thread's private copy of a tree, or the same variable of the prologue. An access to a private copy is part of an update: a
// load and a store of one place, and arithmetic between them, which a lane executes without interruption by other lanes. A task with any
// other access to a private copy stays as it is.
//
// Some targets have nothing behind the passes that makes vectors ([target.Alone]). For such a target [Loops] makes vectors of all loops that
// allow it: of the iterations of a task with all that is in them, or else of inner loops. The innermost dim of a task then takes a batch of
// iterations at a time ([ir.Task.Batch]), so that its bounds may be arguments or lengths. A loop becomes loops of vectors and a loop of the
// iterations that are left:
//
//	loops        which loops become vectors (loops.go), of how many lanes, and whether that pays (gain.go)
//	legality     what iterations have to do with each other, and reductions (looplanes.go)
//	variables    that iterations add to, as values of the loop (registers.go)
//	components   of small elements, which are loaded and stored contiguously (components.go)
//	borders      and checks, where instructions have no masks (border.go)
//	the loops    as they are written (loopwriter.go)
//
// # Ops of vectors
//
// A code generator for such a target gets these ops on values of several lanes. They come from this package, from packages plane and
// superword, and from the maths library. The number of lanes is a power of two from 2 to 64. A value may need several registers: 16 lanes
// of f32 are four registers of 128 bits. Numbers of all kinds have lanes, and so have bools, which are masks, and addresses.
//
//	values      const (all lanes alike), splat, iota, pack, lane, convert, bitcast, select
//	arithmetic  all pure ops on numbers, integer division included, and comparisons, which give masks. Transcendental functions are
//	            expanded, or are calls of functions whose parameters and results have lanes
//	masks       and, or, xor, not, select; any, all, bits (a bit for each lane; popcount and clz of it are scalar)
//	lanes       shuffle (even, odd, low, high), slide, total
//	memory      load and store of contiguous numbers from one place on, or of a place for each lane, with a mask or without. The places
//	            are a vector of addresses, made by splat, select, or offset by a vector of i64. A load gives 0 for lanes that are not in
//	            the mask. Vectors are aligned to their numbers only. Bools in memory are bytes. alloc makes arrays for all lanes
//	control     if, for, loop and block may have vectors as results and carried values. Conditions and bounds are scalars
//
// Atomics, fail, record, tally, lookup and the ops of sparse trees are scalar.
//
// In: a task with addresses. Out: the same task on packets, or unchanged, and the reason.
//
// Tests: internal/pass has kernels before and after (TestGolden, internal/pass/testdata/packet and vectors); internal/runtest/program and
// internal/runtest/random run packets (TestRandomUpdates), and programs for a target that has nothing else (TestAlone, TestRandomAlone).
package packet
