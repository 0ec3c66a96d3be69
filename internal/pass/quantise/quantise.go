package quantise

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/pass/adapter"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/bits"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/pass/unit"
	"github.com/gotaichi/ti/internal/target"
)

// Kernel replaces accesses to components that are packed in words by accesses to the words, with bit adapters (Hu, Taichi, sections 5.2,
// 6.1 and 6.2; docs/decisions/0011-quantised-types.md).
//
// Input: a kernel's body, in which some fields describe how their components are stored. Output: the same with fields of words in their
// place. A load becomes a load of the word, which is decoded. A store to members of a word becomes
//
//   - a store, if it sets all used bits of the word;
//   - a load, an insertion and a store, if the word belongs to the iteration or the code is serial (thread-safety inference);
//   - otherwise a loop around a compare-and-swap.
//
// Consecutive stores to several members of one word are fused. Two stores to a group of numbers with one exponent are not, since each of
// them rounds the numbers; the joined parts of an assignment are one store. From here on, words are ordinary memory: later passes share and
// forward loads of them, and a forwarded value has the bits that memory has.
//
// Loops add to copies for each thread only where threads have numbers. Where they have none, on devices, a load must be atomic that meets the atomics of
// other threads.
func Kernel(k *ir.Kernel, lay unit.Layout, opts option.Options, traits *target.Traits, notes *note.Notes) {
	if !slices.ContainsFunc(k.Fields, func(f *ir.Field) bool { return f.Stored != nil }) {
		return
	}
	q := &quantiser{
		k: k, lay: lay, opts: opts, numbered: traits.Provides(target.Threads), notes: notes,
		words: NewWordFields(k, lay), subst: map[*ir.Value]*ir.Value{},
		fuses: !opts.Without.Has(option.StoreMerge) && opts.Level > 0 && k.Measure == nil, // no fusion if each store is counted
	}
	var ops []*ir.Op
	for _, o := range k.Body.Ops {
		if !o.IsParallel() {
			ops = append(ops, o)
			continue
		}
		before, after := q.gather(o)
		ops = append(ops, before...)
		after = append(after, q.separateSums(o)...)
		made := []*ir.Op{o}
		q.owns = q.owned(o)
		if q.cut = q.cutAtWords(o); q.cut != nil {
			members, own := q.owns, q.cut.Own
			made, q.owns = q.cut.Ops, func(w *layout.Word) bool { return own[w] || members(w) }
			notes.Say(o.Pos, note.CutAtWords)
		}
		q.block(made[len(made)-1].Regions[0])
		ops = append(ops, made...)
		ops = append(ops, after...)
	}
	k.Body.Ops = ops
	q.cut = nil
	q.owns = func(*layout.Word) bool { return true }
	q.serial = true
	q.block(k.Body)
	ir.Substitute(k.Body, q.subst)
}

// A quantiser is the state of the pass.
type quantiser struct {
	k        *ir.Kernel
	lay      unit.Layout
	opts     option.Options
	notes    *note.Notes
	numbered bool // threads have numbers
	words    *WordFields
	subst    map[*ir.Value]*ir.Value
	fuses    bool
	serial   bool                      // the code is not in a parallel loop
	hushed   bool                      // a probe reports indices out of range instead of the accesses
	quiet    bool                      // the code rarely runs; there are no remarks on it
	owns     func(w *layout.Word) bool // whether each instance of the word belongs to one iteration
	cut      *bits.Cutting             // of the current loop; nil if that is not strip-mined by words
	fill     *filling                  // the loop whose body is being rewritten, if it fills words
	open     []*batch
	parts    []part // of the assignment or update that continues with the next op
	b        *ir.Builder
}

// owned determines which words belong to the iterations of a loop: all writes to members of such a word are to the one element that belongs
// to the iteration, as in nonAtomic.
func (q *quantiser) owned(loop *ir.Op) func(*layout.Word) bool {
	if loop.Flags.Has(ir.Serial) {
		return func(*layout.Word) bool { return true }
	}
	if q.opts.Without.Has(option.NonAtomic|option.NonAtomicWords) || q.opts.Level == 0 {
		return func(*layout.Word) bool { return false }
	}
	body := analysis.LoopBodyOf(loop.Regions[0])
	sets := map[*layout.Word]*analysis.WriteSet{}
	ir.Visit(body.Block, func(o *ir.Op) bool {
		if o.Code != ir.OpStore && o.Code != ir.OpAtomic || !o.IsPacked() {
			return true
		}
		place := o.Args[0].Def
		for _, c := range place.Choices() {
			if w := q.wordAt(place.Field, c); w != nil {
				sets[w] = sets[w].Add(body, analysis.Indices(place))
			}
		}
		return true
	})
	return func(w *layout.Word) bool { return !w.Array() && sets[w].Unique }
}

