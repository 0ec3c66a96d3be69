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
	name     string          // unique; what dumps, timings and errors call the stage
	run      func(*state)    // the pass
	required bool            // runs even without optimisation: later forms need it
	off      option.Switches // any of them leaves it out; none of a required one
	needs    target.Features // of the target; without them the pass does not pay
	when     func(*Options) bool
	repeat   bool // in turn with the rows beside it that say so too, until none changes anything; see fixpoint.go
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
		{name: "quantise", run: func(s *state) { quantise.Kernel(s.k, s.opts.Layout, s.opts.Options, s.opts.Notes) }, required: true},
		{name: "races", off: option.Races, run: races},
		{name: "nonatomic", off: option.NonAtomic, run: func(s *state) { nonAtomic(s.k, s.opts.Layout, s.opts.Notes) }},
		{name: "promises", run: dropPromises, required: true},
		{name: "loopfusion", off: option.LoopFusion, when: func(o *Options) bool { return !o.Debug }, run: func(s *state) { loopFusion(s.k, s.opts.Notes) }},
		{name: "nowrap", off: option.Ranges, run: func(s *state) { inferNoWrap(s.k) }},
		{name: "rand", run: func(s *state) { randomNumbers(s.k) }, required: true},
		{name: "number", run: func(s *state) { numberRecords(s.k) }, required: true},
		{name: "split", run: func(s *state) {
			split.Kernel(s.k, s.opts.Layout, s.opts.Options, planeBits(s.opts), s.opts.Notes, s.opts.strategy)
		}, required: true},

		// On each task, with places made by ptr, elem and cell.
		{name: "emptyspace", off: option.EmptySpace, run: eachTask(func(s *state, t *ir.Task) { emptySpace(t, s.opts) })},
		{name: "unroll", off: option.Unroll, run: eachTask(func(s *state, t *ir.Task) { unroll(t, s.opts) })},
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
		{name: "wide sums", off: option.Reduce, run: func(s *state) { widenSums(s.k) }},
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
		{name: "collapse", off: option.Collapse, run: eachTask(func(s *state, t *ir.Task) { collapse(t, s.opts) })},
		{name: "cse addresses", off: option.CSE | option.PostAccess, run: eachReporting(cse)},
		{name: "predication", off: option.Predication | option.Ranges, run: eachTask(func(s *state, t *ir.Task) { versioning.Predication(t, s.opts.Options, s.opts.Notes) })},
		{name: "forward addresses", off: option.Forward | option.PostAccess, run: each(forwardAddresses)},
		{name: "rowtest", off: option.RowTest, run: eachTask(func(_ *state, t *ir.Task) { rowTest(t) })},
		{name: "strided", needs: target.Gathers, off: option.Strided, run: eachTask(func(s *state, t *ir.Task) { strided(s.k, t, s.opts) })},
		{name: "packet", needs: target.Gathers, off: option.Packets | option.Vectors, run: eachTask(func(s *state, t *ir.Task) {
			if tail := packet.Make(t, s.opts.Target, s.opts.Options, s.opts.Notes); tail != nil {
				insertTask(s.k, t.Index, tail)
			}
		})},
		{name: "licm", off: option.Hoist | option.PostAccess, run: each(hoist)},
		{name: "scattered", needs: target.Gathers, off: option.Vectors, run: eachTask(func(s *state, t *ir.Task) { scattered(t, s.opts) })},
		{name: "prefetch", needs: target.Prefetch, off: option.Prefetch, run: eachTask(func(s *state, t *ir.Task) { prefetch(t, s.opts) })},
		{name: "interior", off: option.Interior | option.Vectors, run: eachTask(func(s *state, t *ir.Task) { versioning.Interior(t, s.opts.Target, s.opts.Options, s.opts.Notes) })},
		{name: "packet checks", needs: target.Gathers, off: option.Packets | option.Vectors, run: eachTask(packetChecks)},
		{name: "inspector", off: option.Inspector, run: eachTask(func(s *state, t *ir.Task) { versioning.Inspector(t, s.opts.Options, s.opts.Notes) })},
		{name: "distribute", off: option.Distribute | option.Vectors, run: eachTask(func(s *state, t *ir.Task) { distribute.Task(s.k, t, s.opts.Target, s.opts.Options, s.opts.Notes) })},
		{name: "superword", needs: target.Gathers, off: option.Superwords | option.Vectors, run: eachTask(superwords)},
		{name: "estimate", needs: target.Estimates | target.FMA, off: option.Estimate, when: func(o *Options) bool { return !o.Strict },
			run: eachTask(func(_ *state, t *ir.Task) { estimateRoots(t) })},
		{name: "contract", run: func(s *state) { contractBuiltins(s.k, s.opts.Target) }, required: true},
		{name: "mathexpand", run: expandMath, required: true},
		{name: "cse maths", off: option.CSE | option.PostAccess, run: eachReporting(cse)},
		{name: "dce last", off: option.DCE | option.PostAccess, run: each(dce)},
		{name: "stream", needs: target.Streams, off: option.Stream | option.Vectors, run: eachTask(func(s *state, t *ir.Task) { streamStores(s.k, t, s.opts) })},
		{name: "independent", off: option.Vectors, run: independentAll},
		{name: "polls", run: polls, required: true},
		{name: "share", off: option.Share, run: share},
	}
}

