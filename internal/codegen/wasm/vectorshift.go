package wasm

import (
	"strings"

	"github.com/gotaichi/ti/internal/ir"
)

// An engine for amd64 takes the count of a shift through two registers, six instructions in all, also if it is a constant. So shifts by whole bytes, and rotations,
// move bytes. A product in place of a shift to the left, which is fewer instructions, takes longer to come out, and makes random numbers slower.

// shiftVector shifts all lanes by one count, if there is one, or lane by lane.
func (f *function) shiftVector(o *ir.Op) {
	r, v, n := o.Results[0], o.Args[0], f.resolve(o.Args[1])
	k := r.Type.Kind
	if from := f.clears(o); from != nil {
		f.clearLow(r, from, n)
		return
	}
	size := f.wordBytes(v)
	if o.Code == ir.OpShl {
		size = f.laneBytes(r)
	}
	count := n
	for count.Def != nil && count.Def.Code == ir.OpSplat {
		count = f.resolve(count.Def.Args[0])
	}
	c, constant := ir.ConstOf(count)
	if !constant && count.Type.Lanes > 1 {
		f.laneByLane(o)
		return
	}
	shape := laneShape(ir.I32, size)
	width := uint64(8 * size)
	arithmetic := o.Code == ir.OpShr && k.IsSigned()
	name := shape + ".shl"
	if o.Code == ir.OpShr {
		name = shape + map[bool]string{true: ".shr_s", false: ".shr_u"}[k.IsSigned()]
	}
	a := f.holdAsLanes(v, size)
	part := func(int) { f.bytes([16]byte{}) } // nothing is left
	switch {
	case constant && (c < width || arithmetic):
		part = f.shiftPart(a, name, uint32(min(c, width-1)))
	case !constant:
		part = f.shiftPartBy(a, name, n, int64(width), arithmetic)
	}
	x := f.temporary(int(r.Type.Lanes), size, func(i int) {
		if part(i); o.Code == ir.OpShl {
			f.fitLanes(k, size)
		}
	})
	if size > f.laneBytes(r) {
		x = f.halves(x, int(r.Type.Lanes))
	}
	f.keepLanes(r, x)
}

// shiftPart returns what shifts a part by a constant.
func (f *function) shiftPart(a lanes, name string, c uint32) func(i int) {
	shape, shift, _ := strings.Cut(name, ".")
	switch {
	case shift == "shl" && c == 1:
		return func(i int) { f.pair(shape+".add", a, a, i) }
	case shift != "shr_s" && c%8 == 0:
		bytes := int(c / 8)
		if shift == "shl" {
			bytes = -bytes
		}
		return func(i int) {
			f.putPart(a, i)
			f.bytes(movedBytes(a.size, bytes, false))
			f.do("i8x16.swizzle")
		}
	}
	return func(i int) {
		f.putPart(a, i)
		f.word(int32(c))
		f.do(name)
	}
}

// shiftPartBy returns what shifts a part by a count that is known when the code runs.
func (f *function) shiftPartBy(a lanes, name string, count *ir.Value, width int64, arithmetic bool) func(i int) {
	by, fits := f.uniformCount(count, width, arithmetic)
	return func(i int) {
		f.putPart(a, i)
		f.put(by)
		if f.do(name); !arithmetic {
			f.bytes([16]byte{})
			f.put(fits)
			f.choose(v128)
		}
	}
}

// movedBytes are the numbers of the bytes that make lanes of a size from those that lie some bytes higher in the lane; beyond its end there are zeros, or the lane goes
// on at its beginning.
func movedBytes(size, higher int, around bool) (b [16]byte) {
	for i := range b {
		from := i%size + higher
		switch {
		case around:
			from = (from + size) % size
		case from < 0 || from >= size:
			b[i] = 0xff
			continue
		}
		b[i] = byte(i/size*size + from)
	}
	return b
}

// rotates returns the vector whose lanes an op rotates to the left by some bytes, or nil.
func (p *plan) rotates(o *ir.Op) (from *ir.Value, bytes int) {
	if o.Code != ir.OpOr || o.Results[0].Type.Lanes <= 1 {
		return nil, 0
	}
	left, right := o.Args[0].Def, o.Args[1].Def
	if left == nil || right == nil {
		return nil, 0
	}
	if left.Code != ir.OpShl {
		left, right = right, left
	}
	k := o.Results[0].Type.Kind
	if left.Code != ir.OpShl || right.Code != ir.OpShr || k != ir.U32 || left.Args[0] != right.Args[0] {
		return nil, 0
	}
	c, d := p.constantOf(left.Args[1]), p.constantOf(right.Args[1])
	if c == nil || d == nil || c.Bits%8 != 0 || c.Bits == 0 || c.Bits+d.Bits != uint64(k.Bits()) {
		return nil, 0
	}
	return left.Args[0], int(c.Bits / 8)
}

// rotate makes a result of lanes that are rotated.
func (f *function) rotate(r, from *ir.Value, bytes int) {
	a := f.holdLanes(from)
	f.each(r, func(i int) {
		f.putPart(a, i)
		f.bytes(movedBytes(a.size, -bytes, true))
		f.do("i8x16.swizzle")
	})
}

// clearLow makes zeros of the lower bits of lanes.
func (f *function) clearLow(r, from, count *ir.Value) {
	c, _ := ir.ConstOf(count)
	size := f.laneBytes(r)
	a := f.holdAsLanes(from, size)
	f.each(r, func(i int) {
		f.putPart(a, i)
		f.bytes(fill(r.Type.Kind, ^uint64(0)<<c, size))
		f.do("v128.and")
	})
}

// uniformCount is a count for all lanes as a word, limited for an arithmetic shift, and whether it is less than the width.
func (f *function) uniformCount(v *ir.Value, width int64, arithmetic bool) (count, fits operand) {
	x := f.holdLanes(v)
	t := f.typeOfLane(v.Type.Kind, x.size)
	n := f.laneOperand(x, v.Type.Kind, 0)
	f.put(n)
	f.number(t, width)
	f.do(t.String() + ".lt_u")
	fits = f.keep(i32)
	if f.put(n); arithmetic {
		f.number(t, width-1)
		f.put(fits)
		f.do("select")
	}
	f.cut(t, i32)
	return f.keep(i32), fits
}

func (f *function) shiftLane(o *ir.Op, k ir.Kind, t, result valType, a operand, counts lanes, lane int) {
	count := o.Args[1].Type.Kind
	n := f.laneOperand(counts, count, lane)
	countType := f.typeOfLane(count, counts.size)
	if o.Code == ir.OpShl && result == i32 && t == i64 {
		f.put(a)
		f.do("i32.wrap_i64")
		a, t = f.keep(i32), i32
	}
	name, width, arithmetic := shiftOf(o, t, k)
	f.shiftBy(t, name, func() { f.put(a) }, n, countType, width, arithmetic)
	if o.Code == ir.OpShl {
		f.fit(k)
	}
	f.cut(t, result)
}
