package lower

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// gatherHalves makes parallel loops gather sums and products of halves in f32.
//
// A half has 11 bits of mantissa. A sum that is rounded to it at every step stops
// growing early, and depends on how the threads share the iterations. So if all accesses
// of a loop to a place add to it, or all multiply it, they work on an f32 instead: it
// starts with the value of the place and is rounded once, after the loop. The place must
// be the same in all iterations: a variable of the kernel, a field of one cell, or an
// element with a constant index. Oracle and passes see the same f32.
//
// Views and slices are left alone, since another name may denote the same memory. So are
// cells of sparse trees: storing the sum would activate a cell that no iteration touched.
func (l *lowerer) gatherHalves() {
	body := l.kernel.Body
	ops := body.Ops
	body.Ops = make([]*ir.Op, 0, len(ops))
	outer := map[*ir.Op]bool{}
	for _, o := range ops {
		if o.Code == ir.OpAlloc {
			outer[o] = true
		}
		if o.Code != ir.OpParFor && o.Code != ir.OpFieldFor || o.Flags.Has(ir.Serial) {
			body.Ops = append(body.Ops, o)
			continue
		}
		g := &gatherer{outer: outer, updates: l.halfUpdates, used: map[*ir.Value]bool{},
			halves: map[halfKey]*half{}, mixed: map[*ir.Op]bool{}, mixedFields: map[*ir.Field]bool{}, old: map[*ir.Value]*ir.Value{}}
		g.find(o.Regions[0])
		b := &ir.Builder{Block: body, Flags: l.b.Flags}
		for _, h := range g.order {
			h.begin(b)
		}
		if len(g.order) > 0 {
			g.rewrite(o.Regions[0], l.b.Flags)
		}
		b.Emit(o)
		for list := g.order; len(list) > 0; {
			n := 1
			for n < len(list) && l.endTogether(list[0], list[n]) {
				n++
			}
			endAll(b, list[:n])
			list = list[n:]
		}
	}
}

// endTogether reports whether two places are numbers of one element that share exponents, which are stored at once.
func (l *lowerer) endTogether(g, h *half) bool {
	return g.key.field != nil && g.key.field == h.key.field && g.key.index == h.key.index && l.sharing(g.key.field) != nil
}

// updates notes atomics whose old values the source does not use. Whether anything comes of a value that the source does use
// is no matter: rounding does not depend on what is left out as dead.
func (l *lowerer) updates(old ...*ir.Value) {
	for _, v := range old {
		if v.Type.Kind == ir.F16 {
			l.halfUpdates[v.Def] = true
		}
	}
}

// A gatherer is the state for one loop.
type gatherer struct {
	outer       map[*ir.Op]bool // arrays of the kernel
	updates     map[*ir.Op]bool // atomics whose old value the source does not use
	used        map[*ir.Value]bool
	halves      map[halfKey]*half
	order       []*half
	mixed       map[*ir.Op]bool         // arrays with other accesses too
	mixedFields map[*ir.Field]bool      // fields with other accesses too
	old         map[*ir.Value]*ir.Value // replacements of the results of atomics
	joined      [][]*half               // of the atomics of an update that are joined; nil for those that update no half
}

// A halfKey names a place: an array or a component of a field, and constant indices.
type halfKey struct {
	array *ir.Op
	field *ir.Field
	comp  int64
	index [8]int64
}

// A half is a place whose sum or product the loop computes.
type half struct {
	key   halfKey
	place *ir.Op
	pos   ir.Pos
	kind  ir.AtomicKind // AtomicAdd for differences, too; AtomicNone if kinds are mixed
	known bool          // whether the index is known to be in range
	ok    *ir.Value     // the range check, if the extent is known at launch only
	sum   *ir.Value     // an array of one f32
}

// find lists in g.order the places that the loop with body b gathers.
func (g *gatherer) find(b *ir.Block) {
	halves := false
	ir.Visit(b, func(o *ir.Op) bool {
		halves = halves || o.Code == ir.OpAtomic && o.Results[0].Type.Kind == ir.F16
		for _, v := range o.Args {
			g.used[v] = true
		}
		return true
	})
	if !halves {
		return
	}
	var found, parts []*half
	ir.Visit(b, func(o *ir.Op) bool {
		switch o.Code {
		case ir.OpLoad, ir.OpStore, ir.OpAtomic:
			if h := g.note(o); h != nil {
				found = append(found, h)
			}
			key, _, _ := g.key(o.Args[0].Def)
			parts = append(parts, g.halves[key])
			if !o.Flags.Has(ir.More) {
				g.joined, parts = append(g.joined, parts), nil
			}
		}
		return true
	})
	g.settle()
	for _, h := range found {
		if g.isMixed(h) {
			delete(g.halves, h.key)
			continue
		}
		g.order = append(g.order, h)
	}
}

