package versioning

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// A strip has at most longestStrip iterations, and a task has enough strips for all threads. A task of fewer than fewestInStrips
// iterations is not strip-mined.
const longestStrip, fewestInStrips = 64, 64

// ManyStrips is a number of strips that is enough for all threads.
const ManyStrips = 64

// StripLength is the length of the strips of t: a power of two, or 0 if t is not to be strip-mined. Dims with unknown bounds count as
// one iteration.
func StripLength(t *ir.Task) int64 {
	inner, all := int64(0), int64(1)
	for _, d := range t.Dims {
		inner = 1
		if d.Lo.From == ir.FromConst && d.Hi.From == ir.FromConst {
			inner = max(1, d.Hi.Const-d.Lo.Const)
		}
		all = min(all, longestStrip*ManyStrips) * min(inner, longestStrip*ManyStrips)
	}
	if all < fewestInStrips {
		return 0
	}
	n := int64(longestStrip)
	for n*ManyStrips > all && n > 4 {
		n /= 2
	}
	if inner < n {
		return 0
	}
	return n
}

// NewStrips gives t an empty body for strips of n iterations of its innermost dim, and returns the bounds of a strip.
func NewStrips(t *ir.Task, n int64) (b *ir.Builder, from, to *ir.Value) {
	last := len(t.Dims) - 1
	d, params := t.Dims[last], t.Body.Params
	body := &ir.Block{Params: slices.Clone(params[:last])}
	for _, v := range body.Params {
		v.Block = body
	}
	index := params[last]
	number := body.AddParam(index.Type, index.Name)
	b = ir.NewBuilder(body)
	b.Pos = t.Pos
	length := b.Int(index.Type, n)
	from = b.NoWrap(ir.OpAdd, b.NoWrap(ir.OpMul, number, length), b.Int(index.Type, d.Lo.Const))
	left := b.NoWrap(ir.OpSub, b.Int(index.Type, d.Hi.Const), from)
	to = b.NoWrap(ir.OpAdd, from, b.Op(ir.OpMin, left, length))
	t.Body, t.Nest, t.Strip = body, nil, n
	t.Group(d.Lo.Const, n)
	t.Dims[last] = ir.Dim{Kind: d.Kind, Hi: ir.Bound{Const: (d.Hi.Const - d.Lo.Const + n - 1) / n}}
	return b, from, to
}

// StripTrips is the largest trip count of a loop over a strip; 0 if o is no such loop.
func StripTrips(o *ir.Op) int64 {
	if o.Code != ir.OpFor || len(o.Args) != 2 || o.Flags.Has(ir.Independent) {
		return 0
	}
	sum := o.Args[1].Def
	if sum == nil || sum.Code != ir.OpAdd || sum.Args[0] != o.Args[0] || sum.Args[1].Def == nil || sum.Args[1].Def.Code != ir.OpMin {
		return 0
	}
	n, ok := ir.IntOf(sum.Args[1].Def.Args[1])
	if !ok {
		return 0
	}
	return n
}
