package pass

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/pass/split"
	"github.com/gotaichi/ti/internal/pass/states"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// loopFusion fuses two loops with the same range. Threads then start once, and values that both loops need are loaded once. The backward
// pass of a stencil has such loops: one gathers the adjoints of elements, and the other computes the adjoints of the iteration's own
// elements. Linked kernels have others: the loops of launches that follow each other (Hu, Taichi, chapter 4).
//
// Input: a kernel's body with the indices of the source. Output: the same, with one loop instead of two that come from one loop of
// the source, or from different parts of a linked kernel, if
//
//   - their ranges are equal, and in linked kernels certainly not too long, or one is over all elements of a dense field and the other over the same constant range, or both are over
//     the active cells of one node;
//   - they only compute, load and store, at places that are proved to exist, so that they cannot fail, and what the second stores to
//     sparse fields activates nothing: it is in the cell of the iteration, or in one that the first has activated (see fusiongrowth.go), or all are active
//     (option Settled);
//   - if one writes an element, only the same iteration of the other accesses it: each loop index is an index of both places, or
//     the places differ by a constant in some index, or by a congruence: where conditions prove that one writes even elements and the
//     other reads odd ones; or both only add to it (see sums);
//   - what stands between them is pure or, in linked kernels, can as well run before the first loop (see passes); and
//   - no return skips one of them, if they are of different parts, nor stands between them.
//
// The fused loop takes the place of the second. A loop is fused within its part only with loops of the same loop of the source, since
// whoever wrote two loops had a reason.
func loopFusion(k *ir.Kernel, o *Options) {
	f := newFuser(k, o)
	ops := k.Body.Ops
	for i := 0; i < len(ops); {
		j := -1
		if ops[i].IsParallel() {
			j = f.partner(ops[i:])
		}
		if j < 0 {
			i++
			continue
		}
		f.fuse(ops[i], ops[i+j], f.part(ops, i), f.part(ops, i+j))
		ops[i+j] = ops[i]
		ops = slices.Delete(ops, i, i+1)
	}
	k.Body.Ops = ops
	f.sayApart()
	for _, o := range ops {
		if names := f.names[o]; names != nil && o.Phase > 0 {
			k.Phases[o.Phase-1].Name, k.Phases[o.Phase-1].First = runsOf(names), f.first[o]
		}
	}
}

// A fuser is the state of loopFusion.
type fuser struct {
	k     *ir.Kernel
	o     *Options
	names map[*ir.Op][]string // of the loops of parts that a loop is made of
	first map[*ir.Op]int      // the first of these parts
	of    map[*ir.Op]*loopAccesses
	used  map[*ir.Value]bool // operands of some op
	late  map[*ir.Op]bool    // loops behind a return of their part

	ranges *analysis.RangeInfo // of the indices in a linked kernel
}

func newFuser(k *ir.Kernel, o *Options) *fuser {
	f := &fuser{
		k: k, o: o, names: map[*ir.Op][]string{}, first: map[*ir.Op]int{}, of: map[*ir.Op]*loopAccesses{}, used: map[*ir.Value]bool{},
		late: map[*ir.Op]bool{}, ranges: analysis.NewRangeInfo(),
	}
	if k.Parts != nil {
		f.findLate()
	}
	ir.Visit(k.Body, func(o *ir.Op) bool {
		for _, v := range o.Args {
			f.used[v] = true
		}
		return true
	})
	if k.Parts != nil && !o.Without.Has(option.Ranges) {
		f.ranges = analysis.AnalyseBody(k.Body)
	}
	return f
}

// findLate finds the loops that a return may skip.
func (f *fuser) findLate() {
	returns := false
	for _, o := range f.k.Body.Ops {
		returns = (returns || unit.HasOp(ir.OpReturn, o)) && o.Code != ir.OpPart
		if returns && o.IsParallel() {
			f.late[o] = true
		}
	}
}

// Limits of fusion: a loop is compared with so many behind it, and fused loops have at most so many ops, and bytes in arrays of
// an iteration.
const (
	maxAhead       = 16
	maxFusedOps    = 4000
	maxFusedLocals = 16 << 10
)

