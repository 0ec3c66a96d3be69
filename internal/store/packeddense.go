package store

import (
	"math"
	"unsafe"

	"github.com/gotaichi/ti/internal/quant"
)

// This file has the loops of direct forms over words and float32 that lie side by side. A shift by a variable takes
// three instructions where a product takes one: codes are moved up by products, and not down where a power of two can
// be in the step instead.

// dense32 reports whether n words from an address on and as many float32 lie side by side, and the code in the low
// 32 bits of its word.
func (d *direct) dense32(word, step, size uintptr) bool {
	return step == word && size == 4 && int(d.bit)+d.coder.Width() <= 32
}

// decodeDense decodes words, or reports that the form is none that it knows.
func decodeDense[W anyWord](d *direct, to []float32, from []W) bool {
	c := d.coder
	n := uint(c.Width())
	switch {
	case c.Class == quant.Float && d.bit == 0:
		decodeDenseFloat(c, to, from)
	case c.Class != quant.Fixed || !c.Single:
		return false
	case c.Unsigned:
		k, exact := scaledDown(float32(c.Step), d.bit)
		if !exact {
			return false
		}
		mask := uint32(c.Mask << d.bit)
		for i, w := range from {
			to[i] = float32(int64(uint32(w)&mask)) * k
		}
	default:
		k, exact := scaledDown(float32(c.Step), 32-n)
		if !exact {
			return false
		}
		up := uint32(1) << (32 - n - d.bit) // to the highest bits
		for i, w := range from {
			to[i] = float32(int32(uint32(w)*up)) * k
		}
	}
	return true
}

// scaledDown returns k over 2^by, and whether that is exact: a product with it is then that with k.
func scaledDown(k float32, by uint) (float32, bool) {
	s := float32(math.Ldexp(float64(k), -int(by)))
	return s, s >= 0x1p-126
}

func decodeDenseFloat[W anyWord](c *quant.Coder, to []float32, from []W) {
	const digits, bias = 23, 127
	bits := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(to))), len(to))
	low, sign := uint32(1)<<(c.Exp+c.Digits)-1, uint32(1)<<(c.Exp+c.Digits)
	if c.Unsigned {
		sign = 0
	}
	add, up, to31 := uint32(bias-c.Bias)<<c.Digits, uint32(1)<<(digits-c.Digits), uint32(1)<<(31-c.Exp-c.Digits)
	least, most := uint32(1)<<c.Digits, uint32(c.Max)
	span := most - least
	for i, w := range from {
		w := uint32(w)
		u := w & low
		if u-least > span {
			if u < least {
				bits[i] = 0
				continue
			}
			u = most
		}
		bits[i] = (u+add)*up | w&sign*to31
	}
}

// encodeDense encodes numbers into words that have nothing else, or reports that the form is none that it knows.
func encodeDense[W anyWord](d *direct, to []W, from []float32) bool {
	c := d.coder
	switch {
	case c.Class == quant.Float:
		encodeDenseFloat(d, to, from)
		return true
	case c.Class != quant.Fixed || !c.Single:
		return false
	}
	k, lo, hi, mask := float32(c.K), float32(c.Lo), float32(c.Hi), uint32(c.Mask)
	up := W(1) << (d.bit & 63)
	for i, v := range from {
		x := float32(v * k)
		if !(x >= lo && x <= hi) {
			switch {
			case x > hi:
				x = hi
			case x < lo:
				x = lo
			default:
				x = 0
			}
		}
		to[i] = W(math.Float32bits(x+roundBits)&mask) * up
	}
	return true
}

func encodeDenseFloat[W anyWord](d *direct, to []W, from []float32) {
	const digits, bias, inf = 23, 127, 0xff << 23
	c := d.coder
	bits := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(from))), len(from))
	cut := uint(digits - c.Digits)
	half, odd := uint32(0), uint32(0)
	if cut > 0 {
		half, odd = 1<<(cut-1)-1, 1
	}
	below, least, most := uint32(bias-c.Bias)<<c.Digits, uint32(1)<<c.Digits, uint32(c.Max)
	zero, sign := math.Float32bits(float32(math.Ldexp(1, -c.Bias))), uint32(1)<<31
	if c.Unsigned {
		sign = 0
	}
	// A product with 2^(32-n) has a number shifted down by n in its upper half.
	down, down31 := uint64(1)<<(32-cut), uint64(1)<<(1+c.Exp+c.Digits)
	up, span := W(1)<<(d.bit&63), most-least
	for i, b := range bits {
		u := b &^ (1 << 31)
		t := uint32(uint64(u+half+uint32(uint64(u)*down>>32)&odd)*down>>32) - below
		if u-zero-1 > inf-zero-1 || c.Unsigned && u != b { // zero, almost zero and NaN; negative
			to[i] = 0
			continue
		}
		if t-least > span {
			if int32(t) < int32(least) {
				t = least
			} else {
				t = most
			}
		}
		to[i] = W(t|uint32(uint64(b&sign)*down31>>32)) * up
	}
}
