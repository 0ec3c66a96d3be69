// Package threadblock computes the shape of the thread blocks in which a GPU runs a loop.
//
// In: a [Block], which says what a program wants, the extents of the loop along x, y and z, and the [Limits] of the device. Out: the extents of a block
// in threads, and those of the grid in blocks.
//
// The policies are those of pystencils' launch configuration (its class DynamicBlockSizeLaunchConfiguration): a block can be trimmed to a small loop, or
// fitted to the warps of the device.
//
// Invariants: Resolve is a pure function. Blocks have at least one thread, also where the loop has no iterations. A block that it returns is within the
// limits, and where warps are promised its threads are a multiple of a warp.
//
// Tests: beside it. Package internal/vulkan has those of launches.
package threadblock
