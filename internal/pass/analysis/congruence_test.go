package analysis

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/fold"
)

// TestCongruences makes two random loops with an access each under random conditions, and runs all their iterations: places that are
// proved to be apart are never one element, indices are within their intervals, and many places are proved to be apart.
func TestCongruences(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	proved := map[string]int{}
	for range 5000 {
		kind := []ir.Kind{ir.I8, ir.I8, ir.U8, ir.I16}[rng.IntN(4)]
		outside := []*ir.Value{{Type: ir.Scalar(kind)}, {Type: ir.Scalar(kind)}}
		g := &residueLoops{rng: rng, kind: kind, outer: outside, axes: 1 + rng.IntN(2), m: int64(3 + rng.IntN(4))}
		params := 1 + rng.IntN(2)
		r := NewRangeInfo()
		p, q := g.loop(r, params), g.loop(r, params)
		if !p.spot.Apart(q.spot) {
			continue
		}
		proved[fmt.Sprint(kind, " ", g.axes, " ", params)]++
		for range 2 {
			outer := map[*ir.Value]uint64{g.outer[0]: ir.IntBits(kind, int64(rng.IntN(256))), g.outer[1]: ir.IntBits(kind, int64(rng.IntN(9)))}
			used := p.elements(t, outer)
			for at, in := range q.elements(t, outer) {
				if from, both := used[at]; both {
					t.Fatalf("%v is accessed in iterations %v and %v\n%s\n%s", at, from, in, p, q)
				}
			}
		}
	}
	for _, what := range []string{"i8 1 1", "i8 1 2", "i8 2 1", "i8 2 2", "u8 1 1", "i16 2 2"} {
		if proved[what] < 8 {
			t.Errorf("%s: %d are proved", what, proved[what])
		}
	}
}

// residueLoops makes loops with accesses to a field.
type residueLoops struct {
	rng   *rand.Rand
	kind  ir.Kind
	outer []*ir.Value // values from outside
	axes  int         // of the field
	m     int64       // a modulus that conditions often have
	low   int64       // of i in TestApart
	b     *ir.Builder
	body  *ir.Block
}

// A residueLoop is a loop with an access.
type residueLoop struct {
	body   *ir.Block
	lo, hi []int64 // of its indices
	access *ir.Op
	spot   *Spot
	r      *RangeInfo
}

// loop makes a loop with an access, and analyses it.
func (g *residueLoops) loop(r *RangeInfo, params int) *residueLoop {
	g.body = &ir.Block{}
	g.b = ir.NewBuilder(g.body)
	l := &residueLoop{body: g.body, r: r}
	for range params {
		v := g.body.AddParam(ir.Scalar(g.kind), "i")
		lo, hi := KindRange(g.kind)
		if g.rng.IntN(3) > 0 || params > 1 || g.kind == ir.I16 {
			lo = max(lo, int64(g.rng.IntN(40)-20))
			hi = lo + int64(1+g.rng.IntN(20))
		}
		l.lo, l.hi = append(l.lo, lo), append(l.hi, hi)
		if g.rng.IntN(4) > 0 {
			r.Of[v] = Interval{Lo: lo, Hi: hi}
		}
	}
	field := &ir.Field{Name: "X", Comps: []ir.Kind{ir.F32}}
	for range g.axes {
		field.Shape = append(field.Shape, 100)
	}
	g.nested(g.rng.IntN(3), func() {
		var index []*ir.Value
		for range g.axes {
			v := g.sum(g.rng.IntN(3))
			if g.rng.IntN(6) == 0 {
				v = g.b.Convert(v, []ir.Kind{ir.I8, ir.U8, ir.I32}[g.rng.IntN(3)])
			}
			index = append(index, v)
		}
		g.b.Load(ir.Scalar(ir.F32), g.b.Ptr(field, 0, index...))
		l.access = g.b.Block.Ops[len(g.b.Block.Ops)-1]
	})
	r.Block(g.body)
	l.spot = r.CongruencesIn(LoopBodyOf(g.body)).Spot(l.access, Indices(l.access.Args[0].Def))
	return l
}

