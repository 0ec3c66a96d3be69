package pass

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/floatkey"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/pass/unit"
	"github.com/gotaichi/ti/internal/target"
)

// reductions gives each thread an accumulator of its own for what all iterations
// of a task update atomically at a place that does not depend on the iteration:
// a variable of the kernel, a field of one cell, an element with a constant
// index (thread-local storage in Hu, Taichi, chapter 2).
//
// Input: a range task before access lowering. Output: the same, with an array of
// one element made in the prologue, plain updates of it in the body, and one
// atomic in the epilogue. The place must only be updated in the task, by
// operations of one kind whose old values nobody uses. In deterministic mode,
// accumulators of floats are left to a helper task to merge; see partial.go.
func reductions(s *state, t *ir.Task) {
	if t.Prologue == nil {
		return
	}
	r := &reducer{notes: s.opts.Notes, used: usedValues(t), cells: map[cellKey]*cell{}, mixed: map[any]bool{}}
	ir.Visit(t.Body, func(o *ir.Op) bool {
		switch o.Code {
		case ir.OpLoad, ir.OpStore, ir.OpAtomic:
			r.note(o)
		}
		return true
	})
	pro, epi := openBlock(t.Prologue), openBlock(t.Epilogue)
	defer pro.close()
	defer epi.close()
	parts := &partials{k: s.k, t: t}
	for _, c := range r.order {
		if c.kind == ir.AtomicNone || r.mixed[c.object] {
			continue
		}
		c.keys = s.keyed(c)
		c.accumulate(pro.b)
		if s.opts.Deterministic && !orderless(c.kind, c.typ.Kind) {
			parts.add(c, epi.b)
		} else {
			c.merge(epi.b)
		}
	}
	parts.finish()
	replaceAtomics(t.Body, r)
}

// A cellKey names a place: an object and a constant index (and component) in it.
type cellKey struct {
	object any // *ir.Field, or the int64 offset of an array in the frame
	index  [9]int64
}

// A cell is a place that may become an accumulator.
type cell struct {
	object any
	place  *ir.Op
	typ    ir.Type
	kind   ir.AtomicKind // how it is merged; AtomicNone if it cannot be
	keys   bool          // the accumulator holds keys
	acc    *ir.Value     // the accumulator, once made
	zero   *ir.Value
}

type reducer struct {
	notes *note.Notes
	used  map[*ir.Value]bool
	cells map[cellKey]*cell
	order []*cell
	mixed map[any]bool // objects that are accessed in another way too
}

// usedValues returns all values that ops of t use.
func usedValues(t *ir.Task) map[*ir.Value]bool {
	used := map[*ir.Value]bool{}
	for _, b := range t.Blocks() {
		ir.Visit(b, func(o *ir.Op) bool {
			for _, a := range o.Args {
				used[a] = true
			}
			return true
		})
	}
	return used
}

// note files an access of the task's body.
func (r *reducer) note(o *ir.Op) {
	place := o.Args[0].Def
	if place == nil {
		return
	}
	key, ok := constantPlace(place)
	if key.object == nil {
		return
	}
	if !ok || o.Code != ir.OpAtomic || r.used[o.Results[0]] {
		r.mixed[key.object] = true
		return
	}
	c := r.cells[key]
	if c == nil {
		c = &cell{object: key.object, place: place, typ: o.Results[0].Type, kind: mergeKind(o.Atomic)}
		r.cells[key] = c
		r.order = append(r.order, c)
	}
	if c.kind != mergeKind(o.Atomic) {
		c.kind = ir.AtomicNone
	}
}

// constantPlace names the place that op gives if its indices are constants in
// range; else only the object.
func constantPlace(place *ir.Op) (key cellKey, ok bool) {
	switch place.Code {
	case ir.OpPtr:
		if place.Field.Sparse {
			return cellKey{}, false // merging would activate what no iteration may have touched
		}
		key.object = place.Field
		key.index[8] = place.Aux
		if place.Flags.Has(ir.Dynamic) || place.Field.View != nil { // another view may be the same memory
			return key, false
		}
		for i, v := range place.Args {
			c, isConst := ir.IntOf(v)
			if !isConst || !analysis.Within(place.Field, i, c) {
				return key, false
			}
			key.index[i] = c
		}
		return key, true
	case ir.OpCell:
		from := place.Args[0].Def
		if from == nil || from.Code != ir.OpFrame {
			return key, false
		}
		key.object = from.Aux
		c, isConst := ir.IntOf(place.Args[1])
		key.index[0] = c
		return key, isConst && c >= 0 && c < int64(from.Bits)
	}
	return key, false
}

