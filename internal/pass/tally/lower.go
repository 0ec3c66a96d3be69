package tally

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/access"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// Copies makes each thread that runs a task work on a copy of its own of a field of counters, which is merged after the loop, if that is
// worth it for a number of updates in an iteration, or must be. It reports whether it has.
type Copies func(f *ir.Field, updates int64, must bool) bool

// Lower makes updates of memory of the tallies of a task.
//
// Input: a task with addresses. Output: the same without tallies. What is counted at a known place, each thread keeps in variables
// during a chunk of iterations, and adds it to the counters in the epilogue. Histograms are updated in copies that threads have, or by
// atomics where copies are not worth it. If the result must not depend on the threads, the sums of errors are added up in copies, too,
// since it would depend on the order of chunks otherwise. Serial code updates the counters themselves.
func Lower(k *ir.Kernel, t *ir.Task, lay unit.Layout, deterministic bool, copies Copies) {
	updates, sums := int64(0), false
	analysis.Weighted(t.Body, 1, func(o *ir.Op, times int64) {
		if o.Code != ir.OpTally {
			return
		}
		all := o.Tally == ir.TallyAll
		sums = sums || o.Tally == ir.TallySum || all && len(o.Args) > 1
		if all || o.Tally == ir.TallyNumbers || o.Tally == ir.TallyErrors {
			updates += times
		}
		if all && len(o.Args) > 1 {
			updates += times
		}
		updates = max(updates, 1)
	})
	if updates == 0 {
		return
	}
	l := &lowering{k: k, t: t, lay: lay, start: ir.NewBuilder(&ir.Block{}), bases: map[*ir.Field]*ir.Value{}, variables: map[counter]*ir.Value{}}
	l.start.Pos = t.Pos
	var turn *ir.Value
	if n := len(t.Body.Params); n > 0 {
		turn = t.Body.Params[n-1]
	}
	if l.serial = len(t.Dims) == 0; l.serial {
		l.block(t.Body, turn)
		t.Body.Ops = append(l.start.Block.Ops, t.Body.Ops...)
		return
	}
	l.copied = copies(k.Measure.Exponents, updates, false)
	if deterministic && sums {
		copies(k.Measure.Sums, 1, true)
	}
	l.block(t.Body, turn)
	end := ir.NewBuilder(&ir.Block{})
	end.Pos, l.b = t.Pos, end
	for _, c := range l.order {
		v := end.Load(ir.Vec(c.field.Comps[0], int(c.lanes)), l.variables[c])
		v.Def.Alias = access.LocalClass(k)
		v = across(end, v, c.kind)
		end.Atomic(c.kind, l.place(c.field, nil, c.at), v).Def.Alias = class(c.field)
	}
	beforeEnd(t.Prologue, l.start.Block.Ops)
	beforeEnd(t.Epilogue, end.Block.Ops)
}

// beforeEnd puts ops in front of a block's terminator.
func beforeEnd(b *ir.Block, ops []*ir.Op) {
	end := b.Terminator()
	b.Ops = append(append(b.Ops[:len(b.Ops)-1], ops...), end)
}

// across appends what the lanes of a number are joined to.
func across(b *ir.Builder, v *ir.Value, kind ir.AtomicKind) *ir.Value {
	if v.Type.Lanes == 1 {
		return v
	}
	for n := v.Type.Lanes; n > 1; n /= 2 {
		even, odd := b.Op(ir.OpShuffle, v, v), b.Op(ir.OpShuffle, v, v)
		even.Def.Aux, odd.Def.Aux = ir.ShuffleEven, ir.ShuffleOdd
		v = b.Updated(kind, even, []*ir.Value{odd})
	}
	return b.OpOf(ir.OpLane, ir.Scalar(v.Type.Kind), v)
}

// class is the alias class of a field.
func class(f *ir.Field) int32 { return int32(f.Index + 1) }

// A lowering is the state of the pass.
type lowering struct {
	k         *ir.Kernel
	t         *ir.Task
	lay       unit.Layout
	serial    bool
	copied    bool        // threads have copies of the histograms
	start     *ir.Builder // of the task, or the chunk
	bases     map[*ir.Field]*ir.Value
	variables map[counter]*ir.Value // of a thread
	order     []counter             // of these
	b         *ir.Builder
}

