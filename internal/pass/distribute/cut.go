package distribute

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/mincut"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/unit"
	"github.com/gotaichi/ti/internal/pass/versioning"
)

// This file is the part of distribute that takes a loop apart into two, where there is much to compute before what is
// written at places that are data, and between that as well: a particle that is moved by the nodes around it and then
// adds to the nodes around its new place.
//
//	for the strip { all that need not be in the other loop: vectors of iterations, with gathers }
//	for the strip { what is written at places that are data, and what is computed for that alone }
//
// Numbers that lie far apart, in order, are copied before the first loop. What it hands over is as little as there can be, the cheapest cut of the graph of values. Checks of indices
// that follow from what is read at such places cannot be made before the strip. The first loop asks about them. It
// stores nothing then; the second one stores all, and if an index is outside, the loop with the checks runs instead:
//
//	%outside = for the strip { compute; the question }
//	if seldom %outside { for the strip { the body } } else { for the strip { store } }

// Costs for the cut, in eighths of handing over a number of 32 bits: a store of a vector and a load. The second loop
// computes one number at a time, or several side by side.
const costOfHanding, costOfComputing = 8, 1

// A cut is a loop that becomes two.
type cut struct {
	*distribution
	asked   *versioning.Question // the checks that the first one asks about; nil if there are none
	checked *ir.Block            // the body with these
	pinned  map[*ir.Op]bool      // to the first one, where they can be vectors
}

// cutOfBody is the cut of a body, nil if it is to stay whole.
func cutOfBody(r *analysis.RangeInfo, pos ir.Pos, body *ir.Block, index *ir.Value, trips int64, gathers bool) *cut {
	whole := body.Ops
	checks, ok := checksIn(body)
	if !ok {
		return nil
	}
	var asked *versioning.Question
	guarded := accessesIn(checks)
	if len(checks) > 0 {
		// The body without checks is what is taken apart, and keeps its values, of which r knows.
		whole = ir.NewCloner(map[*ir.Value]*ir.Value{}).List(body.Ops)
		versioning.DropChecks(body, setOf(checks))
		if asked = versioning.QuestionOf(body, checks); asked == nil {
			body.Ops = whole
			return nil
		}
	}
	if asked != nil {
		dropDead(body, asked.Needs)
	}
	c := &cut{distribution: newDistribution(r, pos, body, index, trips), asked: asked, checked: &ir.Block{Ops: whole}}
	if !c.calls() && c.survey() && c.repeat() && c.divide(gathers) && c.after(guarded) && c.hand() && c.pays() {
		return c
	}
	body.Ops = whole
	return nil
}

func setOf(ops []*ir.Op) map[*ir.Op]bool {
	set := map[*ir.Op]bool{}
	for _, o := range ops {
		set[o] = true
	}
	return set
}

// failsWithin reports whether o or an op within it is a failure.
func failsWithin(o *ir.Op) bool {
	found := false
	unit.Within(o, func(o *ir.Op) bool {
		found = found || o.Code == ir.OpFail
		return !found
	})
	return found
}

// checksIn returns the checks in b, and whether nothing else fails there.
func checksIn(b *ir.Block) (checks []*ir.Op, ok bool) {
	for _, o := range b.Ops {
		if !failsWithin(o) {
			continue
		}
		if o.Code != ir.OpIf || !versioning.Fails(o.Regions[1]) || slices.ContainsFunc(o.Regions[0].Ops, failsWithin) {
			return nil, false
		}
		checks = append(checks, o)
	}
	return checks, true
}

// accessesIn returns the accesses that take place only if checks hold.
func accessesIn(checks []*ir.Op) (list []*ir.Op) {
	for _, c := range checks {
		ir.Visit(c.Regions[0], func(o *ir.Op) bool {
			if accesses(o) {
				list = append(list, o)
			}
			return true
		})
	}
	return list
}

// after reports whether all these ops are of the last loop.
func (d *division) after(ops []*ir.Op) bool {
	return !slices.ContainsFunc(ops, func(o *ir.Op) bool { return d.work[o] != scatters })
}

