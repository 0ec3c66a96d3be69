// Package library finds the files of the libraries that a kernel source on disk imports.
//
// A library is a package of device functions, types and constants: all .ti files of one folder. A source imports it by
// its path, and qualifies its names with that of the package, as in Go. Programs join libraries to a source, from file
// systems that Go packages embed (ti.Library), and need not search for them. This package is for the command ti, which
// has only the file of a source. It finds the libraries where a Go program beside that file would find packages:
//
//   - a folder that the user gives for the path (-lib example.com/rng=DIR);
//   - a folder of the module around the source, by the path in its go.mod;
//   - a folder of another module, as `go list` finds it there: by the requirements and replacements of that go.mod, a
//     go.work file, or a vendor folder. `go list` finds only Go packages, so the folder must contain one, such as the
//     package that exports the library.
//
// In: the folder of a source, and an import path. Out: the names of the files of that library, sorted, or an error that
// says what to do. The imports of libraries are found from the folder of the source too, since the module there
// chooses versions.
//
// The other parts of libraries: package syntax follows imports from file to file, package check gives each library a
// scope of its own and resolves qualified names, and package session keeps the files of libraries beside those of a
// source, in the keys of all caches too.
package library
