// Package store has what a program keeps: trees, their nodes, and the elements of the fields in them. It knows no
// kernel.
//
// In: descriptions of trees, and Go types of elements; from who has the store ([Config]) the lock of launches, memory
// for dense trees, and the budget of all. Out: elements, one or all at a time, in memory, in streams and in files;
// where components lie, for who compiles or runs kernels (Layout, Access, Address); and errors with position, cause
// and remedy.
//
//	Store      the trees of a runtime: store
//	Tree       nodes and fields, and the memory that they get when they are first used: tree, node, word, treeio, lifetime
//	Node       which cells are active: cells, topology
//	Field      elements of any type, by address: field, fieldof, shape, member; all of them: elements, stream, pieces, moving
//	           in sparse trees: sparse, apart
//	           packed in words: packed, and a run of elements at once: packedrun, packedwords, packednumbers,
//	           packeddirect, packeddense
//	Role       fields that belong to another one, adjoints, tangents and keys: companion
//	Copy       what a tree held, to be compared: copies
//	Scanner    all elements, for who counts: scan
//	Elements   those of real numbers as float64: numbers
//
// These hold:
//
//   - A field is declared, then placed, then ready. Ready fixes its trees and gives them memory; nothing moves
//     afterwards. Base is not nil while the elements of a ready field lie at fixed strides and its trees are open:
//     the fast path of At and Set asks nothing else.
//   - Store.mu guards trees while they are built, and is taken last of all locks. The launch lock comes first:
//     elements of sparse trees, and which cells are active, are read and written under it. Elements of dense trees
//     have no lock; lifetime.go says how Close does without.
//   - Words that have numbers of several fields are changed by exchange. Tree.stores keeps that apart from kernels
//     of the host's, which load and store them.
//   - Who has the store is asked through [Config] alone. A [Copier] is all that is called of kernels.
//   - Positions of mistakes are those of the program's call; see [diag.User].
//
// Tests: beside it are those of trees and fields; internal/hostabi has those of elements that are structs, internal/quanttest
// those of packed ones. A change is tested in half a minute of two processors by
//
//	go test ./internal/store ./internal/hostabi
package store
