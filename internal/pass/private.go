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
	// maxPrivate is the size in bytes above which a tree is not copied for a thread as a rule:
	// beyond the second-level caches, merging costs more than the atomics do.
	maxPrivate = 8 << 20
	// A larger tree is copied where each of its elements is updated often in the mean, and all copies together
	// have no more bytes than this.
	maxCopies    = 1 << 29
	leastUpdates = 8
)

// privatise lets each thread accumulate into a copy of a tree of its own, where
// a task does nothing else with the tree and the tree is small beside the task's
// work: histograms, and the grid of a particle method; or so with a slice of it
// (privateslice.go). It is the reduction in
// thread-local storage carried from one place to many.
//
// Input: a range task before access lowering, with constant bounds. Output: the
// same with plain updates of that tree, an entry in Private, and a helper task
// at the end of the kernel that merges a copy. Under strict maths trees of floats
// get no copies: see declineStrict.
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

// decline says why no copies are made of a tree; pt.why stays nil if they are.
func (pt *privateTree) decline(o *Options, kind ir.Kind, bytes int64, uniform bool, trips int64, known bool) {
	switch {
	case pt.op == ir.AtomicNone:
		pt.says(note.UsedOtherwise)
	case !uniform:
		pt.says(note.OtherNumbers)
	case bytes > maxPrivate && !pt.worthLarge(o, bytes, bytes/int64(kind.Size()), trips, known):
		pt.says(note.TreeTooLarge, bytes>>20)
	case analysis.WorthCopies(trips, known, pt.count, bytes/int64(kind.Size())):
	case !known:
		pt.says(note.TripsUnknown)
	default:
		pt.says(note.TooFewIterations)
	}
}

// worthLarge reports whether a tree is to be copied though it is larger than most. The thread that is called first works on
// the tree itself. If the number of threads must not matter, or is not known, no such copies are made.
func (pt *privateTree) worthLarge(o *Options, bytes, elems, trips int64, known bool) bool {
	if o.Deterministic || o.Threads < 1 || !known {
		return false
	}
	copies, fits := analysis.MulExact(bytes, int64(o.Threads-1))
	all, small := analysis.MulExact(trips, pt.count)
	return fits && copies <= maxCopies && (!small || all/leastUpdates >= elems)
}

// says notes why no copies are made.
func (pt *privateTree) says(r note.Reason, args ...any) {
	c := r.With(args...)
	pt.why = &c
}

// declineStrict declines private copies for sums of floats under strict maths. A copy
// starts with zero and is added to the element after the loop, so the element's initial
// value is added last. If one iteration alone updates an element, the source defines
// another order: the initial value comes first.
func (pt *privateTree) declineStrict() {
	pt.says(note.StrictOrder)
}

// maxParts limits the parts of a task whose result must not depend on the number of
// threads, and so how many threads are of use to it.
const maxParts = 8

// parts returns into how many parts the iterations are to be divided: no more than
// the updates are worth copies, of a tree of that many elements.
func (pt *privateTree) parts(trips, elems int64) int {
	return int(max(2, min(maxParts, trips*pt.count/max(1, elems))))
}

// guessedExtent is what an extent that is read at launch counts as, where the work of
// a loop has to be weighed.
const guessedExtent = 1 << 10

// tripCount returns the number of iterations of t if its bounds are constant or
// extents of fields.
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
	op    ir.AtomicKind // how it is accumulated; AtomicNone if in another way too
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

// treeOf is the tree of the component that is choice i of place.
func (p *privatiser) treeOf(place *ir.Op, i int) int {
	return p.lay.Access(place.Field, int(place.Aux)+i*int(place.Stride)).Tree
}

// tree returns the entry of the tree of the component that place names, the first of
// those where it is chosen at run time.
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

// numAtomics stands for a tree of which no access was seen yet.
const numAtomics = ir.AtomicKind(255)

func (p *privatiser) note(o *ir.Op, times int64) {
	place := o.Args[0].Def
	if place == nil || place.Code != ir.OpPtr {
		return
	}
	kind := ir.AtomicNone
	if o.Code == ir.OpAtomic && !p.used[o.Results[0]] && !p.apart(place) {
		kind = mergeKind(o.Atomic)
	}
	switch kind {
	case ir.AtomicMul, ir.AtomicLAnd, ir.AtomicLOr:
		kind = ir.AtomicNone // a fresh copy would have to be filled with something else than the engine does
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

// reached returns the entries of the trees that place may reach into: of several
// where it is a component chosen at run time.
func (p *privatiser) reached(place *ir.Op) []*privateTree {
	list := []*privateTree{p.tree(place)}
	for i := 1; place.Flags.Has(ir.Dynamic) && i < int(place.Bits); i++ {
		if pt := p.component(place, i); !slices.Contains(list, pt) {
			list = append(list, pt)
		}
	}
	return list
}

// apart reports whether place may reach into several trees: components chosen at
// run time that are placed apart.
func (p *privatiser) apart(place *ir.Op) bool { return len(p.reached(place)) > 1 }

// addPrivate notes the tree in t and makes the task that merges a copy.
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

// mergeBody adds number i from one address on to number i from another one on, and sets it back.
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

// mergeAfter returns a helper task of n iterations for what of leaves behind; its
// prologue and body are still to be written.
func mergeAfter(of *ir.Task, n int64) *ir.Task {
	t := &ir.Task{
		Name: "merge after " + of.Name, Pos: of.Pos, Helper: true,
		Dims:     []ir.Dim{{Kind: ir.I64, Hi: ir.Bound{Const: n}}},
		Prologue: &ir.Block{}, Body: &ir.Block{}, Epilogue: &ir.Block{},
	}
	ir.NewBuilder(t.Epilogue).Yield()
	return t
}
