// Package superword vectorises equal operations of one iteration on contiguous numbers: [Make]. A particle that adds to three nodes of
// four numbers each does the same to twelve contiguous numbers; the iterations of a loop over particles cannot be vectorised otherwise,
// since the next particle uses other nodes.
//
// In: a task with addresses. Out: the same, in whose blocks
//
//	contiguous stores    are one store of a vector, and
//	sums of contiguous loads    are sums of vectors, whose lanes are added up at the end,
//
// with the arithmetic before them on vectors, as far as it is the same in all lanes. A lane with a different computation
// is padded: x is x + -0 and x·1, exactly. So stores get the bits that they had. Sums are
// added up in another order, and stay as they are under strict maths.
//
// Only blocks of loops whose iterations are not vectorised are considered, and in them only places that are not linear functions of the
// iteration; see far.go. The plan for a block is carried out only if it replaces enough operations, see gain.go.
//
//	far     the blocks and places that are considered
//	access  contiguous accesses, and where they may be moved
//	pack    how the numbers of a vector are computed
//	store   vectors that are stored
//	sum     vectors that are added up
//	gain    whether it pays
//	emit    the new ops
//
// Superword-level parallelism is from Larsen and Amarasinghe, "Exploiting Superword Level Parallelism with Multimedia Instruction Sets",
// PLDI 2000. They begin with pairs and combine them; here the contiguous accesses give the length of a vector, which need not be a power
// of two.
//
// Tests: internal/pass has kernels before and after (TestGolden, internal/pass/testdata/superword); internal/runtest/program
// runs them (TestRandomSuperwords).
package superword