// simplify applies the algebra of numbers and of control flow. It returns how many values others have taken the place of.
func simplify(s *state, u *unit.Unit) int { return algebra.Simplify(u, s.opts.Strict) }

// packetChecks makes packets of what has checks that corners cannot take out of it: what remains would go one iteration at a time.
func packetChecks(s *state, t *ir.Task) {
	if t.Body == nil || len(t.Dims) == 0 || versioning.Choice(t) != nil || versioning.InspectorSuffices(t, s.opts.Options) {
		return
	}
	packet.MakeChecked(t, s.opts.Target, s.opts.Options, s.opts.Notes)
}

// superwords makes vectors of what one iteration does to numbers side by side.
func superwords(s *state, t *ir.Task) {
	ir.NumberBlock(t.Epilogue, ir.NumberBlock(t.Body, ir.NumberBlock(t.Prologue, 0)))
	superword.Make(t, analysis.RangesOf(t, s.opts.Without), s.opts.Target.VectorBits, s.opts.Strict, s.opts.Notes)
}

// planeBits is how long the vectors are that planes fill, in bits: 0 where there are no planes.
func planeBits(o *Options) int {
	if o.Level == 0 || o.Without.Has(option.Planes|option.Vectors) || !o.Target.Provides(target.Gathers) {
		return 0
	}
	return o.Target.VectorBits
}

// expandMath puts the maths library in the place of transcendental ops.
func expandMath(s *state) {
	mathlib.Expand(s.k, s.opts.Target, s.opts.Strict || s.opts.Without.Has(option.Estimate))
}

// An order says that one stage must come before another, and why.
type order struct{ before, after, reason string }

