package pass

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// independent marks tasks whose iterations never access memory again that they have
// stored to.
//
// Input: a task with addresses, at the end of the pipeline. Output: the same, with
// Independent set where that is proven, and the flag Dependent on the innermost loops
// inside for which it is not: older versions of LLVM reorder the accesses of such a loop
// even though nothing was promised (llvm/llvm-project#63602, mended in version 17).
//
// The rules of the language make the iterations of a parallel loop independent of each
// other. LLVM's metadata for this is llvm.loop.parallel_accesses, but LLVM assumes more:
// its vectoriser (InterleavedAccessInfo) takes the accesses within one iteration as
// independent too. It then hoists a load of a struct's member to the first load of the
// struct, past a conditional store to that member. It only hoists loads and only sinks
// stores. So a load followed by a store to the same place is safe; a store followed by
// any access to the same place is not.
func independent(t *ir.Task, opts *Options) {
	first := 0
	if t.Prologue != nil {
		first = ir.NumberBlock(t.Prologue, 0)
	}
	ir.NumberBlock(t.Body, first)
	r := analysis.RangesOf(t, opts.Without)
	if len(t.Dims) > 0 {
		d := &dependences{r: r, termIDs: map[string]int{}, left: mostPairs}
		d.block(t.Body)
		t.Independent = !d.found && !(len(t.Lists) > 0 && t.Threads == 1) // a serial loop over cells has the order of the list
	}
	for _, b := range t.Blocks() {
		markDependent(b, func(body *ir.Block) bool {
			d := &dependences{r: r, termIDs: map[string]int{}, left: mostPairs, locals: true}
			d.block(body)
			return d.found
		})
	}
}

// independentAll marks all tasks. Of the loops of functions, which LLVM may not inline, nothing
// is known.
func independentAll(s *state) {
	for _, fn := range s.k.Funcs {
		markDependent(fn.Body, func(*ir.Block) bool { return true })
	}
	for _, t := range s.k.Tasks {
		independent(t, s.opts)
	}
}

// markDependent sets the flag Dependent on innermost loops in b that store, and whose
// bodies are found to access such memory again.
func markDependent(b *ir.Block, found func(body *ir.Block) bool) {
	ir.Visit(b, func(o *ir.Op) bool {
		if o.Code != ir.OpFor { // any other loop polls, and so is not vectorised
			return true
		}
		body := o.Regions[0]
		if innermost(body) && unit.HasOp(ir.OpStore, body.Ops...) && found(body) {
			o.Flags |= ir.Dependent
		}
		return true
	})
}

// innermost reports whether there is no loop in b.
func innermost(b *ir.Block) bool {
	inner := true
	ir.Visit(b, func(o *ir.Op) bool {
		inner = inner && !o.Code.Is(ir.Loop)
		return inner
	})
	return inner
}

// mostPairs limits how many pairs of accesses are compared in a task. A task with more is
// not marked.
const mostPairs = 1 << 20

// dependences looks for an access that may touch what was stored before it in the same
// iteration of the task's loop.
type dependences struct {
	r       *analysis.RangeInfo
	termIDs map[string]int // numbers of the linear terms of addresses, see number
	stored  []reference    // the stores that may have run before the current op
	all     []reference    // every access in the loops around the current op
	loops   int            // the number of these loops
	left    int            // comparisons left, of mostPairs
	locals  bool           // whether accesses to local arrays count
	found   bool           // whether there is such an access, or too much to compare
}

// A reference is an access to size bytes of memory, at the address root + at.
type reference struct {
	class  int32 // alias class, 0 for any
	root   *ir.Value
	at     analysis.Linear
	termID int // the number of at.terms
	size   int64
	stores bool
}

func (d *dependences) block(b *ir.Block) {
	for _, o := range b.Ops {
		switch {
		case d.found:
			return
		case o.Code == ir.OpLoad:
			d.access(d.reference(o, o.Results[0].Type, false))
		case o.Code == ir.OpStore:
			d.access(d.reference(o, o.Args[1].Type, true))
		case o.Code == ir.OpAtomic:
			d.access(d.reference(o, o.Results[0].Type, true))
		case o.Code.Is(ir.Loop):
			d.loop(o)
		case o.Code == ir.OpIf:
			d.branches(o)
		default:
			for _, r := range o.Regions {
				d.block(r)
			}
		}
	}
}

// reference describes what o accesses.
func (d *dependences) reference(o *ir.Op, t ir.Type, stores bool) reference {
	x := reference{class: o.Alias, root: o.Args[0], size: int64(t.Kind.Size()) * int64(t.Lanes), stores: stores}
	for x.root.Def != nil && x.root.Def.Code == ir.OpOffset {
		x.at = x.at.Plus(d.r.LinearOf(x.root.Def.Args[1]), 1)
		x.root = x.root.Def.Args[0]
	}
	x.termID = d.number(x.at.Terms)
	return x
}

// number returns a number that identifies terms: equal terms have the same one.
func (d *dependences) number(terms []analysis.LinTerm) int {
	key := make([]byte, 0, 64)
	for _, t := range terms {
		key = appendWord(appendWord(key, int64(t.V.ID)), t.Coef)
	}
	n, ok := d.termIDs[string(key)]
	if !ok {
		n = len(d.termIDs)
		d.termIDs[string(key)] = n
	}
	return n
}

func appendWord(b []byte, v int64) []byte {
	for range 8 {
		b = append(b, byte(v))
		v >>= 8
	}
	return b
}

