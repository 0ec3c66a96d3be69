// Package job is what sessions ask of the compiler, and what it answers: where the fields of a kernel lie,
// which derivative is wanted, and the code that comes of it.
//
// It stands between sessions and package driver, which does the work, so that a session whose code comes
// from a cache, or was compiled ahead of time, has all it needs without the compiler. [Question.Key] tells
// a kernel from all others by what goes into its compilation, and needs neither its text nor its IR.
//
// These hold: equal questions have equal keys, and different answers different keys; a binary form read
// is the one written.
package job
