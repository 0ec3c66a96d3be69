// Package access turns places into addresses.
//
// In: a task whose accesses name fields, slices and arrays with their indices. Out: the same with addresses, which are linear forms
// of the loop's indices, with checks of the indices that are not proved in range, and with look-ups of the blocks of sparse trees.
//
//	access       places in dense memory; accessextent with extents that are read at launch
//	guard        checks of indices
//	descent      steps from the root of a sparse tree to a block; lookupshare: the common steps of several accesses
//	cellops      operations on cells and lists; listdescent, rowmask
//
// An address that is the same for several accesses is computed once.
//
// Tests: internal/pass has kernels before and after (TestGolden, internal/pass/testdata/access); internal/driver has those on
// sparse trees.
package access