// part returns the part of a linked kernel that the op at i is of.
func (f *fuser) part(ops []*ir.Op, i int) int {
	for ; i >= 0; i-- {
		if ops[i].Code == ir.OpPart {
			return int(ops[i].Aux)
		}
	}
	return 0
}

// partner returns the position of the loop with which the first of ops can be fused; -1 if there is none.
func (f *fuser) partner(ops []*ir.Op) int {
	a, linked, loops := ops[0], false, 0
	for j, o := range ops[1:] {
		switch {
		case o.Code == ir.OpPart:
			linked = true
			continue
		case o.IsParallel():
			if f.fusible(a, o, linked) {
				return j + 1
			}
			loops++
		case o.Code.Is(ir.Pure) && len(o.Regions) == 0:
			continue
		}
		if f.k.Parts == nil || loops == maxAhead || !f.passes(a, o) {
			return -1
		}
	}
	return -1
}

// fuse makes one loop of a and b in a.
func (f *fuser) fuse(a, b *ir.Op, partA, partB int) {
	if f.k.Parts == nil {
		states.Join(f.k, a, b)
		f.o.Notes.Say(a.Pos, note.LoopsFused)
	} else {
		if f.names[a] == nil {
			f.first[a] = partA
		}
		f.names[a] = append(f.namesOf(a, partA), f.namesOf(b, partB)...)
		f.o.Notes.Say(b.Pos, note.LaunchesFused, runsOf(f.names[a]))
		states.Join(f.k, b, a)
		a.Phase = b.Phase // serial code between them stays before it
	}
	putBehind(a, b)
	delete(f.of, a)
}

// namesOf returns the names of the loops that a loop is made of.
func (f *fuser) namesOf(o *ir.Op, part int) []string {
	if names := f.names[o]; names != nil {
		return names
	}
	return []string{split.LoopName(f.k, o, part)}
}

// runsOf is the name of a loop that was made of others.
func runsOf(names []string) string {
	var all []string
	for i := 0; i < len(names); {
		n := i + 1
		for n < len(names) && names[n] == names[i] {
			n++
		}
		name := names[i]
		if n-i > 1 {
			name += fmt.Sprintf(" ×%d", n-i)
		}
		all, i = append(all, name), n
	}
	return strings.Join(all, " + ")
}

// putBehind appends the body of b to that of a.
func putBehind(a, b *ir.Op) {
	if b.Code == ir.OpFieldFor { // its iterations run in the order of memory
		a.Code, a.Field, a.Args = b.Code, b.Field, nil
	}
	x, y := a.Regions[0], b.Regions[0]
	wrapEarly(a)
	subst := map[*ir.Value]*ir.Value{}
	for i, p := range y.Params {
		subst[p] = x.Params[i]
	}
	ir.Substitute(y, subst)
	for _, o := range y.Ops {
		for _, r := range o.Regions {
			r.Parent = o
		}
	}
	ir.Visit(y, func(o *ir.Op) bool {
		if o.Target == b {
			o.Target = a
		}
		return true
	})
	last := len(x.Ops) - 1
	x.Ops = slices.Concat(x.Ops[:last], y.Ops[:len(y.Ops)-1], x.Ops[last:])
}

// wrapEarly puts the body of a loop into a block if an iteration may end early, so that what is put behind it runs all the same.
func wrapEarly(loop *ir.Op) {
	body := loop.Regions[0]
	last := body.Terminator()
	var early []*ir.Op
	ir.Visit(body, func(o *ir.Op) bool {
		if o.Target == loop && o != last {
			early = append(early, o)
		}
		return true
	})
	if len(early) == 0 {
		return
	}
	block := ir.NewOp(ir.OpBlock, loop.Pos, nil)
	inner := block.Regions[0]
	inner.Ops = append(slices.Clone(body.Ops[:len(body.Ops)-1]), ir.NewOp(ir.OpYield, last.Pos, nil))
	body.Ops = []*ir.Op{block, last}
	for _, o := range early {
		o.Code, o.Target = ir.OpBreak, block
	}
}

