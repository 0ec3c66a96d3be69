package ir

import (
	"fmt"
	"math"
)

// AppendText appends the text of s with its values to w. Slots has a value for each
// piece with a verb, in the low bits of its kind's width.
func (s *Site) AppendText(w []byte, slots []uint64) []byte {
	for _, p := range s.Text {
		switch {
		case p.Verb == "":
			w = append(w, p.Text...)
		case len(slots) > 0:
			w = fmt.Appendf(w, p.Verb, goValue(p.Kind, slots[0]))
			slots = slots[1:]
		}
	}
	return w
}

// Values returns how many values the text of s has.
func (s *Site) Values() int {
	n := 0
	for _, p := range s.Text {
		if p.Verb != "" {
			n++
		}
	}
	return n
}

// goValue is the value that bits stand for as a type of Go, which package fmt
// prints as Go programmers expect.
func goValue(k Kind, bits uint64) any {
	switch k {
	case Bool:
		return bits&1 != 0
	case I8:
		return int8(bits)
	case I16:
		return int16(bits)
	case I32:
		return int32(bits)
	case I64:
		return int64(bits)
	case U8:
		return uint8(bits)
	case U16:
		return uint16(bits)
	case U32:
		return uint32(bits)
	case F16:
		return float32(FloatValue(F16, bits&0xffff))
	case F32:
		return math.Float32frombits(uint32(bits))
	case F64:
		return math.Float64frombits(bits)
	}
	return bits
}