// orders lists the constraints on the pipeline that are not plain from the
// forms of the IR.
var orders = []order{
	{"states", "simplify", "what the source does to fields is told, and judged, of the source"},
	{"states", "elements", "what becomes zero with an element is said of the op that makes it so"},
	{"states", "bits", "words do not say which numbers change"},
	{"states", "quantise", "words do not say which numbers change"},
	{"states", "loopfusion", "the states of loops that become one are added"},
	{"states", "split", "tasks have the states of their phases"},
	{"cse", "nonatomic", "an element is known to belong to one iteration by comparing index values"},
	{"cse", "quantise", "a word is known to belong to one iteration by comparing index values"},
	{"cse", "bits", "an index is known to be used by others by comparing values"},
	{"bits", "quantise", "loops on words are made of accesses to bits"},
	{"measure", "quantise", "which components are packed is known before their words take their place"},
	{"measure", "elements", "what is counted are the stores of the source"},
	{"elements", "bits", "a loop that activates elements by itself is none on words"},
	{"elements", "quantise", "a word does not say whose elements it holds"},
	{"quantise", "rand", "stores that round by random numbers draw them"},
	{"quantise", "split", "the split puts loops over fields in memory order, which hides the indices of the source"},
	{"quantise", "nonatomic", "which updates of words are atomic is decided here"},
	{"cse", "races", "repeated accesses to an element are found by comparing index values"},
	{"races", "number", "races reads operands of records by their position, which number changes"},
	{"nonatomic", "split", "the split puts loops over fields in memory order, which hides the indices of the source"},
	{"nonatomic", "loopfusion", "an element that one iteration of each loop owns is no atomic by then"},
	{"nonatomic", "promises", "the marks say which elements belong to one iteration"},
	{"promises", "loopfusion", "an index is compared with those of other loops, and not a mark of it"},
	{"nowrap", "inbounds", "no check has proven an index to be in range by then that would be left out for it"},
	{"loopfusion", "split", "loops become tasks, and those over fields are put in memory order"},
	{"rand", "split", "numbers depend on the iteration's place among the indices of the source"},
	{"number", "split", "the order of records is that of the indices of the source"},
	{"promote", "forward", "what promotion turns into values needs no forwarding"},
	{"cse tasks", "forward", "two places are known to be one by comparing index values"},
	{"inbounds", "promote indexed", "an array becomes values only where an index out of range needs no report"},
	{"inbounds", "forward", "a store is known to take place where its index is proven to be in range"},
	{"ranges", "simplify ranges", "a quotient of a product is known where the product does not wrap"},
	{"forward", "reduce", "a place that is loaded or stored beside its atomics is no reduction"},
	{"ifconv", "planes", "a body without branches is what planes are made of"},
	{"unroll", "planes", "the dims are still those of the source"},
	{"reduce", "wide sums", "reductions add sums of chunks to variables"},
	{"wide sums", "access", "a variable is known by its offset in the frame"},
	{"reduce", "serialise", "a reduction whose parts are merged in order needs no order of its iterations"},
	{"private", "serialise", "neither do copies"},
	{"partition", "serialise", "neither do lists of which each has one thread that appends to it"},
	{"promote indexed", "reduce", "the arrays that reduce makes in the prologue are meant to stay in memory"},
	{"cse addresses", "predication", "a limit is known to be one of the prologue's values by its definition there"},
	{"cse addresses", "forward addresses", "two places are known to be one by comparing addresses"},
	{"predication", "forward addresses", "a store is known to take place where a loop has no checks"},
	{"forward addresses", "packet", "vectors are made of values, not of places"},
	{"predication", "packet", "a loop without checks is what packets are made of"},
	{"predication", "interior", "a body without checks is told from one with them"},
	{"predication", "inspector", "checks that can be made before the loop are not made in it"},
	{"licm", "inspector", "what does not change in the loop need not be computed on both sides"},
	{"licm", "mathexpand", "a call that does not change moves as one op, and its parts would not be worth it"},
	{"inspector", "distribute", "a loop is taken apart where no check is left in it"},
	{"interior", "packet checks", "a body without checks is told from one with them"},
	{"packet checks", "inspector", "strips are loops, and of a task that lanes of a packet would leave at one time"},
	{"distribute", "superword", "vectors of iterations are better than those within one, where there can be any"},
	{"packet checks", "superword", "neither do they go into packets"},
	{"superword", "cse maths", "rows of one iteration share vectors"},
	{"superword", "dce last", "what vectors replace is dead after it"},
	{"packet", "estimate", "packets are what is estimated"},
	{"licm", "estimate", "a quotient that does not change moves as one op"},
	{"estimate", "mathexpand", "reciprocal roots are still ops"},
	{"superword", "contract", "rows of one iteration have the same ops until they are packed"},
	{"contract", "dce last", "products that are part of fused ones are dead after it"},
	{"mathexpand", "polls", "the cost of a function of the library is that of its ops"},
	{"dce last", "polls", "polls turns a loop into a nest of strips, which earlier passes would not recognise"},
	{"mathexpand", "dce last", "constants that the expansion took in are dead after it"},
	{"dce last", "stream", "a dead load of a field must not count as an access to it"},
	{"stream", "polls", "a loop's poll is not what keeps stores from waiting"},
	{"polls", "share", "tasks of one shape have polls in the same places"},
	{"dce last", "independent", "a dead load or store must not count as a dependence"},
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
