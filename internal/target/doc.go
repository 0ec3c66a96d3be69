// Package target is the seam between the compiler and the machines that it makes code for.
//
// What the compiler must know of a machine is data, [Traits], that is not changed once made:
// the pass table asks it which passes are of use, and code generators how wide vectors are.
// What a machine must do is two interfaces, since programs may come with their code: a
// [Compiler] makes the code of tasks, a launch.Machine loads it, has memory and launches
// kernels. A [Registry] knows targets by name.
//
// In: kernels in IR that the passes have been over. Out: pieces of code, one for each task
// and for each function that tasks share. The package knows no library.
package target