// nested puts code under conditions: in the region of an if, or behind one that jumps.
func (g *residueLoops) nested(depth int, f func()) {
	if depth == 0 {
		f()
		return
	}
	cond, inner := g.condition(), func() { g.nested(depth-1, f); g.b.Yield() }
	jump := func() { g.b.Emit(ir.NewOp(ir.OpContinue, ir.Pos{}, nil)) }
	switch g.rng.IntN(4) {
	case 0:
		g.b.If(cond, nil, inner, func() { g.b.Yield() })
	case 1:
		g.b.If(cond, nil, func() { g.b.Yield() }, inner)
	case 2:
		g.b.If(cond, nil, jump, func() { g.b.Yield() })
		g.nested(depth-1, f)
	default:
		g.b.If(cond, nil, func() { g.b.Yield() }, jump)
		g.nested(depth-1, f)
	}
}

// condition compares a remainder of a sum, or a sum, with a constant.
func (g *residueLoops) condition() *ir.Value {
	z := g.sum(g.rng.IntN(3))
	m := g.m
	if g.rng.IntN(2) == 0 {
		m = int64([]int{2, 2, 3, 4, 6, 8, 12, 64, 70}[g.rng.IntN(9)])
	}
	switch g.rng.IntN(5) {
	case 0:
		z = g.b.Op(ir.OpMod, z, g.number(m))
	case 1, 2:
		if g.kind.IsSigned() && g.rng.IntN(5) == 0 {
			m = -m
		}
		z = g.b.Op(ir.OpRem, z, g.number(m))
	case 3:
		z = g.b.Op(ir.OpAnd, z, g.number(m-1))
	}
	codes := []ir.Code{ir.OpEq, ir.OpEq, ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe, ir.OpGt, ir.OpGe}
	c := g.number(int64(g.rng.IntN(4) - g.rng.IntN(2)))
	x, y := z, c
	if g.rng.IntN(4) == 0 {
		x, y = y, x
	}
	cond := g.b.Op(codes[g.rng.IntN(len(codes))], x, y)
	if g.rng.IntN(6) == 0 {
		cond = g.b.Op(ir.OpNot, cond)
	}
	if g.rng.IntN(6) == 0 {
		cond = g.b.Op([]ir.Code{ir.OpAnd, ir.OpOr}[g.rng.IntN(2)], cond, g.condition())
	}
	return cond
}

func (g *residueLoops) number(c int64) *ir.Value { return g.b.Int(ir.Scalar(g.kind), c) }

// sum is a sum of indices, constants and values from outside.
func (g *residueLoops) sum(depth int) *ir.Value {
	if g.rng.IntN(40) == 0 {
		return g.b.Convert(g.b.Convert(g.sum(depth), []ir.Kind{ir.I8, ir.U8, ir.I16, ir.I32}[g.rng.IntN(4)]), g.kind)
	}
	if depth == 0 || g.rng.IntN(4) == 0 {
		if n := g.rng.IntN(12); n < 2 {
			return g.outer[n]
		} else if n == 2 {
			return g.number(int64(g.rng.IntN(20)))
		}
		return g.body.Params[g.rng.IntN(len(g.body.Params))]
	}
	switch g.rng.IntN(8) {
	case 0:
		return g.b.Op(ir.OpNeg, g.sum(depth-1))
	case 1:
		return g.b.Op(ir.OpMul, g.sum(depth-1), g.number(int64(2+g.rng.IntN(5))))
	case 2:
		return g.b.Op(ir.OpShl, g.sum(depth-1), g.number(int64(1+g.rng.IntN(3))))
	case 3:
		return g.b.Op(ir.OpSub, g.sum(depth-1), g.sum(depth-1))
	case 4:
		return g.b.Op(ir.OpAdd, g.sum(depth-1), g.sum(depth-1))
	}
	return g.b.Op(ir.OpAdd, g.sum(depth-1), g.number(int64(g.rng.IntN(8)-2)))
}

// elements runs the iterations of a loop, and returns one for each element that is accessed.
func (l *residueLoop) elements(t *testing.T, outer map[*ir.Value]uint64) map[[2]int64][]int64 {
	all := map[[2]int64][]int64{}
	index := append([]int64(nil), l.lo...)
	for {
		of := map[*ir.Value]uint64{}
		for v, bits := range outer {
			of[v] = bits
		}
		for i, v := range l.body.Params {
			of[v] = ir.IntBits(v.Type.Kind, index[i])
		}
		if at := runTo(l.body, l.access, of); at != nil {
			var element [2]int64
			for i, v := range Indices(at) {
				element[i] = int64(of[v])
				if x := l.r.Operand(at, i); !x.Any && (element[i] < x.Lo || element[i] > x.Hi) {
					t.Fatalf("index %d is %d, and should be in %d to %d\n%s", i, element[i], x.Lo, x.Hi, l)
				}
			}
			all[element] = append([]int64(nil), index...)
		}
		k := 0
		for k < len(index) && index[k] == l.hi[k] {
			index[k] = l.lo[k]
			k++
		}
		if k == len(index) {
			return all
		}
		index[k]++
	}
}

