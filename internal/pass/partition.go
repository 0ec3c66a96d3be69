package pass

import (
	"math"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// partition assigns each list to one thread that alone appends to it, in loops that do little more than compute the list for each
// iteration, such as sorting particles into cells.
//
// Input: a range task with places. Output: the same task over a few partitions. Each of them visits all iterations in order, and
// appends if the list belongs to it:
//
//	for 0, n { (%i: i32)
//		%l = … ; %mine = eq (hash of %l), %owner
//		if %mine { %k = append.nonatomic @L %l ; store … } else { … }
//	}
//
// Threads that append to the same lists wait for each other's cache lines at every atomic, some hundred cycles each. Up to mostParts
// partitions, computing all lists in each of them costs less; see pick for how. Lists then have the order of the iterations. A task
// with one thread needs neither partitions nor atomics.
func partition(s *state, t *ir.Task) {
	if len(t.Dims) == 0 || t.Helper {
		return
	}
	w := &partitioner{s: s, t: t}
	ir.Visit(t.Body, func(o *ir.Op) bool {
		if o.Code == ir.OpAppend && o.Field.Sparse && !o.Flags.Has(ir.NonAtomic) {
			w.appends = append(w.appends, o)
		}
		return true
	})
	if len(w.appends) == 0 {
		return
	}
	n := w.number()
	alone := s.opts.Threads == 1 || t.Threads == 1
	switch {
	case !alone && (n == 0 || !w.fit()):
	case alone || n == 1:
		t.Threads = 1
		w.plain(note.InOrderPlain)
	default:
		w.plain(note.OwnLists, n)
		w.divide(int64(n))
	}
}

const (
	mostParts  = 8       // partitions of a loop
	ownedLeast = 4096    // the fewest iterations for one more partition
	ownedCost  = 32      // the highest cost of an iteration that always appends, in simple operations: less than that of the atomic
	rareCost   = 12      // the same for one that may not append
	ownedGroup = 64      // neighbouring lists in one partition, whose lengths share a cache line
	ownedSpan  = 1 << 30 // the most iterations of a loop, since it cannot be cancelled
)

// A partitioner decides whether to partition a task, and does it.
type partitioner struct {
	s       *state
	t       *ir.Task
	appends []*ir.Op
	cost    int                 // of an iteration, without the ops that depend on the appends
	parts   map[*ir.Op][]*ir.Op // the ops that depend on each append, in order
	needed  map[*ir.Op][]*ir.Op // the ops that must be computed before each append
	loaded  []*ir.Op            // places that all partitions read
}

// plain flags the appends as those of one thread.
func (w *partitioner) plain(why note.Reason, args ...any) {
	for _, o := range w.appends {
		o.Flags |= ir.NonAtomic
		w.s.opts.Notes.Say(o.Pos, why, args...)
	}
}

// number returns the number of partitions; 0 if partitions do not pay.
func (w *partitioner) number() int {
	n := w.s.opts.Threads
	if n == 0 || n > 2*mostParts && !w.s.opts.Deterministic {
		return 0 // unknown, or too many
	}
	lists := int64(1)
	for _, o := range w.appends {
		lists = max(lists, listsOf(o.Field))
	}
	if trips, ok := tripCount(w.t); ok {
		if trips > ownedSpan {
			return 0
		}
		n = min(n, int(min(trips/ownedLeast, mostParts)))
	}
	return max(1, min(n, mostParts, int(min(lists, mostParts))))
}

// listsOf is the number of lists of a field; at most MaxInt32.
func listsOf(f *ir.Field) int64 {
	n := int64(1)
	for _, extent := range f.Shape[:f.Rank()-1] {
		var ok bool
		if n, ok = analysis.MulExact(n, max(1, extent)); !ok || n > math.MaxInt32 {
			return math.MaxInt32
		}
	}
	return n
}

// fit reports whether each partition may run the task. It sorts the ops into those that each partition repeats and those that depend
// on an append.
func (w *partitioner) fit() bool {
	t := w.t
	if len(t.Lists)+len(t.Private)+t.Parts > 0 || t.Partial != nil || len(t.Epilogue.Ops) != 1 {
		return false
	}
	for _, o := range t.Prologue.Ops {
		if o.Code == ir.OpAlloc || !o.Code.Is(ir.Pure) && !o.Code.Is(ir.Terminator) {
			return false
		}
	}
	w.parts, w.needed = map[*ir.Op][]*ir.Op{}, map[*ir.Op][]*ir.Op{}
	most := ownedCost
	if !slices.ContainsFunc(t.Body.Ops, func(o *ir.Op) bool { return o.Code == ir.OpAppend }) {
		most = rareCost
	}
	return w.scan(t.Body) && w.disjoint() && w.cost <= most
}

// scan sorts the ops of b. An op that depends on an append moves right behind it. The values between them that such an op uses, which
// must be simple, are computed before the append.
func (w *partitioner) scan(b *ir.Block) bool {
	by := map[*ir.Value]*ir.Op{}
	at := map[*ir.Op]int{}
	for i, o := range b.Ops {
		at[o] = i
		from, ok := dependsOn(o, by)
		switch {
		case !ok || from != nil && (o.Code == ir.OpAppend || !movable(o)):
			return false
		case o.Code == ir.OpAppend:
			by[o.Results[0]] = o
		case from != nil:
			if !w.bring(from, o, by, at) {
				return false
			}
			for _, r := range o.Results {
				by[r] = from
			}
		case !w.repeatable(o):
			return false
		}
	}
	return true
}

// bring adds o to the ops that depend on an append, after the ops between the append and o that o uses. An op may be added several
// times; the first counts.
func (w *partitioner) bring(from, o *ir.Op, by map[*ir.Value]*ir.Op, at map[*ir.Op]int) bool {
	ok := true
	var needed []*ir.Op
	var need func(v *ir.Value)
	use := func(o *ir.Op) bool {
		for _, v := range o.Args {
			need(v)
		}
		return ok
	}
	need = func(v *ir.Value) {
		i, here := at[v.Def]
		if !ok || !here || v.Def == o || i < at[from] || by[v] != nil {
			return
		}
		if ok = v.Def.Code.Is(ir.Pure) && len(v.Def.Regions) == 0; ok {
			use(v.Def)
			needed = append(needed, v.Def)
		}
	}
	use(o)
	for _, r := range o.Regions {
		ir.Visit(r, use)
	}
	w.needed[from] = append(w.needed[from], needed...)
	w.parts[from] = append(w.parts[from], o)
	return ok
}

// dependsOn returns the append on which o depends. It is not ok if there are several.
func dependsOn(o *ir.Op, by map[*ir.Value]*ir.Op) (from *ir.Op, ok bool) {
	ok = true
	use := func(o *ir.Op) {
		for _, v := range o.Args {
			if a := by[v]; a != nil {
				ok = ok && (from == nil || from == a)
				from = a
			}
		}
	}
	use(o)
	for _, r := range o.Regions {
		ir.Visit(r, func(o *ir.Op) bool {
			use(o)
			return true
		})
	}
	return from, ok
}

// movable reports whether o, which depends on an append, may move right behind it.
func movable(o *ir.Op) bool {
	ok := !o.Code.Is(ir.Terminator)
	for _, r := range o.Regions {
		ir.Visit(r, func(o *ir.Op) bool {
			switch o.Code {
			case ir.OpYield, ir.OpLoad, ir.OpStore, ir.OpAtomic, ir.OpPtr, ir.OpElem, ir.OpIf:
			default:
				ok = ok && o.Code.Is(ir.Pure)
			}
			return ok
		})
	}
	switch o.Code {
	case ir.OpIf, ir.OpLoad, ir.OpStore, ir.OpAtomic, ir.OpPtr, ir.OpElem:
		return ok
	}
	return ok && o.Code.Is(ir.Pure)
}

// repeatable reports whether each partition may run o, and adds its cost.
func (w *partitioner) repeatable(o *ir.Op) bool {
	switch o.Code {
	case ir.OpIf, ir.OpBlock:
		w.cost++
		for _, r := range o.Regions {
			if !w.scan(r) {
				return false
			}
		}
		return true
	case ir.OpYield, ir.OpContinue, ir.OpBreak, ir.OpIteration:
		return true
	case ir.OpPtr, ir.OpElem:
		w.cost += 2
		return w.s.opts.Unchecked || o.Flags.Has(ir.InBounds) // a failure must be reported once
	case ir.OpLoad:
		w.cost += 2
		w.loaded = append(w.loaded, o.Args[0].Def)
		return true
	case ir.OpCall, ir.OpLookup:
		return false
	case ir.OpDiv, ir.OpRem, ir.OpFloorDiv, ir.OpMod, ir.OpSqrt, ir.OpRsqrt, ir.OpCbrt:
		w.cost += 8
	}
	if o.Code.Is(ir.Math) {
		w.cost += 20
	}
	w.cost++
	return o.Code.Is(ir.Pure)
}

// disjoint reports whether no partition reads what another writes.
func (w *partitioner) disjoint() bool {
	trees, params := map[int]bool{}, false
	for _, ops := range w.parts {
		for _, o := range ops {
			for _, place := range stored(o) {
				if place == nil || place.Code != ir.OpPtr {
					return false
				}
				params = params || place.Field.View != nil
				trees[w.s.opts.Layout.Access(place.Field, int(place.Aux)).Tree] = true
			}
		}
	}
	for _, o := range w.appends {
		trees[w.s.opts.Layout.Cells(o.Field).Tree] = true
	}
	for _, place := range w.loaded {
		switch {
		case place == nil:
			return false
		case place.Code == ir.OpFrame:
		case params || place.Code != ir.OpElem && place.Code != ir.OpPtr:
			return false
		case place.Code == ir.OpPtr && trees[w.s.opts.Layout.Access(place.Field, int(place.Aux)).Tree]:
			return false
		}
	}
	return true
}

// stored returns the places that o writes to.
func stored(o *ir.Op) []*ir.Op {
	var places []*ir.Op
	note := func(o *ir.Op) bool {
		if o.Code == ir.OpStore || o.Code == ir.OpAtomic {
			places = append(places, o.Args[0].Def)
		}
		return true
	}
	note(o)
	for _, r := range o.Regions {
		ir.Visit(r, note)
	}
	return places
}

// divide replaces the task by one over partitions, each of which visits all iterations.
func (w *partitioner) divide(n int64) {
	t, old := w.t, w.t.Body
	i32 := ir.Scalar(ir.I32)
	t.Body = &ir.Block{}
	me := t.Body.AddParam(i32, "owner")
	b := ir.NewBuilder(t.Body)
	b.Pos = t.Pos
	subst := map[*ir.Value]*ir.Value{}
	var params []*ir.Value
	var nest func(d int)
	nest = func(d int) {
		kind := t.Dims[d].Kind
		if d+1 == len(t.Dims) && w.pickable(old) {
			w.pick(b, me, n, params, old)
			return
		}
		loop := ir.NewOp(ir.OpFor, t.Pos, nil, limit(b, kind, t.Dims[d].Lo), limit(b, kind, t.Dims[d].Hi))
		p := loop.Regions[0].AddParam(ir.Scalar(kind), old.Params[d].Name)
		subst[old.Params[d]], params = p, append(params, p)
		b.Emit(loop)
		b.In(loop.Regions[0], func() {
			if d+1 < len(t.Dims) {
				nest(d + 1)
				b.Jump(ir.OpContinue, loop)
				return
			}
			iteration(b, t, params)
			ir.Visit(old, func(o *ir.Op) bool {
				if o.Code == ir.OpContinue && o.Target == nil {
					o.Target = loop
				}
				return true
			})
			w.claim(old, me, n)
			loop.Regions[0].Ops = append(loop.Regions[0].Ops, old.Ops...)
			ir.Substitute(loop.Regions[0], subst)
		})
	}
	nest(0)
	b.Jump(ir.OpContinue, nil)
	t.Nest, t.Low, t.Rows = nil, nil, ir.Rows{}
	t.Dims = []ir.Dim{{Kind: ir.I32, Hi: ir.Bound{Const: n}}}
}

// limit appends the value of a bound.
func limit(b *ir.Builder, kind ir.Kind, at ir.Bound) *ir.Value {
	typ := ir.Scalar(kind)
	var v *ir.Value
	switch at.From {
	case ir.FromConst:
		return b.Int(typ, at.Const)
	case ir.FromFrame:
		v = b.Convert(b.Load(ir.Scalar(ir.I64), unit.FrameAt(b, at.Slot, ir.I64, 1)), kind)
	case ir.FromArg:
		v = b.OpOf(ir.OpParam, typ)
		v.Def.Aux = at.Slot
	case ir.FromLen:
		v = b.Length(at.Param, kind)
		if at.Div > 1 {
			v = b.Op(ir.OpDiv, v, b.Int(typ, at.Div))
		}
	}
	return b.Op(ir.OpAdd, v, b.Int(typ, at.Const))
}

// claim puts the appends of b, and the ops that depend on them, under the condition that their list belongs to partition me of n.
func (w *partitioner) claim(b *ir.Block, me *ir.Value, n int64) {
	moved := map[*ir.Op]bool{}
	for _, ops := range w.parts {
		for _, o := range ops {
			moved[o] = true
		}
	}
	ops := b.Ops
	b.Ops = make([]*ir.Op, 0, len(ops))
	build := ir.NewBuilder(b)
	for _, o := range ops {
		build.Pos = o.Pos
		switch {
		case moved[o]:
		case o.Code == ir.OpAppend:
			for _, e := range w.needed[o] {
				if !moved[e] {
					moved[e] = true
					b.Ops = append(b.Ops, e)
				}
			}
			mine := build.Op(ir.OpEq, partOf(build, o, n), me)
			build.If(mine, nil, func() {
				build.Block.Ops = append(append(build.Block.Ops, o), w.parts[o]...)
				build.Yield()
			}, func() { build.Yield() })
		default:
			for _, r := range o.Regions {
				w.claim(r, me, n)
			}
			b.Ops = append(b.Ops, o)
		}
	}
}

// partOf appends the partition of the list that o appends to. Neighbouring lists are in the same partition, so that their lengths stay
// in the cache of one processor. Groups of lists are spread by a hash (Fibonacci hashing: Knuth, The Art of Computer Programming,
// volume 3, 6.4), since a program may use the lists of one region more than others.
func partOf(b *ir.Builder, o *ir.Op, n int64) *ir.Value {
	u32 := ir.Scalar(ir.U32)
	number := b.Int(u32, 0)
	for axis, v := range o.Args {
		stride := o.Field.Shape[axis]
		if stride > 1<<16 { // as in a domain without bounds; products wrap
			stride = 65599
		}
		number = b.Op(ir.OpAdd, b.Op(ir.OpMul, number, b.Int(u32, stride)), b.Convert(v, ir.U32))
	}
	group := int64(ownedGroup)
	for group > 1 && listsOf(o.Field)/group < 2*ownedGroup*n {
		group /= 2
	}
	number = b.Op(ir.OpDiv, number, b.Int(u32, group))
	hash := b.Op(ir.OpShr, b.Op(ir.OpMul, number, b.Int(u32, 0x9e3779b1)), b.Int(u32, 16))
	return b.Convert(b.Op(ir.OpShr, b.Op(ir.OpMul, hash, b.Int(u32, n)), b.Int(u32, 16)), ir.I32)
}
