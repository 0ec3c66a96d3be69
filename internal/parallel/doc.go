// Package parallel runs the host's own work on several goroutines: clearing and copying memory,
// collecting blocks, making lists. Loops of kernels run on the threads of package engine.
//
// In: a number of parts and a function. Out: the function called once for each part, in no
// order; all calls have returned when [For] does.
package parallel
