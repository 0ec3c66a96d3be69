// Package native is the only package that calls foreign code: it opens shared libraries,
// calls C functions, and makes C function pointers to Go functions. Only this package
// uses github.com/ebitengine/purego, so cgo is never
// needed on Linux, macOS and Windows. Programs also build where kernels have no machine code, as on 386, and
// where purego needs cgo, as on FreeBSD; there [Missing] says why no library can be opened.
//
// In: library paths, symbol names and addresses. Out:
// handles and results as uintptr. Invariants:
//
//   - Pointers to Go memory reach [Call] only as conversions written in the
//     argument list; the memory then stays where it is during the call.
//   - A library is never unloaded: C++ libraries keep state in threads, and
//     unloading them under a running thread ends the process.
//   - A function made by [Callback] lives as long as the process.
package native
