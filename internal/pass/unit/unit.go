package unit

import (
	"github.com/gotaichi/ti/internal/ir"
)

// A Unit is what most passes work on at a time: the body of a kernel, or a task
// with its three blocks. Values of the first block are visible in the others.
type Unit struct {
	Task   *ir.Task    // nil for the body of a kernel
	Blocks []*ir.Block // in order; of a task see ir.Task.Blocks
}

// Descent calls f for every op of the unit, an op before those in its regions.
func (u *Unit) Descent(f func(*ir.Op)) {
	for _, b := range u.Blocks {
		ir.Visit(b, func(o *ir.Op) bool {
			f(o)
			return true
		})
	}
}

// Size returns the number of ops in the unit.
func (u *Unit) Size() int {
	n := 0
	for _, b := range u.Blocks {
		n += b.Size()
	}
	return n
}

// Within calls f for o and the ops in it, as [ir.Visit] does.
func Within(o *ir.Op, f func(*ir.Op) bool) { ir.Visit(&ir.Block{Ops: []*ir.Op{o}}, f) }

// HasOp reports whether there is an op of a code among ops, at any depth.
func HasOp(code ir.Code, ops ...*ir.Op) bool {
	for _, o := range ops {
		if o.Code == code {
			return true
		}
		for _, r := range o.Regions {
			if HasOp(code, r.Ops...) {
				return true
			}
		}
	}
	return false
}

// A Subst maps values to their replacements.
type Subst map[*ir.Value]*ir.Value

// Of returns the replacement of v, or v.
func (s Subst) Of(v *ir.Value) *ir.Value {
	for {
		w, ok := s[v]
		if !ok {
			return v
		}
		v = w
	}
}

// Args replaces the operands of o. Op operands may share an array with those of
// another op, so a change makes a new one.
func (s Subst) Args(o *ir.Op) {
	for i, a := range o.Args {
		w := s.Of(a)
		if w == a {
			continue
		}
		fresh := make([]*ir.Value, len(o.Args))
		copy(fresh, o.Args[:i])
		for j := i; j < len(fresh); j++ {
			fresh[j] = s.Of(o.Args[j])
		}
		o.Args = fresh
		return
	}
}

// All maps each value of from to the value of to at the same index.
func (s Subst) All(from, to []*ir.Value) {
	for i, f := range from {
		if f != to[i] {
			s[f] = to[i]
		}
	}
}

// IsPrologue reports whether the values that b defines are visible in the blocks after it.
func (u *Unit) IsPrologue(b *ir.Block) bool { return u.Task != nil && b == u.Task.Prologue }

// Cut returns kept, a prefix of the array of ops, and clears the rest of the array, so that dropped ops can be freed.
func Cut(ops, kept []*ir.Op) []*ir.Op {
	clear(ops[len(kept):])
	return kept
}
