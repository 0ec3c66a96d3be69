// Package observe counts and measures launches.
//
// In: a function of a program, and the path of its launches (package flow). Out: statistics of the numbers that kernels
// stored in fields and that the fields contained ([Count]); the time that each task took ([Profile], [Trace]).
//
// Counting is an observer of launches: it replaces kernels by variants that count. The engine, which knows
// tasks and threads, measures times. Both end with the function, also if it panics.
package observe