// cutAtWords strip-mines a loop over elements of bit arrays by words. It returns nil if the loop stays as it is.
func (q *quantiser) cutAtWords(loop *ir.Op) *bits.Cutting {
	if q.opts.Without.Has(option.NonAtomic|option.NonAtomicWords) || q.opts.Level == 0 || q.opts.Debug {
		return nil
	}
	cut, why := bits.Cut(loop, bits.Env{Layout: q.lay, Words: q.words.Of})
	if why != nil {
		q.notes.Say(loop.Pos, note.NotCutAtWords, why.Cause().At(why.Pos))
	}
	return cut
}

// wordAt returns the word in which a component is packed; nil if it is not packed.
func (q *quantiser) wordAt(f *ir.Field, comp int) *layout.Word {
	if f.StoredAs(comp) == nil {
		return nil
	}
	return q.lay.Access(f, comp).Packed.Word
}

// block rewrites the accesses of b and its regions.
func (q *quantiser) block(b *ir.Block) {
	around, opened := q.b, q.open
	ops := b.Ops
	b.Ops = make([]*ir.Op, 0, len(ops))
	q.b, q.open = ir.NewBuilder(b), nil
	for _, o := range ops {
		q.b.Pos = o.Pos
		q.op(o)
	}
	q.b, q.open = around, opened
}

// op rewrites one op.
func (q *quantiser) op(o *ir.Op) {
	switch o.Code {
	case ir.OpLoad:
		if o.IsPacked() {
			q.load(o)
			return
		}
	case ir.OpStore:
		if q.fill != nil && q.fill.stores[o] {
			q.fill.add(q, o)
			return
		}
		if o.IsPacked() || q.isPart(o) {
			q.part(o)
			return
		}
	case ir.OpAtomic:
		q.flush()
		if o.IsPacked() || q.isPart(o) {
			q.part(o)
			return
		}
	default:
		if len(o.Regions) > 0 || o.Code.Is(ir.Terminator) || o.Code.Touches(ir.Topology|ir.Cells|ir.Flow) {
			q.flush()
		}
	}
	if o.IsParallel() {
		q.b.Emit(o) // Kernel has rewritten its body
		return
	}
	quiet, around := q.quiet, q.fill
	q.fill = q.fillingOf(o)
	for i, r := range o.Regions {
		q.quiet = quiet || o.Flags.Has(ir.Seldom) && i == 0
		q.block(r)
	}
	of := q.fill
	if q.quiet, q.fill = quiet, around; of != nil {
		of.finish(q)
		return
	}
	q.b.Emit(o)
}

// load replaces a load of a packed number by a load of its word, which is decoded.
func (q *quantiser) load(o *ir.Op) {
	place := o.Args[0].Def
	if !place.Flags.Has(ir.Dynamic) {
		q.subst[o.Results[0]] = q.number(place, int(place.Aux), o.Results[0].Name)
		return
	}
	q.subst[o.Results[0]] = q.chosen(place, o.Results[0].Type.Kind, func(c int) *ir.Value { return q.numberAs(place, c, "", ir.Guess) })
}

// number appends the load of a component.
func (q *quantiser) number(place *ir.Op, c int, name string) *ir.Value {
	return q.numberAs(place, c, name, 0)
}

// numberAs is number with flags for the load.
func (q *quantiser) numberAs(place *ir.Op, c int, name string, flags ir.Flags) *ir.Value {
	load := func(k ir.Kind, p *ir.Value) *ir.Value {
		v := q.b.Load(ir.Scalar(k), p)
		v.Def.Flags |= flags
		return v
	}
	k := place.Field.Comps[c]
	if q.wordAt(place.Field, c) == nil {
		return load(k, q.plainPlace(place, c))
	}
	m := q.memberOf(place, c)
	q.flushOf(m.word)
	v := m.decode(load(m.field.Comps[0], m.place(q.b)), k)
	v.Name = name
	return v
}

// plainPlace appends the place of an unpacked component.
func (q *quantiser) plainPlace(place *ir.Op, c int) *ir.Value {
	p := q.b.Ptr(place.Field, c, analysis.Indices(place)...)
	p.Def.Flags |= place.Flags & ir.InBounds
	return p
}

