// Package hostgen writes the Go side of a kernel source: the struct that it is bound to.
//
// In: a [Host]: the declarations of the source, and how its fields are placed. Out: Go files.
// [Host.WriteStruct] writes only the struct, for programs that compile kernels at run time. [Host.WritePackage]
// writes a package with the struct, a constructor and files of compiled kernels: then the Go compiler
// reports it if a source, its bindings and a program do not match.
//
// Equal input gives equal text, formatted as gofmt does.
package hostgen
