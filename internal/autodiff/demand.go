package autodiff

import "github.com/gotaichi/ti/internal/ir"

// A demand marks values together with all that they are computed of, and loops that run again as a whole. Two of them
// use the same rules: what the backward pass through the kernel wants ([facts]), and what that through one iteration
// wants ([wanted]).
type demand interface {
	want(vs ...*ir.Value)
	wantWhole(loop *ir.Op)
}

// demandCauses marks what the result v of an op follows from.
func demandCauses(d demand, v *ir.Value) {
	switch o := v.Def; o.Code {
	case ir.OpIf:
		d.want(o.Args[0])
		for _, r := range o.Regions {
			d.want(r.Terminator().Args[v.Index])
		}
	case ir.OpFor, ir.OpLoop:
		d.wantWhole(o)
		on, _ := next(o)
		d.want(on[v.Index])
	default:
		d.want(o.Args...)
	}
}

// demandWrite marks what an op takes that writes to an array, or a loop, and what decides whether it runs: all that
// stands around within the iteration of a loop, or in the kernel if loop is nil.
func (f *facts) demandWrite(d demand, write, loop *ir.Op) {
	d.want(write.Args...)
	for o := f.inside[write]; o != nil && o != loop; o = f.inside[o] {
		switch o.Code {
		case ir.OpIf:
			d.want(o.Args[0])
		case ir.OpFor, ir.OpLoop:
			d.wantWhole(o)
		}
	}
}
