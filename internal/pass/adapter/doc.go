// Package adapter writes the bit adapters of quantised numbers as ops (Hu, Taichi, section 5.2): they extract the bits of a code from
// a word and insert them, and decode and encode numbers.
//
// In: a builder, values, and the coder of a form. Out: ordinary ops without branches, which every pass and back end handles and LLVM
// vectorises. Floating-point ops are strict, so that no pass changes a bit; package quant has the same arithmetic for the host.
//
// Tests: internal/quanttest compares stores and loads of all forms with exact arithmetic (TestEncode32, TestDecodeBeside).
package adapter
