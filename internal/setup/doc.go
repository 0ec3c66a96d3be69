// Package setup installs libLLVM, if it is missing, with the machine's package manager.
//
// In: the machine. Out: a usable libLLVM, or an error that says what
// to install by hand. The package prints what it installs before it does so.
package setup
