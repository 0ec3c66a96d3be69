package states

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// Find gives a kernel its phases, and each parallel loop in its body the number of its phase.
//
// Input: the body of a kernel as it is lowered. Output: the same.
func Find(k *ir.Kernel, lay unit.Layout) {
	f := &finder{k: k, lay: lay, used: usedIn(k.Body), ranges: analysis.AnalyseBody(k.Body)}
	if m := k.Measure; m != nil && m.Counts != nil {
		f.counters = []*ir.Field{m.Counts, m.Ends, m.Sums, m.Exponents}
	}
	k.Phases = []ir.Phase{} // not nil, which would mean for the split that states were not computed
	from := 0
	for i, o := range k.Body.Ops {
		if !o.IsParallel() {
			continue
		}
		f.serial(k.Body.Ops[from:i])
		f.loop(o)
		from = i + 1
	}
	f.serial(k.Body.Ops[from:])
	k.Repeats = f.repeats()
}

// usedIn returns the operands of the ops in b.
func usedIn(b *ir.Block) map[*ir.Value]bool {
	used := map[*ir.Value]bool{}
	ir.Visit(b, func(o *ir.Op) bool {
		for _, v := range o.Args {
			used[v] = true
		}
		return true
	})
	return used
}

// A finder is the state of Find.
type finder struct {
	k        *ir.Kernel
	lay      unit.Layout
	used     map[*ir.Value]bool
	counters []*ir.Field // counters, if the kernel counts what it stores

	ranges *analysis.RangeInfo

	phase   ir.States
	reach   *reacher
	over    *ir.Op // the parallel loop; nil in serial code
	shrinks bool   // the loop makes lists shorter
	parts   []*ir.Op
}

// serial adds the phase of serial code, if there is any.
func (f *finder) serial(ops []*ir.Op) {
	if len(ops) == 0 {
		return
	}
	f.begin(nil)
	block := &ir.Block{Ops: ops}
	f.touches(block)
	f.fills(block)
	f.k.Phases = append(f.k.Phases, ir.Phase{States: f.phase.List()})
}

// loop adds the phase of a parallel loop.
func (f *finder) loop(o *ir.Op) {
	f.begin(o)
	body := o.Regions[0]
	ir.Visit(body, func(p *ir.Op) bool {
		f.shrinks = f.shrinks || p.Code == ir.OpShrink
		return true
	})
	if o.Code == ir.OpFieldFor && o.Field.Sparse {
		s := f.phase.Of(o.Field)
		s.Mask, s.List = s.Mask|ir.Reads, s.List|ir.Reads
	}
	f.touches(body)
	f.fills(body)
	f.k.Phases = append(f.k.Phases, ir.Phase{Loop: true, States: f.phase.List()})
	o.Phase = int32(len(f.k.Phases))
}

func (f *finder) begin(loop *ir.Op) {
	f.phase, f.over, f.shrinks, f.parts, f.reach = ir.States{}, loop, false, nil, newReacher(loop, f.ranges)
}

// touches records the accesses of the ops in b and its regions.
func (f *finder) touches(b *ir.Block) {
	ir.Visit(b, func(o *ir.Op) bool {
		switch o.Code {
		case ir.OpLoad:
			if place := hostPlace(o); place != nil && f.used[o.Results[0]] {
				f.access(place, ir.Reads, ir.AtomicNone)
			}
		case ir.OpStore, ir.OpAtomic:
			f.part(o)
		case ir.OpActivate, ir.OpDeactivate, ir.OpIsActive, ir.OpAppend, ir.OpCount, ir.OpShrink:
			if o.Field.Sparse {
				f.cells(o)
			}
		}
		return true
	})
}

// hostPlace returns the place of a load, store or atomic; nil if it is not in a field of the host.
func hostPlace(o *ir.Op) *ir.Op {
	place := o.Args[0].Def
	if place == nil || place.Code != ir.OpPtr || !place.Field.IsHost() {
		return nil
	}
	return place
}

// ownIndex reports whether the first indices of a place are those of the iteration.
func (f *finder) ownIndex(place *ir.Op) bool {
	if f.over == nil {
		return false
	}
	index, params := analysis.Indices(place), f.over.Regions[0].Params
	return len(index) >= len(params) && slices.Equal(index[:len(params)], params)
}

