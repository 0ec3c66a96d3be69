package packet

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/target"
)

// This file finds out how the lanes of a loop of vectors differ, and what its iterations have to do with each other.

// surveyLoop finds the values that vary between the iterations of a loop in t.
func surveyLoop(t *ir.Task, loop *ir.Op, machine target.Traits, opts option.Options) *packetInfo {
	ir.NumberBlock(t.Body, numbered(t.Prologue))
	a := &packetInfo{t: t, r: analysis.RangesOf(t, opts.Without), index: loop.Regions[0].Params[0], users: usersOf(t), alone: true,
		varying: map[*ir.Value]bool{}, leaves: map[*ir.Op]bool{}, strides: map[*ir.Op]int64{}, gathers: map[*ir.Op]bool{}, byLane: map[*ir.Op]bool{}, totals: map[*ir.Op]bool{},
		scatters: true, masks: machine.Provides(target.Masks), ordered: opts.Strict || opts.Deterministic, strict: opts.Strict, widest: 4}
	a.parent = map[*ir.Op]*ir.Op{}
	ir.Visit(loop.Regions[0], func(o *ir.Op) bool {
		for _, r := range o.Regions {
			a.parent[r.Terminator()] = o
		}
		return true
	})
	a.vary(loop.Regions[0].Params...)
	a.findSums()
	a.findArraysIn(loop.Regions[0])
	a.findUpdates()
	for n := -1; n != len(a.varying)+len(a.leaves); {
		n = len(a.varying) + len(a.leaves)
		a.spread(loop.Regions[0], false)
	}
	return a
}

// numbered numbers the values of a prologue, which may be missing, and returns the next number.
func numbered(prologue *ir.Block) int {
	if prologue == nil {
		return 0
	}
	return ir.NumberBlock(prologue, 0)
}

// accessAlone finds the stride between the places of neighbouring lanes, for a target that makes no vectors by itself, or says why vectors
// cannot make the access.
func (a *packetInfo) accessAlone(o *ir.Op) (why note.Reason, ok bool) {
	if a.sums[o] != nil || a.arrays[rootOf(o.Args[0])] != nil {
		return 0, true
	}
	u := a.updates[o]
	if u == nil && isCopy(a.t, o.Args[0]) {
		return note.SharedByLanes, false
	}
	stride, linear := a.r.Stride(o.Args[0], a.index, a.varying)
	a.strides[o] = stride
	switch {
	case linear && stride != 0:
	case u != nil && linear && a.addsUp(u):
		for _, part := range u.ops {
			a.totals[part] = true
		}
	case u != nil:
		a.byLane[o] = true
	case linear && o.Code == ir.OpLoad: // all lanes load one number
		delete(a.varying, o.Results[0])
	case linear:
		return note.SharedByLanes, false
	default:
		a.gathers[o] = true
	}
	return 0, true
}

// dependence returns an access by which an iteration of a serial loop may depend on another one; nil if there is none. A store is
// independent of another access if the two are to different memory, or always as far apart in one iteration as a fraction of the stride of
// both.
func (a *packetInfo) dependence(loop *ir.Op) (found *ir.Op) {
	var accesses []*ir.Op
	ir.Visit(loop.Regions[0], func(o *ir.Op) bool {
		switch o.Code {
		case ir.OpLoad, ir.OpStore:
			if a.arrays[rootOf(o.Args[0])] == nil {
				accesses = append(accesses, o)
			}
		case ir.OpAtomic, ir.OpFail, ir.OpTally, ir.OpRecord:
			found = o
		}
		return found == nil
	})
	for _, s := range accesses {
		if s.Code != ir.OpStore || found != nil {
			continue
		}
		for _, o := range accesses {
			if analysis.ObjectOf(s).Overlaps(analysis.ObjectOf(o)) && !a.staysApart(s, o) {
				return s
			}
		}
	}
	return found
}

// staysApart reports whether the places of a store in any iteration, and those of another access in any other iteration, are different.
func (a *packetInfo) staysApart(s, o *ir.Op) bool {
	stride := a.strides[s]
	if stride == 0 || a.gathers[s] || a.gathers[o] || a.strides[o] != stride {
		return false
	}
	root, x := a.placeOf(s.Args[0])
	other, y := a.placeOf(o.Args[0])
	apart := y.Plus(x, -1)
	if root != other || len(apart.Terms) > 0 {
		return false
	}
	room := max(stride, -stride) - int64(max(accessKind(s).Size(), accessKind(o).Size()))
	return apart.C <= room && -apart.C <= room
}

// placeOf splits an address into a root and the distance from it.
func (a *packetInfo) placeOf(p *ir.Value) (root *ir.Value, x analysis.Linear) {
	for p.Def != nil && p.Def.Code == ir.OpOffset {
		x = x.Plus(a.r.LinearOf(p.Def.Args[1]), 1)
		p = p.Def.Args[0]
	}
	return p, x
}