// runTo runs a block up to an access, and returns its place; nil if it is not reached.
func runTo(b *ir.Block, access *ir.Op, of map[*ir.Value]uint64) *ir.Op {
	for _, o := range b.Ops {
		switch {
		case o == access:
			return o.Args[0].Def
		case o.Code == ir.OpIf:
			region := o.Regions[1]
			if of[o.Args[0]] != 0 {
				region = o.Regions[0]
			}
			if at := runTo(region, access, of); at != nil || Jumps(region) {
				return at
			}
		case o.Code == ir.OpPtr || len(o.Results) == 0:
		default:
			c := ir.NewOp(o.Code, ir.Pos{}, []ir.Type{o.Results[0].Type})
			c.Bits = o.Bits
			for _, v := range o.Args {
				arg := ir.NewOp(ir.OpConst, ir.Pos{}, []ir.Type{v.Type})
				arg.Bits = of[v]
				c.Args = append(c.Args, arg.Results[0])
			}
			bits, ok := fold.Op(c)
			if o.Code == ir.OpConst {
				bits, ok = o.Bits, true
			}
			if !ok {
				panic("an op that cannot be computed")
			}
			of[o.Results[0]] = bits
		}
	}
	return nil
}

func (l *residueLoop) String() string {
	return fmt.Sprintf("indices from %v to %v\n%s", l.lo, l.hi, (&ir.Kernel{Name: "loop", Body: l.body}).String())
}

