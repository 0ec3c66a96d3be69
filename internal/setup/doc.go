// Package setup gets a machine ready: it installs libLLVM where it is missing
// and the machine's package manager can.
//
// In: nothing but the machine. Out: a usable libLLVM, or an error that says what
// to install by hand. What is installed is said before it is done.
package setup
