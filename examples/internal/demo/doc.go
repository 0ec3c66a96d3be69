// Package demo is what the examples share and what is no part of their subject: flags, progress, and the line of
// figures at the end. Pictures are those of package picture.
//
// In comes a function that runs an example and returns a [Result]; out go files in the folder that -out names,
// progress on standard error, and the result on standard output: one line, or with -json one object. Nothing needs
// a display.
package demo
