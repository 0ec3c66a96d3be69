package pass

import (
	"fmt"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/mathlib"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/pass/access"
	"github.com/gotaichi/ti/internal/pass/algebra"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/distribute"
	"github.com/gotaichi/ti/internal/pass/packet"
	"github.com/gotaichi/ti/internal/pass/plane"
	"github.com/gotaichi/ti/internal/pass/quantise"
	"github.com/gotaichi/ti/internal/pass/split"
	"github.com/gotaichi/ti/internal/pass/states"
	"github.com/gotaichi/ti/internal/pass/superword"
	"github.com/gotaichi/ti/internal/pass/tally"
	"github.com/gotaichi/ti/internal/pass/unit"
	"github.com/gotaichi/ti/internal/pass/versioning"
	"github.com/gotaichi/ti/internal/target"
)

// A row of the pass table.
type row struct {
	name     string          // unique; dumps, timings and errors name the stage by it
	run      func(*state)    // the pass
	required bool            // runs even without optimisation: later forms need it
	off      option.Switches // any of these parts leaves the pass out; 0 if required
	needs    target.Features // features of the target without which the pass does not pay
	when     func(*Options) bool
	repeat   bool // alternates with the adjacent rows that repeat, until none changes anything; see fixpoint.go
}

// pipeline lists the passes in the order in which they run.
func pipeline() []row {
	return []row{
		// On the body of the kernel, with the indices of the source.
		{name: "states", run: func(s *state) { states.Find(s.k, s.opts.Layout) }, required: true},
		{name: "simplify", off: option.Simplify | option.PreAccess, run: eachReporting(simplify)},
		{name: "cse", off: option.CSE | option.PreAccess, run: eachReporting(cse)},
		{name: "dce", off: option.DCE | option.PreAccess, run: each(dce)},
		{name: "measure", run: func(s *state) { tally.Measure(s.k) }, required: true},
		{name: "elements", run: elements, required: true},
		{name: "bits", off: option.BitVectors, run: bitVectorise},
		{name: "quantise", run: func(s *state) { quantise.Kernel(s.k, s.opts.Layout, s.opts.Options, &s.opts.Target, s.opts.Notes) }, required: true},
		{name: "races", off: option.Races, run: races},
		{name: "nonatomic", off: option.NonAtomic, run: func(s *state) { nonAtomic(s.k, s.opts.Layout, s.opts.Notes) }},
		{name: "promises", run: dropPromises, required: true},
		{name: "deadstores", off: option.DeadStores, when: func(o *Options) bool { return !o.Debug }, run: func(s *state) { deadStores(s.k, s.opts) }},
		{name: "loopfusion", off: option.LoopFusion, when: func(o *Options) bool { return !o.Debug }, run: func(s *state) { loopFusion(s.k, s.opts) }},
		{name: "nowrap", off: option.Ranges, run: func(s *state) { inferNoWrap(s.k) }},
		{name: "rand", run: func(s *state) { randomNumbers(s.k) }, required: true},
		{name: "number", run: func(s *state) { numberRecords(s.k) }, required: true},
		{name: "split", run: func(s *state) {
			split.Kernel(s.k, s.opts.Layout, s.opts.Options, planeBits(s.opts), !s.opts.Target.Provides(target.Threads), s.opts.Notes, s.opts.strategy)
		}, required: true},

		// On each task, with places made by ptr, elem and cell.
		{name: "emptyspace", off: option.EmptySpace, run: eachTask(func(s *state, t *ir.Task) { emptySpace(t, s.opts) })},
		{name: "unroll", needs: target.Threads, off: option.Unroll, run: eachTask(func(s *state, t *ir.Task) { unroll(t, s.opts) })},
		{name: "promote", off: option.Promote | option.PreAccess, run: each(promote)},
		{name: "simplify tasks", off: option.Simplify | option.PreAccess, run: eachReporting(simplify)},
		{name: "cse tasks", off: option.CSE | option.PreAccess, run: eachReporting(cse)},
		{name: "dce tasks", off: option.DCE | option.PreAccess, run: each(dce)},
		{name: "inbounds", off: option.Ranges, run: eachTask(func(_ *state, t *ir.Task) { inBounds(t) })},
		{name: "promote indexed", off: option.Promote | option.PreAccess, run: each(promoteIndexed)},
		{name: "forward", off: option.Forward | option.PreAccess, run: eachReporting(forward), repeat: true},
		{name: "simplify forward", off: option.Simplify | option.PreAccess, run: eachReporting(simplify), repeat: true},
		{name: "cse forward", off: option.CSE | option.PreAccess, run: eachReporting(cse), repeat: true},
		{name: "ifconv", off: option.IfConvert | option.PreAccess, run: each(ifConvert)},
		{name: "blend", off: option.IfConvert | option.PreAccess, when: func(o *Options) bool { return !o.Debug }, run: eachTask(blendStores)},
		{name: "ranges", off: option.Ranges, run: eachTask(func(s *state, t *ir.Task) { ranges(t) })},
		{name: "simplify ranges", off: option.Simplify | option.PreAccess, run: eachReporting(simplify)},
		{name: "cse ranges", off: option.CSE | option.PreAccess, run: eachReporting(cse)},
		{name: "dce ranges", off: option.DCE | option.PreAccess, run: each(dce)},
		{name: "reduce", off: option.Reduce, run: eachTask(func(s *state, t *ir.Task) { reductions(s, t) })},
		{name: "wide sums", needs: target.Threads, off: option.Reduce, run: func(s *state) { widenSums(s.k) }},
		{name: "private", needs: target.Threads, off: option.Private, run: eachTask(func(s *state, t *ir.Task) { privatise(s, t) })},
		{name: "partition", needs: target.Threads, off: option.Partition, run: eachTask(partition)},
		{name: "serialise", run: eachTask(serialise), required: true, when: func(o *Options) bool { return o.Deterministic }},
		{name: "planes", needs: target.Gathers, off: option.Planes | option.Vectors, run: eachTask(func(s *state, t *ir.Task) {
			plane.Make(t, s.opts.Layout, planeBits(s.opts), s.opts.Notes)
		})},
		{name: "access", run: eachTask(func(s *state, t *ir.Task) {
			access.Lower(s.k, t, s.opts.Layout, s.opts.Options, s.opts.Notes)
		}), required: true},
		{name: "block addresses", needs: target.BlockAddresses, run: eachTask(func(_ *state, t *ir.Task) { blockAddresses(t) }), required: true},

		// On each task, with addresses.
		{name: "simplify addresses", off: option.Simplify | option.PostAccess, run: eachReporting(simplify)},
		{name: "collapse", needs: target.Threads, off: option.Collapse, run: eachTask(func(s *state, t *ir.Task) { collapse(t, s.opts) })},
		{name: "cse addresses", off: option.CSE | option.PostAccess, run: eachReporting(cse)},
		{name: "predication", off: option.Predication | option.Ranges, run: eachTask(func(s *state, t *ir.Task) { versioning.Predication(t, s.opts.Options, s.opts.Notes) })},
		{name: "forward addresses", off: option.Forward | option.PostAccess, run: each(forwardAddresses)},
		{name: "rowtest", needs: target.Threads, off: option.RowTest, run: eachTask(func(_ *state, t *ir.Task) { rowTest(t) })},
		{name: "strided", needs: target.Gathers, off: option.Strided, run: eachTask(func(s *state, t *ir.Task) { strided(s.k, t, s.opts) })},
		{name: "packet", needs: target.Gathers, off: option.Packets | option.Vectors, run: eachTask(func(s *state, t *ir.Task) {
			if tail := packet.Make(t, s.opts.Target, s.opts.Options, s.opts.Notes); tail != nil {
				insertTask(s.k, t.Index, tail)
			}
		})},
		{name: "licm", off: option.Hoist | option.PostAccess, run: each(hoist)},
		{name: "scattered", needs: target.Gathers, off: option.Vectors, run: eachTask(func(s *state, t *ir.Task) { scattered(t, s.opts) })},
		{name: "prefetch", needs: target.Prefetch, off: option.Prefetch, run: eachTask(func(s *state, t *ir.Task) { prefetch(t, s.opts) })},
		{name: "interior", needs: target.Threads, off: option.Interior | option.Vectors, run: eachTask(func(s *state, t *ir.Task) { versioning.Interior(t, s.opts.Target, s.opts.Options, s.opts.Notes) })},
		{name: "packet checks", needs: target.Gathers, off: option.Packets | option.Vectors, run: eachTask(packetChecks)},
		{name: "inspector", needs: target.Threads, off: option.Inspector, run: eachTask(func(s *state, t *ir.Task) { versioning.Inspector(t, s.opts.Options, s.opts.Notes) })},
		{name: "distribute", needs: target.Threads, off: option.Distribute | option.Vectors, run: eachTask(func(s *state, t *ir.Task) { distribute.Task(s.k, t, s.opts.Target, s.opts.Options, s.opts.Notes) })},
		{name: "simplify vectors", needs: target.Alone, off: option.Simplify | option.PostAccess, run: eachReporting(simplify)},
		{name: "dce vectors", needs: target.Alone, off: option.DCE | option.PostAccess, run: each(dce)},
		{name: "vectors", needs: target.Alone, off: option.Packets | option.Vectors, run: eachTask(vectors)},
		{name: "licm vectors", needs: target.Alone, off: option.Hoist | option.PostAccess, run: each(hoist)},
		{name: "counters", run: eachTask(counters), required: true},
		{name: "superword", needs: target.Gathers, off: option.Superwords | option.Vectors, run: eachTask(superwords)},
		{name: "estimate", needs: target.Estimates | target.FMA, off: option.Estimate, when: func(o *Options) bool { return !o.Strict },
			run: eachTask(func(_ *state, t *ir.Task) { estimateRoots(t) })},
		{name: "contract", run: func(s *state) { contractBuiltins(s.k, s.opts.Target) }, required: true},
		{name: "mathexpand", run: expandMath, required: true},
		{name: "narrow", needs: target.Narrow, off: option.PostAccess, run: eachTask(narrowPlaces)},
		{name: "cse maths", off: option.CSE | option.PostAccess, run: eachReporting(cse)},
		{name: "cse functions", needs: target.Alone, off: option.CSE | option.PostAccess, run: cseFunctions},
		{name: "dce last", off: option.DCE | option.PostAccess, run: each(dce)},
		{name: "stream", needs: target.Streams, off: option.Stream | option.Vectors, run: eachTask(func(s *state, t *ir.Task) { streamStores(s.k, t, s.opts) })},
		{name: "independent", off: option.Vectors, run: independentAll},
		{name: "polls", run: polls, required: true},
		{name: "share", off: option.Share, run: share},
	}
}

