package distribute

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/mincut"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/unit"
	"github.com/gotaichi/ti/internal/pass/versioning"
)

// This file splits a loop into two, if there is much to compute before and between stores at data-dependent addresses. An example is a
// particle that is moved by the nodes around it and then adds to the nodes around its new place.
//
//	for the strip { everything that need not be in the other loop: vectors of iterations, with gathers }
//	for the strip { stores at data-dependent addresses, and what is computed for these alone }
//
// A loop before the first one copies numbers that are loaded with gaps, so that they are contiguous. The first loop transfers as little as
// possible to the second one: the cheapest cut of the graph of values.
//
// Checks of indices that are computed from loads at such addresses cannot be made before the strip. The first loop tests them. Then it
// stores nothing, and the second loop makes all stores. If an index is out of range, the loop with the checks runs instead:
//
//	%outside = for the strip { compute; test }
//	if seldom %outside { for the strip { the body } } else { for the strip { store } }

// Costs for the cut, in eighths of the cost of transferring a number of 32 bits, which is a store and a load of a vector. The second loop
// computes one number at a time, or a few adjacent ones in a vector.
const costOfHanding, costOfComputing = 8, 1

// A cut is a loop that becomes two.
type cut struct {
	*distribution
	question *versioning.Question // the test that the first loop makes of the checks; nil if there are no checks
	checked  *ir.Block            // the body with the checks
	pinned   map[*ir.Op]bool      // ops that must be in the first loop, which is vectorised
}

// cutOfBody returns the cut of a body; nil if the body is not to be split.
func cutOfBody(r *analysis.RangeInfo, pos ir.Pos, body *ir.Block, index *ir.Value, trips int64, gathers bool) *cut {
	whole := body.Ops
	checks, ok := checksIn(body)
	if !ok {
		return nil
	}
	var question *versioning.Question
	guarded := accessesIn(checks)
	if len(checks) > 0 {
		// The body without checks is split. It has the original values, which r describes; the body with the checks is a clone.
		whole = ir.NewCloner(map[*ir.Value]*ir.Value{}).List(body.Ops)
		versioning.DropChecks(body, setOf(checks))
		if question = versioning.QuestionOf(body, checks); question == nil {
			body.Ops = whole
			return nil
		}
	}
	if question != nil {
		dropDead(body, question.Needs)
	}
	c := &cut{distribution: newDistribution(r, pos, body, index, trips), question: question, checked: &ir.Block{Ops: whole}}
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

// checksIn returns the checks in b. It returns false if anything else there can fail.
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

// accessesIn returns the accesses that take place only if checks pass.
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

// after reports whether all these ops are in the last loop.
func (d *division) after(ops []*ir.Op) bool {
	return !slices.ContainsFunc(ops, func(o *ir.Op) bool { return d.work[o] != scatters })
}

// dropDead removes pure ops whose results nothing in b uses. It does not remove the ops for which but returns true, nor their operands.
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

// divide assigns each op to a loop. It reports whether the loops can run one after the other.
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
	if c.question != nil {
		c.storeLast()
	}
	for o, p := range c.places {
		if p.far && c.work[o] == computes && !gathers {
			return false
		}
	}
	return (stores == 0 || c.sink()) && c.keepsOrder()
}

// copyGaps assigns loads with a stride to a loop before the others, if there are bytes between their places that the body does not load.
// LLVM would load these bytes, too, and leave the last vector of each strip to a loop of single iterations, since there may be no memory
// behind the last place.
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

// strides reports whether the address of o changes from iteration to iteration.
func (f *facts) strides(o *ir.Op) bool {
	stride, _ := f.r.Stride(o.Args[0], f.index, f.depends)
	return stride != 0
}

// storeLast assigns all stores to the last loop. What is stored at linear addresses is still computed in the vector loop, as far as
// possible.
func (c *cut) storeLast() {
	c.pinned = map[*ir.Op]bool{}
	last := map[*ir.Op]bool{}
	for _, o := range c.ops {
		last[o] = c.work[o] == scatters
	}
	for _, o := range c.ops {
		if o.Code == ir.OpStore && !last[o] {
			c.work[o] = scatters
			if def := o.Args[1].Def; def != nil && !last[def] {
				c.pinned[def] = true
			}
		}
	}
}

// sink assigns the ops behind the cheapest cut to the last loop. It reports whether there is a cut.
func (c *cut) sink() bool {
	n := len(c.ops)
	from, to := 2*n, 2*n+1
	g := mincut.New(2*n + 2)
	for i, o := range c.ops {
		switch _, access := c.places[o]; {
		case c.work[o] == scatters:
			g.Edge(i, to, mincut.Never)
		case access || c.pinned[o] || c.question != nil && c.question.Needs(o):
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

// handing returns the cost of transferring the result of o.
func handing(o *ir.Op) int64 {
	switch {
	case len(o.Results) == 0:
		return 0
	case len(o.Results) > 1 || o.Results[0].Type.Kind == ir.Ptr || o.Results[0].Type.Kind == ir.Bool || isConstant(o):
		return mincut.Never
	}
	return costOfHanding * max(1, int64(o.Results[0].Type.Kind.Size())/4)
}

// keepsOrder reports whether the loops preserve the order of any two accesses that may be to one place, if one of them is a store.
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

// pays reports whether there is enough computation for vectors.
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
	return len(c.slot) > 0 && work >= fewestPerTransfer*(len(c.slot)+reads) && c.bytes(c.trips) <= mostTransferredBytes
}

// write appends the loops.
func (c *cut) write(b *ir.Builder) {
	b.Pos = c.pos
	c.allocate(b)
	if c.count(collects) > 0 {
		c.loop(b, collects, (*phase).body)
	}
	if c.question == nil {
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
		for _, r := range c.question.Reaches {
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
