// Package store holds the data of a program: trees, their nodes, and the elements of the fields in them. It knows
// nothing of kernels.
//
// In: descriptions of trees, and Go types of elements; from the store's owner ([Config]), the launch lock, memory
// for dense trees, and the memory budget. Out: elements, one or all at a time, in memory, in streams and in files;
// the places of components, for code that compiles or runs kernels (Layout, Access, Address); and errors with
// position, cause and remedy.
//
//	Store      the trees of a runtime: store
//	Tree       nodes and fields, and their memory from the first use on: tree, node, word, treeio, lifetime
//	Node       which cells are active: cells, topology
//	Field      elements of any type, by address: field, fieldof, shape, member; all of them: elements, stream, pieces, moving
//	           in sparse trees: sparse, apart
//	           packed in words: packed, and a run of elements at once: packedrun, packedwords, packednumbers,
//	           packeddirect, packeddense
//	Role       fields that belong to another one, adjoints, tangents and keys: companion
//	           before and after each access: mapping
//	Copy       an earlier state of a tree, for comparison: copies
//	Scanner    visits all elements, for counts: scan
//	Elements   elements of real numbers as float64: numbers
//
// Invariants:
//
//   - A field is declared, then placed, then ready. Ready fixes its trees and gives them memory; nothing moves
//     afterwards. Base is not nil while the elements of a ready field lie at fixed strides and its trees are open:
//     the fast path of At and Set tests nothing else.
//   - Store.mu guards trees while they are built, and is taken last of all locks. The launch lock comes first:
//     elements of sparse trees, and which cells are active, are read and written under it. Elements of dense trees
//     have no lock; lifetime.go says how Close works without one.
//   - The host changes words that contain numbers of several fields by compare-and-swap. Tree.stores excludes this while
//     the product's own kernels load and store such words.
//   - The store calls its owner only through [Config]. The only kernels that it uses are behind a [Copier].
//   - Positions of mistakes are those of the program's call; see [diag.User].
//
// Tests: beside it are those of trees and fields; internal/hostabi has those of elements that are structs, internal/quanttest
// those of packed ones. A change is tested in half a minute of two processors by
//
//	go test ./internal/store ./internal/hostabi
package store
