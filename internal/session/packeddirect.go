package session

import (
	"math"
	"unsafe"

	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/quant"
)

// This file moves numbers of the most common forms between words and float32 without buffers between: a
// single one in each word that has a fixed point, in the arithmetic of f32.

// A direct is such a form. Bits up and down take a code out of a word.
type direct struct {
	k, step  float32
	lo, hi   float32
	bit      uint
	up, down uint
	keep     int64 // what is not the sign of an unsigned code
	mask     uint64
	kind     layout.Kind
}

// directOf returns the form of the one component in a word, nil if it is another.
func directOf(w *bulkWord) *direct {
	p := w.comps[0]
	c := p.packed.of.Coder
	if w.array || len(w.comps) != 1 || p.packed.of.Group != nil || p.access.Kind != layout.F32 || c.Class != quant.Fixed || !c.Single {
		return nil
	}
	n := c.Width()
	d := &direct{
		k: float32(c.K), step: float32(c.Step), lo: float32(c.Lo), hi: float32(c.Hi), mask: c.Mask, kind: w.word.Kind,
		bit: uint(p.packed.of.Shift), up: uint(64 - int64(n) - p.packed.of.Shift), down: uint(64 - n), keep: -1,
	}
	if c.Unsigned {
		d.keep = int64(c.Mask)
	}
	return d
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

func decodeDirect[W uint8 | uint16 | uint32 | uint64](d *direct, to unsafe.Pointer, size uintptr, from unsafe.Pointer, step uintptr, n int) {
	up, down, keep, k := d.up&63, d.down&63, d.keep, d.step
	for i := range uintptr(n) {
		w := uint64(*(*W)(unsafe.Add(from, i*step)))
		*(*float32)(unsafe.Add(to, i*size)) = float32(int64(w<<up)>>down&keep) * k
	}
}

// roundBits is a number to which adding another leaves that, rounded to even, in the low 22 bits.
const roundBits = 0x1.8p23

func encodeDirect[W uint8 | uint16 | uint32 | uint64](d *direct, to unsafe.Pointer, step uintptr, from unsafe.Pointer, size uintptr, n int) {
	k, lo, hi, mask, bit := d.k, d.lo, d.hi, uint32(d.mask), d.bit&63
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
