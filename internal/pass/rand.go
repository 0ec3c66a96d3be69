package pass

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// randomNumbers replaces rand by calls of a Philox function.
//
// Input: a kernel's body with rand ops. Output: the same without; each parallel
// loop that draws has a counter of its own, a local array of one that store
// forwarding turns into constants where the code is straight, and the number of
// the iteration, computed from its indices; serial code shares one counter.
//
// It runs while loops still have the indices of the source, since the numbers
// must depend neither on layout nor on the order of iterations.
func randomNumbers(k *ir.Kernel) {
	var philox *ir.Func
	function := func() *ir.Func {
		if philox == nil {
			philox = philoxFunc()
			k.Funcs = append(k.Funcs, philox)
		}
		return philox
	}
	serial := false
	for _, o := range k.Body.Ops {
		switch {
		case !unit.HasOp(ir.OpRand, o):
		case unit.IsParallel(o):
			loopDraws(o, function())
		default:
			serial = true
		}
	}
	if serial {
		bodyDraws(k.Body, function())
	}
}

// A drawer replaces the rand ops of one loop body.
type drawer struct {
	fn                        *ir.Func
	counter, iter, loop, zero *ir.Value
	kept                      bool         // a block of words is kept for the draws to come
	words                     [4]*ir.Value // its places
	key                       *ir.Value
	subst                     map[*ir.Value]*ir.Value
	serialOnly                bool
}

func loopDraws(loop *ir.Op, fn *ir.Func) {
	body := loop.Regions[0]
	ops := body.Ops
	body.Ops = nil
	b := ir.NewBuilder(body)
	b.Pos = loop.Pos
	d := &drawer{fn: fn, subst: map[*ir.Value]*ir.Value{}, kept: drawsInBranch(ops, false, false)}
	d.start(b, iterationNumber(b, loop), b.OpOf(ir.OpOrdinal, ir.Scalar(ir.U32)))
	body.Ops = append(body.Ops, ops...)
	d.block(body)
	ir.Substitute(body, d.subst)
}

func bodyDraws(body *ir.Block, fn *ir.Func) {
	ops := body.Ops
	body.Ops = nil
	b := ir.NewBuilder(body)
	d := &drawer{fn: fn, subst: map[*ir.Value]*ir.Value{}, serialOnly: true, kept: drawsInBranch(ops, false, true)}
	d.start(b, b.Int(ir.Scalar(ir.U64), 0), b.Int(ir.Scalar(ir.U32), 0))
	body.Ops = append(body.Ops, ops...)
	d.block(body)
	ir.Substitute(body, d.subst)
}

// start appends what all draws of an iteration share.
func (d *drawer) start(b *ir.Builder, iter, loop *ir.Value) {
	d.iter = iter
	d.loop = loop
	d.key = b.OpOf(ir.OpKey, ir.Scalar(ir.U64))
	d.zero = b.Int(ir.Scalar(ir.I32), 0)
	d.counter = b.Op(ir.OpCell, b.Alloc(ir.U32, 1, "draws"), d.zero)
	if d.kept {
		for i := range d.words {
			d.words[i] = b.Op(ir.OpCell, b.Alloc(ir.U32, 1, "words"), d.zero)
		}
	}
}

// drawsInBranch reports whether ops draw under a condition, or in a loop that may end
// early. Where they do not, the counter grows by the same number in each turn of a
// loop, and a vectoriser computes several turns at once, if it need not keep words.
func drawsInBranch(ops []*ir.Op, branch, serialOnly bool) bool {
	for _, o := range ops {
		if o.Code == ir.OpRand && branch {
			return true
		}
		if serialOnly && unit.IsParallel(o) {
			continue
		}
		for _, r := range o.Regions {
			plain := o.Code == ir.OpFor && !leavesEarly(o) || unit.IsParallel(o)
			if drawsInBranch(r.Ops, branch || !plain, serialOnly) {
				return true
			}
		}
	}
	return false
}

// leavesEarly reports whether a jump out of a turn of loop, or out of the loop, may
// stand before the end of its body.
func leavesEarly(loop *ir.Op) bool {
	last := loop.Regions[0].Terminator()
	found := false
	ir.Visit(loop.Regions[0], func(o *ir.Op) bool {
		found = found || o != last && (o.Code == ir.OpReturn || o.Target == loop)
		return !found
	})
	return found || last.Code != ir.OpContinue
}

// iterationNumber appends the row-major number of the iteration of loop, a u64.
func iterationNumber(b *ir.Builder, loop *ir.Op) *ir.Value {
	u64 := ir.Scalar(ir.U64)
	n := b.Int(u64, 0)
	for d, index := range loop.Regions[0].Params {
		var lo, extent *ir.Value
		if loop.Code == ir.OpFieldFor {
			lo = b.Int(u64, loop.Field.Low(d))
			extent = extentOf(b, loop.Field, d)
		} else {
			lo = b.Convert(loop.Args[2*d], ir.U64)
			extent = b.Op(ir.OpSub, b.Convert(loop.Args[2*d+1], ir.U64), lo)
		}
		i := b.Op(ir.OpSub, b.Convert(index, ir.U64), lo)
		n = b.Op(ir.OpAdd, b.Op(ir.OpMul, n, extent), i)
	}
	return n
}

