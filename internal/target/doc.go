// Package target is the interface between the compiler and the machines that it makes code for.
//
// [Traits] are immutable data that the compiler must know of a machine:
// the pass table uses them to select passes, and code generators to choose the width of vectors.
// The operations of a target are two interfaces, since a program may contain its code and need no compiler: a
// [Compiler] makes the code of tasks; a launch.Machine loads it, has memory and launches
// kernels. A [Registry] has targets by name.
//
// In: kernels in IR, after the passes. Out: pieces of code, one for each task
// and for each function that tasks share. What the bytes of a piece mean, only the two halves
// of one target know. The package depends on no compiler library.
package target
