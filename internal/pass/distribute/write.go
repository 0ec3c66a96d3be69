package distribute

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/versioning"
)

// This file emits the loops.

// A phase emits one of the loops.
type phase struct {
	*distribution
	b    *ir.Builder
	work work
	i    *ir.Value // the iteration
	row  *ir.Value // the number of the iteration in the strip
	to   *ir.Cloner
}

// writeTask writes the loops for strips of the whole task.
func (d *distribution) writeTask(t *ir.Task, write func(b *ir.Builder)) {
	b, from, to := versioning.NewStrips(t, d.trips)
	d.from, d.to = from, to
	if d.choice == nil {
		write(b)
	} else {
		b.Pos = d.choice.Pos
		b.If(d.choice.Args[0], nil, func() { write(b); b.Yield() }, func() { d.whole(b, d.choice.Regions[1]); b.Yield() })
	}
	b.Jump(ir.OpContinue, nil)
}

// whole appends a loop over a body that is not split.
func (d *distribution) whole(b *ir.Builder, body *ir.Block) {
	o := ir.NewOp(ir.OpFor, d.pos, nil, d.from, d.to)
	o.Flags |= ir.Rolled
	b.Emit(o)
	to := ir.NewCloner(map[*ir.Value]*ir.Value{d.index: o.Regions[0].AddParam(d.index.Type, d.index.Name)})
	b.In(o.Regions[0], func() {
		for _, p := range body.Ops[:len(body.Ops)-1] {
			b.Emit(to.Op(p))
		}
		b.Jump(ir.OpContinue, o)
	})
}

// write appends the loops that replace the original one.
func (d *distribution) write(b *ir.Builder) {
	b.Pos = d.pos
	d.allocate(b)
	if d.ahead && len(d.tallied) > 0 {
		d.prefetchNext(b)
	}
	if len(d.firstIndices) > 0 {
		d.loop(b, computes, (*phase).indices)
	}
	for _, w := range []work{collects, computes, scatters} {
		if d.count(w) > 0 {
			d.reducing(b, w, func() { d.loop(b, w, (*phase).body) })
		}
	}
	for _, t := range d.tallied {
		d.countTally(b, t)
	}
	for _, h := range d.counted {
		d.countBuckets(b, h)
	}
}

// reducing appends a loop. Before and after the vector loop, it appends code for the reductions in fewer bits and for the tallies of the
// loop.
func (d *distribution) reducing(b *ir.Builder, w work, loop func()) {
	if w != computes {
		loop()
		return
	}
	for _, n := range d.narrowed.sums {
		b.Pos = n.store.Pos
		n.begin(b)
	}
	inline := d.inlineTallies()
	for _, t := range inline {
		b.Pos = t.op.Pos
		t.begin(b)
	}
	b.Pos = d.pos
	loop()
	for _, t := range inline {
		b.Pos = t.op.Pos
		t.end(b)
	}
	for _, n := range d.narrowed.sums {
		b.Pos = n.store.Pos
		n.end(b)
	}
}

// inlineTallies lists the tallies of the vector loop, in the order of the loop.
func (d *distribution) inlineTallies() (all []*inlineTally) {
	for _, o := range d.ops {
		if t := d.inline[o]; t != nil {
			all = append(all, t)
		}
	}
	return all
}

// allocate appends the arrays.
func (d *distribution) allocate(b *ir.Builder) {
	for _, a := range d.arrays {
		a.array = b.Alloc(a.kind, int(d.trips)*len(a.values), "")
		a.array.Def.Flags |= ir.Unset
	}
}

// phase returns the emitter of one of the loops.
func (d *distribution) phase(b *ir.Builder, loop *ir.Op, w work) *phase {
	p := &phase{distribution: d, b: b, work: w, i: loop.Regions[0].AddParam(d.index.Type, d.index.Name)}
	p.to = ir.NewCloner(map[*ir.Value]*ir.Value{d.index: p.i})
	return p
}

