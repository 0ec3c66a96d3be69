// Package access turns places into addresses.
//
// In: a task whose accesses name fields, slices and arrays with their indices. Out: the same with
// addresses, which are linear forms of the loop's indices, with checks of the indices that are not
// proven to be in range, and with what it takes to find the blocks of sparse trees.
//
//	access       places in dense memory; accessextent with extents that are read at launch
//	guard        checks of indices
//	descent      steps from the root of a sparse tree to a block; lookupshare those that
//	             accesses have in common
//	cellops      operations on cells and lists; listdescent, rowmask
//
// An address that several accesses need is computed once where it is seen to be the same.
//
// Tests: internal/pass has kernels before and after (TestGolden, internal/pass/testdata/access); internal/driver has those on
// sparse trees.
package access
