// Package setup gets onto a machine what the project needs and the machine lacks: libLLVM, and for tests a Vulkan driver.
//
// In: the machine. Out: a usable libLLVM, or an error that says what to install by hand. A libLLVM comes out of a registry of Python packages, into the cache of the user
// (fetch.go, wheel.go), or else from the machine's package manager (setup.go), which needs root. The package prints what it gets before it does so.
//
// Invariants: nothing that is fetched is used unless its SHA-256 is the known one; the folder of a fetched library is whole or not there.
//
// Tests: internal/setup has a registry of its own for each thing that can go wrong (TestFetch), and package managers that record what they are told (TestInstall).
package setup
