package autodiff

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/pass/note"
)

// Options say how a kernel is differentiated.
type Options struct {
	// Clear asks that the adjoint of an element is zero once that of a plain store to it was taken, so that
	// the element can be used again by what ran before.
	Clear bool

	// Strict keeps the order of arithmetic as [ir.Strict] does.
	Strict bool

	// CheckNaN asks that the backward pass fails where a derivative is not a number, and what it is made of are
	// numbers. A check may read what nothing else needs.
	CheckNaN bool

	// Keys returns the field in which iterations claim the extrema of a field with an adjoint: of its shape, with an
	// i64 for each of its components, and zero. It is called once for each field, and may return nil, as it may be
	// itself: then minima and maxima over iterations are Unsupported.
	Keys func(f *ir.Field) *ir.Field

	// Record returns the field of one axis of i64, large enough, in which [Record] stores the old values of atomics
	// and appends and the backward pass finds them. It is called once if there are such values, with the first op that
	// returns one, and may return nil, as it may be itself: then it is Unsupported that they decide about a
	// derivative.
	Record func(first *ir.Op) *ir.Field

	// Notes takes what is kept, gathered and stored, for people; nil takes none.
	Notes *note.Notes

	// Topology is called for each loop over active cells and each question about them that the backward pass repeats;
	// it may be nil. The answers have to be those of the launch. Changes says that the kernel itself may have changed
	// them after it had them.
	Topology func(o *ir.Op, changes bool)

	Without option.Switches // of the compiler, in adjoints

	// Entries is a power of two, of how many iterations a loop of unknown length keeps the state at most; 0 for as
	// many as are good.
	Entries int64

	// Room is how many bytes of a thread's stack the states of all loops of unknown length may take, about; 0 for 20
	// MB.
	Room int64

	// Reads takes which loads of the launch the adjoint makes again; it may be nil.
	Reads *Reads
}

// Reverse returns the adjoint of k: it takes the arguments of k, reads the fields of k, and adds to their
// adjoints. Grad gives the adjoint of each field that has one; these are fields of the new kernel. k stays as it
// is. The error is an [Unsupported].
func Reverse(k *ir.Kernel, grad map[*ir.Field]*ir.Field, o Options) (*ir.Kernel, error) {
	record := (*ir.Field)(nil)
	body, f, err := prepare(k, grad, o, func(first *ir.Op) *ir.Field {
		if o.Record != nil {
			record = o.Record(first)
		}
		return record
	})
	if err == nil && !o.Clear {
		err = f.overwritesInLoops(body)
	}
	if err != nil {
		return nil, err
	}
	out := *k
	out.Name = k.Name + ".grad"
	out.Results = nil
	out.Fields = withAdjoints(k, grad)
	if record != nil {
		record.Index = len(out.Fields)
		out.Fields = append(out.Fields, record)
	}
	out.Body = &ir.Block{}
	r := &reverser{
		facts: f, Options: o, b: ir.NewBuilder(out.Body), adj: newAdjoints(),
		keys: map[*ir.Field]*ir.Field{}, variableKeys: map[*ir.Op]*ir.Value{},
		open: map[*ir.Block]bool{}, above: map[*ir.Block]region{}, home: map[*ir.Value]*ir.Block{}, gathered: map[*ir.Op]bool{}, noted: map[*ir.Op]bool{},
		frame: &frame{values: map[*ir.Value]*ir.Value{}, shadows: map[*ir.Op]*ir.Value{}, stacks: map[*ir.Op]*stack{}},
	}
	r.base, r.open[out.Body], r.keep = out.Body, true, true
	if o.Strict || len(f.extrema) > 0 {
		r.b.Flags = ir.Strict
	}
	r.sites = slices.Clone(k.Sites)
	if o.Reads != nil {
		*o.Reads = *newReads(f, body, k.Fields)
	}
	r.noteOldValues(k)
	f.topology(body, o.Clear, o.Topology)
	ops := body.Ops[:len(body.Ops)-1]
	r.forward(ops)
	r.reverse(ops)
	r.b.Return()
	dropIdleMarks(out.Body)
	relax(out.Body)
	out.Sites = r.sites
	for _, f := range k.Fields {
		if g := r.keys[f]; g != nil {
			g.Index = len(out.Fields)
			out.Fields = append(out.Fields, g)
		}
	}
	return &out, r.err
}

// relax takes the Strict flag off ops that compute no floats.
func relax(body *ir.Block) {
	ir.Visit(body, func(o *ir.Op) bool {
		if v := o.Result(); v == nil || !v.Type.Kind.IsFloat() {
			o.Flags &^= ir.Strict
		}
		return true
	})
}

