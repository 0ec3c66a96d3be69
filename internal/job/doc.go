// Package job defines requests to the compiler and its answers. A request says which kernel or derivative is wanted,
// and where its fields lie; the answer has the code.
//
// The package separates sessions from package driver, which does the work: a session whose code comes
// from a cache, or was compiled ahead of time, needs only this package and no compiler. [Question.Key] identifies
// a kernel by everything that goes into its compilation, and needs neither its text nor its IR; [LinkKey] does so for launches that are linked.
//
// Invariants: equal questions have equal keys; questions with different answers have different keys; reading a
// binary form gives what was written.
package job
