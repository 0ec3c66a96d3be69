package tally

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/access"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// Copies gives each thread that runs a task a private copy of a field of counters, which is merged after the loop. It does so if copies pay
// for this number of updates in an iteration, or if must is set. It reports whether it did.
type Copies func(f *ir.Field, updates int64, must bool) bool

// Lower replaces the tallies of a task by updates of memory.
//
// Input: a task with addresses. Output: the same without tallies. A counter at a constant place has a variable of the thread: the body
// updates the variable during a chunk of iterations, and the epilogue merges it into the counter. Histograms are updated in private copies,
// or by atomics if copies do not pay. If the result must not depend on the threads, sums of errors are accumulated in private copies, too,
// since they would otherwise depend on the order of the chunks. Serial code updates the counters directly.
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

// across appends the reduction of the lanes of a number.
func across(b *ir.Builder, v *ir.Value, kind ir.AtomicKind) *ir.Value {
	return b.Across(v, func(x, y *ir.Value) *ir.Value { return b.Updated(kind, x, []*ir.Value{y}) })
}

// class is the alias class of a field.
func class(f *ir.Field) int32 { return int32(f.Index + 1) }

// A lowering is the state of the pass.
type lowering struct {
	k         *ir.Kernel
	t         *ir.Task
	lay       unit.Layout
	serial    bool
	copied    bool        // threads have private copies of the histograms
	start     *ir.Builder // appends to the start of a serial task, or of a chunk
	bases     map[*ir.Field]*ir.Value
	variables map[counter]*ir.Value // the variables of a thread
	order     []counter             // the counters that have variables, in the order of their creation
	b         *ir.Builder
}

// block replaces the tallies of a block and its regions. Turn is the loop index by which iterations alternate between the copies of a
// histogram; nil outside of loops.
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

// part appends the update of the counter of a part.
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

// plain appends a non-atomic update, of memory that no other thread accesses.
func (l *lowering) plain(p *ir.Value, kind ir.AtomicKind, v *ir.Value, alias int32) {
	b := l.b
	old := b.Load(v.Type, p)
	old.Def.Alias = alias
	b.Store(p, b.Updated(kind, old, []*ir.Value{v}))
	b.Block.Ops[len(b.Block.Ops)-1].Alias = alias
}

// variable returns the variable of a thread for a counter, and makes it if there is none.
func (l *lowering) variable(c counter) *ir.Value {
	if v := l.variables[c]; v != nil {
		return v
	}
	b, kind := l.start, c.field.Comps[0]
	v := b.Alloc(kind, int(c.lanes), "acc")
	first := c.kind.Identity(kind)
	if kind.IsFloat() {
		first = ir.FloatBits(kind, math.Copysign(0, -1)) // the identity of sums of floats
	}
	b.Store(v, b.Const(ir.Vec(kind, int(c.lanes)), first))
	b.Block.Ops[len(b.Block.Ops)-1].Alias = access.LocalClass(l.k)
	l.variables[c], l.order = v, append(l.order, c)
	return v
}

// bucket appends the addition of n to a bucket of a histogram.
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

// place appends the address of an element of a field of counters. Its index is a constant, plus n unless that is nil.
func (l *lowering) place(f *ir.Field, n *ir.Value, at int64) *ir.Value {
	b, i64, a := l.b, ir.Scalar(ir.I64), l.lay.Access(f, 0)
	size := int64(f.Comps[0].Size())
	p := l.bases[f]
	if p == nil {
		p = l.start.Emit(access.BaseOp(access.BaseIndex(l.k, a.Tree), l.t.Pos))
		l.bases[f] = p
	}
	if n != nil { // by way of an index, as in accesses to fields: LLVM makes slower code of other conversions
		p = b.Op(ir.OpOffset, p, b.NoWrap(ir.OpMul, b.Convert(b.Convert(n, l.k.Int), ir.I64), b.Int(i64, size)))
	}
	if at = a.Const + at*size; at != 0 {
		p = b.Op(ir.OpOffset, p, b.Int(i64, at))
	}
	return p
}
