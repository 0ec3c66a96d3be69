// Package touched tests the states of tasks, in which the compiler declares what the tasks of a kernel do to fields: it
// compares them with the accesses of runs on the oracle.
//
// In: a lowered kernel, which the oracle runs, and the descriptor that the compiler has made of the same
// kernel. Out: an error if a run accesses a component that no task's states name, if a component is declared wholly
// written and an element was not written, or if an element is declared an iteration's own and another iteration accesses
// it. States may name components that no run accesses; these are listed.
//
// This package shares no code with the compiler. The oracle reports accesses as they happen ([oracle.Watcher]);
// of the kernel, the package knows only the names of fields and the ordinals of loops.
//
// Accesses are compared for each loop of the source: the tasks of the loop together must name them. Serial
// code is identified by the loop before it.
package touched
