// Package document reads the blocks of code in Markdown files.
//
// In: a document. Out: its fenced blocks, each with its language, its place, the comment above it, which says what its names are bound to, and the block
// below it, which says what it prints; and the kernel source that a block stands for. The doc comment of internal/doctest says what blocks mean.
//
// It compiles nothing and runs nothing: internal/doctest tests the blocks, and internal/gallery makes programs of them that pages run.
//
// Tests: internal/doctest.
package document
