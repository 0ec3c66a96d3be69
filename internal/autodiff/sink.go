package autodiff

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
)

// What one branch of an if uses alone has an adjoint there only: pairs of balls that do not touch give each other
// nothing, though how far apart they are is computed before the if. So the backward pass through the ops before such
// an if is taken in that branch. In a serial loop this saves atomics; elsewhere a branch might cost more than it
// saves, since loops without branches become vectors.

// sunk returns the number of the first of the ops before ops[at], an if, whose backward pass belongs into the branch
// that has one; at if there are none.
func (r *reverser) sunk(ops []*ir.Op, at int) int {
	o := ops[at]
	if r.without.Has(option.Sink) || !r.inSerial(o) || r.idle(o, 0) == r.idle(o, 1) {
		return at
	}
	first, works := at, false
	for n := at - 1; n >= 0 && r.sinks(ops[n]); n-- {
		if r.works(ops[n]) {
			first, works = n, true
		}
	}
	if !works {
		return at
	}
	return first
}

// inSerial reports whether o stands in a serial loop.
func (f *facts) inSerial(o *ir.Op) bool {
	for l := f.inside[o]; l != nil; l = f.inside[l] {
		if l.Code == ir.OpFor || l.Code == ir.OpLoop {
			return true
		}
	}
	return false
}

// idle reports whether the backward pass has nothing to do in a region of an if, and takes nothing from its results.
func (f *facts) idle(o *ir.Op, region int) bool {
	b := o.Regions[region]
	if slices.ContainsFunc(b.Ops, f.works) {
		return false
	}
	for i, v := range b.Terminator().Args {
		if f.active(o.Results[i]) && f.active(v) {
			return false
		}
	}
	return true
}

// sinks reports whether the backward pass through o does nothing where the adjoints of its results are zero, as they
// are so far.
func (r *reverser) sinks(o *ir.Op) bool {
	if slices.ContainsFunc(o.Results, func(v *ir.Value) bool { return r.adj.of[v] != nil }) {
		return false
	}
	if !r.works(o) {
		return true
	}
	plain := true
	ir.Visit(&ir.Block{Ops: []*ir.Op{o}}, func(p *ir.Op) bool {
		switch p.Code {
		case ir.OpStore, ir.OpAtomic, ir.OpFor, ir.OpLoop, ir.OpParFor, ir.OpFieldFor:
			plain = plain && !r.works(p)
		}
		return plain
	})
	return plain
}
