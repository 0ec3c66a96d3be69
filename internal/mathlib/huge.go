package mathlib

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
)

// Reduction of huge arguments after Payne and Hanek: x = M·2^k with an integer
// M, so of the digits of 2/π only some count in x·2/π modulo 4: those above give
// multiples of 4, those far below nothing. The digits are cut out of a table
// and multiplied with M in integers.

// reduceHuge calls the function that returns, for |x| > trigLimit, r = hi + lo
// with x = nπ/2 + r and |r| ≤ π/4, and n modulo 4. An infinite x or a NaN gives a
// NaN. It is out of line so that the rare path is in a kernel once.
func (e *emitter) reduceHuge(x value) (hi, lo, n value) {
	r := e.Call(e.lib.reducer(e.t, e.strict), x)
	return r[0], r[1], r[2]
}

// reducer returns the function behind reduceHuge.
func (l *Library) reducer(t ir.Type, strict bool) *ir.Func {
	k := key{code: ir.OpNeg, t: t, strict: strict}
	return l.make(k, func() *ir.Func {
		name := "ti.reduce." + t.String()
		if strict {
			name += ".strict"
		}
		ints := t.With(ir.I32)
		if t.Kind == ir.F64 {
			ints = t.With(ir.I64)
		}
		f := &ir.Func{Name: name, Params: []ir.Type{t}, Results: []ir.Type{t, t, ints}, Body: &ir.Block{}}
		e := newEmitter(l, ir.NewBuilder(f.Body), t, strict)
		x := f.Body.AddParam(t, "x")
		if e.is32() {
			e.Return(e.reduceHuge32(x))
		} else {
			e.Return(e.reduceHuge64(x))
		}
		if t.Lanes > 1 {
			f.Scalar = l.reducer(t.Elem(), strict)
		}
		return f
	})
}

// window returns count words that begin at bit pos of the table. Words are as
// wide as the working kind, pos is of that kind. The table's words are constants,
// and one is chosen by the bits of the word number from the highest down, which
// halves the number of candidates each time.
func (e *emitter) window(table []uint64, pos value, count, maxWord int) []value {
	width := e.t.Kind.Bits()
	log := 5 + width/64
	word := e.shr(pos, log)
	words := make([]value, maxWord+count+1)
	for i := range words {
		words[i] = e.uint(table[i])
	}
	for bit := 8; bit > 0; bit /= 2 {
		if bit > maxWord {
			continue
		}
		set := e.ne(e.and(word, e.uint(uint64(bit))), e.uint(0))
		next := make([]value, min(count+bit, len(words)))
		for i := range next {
			next[i] = words[i]
			if i+bit < len(words) {
				next[i] = e.sel(set, words[i+bit], words[i])
			}
		}
		words = next
	}
	left := e.and(pos, e.uint(uint64(width-1)))
	right := e.sub(e.uint(uint64(width)), left) // a shift by the whole width gives 0
	for i := range count {
		words[i] = e.or(e.Op(ir.OpShl, words[i], left), e.Op(ir.OpShr, words[i+1], right))
	}
	return words[:count]
}

// reduceHuge32: M has 24 bits; 64 bits of the product are enough, since no f32
// is nearer to a multiple of π/2 than 2^-31.
func (e *emitter) reduceHuge32(x value) (hi, lo, n value) {
	u := e.in(ir.U32)
	bits := e.toUint(x)
	exp := u.and(u.shr(bits, 23), u.uint(0xff))
	m := u.or(u.and(bits, u.uint(0x7fffff)), u.uint(0x800000))
	// The bit of 2/π with weight 2^-i, i from 1, is bit 31+i of the table. The
	// window begins where the product's weight is 2^1: at i = exp-151.
	var table []uint64
	for _, w := range twoOverPiBits() {
		table = append(table, uint64(w))
	}
	a := u.window(table, u.sub(exp, u.uint(151-31)), 3, 4)
	w := e.in(ir.U64)
	wide := func(v value) value { return e.Convert(v, ir.U64) }
	f := w.add(w.shl(wide(u.mul(m, a[0])), 32), w.mul(wide(m), wide(a[1])))
	f = w.add(f, w.shr(w.mul(wide(m), wide(a[2])), 32))

	d := e.in(ir.F64)
	rest, n := w.nearestFraction(f)
	// In f64 the product's error does not count, and the rest is lo.
	r := d.mul(w.Convert(rest, ir.F64), d.num(math.Ldexp(math.Pi, -63)))
	r = d.flip(r, w.shl(wide(u.shr(bits, 31)), 63))
	r = d.add(r, e.Convert(e.sub(x, x), ir.F64))
	hi = e.Convert(r, ir.F32)
	lo = e.Convert(d.sub(r, e.Convert(hi, ir.F64)), ir.F32)
	return hi, lo, e.Bitcast(u.negateIf(e.Convert(n, ir.U32), u.shr(bits, 31)), ir.I32)
}