// dropDead drops what nothing in b uses, but for some ops and what these use.
func dropDead(b *ir.Block, but func(*ir.Op) bool) {
	used := map[*ir.Value]bool{}
	for i := len(b.Ops) - 1; i >= 0; i-- {
		o := b.Ops[i]
		if len(o.Results) > 0 && !but(o) && o.Code.Is(ir.Pure) && len(o.Regions) == 0 && !slices.ContainsFunc(o.Results, func(v *ir.Value) bool { return used[v] }) {
			b.Ops = slices.Delete(b.Ops, i, i+1)
			continue
		}
		for _, v := range operands(o) {
			used[v] = true
		}
	}
}

// divide gives each op its work. It reports whether the loops can run one after the other.
func (c *cut) divide(gathers bool) bool {
	for o, p := range c.places {
		if p.far && o.Code != ir.OpLoad {
			c.work[o] = scatters
		}
	}
	c.countLast()
	for n := -1; n != c.count(scatters); {
		n = c.count(scatters)
		c.spread()
	}
	c.copyGaps()
	stores := c.count(scatters)
	if stores+c.count(collects) == 0 || stores == len(c.ops) {
		return false
	}
	if c.asked != nil {
		c.storeLate()
	}
	for o, p := range c.places {
		if p.far && c.work[o] == computes && !gathers {
			return false
		}
	}
	return (stores == 0 || c.sink()) && c.keepsOrder()
}

// copyGaps has a loop before the others copy numbers that lie apart with others between them that the body does not load. LLVM
// would load these, too, and leave the last vector of each strip to a loop of single iterations, since there might be
// none of them behind the end.
func (c *cut) copyGaps() {
	deps := analysis.ReferencesOf(c.r)
	var refs []analysis.Reference
	var loads []*ir.Op
	for _, o := range c.ops {
		if p, ok := c.places[o]; ok && o.Code == ir.OpLoad && c.work[o] == computes && !p.far && !p.local && c.depends[o.Args[0]] && c.strides(o) {
			loads, refs = append(loads, o), append(refs, deps.Of(o, o.Results[0].Type, false))
		}
	}
	for i, o := range loads {
		stride, _ := c.r.Stride(o.Args[0], c.index, c.depends)
		stride = max(stride, -stride)
		x, covered := &refs[i], int64(0)
		counted := map[int64]bool{}
		for j := range refs {
			y := &refs[j]
			bytes, known := x.Distance(y)
			if off := (bytes%stride + stride) % stride; known && !counted[off] {
				counted[off] = true
				covered += y.Size
			}
		}
		if covered < stride {
			c.work[o] = collects
		}
	}
}

// strides reports whether the place of o moves from iteration to iteration.
func (f *facts) strides(o *ir.Op) bool {
	stride, _ := f.r.Stride(o.Args[0], f.index, f.depends)
	return stride != 0
}

// storeLate makes all stores part of the last loop. What is stored side by side is computed in vectors nevertheless, as far as it can.
func (c *cut) storeLate() {
	c.pinned = map[*ir.Op]bool{}
	late := map[*ir.Op]bool{}
	for _, o := range c.ops {
		late[o] = c.work[o] == scatters
	}
	for _, o := range c.ops {
		if o.Code == ir.OpStore && !late[o] {
			c.work[o] = scatters
			if def := o.Args[1].Def; def != nil && !late[def] {
				c.pinned[def] = true
			}
		}
	}
}

