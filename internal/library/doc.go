// Package library finds the files of the libraries that a kernel source on disk imports.
//
// A library is a package of device functions, types and constants: all .ti files of one folder. A source imports it by
// its path, and uses its names behind that of the package, as Go does. Programs join libraries to a source, from file
// systems that Go packages embed (ti.Library); there is nothing to find then. This package is for the command ti, which
// has the file of a source alone. It finds what a Go program beside that file would import:
//
//   - a folder that the user gives for the path (-lib example.com/rng=DIR);
//   - a folder of the module around the source, by the path in its go.mod;
//   - a folder of another module, as `go list` finds it there: by the requirements and replacements of that go.mod, a
//     go.work file, or a vendor folder. It finds packages of Go: the one that exports the library lies in its folder.
//
// In: the folder of a source, and an import path. Out: the names of the files of that library, sorted, or an error that
// says what to do. What libraries import themselves is found from the folder of the source too, since it is the
// module there that chooses versions.
//
// The other parts of libraries: package syntax follows imports from file to file, package check gives each library a
// scope of its own and resolves qualified names, and package session keeps the files of libraries beside those of a
// source, in the keys of all caches too.
package library
