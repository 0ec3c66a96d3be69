package packet

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// This file makes variables of the prologue, to which iterations add, values that a loop carries: a loop of vectors then keeps them in
// registers. The loop loads a variable before its first iteration, and stores it after its last one.

// A variables holds the values of variables while the body of a loop is rewritten.
type variables struct {
	number map[*ir.Value]int // of a variable, by its address
	places []*ir.Value
	access []*ir.Op    // a load or store of each variable
	now    []*ir.Value // the current value of each
	subst  map[*ir.Value]*ir.Value
}

// registers rewrites a loop in the body of t whose variables are loaded and stored only in its own block, in conditions and in loops without
// jumps. Other variables stay in memory.
func registers(t *ir.Task, loop *ir.Op) {
	if t.Prologue == nil || !endsAtEnd(loop) {
		return
	}
	v := &variables{number: map[*ir.Value]int{}, subst: map[*ir.Value]*ir.Value{}}
	users := usersOf(t)
	for _, o := range t.Prologue.Ops {
		if o.Code == ir.OpAlloc && o.Aux == 1 {
			v.find(o.Results[0], loop, users)
		}
	}
	if len(v.places) == 0 {
		return
	}
	b := ir.NewBuilder(&ir.Block{})
	b.Pos = loop.Pos
	for i, p := range v.places {
		load := b.Load(ir.Scalar(accessKind(v.access[i])), p)
		load.Def.Alias = v.access[i].Alias
		loop.Args = append(loop.Args, load)
		v.now = append(v.now, loop.Regions[0].AddParam(load.Type, ""))
	}
	v.block(loop.Regions[0])
	last := loop.Regions[0].Terminator()
	last.Args = append(last.Args, v.now...)
	after := ir.NewBuilder(&ir.Block{})
	after.Pos = loop.Pos
	for i, p := range v.places {
		r := &ir.Value{Type: v.now[i].Type, Def: loop, Index: len(loop.Results)}
		loop.Results = append(loop.Results, r)
		after.Store(p, r)
		after.Block.Ops[i].Alias = v.access[i].Alias
	}
	around := blockOf(t.Body, loop)
	i := slices.Index(around.Ops, loop)
	around.Ops = slices.Concat(around.Ops[:i], b.Block.Ops, []*ir.Op{loop}, after.Block.Ops, around.Ops[i+1:])
}

// blockOf returns the block in b, or b, that has o.
func blockOf(b *ir.Block, o *ir.Op) *ir.Block {
	if slices.Contains(b.Ops, o) {
		return b
	}
	for _, p := range b.Ops {
		for _, r := range p.Regions {
			if found := blockOf(r, o); found != nil {
				return found
			}
		}
	}
	return nil
}

// find adds the variable at a place if the loop stores to it, and only in blocks that are left at their ends.
func (v *variables) find(place *ir.Value, loop *ir.Op, users map[*ir.Value][]*ir.Op) {
	for _, o := range users[place] {
		if o.Code != ir.OpLoad && o.Code != ir.OpStore || o.Args[0] != place || len(o.Args) > 2 {
			return
		}
	}
	inside, ok := accessesIn(loop.Regions[0], place)
	stored := slices.IndexFunc(inside, func(o *ir.Op) bool { return o.Code == ir.OpStore })
	if !ok || stored < 0 {
		return
	}
	v.number[place] = len(v.places)
	v.places, v.access = append(v.places, place), append(v.access, inside[stored])
}

// accessesIn returns the accesses to a place in a block of a loop. It is not ok if one of them is in a block that may be left by a jump.
func accessesIn(b *ir.Block, place *ir.Value) (all []*ir.Op, ok bool) {
	for _, o := range b.Ops {
		if (o.Code == ir.OpLoad || o.Code == ir.OpStore) && o.Args[0] == place {
			all = append(all, o)
		}
		for _, r := range o.Regions {
			inside, ok := accessesIn(r, place)
			if !ok || len(inside) > 0 && o.Code != ir.OpIf && (o.Code != ir.OpFor || !endsAtEnd(o)) {
				return nil, false
			}
			all = append(all, inside...)
		}
	}
	last := b.Terminator()
	return all, len(all) == 0 || last.Code == ir.OpYield || last.Code == ir.OpContinue && last.Target == b.Parent
}

// endsAtEnd reports whether each iteration of a loop runs to the end of its body.
func endsAtEnd(loop *ir.Op) bool {
	jumps := 0
	ir.Visit(loop.Regions[0], func(o *ir.Op) bool {
		if o.Target == loop {
			jumps++
		}
		return true
	})
	last := loop.Regions[0].Terminator()
	return jumps == 1 && last.Code == ir.OpContinue && last.Target == loop
}

// block rewrites the ops of b.
func (v *variables) block(b *ir.Block) {
	ops := make([]*ir.Op, 0, len(b.Ops))
	for _, o := range b.Ops {
		for i, a := range o.Args {
			o.Args[i] = ir.Resolve(v.subst, a)
		}
		if n, is := v.variable(o); is {
			if o.Code == ir.OpLoad {
				v.subst[o.Results[0]] = v.now[n]
			} else {
				v.now[n] = o.Args[1]
			}
			continue
		}
		switch stored := v.storedIn(o); {
		case o.Code == ir.OpIf && len(stored) > 0:
			v.branch(o, stored)
		case o.Code == ir.OpFor && len(stored) > 0:
			v.loop(o, stored)
		default:
			for _, r := range o.Regions {
				v.block(r)
			}
		}
		ops = append(ops, o)
	}
	b.Ops = ops
}

// variable returns the number of the variable that o loads or stores.
func (v *variables) variable(o *ir.Op) (n int, is bool) {
	if o.Code != ir.OpLoad && o.Code != ir.OpStore {
		return 0, false
	}
	n, is = v.number[o.Args[0]]
	return n, is
}

// storedIn returns the numbers of the variables that the regions of o store to.
func (v *variables) storedIn(o *ir.Op) (stored []int) {
	for _, r := range o.Regions {
		ir.Visit(r, func(p *ir.Op) bool {
			if n, is := v.variable(p); is && p.Code == ir.OpStore && !slices.Contains(stored, n) {
				stored = append(stored, n)
			}
			return true
		})
	}
	slices.Sort(stored)
	return stored
}

// branch gives an if a result for each variable that it stores to.
func (v *variables) branch(o *ir.Op, stored []int) {
	before := slices.Clone(v.now)
	for _, r := range o.Regions {
		copy(v.now, before)
		v.block(r)
		if last := r.Terminator(); last.Code == ir.OpYield {
			for _, n := range stored {
				last.Args = append(last.Args, v.now[n])
			}
		}
	}
	copy(v.now, before)
	v.results(o, stored)
}

// loop carries the variables that a loop stores to.
func (v *variables) loop(o *ir.Op, stored []int) {
	body := o.Regions[0]
	before := slices.Clone(v.now)
	for _, n := range stored {
		o.Args = append(o.Args, v.now[n])
		v.now[n] = body.AddParam(v.now[n].Type, "")
	}
	v.block(body)
	last := body.Terminator()
	for _, n := range stored {
		last.Args = append(last.Args, v.now[n])
	}
	copy(v.now, before)
	v.results(o, stored)
}

// results adds results for the variables to o.
func (v *variables) results(o *ir.Op, stored []int) {
	for _, n := range stored {
		r := &ir.Value{Type: v.now[n].Type, Def: o, Index: len(o.Results)}
		o.Results = append(o.Results, r)
		v.now[n] = r
	}
}
