// Command bench measures kernels, alone or beside other systems.
//
//	go run ./bench [-run RE] [-json FILE] [-regress FILE [-threshold 1.1]] [-beside taichi,quadrants,numba,warp,jax,mojo,mojo-plain,limits,handc] [-threads N]
//	go run ./bench -docs DIR [-from FILE] …
//	go run ./bench -scaling [-docs DIR]
//	go run ./bench -startup [-beside taichi]
//
// A case is a kernel source in kernels/ and a row in the table of cases.go, with the size, the data and the check
// of the case of the same name in peers/taichi_bench.py. It prints the median and the minimum time of a launch,
// measured over at least seven launches and one and a half seconds, compilation excluded and each launch awaited,
// and a checksum of what the kernel computed. A checksum that is not the expected one fails the run. The cases autodiff_… go
// through all steps of a simulator and back, the way there is also timed alone; some of them run kernels of the examples.
//
// With -beside each case also runs in the programs of the peers (see peers/install), one after the other so that
// nothing competes for the processor; their checksums have to agree with ours, and the ratios of their median to
// ours, above 1 where we are faster, are printed with their geometric mean.
//
// With -regress the times of launches and of compilation are compared with those that an earlier run on the same machine
// wrote by -json. A case that looks slower is measured up to five times; if its least time is more than the
// threshold times the earlier one, the command fails.
//
// Sparse trees at several activities, and the examples on sparse trees, are measured by the command in sparse/; what both
// commands share is in internal/suite.
//
// Beside the times stand gigabytes and billions of operations a second, of what a launch has to move and to compute at least
// (work.go); the cases peak_memory, peak_cache and peak_flops
// measure what the machine can do: reading 64 MB, reading 8 MB again and again, and arithmetic. With -docs the table goes into
// DIR/benchmarks.md, where a peer that is ahead stands in bold, and the ratios are drawn in DIR/benchmarks.svg: from
// the results of this run, or with -from from those that -json wrote.
//
// With -scaling it measures instead how times fall with the number of threads, and how many bytes a second a loop moves by
// its size, from a first-level cache to memory.
//
// With -startup it measures instead what comes before a kernel runs: from source text to first result, programs from start
// to end that compile, that take kernels from the cache and that come with them, their memory and sizes, and what
// a launch costs.
package main
