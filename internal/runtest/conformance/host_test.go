package conformance

import (
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/runtest"
)

// A hostRule is one behaviour that a program of the host sees.
type hostRule struct {
	name  string
	check func(r *runtest.Run)
}

// hostVariants are the ways to run host rules.
var hostVariants = []runtest.Variant{
	{Label: "oracle", Arch: ti.Oracle, Threads: 1},
	{Label: "llvm-O3", Arch: ti.LLVM, Opt: "3", Threads: 2},
}

// compiledInTurn reports whether a rule about derivatives has its turn in a variant: all are interpreted, which judges the
// derivative, and half of them compiled.
func compiledInTurn(v runtest.Variant, name string) bool {
	return v.Arch == ti.Oracle || randtest.All() || randtest.Turn(name)%2 == 0
}

// hostRules checks all rows, with one runtime for each variant.
func hostRules(t *testing.T, rows []hostRule) {
	rts := &runtest.Runtimes{}
	defer rts.Close(t)
	runtest.RunIn(t, rts, hostVariants, func(r *runtest.Run) {
		for _, row := range rows {
			r.TB.(*testing.T).Run(row.name, func(t *testing.T) {
				own := *r
				own.TB, own.Trees = t, nil
				defer own.Close()
				row.check(&own)
			})
		}
	})
}
