// Package option defines the options of compilation, once for all parts of the compiler, and
// the switches that turn parts of it off. It is data without behaviour: the code that reads an
// option says what it does.
package option
