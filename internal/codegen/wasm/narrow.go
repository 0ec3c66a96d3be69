package wasm

import "github.com/gotaichi/ti/internal/ir"

// Integers of 8 and 16 bits fill a register with more lanes than words do. A vector of them has lanes of their own size where it comes from memory, or from other such
// vectors by an op that has an instruction for these lanes, and where it fills whole registers. Masks follow what is compared. All other vectors of narrow numbers have
// a word for each lane, and an operand gets the size that an op wants.

// narrowLanes finds the vectors of blocks with lanes of less than a word.
func (p *plan) narrowLanes(b *ir.Block) {
	if b == nil {
		return
	}
	for _, o := range b.Ops {
		if len(o.Results) == 1 {
			if size := p.narrowSize(o); size > 0 {
				p.small[o.Results[0]] = size
			}
		}
		for _, r := range o.Regions {
			p.narrowLanes(r)
		}
	}
}

// narrowSize returns how many bytes a lane of the result of an op takes if that is less than a word, and else 0.
func (p *plan) narrowSize(o *ir.Op) int {
	r := o.Results[0]
	k, size := r.Type.Kind, r.Type.Kind.Size()
	if r.Type.Lanes <= 1 {
		return 0
	}
	if k == ir.Bool {
		return p.narrowMask(o)
	}
	if !isNarrow(k) || !fillsParts(r.Type.Lanes, size) {
		return 0
	}
	ok := false
	switch o.Code {
	case ir.OpLoad:
		ok = len(o.Args) == 1 && o.Args[0].Type.Lanes <= 1 && o.Order == ir.Plain
	case ir.OpSplat:
		ok = !p.isConstant(r)
	case ir.OpAdd, ir.OpSub, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpNot, ir.OpNeg, ir.OpMin, ir.OpMax:
		ok = p.agree(o.Args, size)
	case ir.OpMul:
		ok = size == 2 && p.agree(o.Args, size)
	case ir.OpSelect:
		ok = o.Args[0].Type.Lanes > 1 && p.agree(o.Args[:1], size) && (p.agree(o.Args[1:], size) || p.isConstant(o.Args[1]) && p.isConstant(o.Args[2]))
	case ir.OpConvert, ir.OpBitcast:
		v := o.Args[0]
		ok = p.small[v] > 0 && (v.Type.Kind != ir.Bool || p.small[v] == size)
	}
	if !ok {
		return 0
	}
	return size
}

// narrowMask is narrowSize of a mask.
func (p *plan) narrowMask(o *ir.Op) int {
	switch o.Code {
	case ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe, ir.OpGt, ir.OpGe:
		if k := o.Args[0].Type.Kind; !isNarrow(k) {
			return 0
		}
	case ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpNot:
	default:
		return 0
	}
	for size := 1; size <= 2; size++ {
		if p.agree(o.Args, size) {
			return size
		}
	}
	return 0
}

// agree reports whether vectors have lanes of a size, apart from constants, which have any size.
func (p *plan) agree(vs []*ir.Value, size int) bool {
	some := false
	for _, v := range vs {
		if p.small[v] == size {
			some = true
		} else if !p.isConstant(v) {
			return false
		}
	}
	return some
}

// isConstant reports whether all lanes of a vector are one constant.
func (p *plan) isConstant(v *ir.Value) bool { return p.constantOf(v) != nil }

// constantOf returns the op whose constant all lanes of a vector are, or nil.
func (p *plan) constantOf(v *ir.Value) *ir.Op {
	for v.Def != nil && (v.Def.Code == ir.OpSplat || p.same(v.Def)) {
		v = v.Def.Args[0]
	}
	if v.Def != nil && v.Def.Code == ir.OpConst {
		return v.Def
	}
	return nil
}

// isNarrow reports whether a kind is that of integers of less than a word.
func isNarrow(k ir.Kind) bool { return k.IsInt() && k.Bits() < 32 && k != ir.Bool }

// fillsParts reports whether n lanes of a size fill whole parts.
func fillsParts(n uint32, size int) bool { return int(n)*size >= 16 && int(n)*size%16 == 0 }

// resized are lanes of a narrow size, or of one of 4 bytes for which a narrow one is wanted.
func (f *function) resized(x lanes, n int, k ir.Kind, size int) lanes {
	sign := "_u"
	if k == ir.Bool || k.IsSigned() && k.IsInt() {
		sign = "_s"
	}
	// uniform reports whether there is one local for all parts.
	uniform := func() bool { return len(x.locals) == 1 && partsOf(n, x.size) > 1 }
	for x.size < size {
		from, to := laneShape(ir.I32, x.size), laneShape(ir.I32, 2*x.size)
		wide := lanes{size: 2 * x.size}
		for i := range partsOf(n, wide.size) {
			if i > 0 && uniform() {
				break
			}
			f.putPart(x, i/2)
			f.do(to + ".extend_" + []string{"low", "high"}[i%2] + "_" + from + sign)
			wide.locals = append(wide.locals, f.temp(v128))
		}
		x = wide
	}
	if x.size > size && k != ir.Bool && k.Bits() > 8*size { // what does not fit wraps
		sign = "_u"
		x = f.temporary(n, x.size, func(i int) {
			f.putPart(x, i)
			f.bytes(fill(ir.U64, 1<<(8*size)-1, x.size))
			f.do("v128.and")
		})
	}
	for x.size > size {
		from, to := laneShape(ir.I32, x.size), laneShape(ir.I32, x.size/2)
		half := lanes{size: x.size / 2}
		for i := range partsOf(n, half.size) {
			if i > 0 && uniform() {
				break
			}
			f.putPart(x, 2*i)
			f.putPart(x, 2*i+1)
			f.do(to + ".narrow_" + from + sign)
			half.locals = append(half.locals, f.temp(v128))
		}
		x = half
	}
	return x
}
