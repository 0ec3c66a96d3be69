// Package touched judges what the compiler says that the tasks of a kernel do to fields: it compares that with what
// runs on the oracle really touch.
//
// In: a kernel as it is lowered, which the oracle runs, and the descriptor that the compiler has made of the same
// kernel. Out: errors, if a run touches what no task's states name, if a component is said to be wholly written and
// an element was not, or to be an iteration's own and another iteration touched it; and what the states name that no
// run has touched, which is allowed.
//
// The judge shares nothing with what it judges. The oracle tells it of accesses as they happen ([oracle.Watcher]);
// all it knows of the kernel beside are the names of fields and the ordinals of loops.
//
// Accesses are compared by the loop of the source in which they happen: its tasks together must name them. Serial
// code is told apart by the loop before it.
package touched
