// Package show is what the examples share and what is no part of their subject: flags, progress, pictures and
// the line of figures at the end.
//
// In comes a function that runs an example and returns a [Result]; out go pictures in the folder that -out names,
// progress on standard error, and the result on standard output: one line, or with -json one object. Nothing needs
// a display. A file that cannot be written whole is removed again, and the error names it, the cause and the
// remedy.
package show
