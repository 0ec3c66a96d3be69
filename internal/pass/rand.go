package pass

import (
	"math/bits"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// randomNumbers replaces rand by calls of a Threefry function.
//
// Input: a kernel's body with rand ops, whose loops have the indices of the source, since the numbers must depend neither on layout
// nor on the order of iterations. Output: the same without rand ops. Each parallel loop with draws has a counter, a local array of one
// element that store forwarding turns into constants in straight-line code, and computes the number of the iteration from its indices.
// Serial code shares one counter.
func randomNumbers(k *ir.Kernel) {
	var threefry *ir.Func
	function := func() *ir.Func {
		if threefry == nil {
			threefry = threefryFunc()
			k.Funcs = append(k.Funcs, threefry)
		}
		return threefry
	}
	var all []*ir.Op
	for part, ops := range partsOf(k) {
		if len(ops) > 0 && ops[0].Code == ir.OpPart {
			all, ops = append(all, ops[0]), ops[1:]
		}
		serial := false
		for _, o := range ops {
			switch {
			case !unit.HasOp(ir.OpRand, o):
			case o.IsParallel():
				loopDraws(o, &drawer{fn: function(), of: k.PartOf(part)})
			default:
				serial = true
			}
		}
		if serial {
			b := &ir.Block{Ops: ops}
			bodyDraws(b, &drawer{fn: function(), of: k.PartOf(part)})
			ops = b.Ops
		}
		all = append(all, ops...)
	}
	k.Body.Ops = all
}

// partsOf returns the ops of each part of a linked kernel, and the body of another one.
func partsOf(k *ir.Kernel) [][]*ir.Op {
	parts := make([][]*ir.Op, max(1, len(k.Parts)))
	at := 0
	for _, o := range k.Body.Ops {
		if o.Code == ir.OpPart {
			at = int(o.Aux)
		}
		parts[at] = append(parts[at], o)
	}
	return parts
}

// A drawer replaces the rand ops of one loop body.
type drawer struct {
	fn            *ir.Func
	of            *ir.Part // of a linked kernel; nil for a kernel by itself
	counter, zero *ir.Value
	low, high     *ir.Value    // the number of the iteration: the first word of the block's counter, and what is added to the second
	kept          bool         // the block of two words is stored for later draws
	words         [2]*ir.Value // its places
	key           [2]*ir.Value // of the loop
	subst         map[*ir.Value]*ir.Value
	serialOnly    bool
}

func loopDraws(loop *ir.Op, d *drawer) {
	body := loop.Regions[0]
	ops := body.Ops
	body.Ops = nil
	b := ir.NewBuilder(body)
	b.Pos = loop.Pos
	d.subst, d.kept = map[*ir.Value]*ir.Value{}, drawsInBranch(ops, false, false)
	low, high := iterationWords(b, loop)
	d.start(b, low, high, d.ordinal(b, loop))
	body.Ops = append(body.Ops, ops...)
	d.block(body)
	ir.Substitute(body, d.subst)
}

// ordinal appends the number of the loop in its source.
func (d *drawer) ordinal(b *ir.Builder, loop *ir.Op) *ir.Value {
	if d.of == nil {
		return b.OpOf(ir.OpOrdinal, ir.Scalar(ir.U32))
	}
	return b.Int(ir.Scalar(ir.U32), loop.Aux-d.of.Loops)
}

// launchKey appends the key of the launch.
func (d *drawer) launchKey(b *ir.Builder) *ir.Value {
	if d.of == nil {
		return b.OpOf(ir.OpKey, ir.Scalar(ir.U64))
	}
	o := ir.NewOp(ir.OpParam, b.Pos, []ir.Type{ir.Scalar(ir.U64)})
	o.Aux = int64(d.of.Key)
	return b.Emit(o)
}

func bodyDraws(body *ir.Block, d *drawer) {
	ops := body.Ops
	body.Ops = nil
	b := ir.NewBuilder(body)
	d.subst, d.serialOnly, d.kept = map[*ir.Value]*ir.Value{}, true, drawsInBranch(ops, false, true)
	zero := b.Int(ir.Scalar(ir.U32), 0)
	d.start(b, zero, zero, zero)
	body.Ops = append(body.Ops, ops...)
	d.block(body)
	ir.Substitute(body, d.subst)
}

// start appends the values that all draws of an iteration share.
func (d *drawer) start(b *ir.Builder, low, high, loop *ir.Value) {
	u64 := ir.Scalar(ir.U64)
	d.low, d.high = low, b.Op(ir.OpMul, high, b.Const(ir.Scalar(ir.U32), goldenRatio>>32))
	apart := b.Op(ir.OpMul, b.Convert(loop, ir.U64), b.Const(u64, goldenRatio))
	d.key = words(b, spread(b, b.Op(ir.OpAdd, d.launchKey(b), apart)))
	d.zero = b.Int(ir.Scalar(ir.I32), 0)
	d.counter = b.Op(ir.OpCell, b.Alloc(ir.U32, 1, "draws"), d.zero)
	if d.kept {
		for i := range d.words {
			d.words[i] = b.Op(ir.OpCell, b.Alloc(ir.U32, 1, "words"), d.zero)
		}
	}
}

// drawsInBranch reports whether ops draw under a condition, or in a loop that may end early. Otherwise the counter increases by the
// same number in each iteration of a loop, and the loop can be vectorised if it need not store blocks.
func drawsInBranch(ops []*ir.Op, branch, serialOnly bool) bool {
	for _, o := range ops {
		if o.Code == ir.OpRand && branch {
			return true
		}
		if serialOnly && o.IsParallel() {
			continue
		}
		for _, r := range o.Regions {
			plain := o.Code == ir.OpFor && !leavesEarly(o) || o.IsParallel()
			if drawsInBranch(r.Ops, branch || !plain, serialOnly) {
				return true
			}
		}
	}
	return false
}

// leavesEarly reports whether a jump out of an iteration of loop, or out of the loop, may come before the end of its body.
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

// iterationWords appends both words of the number of the iteration of loop. If the second must be 0, it computes only the first,
// which avoids vectors of 64-bit lanes.
func iterationWords(b *ir.Builder, loop *ir.Op) (low, high *ir.Value) {
	if !fitsWord(loop) {
		w := words(b, iterationNumber(b, loop))
		return w[0], w[1]
	}
	u32 := ir.Scalar(ir.U32)
	low = b.Int(u32, 0)
	for d, index := range loop.Regions[0].Params {
		var lo, extent *ir.Value
		if loop.Code == ir.OpFieldFor {
			n, _ := loop.Field.Extent(d)
			lo, extent = b.Int(u32, int64(uint32(loop.Field.Low(d)))), b.Int(u32, n)
		} else {
			lo, extent = b.Convert(loop.Args[2*d], ir.U32), b.Int(u32, 0) // the extent of the only dimension does not matter
		}
		i := b.Op(ir.OpSub, b.Convert(index, ir.U32), lo)
		low = b.Op(ir.OpAdd, b.Op(ir.OpMul, low, extent), i)
	}
	return low, b.Int(u32, 0)
}

// fitsWord reports whether loop has at most 2^32 iterations, whatever its bounds are.
func fitsWord(loop *ir.Op) bool {
	indices := loop.Regions[0].Params
	if loop.Code != ir.OpFieldFor {
		return len(indices) == 1 && indices[0].Type.Kind.Bits() <= 32
	}
	total := uint64(1)
	for d := range indices {
		n, at := loop.Field.Extent(d)
		over, product := bits.Mul64(total, uint64(n))
		if total = product; at != nil || over != 0 || total > 1<<32 {
			return false
		}
	}
	return true
}

// words appends the lower and the upper half of v.
func words(b *ir.Builder, v *ir.Value) [2]*ir.Value {
	return [2]*ir.Value{b.Convert(v, ir.U32), b.Convert(b.Op(ir.OpShr, v, b.Int(v.Type, 32)), ir.U32)}
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
		if d.serialOnly && o.IsParallel() {
			continue
		}
		for _, r := range o.Regions {
			d.block(r)
		}
	}
}

