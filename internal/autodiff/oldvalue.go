package autodiff

import (
	"maps"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// The old value that an atomic or append returns depends on the order of threads, and the backward pass cannot find it
// again. Where it decides about a derivative, as the slot of a list does that "k := atomicAdd(&n, 1)" gives, a launch
// under a tape is made of another kernel, which stores these values ([Record]), and the backward pass reads them. To
// derivatives they are constants.
//
// The record is a field of i64 ([Options].Record). Its first number says how much of it is in use; then comes, for
// each op of the kernel's outermost scope that has such values, where its part begins; then the parts. A part has for
// each iteration of a parallel loop one number for each place in the text. What stands in a serial loop is a chain:
// the iteration has the index of the first pair of a value and the index of the next pair. Pairs are taken from the
// end of what is in use.

// plainOld replaces atomics on arrays of the iteration, or of serial code, by plain code if their old values are
// used.
func plainOld(body *ir.Block) {
	used := usedIn(body)
	for i := 0; i < len(body.Ops); i++ { // which grows where one is replaced
		o := body.Ops[i]
		own := map[*ir.Op]bool{}
		plainOldIn(&ir.Block{Ops: []*ir.Op{o}}, !o.IsParallel(), own, used, body)
	}
}

func plainOldIn(b *ir.Block, serial bool, own map[*ir.Op]bool, used map[*ir.Value]bool, top *ir.Block) {
	for i := 0; i < len(b.Ops); i++ {
		o := b.Ops[i]
		if o.Code == ir.OpAlloc {
			own[o] = true
		}
		if o.Code == ir.OpAtomic && used[o.Results[0]] && !isExtremum(o) {
			if a := allocOf(o.Args[0]); a != nil && (serial || own[a]) {
				if at := slices.Index(top.Ops, o); at >= 0 {
					plainAtomic(top, at)
				} else {
					i += plainAtomic(b, i)
				}
			}
		}
		for _, r := range o.Regions {
			plainOldIn(r, serial, own, used, top)
		}
	}
}

// plainAtomic replaces the atomic at i by a load, an op and a store, and returns how many ops came instead of
// one.
func plainAtomic(b *ir.Block, i int) int {
	o := b.Ops[i]
	c := ir.NewBuilder(&ir.Block{})
	c.Pos, c.Flags = o.Pos, o.Flags&ir.Strict
	v := o.Args[len(o.Args)-1]
	old := c.Load(o.Results[0].Type, o.Args[0])
	now := v
	switch code, ok := o.Atomic.Code(); {
	case ok:
		now = c.Op(code, old, v)
	case o.Atomic == ir.AtomicCAS:
		now = c.Op(ir.OpSelect, c.Op(ir.OpEq, old, o.Args[1]), v, old)
	}
	if o.Atomic != ir.AtomicLoad {
		c.Store(o.Args[0], now)
	}
	stopped(c, old, o)
	b.Ops = slices.Replace(b.Ops, i, i+1, c.Block.Ops...)
	return len(c.Block.Ops) - 1
}

// stopped lets old, as a constant, stand for the result of the atomic o.
func stopped(b *ir.Builder, old *ir.Value, o *ir.Op) {
	stop := ir.NewOp(ir.OpStopGrad, o.Pos, nil, old)
	stop.Results = o.Results
	o.Results[0].Def = stop
	b.Emit(stop)
}

// An oldValues has the atomics and appends of a kernel in the normal form whose old values decide about derivatives,
// and emits what records them, or reads them again.
type oldValues struct {
	body  *ir.Block
	field *ir.Field
	ops   map[*ir.Op]bool
	again bool // they are read again

	read map[*ir.Value]*ir.Value // what stands for results then
}

// emit changes the body.
func (v *oldValues) emit() {
	v.read = map[*ir.Value]*ir.Value{}
	var tops []*ir.Op
	for _, o := range v.body.Ops {
		if len(v.in(o)) > 0 {
			tops = append(tops, o)
		}
	}
	for n, o := range tops {
		v.top(o, int64(1+n))
	}
	if !v.again {
		b := ir.NewBuilder(&ir.Block{})
		b.Store(v.at(b, v.i64(b, 0), true), v.i64(b, int64(1+len(tops))))
		v.body.Ops = slices.Insert(v.body.Ops, 0, b.Block.Ops...)
	}
	ir.Substitute(v.body, v.read)
}

// A storedOld is where an old value is returned that launches store; chained says that it stands in a serial loop.
type storedOld struct {
	pos     ir.Pos
	chained bool
}

// list returns all of them.
func (v *oldValues) list() (all []storedOld) {
	for _, o := range v.body.Ops {
		for _, p := range v.in(o) {
			all = append(all, storedOld{p.Pos, inSerialLoop(o, p)})
		}
	}
	return all
}

// in returns those in o, or o itself, in the order of the text.
func (v *oldValues) in(o *ir.Op) (ops []*ir.Op) {
	ir.Visit(&ir.Block{Ops: []*ir.Op{o}}, func(p *ir.Op) bool {
		if v.ops[p] {
			ops = append(ops, p)
		}
		return true
	})
	return ops
}

func (v *oldValues) i64(b *ir.Builder, n int64) *ir.Value { return b.Int(ir.Scalar(ir.I64), n) }

// at is the place of a number of the record.
func (v *oldValues) at(b *ir.Builder, n *ir.Value, exists bool) *ir.Value {
	p := b.Ptr(v.field, 0, n)
	if exists {
		p.Def.Flags |= ir.InBounds
	}
	return p
}

func (v *oldValues) load(b *ir.Builder, n *ir.Value) *ir.Value {
	return b.Load(ir.Scalar(ir.I64), v.at(b, n, false))
}

// put stores a number where the record has room for it. The host finds out if it has not.
func (v *oldValues) put(b *ir.Builder, n, number *ir.Value) {
	fits := b.Op(ir.OpLt, n, v.i64(b, v.field.Shape[0]))
	b.If(fits, nil, func() { b.Store(v.at(b, n, true), number); b.Yield() }, func() { b.Yield() })
}

// top emits what an op of the outermost scope needs; header is the index of where its part begins.
func (v *oldValues) top(o *ir.Op, header int64) {
	ops := v.in(o)
	chained := map[*ir.Op]bool{}
	slots := int64(0)
	for _, p := range ops {
		if inSerialLoop(o, p) {
			chained[p] = true
		} else {
			slots++
		}
	}
	head := slots
	if len(chained) > 0 {
		slots++
	}
	before, inside := ir.NewBuilder(&ir.Block{}), ir.NewBuilder(&ir.Block{})
	before.Pos, inside.Pos = o.Pos, o.Pos
	begin := before
	number, count := v.i64(before, 0), v.i64(before, 1)
	if o.IsParallel() {
		number, count = iteration(inside, before, o)
		begin = inside
	}
	var base *ir.Value
	if v.again {
		base = v.load(before, v.i64(before, header))
	} else {
		end := v.at(before, v.i64(before, 0), true)
		base = before.Load(ir.Scalar(ir.I64), end)
		before.Store(v.at(before, v.i64(before, header), true), base)
		before.Store(end, before.Op(ir.OpAdd, base, before.Op(ir.OpMul, count, v.i64(before, slots))))
	}
	first := begin.Op(ir.OpAdd, base, begin.Op(ir.OpMul, number, v.i64(begin, slots)))
	var cursor *ir.Value
	if len(chained) > 0 {
		cursor = begin.Alloc(ir.I64, 1, "")
		begin.Store(cursor, begin.Op(ir.OpAdd, first, v.i64(begin, head)))
	}
	at := slices.Index(v.body.Ops, o)
	v.body.Ops = slices.Insert(v.body.Ops, at, before.Block.Ops...)
	if o.IsParallel() {
		o.Regions[0].Ops = slices.Insert(o.Regions[0].Ops, 0, inside.Block.Ops...)
	}
	slot := int64(0)
	for _, p := range ops {
		if chained[p] {
			v.after(o, p, func(b *ir.Builder) { v.link(b, p, cursor) })
			continue
		}
		n := slot
		slot++
		v.after(o, p, func(b *ir.Builder) {
			at := b.Op(ir.OpAdd, first, v.i64(b, n))
			if v.again {
				v.read[p.Results[0]] = ofBits(b, v.load(b, at), p.Results[0].Type)
			} else {
				v.put(b, at, bitsOf(b, p.Results[0]))
			}
		})
	}
}

// link emits the record of a value in a chain, or the way to it.
func (v *oldValues) link(b *ir.Builder, p *ir.Op, cursor *ir.Value) {
	i64 := ir.Scalar(ir.I64)
	last := b.Load(i64, cursor)
	var pair *ir.Value
	if v.again {
		pair = v.load(b, last)
		v.read[p.Results[0]] = ofBits(b, v.load(b, pair), p.Results[0].Type)
	} else {
		pair = b.Atomic(ir.AtomicAdd, v.at(b, v.i64(b, 0), true), v.i64(b, 2))
		v.put(b, last, pair)
		v.put(b, pair, bitsOf(b, p.Results[0]))
	}
	b.Store(cursor, b.Op(ir.OpAdd, pair, v.i64(b, 1)))
}

// after emits code behind p, which is o or stands in it, and behind the update that p is a part of.
func (v *oldValues) after(o, p *ir.Op, emit func(b *ir.Builder)) {
	block, at := v.body, slices.Index(v.body.Ops, p)
	if p != o {
		block, at = standsIn(o, p)
	}
	for last := p; last.Flags.Has(ir.More); {
		if at++; block.Ops[at].Code == p.Code {
			last = block.Ops[at]
		}
	}
	b := ir.NewBuilder(&ir.Block{})
	b.Pos = p.Pos
	emit(b)
	block.Ops = slices.Insert(block.Ops, at+1, b.Block.Ops...)
}

// inSerialLoop reports whether p stands in a serial loop that is o, or in o.
func inSerialLoop(o, p *ir.Op) (found bool) {
	ir.Visit(&ir.Block{Ops: []*ir.Op{o}}, func(l *ir.Op) bool {
		if l.Code == ir.OpFor || l.Code == ir.OpLoop {
			b, _ := standsIn(l, p)
			found = found || b != nil
		}
		return !found
	})
	return found
}

// bitsOf is a number as an i64, from which ofBits makes it again.
func bitsOf(b *ir.Builder, v *ir.Value) *ir.Value {
	switch v.Type.Kind {
	case ir.F16:
		v = b.Bitcast(v, ir.I16)
	case ir.F32:
		v = b.Bitcast(v, ir.I32)
	case ir.F64:
		v = b.Bitcast(v, ir.I64)
	case ir.U64:
		v = b.Bitcast(v, ir.I64)
	}
	return b.Convert(v, ir.I64)
}

func ofBits(b *ir.Builder, v *ir.Value, t ir.Type) *ir.Value {
	switch t.Kind {
	case ir.F16:
		return b.Bitcast(b.Convert(v, ir.I16), t.Kind)
	case ir.F32:
		return b.Bitcast(b.Convert(v, ir.I32), t.Kind)
	case ir.F64, ir.U64:
		return b.Bitcast(v, t.Kind)
	}
	return b.Convert(v, t.Kind)
}

// Record returns a kernel that does what k does, and stores the old values of atomics and appends that its backward
// pass needs in o.Record; nil if it needs none. k stays as it is.
func Record(k *ir.Kernel, grad map[*ir.Field]*ir.Field, o Options) (*ir.Kernel, error) {
	body, f, err := prepare(k, grad, o, nil)
	if err != nil || len(f.old) == 0 {
		return nil, err
	}
	for store, o := range f.readback { // the launch loads what it did, as the oracle's tape has to see
		o.Code, o.Args = ir.OpLoad, []*ir.Value{store.Args[0]}
	}
	field := o.Record(f.firstOld(body))
	(&oldValues{body: body, field: field, ops: f.old}).emit()
	out := *k
	out.Name = k.Name + ".recorded"
	out.Body = body
	field.Index = len(k.Fields)
	out.Fields = append(slices.Clone(k.Fields), field)
	return &out, nil
}

// prepare brings the body of a kernel to the form in which it is differentiated, and old values are read from what
// record returns. With a nil record they are not.
func prepare(k *ir.Kernel, grad map[*ir.Field]*ir.Field, o Options, record func(first *ir.Op) *ir.Field) (*ir.Block, *facts, error) {
	body := normalBody(k.Body)
	readback := map[*ir.Op]*ir.Op{}
	unrolled, costly := unrollStencils(body, grad, readback, o.Without)
	reload(body, grad, readback)
	plainOld(body)
	x, err := extrema(body, grad)
	if err != nil {
		return body, nil, err
	}
	f, err := newFacts(body, grad, readback, x, o.Without)
	f.unrolled = unrolled
	maps.Copy(f.costly, costly)
	if err == nil {
		err = f.mayStoreOld(body)
	}
	if err != nil || record == nil || len(f.old) == 0 {
		return body, f, err
	}
	first := f.firstOld(body)
	field := record(first)
	if field == nil {
		f.fail(first, "the old value that %s returns decides about the derivative, and there is no memory to keep it", first.Code)
		return body, f, f.err
	}
	old := &oldValues{body: body, field: field, ops: f.old, again: true}
	stored := old.list()
	old.emit()
	f, err = newFacts(body, grad, readback, x, o.Without)
	f.stored, f.unrolled = stored, unrolled
	maps.Copy(f.costly, costly)
	return body, f, err
}

// mostStored is of how many iterations a launch may store old values. The host finds out about far smaller numbers
// that it has no room.
const mostStored = 1 << 40

// mayStoreOld fails where a loop over active cells returns old values that are needed, and has no numbers for its
// iterations.
func (f *facts) mayStoreOld(body *ir.Block) error {
	for _, o := range body.Ops {
		if ops := (&oldValues{ops: f.old}).in(o); len(ops) > 0 && mostIterations(o) > mostStored {
			f.fail(ops[0], "the old value that %s returns decides about the derivative, and a launch stores it for each cell that there may be; the loop over %s may have too many, or any number: give its nodes sizes, and smaller ones", ops[0].Code, o.Field.Name)
		}
	}
	return f.err
}

// firstOld is the first op whose old value is needed.
func (f *facts) firstOld(body *ir.Block) *ir.Op {
	return (&oldValues{ops: f.old}).in(&ir.Op{Regions: []*ir.Block{body}})[0]
}
