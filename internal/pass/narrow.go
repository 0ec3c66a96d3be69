package pass

import (
	"math"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// narrowPlaces computes in 32 bits where in its tree an access lies.
//
// Input: a task with addresses. Output: the same, but the place of an access is a base address plus one number, which is computed in 32 bits and
// extended without its sign:
//
//	%a = offset %base, %d        %t = add %d32, 4 : u32
//	%b = offset %a, 4            %u = convert %t : i64
//	load %b                      %b = offset %base, %u
//	                             load %b
//
// Why this is right: let d be the distance of the access from its base, as 64 bits have it. The access is in its tree or block, whose parts that the kernel
// can reach end within 4 GiB of the base. So 0 ≤ d < 2^32, and d is its own remainder modulo 2^32. The remainder of a sum, difference, product, left shift,
// and, or, xor or selection depends on those of the operands alone. So it does not matter that a number in between is negative or wraps, in either width. Other
// numbers, such as quotients, are computed as before and cut, or in 32 bits with sign where the operands fit: then the extended result is the same.
//
// All of this holds for accesses that take place. A part that several accesses share may be out of range where each of them is in it, as in base + (i-1)*4 + 4. So
// only accesses get new places, and each extends a sum of its own.
//
// Memory whose size the compiler does not know keeps its addresses: trees with extents that are read at launch, larger ones, and the caller's.
func narrowPlaces(s *state, t *ir.Task) {
	n := &narrower{
		r: analysis.RangesOf(t, s.opts.Without), bases: smallBases(s.k, s.opts.Layout), places: map[*ir.Value]*ir.Value{},
		words: map[*ir.Value]*ir.Value{}, signed: map[*ir.Value]*ir.Value{}, behind: map[*ir.Op]*ir.Builder{}, starts: map[*ir.Block]*ir.Builder{},
	}
	for _, b := range t.Blocks() {
		ir.Visit(b, func(o *ir.Op) bool {
			switch o.Code {
			case ir.OpLoad, ir.OpStore, ir.OpAtomic, ir.OpFollow, ir.OpGrow:
				o.Args = slices.Clone(o.Args) // they may be those of another op, too
				o.Args[0] = n.place(o.Args[0])
			}
			return true
		})
	}
	for _, b := range t.Blocks() {
		n.insert(b)
	}
}

// A narrower has the numbers of 32 bits that it has made of others. They stand right behind these.
type narrower struct {
	r      *analysis.RangeInfo
	bases  reach
	places map[*ir.Value]*ir.Value
	words  map[*ir.Value]*ir.Value // the lower words
	signed map[*ir.Value]*ir.Value // numbers of 32 bits with the same value; nil for none
	behind map[*ir.Op]*ir.Builder
	starts map[*ir.Block]*ir.Builder
}

// nearBytes is how far from its base a part of a tree ends at most.
const nearBytes = 1 << 32

// A reach says from which bases everything that the kernel accesses is near.
type reach struct {
	dense  map[int64]bool // entries of the base table
	blocks bool           // of all blocks of sparse trees
}

// smallBases finds how far the components of the fields reach from the bases of their trees.
func smallBases(k *ir.Kernel, lay unit.Layout) reach {
	ends, blocks := map[int]int64{}, int64(0)
	for _, f := range k.Fields {
		if f.View != nil {
			continue
		}
		if f.Sparse {
			tree := lay.Cells(f).Node.Tree()
			blocks = max(blocks, tree.Bytes())
			for _, b := range tree.Blocks() {
				blocks = max(blocks, b.Stride())
			}
		}
		for comp := range f.Comps {
			a := lay.Access(f, comp)
			end := a.Const + 8 // no number is longer
			for _, t := range a.Terms {
				last := (f.Shape[t.Axis] - 1) / t.Div
				if t.Mod != 0 {
					last = min(last, t.Mod-1)
				}
				end += last * t.Stride
			}
			if f.Extents != nil || len(a.Steps) > 0 {
				end = math.MaxInt64
			}
			ends[a.Tree] = max(ends[a.Tree], end)
		}
	}
	r := reach{dense: map[int64]bool{}, blocks: blocks <= nearBytes}
	for entry, tree := range k.Bases {
		if end, known := ends[tree]; known && tree >= 0 && end <= nearBytes {
			r.dense[int64(entry)] = true
		}
	}
	return r
}

// near reports whether all accesses by a base are near it. Local arrays always are.
func (r reach) near(base *ir.Op) bool {
	switch base.Code {
	case ir.OpBase:
		return r.dense[base.Aux]
	case ir.OpBlockPtr:
		return r.blocks
	}
	return base.Code == ir.OpAlloc || base.Code == ir.OpCell
}

// place returns the place of an access, with its distance in 32 bits if that takes less work than it did.
func (n *narrower) place(p *ir.Value) *ir.Value {
	if to, made := n.places[p]; made {
		return to
	}
	to := p
	if base, d, pays := n.distance(p); pays {
		b := n.after(p)
		to = b.Op(ir.OpOffset, base, b.Convert(d, ir.I64))
	}
	n.places[p] = to
	return to
}

// distance returns the base of a place, and the lower word of its distance from it; nil for none. It pays if there is arithmetic in it.
func (n *narrower) distance(p *ir.Value) (base, d *ir.Value, pays bool) {
	o := p.Def
	if o == nil || p.Type != ir.Scalar(ir.Ptr) {
		return nil, nil, false
	}
	if o.Code != ir.OpOffset {
		return p, nil, false
	}
	base, d, pays = n.distance(o.Args[0])
	if base == nil || !n.bases.near(base.Def) {
		return nil, nil, false
	}
	word := n.word(o.Args[1])
	pays = pays || o.Args[1].Def != nil && word.Def != nil && word.Def.Code != ir.OpConst && (word.Def.Code != ir.OpConvert || word.Def.Args[0] != o.Args[1])
	if d != nil {
		word = n.after(p).Op(ir.OpAdd, d, word)
	}
	return base, word, pays
}

// word returns the lower word of a number of 64 bits.
func (n *narrower) word(v *ir.Value) *ir.Value {
	if w, made := n.words[v]; made {
		return w
	}
	w := n.cut(v)
	n.words[v] = w
	return w
}

func (n *narrower) cut(v *ir.Value) *ir.Value {
	b, o, u32 := n.after(v), v.Def, ir.Scalar(ir.U32)
	if o == nil {
		return b.Convert(v, ir.U32)
	}
	if o.Code == ir.OpConst {
		return b.Const(u32, o.Bits&math.MaxUint32)
	}
	if s := n.fits(v); s != nil {
		return b.Bitcast(s, ir.U32)
	}
	switch o.Code {
	case ir.OpConvert, ir.OpBitcast:
		switch from := o.Args[0]; from.Type.Kind {
		case ir.U32:
			return from
		case ir.I64, ir.U64:
			return n.word(from)
		}
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpAnd, ir.OpOr, ir.OpXor:
		return b.Op(o.Code, n.word(o.Args[0]), n.word(o.Args[1]))
	case ir.OpNeg, ir.OpNot:
		return b.Op(o.Code, n.word(o.Args[0]))
	case ir.OpShl:
		if by, ok := ir.IntOf(o.Args[1]); ok && by >= 0 && by < 32 {
			return b.Op(ir.OpShl, n.word(o.Args[0]), b.Int(u32, by))
		}
	case ir.OpSelect:
		return b.Op(ir.OpSelect, o.Args[0], n.word(o.Args[1]), n.word(o.Args[2]))
	}
	return b.Convert(v, ir.U32)
}

// fits returns a number of 32 bits that has the same value as a number of 64, signs included; nil if there is none.
func (n *narrower) fits(v *ir.Value) *ir.Value {
	if s, made := n.signed[v]; made {
		return s
	}
	var s *ir.Value
	if v.Def != nil && v.Type == ir.Scalar(ir.I64) {
		s = n.shorter(v, v.Def)
	}
	n.signed[v] = s
	return s
}

func (n *narrower) shorter(v *ir.Value, o *ir.Op) *ir.Value {
	b, i32 := n.after(v), ir.Scalar(ir.I32)
	within := func(v *ir.Value) bool { return n.r.Get(v).Within(math.MinInt32, math.MaxInt32+1) }
	switch o.Code {
	case ir.OpConst:
		if c := int64(o.Bits); c == int64(int32(c)) {
			return b.Int(i32, c)
		}
	case ir.OpConvert:
		switch from := o.Args[0]; {
		case from.Type.Kind.IsInt() && from.Type.Kind.Size() < 4 || from.Type.Kind == ir.I32 || from.Type.Kind == ir.Bool:
			return b.Convert(from, ir.I32)
		case from.Type.Kind == ir.U32 && within(from):
			return b.Bitcast(from, ir.I32)
		}
	case ir.OpAnd: // a mask without sign leaves nothing of the upper word
		if c, ok := ir.IntOf(o.Args[1]); ok && c >= 0 && c <= math.MaxInt32 {
			return b.Op(ir.OpAnd, b.Bitcast(n.word(o.Args[0]), ir.I32), b.Int(i32, c))
		}
	case ir.OpShr, ir.OpDiv, ir.OpRem:
		by, ok := ir.IntOf(o.Args[1])
		if a := n.fits(o.Args[0]); a != nil && ok && by > 0 && (by < 32 || o.Code != ir.OpShr && by <= math.MaxInt32) {
			return b.Op(o.Code, a, b.Int(i32, by))
		}
	case ir.OpAdd, ir.OpSub, ir.OpMul:
		if within(v) {
			return n.both(o.Code, b, o.Args)
		}
	case ir.OpMin, ir.OpMax:
		return n.both(o.Code, b, o.Args)
	}
	return nil
}

// both appends an op of two numbers that have 32 bits; nil if one has not.
func (n *narrower) both(code ir.Code, b *ir.Builder, args []*ir.Value) *ir.Value {
	x, y := n.fits(args[0]), n.fits(args[1])
	if x == nil || y == nil {
		return nil
	}
	return b.Op(code, x, y)
}

// after returns a builder for what stands right behind the definition of a value.
func (n *narrower) after(v *ir.Value) *ir.Builder {
	if v.Def == nil {
		b := n.starts[v.Block]
		if b == nil {
			b = ir.NewBuilder(&ir.Block{})
			n.starts[v.Block] = b
		}
		return b
	}
	b := n.behind[v.Def]
	if b == nil {
		b = ir.NewBuilder(&ir.Block{})
		b.Pos = v.Def.Pos
		n.behind[v.Def] = b
	}
	return b
}

// insert puts the new ops into a block and its regions.
func (n *narrower) insert(b *ir.Block) {
	ops := b.Ops
	b.Ops = make([]*ir.Op, 0, len(ops))
	if start := n.starts[b]; start != nil {
		b.Ops = append(b.Ops, start.Block.Ops...)
	}
	for _, o := range ops {
		for _, r := range o.Regions {
			n.insert(r)
		}
		b.Ops = append(b.Ops, o)
		if behind := n.behind[o]; behind != nil {
			b.Ops = append(b.Ops, behind.Block.Ops...)
		}
	}
}
