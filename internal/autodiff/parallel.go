package autodiff

import (
	"fmt"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/site"
)

// forwardParallel emits a parallel loop if it computes variables of the kernel that are needed, and keeps
// what its way back reads and later code overwrites.
func (r *reverser) forwardParallel(o *ir.Op) {
	if r.works(o) {
		s := &stack{kept: r.kept[o]}
		if s.kept == nil {
			s.kept = &kept{}
		}
		r.snapshot(o, s)
		r.tellCopies(o, s)
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
		r.fail(o, "a serial loop over active cells has no way back in order; loop over a range")
		return
	}
	r.claims(o, false)
	groups := r.gatherings(o)
	r.tellGathered(o, groups)
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
	r.parallel = o
	r.within(func() {
		r.body(o, func() {
			r.recall(r.frame.up.stacks[o])
			r.forward(inner(o))
			r.reverse(inner(o))
			for i, v := range outside {
				if d := r.adj.of[v]; d != nil {
					r.b.Atomic(ir.AtomicAdd, r.cell(sums[i], r.b.Int(ir.Scalar(ir.I32), 0)), d)
				}
			}
		})
	})
	r.parallel = nil
	r.adj = outer
	for i, v := range outside {
		r.add(v, r.b.Load(v.Type, r.cell(sums[i], r.b.Int(ir.Scalar(ir.I32), 0))))
	}
}

// overflow fails the launch: a loop has more iterations than can be kept.
func (r *reverser) overflow(s *stack) {
	bytes := int64(0)
	for _, it := range s.items {
		bytes += it.size * int64(it.kind().Size())
	}
	o := ir.NewOp(ir.OpFail, r.b.Pos, nil)
	o.Aux = int64(len(r.sites))
	text := fmt.Sprintf("the way back through this loop needs values of each iteration, %d bytes, and has room for %d iterations and no more;"+
		" let it compute less at once, see Runtime.Checkpoint", bytes, s.entries*s.entries)
	r.sites = append(r.sites, &ir.Site{Pos: r.b.Pos, Site: site.Site{Kind: site.Assert, Text: []site.Piece{{Text: text}}}})
	r.b.Emit(o)
}
