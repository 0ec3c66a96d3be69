package driver

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass"
	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// requireBits reports a loop that is to run on words, by its hint bitVectorize, and cannot. In debug mode, and where
// accesses are recorded, loops are other ones, and nothing is asked of them.
func requireBits(p *typed.Program, k *ir.Kernel, o *Options) error {
	hinted := slices.ContainsFunc(k.Body.Ops, func(l *ir.Op) bool { return l.IsParallel() && l.Hints != nil && l.Hints.BitVectorize != 0 })
	if !hinted || o.Debug || o.Accesses || o.Gradient {
		return nil
	}
	why := pass.RequireBits(k, arrange(k, o.Layout))
	if why == nil {
		return nil
	}
	help := why.Help
	if help == "" {
		help = "leave out bitVectorize, and the loop takes one bit at a time"
	}
	return p.ErrorAt(syntax.BadHint, place(k, why.Pos), help, "bitVectorize: the loop cannot run on words, because "+why.Why)
}
