package distribute

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/pass/unit"
	"github.com/gotaichi/ti/internal/pass/versioning"
	"github.com/gotaichi/ti/internal/target"
)

const (
	mostHandedBytes  = 16 << 10 // of the arrays between the loops: they stay in the first-level cache
	fewestPerHanding = 3        // operations on floats for each number that is handed over
	costOfDivision   = 6        // of whole numbers, in these: a product of twice the width, shifts and corrections
	stripOfSums      = 512      // iterations between which vectors of reductions are added up
)

// Task takes a loop whose iterations access memory at places that are data apart, into loops of one
// kind of work each.
//
// Input: a task with addresses, in strips if corners has made them. Output: the same in strips, the loop over
// the iterations of a strip being replaced by up to four over the same iterations:
//
//	for the strip { the indices of these places, into local arrays, unless corners has put them there }
//	for the strip { what is read at places that are data, into local arrays }
//	for the strip { all that is computed, and accesses side by side: vectors of iterations }
//	for the strip { what is written at places that are data, and what is read again there }
//
// The loops around that of the vectors go one iteration at a time, in the order of before, so that sums have the
// bits they had, also of iterations that add to one place. LLVM makes vectors of the one between them, which
// it would not of the whole: gathers and scatters cost it more than the vectors gain. Reductions are in that one; of histograms
// of what it computes, it hands the buckets to the last one, and where the histograms are those of what is stored, the numbers
// (tally.go). A loop that counts and reads at places found by other such reads has these in the loop of the vectors.
//
// Where the body stands under an if that goes the same way in all iterations, as interior leaves it, its first region is taken apart, and
// the second one, with the checks, stays whole.
//
// A load goes into the last loop if a store there may change what it reads. All others come before all
// stores of the strip: iterations of a parallel loop are independent of each other. Each load takes place once, but for
// those of local arrays that nothing in the loop changes.
//
// This is loop distribution with scalar expansion: Kennedy and Allen, "Optimizing Compilers for
// Modern Architectures", 2002, sections 5.7 and 6.2.
func Task(k *ir.Kernel, t *ir.Task, machine target.Traits, opts option.Options, notes *note.Notes) {
	if t.Body == nil || len(t.Dims) == 0 {
		return
	}
	ir.NumberBlock(t.Body, ir.NumberBlock(t.Prologue, 0))
	r := analysis.RangesOf(t, opts.Without)
	gathers, wide := machine.VectorBits >= bitsForGathers, machine.VectorBits >= bitsForCounting
	ahead := machine.Provides(target.Prefetch) && !opts.Without.Has(option.Prefetch)
	measured := wide && k.Measure != nil && !t.Helper
	if len(t.Lists) > 0 && measured {
		if d := countsOfList(t, r); d != nil {
			notes.Say(t.Pos, note.Distributed)
			d.writeList(t)
			return
		}
	}
	if len(t.Lists) > 0 && wide {
		distributeCells(t, r, measured, notes)
	} else if measured {
		distributeInner(t, r, notes)
	}
	if t.Strip == 0 {
		if d := distributionOfTask(t, r, wide); d != nil {
			d.ahead = ahead
			notes.Say(t.Pos, note.Distributed)
			d.writeTask(t, (*distribution).write)
		} else if d := countsOfTask(t, r, measured); d != nil {
			notes.Say(t.Pos, note.Distributed)
			d.writeTask(t, (*distribution).write)
		} else if d := cutOfTask(t, r, gathers); d != nil {
			notes.Say(t.Pos, note.ComputedFirst)
			d.writeTask(t, (*distribution).writeCut)
		}
		return
	}
	var descend func(b *ir.Block)
	descend = func(b *ir.Block) {
		out := ir.NewBuilder(&ir.Block{})
		for _, o := range b.Ops {
			if d := distributionOfLoop(o, r, wide); d != nil {
				notes.Say(o.Pos, note.Distributed)
				d.write(out)
				continue
			}
			if d := cutOfLoop(o, r, gathers); d != nil {
				notes.Say(o.Pos, note.ComputedFirst)
				d.writeCut(out)
				continue
			}
			if o.Code == ir.OpIf {
				if !o.Flags.Has(ir.Seldom) {
					descend(o.Regions[0])
				}
				descend(o.Regions[1])
			}
			out.Block.Ops = append(out.Block.Ops, o)
		}
		b.Ops = out.Block.Ops
	}
	descend(t.Body)
}

