// Package layout turns a tree of nodes into byte addresses.
//
// In: a [Tree] built with [Node.Dense] and [Node.Place], whose leaves are fields
// of elements described by [Elem]. A field is placed whole, or in pieces
// (members) in several nodes. Out, after [Tree.Freeze]: the bytes of the tree,
// and for each scalar component of each field an [Access], the formula for its
// address; and for each field the memory-order loop nest over its elements
// ([Field.Nest]).
//
// The address of a component is
//
//	base(tree) + Const + Σ_t (idx[t.Axis]-Origin[t.Axis]) / t.Div % t.Mod * t.Stride
//
// with no remainder taken where Mod is 0. The terms are the levels of the tree;
// levels that lie in one another without a gap share a term, so that a plain
// row-major field has one term for each axis, without division. A node in Z-order
// ([Node.Morton]) has a level, of two cells, for each bit of its indices.
//
// Invariants: sizes are kept as they are written (nothing is rounded to a power
// of two); elements are aligned as Go aligns them, and what a root holds
// directly is aligned to cache lines; all components of a field have the same
// axes and extents; the bytes of a tree fit an address space.
//
// A tree with pointer, hash, dynamic or bitmasked nodes is made of blocks, and its
// accesses have [Step]s. They lead from the root block to the block that holds the
// component, to which the formula then applies, and say which bit tells whether the cell
// is active. [Node.Visit] says how active cells are visited, [Block] and [Container] describe
// the memory to the runtime, and control.go says where the runtime keeps its control words.
//
// Numbers may be packed in words ([Node.BitStruct], [Node.BitArray]; word.go). The address of such
// a component is that of its word, and [Access.Packed] says which bits are its code.
//
// The package knows neither the IR nor the runtime: axes are numbers, element
// types are Go types taken apart by [ElemOf].
package layout