// draw appends the next draw. A call computes a block of two words from half of the counter. If the counter is a constant, two
// consecutive draws share a call. Otherwise, if blocks are stored, the first of two draws computes and stores the block.
func (d *drawer) draw(b *ir.Builder) *ir.Value {
	u32 := ir.Scalar(ir.U32)
	n := b.Load(u32, d.counter)
	one := b.Int(u32, 1)
	b.Store(d.counter, b.Op(ir.OpAdd, n, one))
	even := b.Op(ir.OpEq, b.Op(ir.OpAnd, n, one), b.Int(u32, 0))
	block := func() []*ir.Value {
		second := b.Op(ir.OpAdd, b.Op(ir.OpShr, n, one), d.high)
		return b.Call(d.fn, d.low, second, d.key[0], d.key[1])
	}
	var w []*ir.Value
	if d.kept {
		w = d.keep(b, even, block)
	} else {
		w = block()
	}
	return b.Op(ir.OpSelect, even, w[0], w[1])
}

// keep appends the computation of a block of words, which the first draw that needs it executes, and returns the words.
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

// goldenRatio is 2^64 over the golden ratio: multiples of it, and those of its upper
// half modulo 2^32, lie as far apart as can be.
const goldenRatio = 0x9e3779b97f4a7c15

// spread appends the finaliser of SplitMix64, by which each bit of the result depends
// on all of z.
func spread(b *ir.Builder, z *ir.Value) *ir.Value {
	fold := func(shift int64) *ir.Value { return b.Op(ir.OpXor, z, b.Op(ir.OpShr, z, b.Int(z.Type, shift))) }
	z = b.Op(ir.OpMul, fold(30), b.Const(z.Type, 0xbf58476d1ce4e5b9))
	z = b.Op(ir.OpMul, fold(27), b.Const(z.Type, 0x94d049bb133111eb))
	return fold(31)
}

