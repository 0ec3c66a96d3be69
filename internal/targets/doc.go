// Package targets lists what kernels can be compiled for: this machine's processors, with code by libLLVM, the same in
// memory apart, for tests, and devices with a Vulkan driver.
//
// In: the environment of a runtime, with its cache, or none. Out: a registry with the processors first ([Of]), and compilers
// for other machines ([ForLevel]). A program that is built with the tag ti_ahead uses neither libLLVM nor Vulkan. It contains its kernels, and is
// linked statically. It runs modules with the tag ti_wasm as well, and in a page.
//
// Tests: cmd/ti has those of what doctor prints (TestScripts), internal/targets has TestAhead; all tests that launch kernels use the list.
package targets
