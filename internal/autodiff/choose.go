package autodiff

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/mincut"
)

// What the backward pass through an iteration wants is reloaded, computed again or kept, and a minimum cut chooses.
// Each value of the iteration is two nodes of a network: that it is wanted, and that it is computed again. The edge
// from the one to the other has what keeping it costs, the edge from the second one to the sink what computing it
// costs, and further edges without limit lead to what it is computed of. The values that the cut parts from their
// computation are kept.

// Costs, in simple operations.
const (
	costKeep   = 4 // a store and a load, more than to load from a field again
	costLoad   = 2
	costDivide = 6
	costMath   = 20
	costCall   = 100
)

// How often a loop of unknown length runs, and what more counts as.
const (
	guessedTrips = 8
	mostTimes    = 1 << 20
)

// A backPlan is what the backward pass through an iteration does.
type backPlan struct {
	params []int       // numbers of the parameters of the loop that are kept
	values []*ir.Value // of the iteration that are kept
	arrays []*array    // whose state is kept
	filled map[*array]bool
	again  *again
}

// An again says what of an iteration the backward pass reads or computes again.
type again struct {
	values []*ir.Value
	loops  int  // that run again
	alone  bool // they could be kept for less, but for a sweep over the iterations that nobody else wants
}

// Nodes of its network.
const (
	source = 0
	sink   = 1
)

// A chooser builds the network of a loop.
type chooser struct {
	*facts
	loop    *ir.Op
	unknown bool // nobody knows how many iterations it has
	compute bool // values are computed again, and none is kept
	net     *mincut.Network
	at      int // the node whose edges are added
	values  map[*ir.Value]int
	order   []*ir.Value
	arrays  map[*array]int
	loops   map[*ir.Op]int
	todo    []func()
}

// choose decides for a loop, nil if it cannot.
func (f *facts) choose(o *ir.Op) *backPlan {
	plain := true
	ir.Visit(o.Regions[0], func(p *ir.Op) bool {
		plain = plain && f.extrema[p] == nil && !f.old[p] && p.Code != ir.OpAppend
		return plain
	})
	if !plain {
		return nil
	}
	x := f.cut(o, false)
	if len(x.values) > 0 && f.onlyKeeps(o, x) {
		if y := f.cut(o, true); len(y.params)+len(y.arrays) == 0 {
			y.again.alone = true
			return y
		}
	}
	return x
}

// onlyKeeps reports whether the forward sweep of a loop of known length is there to keep values alone. It costs what
// computing them again does then, and the keeping.
func (f *facts) onlyKeeps(o *ir.Op, x *backPlan) bool {
	if _, fixed := trips(o); !fixed || len(x.params)+len(x.arrays) > 0 || slices.ContainsFunc(o.Results, func(v *ir.Value) bool { return f.needed[v] }) {
		return false
	}
	return !slices.ContainsFunc(f.arrays, func(a *array) bool {
		return a.needed && !f.contains(o, a.alloc) && slices.ContainsFunc(a.writes, func(w *ir.Op) bool { return f.contains(o, w) })
	})
}

// cut finds a minimum cut for a loop, with compute one that keeps none of the values that the iteration computes.
func (f *facts) cut(o *ir.Op, compute bool) *backPlan {
	_, fixed := trips(o)
	c := &chooser{facts: f, loop: o, unknown: !fixed, compute: compute, net: mincut.New(2), values: map[*ir.Value]int{}, arrays: map[*array]int{}, loops: map[*ir.Op]int{}}
	c.at = source
	f.demandBack(c, o)
	for len(c.todo) > 0 {
		next := c.todo[0]
		c.todo = c.todo[1:]
		next()
	}
	behind, _ := c.net.Behind(source, sink) // each value can be kept, or computed
	return c.read(c.net.Reached(source, behind))
}

// read finds out what a cut means.
func (c *chooser) read(side []bool) *backPlan {
	x := &backPlan{filled: map[*array]bool{}, again: &again{}}
	for _, n := range c.loops {
		if side[n] {
			x.again.loops++
		}
	}
	for _, v := range c.order {
		in := c.values[v]
		switch {
		case !side[in]:
			continue
		case side[in+1]:
			x.again.values = append(x.again.values, v)
			continue
		}
		switch {
		case v.Def != nil:
			x.values = append(x.values, v)
		case v.Block.Parent == c.loop && !(c.loop.Code == ir.OpFor && v.Index == 0):
			x.params = append(x.params, v.Index)
		}
	}
	slices.Sort(x.params)
	for _, a := range c.facts.arrays {
		n, ok := c.arrays[a]
		if !ok || !side[n] {
			continue
		}
		x.filled[a] = true
		if !c.contains(c.loop, a.alloc) {
			x.arrays = append(x.arrays, a)
		}
	}
	return x
}

// from runs f with its edges from a node.
func (c *chooser) from(node int, f func()) {
	c.todo = append(c.todo, func() {
		c.at = node
		f()
	})
}

// want adds edges to values of the iteration.
func (c *chooser) want(vs ...*ir.Value) {
	for _, v := range vs {
		if !c.isWithin(c.loop, v) || c.given[v] {
			continue
		}
		in, ok := c.values[v]
		if !ok {
			in = c.net.Node()
			out := c.net.Node()
			c.values[v] = in
			c.order = append(c.order, v)
			c.net.Edge(in, out, c.costToKeep(v))
			c.net.Edge(out, sink, c.costToCompute(v))
			c.from(out, func() { c.causes(v) })
		}
		c.net.Edge(c.at, in, mincut.Never)
	}
}

