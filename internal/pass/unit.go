package pass

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// A unit is what most passes work on at a time: the body of a kernel, or a task
// with its three blocks. Values of the first block are visible in the others.
type unit struct {
	task   *ir.Task    // nil for the body of a kernel
	blocks []*ir.Block // in order; of a task see ir.Task.Blocks
}

// units returns the units of the kernel in order.
func (s *state) units() []*unit {
	if s.k.Body != nil {
		return []*unit{{blocks: []*ir.Block{s.k.Body}}}
	}
	us := make([]*unit, 0, len(s.k.Tasks))
	for _, t := range s.k.Tasks {
		us = append(us, &unit{task: t, blocks: t.Blocks()})
	}
	return us
}

// each makes a pass of a function that sees one unit at a time.
func each(f func(*state, *unit)) func(*state) {
	return func(s *state) {
		for _, u := range s.units() {
			f(s, u)
		}
	}
}

// eachTask makes a pass of a function that sees one task at a time. Tasks that f
// appends are not visited.
func eachTask(f func(*state, *ir.Task)) func(*state) {
	return func(s *state) {
		for _, t := range slices.Clone(s.k.Tasks) {
			f(s, t)
		}
	}
}

// walk calls f for every op of the unit, an op before those in its regions.
func (u *unit) descent(f func(*ir.Op)) {
	for _, b := range u.blocks {
		ir.Visit(b, func(o *ir.Op) bool {
			f(o)
			return true
		})
	}
}

// hasOp reports whether there is an op of a code among ops, at any depth.
func hasOp(code ir.Code, ops ...*ir.Op) bool {
	for _, o := range ops {
		if o.Code == code {
			return true
		}
		for _, r := range o.Regions {
			if hasOp(code, r.Ops...) {
				return true
			}
		}
	}
	return false
}

// A subst maps values to those that take their place.
type subst map[*ir.Value]*ir.Value

// of returns what stands for v.
func (s subst) of(v *ir.Value) *ir.Value {
	for {
		w, ok := s[v]
		if !ok {
			return v
		}
		v = w
	}
}

// args replaces the operands of o. Op operands may share an array with those of
// another op, so a change makes a new one.
func (s subst) args(o *ir.Op) {
	for i, a := range o.Args {
		w := s.of(a)
		if w == a {
			continue
		}
		fresh := make([]*ir.Value, len(o.Args))
		copy(fresh, o.Args[:i])
		for j := i; j < len(fresh); j++ {
			fresh[j] = s.of(o.Args[j])
		}
		o.Args = fresh
		return
	}
}

// all puts each of to in the place of the value of from at its index.
func (s subst) all(from, to []*ir.Value) {
	for i, f := range from {
		if f != to[i] {
			s[f] = to[i]
		}
	}
}

// isPrologue reports whether what b defines is visible in the blocks after it.
func (u *unit) isPrologue(b *ir.Block) bool { return u.task != nil && b == u.task.Prologue }

// cut returns kept, a prefix of the array of ops, and clears what lies behind it
// so that dropped ops can be freed.
func cut(ops, kept []*ir.Op) []*ir.Op {
	clear(ops[len(kept):])
	return kept
}
