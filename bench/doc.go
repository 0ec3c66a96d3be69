// Command bench measures kernels, alone or beside other systems.
//
//	go run ./bench [-run RE] [-json FILE] [-regress FILE [-threshold 1.1]] [-beside sync,plain,merged,taichi,quadrants,numba,warp,jax,mojo,mojo-plain,limits,handc] [-threads N]
//	go run ./bench -docs DIR [-from FILE] …
//	go run ./bench -scaling [-docs DIR]
//	go run ./bench -startup [-beside taichi]
//
// A case is a kernel source in kernels/ and a row in the table of cases.go, with the size, the data and the check
// of the case of the same name in peers/taichi_bench.py. For each case the command prints the median and the minimum time
// of a launch, measured over at least seven launches and one and a half seconds, and a checksum of the results. Times
// exclude compilation, and each launch is awaited. A wrong checksum fails the run. The cases autodiff_… run the forward
// and the backward pass of a simulator, and also time the forward pass alone; some of them run kernels of the examples.
//
// With -beside each case also runs in the programs of the peers (see peers/install), one after the other so that
// nothing competes for the processor. Their checksums must agree with ours. The command prints the ratios of their
// median to ours, above 1 where we are faster, and their geometric mean.
//
// With -regress the times of launches and of compilation are compared with those that an earlier run on the same machine
// wrote with -json. A case that looks slower is measured up to five times; if its least time is more than the
// threshold times the earlier one, the command fails.
//
// The cases async/… launch many small kernels, in batches (Config.Batch). They run only if -run asks for them. With -beside sync they also run
// launch by launch, with plain also without the reuse of lists of active cells, with merged as kernels that were merged by hand: what a compiler
// could reach that optimises across launches. Most are those of Hu's thesis (The Taichi High-Performance and Differentiable Programming Language for
// Sparse and Quantized Visual Computing, 2021, appendix of chapter 4).
//
//	go run ./bench -run async/ -beside sync,plain,merged
//
// The command in sparse/ measures sparse trees at several activities, and the examples on sparse trees. Both
// commands share internal/suite.
//
// Besides times, the table has rates: the gigabytes that a launch must move at least, and the operations that it must do
// at least (work.go), per second. The cases peak_memory, peak_cache and peak_flops measure the limits of the machine:
// reading 64 MB, reading 8 MB repeatedly, and arithmetic. With -docs the table is written to DIR/benchmarks.md, where
// a peer that is faster is in bold, and the ratios are drawn in DIR/benchmarks.svg: from
// the results of this run, or with -from from those that -json wrote.
//
// With -scaling the command measures instead how times fall with the number of threads, and the bandwidth of a loop by
// the size of its data, from the first-level cache to memory.
//
// With -startup it measures instead the time before a kernel runs: from source text to first result; whole
// programs that compile their kernels, load them from the cache, or contain them; their memory and sizes; and the cost
// of a launch.
package main