// withAdjoints returns the fields of k and, behind them, their adjoints, with their numbers set.
func withAdjoints(k *ir.Kernel, grad map[*ir.Field]*ir.Field) []*ir.Field {
	all := slices.Clone(k.Fields)
	for _, f := range k.Fields {
		if g := grad[f]; g != nil && !slices.Contains(k.Fields, g) {
			g.Index = len(all)
			all = append(all, g)
		}
	}
	return all
}

// A reverser emits the adjoint of a kernel.
type reverser struct {
	*facts
	Options
	b *ir.Builder
	*frame
	adj *adjoints

	// Which values are visible where code is emitted: those of open blocks. A region of an if that is not
	// open any more hands its values out by results of the if.
	open  map[*ir.Block]bool
	above map[*ir.Block]region
	home  map[*ir.Value]*ir.Block // of a value, where it is not that of the values that stand for it

	sites    []*ir.Site
	base     *ir.Block // the innermost one that is no region of an if: arrays are made there
	parallel *ir.Op    // the parallel loop around
	keep     bool      // loops keep what they need on the backward pass

	storing, loading []*keeping          // values that the iterations of loops around store, and those that have stored them load
	ignored          func(a *array) bool // arrays that are not written to; may be nil

	noted        map[*ir.Op]bool         // loops with a remark on what they keep
	gathered     map[*ir.Op]bool         // loads that gathers have taken care of
	keys         map[*ir.Field]*ir.Field // of the extrema of fields
	variableKeys map[*ir.Op]*ir.Value    // and of variables of the kernel
	purpose      purpose                 // of the forward sweep

	into func(load *ir.Op) *ir.Value // while something is gathered: of a load, what takes its adjoint; nil for nothing

	settling, settled map[*ir.Op]bool // stores whose elements get the adjoint of what is read of them in the loop that is emitted, or have it; see settle
}

// A region is where a block stands: in an if, which stands in another block.
type region struct {
	op     *ir.Op
	number int
	in     *ir.Block
}

// A frame is a forward sweep: what stands for the values of the normal form.
type frame struct {
	up      *frame
	values  map[*ir.Value]*ir.Value
	shadows map[*ir.Op]*ir.Value // of an array, that of its adjoints
	stacks  map[*ir.Op]*stack    // of a loop, what it has kept
}

// within runs f with a frame of its own.
func (r *reverser) within(f func()) {
	saved := r.frame
	r.frame = &frame{up: saved, values: map[*ir.Value]*ir.Value{}, shadows: map[*ir.Op]*ir.Value{}, stacks: map[*ir.Op]*stack{}}
	f()
	r.frame = saved
}

// region emits into a region of op, which has just been emitted.
func (r *reverser) region(op *ir.Op, number int, f func()) {
	block := op.Regions[number]
	saved, base := r.b.Block, r.base
	if op.Code == ir.OpIf {
		r.above[block] = region{op, number, saved}
	} else {
		r.base = block
	}
	r.open[block] = true
	r.b.In(block, f)
	r.open[block] = false
	r.base = base
}

// of returns what stands for v, visible here.
func (r *reverser) of(v *ir.Value) *ir.Value {
	for f := r.frame; f != nil; f = f.up {
		w, ok := f.values[v]
		if !ok {
			continue
		}
		if home := r.home[w]; v.Type.Kind == ir.Ptr && home != nil && !r.open[home] {
			return r.emit(v.Def).Results[0] // a place is no result of an if, and is soon found again
		}
		if out := r.lift(w); out != w {
			f.values[v], w = out, out
		}
		return w
	}
	panic("autodiff: a value is used before it was computed")
}

func (r *reverser) all(vs []*ir.Value) []*ir.Value {
	out := make([]*ir.Value, len(vs))
	for i, v := range vs {
		out[i] = r.of(v)
	}
	return out
}

// set says what stands for v, which has been emitted into the current block.
func (r *reverser) set(v, w *ir.Value) {
	r.frame.values[v] = w
	if r.home[w] == nil {
		r.home[w] = r.b.Block
	}
}

