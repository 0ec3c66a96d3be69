package pass

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/floatkey"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/pass/unit"
	"github.com/gotaichi/ti/internal/target"
)

// reductions gives each thread a private accumulator for a place that all iterations of a task update atomically. The place does not depend
// on the iteration: a variable of the kernel, a field of one cell, an element with a constant index (thread-local storage in Hu, Taichi,
// chapter 2).
//
// Input: a range task before access lowering. Output: the same with an accumulator, an array of one element that the prologue makes. The
// body updates it by non-atomic ops, and one atomic in the epilogue merges it. The body must access the object of the place only by atomics
// at constant indices whose old values nothing uses, and update the place by operations of one kind. In deterministic mode, a helper task
// merges the accumulators for which the order of updates matters, such as sums of floats; see partial.go.
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
		if s.opts.Deterministic && (s.opts.Ranks || !orderless(c.kind, c.typ.Kind)) {
			parts.add(c, epi.b)
		} else {
			c.merge(epi.b)
		}
	}
	parts.finish()
	replaceAtomics(t.Body, r)
}

// A cellKey identifies a place: an object, with a constant index and component in it.
type cellKey struct {
	object any // *ir.Field, or the int64 offset of an array in the frame
	index  [9]int64
}

// A cell is a place that may have an accumulator.
type cell struct {
	object any
	place  *ir.Op
	typ    ir.Type
	kind   ir.AtomicKind // the operation that merges the accumulator; AtomicNone if there can be none
	keys   bool          // the accumulator holds integer keys; see keyed
	acc    *ir.Value     // the accumulator; nil until it is made
	zero   *ir.Value
}

type reducer struct {
	notes *note.Notes
	used  map[*ir.Value]bool
	cells map[cellKey]*cell
	order []*cell
	mixed map[any]bool // objects that are also accessed in another way
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

// note records an access of the task's body.
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

// constantPlace returns the key of a place whose indices are constants in range. For any other place, ok is false and the key has only the
// object. The object is nil if the place can have no accumulator.
func constantPlace(place *ir.Op) (key cellKey, ok bool) {
	switch place.Code {
	case ir.OpPtr:
		if place.Field.Sparse {
			return cellKey{}, false // the merge would activate a cell even if no iteration has updated it
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

// accumulate appends the accumulator, with its initial value, to the prologue.
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

// merge appends the atomic that merges the accumulator into its place to the epilogue.
func (c *cell) merge(epi *ir.Builder) {
	sum := c.sum(epi)
	epi.Atomic(c.kind, copyPlace(epi, c.place), sum)
}

// sum appends the load of the accumulator's value, and its conversion to a float if it is a key.
func (c *cell) sum(epi *ir.Builder) *ir.Value {
	epi.Pos = c.place.Pos
	place := epi.Op(ir.OpCell, c.acc, c.zero)
	if c.keys {
		return floatkey.Float(epi, epi.Load(c.typ.With(floatkey.Kind(c.typ.Kind)), place), c.typ.Kind)
	}
	return epi.Load(c.typ, place)
}

// update appends the update of the accumulator that replaces an atomic on the cell.
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
	c := place.Like([]ir.Type{ir.Scalar(ir.Ptr)})
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

// replaceAtomics replaces the atomics on cells by updates of their accumulators.
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

// An opened is a block without its terminator, to which ops can be appended. Its method close appends the terminator.
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

// keyed reports whether an accumulator holds keys of floats: integers in the same order. LLVM before version 19 does not recognise the
// minimum or maximum of floats as a reduction if a NaN is to win, so that it does not vectorise the loop. It recognises the minimum and
// maximum of integers. Package packet recognises all. Keys order zeros of both signs, which strict maths does not; so strict maths uses no
// keys.
func (s *state) keyed(c *cell) bool {
	direct := s.opts.Target.Provides(target.FloatMax) || s.opts.Target.Provides(target.Alone)
	return !direct && !s.opts.Strict && c.typ.Lanes <= 1 && (c.typ.Kind == ir.F32 || c.typ.Kind == ir.F64) &&
		(c.kind == ir.AtomicMin || c.kind == ir.AtomicMax)
}