// TestApart has pairs of places of loops over i and j from -100 to 100, or i from -128, whose elements are apart, or not.
func TestApart(t *testing.T) {
	none := func(l *residueLoops, i, j *ir.Value) []*ir.Value { return nil }
	divides := func(m, rest int64, of func(l *residueLoops, i, j *ir.Value) *ir.Value) func(l *residueLoops, i, j *ir.Value) []*ir.Value {
		return func(l *residueLoops, i, j *ir.Value) []*ir.Value {
			return []*ir.Value{l.b.Op(ir.OpEq, l.b.Op(ir.OpMod, of(l, i, j), l.number(m)), l.number(rest))}
		}
	}
	own := func(l *residueLoops, i, j *ir.Value) *ir.Value { return i }
	plus := func(c int64) func(l *residueLoops, i, j *ir.Value) *ir.Value {
		return func(l *residueLoops, i, j *ir.Value) *ir.Value { return l.b.Op(ir.OpAdd, i, l.number(c)) }
	}
	times := func(k, c int64) func(l *residueLoops, i, j *ir.Value) *ir.Value {
		return func(l *residueLoops, i, j *ir.Value) *ir.Value {
			return l.b.Op(ir.OpAdd, l.b.Op(ir.OpMul, i, l.number(k)), l.number(c))
		}
	}
	twice := func(l *residueLoops, i, j *ir.Value) *ir.Value { return l.b.Op(ir.OpShl, i, l.number(1)) }
	sum := func(l *residueLoops, i, j *ir.Value) *ir.Value {
		return l.b.Op(ir.OpAdd, l.b.Convert(i, ir.I16), l.b.Convert(j, ir.I16))
	}
	unsigned := func(l *residueLoops, i, j *ir.Value) *ir.Value { return l.b.Convert(i, ir.U8) }
	long := func(l *residueLoops, i, j *ir.Value) *ir.Value {
		for range 40 {
			i = l.b.Op(ir.OpAdd, i, l.number(2))
		}
		return i
	}
	thrice := func(l *residueLoops, i, j *ir.Value) *ir.Value { return l.b.Op(ir.OpMul, i, l.number(3)) }
	negative := func(l *residueLoops, i, j *ir.Value) *ir.Value { return l.b.Op(ir.OpNeg, i) }
	oneMinus := func(l *residueLoops, i, j *ir.Value) *ir.Value { return l.b.Op(ir.OpSub, l.number(1), i) }
	regions := func(l *residueLoops, i, j *ir.Value) []*ir.Value { return l.threeAndEven(i) }
	type part = func(l *residueLoops, i, j *ir.Value) *ir.Value
	type conds = func(l *residueLoops, i, j *ir.Value) []*ir.Value
	for name, c := range map[string]struct {
		p, q   part
		of, in conds // of p and q
		apart  bool
		low    int64 // of i
	}{
		"even and odd":                       {own, plus(1), divides(2, 0, own), divides(2, 0, own), true, 0},
		"even and any":                       {own, plus(1), divides(2, 0, own), none, false, 0},
		"multiples of three that wrap":       {times(3, 0), times(3, 1), none, none, false, 0},
		"multiples of two that wrap":         {times(2, 0), times(2, 1), none, none, true, 0},
		"multiples that wrap":                {thrice, own, none, divides(3, 1, own), false, 0},
		"a negative that wraps":              {own, own, divides(3, 1, negative), divides(3, 1, own), false, -128},
		"a doubled number that wraps":        {own, plus(2), divides(3, 0, twice), divides(3, 0, twice), false, 0},
		"a number of another kind":           {own, plus(1), divides(3, 0, unsigned), divides(3, 0, unsigned), false, 0},
		"a number of another kind, by two":   {own, plus(1), divides(2, 0, unsigned), divides(2, 0, unsigned), true, 0},
		"a negative index of two":            {negative, oneMinus, divides(3, 0, sum), divides(3, 0, sum), true, 0},
		"a sum that is long":                 {own, long, divides(2, 0, own), divides(2, 1, own), false, 0},
		"conditions of two regions":          {own, own, regions, divides(2, 0, own), false, 0},
		"an odd number of a product by four": {times(4, 2), times(4, 0), none, none, true, 0},
	} {
		r := NewRangeInfo()
		g := &residueLoops{kind: ir.I8, low: cmp.Or(c.low, -100)}
		p, q := g.spot(r, c.p, c.of), g.spot(r, c.q, c.in)
		if got := p.Apart(q); got != c.apart {
			t.Errorf("%s: %v", name, got)
		}
		if got := q.Apart(p); got != c.apart {
			t.Errorf("%s, the other way round: %v", name, got)
		}
	}
}

// threeAndEven are four conditions, of which the last one is that v is even.
func (g *residueLoops) threeAndEven(v *ir.Value) (all []*ir.Value) {
	for _, m := range []int64{3, 5, 7, 2} {
		all = append(all, g.b.Op(ir.OpEq, g.b.Op(ir.OpMod, v, g.number(m)), g.number(0)))
	}
	return all
}

// spot is an access to an element [f(i, j), j] under conditions, each with an access in its other region.
func (g *residueLoops) spot(r *RangeInfo, f func(l *residueLoops, i, j *ir.Value) *ir.Value, conds func(l *residueLoops, i, j *ir.Value) []*ir.Value) *Spot {
	g.body = &ir.Block{}
	g.b = ir.NewBuilder(g.body)
	i, j := g.body.AddParam(ir.Scalar(ir.I8), "i"), g.body.AddParam(ir.Scalar(ir.I8), "j")
	r.Of[i], r.Of[j] = Interval{Lo: g.low, Hi: 100}, Interval{Lo: -100, Hi: 100}
	x := &ir.Field{Name: "X", Comps: []ir.Kind{ir.F32}, Shape: []int64{100, 100}}
	all, index := conds(g, i, j), f(g, i, j)
	var access *ir.Op
	var nested func(n int)
	nested = func(n int) {
		if n == len(all) {
			g.b.Load(ir.Scalar(ir.F32), g.b.Ptr(x, 0, index, j))
			access = g.b.Block.Ops[len(g.b.Block.Ops)-1]
			return
		}
		g.b.If(all[n], nil, func() { nested(n + 1); g.b.Yield() }, func() { g.b.Load(ir.Scalar(ir.F32), g.b.Ptr(x, 0, i, j)); g.b.Yield() })
	}
	nested(0)
	r.Block(g.body)
	return r.CongruencesIn(LoopBodyOf(g.body)).Spot(access, []*ir.Value{index, j})
}
