// Package option has the options of compilation, once for all parts of the compiler, and
// the switches that leave parts of it out. It is data without behaviour: what an option does
// is said where it is read.
package option
