// Package random generates programs from seeds and compares their results on the oracle with
// those of machine code. It has tests only.
//
// In: seeds, by the flags of package randtest. Out: failures, each with the seed and the
// source, and at the end of each test the seeds that failed.
//
//   - fuzz_test.go runs random kernels. generate_*_test.go write them, for the fields and
//     sizes of a scene (scene_test.go), which scenelayout_test.go lays out at random.
//   - members_test.go runs kernels on members of structs, races_test.go loops with races.
//   - updates_test.go runs loops for packets that update elements several times in an iteration.
//   - tree_test.go runs random kernels on both oracles, nests_test.go kernels on nested values, halves_test.go sums of halves,
//     composed_test.go kernels that call kernels.
//   - wasm_test.go runs random kernels as WebAssembly.
//   - vulkan_test.go runs random kernels on a device with a Vulkan driver, where there is one.
//   - library_test.go splits some of the random kernels into two packages.
//   - format_test.go compares printf with package fmt.
//   - stress_test.go watches the memory of the process while many kernels are compiled.
//
// The same seed gives the same source, layout and input. A source has no errors, and its results
// are defined: under strict maths it must give the same bits in all variants. testdata/seeds.txt lists
// the seeds that were tried.
package random
