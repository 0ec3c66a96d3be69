package split

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// An importer makes values of other tasks available in a task: it recomputes them if that is cheap, and loads them from the frame
// otherwise.
type importer struct {
	s     *splitter
	seg   int
	b     *ir.Builder // appends to the start of the task
	subst map[*ir.Value]*ir.Value
}

func (s *splitter) importer(seg int, at *ir.Block) *importer {
	return &importer{s, seg, ir.NewBuilder(at), map[*ir.Value]*ir.Value{}}
}

// block imports whatever the ops of b use from other tasks.
func (in *importer) block(b *ir.Block) {
	ir.Visit(b, func(o *ir.Op) bool {
		for i, a := range o.Args {
			o.Args[i] = in.value(a)
		}
		return true
	})
}

// value returns the replacement of v in the task.
func (in *importer) value(v *ir.Value) *ir.Value {
	if from, ok := in.s.origin[v]; ok {
		// Another task has imported v, as an operand of an op that is recomputed.
		if in.subst[from] == v {
			return v
		}
		v = from
	}
	if w, ok := in.subst[v]; ok {
		return w
	}
	home, ok := in.s.home[v]
	if !ok || home == in.seg {
		return v
	}
	in.b.Pos = v.Def.Pos
	var w *ir.Value
	off, slotted := in.s.slot[v]
	switch {
	case slotted && v.Def.Code == ir.OpAlloc:
		w = frameArray(in.b, v.Def, off)
	case slotted && v.Type.Kind.IsInt():
		w = in.b.Convert(in.b.Load(ir.Scalar(ir.I64), unit.FrameAt(in.b, off, ir.I64, 1)), v.Type.Kind)
	case slotted:
		w = in.b.Load(v.Type, unit.FrameAt(in.b, off, v.Type.Kind, 1))
	default:
		w = in.again(v.Def)
	}
	w.Name = v.Name
	in.stands(w, v)
	return w
}

// stands notes that w replaces v in the task.
func (in *importer) stands(w, v *ir.Value) {
	in.subst[v] = w
	in.s.origin[w] = v
}

// again copies a pure op, and those it needs.
func (in *importer) again(o *ir.Op) *ir.Value {
	c := o.Like([]ir.Type{o.Results[0].Type})
	for _, a := range o.Args {
		c.Args = append(c.Args, in.value(a))
	}
	return in.b.Emit(c)
}