// simplify applies algebraic simplification to arithmetic and control flow. It returns the number of values that it replaced.
func simplify(s *state, u *unit.Unit) int { return algebra.Simplify(u, s.opts.Strict) }

// packetChecks makes packets of bodies with checks for which inspector makes no version without checks. LLVM would run them one
// iteration at a time.
func packetChecks(s *state, t *ir.Task) {
	if t.Body == nil || len(t.Dims) == 0 || versioning.Choice(t) != nil || versioning.InspectorSuffices(t, s.opts.Options) {
		return
	}
	packet.MakeChecked(t, s.opts.Target, s.opts.Options, s.opts.Notes)
}

// vectors makes vectors of all loops that allow it. The loops over the strips of a task are among those whose iterations may run at once.
func vectors(s *state, t *ir.Task) {
	if t.Strip > 0 {
		ir.Visit(t.Body, func(o *ir.Op) bool {
			if versioning.StripTrips(o) > 0 {
				o.Flags |= ir.Independent
			}
			return true
		})
	}
	packet.Loops(t, s.opts.Target, s.opts.Options, s.opts.Notes)
}

// superwords makes vectors of equal operations of one iteration on contiguous numbers.
func superwords(s *state, t *ir.Task) {
	ir.NumberBlock(t.Epilogue, ir.NumberBlock(t.Body, ir.NumberBlock(t.Prologue, 0)))
	superword.Make(t, analysis.RangesOf(t, s.opts.Without), s.opts.Target.VectorBits, s.opts.Strict, s.opts.Notes)
}