// A work is what an op of the loop belongs to.
type work uint8

const (
	computes work = iota
	collects
	scatters
	counts // in histograms
)

// A distribution is a loop that is to be taken apart.
type distribution struct {
	r          *analysis.RangeInfo
	pos        ir.Pos
	trips      int64     // at most
	from, to   *ir.Value // its limits
	choice     *ir.Op    // the if around the body, which goes the same way in all iterations; nil if there is none
	index      *ir.Value
	ops        []*ir.Op // of the body, without its end
	at         map[*ir.Op]int
	work       map[*ir.Op]work
	depends    map[*ir.Value]bool // on the iteration
	places     map[*ir.Op]place   // of the accesses
	kept       []*ir.Value        // the indices that a loop before the others computes
	late       []*ir.Value        // those that the loop of the vectors computes for the last one
	sums       map[*ir.Value]bool // local variables that the loop updates, which are reductions
	able       map[*ir.Op]bool    // what early has found out, so that it visits each op once
	simple     map[*ir.Value]bool // likewise of ofIndex
	again      map[*ir.Value]bool // values that each loop computes for itself, or has an array of
	arrays     []*handed
	wide       bool                  // vectors can count
	ahead      bool                  // the processor can be asked for memory
	counted    []*histogram          // by vectors
	tallied    []*stripTally         // of these histograms and more
	moved      map[*ir.Op]bool       // reductions of tallies
	loose      *looseLoop            // iterations do anything: the loop stays as it is but for the counting
	carried    bool                  // an iteration may depend on those before it: LLVM decides about vectors
	unstored   *handed               // 0 for rows that are counted, and all bits set for others; nil where all are counted
	present    *ir.Value             // how many rows are counted; nil for all of the strip
	gathers    bool                  // the loop of the vectors reads at places that are data
	free       bool                  // strips may be shorter
	reductions map[*ir.Op]*reduction // by the stores of them all; nil until they are looked for
	narrowed   []*narrowSum
	narrow     map[*ir.Op]*narrowSum // by the ops that they stand for
	slot       map[*ir.Value]slot    // of the values that are handed over
	asked      *versioning.Question  // the checks that a loop of two asks about; nil if there are none
	checked    *ir.Block             // the body with these
	pinned     map[*ir.Op]bool       // to the first of two loops, where they can be vectors
}

// A place is what is known of where an op accesses memory.
type place struct {
	class int32
	local bool // a local array
	far   bool // not side by side with that of the next iteration
}

// bitsForGathers is how long the vectors of processors are on which gathers take less time than loads one by one.
const bitsForGathers = 512

// fewestDistributed is the length of the shortest strips that are worth several loops.
const fewestDistributed = 16

// newDistribution is that of a loop with this body.
func newDistribution(r *analysis.RangeInfo, pos ir.Pos, body *ir.Block, index *ir.Value, trips int64) *distribution {
	return &distribution{r: r, pos: pos, trips: trips, index: index, ops: body.Ops[:len(body.Ops)-1],
		at: map[*ir.Op]int{}, work: map[*ir.Op]work{}, depends: map[*ir.Value]bool{}, places: map[*ir.Op]place{},
		sums: map[*ir.Value]bool{}, able: map[*ir.Op]bool{}, simple: map[*ir.Value]bool{}, moved: map[*ir.Op]bool{}, again: map[*ir.Value]bool{}, slot: map[*ir.Value]slot{}}
}

// distributionOfLoop returns nil for a loop of a strip that is to stay whole, and for what is none.
func distributionOfLoop(o *ir.Op, r *analysis.RangeInfo, wide bool) *distribution {
	n := versioning.StripTrips(o)
	if n < fewestDistributed {
		return nil
	}
	d := newDistribution(r, o.Pos, o.Regions[0], o.Regions[0].Params[0], n)
	d.from, d.to, d.wide = o.Args[0], o.Args[1], wide
	if d.calls() || !d.survey() || !d.repeat() || !d.sort() || !d.hand() || !d.pays() {
		return nil
	}
	return d
}

// cutOfLoop returns nil for a loop of a strip that is not to become two loops, and for what is none.
func cutOfLoop(o *ir.Op, r *analysis.RangeInfo, gathers bool) *distribution {
	n := versioning.StripTrips(o)
	if n < fewestDistributed {
		return nil
	}
	d := cutOfBody(r, o.Pos, o.Regions[0], o.Regions[0].Params[0], n, gathers)
	if d != nil {
		d.from, d.to = o.Args[0], o.Args[1]
	}
	return d
}

