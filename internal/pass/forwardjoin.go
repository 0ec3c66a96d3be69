package pass

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// This file has what forward knows where several ways through the code meet: behind an
// if, and behind a block, which early returns of a function leave.

// A departure is a jump to where an if or a block ends, with the facts that hold there.
type departure struct {
	jump  *ir.Op // yield or break, whose operands are the results
	facts []fact
}

// depart notes what is known at a jump out of o.
func (f *forwarder) depart(o, jump *ir.Op) {
	if o != nil && (o.Code == ir.OpIf || o.Code == ir.OpBlock) {
		f.exits[o] = append(f.exits[o], departure{jump, slices.Clone(f.facts)})
	}
}

// A join is the value that a place has behind an op with several exits. It becomes a
// result of the op once something needs it.
type join struct {
	op         *ir.Op
	block      *ir.Block // that op is in
	start, end int       // the times before op and behind it
	exits      []*ir.Op  // the jumps
	facts      []*fact   // about the place at each; nil where it is as it was before op
	value      *ir.Value
}

// merge adds facts about places of which something became known on a way through o,
// with the given exits and the effects e.
func (f *forwarder) merge(o *ir.Op, start int, exits []departure, e *effects) {
	for i := range exits {
		for j := range exits[i].facts {
			g := &exits[i].facts[j]
			if g.made <= start || !g.known() || find(f.facts, g) != nil {
				continue
			}
			if n := joined(o, exits, g, e); n != nil {
				n.block, n.start, n.end = f.cur, start, f.clock
				k := *g
				k.value, k.join, k.pending = nil, n, nil
				f.remember(k)
			}
		}
	}
}

// known reports whether the value is to be had, as far as one can tell.
func (k *fact) known() bool { return k.value != nil || k.join != nil }

// joined returns what is known of the place of k at all exits of o; nil if it is not
// known at one of them.
func joined(o *ir.Op, exits []departure, k *fact, e *effects) *join {
	n := &join{op: o}
	for i := range exits {
		g := find(exits[i].facts, k)
		if g == nil || !g.known() {
			if !untouched(o, exits[i].jump, k, e) {
				return nil
			}
			g = nil
		}
		n.exits, n.facts = append(n.exits, exits[i].jump), append(n.facts, g)
	}
	return n
}

// untouched reports whether the region of an if that ends in jump leaves the place of k
// as it was, while the other stores to it. A place in a sparse tree is left out, since
// the way to it may be long.
func untouched(o, jump *ir.Op, k *fact, e *effects) bool {
	if o.Code != ir.OpIf || !slices.ContainsFunc(e.objects, k.object.overlaps) || k.object.field != nil && k.object.field.Sparse {
		return false
	}
	if k.place.Code != ir.OpPtr && k.place.Code != ir.OpElem {
		return false
	}
	for _, r := range o.Regions {
		if r.Terminator() == jump {
			var own effects
			own.block(r)
			return !slices.ContainsFunc(own.objects, k.object.overlaps)
		}
	}
	return false
}

// valueOf returns what lies in the place of g, which the op at loads as a value of type
// t; nil if that is not known.
func (f *forwarder) valueOf(g *fact, t ir.Type, at *ir.Op) *ir.Value {
	if g.value == nil && g.join != nil {
		g.value = f.resolve(g.join, t, at)
	}
	if g.value != nil && g.value.Type == t {
		return g.value
	}
	return nil
}

// resolve makes a join a result of its op.
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
	for i, jump := range n.exits {
		jump.Args = append(slices.Clip(jump.Args), f.subst.of(values[i]))
	}
	return n.value
}

// loadBefore puts the load at, of the place of n, in front of n's op. Both stand in one
// block, so that it is needed as often there, and its index is in range there too.
func (f *forwarder) loadBefore(n *join, t ir.Type, at *ir.Op) *ir.Value {
	place := at.Args[0].Def
	if n.block != f.cur || !inRange(place) || slices.ContainsFunc(place.Args, func(v *ir.Value) bool { return v.ID > n.start }) {
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
