package autodiff

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/site"
)

// checkNaN emits a check of what o gives back, p, for the adjoint d of its result, if that is asked for.
func (r *reverser) checkNaN(o *ir.Op, d, p *ir.Value) {
	if !r.CheckNaN || p == nil {
		return
	}
	ok := r.b.Op(ir.OpOr, r.b.Op(ir.OpNot, r.b.Op(ir.OpIsNaN, p)), r.b.Op(ir.OpIsNaN, d))
	text := []site.Piece{{Text: "the way back through " + o.Code.String() + "("}}
	args := []*ir.Value{}
	for i, a := range o.Args {
		v := r.of(a)
		if v.Type.Kind.IsFloat() {
			ok = r.b.Op(ir.OpOr, ok, r.b.Op(ir.OpIsNaN, v))
		}
		if i > 0 {
			text = append(text, site.Piece{Text: ", "})
		}
		text = append(text, site.Piece{Verb: "%v", Kind: v.Type.Kind})
		args = append(args, v)
	}
	text = append(text, site.Piece{Text: "): its derivative, times "}, site.Piece{Verb: "%v", Kind: d.Type.Kind}, site.Piece{Text: ", is not a number"})
	number := int64(len(r.sites))
	r.sites = append(r.sites, &ir.Site{Pos: r.b.Pos, Site: site.Site{Kind: site.NaN, Text: text}})
	r.when(r.b.Op(ir.OpNot, ok), func() {
		fail := ir.NewOp(ir.OpFail, r.b.Pos, nil)
		for _, v := range append(args, d) {
			fail.Args = append(fail.Args, r.b.Slot(v))
		}
		fail.Aux = number
		r.b.Emit(fail)
	})
}