// block replaces the tallies of a block and its regions. Turn is the index by which iterations take the copies of a histogram in turn, nil
// outside of loops.
func (l *lowering) block(block *ir.Block, turn *ir.Value) {
	ops := block.Ops
	block.Ops = make([]*ir.Op, 0, len(ops))
	b := ir.NewBuilder(block)
	for _, o := range ops {
		for _, r := range o.Regions {
			if o.Code == ir.OpFor {
				l.block(r, r.Params[0])
			} else {
				l.block(r, turn)
			}
		}
		if o.Code != ir.OpTally {
			b.Emit(o)
			continue
		}
		b.Pos, l.b = o.Pos, b
		if o.Tally != ir.TallyAll {
			l.part(o.Aux, o.Tally, o.Args...)
			continue
		}
		Parts(b, o.Args, func(p ir.TallyPart, args ...*ir.Value) {
			if histograms := p == ir.TallyNumbers || p == ir.TallyErrors; histograms && turn != nil {
				args = append(args, turn)
			}
			l.part(o.Aux, p, args...)
		})
	}
}

// part appends the update of a part.
func (l *lowering) part(site int64, part ir.TallyPart, args ...*ir.Value) {
	m, b := l.k.Measure, l.b
	if part == ir.TallyNumbers || part == ir.TallyErrors {
		var turn *ir.Value
		if len(args) == 3 {
			turn = args[2]
		}
		l.bucket(site, part, args[0], args[1], turn)
		return
	}
	c := counterOf(m, site, part)
	c.lanes = args[0].Type.Lanes
	v := by(b, part, args[0])
	if l.serial {
		l.plain(l.place(c.field, nil, c.at), c.kind, across(b, v, c.kind), class(c.field))
		return
	}
	l.plain(l.variable(c), c.kind, v, access.LocalClass(l.k))
}

// plain appends an update that no other thread meets.
func (l *lowering) plain(p *ir.Value, kind ir.AtomicKind, v *ir.Value, alias int32) {
	b := l.b
	old := b.Load(v.Type, p)
	old.Def.Alias = alias
	b.Store(p, b.Updated(kind, old, []*ir.Value{v}))
	b.Block.Ops[len(b.Block.Ops)-1].Alias = alias
}

// variable returns that of a thread for a counter.
func (l *lowering) variable(c counter) *ir.Value {
	if v := l.variables[c]; v != nil {
		return v
	}
	b, kind := l.start, c.field.Comps[0]
	v := b.Alloc(kind, int(c.lanes), "acc")
	first := c.kind.Identity(kind)
	if kind.IsFloat() {
		first = ir.FloatBits(kind, math.Copysign(0, -1)) // which no sum changes
	}
	b.Store(v, b.Const(ir.Vec(kind, int(c.lanes)), first))
	b.Block.Ops[len(b.Block.Ops)-1].Alias = access.LocalClass(l.k)
	l.variables[c], l.order = v, append(l.order, c)
	return v
}

// bucket appends an addition to a bucket of a histogram.
func (l *lowering) bucket(site int64, part ir.TallyPart, bucket, n, turn *ir.Value) {
	b, f := l.b, l.k.Measure.Exponents
	at, copies, buckets := histogram(l.k.Measure, site, part)
	if turn != nil && copies > 1 {
		t := b.Op(ir.OpAnd, b.Convert(turn, bucket.Type.Kind), b.Int(bucket.Type, copies-1))
		bucket = b.Op(ir.OpOr, bucket, b.Op(ir.OpMul, t, b.Int(bucket.Type, buckets)))
	}
	p := l.place(f, bucket, at)
	if l.serial || l.copied {
		l.plain(p, ir.AtomicAdd, n, class(f))
		return
	}
	b.Atomic(ir.AtomicAdd, p, n).Def.Alias = class(f)
}

// place appends the address of a number of a field of counters: n, if it is not nil, plus a constant.
func (l *lowering) place(f *ir.Field, n *ir.Value, at int64) *ir.Value {
	b, i64, a := l.b, ir.Scalar(ir.I64), l.lay.Access(f, 0)
	size := int64(f.Comps[0].Size())
	p := l.bases[f]
	if p == nil {
		p = l.start.Emit(access.BaseOp(access.BaseIndex(l.k, a.Tree), l.t.Pos))
		l.bases[f] = p
	}
	if n != nil { // by way of an index, as fields are accessed: of other conversions LLVM makes slower code
		p = b.Op(ir.OpOffset, p, b.NoWrap(ir.OpMul, b.Convert(b.Convert(n, l.k.Int), ir.I64), b.Int(i64, size)))
	}
	if at = a.Const + at*size; at != 0 {
		p = b.Op(ir.OpOffset, p, b.Int(i64, at))
	}
	return p
}
