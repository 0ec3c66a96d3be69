package store

import (
	"math"
	"unsafe"

	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/quant"
)

// This file moves numbers of the most common forms between words and float32 without buffers between: a
// single one in each word, as a fixed-point number or with an exponent of its own.

// A direct is such a form. Bits up and down take a code out of a word.
type direct struct {
	coder    *quant.Coder
	bit      uint
	up, down uint
	keep     int64 // what is not the sign of an unsigned code
	kind     layout.Kind
}

// decode stores the numbers of n words outside.
func (d *direct) decode(to unsafe.Pointer, size uintptr, from unsafe.Pointer, step uintptr, n int) {
	switch d.kind {
	case layout.U8:
		decodeDirect[uint8](d, to, size, from, step, n)
	case layout.U16:
		decodeDirect[uint16](d, to, size, from, step, n)
	case layout.U32:
		decodeDirect[uint32](d, to, size, from, step, n)
	default:
		decodeDirect[uint64](d, to, size, from, step, n)
	}
}

// encode stores n numbers from outside in words that have nothing else.
func (d *direct) encode(to unsafe.Pointer, step uintptr, from unsafe.Pointer, size uintptr, n int) {
	switch d.kind {
	case layout.U8:
		encodeDirect[uint8](d, to, step, from, size, n)
	case layout.U16:
		encodeDirect[uint16](d, to, step, from, size, n)
	case layout.U32:
		encodeDirect[uint32](d, to, step, from, size, n)
	default:
		encodeDirect[uint64](d, to, step, from, size, n)
	}
}

type anyWord interface {
	uint8 | uint16 | uint32 | uint64
}

func decodeDirect[W anyWord](d *direct, to unsafe.Pointer, size uintptr, from unsafe.Pointer, step uintptr, n int) {
	if d.dense32(unsafe.Sizeof(W(0)), step, size) && decodeDense(d, unsafe.Slice((*float32)(to), n), unsafe.Slice((*W)(from), n)) {
		return
	}
	up, down, keep := d.up&63, d.down&63, d.keep
	switch c := d.coder; {
	case c.Class == quant.Float:
		decodeDirectFloat[W](d, to, size, from, step, n)
	case c.Single:
		k := float32(c.Step)
		for i := range uintptr(n) {
			w := uint64(*(*W)(unsafe.Add(from, i*step)))
			*(*float32)(unsafe.Add(to, i*size)) = float32(int64(w<<up)>>down&keep) * k
		}
	default:
		k := c.Step
		for i := range uintptr(n) {
			w := uint64(*(*W)(unsafe.Add(from, i*step)))
			*(*float32)(unsafe.Add(to, i*size)) = float32(float64(int64(w<<up)>>down&keep) * k)
		}
	}
}

// decodeDirectFloat does in the bits of a float32 what the coder does in those of a float64.
func decodeDirectFloat[W anyWord](d *direct, to unsafe.Pointer, size uintptr, from unsafe.Pointer, step uintptr, n int) {
	const digits, bias = 23, 127
	c, bit := d.coder, d.bit&63
	low, sign := uint32(1)<<(c.Exp+c.Digits)-1, uint32(1)<<(c.Exp+c.Digits)
	if c.Unsigned {
		sign = 0
	}
	add, up, to31 := uint32(bias-c.Bias)<<c.Digits, uint(digits-c.Digits)&31, uint(31-c.Exp-c.Digits)&31
	least, most := uint32(1)<<c.Digits, uint32(c.Max)
	for i := range uintptr(n) {
		w := uint32(uint64(*(*W)(unsafe.Add(from, i*step))) >> bit)
		u := min(w&low, most)
		bits := (u+add)<<up | w&sign<<to31
		if u < least {
			bits = 0
		}
		*(*uint32)(unsafe.Add(to, i*size)) = bits
	}
}

// roundBits is a number to which adding another leaves that, rounded to even, in the low 22 bits.
const roundBits = 0x1.8p23

func encodeDirect[W anyWord](d *direct, to unsafe.Pointer, step uintptr, from unsafe.Pointer, size uintptr, n int) {
	if d.dense32(unsafe.Sizeof(W(0)), step, size) && encodeDense(d, unsafe.Slice((*W)(to), n), unsafe.Slice((*float32)(from), n)) {
		return
	}
	c, bit := d.coder, d.bit&63
	switch {
	case c.Class == quant.Float:
		encodeDirectFloat[W](d, to, step, from, size, n)
	case !c.Single:
		k, lo, hi, mask := c.K, float64(c.Lo), float64(c.Hi), c.Mask
		for i := range uintptr(n) {
			x := float64(float64(*(*float32)(unsafe.Add(from, i*size))) * k)
			if x > hi {
				x = hi
			} else if !(x >= lo) {
				if x == x {
					x = lo
				} else {
					x = 0
				}
			}
			*(*W)(unsafe.Add(to, i*step)) = W(math.Float64bits(x+quant.RoundBits) & mask << bit)
		}
	default:
		k, lo, hi, mask := float32(c.K), float32(c.Lo), float32(c.Hi), uint32(c.Mask)
		for i := range uintptr(n) {
			x := float32(*(*float32)(unsafe.Add(from, i*size)) * k)
			if x > hi {
				x = hi
			} else if !(x >= lo) {
				if x == x {
					x = lo
				} else {
					x = 0
				}
			}
			*(*W)(unsafe.Add(to, i*step)) = W(uint64(math.Float32bits(x+roundBits)&mask) << bit)
		}
	}
}

// encodeDirectFloat rounds in the bits of a float32.
func encodeDirectFloat[W anyWord](d *direct, to unsafe.Pointer, step uintptr, from unsafe.Pointer, size uintptr, n int) {
	const digits, bias, inf = 23, 127, 0xff << 23
	c, bit := d.coder, d.bit&63
	cut := uint(digits-c.Digits) & 31
	up, odd := uint32(0), uint32(0)
	if cut > 0 {
		up, odd = 1<<(cut-1)-1, 1
	}
	below, least, most := int32(bias-c.Bias)<<c.Digits, int32(1)<<c.Digits, int32(c.Max)
	half, to31 := math.Float32bits(float32(math.Ldexp(1, -c.Bias))), uint(31-c.Exp-c.Digits)&31
	sign := uint32(1) << 31
	if c.Unsigned {
		sign = 0
	}
	for i := range uintptr(n) {
		bits := *(*uint32)(unsafe.Add(from, i*size))
		u := bits &^ (1 << 31)
		t := (u + up + u>>cut&odd) >> cut
		code := uint32(min(max(int32(t)-below, least), most)) | bits&sign>>to31
		if u-half-1 > inf-half-1 || c.Unsigned && bits != u { // zero, almost zero and NaN; negative
			code = 0
		}
		*(*W)(unsafe.Add(to, i*step)) = W(uint64(code) << bit)
	}
}
