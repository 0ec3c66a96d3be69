// Package demo is shared by the examples: flags, progress, and the line of
// figures at the end. They make pictures with package picture.
//
// In comes a function that runs an example and returns a [Result]; out go files in the folder that -out names,
// progress on standard error, and the result on standard output: one line, or with -json one object. Nothing needs
// a display.
package demo
