//go:build !ti_ahead

package session

import "github.com/gotaichi/ti/internal/variant"

// JudgeTrees makes rt, a runtime of the oracle, compare launches from the first call on with what the typed trees of their kernels give.
// It returns the judge, which counts them.
func (rt *Runtime) JudgeTrees() *variant.TreeJudge { return rt.maker.TreeJudge() }
