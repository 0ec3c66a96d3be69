package pass

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// cse shares common subexpressions.
//
// Input and output: any form. If two pure ops have the same operands and attributes, and the result of the first is visible at the
// second, the second is dropped. Operands of commutative ops may be in either order. The remaining op keeps the flag NoWrap only
// if both ops had it, since it is a promise about both places. cse returns the number of values that it replaced.
func cse(s *state, u *unit.Unit) int {
	n := 1
	for _, b := range u.Blocks {
		n = ir.NumberBlock(b, n)
	}
	c := &sharer{subst: unit.Subst{}, chain: make(map[uint64]int32, n)}
	if u.Task == nil && s.k.Parts != nil {
		c.linked = s.k.Body
	}
	for _, b := range u.Blocks {
		mark := len(c.known)
		c.block(b)
		if !u.IsPrologue(b) {
			c.forget(mark)
		}
	}
	return len(c.subst)
}

// cseFunctions shares common subexpressions within the functions that tasks call, for a target where nothing else does.
func cseFunctions(s *state) {
	for _, f := range s.k.Funcs {
		cse(s, &unit.Unit{Blocks: []*ir.Block{f.Body}})
	}
}

// A sharer visits the code with the expressions visible where it is.
type sharer struct {
	subst unit.Subst
	known []expr
	chain map[uint64]int32 // by hash: one plus the index in known of the latest expression
	loop  *ir.Op           // the parallel loop around; nil in serial code

	linked *ir.Block // the body of a linked kernel; nil for others
}

// An expr is a pure op whose result is visible at the current point of the visit.
type expr struct {
	op   *ir.Op
	loop *ir.Op // of an ordinal: the parallel loop around it, whose number it is
	hash uint64
	next int32 // one plus the index of the previous expression with this hash
}

// block shares expressions within b and its regions. The caller removes the expressions that b adds.
func (c *sharer) block(b *ir.Block) {
	kept := b.Ops[:0]
	begin, returns := len(c.known), false
	for _, o := range b.Ops {
		if o.Code == ir.OpPart && returns { // what stands behind the return may not have been computed
			c.forget(begin)
			returns = false
		}
		returns = returns || b == c.linked && unit.HasOp(ir.OpReturn, o)
		c.subst.Args(o)
		if !c.shared(o) {
			kept = append(kept, o)
		}
		outer := c.loop
		if o.IsParallel() {
			c.loop = o
		}
		for _, r := range o.Regions {
			mark := len(c.known)
			c.block(r)
			c.forget(mark)
		}
		c.loop = outer
	}
	b.Ops = unit.Cut(b.Ops, kept)
}

func (c *sharer) forget(mark int) {
	for i := len(c.known) - 1; i >= mark; i-- {
		c.chain[c.known[i].hash] = c.known[i].next
	}
	c.known = c.known[:mark]
}

// shared reports whether an earlier op computes the same as o, and notes the replacements of o's results. Otherwise it records o.
func (c *sharer) shared(o *ir.Op) bool {
	if !o.Code.Is(ir.Pure) || len(o.Results) == 0 {
		return false
	}
	h := hash(o)
	latest := c.chain[h]
	var loop *ir.Op
	if o.Code == ir.OpOrdinal {
		loop = c.loop
	}
	for i := latest; i != 0; i = c.known[i-1].next {
		if first := c.known[i-1]; first.loop == loop && serves(first.op, o) {
			c.replace(o, first.op)
			return true
		}
	}
	c.known = append(c.known, expr{o, loop, h, latest})
	c.chain[h] = int32(len(c.known))
	return false
}

func (c *sharer) replace(o, first *ir.Op) {
	if !o.Flags.Has(ir.NoWrap) {
		first.Flags &^= ir.NoWrap
	}
	c.subst.All(o.Results, first.Results)
	for i, r := range first.Results {
		if r.Name == "" {
			r.Name = o.Results[i].Name
		}
	}
}

// hash mixes the attributes that make ops the same, except flags, kinds and rare attributes. The order of the operands of a
// commutative op does not matter.
func hash(o *ir.Op) uint64 {
	h := uint64(o.Code)<<32 ^ uint64(o.Results[0].Type.Kind)<<16 ^ uint64(o.Aux)
	h = (h ^ o.Bits) * 0x9E3779B97F4A7C15
	if o.Code.Is(ir.Commutative) {
		a, b := uint64(o.Args[0].ID), uint64(o.Args[1].ID)
		return (h ^ (a + b) ^ a*b<<20) * 0x9E3779B97F4A7C15
	}
	for _, a := range o.Args {
		h = (h ^ h>>29 ^ uint64(a.ID)) * 0x9E3779B97F4A7C15
	}
	return h
}

// serves reports whether the results of first can replace those of o. A place proved in range can replace one that is not.
func serves(first, o *ir.Op) bool {
	ff, of := first.Flags&^ir.NoWrap, o.Flags&^ir.NoWrap
	if o.Code.Info().Rule == ir.RulePtr {
		of |= ff & ir.InBounds
	}
	if first.Code != o.Code || ff != of || first.Results[0].Type != o.Results[0].Type || first.Kind != o.Kind ||
		first.Aux != o.Aux || first.Bits != o.Bits || first.Stride != o.Stride || first.Field != o.Field || first.Table != o.Table ||
		first.Param != o.Param || first.Func != o.Func || len(first.Args) != len(o.Args) {
		return false
	}
	if o.Code.Is(ir.Commutative) && first.Args[0] == o.Args[1] && first.Args[1] == o.Args[0] {
		return true
	}
	for i, a := range first.Args {
		if a != o.Args[i] {
			return false
		}
	}
	return true
}
