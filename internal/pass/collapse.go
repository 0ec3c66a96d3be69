package pass

import (
	"math"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// collapse makes one loop of the nest over the cells of a block.
//
// Input: the task of a loop over the cells of a tree, with addresses. Output: the same, with one loop instead of the innermost
// loops of a nest with constant bounds, if their accesses are contiguous: all addresses are n*i + j plus a constant, and n is the
// trip count of the loop over j. LLVM would unroll the rows of a small block and make vectors across them, with a shuffle for
// every access.
//
// Other uses of the indices are computed from the number of the iteration, if that takes only a shift and a mask. In a body with
// branches, which LLVM seldom vectorises, no such uses are allowed.
func collapse(t *ir.Task, opts *Options) {
	if len(t.Lists) == 0 {
		return
	}
	c := &collapser{ranges: func() *analysis.RangeInfo {
		ir.NumberBlock(t.Body, ir.NumberBlock(t.Prologue, 0))
		return analysis.RangesOf(t, opts.Without)
	}}
	c.block(t.Body)
}

type collapser struct {
	ranges   func() *analysis.RangeInfo // computed when the first nest is found, since few tasks have one
	r        *analysis.RangeInfo
	nest     []*ir.Op                  // outermost first
	own      map[*ir.Value]int         // the loop of the nest that counts this index
	operands map[*ir.Value]linearPlace // of operands visited
	line     map[*ir.Op]bool           // of ops visited: whether the result is a linear form of the operands
	any      bool                      // integers may be any function of the indices
}

// A linearPlace is an integer, or a place at root, as a linear form.
type linearPlace struct {
	root *ir.Value // nil for an integer
	x    analysis.Linear
}

// block collapses the nests in b.
func (c *collapser) block(b *ir.Block) {
	var ops []*ir.Op
	for _, o := range b.Ops {
		if c.find(o); len(c.nest) > 1 {
			if c.r == nil {
				c.r = c.ranges()
			}
			if first := c.first(); first < len(c.nest)-1 {
				ops = append(ops, c.join(first)...)
				continue
			}
		}
		for _, r := range o.Regions {
			c.block(r)
		}
		ops = append(ops, o)
	}
	b.Ops = ops
}

// find sets the nest of loops that begins with o.
func (c *collapser) find(o *ir.Op) {
	if c.nest = nil; !c.counts(o) {
		return
	}
	c.own, c.operands, c.line = map[*ir.Value]int{}, map[*ir.Value]linearPlace{}, map[*ir.Op]bool{}
	for o != nil && c.counts(o) {
		c.own[o.Regions[0].Params[0]] = len(c.nest)
		c.nest = append(c.nest, o)
		o = onlyLoop(o)
	}
}

// counts reports whether o is a loop with constant bounds and nothing carried.
func (c *collapser) counts(o *ir.Op) bool {
	if o.Code != ir.OpFor || len(o.Args) != 2 || o.Flags.Has(ir.Rolled) {
		return false
	}
	lo, ok1 := ir.IntOf(o.Args[0])
	hi, ok2 := ir.IntOf(o.Args[1])
	return ok1 && ok2 && lo < hi
}

// trips is how many iterations loop i of the nest has.
func (c *collapser) trips(i int) int64 {
	lo, _ := ir.IntOf(c.nest[i].Args[0])
	hi, _ := ir.IntOf(c.nest[i].Args[1])
	return hi - lo
}

// onlyLoop returns the loop that the body of o consists of, but for arithmetic before it.
func onlyLoop(o *ir.Op) *ir.Op {
	ops := o.Regions[0].Ops
	last := len(ops) - 2
	if last < 0 || ops[last].Code != ir.OpFor || ops[last+1].Code != ir.OpContinue || ops[last+1].Target != o {
		return nil
	}
	for _, p := range ops[:last] {
		if !p.Code.Is(ir.Pure) || len(p.Regions) > 0 {
			return nil
		}
	}
	return ops[last]
}

// first returns the outermost loop from which on the nest can become one loop.
func (c *collapser) first() int {
	last := len(c.nest) - 1
	first := 0
	for i := range last {
		if c.nest[i].Flags != c.nest[last].Flags || c.nest[i].Args[0].Type != c.nest[last].Args[0].Type {
			first = i + 1
		}
	}
	// Rows of at most longest cells are too short to vectorise alone. The number of cells must fit the index type.
	const longest = 64
	total := c.trips(last)
	if total > longest {
		return last
	}
	for i := last - 1; i >= first; i-- {
		if total *= c.trips(i); total > math.MaxInt16 {
			first = i + 1
		}
	}
	c.any = c.cheapDigits()
	look := func(o *ir.Op) bool {
		first = max(first, c.left(o))
		if c.line[o] = c.linear(o); !c.line[o] {
			for _, v := range o.Args {
				first = max(first, c.fits(v))
			}
		}
		return true
	}
	for _, l := range c.nest[:last] {
		ops := l.Regions[0].Ops
		for _, o := range ops[:len(ops)-2] {
			look(o)
		}
	}
	ir.Visit(c.nest[last].Regions[0], look)
	return first
}

// cheapDigits reports whether the index of each loop may as well be computed from the
// number of the iteration.
func (c *collapser) cheapDigits() bool {
	for i := range c.nest {
		if n := c.trips(i); n&(n-1) != 0 {
			return false
		}
	}
	branches := false
	ir.Visit(c.nest[len(c.nest)-1].Regions[0], func(o *ir.Op) bool {
		branches = branches || len(o.Regions) > 0
		return !branches
	})
	return !branches
}

// left returns the outermost loop that can be collapsed with those inside although there is a jump.
func (c *collapser) left(o *ir.Op) int {
	last := len(c.nest) - 1
	for i, loop := range c.nest {
		if o.Target == loop && (o.Code == ir.OpBreak || i < last) {
			return min(i+1, last)
		}
	}
	return 0
}

// linear reports whether o has a result that is a linear form of its operands.
func (c *collapser) linear(o *ir.Op) bool {
	if o.Code == ir.OpOffset {
		return true
	}
	if len(o.Results) != 1 || !o.Code.Is(ir.Pure) || !o.Results[0].Type.Kind.IsInt() {
		return false
	}
	x := c.r.LinearOf(o.Results[0])
	return len(x.Terms) != 1 || x.Terms[0].V != o.Results[0]
}

// of returns v as a linear form.
func (c *collapser) of(v *ir.Value) linearPlace {
	if f, ok := c.operands[v]; ok {
		return f
	}
	var f linearPlace
	switch {
	case v.Type.Lanes != 1:
	case v.Type.Kind == ir.Ptr:
		f.root = v
		for f.root.Def != nil && f.root.Def.Code == ir.OpOffset && f.root.Type.Lanes == 1 {
			f.x = f.x.Plus(c.r.LinearOf(f.root.Def.Args[1]), 1)
			f.root = f.root.Def.Args[0]
		}
	case v.Type.Kind.IsInt():
		f.x = c.r.LinearOf(v)
	}
	c.operands[v] = f
	return f
}

// counted returns the factors in f of the indices of the nest, and the rest of f.
func (c *collapser) counted(f linearPlace) (factors []int64, rest analysis.Linear) {
	factors, rest.C = make([]int64, len(c.nest)), f.x.C
	for _, t := range f.x.Terms {
		if i, ok := c.own[t.V]; ok {
			factors[i] = t.Coef
		} else {
			rest.Terms = append(rest.Terms, t)
		}
	}
	return factors, rest
}

// fits returns the outermost loop from which on v is a linear function of the number of the iteration.
func (c *collapser) fits(v *ir.Value) int {
	f := c.of(v)
	if f.root == nil && c.any {
		return 0
	}
	factors, _ := c.counted(f)
	i := len(c.nest) - 1
	for i > 0 && factors[i-1] == factors[i]*c.trips(i) {
		i--
	}
	return i
}

// join collapses the nest from loop first on. It returns the ops that replace the outermost of these loops.
func (c *collapser) join(first int) []*ir.Op {
	last := len(c.nest) - 1
	inner := c.nest[last]
	total := int64(1)
	for i := first; i <= last; i++ {
		total *= c.trips(i)
	}
	// Arithmetic between the loops moves into the body; licm hoists it again.
	before := &ir.Block{}
	b := ir.NewBuilder(before)
	b.Pos = inner.Pos
	it := inner.Args[0].Type
	loop := ir.NewOp(ir.OpFor, inner.Pos, nil, b.Int(it, 0), b.Int(it, total))
	loop.Flags = inner.Flags
	n := loop.Regions[0].AddParam(it, "")
	b.Emit(loop)
	w := &joiner{collapser: c, first: first, n: n, b: ir.NewBuilder(loop.Regions[0]), subst: unit.Subst{}}
	w.b.Pos = inner.Pos
	w.digits()
	for _, l := range c.nest[first:] {
		ops := l.Regions[0].Ops
		if l != inner {
			ops = ops[:len(ops)-2]
		}
		w.ops(ops)
	}
	ir.Visit(loop.Regions[0], func(o *ir.Op) bool {
		if o.Target == inner {
			o.Target = loop
		}
		return true
	})
	if first == 0 {
		return before.Ops
	}
	around := c.nest[first-1].Regions[0]
	end := len(around.Ops)
	around.Ops = append(append(around.Ops[:end-2:end-2], before.Ops...), around.Ops[end-1])
	return c.nest[:1]
}

// A joiner writes the body of the loop that replaces a nest.
type joiner struct {
	*collapser
	first int
	n     *ir.Value // the number of the iteration
	b     *ir.Builder
	subst unit.Subst
}

// digits appends the computation of the indices of the nest.
func (w *joiner) digits() {
	rest, it := w.n, w.n.Type
	for i := len(w.nest) - 1; i >= w.first; i-- {
		digit := rest
		if i > w.first {
			size := w.b.Int(it, w.trips(i))
			digit, rest = w.b.Op(ir.OpRem, rest, size), w.b.Op(ir.OpDiv, rest, size)
		}
		if lo, _ := ir.IntOf(w.nest[i].Args[0]); lo != 0 {
			digit = w.b.NoWrap(ir.OpAdd, digit, w.b.Int(it, lo))
		}
		w.subst[w.nest[i].Regions[0].Params[0]] = digit
	}
}

// ops appends ops of the nest.
func (w *joiner) ops(ops []*ir.Op) {
	for _, o := range ops {
		if !w.line[o] {
			o.Args = append([]*ir.Value{}, o.Args...)
			for i, v := range o.Args {
				o.Args[i] = w.value(v)
			}
		}
		w.subst.Args(o)
		for _, r := range o.Regions {
			inside := r.Ops
			r.Ops = nil
			w.b.In(r, func() { w.ops(inside) })
		}
		w.b.Emit(o)
	}
}

// value returns the replacement of v: the same value, computed from the number of the iteration if v is a linear function of it,
// otherwise from the indices.
func (w *joiner) value(v *ir.Value) *ir.Value {
	f := w.of(v)
	factors, x := w.counted(f)
	last := len(w.nest) - 1
	if factors[last] == 0 {
		return v
	}
	for i := last; i > w.first; i-- {
		if factors[i-1] != factors[i]*w.trips(i) {
			return v
		}
	}
	for i := w.first; i <= last; i++ {
		lo, _ := ir.IntOf(w.nest[i].Args[0])
		x.C += factors[i] * lo
	}
	for i := range w.first {
		if factors[i] != 0 {
			x = x.Plus(analysis.Linear{Terms: []analysis.LinTerm{{V: w.nest[i].Regions[0].Params[0], Coef: factors[i]}}}, 1)
		}
	}
	x.Terms = append(slices.Clip(x.Terms), analysis.LinTerm{V: w.n, Coef: factors[last]})
	return w.build(v.Type, f.root, x)
}

// build appends the computation of a form. It adds the constant last, since neighbouring forms have everything else in common.
func (w *joiner) build(t ir.Type, root *ir.Value, x analysis.Linear) *ir.Value {
	i64 := ir.Scalar(ir.I64)
	sum := root
	add := func(v *ir.Value) {
		switch {
		case root != nil:
			sum = w.b.Op(ir.OpOffset, sum, v)
		case sum == nil:
			sum = v
		default:
			sum = w.b.NoWrap(ir.OpAdd, sum, v)
		}
	}
	for _, t := range x.Terms {
		v := w.b.Convert(w.subst.Of(t.V), ir.I64)
		if t.Coef != 1 {
			v = w.b.NoWrap(ir.OpMul, v, w.b.Int(i64, t.Coef))
		}
		add(v)
	}
	if x.C != 0 {
		add(w.b.Int(i64, x.C))
	}
	if root == nil && t.Kind != ir.I64 {
		return w.b.Convert(sum, t.Kind)
	}
	return sum
}