// accumulate makes the accumulator in the prologue.
func (c *cell) accumulate(pro *ir.Builder) {
	pro.Pos = c.place.Pos
	t, first := c.typ, identity(c.kind, c.typ.Kind)
	if c.keys {
		t, first = c.typ.With(floatkey.Kind(c.typ.Kind)), floatkey.Infinity(c.typ.Kind, c.kind)
	}
	c.acc = pro.Alloc(t.Kind, 1, "acc")
	c.zero = pro.Int(ir.Scalar(ir.I32), 0)
	pro.Store(pro.Op(ir.OpCell, c.acc, c.zero), pro.Const(t, first))
}

// merge adds the accumulator to its place in the epilogue.
func (c *cell) merge(epi *ir.Builder) {
	sum := c.sum(epi)
	epi.Atomic(c.kind, copyPlace(epi, c.place), sum)
}

// sum appends the accumulator's value.
func (c *cell) sum(epi *ir.Builder) *ir.Value {
	epi.Pos = c.place.Pos
	place := epi.Op(ir.OpCell, c.acc, c.zero)
	if c.keys {
		return floatkey.Float(epi, epi.Load(c.typ.With(floatkey.Kind(c.typ.Kind)), place), c.typ.Kind)
	}
	return epi.Load(c.typ, place)
}

// update appends what an atomic on the cell becomes.
func (c *cell) update(b *ir.Builder, o *ir.Op) {
	place := b.Op(ir.OpCell, c.acc, c.zero)
	if !c.keys {
		plainUpdate(b, o, place)
		return
	}
	k := floatkey.Of(b, o.Args[1], c.kind)
	b.Store(place, b.Updated(o.Atomic, b.Load(k.Type, place), []*ir.Value{k}))
}

// copyPlace appends a copy of a place with constant indices.
func copyPlace(b *ir.Builder, place *ir.Op) *ir.Value {
	c := ir.NewOp(place.Code, place.Pos, []ir.Type{ir.Scalar(ir.Ptr)})
	c.Flags, c.Kind, c.Aux, c.Bits, c.Field = place.Flags, place.Kind, place.Aux, place.Bits, place.Field
	for _, v := range place.Args {
		if d := v.Def; d.Code == ir.OpConst {
			v = b.Const(v.Type, d.Bits)
		} else {
			v = unit.FrameAt(b, d.Aux, d.Kind, int64(d.Bits))
		}
		c.Args = append(c.Args, v)
	}
	return b.Emit(c)
}

// replaceAtomics updates accumulators in place of the atomics on their cells.
func replaceAtomics(b *ir.Block, r *reducer) {
	ops := b.Ops
	b.Ops = make([]*ir.Op, 0, len(ops))
	build := ir.NewBuilder(b)
	for _, o := range ops {
		for _, region := range o.Regions {
			replaceAtomics(region, r)
		}
		if o.Code == ir.OpAtomic && o.Args[0].Def != nil {
			if key, ok := constantPlace(o.Args[0].Def); ok {
				if c := r.cells[key]; c != nil && c.acc != nil {
					build.Pos = o.Pos
					r.notes.Say(o.Pos, note.Reduction)
					c.update(build, o)
					continue
				}
			}
		}
		b.Ops = append(b.Ops, o)
	}
}

// An open block can be appended to in front of its terminator.
type opened struct {
	b    *ir.Builder
	term *ir.Op
}

func openBlock(b *ir.Block) opened {
	t := b.Terminator()
	b.Ops = b.Ops[:len(b.Ops)-1]
	return opened{ir.NewBuilder(b), t}
}

func (o opened) close() { o.b.Block.Ops = append(o.b.Block.Ops, o.term) }

// keyed reports whether an accumulator holds the keys of floats instead of floats:
// integers in the same order. The smallest and largest of numbers among which a NaN wins
// are no reduction to LLVM before version 19, so that it makes no vectors of the loop;
// those of integers are. Zeros of both signs have an order then, which strict maths does
// not give them.
func (s *state) keyed(c *cell) bool {
	return !s.opts.Target.Provides(target.FloatMax) && !s.opts.Strict && c.typ.Lanes <= 1 && (c.typ.Kind == ir.F32 || c.typ.Kind == ir.F64) &&
		(c.kind == ir.AtomicMin || c.kind == ir.AtomicMax)
}