// touch records a use of a component at the element of a place; sum is the operation if it is an update of which nothing uses the old value.
func (f *finder) touch(field *ir.Field, c int, u ir.Use, sum ir.AtomicKind, place *ir.Op) {
	if f.ownIndex(place) {
		f.phase.Use(field, c, ir.Values{Use: u, Own: true, Reach: ir.Reach{Known: true}, Ring: ir.Reach{Known: true}, Sum: sum})
		return
	}
	f.phase.Use(field, c, ir.Values{Use: u, Reach: f.reach.of(place), Index: f.reach.index(place), Ring: f.reach.ring(place), Sum: sum})
}

// access records an access to the components that a place may name.
func (f *finder) access(place *ir.Op, u ir.Use, sum ir.AtomicKind) {
	for _, c := range place.Choices() {
		f.touch(place.Field, c, u, sum, place)
	}
	if place.Field.Sparse && !f.isActive(place) {
		s := f.phase.Of(place.Field)
		s.Mask |= ir.Reads
		if u&ir.Writes != 0 { // it may activate the cell
			f.grows(s)
		}
	}
}

// part records a store or atomic. At the end of an assignment or update it also records the rounding of numbers that share exponents.
func (f *finder) part(o *ir.Op) {
	if place := hostPlace(o); place != nil {
		f.access(place, useOf(o), f.sumOf(o))
		f.counted()
	}
	f.parts = append(f.parts, o)
	if !o.Flags.Has(ir.More) {
		f.assigned()
		f.parts = nil
	}
}

// useOf returns whether a store or atomic reads, writes, or both.
func useOf(o *ir.Op) ir.Use {
	switch {
	case o.Code == ir.OpStore:
		return ir.Writes
	case o.Atomic == ir.AtomicLoad:
		return ir.Reads
	}
	return ir.Reads | ir.Writes
}

// sumOf returns the operation of an update whose old value nothing uses, and that may be done in any order of iterations.
func (f *finder) sumOf(o *ir.Op) ir.AtomicKind {
	if o.Code != ir.OpAtomic || f.used[o.Results[0]] {
		return ir.AtomicNone
	}
	switch o.Atomic {
	case ir.AtomicSub:
		return ir.AtomicAdd
	case ir.AtomicAdd, ir.AtomicMin, ir.AtomicMax, ir.AtomicAnd, ir.AtomicOr, ir.AtomicXor:
		return o.Atomic
	}
	return ir.AtomicNone
}

// assigned records that the parts of an assignment or update round the other numbers of their groups.
func (f *finder) assigned() {
	for _, o := range f.parts {
		place := hostPlace(o)
		if place == nil || useOf(o)&ir.Writes == 0 {
			continue
		}
		for _, c := range place.Choices() {
			if s := place.Field.StoredAs(c); s != nil && s.Group != nil && !f.storesAll(s.Group) {
				f.round(s.Group, place)
			}
		}
	}
}

// storesAll reports whether the parts certainly store all numbers of a group.
func (f *finder) storesAll(g *ir.Group) bool {
	stored := map[int]bool{}
	for _, o := range f.parts {
		if place := hostPlace(o); place != nil && o.Code == ir.OpStore && !place.Flags.Has(ir.Dynamic) {
			if s := place.Field.StoredAs(int(place.Aux)); s != nil && s.Group == g {
				stored[s.Member] = true
			}
		}
	}
	return len(stored) == g.Members
}

// round records that a store at a place rounds the numbers of a group. If the component is chosen at run time, the numbers that the
// assignment stores count as read, too, since another part may be the one that stores them.
func (f *finder) round(g *ir.Group, place *ir.Op) {
	for _, field := range f.k.Fields {
		for c := range field.Comps {
			s := field.StoredAs(c)
			if s == nil || s.Group != g || f.surely(field, c) {
				continue
			}
			f.touch(field, c, ir.Reads|ir.Writes, ir.AtomicNone, place)
		}
	}
}

// surely reports whether a part certainly stores a component.
func (f *finder) surely(field *ir.Field, c int) bool {
	return slices.ContainsFunc(f.parts, func(o *ir.Op) bool {
		place := hostPlace(o)
		return place != nil && o.Code == ir.OpStore && place.Field == field && !place.Flags.Has(ir.Dynamic) && int(place.Aux) == c
	})
}

// counted records the accesses to counters for a store.
func (f *finder) counted() {
	for _, field := range f.counters {
		f.phase.Touch(field, 0, ir.Reads|ir.Writes, false)
	}
}
