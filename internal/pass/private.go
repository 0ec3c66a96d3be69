package pass

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/access"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/pass/unit"
)

const (
	// maxPrivate is the largest size in bytes of a tree that is copied for each thread as a rule. Merging a tree that exceeds the
	// second-level caches costs more than the atomics do.
	maxPrivate = 8 << 20
	// A larger tree is copied if its elements have at least leastUpdates updates on average, and all copies together have at most maxCopies
	// bytes.
	maxCopies    = 1 << 29
	leastUpdates = 8
)

// privatise lets each thread accumulate into a private copy of a tree, if a task does nothing else with the tree and the tree is small
// compared with the task's work: a histogram, or the grid of a particle method. If it cannot copy the tree, it tries a slice of the tree
// (privateslice.go). This is the reduction in thread-local storage (reduce.go), for many places instead of one.
//
// Input: a range task before access lowering. If its number of iterations is unknown, copies must pay for a single iteration. Output: the
// same with non-atomic updates of the tree, an entry in Private, and a helper task at the end of the kernel that merges a copy. Under
// strict maths, no copies are made for sums of floats: see declineStrict.
func privatise(s *state, t *ir.Task) {
	k, lay, notes := s.k, s.opts.Layout, s.opts.Notes
	trips, ok := tripCount(t)
	if t.Prologue == nil || t.Helper {
		return
	}
	p := &privatiser{notes: notes, lay: lay, used: usedValues(t), trees: map[int]*privateTree{}}
	analysis.Weighted(t.Body, 1, func(o *ir.Op, times int64) {
		switch o.Code {
		case ir.OpLoad, ir.OpStore, ir.OpAtomic:
			p.note(o, times)
		}
	})
	for _, b := range []*ir.Block{t.Prologue, t.Epilogue} {
		ir.Visit(b, func(o *ir.Op) bool {
			if o.Code == ir.OpPtr {
				for _, pt := range p.reached(o) {
					pt.op, pt.atEnds = ir.AtomicNone, true
				}
			}
			return true
		})
	}
	chosen := map[int]bool{}
	for _, pt := range p.order {
		kind, bytes, uniform := lay.Uniform(pt.tree)
		if pt.decline(s.opts, kind, bytes, uniform, trips, ok); pt.why == nil && s.opts.Strict && !orderless(pt.op, kind) {
			pt.declineStrict()
		}
		if pt.why != nil {
			p.privatiseSlice(s, t, pt, trips, ok)
			continue
		}
		chosen[pt.tree] = true
		addPrivate(k, t, pt, kind, bytes)
		if s.opts.Deterministic {
			t.Parts = max(t.Parts, pt.parts(trips, bytes/int64(kind.Size())))
		}
	}
	plainAtomics(t.Body, func(o *ir.Op) bool {
		place := o.Args[0].Def
		ok := place != nil && place.Code == ir.OpPtr && (chosen[p.tree(place).tree] || place.Flags.Has(ir.Copied))
		if ok {
			notes.Say(o.Pos, note.PrivateCopy, place.Field.Name)
		}
		return ok
	})
	p.noteAtomics(t)
}

// decline sets pt.why to the reason why no copies are made of a tree. If they are made, pt.why stays nil.
func (pt *privateTree) decline(o *Options, kind ir.Kind, bytes int64, uniform bool, trips int64, known bool) {
	switch {
	case pt.op == ir.AtomicNone:
		pt.refuse(note.UsedOtherwise)
	case !uniform:
		pt.refuse(note.OtherNumbers)
	case bytes > maxPrivate && !pt.worthLarge(o, bytes, bytes/int64(kind.Size()), trips, known):
		pt.refuse(note.TreeTooLarge, bytes>>20)
	case analysis.WorthCopies(trips, known, pt.count, bytes/int64(kind.Size())):
	case !known:
		pt.refuse(note.TripsUnknown)
	default:
		pt.refuse(note.TooFewIterations)
	}
}

