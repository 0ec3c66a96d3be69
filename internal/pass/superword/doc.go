// Package superword makes vectors of what one iteration does to numbers that lie side by side: [Make]. A particle that adds
// to three nodes of four numbers each does the same to twelve numbers in a row; a loop over particles is no loop
// of vectors otherwise, since the next particle uses other nodes.
//
// In: a task with addresses. Out: the same, in whose blocks
//
//	stores side by side    are one store of a vector, and
//	sums of what is loaded side by side    are sums of vectors, whose lanes are added up at the end,
//
// with the arithmetic before them on vectors, as far as it is alike in all lanes. A lane whose number is not computed as
// those beside it is padded: x is x + -0 and x·1, exactly. So stores get the bits that they had. Sums are
// added up in another order, and stay as they are under strict maths.
//
// Only blocks of loops of which no vectors of iterations are made are looked at, and in them only places that are no
// linear function of the iteration; see far.go. All that is planned for a block is carried out if it replaces
// enough operations, see gain.go, or none of it.
//
//	far     which places of which blocks
//	access  what lies side by side, and past what it may be moved
//	pack    how the numbers of a vector are computed
//	store   vectors that are stored
//	sum     vectors that are added up
//	gain    whether it pays
//	emit    the new ops
//
// Superword-level parallelism is from Larsen and Amarasinghe, "Exploiting Superword Level Parallelism with Multimedia
// Instruction Sets", PLDI 2000. They begin with pairs and join them; here memory says how long a vector is, which
// need not be a power of two.
//
// Tests: internal/pass has kernels before and after (TestGolden, internal/pass/testdata/superword); internal/runtest/program
// runs them (TestRandomSuperwords).
package superword
