package pass

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/pass/states"
)

// loopFusion fuses two neighbouring loops with the same range. Threads then start once, and values that both loops need are loaded
// once. The backward pass of a stencil has such loops: one gathers the adjoints of elements, and the other computes the adjoints
// of the iteration's own elements.
//
// Input: a kernel's body with the indices of the source. Output: the same, with one loop instead of two that come from one loop of
// the source, if
//
//   - their ranges are equal, or one is over all elements of a dense field and the other over the same constant range;
//   - they only compute, load and store, at places that are proved to exist; and
//   - if one writes an element, only the same iteration of the other accesses it: each loop index is an index of both places, or
//     the places differ by a constant in some index.
func loopFusion(k *ir.Kernel, notes *note.Notes) {
	ops := k.Body.Ops
	for i := 0; i < len(ops); i++ {
		for ops[i].IsParallel() {
			j := nextLoop(ops, i)
			if j < 0 || !fusible(ops[i], ops[j]) {
				break
			}
			between := slices.Clone(ops[i+1 : j])
			putBehind(ops[i], ops[j])
			states.Join(k, ops[i], ops[j])
			notes.Say(ops[i].Pos, note.LoopsFused)
			first := ops[i]
			ops = slices.Concat(ops[:i], between, []*ir.Op{first}, ops[j+1:])
			i += len(between)
		}
	}
	k.Body.Ops = ops
}

// nextLoop returns the position of the next parallel loop after the one at i; -1 if there is none, or if an op between them is not
// pure.
func nextLoop(ops []*ir.Op, i int) int {
	for j := i + 1; j < len(ops); j++ {
		if ops[j].IsParallel() {
			return j
		}
		if !ops[j].Code.Is(ir.Pure) || len(ops[j].Regions) > 0 {
			return -1
		}
	}
	return -1
}

// putBehind appends the body of b to that of a.
func putBehind(a, b *ir.Op) {
	if b.Code == ir.OpFieldFor { // its iterations run in the order of memory
		a.Code, a.Field, a.Args = b.Code, b.Field, nil
	}
	subst := map[*ir.Value]*ir.Value{}
	x, y := a.Regions[0], b.Regions[0]
	for i, p := range y.Params {
		subst[p] = x.Params[i]
	}
	ir.Substitute(y, subst)
	last := len(x.Ops) - 1
	x.Ops = slices.Concat(x.Ops[:last], y.Ops[:len(y.Ops)-1], x.Ops[last:])
}

// fusible reports whether a and b may be fused.
func fusible(a, b *ir.Op) bool {
	if a.Aux != b.Aux || a.Bits != b.Bits || a.Hints != b.Hints || !sameRange(a, b) {
		return false
	}
	one, ok1 := placesOf(a)
	two, ok2 := placesOf(b)
	if !ok1 || !ok2 {
		return false
	}
	for _, p := range one {
		for _, q := range two {
			if (p.write || q.write) && p.at.Field == q.at.Field && p.at.Aux == q.at.Aux && !p.disjoint(&q) {
				return false
			}
		}
	}
	return true
}

// sameRange reports whether two loops have the same iterations.
func sameRange(a, b *ir.Op) bool {
	p, q := a.Regions[0].Params, b.Regions[0].Params
	if len(p) != len(q) || len(p) == 0 || p[0].Type != q[0].Type {
		return false
	}
	switch {
	case a.Code == ir.OpFieldFor && b.Code == ir.OpFieldFor:
		return a.Field == b.Field && !a.Field.Sparse
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

// A loopPlace is a place that a loop accesses.
type loopPlace struct {
	at    *ir.Op // a ptr
	write bool
	body  *ir.Block
	index []*analysis.Affine // nil for an index that is not affine
}

// disjoint reports whether different iterations of the two loops access different elements at p and q.
func (p *loopPlace) disjoint(q *loopPlace) bool {
	params := p.body.Params
	own := make([]bool, len(params))
	for i, x := range p.index {
		y := q.index[i]
		switch {
		case x == nil || y == nil:
		case x.Apart(*y):
			return true
		case x.OneParam(*y):
			if n := slices.Index(params, x.Param); n == slices.Index(q.body.Params, y.Param) {
				own[n] = true
			}
		}
	}
	return !slices.Contains(own, false)
}

// placesOf returns the places that a loop accesses. It is not ok if the loop does more than compute, load and store.
func placesOf(o *ir.Op) (places []loopPlace, ok bool) {
	body := analysis.LoopBodyOf(o.Regions[0])
	ok = true
	ir.Visit(body.Block, func(q *ir.Op) bool {
		switch q.Code {
		case ir.OpLoad, ir.OpStore, ir.OpAtomic:
			at := q.Args[0].Def
			if at == nil || at.Code != ir.OpPtr || !at.Flags.Has(ir.InBounds) || at.Flags.Has(ir.Dynamic) || at.Field.Sparse || at.Field.View != nil || q.IsPacked() {
				ok = false
				return false
			}
			p := loopPlace{at: at, write: q.Code != ir.OpLoad, body: body.Block}
			for _, v := range analysis.Indices(at) {
				x := new(analysis.Affine)
				if !x.Collect(body.Block, body.Inside, v, false) {
					x = nil
				}
				p.index = append(p.index, x)
			}
			places = append(places, p)
		case ir.OpIf, ir.OpFor, ir.OpYield:
		case ir.OpContinue:
			ok = ok && (q.Target != o || q == o.Regions[0].Terminator())
		default:
			ok = ok && q.Code.Is(ir.Pure) && len(q.Regions) == 0
		}
		return ok
	})
	return places, ok
}
