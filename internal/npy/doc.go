// Package npy reads and writes the headers of .npy files, NumPy's format for arrays: a magic number, a header that is a Python literal, and the
// elements (numpy.lib.format, NEP 1).
//
// In: the beginning of a file ([Head]), or a type and extents ([Start]). Out: type, extents and where the elements begin, or the bytes in front of them.
// Invariant: a false header asks for no more than a megabyte.
//
// Tests: beside it is that of the order of entries; internal/script has those of files, and the fuzz target FuzzNPY.
package npy