// fusible reports whether a and a loop behind it may be fused; linked says that they are of different parts of a linked kernel.
func (f *fuser) fusible(a, b *ir.Op, linked bool) bool {
	if !linked && (a.Aux != b.Aux || a.Hints != b.Hints) || a.Bits != b.Bits || a.Flags != b.Flags || !alikeHints(a.Hints, b.Hints) || !f.sameRange(a, b, linked) {
		return false
	}
	one, two := f.accesses(a), f.accesses(b)
	if !one.ok || !two.ok || !linked && (one.linked || two.linked) || linked && f.late[a] {
		return false // nothing passes a return, so that b is not skipped either
	}
	if linked && a.Code == ir.OpParFor && !f.certain(a) {
		return false // a range that is too long ends its own launch
	}
	if one.ops+two.ops > maxFusedOps || one.locals+two.locals > maxFusedLocals {
		return false
	}
	if linked && (f.o.Strict || f.o.Deterministic) && (one.rounds || two.rounds) {
		return false // the order of its sums follows from the loop as a whole
	}
	if f.uncovered(one, two) != nil || linked && f.copied(one, two) != nil {
		return false
	}
	for i := range one.places {
		for j := range two.places {
			p, q := &one.places[i], &two.places[j]
			if (p.write || q.write) && p.memory.Overlaps(q.memory) && !p.disjoint(q) && !(linked && f.sums(p, q)) {
				return false
			}
		}
	}
	return true
}

// sums reports whether all that two loops do at places is to update them by one operation whose order does not matter: for integers
// never, for floats within rounding.
func (f *fuser) sums(p, q *loopPlace) bool {
	return p.sum != ir.AtomicNone && p.sum == q.sum
}

// alikeHints reports whether the source says the same about two loops.
func alikeHints(a, b *ir.Hints) bool {
	if a == nil || b == nil {
		return a == b
	}
	return slices.Equal(a.BlockLocal, b.BlockLocal) && slices.Equal(a.CacheReadOnly, b.CacheReadOnly) && a.BlockDim == b.BlockDim && a.BitVectorize == b.BitVectorize
}

// sameRange reports whether two loops have the same iterations.
func (f *fuser) sameRange(a, b *ir.Op, linked bool) bool {
	p, q := a.Regions[0].Params, b.Regions[0].Params
	if len(p) == 0 || !slices.EqualFunc(p, q, func(v, w *ir.Value) bool { return v.Type == w.Type }) {
		return false
	}
	switch {
	case a.Code == ir.OpFieldFor && b.Code == ir.OpFieldFor:
		return a.Field == b.Field && !a.Field.Sparse || linked && f.sameCells(a.Field, b.Field)
	case a.Code == ir.OpFieldFor:
		return coversField(b, a.Field)
	case b.Code == ir.OpFieldFor:
		return coversField(a, b.Field)
	}
	return slices.EqualFunc(a.Args, b.Args, func(v, w *ir.Value) bool {
		n, ok1 := ir.IntOf(v)
		m, ok2 := ir.IntOf(w)
		return v == w || ok1 && ok2 && n == m && v.Type == w.Type
	})
}

// sameCells reports whether loops over two fields have the same iterations, in the same order of memory: those of dense fields of
// one shape, or the active cells of one node.
func (f *fuser) sameCells(a, b *ir.Field) bool {
	if a.Sparse != b.Sparse || a.View != nil || b.View != nil || a.Extents != nil || b.Extents != nil || a.Word != nil || b.Word != nil {
		return false
	}
	if a.Sparse {
		return f.o.Layout.Cells(a).Node == f.o.Layout.Cells(b).Node
	}
	return slices.Equal(a.Shape, b.Shape) && sameOrigin(a, b) && slices.Equal(f.o.Layout.Nest(a), f.o.Layout.Nest(b))
}

func sameOrigin(a, b *ir.Field) bool {
	for i := range a.Shape {
		if a.Low(i) != b.Low(i) {
			return false
		}
	}
	return true
}

// coversField reports whether a loop over constant ranges has an iteration for each element of f.
func coversField(o *ir.Op, f *ir.Field) bool {
	if f.Sparse || f.View != nil || len(o.Args) != 2*len(f.Shape) {
		return false
	}
	for i, n := range f.Shape {
		low := f.Low(i)
		lo, ok1 := ir.IntOf(o.Args[2*i])
		hi, ok2 := ir.IntOf(o.Args[2*i+1])
		if !ok1 || !ok2 || n < 0 || lo != low || hi != low+n {
			return false
		}
	}
	return true
}