// worthLarge reports whether to copy a tree that is larger than maxPrivate. The thread that is called first works on the tree itself, and
// needs no copy. No such copies are made if the result must not depend on the number of threads, or if the number of threads or of
// iterations is unknown.
func (pt *privateTree) worthLarge(o *Options, bytes, elems, trips int64, known bool) bool {
	if o.Deterministic || o.Threads < 1 || !known {
		return false
	}
	copies, fits := analysis.MulExact(bytes, int64(o.Threads-1))
	all, small := analysis.MulExact(trips, pt.count)
	return fits && copies <= maxCopies && (!small || all/leastUpdates >= elems)
}

// refuse sets the reason why no copies are made.
func (pt *privateTree) refuse(r note.Reason, args ...any) {
	c := r.With(args...)
	pt.why = &c
}

// declineStrict declines private copies for sums of floats under strict maths. A copy starts with zero and is added to the element after
// the loop, so the element's initial value is added last. If only one iteration updates an element, the source defines another order: the
// initial value comes first.
func (pt *privateTree) declineStrict() {
	pt.refuse(note.StrictOrder)
}

// maxParts limits the number of parts of a task whose result must not depend on the number of threads. Threads beyond the number of parts
// have no work in the task.
const maxParts = 8

// parts returns the number of parts into which the iterations are divided, from 2 to maxParts. Within these limits, each part makes at
// least as many updates as the tree has elements, so that its copy pays.
func (pt *privateTree) parts(trips, elems int64) int {
	return int(max(2, min(maxParts, trips*pt.count/max(1, elems))))
}

// guessedExtent is the assumed value of an extent that is read at launch, for estimates of the work of a loop.
const guessedExtent = 1 << 10

// tripCount returns the number of iterations of t if its bounds are constant or extents of fields. An extent counts as guessedExtent.
func tripCount(t *ir.Task) (int64, bool) {
	n := int64(1)
	for _, d := range t.Dims {
		if d.Hi.From == ir.FromLen && d.Hi.Param.Content != ir.ParamSlice && d.Lo.From == ir.FromConst {
			d.Hi = ir.Bound{Const: d.Lo.Const + (guessedExtent+d.Hi.Shrink()-1)/d.Hi.Shrink()}
		}
		if d.Lo.From != ir.FromConst || d.Hi.From != ir.FromConst {
			return 0, false
		}
		var ok bool
		if n, ok = analysis.MulExact(n, max(0, d.Hi.Const-d.Lo.Const)); !ok {
			return 0, false
		}
	}
	return n, true
}

// A privateTree is a tree that the task accesses.
type privateTree struct {
	tree  int
	op    ir.AtomicKind // the operation of all updates; AtomicNone if there are other accesses
	count int64         // number of updates in an iteration
	class int32         // alias class of one of its fields

	atEnds bool // the prologue or epilogue accesses it

	why *note.Cause // why no copies of it are made
}

type privatiser struct {
	notes *note.Notes
	lay   unit.Layout
	used  map[*ir.Value]bool
	trees map[int]*privateTree
	order []*privateTree
}

// treeOf returns the tree of the component that is choice i of place.
func (p *privatiser) treeOf(place *ir.Op, i int) int {
	return p.lay.Access(place.Field, int(place.Aux)+i*int(place.Stride)).Tree
}

// tree returns the entry of the tree of place's component. If the component is chosen at run time, it is the first choice.
func (p *privatiser) tree(place *ir.Op) *privateTree { return p.component(place, 0) }

// component returns the entry of the tree of the component that is choice i of place.
func (p *privatiser) component(place *ir.Op, i int) *privateTree {
	n := p.treeOf(place, i)
	pt := p.trees[n]
	if pt == nil {
		pt = &privateTree{tree: n, op: numAtomics, class: int32(place.Field.Index + 1)}
		p.trees[n] = pt
		p.order = append(p.order, pt)
	}
	return pt
}

// numAtomics is the op of a tree for which no access was recorded yet.
const numAtomics = ir.AtomicKind(255)

