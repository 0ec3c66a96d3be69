package lower

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/site"
	"github.com/gotaichi/ti/internal/typed"
)

// This file lowers statements that report to the host: print, printf and assert.

// print lowers text output to a record of the components that it writes.
func (l *lowerer) print(e *typed.Output) {
	vals := l.textValues(e.Format, e.Args)
	l.at(e.Pos)
	o := ir.NewOp(ir.OpRecord, l.b.Pos, nil, vals...)
	o.Aux = l.site(site.Site{Kind: site.Print, Text: pieces(e.Format)})
	l.b.Emit(o)
}

// assert lowers an assertion to a branch around a failure.
func (l *lowerer) assert(e *typed.Assert) {
	ok := l.expr(e.Cond)[0]
	vals := l.textValues(e.Format, e.Args)
	l.at(e.Pos)
	l.require(ok, site.Site{Kind: site.Assert, Text: pieces(e.Format)}, vals...)
}

// require appends a branch that fails at a site unless ok; vals are those that the
// site's text has.
func (l *lowerer) require(ok *ir.Value, s site.Site, vals ...*ir.Value) {
	n := l.site(s)
	l.b.If(ok, nil, func() { l.b.Yield() }, func() {
		o := ir.NewOp(ir.OpFail, l.b.Pos, nil)
		o.Aux, o.Bits = n, uint64(len(vals))
		for _, v := range vals {
			o.Args = append(o.Args, l.b.Slot(v))
		}
		l.b.Emit(o)
		l.b.Yield()
	})
}

// textValues evaluates arguments and returns the components that the format names,
// in its order.
func (l *lowerer) textValues(format []typed.TextPart, args []typed.Expr) []*ir.Value {
	all := l.evalInOrder(args...)
	var vals []*ir.Value
	for _, p := range format {
		if p.Verb != "" {
			x := all[p.Arg]
			if x.bulk != nil {
				vals = append(vals, l.components(x.bulk, []int{p.Comp})...)
			} else {
				vals = append(vals, x.list[p.Comp])
			}
		}
	}
	return vals
}

func pieces(format []typed.TextPart) []site.Piece {
	out := make([]site.Piece, len(format))
	for i, p := range format {
		if out[i] = (site.Piece{Text: p.Text, Verb: p.Verb}); p.Verb != "" {
			out[i].Kind = kindOf(p.Kind)
		}
	}
	return out
}

// site returns the number of a site at the current position; a function inlined
// twice has one.
func (l *lowerer) site(s site.Site) int64 {
	pos := l.b.Pos
	for _, n := range l.sites[pos] {
		if t := l.kernel.Sites[n]; t.Kind == s.Kind && t.What == s.What && slices.Equal(t.Text, s.Text) {
			return n
		}
	}
	n := int64(len(l.kernel.Sites))
	l.kernel.Sites = append(l.kernel.Sites, &ir.Site{Pos: pos, Site: s})
	l.sites[pos] = append(l.sites[pos], n)
	return n
}