// extentOf appends an extent as a u64.
func extentOf(b *ir.Builder, f *ir.Field, axis int) *ir.Value {
	n, at := f.Extent(axis)
	if at == nil {
		return b.Int(ir.Scalar(ir.U64), n)
	}
	return b.Convert(b.Length(at, ir.I64), ir.U64)
}

func (d *drawer) block(block *ir.Block) {
	ops := block.Ops
	block.Ops = nil
	b := ir.NewBuilder(block)
	for _, o := range ops {
		if o.Code == ir.OpRand {
			b.Pos = o.Pos
			d.subst[o.Results[0]] = d.draw(b)
			continue
		}
		block.Ops = append(block.Ops, o)
		if d.serialOnly && unit.IsParallel(o) {
			continue
		}
		for _, r := range o.Regions {
			d.block(r)
		}
	}
}

// draw appends the next draw. A call computes a block of four words from a quarter of
// the counter. Where the counter is known, four draws in a row share a call; words
// that are kept are computed by the first of four draws that may stand anywhere.
func (d *drawer) draw(b *ir.Builder) *ir.Value {
	u32 := ir.Scalar(ir.U32)
	n := b.Load(u32, d.counter)
	b.Store(d.counter, b.Op(ir.OpAdd, n, b.Int(u32, 1)))
	two := b.Int(u32, 2)
	m := b.Op(ir.OpAnd, n, b.Int(u32, 3))
	block := func() []*ir.Value { return b.Call(d.fn, d.iter, b.Op(ir.OpShr, n, two), d.loop, d.key) }
	var w []*ir.Value
	if d.kept {
		w = d.keep(b, b.Op(ir.OpEq, m, b.Int(u32, 0)), block)
	} else {
		w = block()
	}
	even := b.Op(ir.OpEq, b.Op(ir.OpAnd, m, b.Int(u32, 1)), b.Int(u32, 0))
	low := b.Op(ir.OpSelect, even, w[0], w[1])
	high := b.Op(ir.OpSelect, even, w[2], w[3])
	return b.Op(ir.OpSelect, b.Op(ir.OpLt, m, two), low, high)
}

// keep appends the computation of a block of words by the first draw that needs it,
// and returns what is kept.
func (d *drawer) keep(b *ir.Builder, first *ir.Value, block func() []*ir.Value) (w []*ir.Value) {
	b.If(first, nil, func() {
		for i, v := range block() {
			b.Store(d.words[i], v)
		}
		b.Yield()
	}, func() { b.Yield() })
	for _, p := range d.words {
		w = append(w, b.Load(ir.Scalar(ir.U32), p))
	}
	return w
}

// Philox4x32's multipliers and key increments; see the ir package for the source.
const (
	philoxM0, philoxM1 = 0xD2511F53, 0xCD9E8D57
	philoxW0, philoxW1 = 0x9E3779B9, 0xBB67AE85
	philoxRounds       = 10
)

// philoxFunc returns the function (iteration, n/4, loop, key) → four words.
func philoxFunc() *ir.Func {
	u32, u64 := ir.Scalar(ir.U32), ir.Scalar(ir.U64)
	f := &ir.Func{Name: "philox", Params: []ir.Type{u64, u32, u32, u64}, Results: []ir.Type{u32, u32, u32, u32}, Body: &ir.Block{}}
	var p []*ir.Value
	for i, t := range f.Params {
		p = append(p, f.Body.AddParam(t, [...]string{"iter", "n", "loop", "key"}[i]))
	}
	b := ir.NewBuilder(f.Body)
	shift := b.Int(u32, 32)
	low := func(v *ir.Value) *ir.Value { return b.Convert(v, ir.U32) }
	high := func(v *ir.Value) *ir.Value { return low(b.Op(ir.OpShr, v, shift)) }
	c := [4]*ir.Value{low(p[0]), high(p[0]), p[1], p[2]}
	k := [2]*ir.Value{low(p[3]), high(p[3])}
	m := [2]*ir.Value{b.Int(u64, philoxM0), b.Int(u64, philoxM1)}
	w := [2]*ir.Value{b.Int(u32, philoxW0), b.Int(u32, philoxW1)}
	for round := range philoxRounds {
		if round > 0 {
			k[0], k[1] = b.Op(ir.OpAdd, k[0], w[0]), b.Op(ir.OpAdd, k[1], w[1])
		}
		p0 := b.Op(ir.OpMul, m[0], b.Convert(c[0], ir.U64))
		p1 := b.Op(ir.OpMul, m[1], b.Convert(c[2], ir.U64))
		xor := func(x, y, z *ir.Value) *ir.Value { return b.Op(ir.OpXor, b.Op(ir.OpXor, x, y), z) }
		c = [4]*ir.Value{xor(high(p1), c[1], k[0]), low(p1), xor(high(p0), c[3], k[1]), low(p0)}
	}
	b.Return(c[0], c[1], c[2], c[3])
	return f
}