// access compares x with the stores before it. Accesses to local arrays and the frame do
// not count for a task, since codegen promises nothing about them.
func (d *dependences) access(x reference) {
	if o := x.root.Def; !d.locals && o != nil && (o.Code == ir.OpAlloc || o.Code == ir.OpFrame) {
		return
	}
	for i := range d.stored {
		if d.left--; d.left < 0 || d.meets(&d.stored[i], &x) {
			d.found = true
			return
		}
	}
	if x.stores {
		d.stored = append(d.stored, x)
	}
	if d.loops > 0 {
		d.all = append(d.all, x)
	}
}

// branches visits an if. A store in one region runs before no access of the other.
func (d *dependences) branches(o *ir.Op) {
	before := len(d.stored)
	d.block(o.Regions[0])
	first := slices.Clone(d.stored[before:])
	d.stored = d.stored[:before]
	d.block(o.Regions[1])
	d.stored = append(d.stored, first...)
}

// loop visits a loop, and then compares the stores of an iteration with the accesses of
// later ones: loop-carried dependences.
func (d *dependences) loop(o *ir.Op) {
	stored, all := len(d.stored), len(d.all)
	d.loops++
	d.block(o.Regions[0])
	d.loops--
	if d.found || len(d.stored) == stored {
		return
	}
	c := carrier(o)
	for i := range d.stored[stored:] {
		for j := range d.all[all:] {
			if d.left--; d.left < 0 || d.carried(c, &d.stored[stored+i], &d.all[all+j]) {
				d.found = true
				return
			}
		}
	}
}

// meets reports whether y may access the bytes that s has stored, both being in the same
// iteration of every loop around them.
func (d *dependences) meets(s, y *reference) bool {
	if apart, known := s.apart(y); known {
		return !apart
	}
	if s.termID == y.termID {
		return overlap(y.at.C-s.at.C, s.size, y.size)
	}
	gap, ok := d.r.Interval(y.at.Plus(s.at, -1))
	return !ok || gap.Any || gap.Lo < s.size && gap.Hi > -y.size
}

// apart compares the alias classes and roots of s and y. If these decide, known is true,
// and apart says that s and y never overlap; otherwise their offsets decide.
func (s *reference) apart(y *reference) (apart, known bool) {
	if s.class != y.class && s.class != 0 && y.class != 0 {
		return true, true
	}
	a, b := s.root.Def, y.root.Def
	switch {
	case s.root == y.root:
		return false, false
	case a != nil && a.Code == ir.OpAlloc || b != nil && b.Code == ir.OpAlloc:
		return true, isMemory(a) && isMemory(b)
	case a == nil || b == nil || a.Code != b.Code:
		return false, true
	case a.Code == ir.OpBase:
		return true, a.Aux != b.Aux // the memory of two trees
	case a.Code == ir.OpArgPtr:
		return false, a.Param != b.Param // the caller may pass the same memory twice
	}
	return false, true
}

// isMemory reports whether o is the begin of a piece of memory: of a local array, a tree, a block of a sparse one, or
// what the caller passes.
func isMemory(o *ir.Op) bool {
	if o == nil {
		return false
	}
	switch o.Code {
	case ir.OpAlloc, ir.OpBase, ir.OpArgPtr, ir.OpFrame, ir.OpEntry, ir.OpFollow, ir.OpGrow, ir.OpFind, ir.OpEnter:
		return true
	}
	return false
}

// overlap reports whether y bytes that begin gap bytes after the begin of s bytes overlap them.
func overlap(gap, s, y int64) bool { return gap < s && gap > -y }

// A carriedLoop describes a loop that may carry a dependence.
type carriedLoop struct {
	index *ir.Value          // the induction variable, with step 1; nil for none
	trips int64              // the trip count, at least 1; 0 if it is unknown
	inner map[*ir.Value]bool // the values defined in the loop
}

// carrier describes the loop o.
func carrier(o *ir.Op) *carriedLoop {
	body := newLoopBody(o.Regions[0])
	c := &carriedLoop{inner: body.inside}
	if o.Code == ir.OpFor {
		c.index = body.Params[0]
		lo, ok1 := ir.IntOf(o.Args[0])
		hi, ok2 := ir.IntOf(o.Args[1])
		if ok1 && ok2 {
			c.trips = max(tripsBetween(o.Args[0].Type.Kind, lo, hi), 1)
		}
	}
	return c
}

// carried reports whether y, in a later iteration of loop c, may access the bytes that s
// has stored.
func (d *dependences) carried(c *carriedLoop, s, y *reference) bool {
	if apart, known := s.apart(y); known {
		return !apart
	}
	if s.termID != y.termID || s.root.Def != nil && c.inner[s.root] && s.root.Def.Code != ir.OpBase {
		return true
	}
	step, gap := int64(0), y.at.C-s.at.C
	for _, t := range y.at.Terms {
		switch {
		case t.V == c.index:
			step = t.Coef
		case c.inner[t.V]:
			return true
		}
	}
	switch nearest := gap + step; { // one iteration later
	case step == 0:
		return overlap(gap, s.size, y.size)
	case step > 0 && nearest >= s.size, step < 0 && nearest <= -y.size:
		return false
	}
	// A loop of few iterations may end before y reaches what s has stored.
	way, ok := analysis.MulExact(step, c.trips-1)
	farthest, exact := analysis.AddExact(gap, way)
	if c.trips == 0 || c.trips == endless || !ok || !exact {
		return true
	}
	return !(step > 0 && farthest <= -y.size || step < 0 && farthest >= s.size)
}