// A chain is the values of a reduction in a loop: what the loop carries, and what is computed from that.
type chain struct {
	a     *packetInfo
	code  ir.Code
	in    map[*ir.Value]bool
	order []*ir.Value
	why   *note.Cause
}

// reduction returns the operation by which a loop reduces the value that it carries as number i, or says why it does not.
func (a *packetInfo) reduction(loop *ir.Op, i int) (ir.Code, *note.Cause) {
	c := &chain{a: a, in: map[*ir.Value]bool{}}
	v := loop.Regions[0].Params[i+1]
	c.add(v)
	var users []*ir.Op
	for n := 0; n < len(c.order) && c.why == nil; n++ {
		for _, o := range a.users[c.order[n]] {
			users = append(users, o)
			c.use(o, c.order[n], loop, i)
		}
	}
	for _, o := range users {
		if c.why == nil {
			c.check(o)
		}
	}
	last := loop.Regions[0].Terminator()
	switch {
	case c.why != nil:
	case !c.in[last.Args[i]], v.Type.Kind == ir.F16, v.Type.Kind == ir.Ptr:
		c.why = causeAt(note.CarriesValue, loop)
	case c.code == ir.BadCode && v.Type.Kind == ir.Bool: // the value stays as it is
		c.code = ir.OpAnd
	case c.code == ir.BadCode:
		c.code = ir.OpAdd
	case v.Type.Kind == ir.Bool && c.code == ir.OpXor:
		c.why = causeAt(note.CarriesValue, loop)
	case a.strict && v.Type.Kind.IsFloat():
		c.why = causeAt(note.SumInOrder, loop)
	}
	return c.code, c.why
}

// add notes that v belongs to the chain.
func (c *chain) add(v *ir.Value) {
	if !c.in[v] {
		c.in[v] = true
		c.order = append(c.order, v)
	}
}

// use follows v, a value of the chain, to what o makes of it.
func (c *chain) use(o *ir.Op, v *ir.Value, loop *ir.Op, number int) {
	switch o.Code {
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpMin, ir.OpMax, ir.OpAnd, ir.OpOr, ir.OpXor:
		code := o.Code
		if code == ir.OpSub && o.Args[0] == v {
			code = ir.OpAdd
		}
		switch {
		case o.Flags.Has(ir.Strict):
			c.why = causeAt(note.SumInOrder, o)
		case code == ir.OpSub || c.code != ir.BadCode && c.code != code:
			c.refuse(o)
		}
		c.code = code
		c.add(o.Results[0])
	case ir.OpSelect:
		if o.Args[0] == v {
			c.refuse(o)
		}
		c.add(o.Results[0])
	case ir.OpFor:
		for i, w := range o.Args {
			if w == v && i < 2 {
				c.refuse(o)
			} else if w == v {
				c.add(o.Regions[0].Params[i-1])
				c.add(o.Results[i-2])
			}
		}
	case ir.OpYield:
		c.yields(o, v)
	case ir.OpContinue:
		for i, w := range o.Args {
			if w == v && o.Target == loop && i != number {
				c.refuse(o)
			}
		}
	default:
		c.refuse(o)
	}
}

// yields follows v to the results of the if that o ends a region of.
func (c *chain) yields(o *ir.Op, v *ir.Value) {
	parent := c.a.parent[o]
	if parent == nil || parent.Code != ir.OpIf {
		c.refuse(o)
		return
	}
	for i, w := range o.Args {
		if w == v {
			c.add(parent.Results[i])
		}
	}
}

func (c *chain) refuse(o *ir.Op) { c.why = causeAt(note.CarriesValue, o) }

// check tests that the op o, which uses values of the chain, makes a value of the chain of one value of the chain, on all ways.
func (c *chain) check(o *ir.Op) {
	alike := true
	switch o.Code {
	case ir.OpSelect:
		alike = c.in[o.Args[1]] && c.in[o.Args[2]]
	case ir.OpYield:
		for i, r := range c.a.parent[o].Results {
			alike = alike && (!c.in[r] || c.in[o.Args[i]])
			for _, b := range c.a.parent[o].Regions {
				if y := b.Terminator(); y.Code == ir.OpYield {
					alike = alike && c.in[y.Args[i]] == c.in[r]
				}
			}
		}
	case ir.OpFor:
		for i, p := range o.Regions[0].Params[1:] {
			last := o.Regions[0].Terminator()
			alike = alike && c.in[p] == c.in[o.Args[i+2]] && (!c.in[p] || last.Code == ir.OpContinue && c.in[last.Args[i]])
		}
		ir.Visit(o.Regions[0], func(q *ir.Op) bool {
			alike = alike && (q.Target != o || q == o.Regions[0].Terminator())
			return alike
		})
	case ir.OpContinue:
	default:
		alike = c.in[o.Args[0]] != c.in[o.Args[1]]
	}
	if !alike {
		c.refuse(o)
	}
}