// causes adds edges to what a value follows from.
func (c *chooser) causes(v *ir.Value) {
	o := v.Def
	if o == nil {
		switch p := v.Block.Parent; {
		case p == c.loop:
		case p.Code == ir.OpFor && v.Index == 0:
			c.want(p.Args[:2]...)
		case p.Code == ir.OpFor || p.Code == ir.OpLoop:
			c.wantWhole(p)
		}
		return
	}
	if o.Code == ir.OpLoad {
		c.wantArray(c.arrayAt(o))
	}
	demandCauses(c, v)
}

// wantArray adds an edge to an array that the iteration writes to: to be read again it is restored to the state
// that it had before, and what is written is computed again.
func (c *chooser) wantArray(a *array) {
	if a == nil || !slices.ContainsFunc(a.writes, func(w *ir.Op) bool { return c.contains(c.loop, w) }) {
		return
	}
	n, ok := c.arrays[a]
	if !ok {
		n = c.net.Node()
		c.arrays[a] = n
		cost := int64(0)
		if !c.contains(c.loop, a.alloc) {
			cost = a.alloc.Aux * costKeep
		}
		c.net.Edge(n, sink, cost)
		c.from(n, func() {
			for _, w := range a.writes {
				if c.contains(c.loop, w) {
					c.demandWrite(c, w, c.loop)
				}
			}
		})
	}
	c.net.Edge(c.at, n, mincut.Never)
}

// wantWhole adds an edge to a loop within the iteration that runs again, to what it takes from outside and to the
// arrays that it reads.
func (c *chooser) wantWhole(o *ir.Op) {
	n, ok := c.loops[o]
	if !ok {
		n = c.net.Node()
		c.loops[o] = n
		cost := int64(0)
		weightedOps(o, func(p *ir.Op, times int64) { cost += times * costOf(p) })
		c.net.Edge(n, sink, min(c.times(o)*cost, mincut.Never/4))
		c.from(n, func() {
			c.want(o.Args...)
			ir.Visit(o.Regions[0], func(p *ir.Op) bool {
				for _, a := range p.Args {
					if !c.isWithin(o, a) {
						c.want(a)
					}
				}
				if p.Code == ir.OpLoad {
					c.wantArray(c.arrayAt(p))
				}
				return true
			})
		})
	}
	c.net.Edge(c.at, n, mincut.Never)
}

// weightedOps visits the ops in a loop, with the number of times that it runs them, about.
func weightedOps(o *ir.Op, f func(p *ir.Op, times int64)) {
	var visit func(o *ir.Op, times int64)
	visit = func(o *ir.Op, times int64) {
		if n, fixed := trips(o); fixed {
			times *= n
		} else if o.Code == ir.OpFor || o.Code == ir.OpLoop {
			times *= guessedTrips
		}
		times = min(times, mostTimes)
		for _, r := range o.Regions {
			for _, p := range r.Ops {
				f(p, times)
				visit(p, times)
			}
		}
	}
	visit(o, 1)
}

// costToKeep is what it costs to keep a value of each iteration.
func (c *chooser) costToKeep(v *ir.Value) int64 {
	if v.Def == nil && v.Block.Parent == c.loop {
		if c.loop.Code == ir.OpFor && v.Index == 0 || c.unknown {
			return 0 // it is known, or kept in any case
		}
		return costKeep
	}
	if c.compute || v.Def == nil || !v.Type.Kind.IsFloat() && !v.Type.Kind.IsInt() || v.Type.Lanes > 1 {
		return mincut.Never
	}
	times := c.timesWithin(c.loop, v.Def)
	if times == 0 || times > 1 && !c.unknown {
		return mincut.Never // there are several in an iteration
	}
	return times * costKeep
}

// costToCompute is what it costs to compute a value again, without what it is computed of.
func (c *chooser) costToCompute(v *ir.Value) int64 {
	if v.Def == nil {
		if v.Block.Parent == c.loop && !(c.loop.Code == ir.OpFor && v.Index == 0) {
			return mincut.Never
		}
		return 0
	}
	return c.times(v.Def) * costOf(v.Def)
}

// times is how often an iteration runs an op, about.
func (c *chooser) times(o *ir.Op) int64 {
	times := int64(1)
	if !c.unknown {
		return times // only loops that run as a whole count, and count as a whole
	}
	for _, l := range c.loopsAround(c.loop, o) {
		n, fixed := trips(l)
		if !fixed {
			n = guessedTrips
		}
		times = min(times*n, mostTimes)
	}
	return times
}

// costOf is what an op costs without its regions.
func costOf(o *ir.Op) int64 {
	switch o.Code {
	case ir.OpConst, ir.OpParam, ir.OpUnique, ir.OpFor, ir.OpLoop, ir.OpYield, ir.OpContinue, ir.OpBreak:
		return 0
	case ir.OpLoad, ir.OpStore, ir.OpAtomic:
		return costLoad
	case ir.OpCall:
		return costCall
	case ir.OpDiv, ir.OpRem, ir.OpMod, ir.OpSqrt:
		return costDivide
	}
	if r := ruleOf(o.Code); o.Code != ir.OpAbs && (r.singular || len(o.Args) == 1 && r.uses != 0) {
		return costMath
	}
	return 1
}
