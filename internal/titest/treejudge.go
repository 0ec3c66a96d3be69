//go:build !ti_ahead

package titest

import (
	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/session"
	"github.com/gotaichi/ti/internal/variant"
)

// JudgeTrees makes rt, a runtime of the oracle, compare its launches with those of a second oracle, which interprets typed
// trees. A launch fails if they differ. It returns the judge, one for each runtime, which counts the launches.
func JudgeTrees(rt *ti.Runtime) *variant.TreeJudge { return (*session.Runtime)(rt).JudgeTrees() }