// isMixed reports whether a place is accessed in other ways, too.
func (g *gatherer) isMixed(h *half) bool {
	return h.kind == ir.AtomicNone || g.mixed[h.key.array] || g.mixedFields[h.key.field]
}

// settle leaves alone the places that are updated together with one which is not gathered.
func (g *gatherer) settle() {
	for changed := true; changed; {
		changed = false
		for _, parts := range g.joined {
			if !slices.ContainsFunc(parts, func(h *half) bool { return h == nil || g.isMixed(h) }) {
				continue
			}
			for _, h := range parts {
				if h != nil && h.kind != ir.AtomicNone {
					h.kind, changed = ir.AtomicNone, true
				}
			}
		}
	}
}

// note records an access. It returns the place at its first update.
func (g *gatherer) note(o *ir.Op) *half {
	place := o.Args[0].Def
	key, known, ok := g.key(place)
	if key.array == nil && key.field == nil {
		return nil
	}
	kind := ir.AtomicNone
	if ok && o.Code == ir.OpAtomic && o.Results[0].Type == ir.Scalar(ir.F16) && g.updates[o] {
		kind = gathered(o.Atomic)
	}
	if kind == ir.AtomicNone {
		if key.array != nil {
			g.mixed[key.array] = true
		} else {
			g.mixedFields[key.field] = true
		}
		return nil
	}
	h := g.halves[key]
	if h == nil {
		h = &half{key: key, place: place, pos: o.Pos, kind: kind, known: known}
		g.halves[key] = h
		return h
	}
	if h.kind != kind {
		h.kind = ir.AtomicNone
	}
	return nil
}

// gathered returns the kind of sum or product that an atomic is part of: additions and
// subtractions may be mixed. It is AtomicNone for other atomics, which do not round.
func gathered(kind ir.AtomicKind) ir.AtomicKind {
	switch kind {
	case ir.AtomicAdd, ir.AtomicSub:
		return ir.AtomicAdd
	case ir.AtomicMul:
		return kind
	}
	return ir.AtomicNone
}

// key returns the key of a place. It is ok if all indices are constants that may be in
// range, and known if they surely are. A key without array and field says that the access
// concerns no place: it is to an array local to the iteration, or always out of range.
func (g *gatherer) key(place *ir.Op) (key halfKey, known, ok bool) {
	switch {
	case place == nil:
		return key, false, false
	case place.Code == ir.OpCell:
		array := place.Args[0].Def
		if !g.outer[array] {
			return key, false, false
		}
		key.array = array
		c, isConst := ir.IntOf(place.Args[1])
		key.index[0] = c
		return key, true, isConst && c >= 0 && c < array.Aux
	case place.Code == ir.OpPtr:
		f := place.Field
		key.field, key.comp, known = f, place.Aux, true
		if f.Sparse || f.View != nil || place.Flags.Has(ir.Dynamic) || len(place.Args) > len(key.index) {
			return key, false, false
		}
		for axis, v := range place.Args {
			c, isConst := ir.IntOf(v)
			n, at := f.Extent(axis)
			if !isConst {
				return key, false, false
			}
			if c < f.Low(axis) || at == nil && c >= f.Low(axis)+n {
				return halfKey{}, false, false
			}
			known = known && (at == nil || c < f.Low(axis)+at.Least())
			key.index[axis] = c
		}
		return key, known, true
	}
	return key, false, false
}

// begin appends the code before the loop: the f32 starts with the value of the place.
func (h *half) begin(b *ir.Builder) {
	b.Pos = h.pos
	h.sum = b.Alloc(ir.F32, 1, "sum")
	h.inRange(b)
	h.where(b, func() {
		b.Store(h.cell(b), b.Convert(b.Load(ir.Scalar(ir.F16), h.copy(b)), ir.F32))
	})
}

