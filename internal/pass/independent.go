package pass

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// independent marks tasks of which no iteration stores to memory and then accesses the
// same memory again.
//
// Input: a task with addresses, at the end of the pipeline. Output: the same, with
// Independent set where that is proven.
//
// Iterations of a parallel loop are independent of each other by the rules of the
// language. LLVM has metadata to be told so, llvm.loop.parallel_accesses, but takes it
// for more: its vectoriser (InterleavedAccessInfo) then believes that the accesses of
// one iteration have no dependences either, and moves a load of a struct's member up to
// the first load of the struct, past a store under a condition to that member. Loads
// only move up and stores only move down there, so a load before a store to the same
// place is safe, and a store before any access to its place is not.
func independent(t *ir.Task, opts *Options) {
	if len(t.Dims) == 0 {
		return
	}
	ir.NumberBlock(t.Body, ir.NumberBlock(t.Prologue, 0))
	d := &dependences{r: rangesOf(t, opts), forms: map[string]int{}, left: mostPairs}
	d.block(t.Body)
	t.Independent = !d.found
}

// mostPairs bounds how many pairs of accesses are compared in a task; beyond it
// nothing is proven.
const mostPairs = 1 << 20

// dependences looks for an access that may touch what was stored before it in the same
// iteration of the task's loop.
type dependences struct {
	r      *rangeInfo
	forms  map[string]int // numbers of the forms of addresses, by their text
	stored []reference    // what may have been stored where the walk is; only ever appended to
	all    []reference    // every access of the loops around where the walk is
	loops  int            // how many loops there are around it
	left   int            // comparisons left
	found  bool
}

// A reference is an access to memory: size bytes at root + terms of at + at.c.
type reference struct {
	class  int32 // alias class, 0 for any
	root   *ir.Value
	at     linear
	form   int // equal for equal terms of at
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
		x.at = x.at.plus(d.r.linearOf(x.root.Def.Args[1]), 1)
		x.root = x.root.Def.Args[0]
	}
	x.form = d.number(x.at.terms)
	return x
}

// number returns a number that stands for terms.
func (d *dependences) number(terms []linTerm) int {
	key := make([]byte, 0, 64)
	for _, t := range terms {
		key = appendWord(appendWord(key, int64(t.v.ID)), t.coef)
	}
	n, ok := d.forms[string(key)]
	if !ok {
		n = len(d.forms)
		d.forms[string(key)] = n
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

// access compares x with all that may have been stored before. Memory of the thread's
// own is left out: nothing is promised of it.
func (d *dependences) access(x reference) {
	if o := x.root.Def; o != nil && (o.Code == ir.OpAlloc || o.Code == ir.OpFrame) {
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

// branches walks an if: what one region has stored the other does not meet.
func (d *dependences) branches(o *ir.Op) {
	before := len(d.stored)
	d.block(o.Regions[0])
	first := slices.Clone(d.stored[before:])
	d.stored = d.stored[:before]
	d.block(o.Regions[1])
	d.stored = append(d.stored, first...)
}

// loop walks a loop, and then compares what its iterations store with what later ones
// access.
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

// meets reports whether y, in the same iteration of all loops as s, may touch what s
// has stored.
func (d *dependences) meets(s, y *reference) bool {
	if apart, known := s.apart(y); known {
		return !apart
	}
	if s.form == y.form {
		return overlap(y.at.c-s.at.c, s.size, y.size)
	}
	gap, ok := d.r.interval(y.at.plus(s.at, -1))
	return !ok || gap.any || gap.lo < s.size && gap.hi > -y.size
}

// apart tells what roots and classes say: whether s and y never overlap. It is not
// known where their offsets decide.
func (s *reference) apart(y *reference) (apart, known bool) {
	if s.class != y.class && s.class != 0 && y.class != 0 {
		return true, true
	}
	a, b := s.root.Def, y.root.Def
	switch {
	case s.root == y.root:
		return false, false
	case a == nil || b == nil || a.Code != b.Code:
		return false, true
	case a.Code == ir.OpBase:
		return true, a.Aux != b.Aux // the memory of two trees
	case a.Code == ir.OpArgPtr:
		return false, a.Param != b.Param // the caller may pass the same memory twice
	}
	return false, true
}

// overlap reports whether y bytes that lie gap behind s bytes overlap them.
func overlap(gap, s, y int64) bool { return gap < s && gap > -y }

// A carriedLoop is what is known of a loop's iterations.
type carriedLoop struct {
	index *ir.Value          // what counts them by ones, nil if nothing does
	trips int64              // at most so many, 0 if that is not known
	inner map[*ir.Value]bool // what is computed within
}

func carrier(o *ir.Op) *carriedLoop {
	c := &carriedLoop{inner: map[*ir.Value]bool{}}
	body := o.Regions[0]
	for _, p := range body.Params {
		c.inner[p] = true
	}
	ir.Walk(body, func(o *ir.Op) bool {
		for _, v := range o.Results {
			c.inner[v] = true
		}
		for _, r := range o.Regions {
			for _, p := range r.Params {
				c.inner[p] = true
			}
		}
		return true
	})
	if o.Code == ir.OpFor {
		c.index = body.Params[0]
		lo, ok1 := ir.IntOf(o.Args[0])
		hi, ok2 := ir.IntOf(o.Args[1])
		if ok1 && ok2 {
			c.trips = max(hi-lo, 1)
		}
	}
	return c
}

// carried reports whether y, in a later iteration of the loop c, may touch what s has
// stored.
func (d *dependences) carried(c *carriedLoop, s, y *reference) bool {
	if apart, known := s.apart(y); known {
		return !apart
	}
	if s.form != y.form || s.root.Def != nil && c.inner[s.root] && s.root.Def.Code != ir.OpBase {
		return true
	}
	step, gap := int64(0), y.at.c-s.at.c
	for _, t := range y.at.terms {
		switch {
		case t.v == c.index:
			step = t.coef
		case c.inner[t.v]:
			return true
		}
	}
	switch nearest := gap + step; { // one iteration later
	case step == 0:
		return overlap(gap, s.size, y.size)
	case step > 0 && nearest >= s.size, step < 0 && nearest <= -y.size:
		return false
	}
	// They may still be so far apart that all iterations do not bring them together.
	farthest := gap + step*(c.trips-1)
	return c.trips == 0 || !(step > 0 && farthest <= -y.size || step < 0 && farthest >= s.size)
}
