package runtest

import (
	"testing"

	"github.com/gotaichi/ti"
)

// A hostRule is one behaviour that a program of the host sees.
type hostRule struct {
	name  string
	check func(r *run)
}

// hostVariants are the ways to run host rules.
var hostVariants = []variant{
	{name: "oracle", arch: ti.Oracle, threads: 1},
	{name: "llvm-O3", arch: ti.LLVM, opt: "3", threads: 2},
}

// hostRules checks all rows, with one runtime for each variant.
func hostRules(t *testing.T, rows []hostRule) {
	rts := &runtimes{}
	defer rts.close(t)
	runIn(t, rts, hostVariants, func(r *run) {
		for _, row := range rows {
			r.TB.(*testing.T).Run(row.name, func(t *testing.T) {
				own := *r
				own.TB, own.trees = t, nil
				defer own.close()
				row.check(&own)
			})
		}
	})
}