func (p *privatiser) note(o *ir.Op, times int64) {
	place := o.Args[0].Def
	if place == nil || place.Code != ir.OpPtr {
		return
	}
	kind := ir.AtomicNone
	if o.Code == ir.OpAtomic && !p.used[o.Results[0]] && !p.spansTrees(place) {
		kind = mergeKind(o.Atomic)
	}
	switch kind {
	case ir.AtomicMul, ir.AtomicLAnd, ir.AtomicLOr:
		kind = ir.AtomicNone // the engine does not fill new copies with the identity of these
	}
	for _, pt := range p.reached(place) {
		if pt.op == numAtomics {
			pt.op = kind
		}
		if pt.op != kind {
			pt.op = ir.AtomicNone
		}
		pt.count += times
	}
}

// reached returns the entries of the trees that place may reach into. They may be several if its component is chosen at run time.
func (p *privatiser) reached(place *ir.Op) []*privateTree {
	list := []*privateTree{p.tree(place)}
	for i := 1; place.Flags.Has(ir.Dynamic) && i < int(place.Bits); i++ {
		if pt := p.component(place, i); !slices.Contains(list, pt) {
			list = append(list, pt)
		}
	}
	return list
}

// spansTrees reports whether place may reach into several trees: its component is chosen at run time, and the choices are in separate trees.
func (p *privatiser) spansTrees(place *ir.Op) bool { return len(p.reached(place)) > 1 }

// addPrivate appends a private copy of the tree to t, and the helper task that merges the copy to k.
func addPrivate(k *ir.Kernel, t *ir.Task, pt *privateTree, kind ir.Kind, bytes int64) {
	base := access.BaseIndex(k, pt.tree)
	scratch := len(k.Bases)
	k.Bases = append(k.Bases, -1)
	m := mergeTask(t, pt, kind, bytes, base, scratch, int32(len(k.Fields)+2))
	m.Index = len(k.Tasks)
	k.Tasks = append(k.Tasks, m)
	t.Private = append(t.Private, ir.Private{Base: base, Scratch: scratch, Kind: kind, Op: pt.op, Merge: m.Index})
}

// mergeTask builds: for i in elements: tree[i] op= copy[i]; copy[i] = identity.
func mergeTask(of *ir.Task, pt *privateTree, kind ir.Kind, bytes int64, base, scratch int, class int32) *ir.Task {
	t := mergeAfter(of, bytes/int64(kind.Size()))
	pro := ir.NewBuilder(t.Prologue)
	to, from := pro.Emit(access.BaseOp(base, of.Pos)), pro.Emit(access.BaseOp(scratch, of.Pos))
	pro.Yield()
	mergeBody(t, of.Pos, pt, kind, to, from, class)
	return t
}

// mergeBody writes the body of a task that merges the numbers from one address on into those from another address on. It then resets the
// merged numbers to the identity.
func mergeBody(t *ir.Task, pos ir.Pos, pt *privateTree, kind ir.Kind, to, from *ir.Value, class int32) {
	i64, elem := ir.Scalar(ir.I64), ir.Scalar(kind)
	i := t.Body.AddParam(i64, "i")
	b := ir.NewBuilder(t.Body)
	b.Pos = pos
	off := b.NoWrap(ir.OpMul, i, b.Int(i64, int64(kind.Size())))
	p, q := b.Op(ir.OpOffset, to, off), b.Op(ir.OpOffset, from, off)
	v, w := b.Load(elem, q), b.Load(elem, p)
	v.Def.Alias, w.Def.Alias = class, pt.class
	b.Store(p, b.Updated(pt.op, w, []*ir.Value{v}))
	t.Body.Ops[len(t.Body.Ops)-1].Alias = pt.class
	b.Store(q, b.Const(elem, pt.op.Identity(kind)))
	t.Body.Ops[len(t.Body.Ops)-1].Alias = class
	b.Jump(ir.OpContinue, nil)
}

// mergeAfter returns a helper task of n iterations that merges results of task of. The caller writes its prologue and body.
func mergeAfter(of *ir.Task, n int64) *ir.Task {
	t := &ir.Task{
		Name: "merge after " + of.Name, Part: of.Part, First: of.First, Pos: of.Pos, Helper: true,
		Dims:     []ir.Dim{{Kind: ir.I64, Hi: ir.Bound{Const: n}}},
		Prologue: &ir.Block{}, Body: &ir.Block{}, Epilogue: &ir.Block{},
	}
	ir.NewBuilder(t.Epilogue).Yield()
	return t
}
