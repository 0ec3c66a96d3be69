package pass

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/tally"
	"github.com/gotaichi/ti/internal/target"
)

// counters replaces the tallies of a task by updates of memory. Nearly all numbers are added to the same few elements of a histogram. So
// private copies pay even if the number of iterations is unknown. A target that has none runs a loop whose counts must not depend on the order in one thread.
//
// Input and output: see [tally.Lower].
func counters(s *state, t *ir.Task) {
	tally.Lower(s.k, t, s.opts.Layout, s.opts.Deterministic, func(f *ir.Field, updates int64, must bool) bool {
		pt := &privateTree{tree: s.opts.Layout.Access(f, 0).Tree, op: ir.AtomicAdd, count: updates, class: int32(f.Index + 1)}
		kind, elems := f.Comps[0], f.Shape[0]
		bytes := elems * int64(kind.Size())
		trips, known := tripCount(t)
		if must && !s.opts.Target.Provides(target.Threads) {
			t.Threads = 1 // no copies: so that the order is the same each time
			return false
		}
		may := s.opts.Level > 0 && !s.opts.Without.Has(option.Private) && s.opts.Target.Provides(target.Threads)
		worth := !known || analysis.WorthCopies(trips, known, updates, elems)
		if !must && !(may && worth && (bytes <= maxPrivate || pt.worthLarge(s.opts, bytes, elems, trips, known))) {
			return false
		}
		addPrivate(s.k, t, pt, kind, bytes)
		if s.opts.Deterministic && t.Parts == 0 { // otherwise the sums of the source fix the parts, as without counting
			t.Parts = pt.parts(trips, elems)
		}
		return true
	})
}