// nearestFraction cuts a fixed-point number modulo 4, bit 62 of which has weight
// 1, into the nearest integer and the signed rest in units of 2^-62.
func (e *emitter) nearestFraction(f value) (rest, n value) {
	n = e.shr(e.add(f, e.uint(1<<61)), 62)
	return e.Bitcast(e.sub(f, e.shl(n, 62)), ir.I64), n
}

// negateIf returns n or, where neg is 1, -n; neg is 0 or 1.
func (e *emitter) negateIf(n, neg value) value {
	m := e.sub(e.uint(0), neg)
	return e.sub(e.xor(n, m), m)
}

// reduceHuge64: M has 53 bits, and no f64 is nearer to a multiple of π/2 than
// 2^-62; so 128 bits of the product are kept.
func (e *emitter) reduceHuge64(x value) (hi, lo, n value) {
	w := e.in(ir.U64)
	bits := e.toUint(x)
	exp := w.and(w.shr(bits, 52), w.uint(0x7ff))
	m := w.or(w.and(bits, w.uint(1<<52-1)), w.uint(1<<52))
	var table []uint64
	for i, v := range twoOverPiBits() {
		if i%2 == 1 {
			table = append(table, uint64(twoOverPiBits()[i-1])<<32|uint64(v))
		}
	}
	var a []value
	for _, v := range w.window(table, w.sub(exp, w.uint(1076-31)), 3, 15) {
		a = append(a, w.shr(v, 32), w.and(v, w.uint(math.MaxUint32)))
	}
	h, l := w.product128(m, a)

	rest, n := w.nearestFraction(h)
	// The sign of rest, and the magnitude of rest and l together.
	neg := w.shr(rest, 63) // -1 or 0
	negU := w.Bitcast(neg, ir.U64)
	h, l = w.xor(w.Bitcast(rest, ir.U64), negU), w.xor(l, negU) // off by 2^-126
	// Shifted so that the highest bit is set, the upper 53 bits are one f64 and
	// the 53 below another.
	z := w.Op(ir.OpClz, h)
	left := w.sub(w.uint(64), z)
	h = w.or(w.Op(ir.OpShl, h, z), w.Op(ir.OpShr, l, left))
	l = w.Op(ir.OpShl, l, z)
	d := e.in(ir.F64)
	top := w.and(h, w.uint(^uint64(1<<11-1)))
	f := e.Convert(w.shr(top, 11), ir.F64) // exact
	g := e.Convert(w.or(w.shl(w.sub(h, top), 42), w.shr(l, 22)), ir.F64)
	// Units: f of 2^(11-z-62), g of 2^-53 of f's.
	pi := halfPi64()
	hi, lo = d.twoProd(f, d.num(pi[0]))
	lo = d.add(lo, d.mad(f, d.num(pi[1]), d.mul(g, d.num(math.Ldexp(pi[0], -53)))))
	hi, lo = d.twoSum(hi, lo)
	unit := e.toFloat(w.shl(w.sub(w.uint(1023+11-62), z), 52))
	unit = d.flip(unit, w.and(w.xor(negU, bits), w.uint(1<<63)))
	nan := d.sub(x, x)
	return d.add(d.mul(hi, unit), nan), d.mul(lo, unit), w.Bitcast(w.negateIf(n, w.shr(bits, 63)), ir.I64)
}

// product128 returns the upper 128 bits of m·a modulo 2^192, where a is six
// words of 32 bits, highest first.
func (e *emitter) product128(m value, a []value) (hi, lo value) {
	mask := e.uint(math.MaxUint32)
	mh, ml := e.shr(m, 32), e.and(m, mask)
	low := make([]value, len(a))
	high := make([]value, len(a))
	for i, w := range a {
		low[i], high[i] = e.mul(ml, w), e.mul(mh, w)
	}
	limb := make([]value, 4)
	carry := e.shr(low[5], 32)
	for k := 4; k >= 0; k-- {
		s := e.add(carry, e.and(low[k], mask))
		if k+1 < len(a) {
			s = e.add(s, e.and(high[k+1], mask))
			if k < 4 {
				s = e.add(s, e.shr(low[k+1], 32))
			}
		}
		if k+2 < len(a) {
			s = e.add(s, e.shr(high[k+2], 32))
		}
		if k < 4 {
			limb[k] = e.and(s, mask)
		}
		carry = e.shr(s, 32)
	}
	return e.or(e.shl(limb[0], 32), limb[1]), e.or(e.shl(limb[2], 32), limb[3])
}
