// Package native is the only door to foreign code: it opens shared libraries,
// calls C functions, and gives C a function pointer to a Go function. All use
// of github.com/ebitengine/purego is behind it, so cgo is never
// needed on Linux, macOS and Windows. Where kernels have no machine code, as on 386, or purego does not build without cgo, as on
// FreeBSD, programs build all the same, and [Missing] says why no library can be opened.
//
// What comes in are library paths, symbol names and addresses; what goes out
// are handles and results as uintptr. Invariants:
//
//   - Pointers to Go memory reach [Call] only as conversions written in the
//     argument list; the memory then stays where it is during the call.
//   - A library is never unloaded: C++ libraries keep state in threads, and
//     unloading them under a running thread ends the process.
//   - A function made by [Callback] lives as long as the process.
package native
