package pass

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/tally"
	"github.com/gotaichi/ti/internal/target"
)

// counters makes updates of memory of what a task counts for Runtime.Ranges. Nearly each number is added to the same few elements of
// a histogram, so that copies are worth it, too, where the number of iterations is not known.
//
// Input and output: see [tally.Lower].
func counters(s *state, t *ir.Task) {
	tally.Lower(s.k, t, s.opts.Layout, s.opts.Deterministic, func(f *ir.Field, updates int64, must bool) bool {
		pt := &privateTree{tree: s.opts.Layout.Access(f, 0).Tree, op: ir.AtomicAdd, count: updates, class: int32(f.Index + 1)}
		kind, elems := f.Comps[0], f.Shape[0]
		bytes := elems * int64(kind.Size())
		trips, known := tripCount(t)
		may := s.opts.Level > 0 && !s.opts.Without.Has(option.Private) && s.opts.Target.Provides(target.Threads)
		worth := !known || analysis.WorthCopies(trips, known, updates, elems)
		if !must && !(may && worth && (bytes <= maxPrivate || pt.worthLarge(s.opts, bytes, elems, trips, known))) {
			return false
		}
		addPrivate(s.k, t, pt, kind, bytes)
		if s.opts.Deterministic && t.Parts == 0 { // else what the source accumulates is merged as it is without counting
			t.Parts = pt.parts(trips, elems)
		}
		return true
	})
}