// probe appends a load of a component that is chosen at run time. Later passes delete all but the checks of its indices. The accesses that
// follow report no index out of range.
func (q *quantiser) probe(place *ir.Op) {
	index := make([]*ir.Value, len(place.Args))
	for i, v := range place.Args {
		index[i] = q.value(v)
	}
	o := ir.NewOp(ir.OpPtr, place.Pos, []ir.Type{ir.Scalar(ir.Ptr)}, index...)
	o.Field, o.Aux, o.Bits, o.Stride, o.Flags = place.Field, place.Aux, place.Bits, place.Stride, place.Flags
	q.b.Load(ir.Scalar(place.Field.Comps[place.Aux]), q.b.Emit(o))
}

// chosen appends the value of the component that is chosen at run time. Of appends the value of component c.
func (q *quantiser) chosen(place *ir.Op, k ir.Kind, of func(c int) *ir.Value) *ir.Value {
	q.probe(place)
	v, dyn := q.b.Const(ir.Scalar(k), 0), q.value(place.Args[len(place.Args)-1])
	for i, c := range place.Choices() {
		this := q.b.Op(ir.OpEq, dyn, q.b.Int(dyn.Type, int64(i)))
		v = q.b.Op(ir.OpSelect, this, of(c), v)
	}
	return v
}

// eachChoice appends an if for each choice, counted from 0, with f in the region where it is made. It returns the results of f for the
// choice that is made, or zeros if there is no such choice.
func (q *quantiser) eachChoice(place *ir.Op, types []ir.Type, f func(i int) []*ir.Value) []*ir.Value {
	q.probe(place)
	dyn, n := q.value(place.Args[len(place.Args)-1]), len(place.Choices())
	hushed := q.hushed
	q.hushed = true
	defer func() { q.hushed = hushed }()
	var choose func(i int) []*ir.Value
	choose = func(i int) []*ir.Value {
		if i == n {
			var zeros []*ir.Value
			for _, t := range types {
				zeros = append(zeros, q.b.Const(t, 0))
			}
			return zeros
		}
		this := q.b.Op(ir.OpEq, dyn, q.b.Int(dyn.Type, int64(i)))
		return q.b.If(this, types, func() { q.b.Yield(f(i)...) }, func() { q.b.Yield(choose(i + 1)...) })
	}
	return choose(0)
}

// value returns the value that replaces v.
func (q *quantiser) value(v *ir.Value) *ir.Value { return ir.Resolve(q.subst, v) }

// draw appends the random bits with which a store or atomic rounds; nil if it rounds to nearest.
func (q *quantiser) draw(o *ir.Op) *ir.Value {
	if !o.DrawsToStore() {
		return nil
	}
	return q.b.OpOf(ir.OpRand, ir.Scalar(ir.U32))
}

// note adds a remark on how a store or update is made.
func (q *quantiser) note(pos ir.Pos, m *member, owned, whole bool) {
	switch {
	case q.quiet:
	case whole:
		q.notes.Say(pos, note.WholeWord)
	case q.serial:
		q.notes.Say(pos, note.SerialCode)
	case owned:
		q.notes.Say(pos, note.OwnWord)
	case m.word.Array():
		q.notes.Say(pos, note.SharedArray)
	default:
		q.notes.Say(pos, note.SharedWord)
	}
}

// modify replaces a word by f of it, and returns the old word.
func (q *quantiser) modify(m *member, owned bool, f func(w *ir.Value) *ir.Value) *ir.Value {
	b, t := q.b, ir.Scalar(m.field.Comps[0])
	p := m.place(b)
	old := b.Load(t, p)
	q.hush()
	if owned {
		b.Store(p, f(old))
		q.hush()
		return old
	}
	old.Def.Flags |= ir.Guess
	if !q.numbered {
		old.Def.Order = ir.Relaxed
	}
	// A failed exchange returns the word for the next attempt, so that the load needs no memory order.
	loop := ir.NewOp(ir.OpLoop, b.Pos, []ir.Type{t}, old)
	b.Emit(loop)
	body := loop.Regions[0]
	was := body.AddParam(t, "")
	b.In(body, func() {
		next := f(was)
		found := b.Atomic(ir.AtomicCAS, m.place(b), was, next)
		q.hush()
		b.If(b.Op(ir.OpEq, found, was), nil, func() { b.Jump(ir.OpBreak, loop, was) }, func() { b.Yield() })
		b.Jump(ir.OpContinue, loop, found)
	})
	return loop.Results[0]
}

// hush flags the last access so that it reports no index out of range, if a probe does.
func (q *quantiser) hush() {
	if q.hushed {
		ops := q.b.Block.Ops
		ops[len(ops)-1].Flags |= ir.Guess
	}
}

// adapters returns an emitter for a word, which appends where the pass does.
func (q *quantiser) adapters(w *layout.Word) *adapter.Emitter {
	k := ir.U32
	if w.Kind == layout.U64 {
		k = ir.U64
	}
	return &adapter.Emitter{Builder: q.b, Word: k}
}