// distributionOfTask returns nil for a task that is to stay whole.
func distributionOfTask(t *ir.Task, r *analysis.RangeInfo, wide bool) *distribution {
	n := versioning.StripLength(t)
	if n < fewestDistributed || t.Helper {
		return nil
	}
	body, choice := t.Body, versioning.Choice(t)
	if choice != nil {
		body = choice.Regions[0]
	}
	d := newDistribution(r, t.Pos, body, t.Body.Params[len(t.Dims)-1], n)
	d.wide = wide
	if d.choice = choice; !d.survey() || !d.keep() && !(wide && d.keepBuckets()) || d.calls() && len(d.late) == 0 {
		return nil
	}
	if counts := len(d.late) > 0; len(d.kept) == 0 && (counts || len(t.Dims) == 1) {
		d.trips, d.free = max(d.trips, longStrip(t)), counts
	}
	if !d.repeat() || !d.sort() || !d.hand() || !d.pays() {
		return nil
	}
	return d
}

// cutOfTask returns nil for a task that is not to become two loops.
func cutOfTask(t *ir.Task, r *analysis.RangeInfo, gathers bool) *distribution {
	n := versioning.StripLength(t)
	if n < fewestDistributed || t.Helper {
		return nil
	}
	return cutOfBody(r, t.Pos, t.Body, t.Body.Params[len(t.Dims)-1], n, gathers)
}

// survey finds out what the ops depend on and access. It reports whether the body is one of accesses and arithmetic.
func (d *distribution) survey() bool {
	d.depends[d.index] = true
	for _, o := range d.ops { // variables, which are the same place in all iterations
		if o.Code == ir.OpStore && o.Args[0].Def != nil && o.Args[0].Def.Code == ir.OpAlloc {
			d.sums[o.Args[0]] = true
		}
	}
	for i, o := range d.ops {
		d.at[o] = i
		if !d.plain(o) {
			return false
		}
		if o.Code == ir.OpLoad && d.sums[o.Args[0]] {
			d.depends[o.Results[0]] = true
		}
		if slices.ContainsFunc(operands(o), func(v *ir.Value) bool { return d.depends[v] }) {
			for _, v := range o.Results {
				d.depends[v] = true
			}
		}
		if !accesses(o) {
			continue
		}
		stride, linear := d.r.Stride(o.Args[0], d.index, d.depends)
		root := o.Args[0]
		for root.Def != nil && root.Def.Code == ir.OpOffset {
			root = root.Def.Args[0]
		}
		p := place{class: o.Alias, local: root.Def != nil && root.Def.Code == ir.OpAlloc, far: !linear}
		switch {
		case o.Code == ir.OpLoad:
		case d.sums[o.Args[0]] && o.Code == ir.OpStore:
		case p.local:
			return false
		default:
			p.far = p.far || stride == 0 || o.Code == ir.OpAtomic
		}
		d.places[o] = p
	}
	return true
}

// repeat finds the values that each loop computes for itself.
func (d *distribution) repeat() bool {
	for _, v := range d.kept {
		d.again[v] = true
	}
	for _, o := range d.ops {
		if len(o.Results) == 1 && d.repeats(o) {
			d.again[o.Results[0]] = true
		}
	}
	return true
}

// accesses reports whether o is an access to memory.
func accesses(o *ir.Op) bool {
	return o.Code == ir.OpLoad || o.Code == ir.OpStore || o.Code == ir.OpAtomic
}

// operands returns the values that o and the ops in it use.
func operands(o *ir.Op) []*ir.Value {
	if len(o.Regions) == 0 {
		return o.Args
	}
	var vs []*ir.Value
	unit.Within(o, func(o *ir.Op) bool {
		vs = append(vs, o.Args...)
		return true
	})
	return vs
}

// plain reports whether o is of the kinds that the loops can have: of scalars, and without effects other than accesses.
func (d *distribution) plain(o *ir.Op) bool {
	ok := true
	unit.Within(o, func(p *ir.Op) bool {
		for _, v := range p.Results {
			ok = ok && v.Type.Lanes == 1
		}
		switch {
		case accesses(p):
			ok = ok && p == o && p.Order == ir.Plain && !p.Flags.Has(ir.More)
		case p.Code == ir.OpIf || p.Code == ir.OpYield:
		default:
			ok = ok && p.Code.Is(ir.Pure) && len(p.Regions) == 0 && p.Code != ir.OpAlloc && (p.Code != ir.OpCall || p == o && p.Effects() == ir.Effects{})
		}
		return ok
	})
	return ok
}

