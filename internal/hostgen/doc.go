// Package hostgen writes the Go side of a kernel source: the struct that it is bound to.
//
// In: a [Host], what the source declares and how its fields are placed. Out: Go files. A struct
// alone is for programs that compile kernels when they run ([Host.WriteStruct]). With a constructor and files
// of compiled kernels it is a package ([Host.WritePackage]): a source, its bindings and a program that do not
// fit are then errors of the Go compiler.
//
// Equal input gives equal text, formatted as gofmt does.
package hostgen
