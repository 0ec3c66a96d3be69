package pass

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
)

// This file merges facts at control-flow joins: after an if, and after a block, which an inlined function with early returns
// becomes.

// A departure is a jump to the end of an if or block, with the facts that hold at the jump.
type departure struct {
	jump  *ir.Op // a yield or break; its operands are the results of the if or block
	facts []fact
}

// depart records the facts at a jump to the end of o.
func (f *forwarder) depart(o, jump *ir.Op) {
	if o != nil && (o.Code == ir.OpIf || o.Code == ir.OpBlock) {
		f.departures[o] = append(f.departures[o], departure{jump, slices.Clone(f.facts)})
	}
}

// A join is the value of a place after an op with several departures: in SSA terms, a phi. It becomes a result of the op once a
// load needs it.
type join struct {
	op         *ir.Op
	block      *ir.Block // the block that op is in
	start, end int       // the clock before and after op
	departures []*ir.Op  // the jumps to the end of op
	facts      []*fact   // the fact about the place at each departure; nil where the place is unchanged
	value      *ir.Value // the result of op, once there is one
}

// merge adds facts about the places whose value is known at each departure from o, and is new in o. E has the effects of o, and
// start is the clock before o.
func (f *forwarder) merge(o *ir.Op, start int, departures []departure, e *analysis.Effects) {
	for i := range departures {
		for j := range departures[i].facts {
			g := &departures[i].facts[j]
			if g.made <= start || !g.known() || find(f.facts, g.location) != nil {
				continue
			}
			if n := joined(o, departures, g, e); n != nil {
				n.block, n.start, n.end = f.cur, start, f.clock
				k := *g
				k.value, k.join, k.pending = nil, n, nil
				f.remember(k)
			}
		}
	}
}

// known reports whether k has a value, or a join that may have one.
func (k *fact) known() bool { return k.value != nil || k.join != nil }

// joined returns the join of the place of k after o; nil if its value is unknown at some departure.
func joined(o *ir.Op, departures []departure, k *fact, e *analysis.Effects) *join {
	n := &join{op: o}
	for i := range departures {
		g := find(departures[i].facts, k.location)
		if g == nil || !g.known() {
			if !untouched(o, departures[i].jump, k, e) {
				return nil
			}
			g = nil
		}
		n.departures, n.facts = append(n.departures, departures[i].jump), append(n.facts, g)
	}
	return n
}

// untouched reports whether o is an if of which one region stores to the place of k and the other, which ends in jump, does not.
// On the second path the place has its value from before o. Places in sparse trees do not count, since loading them before the if
// may take a long descent.
func untouched(o, jump *ir.Op, k *fact, e *analysis.Effects) bool {
	if o.Code != ir.OpIf || !slices.ContainsFunc(e.Objects, k.object.Overlaps) || k.object.Field != nil && k.object.Field.Sparse {
		return false
	}
	if k.code != ir.OpPtr && k.code != ir.OpElem {
		return false
	}
	for _, r := range o.Regions {
		if r.Terminator() == jump {
			var own analysis.Effects
			own.Block(r)
			return !slices.ContainsFunc(own.Objects, k.object.Overlaps)
		}
	}
	return false
}

// valueOf returns the value in the place of g, of type t; nil if it is unknown. At is the
// load, or the store, that needs the value.
func (f *forwarder) valueOf(g *fact, t ir.Type, at *ir.Op) *ir.Value {
	if g.value == nil && g.join != nil {
		g.value = f.resolve(g.join, t, at)
	}
	if g.value != nil && g.value.Type == t {
		return g.value
	}
	return nil
}

// resolve adds the value of a join to the results of its op. It returns nil if it cannot.
func (f *forwarder) resolve(n *join, t ir.Type, at *ir.Op) *ir.Value {
	if n.value != nil {
		return n.value
	}
	values := make([]*ir.Value, len(n.facts))
	for i, g := range n.facts {
		if g == nil {
			continue
		}
		if values[i] = f.valueOf(g, t, at); values[i] == nil {
			return nil
		}
	}
	if slices.Contains(values, nil) {
		before := f.loadBefore(n, t, at)
		if before == nil {
			return nil
		}
		for i, v := range values {
			if v == nil {
				values[i] = before
			}
		}
	}
	n.value = &ir.Value{Type: t, Def: n.op, Index: len(n.op.Results), ID: n.end}
	n.op.Results = append(slices.Clip(n.op.Results), n.value)
	for i, jump := range n.departures {
		jump.Args = append(slices.Clip(jump.Args), f.subst.Of(values[i]))
	}
	return n.value
}

// loadBefore copies the load at, of the place of n, to before n's op. It returns nil if it cannot: if at is a store, if the place
// is computed after n's op, or if at and n's op are in different blocks, so that the copy might run more often than the load.
func (f *forwarder) loadBefore(n *join, t ir.Type, at *ir.Op) *ir.Value {
	place := at.Args[0].Def
	if at.Code != ir.OpLoad || n.block != f.cur || !analysis.InRange(place) || slices.ContainsFunc(place.Args, func(v *ir.Value) bool { return v.ID > n.start }) {
		return nil
	}
	p := *place
	p.Results = []*ir.Value{{Type: place.Results[0].Type, Def: &p, ID: n.start}}
	load := *at
	load.Args = p.Results
	load.Results = []*ir.Value{{Type: t, Def: &load, ID: n.start}}
	f.ahead[n.op] = append(f.ahead[n.op], &p, &load)
	return load.Results[0]
}
