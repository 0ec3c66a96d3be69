// Command quant measures kernels on packed fields, the same kernels on plain fields, and both without parts of the compiler.
//
//	go run ./bench/quant [-run RE] [-json FILE] [-small] [-beside limits]
//	go run ./bench/quant -docs DIR [-from FILE] …
//
// The cases are those of the microbenchmarks of the thesis (Hu, Taichi, chapter 5, tables 5.1 and 5.3), and some more: stores to
// both halves of a word and to three bytes of four, products of 3×3 matrices of fixed-point numbers, saxpy in two forms, histograms
// of 4 bits in a bit array, Life with one bit for a cell, and advection of 256³ colours (table 5.5). Each packed case is compared
// with the plain one (f32, i32 or a byte for a cell), and with the packed one without store fusion, without thread-safety
// inference, and without both and words of bits. The ratio of each to the packed case is above 1 where the packed case is faster.
// The checksums must agree: all numbers can be stored exactly. With -beside limits, hand-written C programs run the same cases,
// packed and plain.
//
// With -small all sizes are a sixteenth. With -docs the table is written to DIR/benchmarks.md.
package main