// lift makes v visible here, by results of the ifs in whose regions it stands.
func (r *reverser) lift(v *ir.Value) *ir.Value {
	for home := r.home[v]; home != nil && !r.open[home]; home = r.home[v] {
		at, ok := r.above[home]
		if !ok {
			panic("autodiff: a value of a loop is used outside of it")
		}
		w := &ir.Value{Type: v.Type, Def: at.op, Index: len(at.op.Results), Name: v.Name}
		at.op.Results = append(at.op.Results, w)
		for i, block := range at.op.Regions {
			yield := block.Terminator()
			give := v
			if i != at.number {
				zero := ir.NewOp(ir.OpConst, at.op.Pos, []ir.Type{v.Type})
				block.Ops = slices.Insert(block.Ops, len(block.Ops)-1, zero)
				give = zero.Results[0]
			}
			yield.Args = append(yield.Args, give)
		}
		r.home[w] = at.in
		v = w
	}
	return v
}

// forward emits ops without their effects outside of the iteration.
func (r *reverser) forward(ops []*ir.Op) {
	for _, o := range ops {
		r.b.Pos = o.Pos
		if r.isKept(o) {
			r.meet(o)
			continue
		}
		switch o.Code {
		case ir.OpStore, ir.OpAtomic:
			r.forwardWrite(o)
		case ir.OpFail, ir.OpRecord, ir.OpActivate, ir.OpDeactivate, ir.OpShrink, ir.OpAppend:
			r.happened(o)
		case ir.OpStopGrad:
			r.set(o.Results[0], r.of(o.Args[0]))
		case ir.OpUnique:
			if r.into != nil { // a gather's iterations run several of the loop's
				r.set(o.Results[0], r.of(o.Args[0]))
			} else {
				r.emit(o)
			}
		case ir.OpAlloc:
			r.forwardAlloc(o)
		case ir.OpIf:
			r.forwardIf(o)
		case ir.OpFor, ir.OpLoop:
			r.forwardLoop(o)
		case ir.OpParFor, ir.OpFieldFor:
			r.forwardParallel(o)
		default:
			r.emit(o)
		}
		r.meet(o)
	}
}

// emit copies an op without regions.
func (r *reverser) emit(o *ir.Op) *ir.Op {
	c := *o
	c.Args, c.Results = r.all(o.Args), nil
	if o.Code == ir.OpPtr && r.isCertain(o) {
		c.Flags |= ir.InBounds
	}
	for i, v := range o.Results {
		w := &ir.Value{Type: v.Type, Def: &c, Index: i, Name: v.Name}
		c.Results = append(c.Results, w)
		r.set(v, w)
	}
	r.b.Emit(&c)
	if o.Code == ir.OpLoad && r.Reads != nil && isShared(o.Args[0]) {
		r.Reads.of[&c] = o
	}
	return &c
}

// forwardWrite copies an access that changes an array of the iteration, or of the kernel where the kernel's own
// forward sweep comes to it.
func (r *reverser) forwardWrite(o *ir.Op) {
	r.claim(o)
	r.silenceSum(o)
	a := r.arrayAt(o)
	if a == nil || r.parallel != nil && !r.contains(r.parallel, a.alloc) && !r.sweeping() {
		r.happened(o)
		return
	}
	if r.ignored != nil && r.ignored(a) {
		r.happened(o)
		return
	}
	r.emit(o)
}

// happened leaves an op out. Of its result, which only code may use of which nothing is wanted, zero takes the place.
func (r *reverser) happened(o *ir.Op) {
	for _, v := range o.Results {
		r.set(v, r.b.Const(v.Type, 0))
	}
}

// sweeping reports whether this is the kernel's forward sweep, and not the backward pass of a parallel loop.
func (r *reverser) sweeping() bool { return r.frame.up == nil }

// forwardAlloc makes an array and that of its adjoints, outside of all ifs.
func (r *reverser) forwardAlloc(o *ir.Op) {
	c := *o
	w := &ir.Value{Type: o.Results[0].Type, Def: &c, Name: o.Results[0].Name}
	c.Results = []*ir.Value{w}
	r.hoisted(&c)
	r.frame.values[o.Results[0]] = w
	if a := r.arrayOf[o]; r.hasShadow(a) {
		r.frame.shadows[o] = r.array(o.Kind, o.Aux, false)
		if slices.ContainsFunc(a.writes, func(w *ir.Op) bool { return r.extrema[w] != nil }) {
			r.variableKeys[o] = r.array(ir.I64, o.Aux, false)
		}
	}
}

// array makes a local array outside of all ifs.
func (r *reverser) array(kind ir.Kind, n int64, unset bool) *ir.Value {
	o := ir.NewOp(ir.OpAlloc, r.b.Pos, []ir.Type{ir.Scalar(ir.Ptr)})
	o.Kind, o.Aux = kind, n
	if unset {
		o.Flags |= ir.Unset
	}
	r.hoisted(o)
	return o.Results[0]
}

