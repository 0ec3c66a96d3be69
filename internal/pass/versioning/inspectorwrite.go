package versioning

import (
	"github.com/gotaichi/ti/internal/ir"
)

// This file is the part of inspector that writes the strips.

// A stripWriter writes the body of a task in strips.
type stripWriter struct {
	*stencil
	t        *ir.Task
	b        *ir.Builder
	n        int64       // iterations of a strip
	from, to *ir.Value   // its bounds
	arrays   []*ir.Value // of the stored indices
}

// strips replaces the body of t by one for strips of n iterations.
func (c *stencil) strips(t *ir.Task, n int64) {
	w := &stripWriter{stencil: c, t: t, n: n}
	w.b, w.from, w.to = NewStrips(t, n)

	choice := ir.NewOp(ir.OpIf, t.Pos, nil, w.question())
	choice.Flags = ir.Seldom
	w.b.Emit(choice)
	w.b.In(choice.Regions[0], func() {
		w.loop(true).Flags |= ir.Rolled
		w.b.Yield()
	})
	w.b.In(choice.Regions[1], func() {
		if fast := w.loop(false); t.Strided {
			fast.Flags |= ir.Rolled
		}
		w.b.Yield()
	})
	w.b.Jump(ir.OpContinue, nil)
}

// question writes the inspector. It gives whether an iteration of the strip has an index out of range, and stores the indices.
func (w *stripWriter) question() *ir.Value {
	for _, v := range w.kept {
		array := w.b.Alloc(v.Type.Kind, int(w.n), "")
		array.Def.Flags |= ir.Unset
		w.arrays = append(w.arrays, array)
	}
	o := ir.NewOp(ir.OpFor, w.t.Pos, []ir.Type{ir.Scalar(ir.Bool)}, w.from, w.to, w.b.Int(ir.Scalar(ir.Bool), 0))
	w.b.Emit(o)
	i := o.Regions[0].AddParam(w.from.Type, "")
	outside := o.Regions[0].AddParam(ir.Scalar(ir.Bool), "outside")
	w.b.In(o.Regions[0], func() {
		to := ir.NewCloner(map[*ir.Value]*ir.Value{w.last(): i})
		for _, op := range w.stencil.Question.b.Ops {
			if w.needed[op] {
				w.b.Emit(to.Op(op))
			}
		}
		for n, v := range w.kept {
			w.b.Store(w.place(n, i), to.Value(v))
		}
		out := outside
		for _, r := range w.Reaches {
			out = w.b.Op(ir.OpOr, out, w.b.Op(ir.OpNot, r.Ask(w.b, to)))
		}
		w.b.Jump(ir.OpContinue, o, out)
	})
	return o.Results[0]
}

// last is the index of the innermost dim in the old body.
func (w *stripWriter) last() *ir.Value {
	params := w.stencil.Question.b.Params
	return params[len(params)-1]
}

// place returns where index n of iteration i is stored.
func (w *stripWriter) place(n int, i *ir.Value) *ir.Value {
	at := w.b.Convert(w.b.NoWrap(ir.OpSub, i, w.from), ir.I64)
	size := w.b.Int(ir.Scalar(ir.I64), int64(w.kept[n].Type.Kind.Size()))
	return w.b.Op(ir.OpOffset, w.arrays[n], w.b.NoWrap(ir.OpMul, at, size))
}

// loop writes the body for all iterations of the strip, with its checks or with the stored indices.
func (w *stripWriter) loop(checked bool) *ir.Op {
	o := ir.NewOp(ir.OpFor, w.t.Pos, nil, w.from, w.to)
	w.b.Emit(o)
	i := o.Regions[0].AddParam(w.from.Type, w.last().Name)
	w.b.In(o.Regions[0], func() {
		to := ir.NewCloner(map[*ir.Value]*ir.Value{w.last(): i})
		ops := w.stencil.Question.b.Ops
		body := &ir.Block{Ops: to.List(ops[:len(ops)-1])}
		if !checked {
			for _, a := range w.atoms {
				for _, add := range exactAdds(a) {
					to.Ops[add].Flags |= ir.NoWrap
				}
			}
			values := map[*ir.Value]*ir.Value{}
			for n, v := range w.kept {
				values[to.Value(v)] = w.b.Load(v.Type, w.place(n, i))
			}
			DropChecks(body, copiesOf(w.checks, to))
			ir.Substitute(body, values)
		}
		w.b.Block.Ops = append(w.b.Block.Ops, body.Ops...)
		w.b.Jump(ir.OpContinue, o)
	})
	return o
}