// endAll appends the code after the loop: the places, of one element if there are several, get the f32s, rounded.
func endAll(b *ir.Builder, hs []*half) {
	b.Pos = hs[0].pos
	hs[0].where(b, func() {
		var places, sums []*ir.Value
		index := hs[0].indices(b)
		for _, h := range hs {
			places, sums = append(places, h.at(b, index)), append(sums, b.Convert(b.Load(ir.Scalar(ir.F32), h.cell(b)), ir.F16))
		}
		for i, p := range places {
			b.Pos = hs[i].pos
			b.Store(p, sums[i])
		}
		b.Join(len(places))
	})
}

// inRange appends the test that the index is in range, unless that is known. An index out
// of range is reported by the updates in the loop.
func (h *half) inRange(b *ir.Builder) {
	if h.known {
		return
	}
	i64 := ir.Scalar(ir.I64)
	for axis := range h.place.Args {
		_, at := h.key.field.Extent(axis)
		if at == nil {
			continue
		}
		far := b.Int(i64, h.key.index[axis]-h.key.field.Low(axis))
		ok := b.Op(ir.OpLt, far, b.Length(at, ir.I64))
		if h.ok != nil {
			ok = b.Op(ir.OpAnd, h.ok, ok)
		}
		h.ok = ok
	}
}

// where calls then to append code that runs only if the index is in range.
func (h *half) where(b *ir.Builder, then func()) {
	if h.ok == nil {
		then()
		return
	}
	b.If(h.ok, nil, func() {
		then()
		b.Yield()
	}, func() { b.Yield() })
}

// cell appends the address of the f32.
func (h *half) cell(b *ir.Builder) *ir.Value {
	return b.Op(ir.OpCell, h.sum, b.Int(ir.Scalar(ir.I32), 0))
}

// copy appends the address of the place itself.
func (h *half) copy(b *ir.Builder) *ir.Value { return h.at(b, h.indices(b)) }

// at is copy with the operands of the place.
func (h *half) at(b *ir.Builder, args []*ir.Value) *ir.Value {
	o := ir.NewOp(ir.OpPtr, b.Pos, []ir.Type{ir.Scalar(ir.Ptr)}, args...)
	o.Code, o.Flags, o.Aux, o.Field = h.place.Code, h.place.Flags, h.place.Aux, h.place.Field
	return b.Emit(o)
}

// indices appends the operands of the place, which are constants, but for the array.
func (h *half) indices(b *ir.Builder) (args []*ir.Value) {
	for i, v := range h.place.Args {
		if i > 0 || h.key.array == nil {
			c, _ := ir.IntOf(v)
			v = b.Int(v.Type, c)
		}
		args = append(args, v)
	}
	return args
}

// rewrite turns the updates in b into updates of the f32.
func (g *gatherer) rewrite(b *ir.Block, flags ir.Flags) {
	ops := b.Ops
	b.Ops = make([]*ir.Op, 0, len(ops))
	build := &ir.Builder{Block: b, Flags: flags}
	for _, o := range ops {
		for i, v := range o.Args {
			if w := g.old[v]; w != nil {
				o.Args[i] = w
			}
		}
		for _, r := range o.Regions {
			g.rewrite(r, flags)
		}
		var h *half
		if o.Code == ir.OpAtomic {
			key, _, _ := g.key(o.Args[0].Def)
			h = g.halves[key]
		}
		if h == nil {
			b.Ops = append(b.Ops, o)
			continue
		}
		build.Pos = o.Pos
		if old := h.update(build, o, g.used[o.Results[0]]); old != nil {
			g.old[o.Results[0]] = old
		}
	}
}

// update appends the replacement of the atomic o. It returns the old value as a half if
// it is used, by the checks of debug mode, and nil otherwise.
func (h *half) update(b *ir.Builder, o *ir.Op, used bool) (old *ir.Value) {
	var types []ir.Type
	wide := func() []*ir.Value {
		was := b.Atomic(o.Atomic, h.cell(b), b.Convert(o.Args[1], ir.F32))
		if !used {
			return nil
		}
		return []*ir.Value{b.Convert(was, ir.F16)}
	}
	first := func(vs []*ir.Value) *ir.Value {
		if len(vs) == 0 {
			return nil
		}
		return vs[0]
	}
	if h.ok == nil {
		return first(wide())
	}
	if used {
		types = []ir.Type{ir.Scalar(ir.F16)}
	}
	return first(b.If(h.ok, types, func() { b.Yield(wide()...) }, func() {
		o.Flags &^= ir.More // the others of the update stand elsewhere, and do nothing either
		b.Emit(o)
		b.Yield(o.Results[:len(types)]...)
	}))
}