// hoisted emits an op without operands into the innermost block that is no region of an if.
func (r *reverser) hoisted(o *ir.Op) {
	if r.b.Block == r.base {
		r.b.Emit(o)
	} else { // before the if in which code is emitted
		r.base.Ops = slices.Insert(r.base.Ops, len(r.base.Ops)-1, o)
	}
}

// cell is the place of an element of an array, which exists.
func (r *reverser) cell(array, index *ir.Value) *ir.Value {
	p := r.b.Op(ir.OpCell, array, index)
	p.Def.Flags |= ir.InBounds
	return p
}

func (r *reverser) forwardIf(o *ir.Op) {
	c := ir.NewOp(ir.OpIf, o.Pos, nil, r.of(o.Args[0]))
	r.b.Emit(c)
	for _, v := range o.Results {
		w := &ir.Value{Type: v.Type, Def: c, Index: len(c.Results), Name: v.Name}
		c.Results = append(c.Results, w)
	}
	for i, block := range o.Regions {
		r.region(c, i, func() {
			r.forward(block.Ops[:len(block.Ops)-1])
			// A value may be lifted while the operands are collected, but never into this block.
			r.b.Yield(r.all(block.Terminator().Args)...)
		})
	}
	for i, v := range o.Results {
		r.set(v, c.Results[i])
	}
}

// reverse emits the backward pass through ops, which have been emitted forward.
func (r *reverser) reverse(ops []*ir.Op) {
	for at := len(ops) - 1; at >= 0; at-- {
		o := ops[at]
		if !r.works(o) {
			continue
		}
		r.b.Pos = o.Pos
		switch o.Code {
		case ir.OpLoad:
			r.reverseLoad(o)
		case ir.OpStopGrad: // the store takes its adjoint
		case ir.OpStore:
			r.reverseStore(o)
		case ir.OpAtomic:
			r.reverseAtomic(o)
		case ir.OpIf:
			first := r.sunk(ops, at)
			r.reverseIf(o, ops[first:at])
			at = first
		case ir.OpFor, ir.OpLoop:
			r.reverseLoop(o)
		case ir.OpParFor, ir.OpFieldFor:
			r.reverseParallel(o)
		case ir.OpCall:
			if ownRule(o) != nil { // else an error is noted
				r.reverseCall(o)
			}
		default:
			r.reverseOp(o)
		}
	}
}

func (r *reverser) reverseOp(o *ir.Op) {
	d := r.take(o.Results[0])
	if d == nil {
		return
	}
	for i, a := range o.Args {
		if r.active(a) && isDifferentiable(o, i) {
			var none func() *ir.Value
			if r.isGuarded(o, i) {
				none = func() *ir.Value { return nothing(r.b, d) }
			}
			r.add(a, r.partial(o, i, d, none))
		}
	}
}

// reverseIf takes the backward pass through the region that was taken, and there through the ops before the if that
// are sunk into it. What the regions add to adjoints of values from outside become results.
func (r *reverser) reverseIf(o *ir.Op, before []*ir.Op) {
	outer := r.adj
	ds := make([]*ir.Value, len(o.Results))
	for i, v := range o.Results {
		ds[i] = r.take(v)
	}
	c := ir.NewOp(ir.OpIf, o.Pos, nil, r.of(o.Args[0]))
	r.b.Emit(c)
	var sides [2]*adjoints
	var order []*ir.Value
	for i, block := range o.Regions {
		r.adj = newAdjoints()
		r.region(c, i, func() {
			for j, v := range block.Terminator().Args {
				r.add(v, ds[j])
			}
			r.reverse(block.Ops[:len(block.Ops)-1])
			if len(before) > 0 && !r.idle(o, i) {
				r.reverse(before)
			}
			r.b.Yield()
		})
		sides[i] = r.adj
		for _, v := range r.adj.order {
			if r.adj.of[v] != nil && !r.isWithin(o, v) && !slices.Contains(order, v) {
				order = append(order, v)
			}
		}
	}
	r.adj = outer
	for _, v := range order {
		c.Results = append(c.Results, &ir.Value{Type: v.Type, Def: c, Index: len(c.Results)})
		for i, block := range c.Regions {
			yield := block.Terminator()
			d := sides[i].of[v]
			if d == nil {
				zero := ir.NewOp(ir.OpConst, o.Pos, []ir.Type{v.Type})
				block.Ops = slices.Insert(block.Ops, len(block.Ops)-1, zero)
				d = zero.Results[0]
			}
			yield.Args = append(yield.Args, d)
		}
	}
	for i, v := range order {
		r.add(v, c.Results[i])
	}
}
