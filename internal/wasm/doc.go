// Package wasm runs tasks that are WebAssembly modules, on wazero, a runtime written in Go: kernels need nothing but the program that has them.
//
// In: pieces of code as package codegen/wasm makes them, one module for each task. Out: an [Embedder], by which package engine runs them: threads, chunks, records, stopping
// and deterministic results are those of the engine.
//
// # Memory
//
// Each module defines a memory. A hook gives all of them the same one, a [memory.Window]: 4 GiB of the address space of the process, at a multiple of 4 GiB. So the low 32 bits of
// an address of the host are the address in WebAssembly, the host reaches fields and sparse trees as on processors, and words of sparse trees refer to blocks by addresses
// of the host. Everything that tasks are given addresses of lies there. What a caller passes as a slice or an array is copied for a launch.
//
// The memory is not declared shared, which would cost a tenth of the time and more: threads use it all the same, since wazero compiles atomics to those of the processor. The
// length of a memory is constant, so that no two threads need to agree on it.
//
// # Calls
//
// A thread has a handle of its own for each function, since a handle has the stack of its calls. Code is no system call, and the Go scheduler cannot interrupt it: a garbage collection waits for
// the calls under way. So the engine makes short calls ([engine.Engine.Embed]). Serial code, and an iteration that is long by itself, are one call.
//
// A trap is an error of the launch, with the place of its task.
//
// # In a page
//
// A program that was built with GOOS=js is WebAssembly itself. Its kernels import the memory of the program (imports_js.go), so that everything lies in the Go heap, at addresses whose upper 32
// bits are 0. There is one thread; between calls the page has its turn (page_js.go).
//
// Invariants: nobody calls the code of a kernel that has been closed, and the engine closes the embedder last. What is loaded later is refused.
//
// Tests: internal/wasm has modules written by hand (TestAdds, TestTraps); all tests of compiled code run with TI_ARCH=wasm and TI_INSTEAD=wasm.
package wasm
