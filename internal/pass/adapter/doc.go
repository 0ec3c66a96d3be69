// Package adapter writes the bit adapters of quantised numbers as ops (Hu, Taichi, section 5.2):
// what takes the bits of a code out of a word and puts them back, and what makes a number of a code
// and the reverse.
//
// In: a builder, values, and the coder of a form. Out: ordinary ops without branches, which every
// pass and back end takes, and vectors are made of. Floating-point ops are strict, so that nothing
// changes a bit; package quant has the same arithmetic for the host.
//
// Tests: internal/quanttest compares stores and loads of all forms with exact arithmetic (TestEncode32, TestDecodeBeside).
package adapter
