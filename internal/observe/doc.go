// Package observe counts and measures launches.
//
// In: a function of a program, and the way of its launches (package flow). Out: what kernels stored in fields
// meanwhile, and what these held ([Count]); the time that each task took ([Profile], [Trace]).
//
// Counting is an observer: kernels are launched as variants that count. Times are taken by the engine, which knows
// tasks and threads. Both end with the function, also where it panics.
package observe