// sink makes those ops part of the last loop that the cheapest cut has behind it. It reports whether there is one.
func (c *cut) sink() bool {
	n := len(c.ops)
	from, to := 2*n, 2*n+1
	g := mincut.New(2*n + 2)
	for i, o := range c.ops {
		switch _, access := c.places[o]; {
		case c.work[o] == scatters:
			g.Edge(i, to, mincut.Never)
		case access || c.pinned[o] || c.asked != nil && c.asked.Needs(o):
			g.Edge(from, i, mincut.Never)
		case !isConstant(o):
			g.Edge(from, i, costOfComputing)
		}
		if cost := handing(o); cost > 0 {
			g.Edge(i, n+i, cost)
		}
		for _, v := range operands(o) {
			if j, here := c.at[v.Def]; v.Def != nil && here && j != i && !c.again[v] {
				g.Edge(n+j, i, mincut.Never)
				g.Edge(i, j, mincut.Never)
			}
		}
	}
	behind, ok := g.Behind(from, to)
	for i, o := range c.ops {
		if ok && behind[i] && !c.again[o.Result()] {
			c.work[o] = scatters
		}
	}
	return ok
}

func isConstant(o *ir.Op) bool { return o != nil && o.Code == ir.OpConst }

// handing is what it costs to hand the result of o over.
func handing(o *ir.Op) int64 {
	switch {
	case len(o.Results) == 0:
		return 0
	case len(o.Results) > 1 || o.Results[0].Type.Kind == ir.Ptr || o.Results[0].Type.Kind == ir.Bool || isConstant(o):
		return mincut.Never
	}
	return costOfHanding * max(1, int64(o.Results[0].Type.Kind.Size())/4)
}

// keepsOrder reports whether no two accesses, one of which stores, change places, if both may be to one place.
func (d *division) keepsOrder() bool {
	turn := [...]int{collects: 0, computes: 1, scatters: 2}
	for i, o := range d.ops {
		p, access := d.places[o]
		if !access {
			continue
		}
		for _, later := range d.ops[i+1:] {
			q, access := d.places[later]
			if access && turn[d.work[later]] < turn[d.work[o]] && (o.Code != ir.OpLoad || later.Code != ir.OpLoad) && meetPlaces(p, q) {
				return false
			}
		}
	}
	return true
}

// pays reports whether vectors have enough to compute.
func (c *cut) pays() bool {
	work, reads := 0, 0
	for _, o := range c.ops {
		if p, ok := c.places[o]; ok && p.far && c.work[o] == computes {
			reads++
		}
		if c.work[o] == computes && len(o.Results) == 1 && !accesses(o) && !isConstant(o) && o.Results[0].Type.Kind.IsFloat() {
			work++
		}
	}
	return len(c.slot) > 0 && work >= fewestPerHanding*(len(c.slot)+reads) && c.bytes(c.trips) <= mostHandedBytes
}

// write appends the two loops.
func (c *cut) write(b *ir.Builder) {
	b.Pos = c.pos
	c.allocate(b)
	if c.count(collects) > 0 {
		c.loop(b, collects, (*phase).body)
	}
	if c.asked == nil {
		c.loop(b, computes, (*phase).body)
		if c.count(scatters) > 0 {
			c.loop(b, scatters, (*phase).body)
		}
		return
	}
	i32 := ir.Scalar(ir.I32)
	o := ir.NewOp(ir.OpFor, c.pos, []ir.Type{i32}, c.from, c.to, b.Int(i32, 0))
	o.Flags = ir.Independent
	b.Emit(o)
	p := c.phase(b, o, computes)
	outside := o.Regions[0].AddParam(i32, "outside")
	b.In(o.Regions[0], func() {
		p.row = b.Convert(b.NoWrap(ir.OpSub, p.i, c.from), ir.I64)
		p.body()
		b.Pos = c.pos
		out := outside
		for _, r := range c.asked.Reaches {
			for _, v := range r.Uses() {
				p.want(v)
			}
			out = b.Op(ir.OpOr, out, b.Convert(b.Op(ir.OpNot, r.Ask(b, p.to)), ir.I32))
		}
		b.Jump(ir.OpContinue, o, out)
	})
	choice := ir.NewOp(ir.OpIf, c.pos, nil, b.Op(ir.OpNe, o.Results[0], b.Int(i32, 0)))
	choice.Flags = ir.Seldom
	b.Emit(choice)
	b.In(choice.Regions[0], func() { c.whole(b, c.checked); b.Yield() })
	b.In(choice.Regions[1], func() { c.loop(b, scatters, (*phase).body); b.Yield() })
}
