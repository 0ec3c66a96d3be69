// Package remainder computes the exact remainder of floats, as a function in the IR for targets that have no instruction for it.
//
// In: a kind of floats. Out: an [ir.Func] of two numbers, whose result has the sign of the first. It has no effects, and needs of a target integers of 64 bits
// with their quotients.
//
// Tests: internal/codegen/wasm runs it beside math.Mod (TestOps), internal/vulkan on a device (TestNumbers).
package remainder