// repeats reports whether each loop that needs the result of o computes it anew: whole numbers and addresses that follow
// from the iteration and from local arrays.
func (d *distribution) repeats(o *ir.Op) bool {
	known := !slices.ContainsFunc(o.Args, func(v *ir.Value) bool {
		return d.depends[v] && v != d.index && !d.again[v] && !slices.Contains(d.late, v)
	})
	kind := o.Results[0].Type.Kind
	switch o.Code {
	case ir.OpLoad:
		return known && d.places[o].local && !d.places[o].far && !d.sums[o.Args[0]]
	case ir.OpDiv, ir.OpMod, ir.OpCall:
		return false
	}
	return known && o.Code.Is(ir.Pure) && (kind.IsInt() || kind == ir.Ptr)
}

// meetPlaces reports whether two accesses may be to one place.
func meetPlaces(p, q place) bool {
	if p.local || q.local {
		return p.local && q.local
	}
	return p.class == q.class || p.class == 0 || q.class == 0
}

// sort gives each op its work. It reports whether the loops can run one after the other.
func (d *distribution) sort() bool {
	for _, o := range d.ops {
		if p, ok := d.places[o]; ok && p.far {
			switch {
			case o.Code != ir.OpLoad:
				d.work[o] = scatters
			case !d.gathers:
				d.work[o] = collects
			}
		}
	}
	for n := -1; n != d.count(scatters); {
		n = d.count(scatters)
		d.spread()
	}
	if d.wide {
		d.histograms()
		d.tallies()
	}
	d.narrowSums()
	return d.inOrder()
}

// count returns the number of ops with work w.
func (d *distribution) count(w work) int {
	n := 0
	for _, o := range d.ops {
		if d.work[o] == w {
			n++
		}
	}
	return n
}

// spread makes an op one of the last loop if it uses a result of one there, or may access what one there stores.
func (d *distribution) spread() {
	for _, o := range d.ops {
		if d.work[o] == scatters {
			continue
		}
		for _, v := range operands(o) {
			if def, here := d.at[v.Def]; v.Def != nil && here && d.work[d.ops[def]] == scatters {
				d.work[o] = scatters
			}
		}
		if !accesses(o) || d.again[o.Result()] {
			continue
		}
		for _, s := range d.ops {
			if d.work[s] == scatters && accesses(s) && s.Code != ir.OpLoad && meetPlaces(d.places[s], d.places[o]) {
				d.work[o] = scatters
			}
		}
	}
}

// inOrder reports whether no access overtakes a store of its own iteration, as the first loop might, and whether
// none of the last loop reads what the middle one stores.
func (d *distribution) inOrder() bool {
	for _, s := range d.ops {
		if s.Code != ir.OpStore || d.work[s] != computes {
			continue
		}
		for _, o := range d.ops {
			if !accesses(o) || d.moved[o] || d.work[o] == computes || !meetPlaces(d.places[s], d.places[o]) {
				continue
			}
			if d.work[o] == scatters || d.at[o] > d.at[s] {
				return false
			}
		}
	}
	return true
}

// pays reports whether there is enough to compute. A loop that only reads at places that are data is one that LLVM can make vectors
// of, with gathers. So divisions of whole numbers, and bodies under an if, count where there are stores at such places.
func (d *distribution) pays() bool {
	work, bytes := 0, int64(0)
	writes := d.count(scatters) > 0
	if d.choice != nil && !writes {
		return false
	}
	for _, o := range d.ops {
		switch {
		case d.work[o] != computes || len(o.Results) == 0 || accesses(o):
		case o.Results[0].Type.Kind.IsFloat():
			work++
		case writes && (o.Code == ir.OpDiv || o.Code == ir.OpMod || o.Code == ir.OpRem):
			work += costOfDivision
		}
	}
	for _, a := range d.arrays {
		bytes += d.trips * int64(len(a.values)) * int64(a.kind.Size())
	}
	most := int64(mostHandedBytes)
	if len(d.tallied) > 0 {
		most = mostTalliedBytes
	}
	if len(d.late) > 0 && bytes <= most { // all but the histograms becomes vectors
		return true
	}
	return len(d.slot) > len(d.kept) && work >= fewestPerHanding*(len(d.slot)-len(d.kept)) && bytes <= mostHandedBytes
}