// loop appends one of the loops. Its index is an i64: if an index is an i32 that LLVM knows not to be negative, LLVM extends it with zeros,
// and then finds no stride in the addresses.
func (d *distribution) loop(b *ir.Builder, w work, body func(*phase)) {
	kind := ir.I64
	if d.from.Type.Kind.Size() == 8 {
		kind = d.from.Type.Kind
	}
	from := b.Convert(d.from, kind)
	o := ir.NewOp(ir.OpFor, d.pos, nil, from, b.Convert(d.to, kind))
	o.Flags |= ir.Rolled
	if w == computes {
		o.Flags = d.flags
	}
	b.Emit(o)
	wide := o.Regions[0].AddParam(from.Type, d.index.Name)
	p := &phase{distribution: d, b: b, work: w, to: ir.NewCloner(map[*ir.Value]*ir.Value{})}
	b.In(o.Regions[0], func() {
		p.row = b.Convert(b.NoWrap(ir.OpSub, wide, from), ir.I64)
		p.to.Values[d.index] = b.Convert(wide, d.index.Type.Kind)
		for _, c := range d.ops {
			if c.Code == ir.OpConvert && c.Args[0] == d.index && c.Results[0].Type == from.Type {
				p.to.Values[c.Results[0]] = wide
			}
		}
		p.ifStored(func() { body(p) })
		b.Pos = d.pos
		b.Jump(ir.OpContinue, o)
	})
}

// indices writes the computation of the indices in firstIndices, and stores them in their arrays.
func (p *phase) indices() {
	first := map[*ir.Op]bool{}
	var need func(v *ir.Value)
	need = func(v *ir.Value) {
		if _, here := p.at[v.Def]; v.Def != nil && here && !first[v.Def] {
			first[v.Def] = true
			for _, a := range v.Def.Args {
				need(a)
			}
		}
	}
	for _, v := range p.firstIndices {
		need(v)
	}
	for _, o := range p.ops {
		if first[o] {
			p.b.Emit(p.to.Op(o))
		}
	}
	for _, v := range p.firstIndices {
		p.b.Store(p.place(p.slot[v]), p.to.Value(v))
	}
}

// body writes the ops of this loop, and stores the results that other loops need in their arrays.
func (p *phase) body() {
	b := p.b
	for _, o := range p.ops {
		if p.work != p.distribution.work[o] || p.again[o.Result()] {
			continue
		}
		b.Pos = o.Pos
		if n := p.narrowed.by[o]; n != nil {
			n.step(p, o)
			continue
		}
		if t := p.inline[o]; t != nil {
			t.step(p)
			continue
		}
		for _, v := range operands(o) {
			p.want(v)
		}
		b.Emit(p.to.Op(o))
		for _, v := range o.Results {
			if s, ok := p.slot[v]; ok {
				b.Store(p.place(s), b.Convert(p.to.Value(v), s.of.kind))
			}
		}
	}
}

// want ensures that this loop has a copy of v. The copy exists already, is loaded from an array, or is computed here.
func (p *phase) want(v *ir.Value) {
	if _, here := p.at[v.Def]; v.Def == nil || !here || p.to.Values[v] != nil {
		return
	}
	if s, ok := p.slot[v]; ok {
		p.to.Values[v] = p.b.Convert(p.b.Load(ir.Scalar(s.of.kind), p.place(s)), v.Type.Kind)
		return
	}
	for _, a := range v.Def.Args {
		p.want(a)
	}
	p.b.Emit(p.to.Op(v.Def))
}

// place appends the address of a value of the iteration in its array.
func (p *phase) place(s slot) *ir.Value {
	i64, size := ir.Scalar(ir.I64), int64(s.of.kind.Size())
	row := p.b.NoWrap(ir.OpMul, p.row, p.b.Int(i64, size*int64(len(s.of.values))))
	first := p.b.Op(ir.OpOffset, s.of.array, row)
	if s.at == 0 {
		return first
	}
	return p.b.Op(ir.OpOffset, first, p.b.Int(i64, int64(s.at)*size))
}