// Threefry2x32's parity of keys and its rotations; see the ir package for the source.
const (
	threefryParity = 0x1bd11bda
	threefryRounds = 13
)

var threefryRotations = [...]int64{13, 15, 26, 6, 17, 29, 16, 24}

// threefryFunc returns the function of a counter and a key, two words each, to two words.
func threefryFunc() *ir.Func {
	u32 := ir.Scalar(ir.U32)
	f := &ir.Func{Name: "threefry", Params: []ir.Type{u32, u32, u32, u32}, Results: []ir.Type{u32, u32}, Body: &ir.Block{}}
	var p []*ir.Value
	for i, t := range f.Params {
		p = append(p, f.Body.AddParam(t, [...]string{"low", "high", "key0", "key1"}[i]))
	}
	b := ir.NewBuilder(f.Body)
	add := func(x, y *ir.Value) *ir.Value { return b.Op(ir.OpAdd, x, y) }
	xor := func(x, y *ir.Value) *ir.Value { return b.Op(ir.OpXor, x, y) }
	keys := [3]*ir.Value{p[2], p[3], xor(xor(b.Const(u32, threefryParity), p[2]), p[3])}
	x, y := add(p[0], keys[0]), add(p[1], keys[1])
	for r := range threefryRounds {
		rotation := threefryRotations[r%len(threefryRotations)]
		left, right := b.Op(ir.OpShl, y, b.Int(u32, rotation)), b.Op(ir.OpShr, y, b.Int(u32, 32-rotation))
		x = add(x, y)
		y = xor(x, b.Op(ir.OpOr, left, right))
		if n := r/4 + 1; r%4 == 3 {
			x = add(x, keys[n%3])
			y = add(y, add(keys[(n+1)%3], b.Int(u32, int64(n)))) // a sum that iterations share
		}
	}
	b.Return(x, y)
	return f
}