// planeBits is the length in bits of the vectors that planes fill; 0 if no planes are made.
func planeBits(o *Options) int {
	if o.Level == 0 || o.Without.Has(option.Planes|option.Vectors) || !o.Target.Provides(target.Gathers) {
		return 0
	}
	return o.Target.VectorBits
}

// expandMath replaces transcendental ops by calls of the maths library.
func expandMath(s *state) {
	mathlib.Expand(s.k, s.opts.Target, s.opts.Strict || s.opts.Without.Has(option.Estimate))
}

// An order says that one stage must come before another, and why.
type order struct{ before, after, reason string }

// orders lists the constraints on the pipeline that do not follow from the forms of the IR.
var orders = []order{
	{"states", "simplify", "states describe the accesses of the source, before any of them is removed"},
	{"states", "elements", "states describe a shrink as one access, and elements adds stores of zero before it"},
	{"states", "bits", "an access to a word does not say which numbers change"},
	{"states", "quantise", "an access to a word does not say which numbers change"},
	{"states", "loopfusion", "a fused loop has the states of both loops"},
	{"states", "split", "tasks get the states of their phases"},
	{"cse", "nonatomic", "nonatomic compares index values to prove that an element belongs to one iteration"},
	{"cse", "quantise", "quantise compares index values to prove that a word belongs to one iteration"},
	{"cse", "bits", "bits compares index values, so equal indices must be one value"},
	{"bits", "quantise", "bits matches accesses to single bits, which quantise replaces by accesses to words"},
	{"measure", "quantise", "measure must know which components are packed, which words hide"},
	{"measure", "elements", "only the stores of the source are counted"},
	{"elements", "bits", "bits rejects loops that activate elements, so elements must have added the activations"},
	{"elements", "quantise", "a word does not say which element it belongs to"},
	{"quantise", "rand", "stores with stochastic rounding draw random numbers"},
	{"quantise", "split", "quantise compares the indices of the source, which the memory order of loops hides"},
	{"quantise", "nonatomic", "quantise decides itself which updates of words are atomic"},
	{"cse", "races", "races compares index values to find repeated accesses to an element"},
	{"races", "number", "races reads operands of records by position, and number inserts an operand"},
	{"nonatomic", "split", "nonatomic compares the indices of the source, which the memory order of loops hides"},
	{"nonatomic", "loopfusion", "loops with atomics are not fused, so atomics must have become plain updates"},
	{"nonatomic", "promises", "nonatomic reads the marks that promises removes"},
	{"promises", "loopfusion", "loopfusion compares the indices of two loops, and a mark would hide that they are equal"},
	{"nonatomic", "deadstores", "only plain stores are known to overwrite an element"},
	{"promises", "deadstores", "deadstores compares indices, and a mark would hide that they are equal"},
	{"deadstores", "loopfusion", "a loop that writes what is overwritten must not keep others from being fused"},
	{"nowrap", "inbounds", "checks that inbounds removes because of nowrap must not be the proof that nowrap used"},
	{"loopfusion", "split", "loopfusion compares the indices of the source, and split makes each loop a task"},
	{"rand", "split", "random numbers depend on the indices of the source, which the memory order of loops hides"},
	{"number", "split", "records are sorted by the indices of the source, which the memory order of loops hides"},
	{"promote", "forward", "promoted variables are values, and forward need not follow their memory"},
	{"cse tasks", "forward", "forward compares index values to find that two places are the same"},
	{"inbounds", "promote indexed", "promotion drops the check of an index, so the index must be proved in range"},
	{"inbounds", "forward", "a store only certainly takes place if its index is proved in range"},
	{"ranges", "simplify ranges", "a product that does not wrap can be divided by its factor"},
	{"forward", "reduce", "a remaining load or store of a place beside its atomics prevents a reduction"},
	{"ifconv", "planes", "planes need a body without branches"},
	{"unroll", "planes", "unroll leaves tasks to planes by their dimensions, which planes changes"},
	{"reduce", "wide sums", "wide sums widens the variables to which reductions add"},
	{"wide sums", "access", "wide sums finds a variable by its frame offset, which access turns into an address"},
	{"reduce", "serialise", "a reduction is merged in a fixed order, so its loop need not be serialised"},
	{"private", "serialise", "private copies are merged in a fixed order, so their loop need not be serialised"},
	{"partition", "serialise", "a list to which one thread appends has a fixed order, so its loop need not be serialised"},
	{"promote indexed", "reduce", "the accumulators that reduce allocates in the prologue must stay in memory"},
	{"cse addresses", "predication", "predication must recognise a limit as a value of the prologue"},
	{"cse addresses", "forward addresses", "forward compares addresses to find that two places are the same"},
	{"predication", "forward addresses", "a store only certainly takes place if no check guards it"},
	{"forward addresses", "packet", "packets make vectors of values, so values should not go through memory"},
	{"predication", "packet", "packets are made of the version without checks"},
	{"predication", "interior", "interior splits the version without checks, not the one with them"},
	{"predication", "inspector", "checks that one test before the loop can replace need no inspector"},
	{"licm", "inspector", "hoisted values are computed once, not in both versions of a strip"},
	{"licm", "mathexpand", "licm hoists a call as one op, but would not hoist the parts of its expansion"},
	{"inspector", "distribute", "distribute splits loops without checks, such as those behind an inspector"},
	{"interior", "packet checks", "packet checks leaves tasks alone that have a version without checks"},
	{"packet checks", "inspector", "an inspector makes inner loops over strips, and packet checks needs a body without loops"},
	{"packet", "counters", "tallies of a packet are counted as vectors"},
	{"distribute", "counters", "tallies of a strip are counted by vectors"},
	{"distribute", "superword", "vectors of iterations are better than vectors within an iteration"},
	{"packet checks", "superword", "vectors of iterations are better than vectors within an iteration"},
	{"counters", "superword", "updates of counters are accesses like others"},
	{"counters", "cse maths", "the parts of a tally compute the same values"},
	{"mathexpand", "cse functions", "the functions of the maths library are those that the expansion calls"},
	{"mathexpand", "narrow", "narrow adds arithmetic that other passes would not recognise as addresses"},
	{"narrow", "dce last", "what narrow has replaced is dead"},
	{"superword", "cse maths", "equal vectors of one iteration are computed once"},
	{"superword", "dce last", "the scalar ops that vectors replace are dead"},
	{"packet", "estimate", "only roots of vectors are estimated"},
	{"licm", "estimate", "licm hoists a quotient as one op, but would not hoist the steps of an estimate"},
	{"estimate", "mathexpand", "estimate matches roots, which mathexpand expands"},
	{"superword", "contract", "the lanes of a vector must have the same ops, and contraction may change some of them"},
	{"contract", "dce last", "a product that became part of a fused op is dead"},
	{"mathexpand", "polls", "polls counts the ops of the expansion of a function"},
	{"dce last", "polls", "polls strip-mines loops, which other passes would not recognise"},
	{"mathexpand", "dce last", "constants that an expansion replaced are dead"},
	{"dce last", "stream", "a dead load would count as an access to a field that the loop fills"},
	{"stream", "polls", "stream rejects loops that may stop between two stores, and would reject a poll"},
	{"polls", "share", "tasks that share code must have polls in the same places"},
	{"dce last", "independent", "a dead load or store would count as a dependence"},
}

// checkOrder reports a pipeline that breaks a constraint, names a stage twice or
// has constraints on stages that do not exist.
func checkOrder(rows []row, orders []order) error {
	at := map[string]int{}
	for i, r := range rows {
		if _, twice := at[r.name]; twice {
			return fmt.Errorf("the pass table has the stage %q twice", r.name)
		}
		at[r.name] = i
	}
	for _, o := range orders {
		b, okB := at[o.before]
		a, okA := at[o.after]
		switch {
		case !okB || !okA:
			return fmt.Errorf("the order %q before %q names a stage that is not in the pass table", o.before, o.after)
		case b > a:
			return fmt.Errorf("stage %q must come before %q: %s", o.before, o.after, o.reason)
		}
	}
	return nil
}
