package autodiff

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// forwardParallel emits a parallel loop if it computes variables of the kernel that are needed, and keeps
// what its backward pass reads and later code overwrites.
func (r *reverser) forwardParallel(o *ir.Op) {
	if r.works(o) {
		s := &stack{kept: r.kept[o]}
		if s.kept == nil {
			s.kept = &kept{}
		}
		r.snapshot(o, s)
		r.noteCopies(o, s)
		r.frame.stacks[o] = s
	}
	sums := slices.ContainsFunc(r.arrays, func(a *array) bool {
		return a.needed && !r.contains(o, a.alloc) && slices.ContainsFunc(a.writes, func(w *ir.Op) bool { return r.contains(o, w) })
	})
	if sums {
		keep := r.keep
		r.keep, r.parallel = false, o
		r.body(o, func() { r.forward(inner(o)) })
		r.keep, r.parallel = keep, nil
	}
	if r.sweeping() {
		r.claims(o, true)
	}
}

// body emits a parallel loop like o.
func (r *reverser) body(o *ir.Op, f func()) {
	c := *o
	c.Args, c.Results = r.all(o.Args), nil
	c.Regions = []*ir.Block{{Parent: &c}}
	r.b.Emit(&c)
	r.region(&c, 0, func() {
		for _, p := range o.Regions[0].Params {
			r.set(p, c.Regions[0].AddParam(p.Type, p.Name))
		}
		f()
		r.b.Pos = o.Pos
		r.b.Jump(ir.OpContinue, &c)
	})
}

// reverseParallel emits the same loop, each iteration of which goes back. What it adds to the adjoints of values from
// outside is summed in variables of the kernel.
func (r *reverser) reverseParallel(o *ir.Op) {
	if o.Flags.Has(ir.Serial) {
		if what := r.fromCellToCell(o); what != "" {
			r.fail(o, "%s from one iteration to the next of a serial loop over active cells without bounds, whose backward pass would need their reverse order; give the hash node sizes, or make the loop parallel", what)
			return
		}
	}
	r.claims(o, false)
	groups, small := r.gatherings(o)
	r.checkSmall(o, small)
	r.noteGathered(o, groups)
	r.settle(o, groups)
	for _, a := range groups {
		r.gather(o, a)
	}
	for _, a := range groups {
		for _, p := range a.parts {
			for load := range p.loads {
				r.gathered[load] = true
			}
		}
	}
	outside := r.usedFrom(o)
	sums := make([]*ir.Value, len(outside))
	for i, v := range outside {
		sums[i] = r.array(v.Type.Kind, 1, false)
	}
	outer := r.adj
	r.adj = newAdjoints()
	r.iterationsBack(o, func() {
		for i, v := range outside {
			if d := r.adj.of[v]; d != nil {
				old := r.b.Atomic(ir.AtomicAdd, r.cell(sums[i], r.b.Int(ir.Scalar(ir.I32), 0)), d)
				if r.CheckNaN {
					r.plus(old, d)
				}
			}
		}
	})
	r.parallel = o
	r.silenceShared(o)
	r.parallel = nil
	r.adj = outer
	for i, v := range outside {
		r.add(v, r.b.Load(v.Type, r.cell(sums[i], r.b.Int(ir.Scalar(ir.I32), 0))))
	}
}

// iterationsBack emits a loop like o whose iterations go back, and end with what end emits.
func (r *reverser) iterationsBack(o *ir.Op, end func()) {
	r.parallel = o
	r.within(func() {
		r.body(o, func() {
			r.recall(r.frame.up.stacks[o])
			r.forward(inner(o))
			r.reverse(inner(o))
			end()
		})
	})
	r.parallel = nil
}

// fromCellToCell says what goes from one iteration to another of a serial loop over active cells. If it is nothing,
// the backward pass may take the iterations in any order.
func (f *facts) fromCellToCell(o *ir.Op) (what string) {
	read, written := map[*ir.Field]bool{}, map[*ir.Field]bool{}
	ir.Visit(o.Regions[0], func(p *ir.Op) bool {
		if f.old[p] || f.extrema[p] != nil {
			what = "the order of accumulations goes"
		}
		if p.Code != ir.OpLoad && p.Code != ir.OpStore && p.Code != ir.OpAtomic {
			return true
		}
		if a := f.arrayAt(p); a != nil {
			if p.Code != ir.OpLoad && !f.contains(o, a.alloc) {
				what = "the variable " + a.alloc.Results[0].Name + " goes"
			}
		} else if d := p.Args[0].Def; d != nil && d.Code == ir.OpPtr && f.grad[d.Field] != nil {
			read[d.Field] = read[d.Field] || p.Code == ir.OpLoad
			written[d.Field] = written[d.Field] || p.Code != ir.OpLoad
			if read[d.Field] && written[d.Field] {
				what = "what is stored in " + d.Field.Name + " may go"
			}
		}
		return true
	})
	return what
}
