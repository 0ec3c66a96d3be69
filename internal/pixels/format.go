package pixels

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/gotaichi/ti/internal/half"
	"github.com/gotaichi/ti/internal/layout"
)

// A Format is what the elements of a picture are made of: Channels numbers of a kind. One is
// a brightness, or all of a colour if it is a u32; three are red, green and blue; the fourth
// is opacity.
type Format struct {
	Kind     layout.Kind
	Channels int
}

// FormatOf returns the format of elements of the given kind and, for vectors, dimensions.
func FormatOf(kind layout.Kind, dims []int) (Format, error) {
	f := Format{kind, 1}
	if len(dims) == 1 {
		f.Channels = dims[0]
	}
	switch kind {
	case layout.F16, layout.F32, layout.F64, layout.U8, layout.Bool:
		if len(dims) == 0 || len(dims) == 1 && (f.Channels == 3 || f.Channels == 4) {
			return f, nil
		}
	case layout.U32:
		if len(dims) == 0 {
			return f, nil
		}
	}
	return Format{}, errors.New("a picture needs elements of f16, f32, f64, u8 or bool, or vectors of 3 or 4 of these, or of u32 as rgba packs them")
}

// Size is the number of bytes of an element.
func (f Format) Size() int { return f.Channels * f.Kind.Size() }

// Packed reports whether an element is a colour in one number, 0xAABBGGRR.
func (f Format) Packed() bool { return f.Kind == layout.U32 }

// White is the number that stands for full brightness.
func (f Format) White() float64 {
	if f.Kind == layout.U8 {
		return 255
	}
	return 1
}

// IsFloat reports whether numbers of a kind are floats.
func IsFloat(k layout.Kind) bool { return k == layout.F16 || k == layout.F32 || k == layout.F64 }

// Number returns the first number in b.
func Number(k layout.Kind, b []byte) float64 {
	le := binary.LittleEndian
	switch k {
	case layout.Bool:
		return float64(min(b[0], 1))
	case layout.U8:
		return float64(b[0])
	case layout.I8:
		return float64(int8(b[0]))
	case layout.U16:
		return float64(le.Uint16(b))
	case layout.I16:
		return float64(int16(le.Uint16(b)))
	case layout.U32:
		return float64(le.Uint32(b))
	case layout.I32:
		return float64(int32(le.Uint32(b)))
	case layout.U64:
		return float64(le.Uint64(b))
	case layout.I64:
		return float64(int64(le.Uint64(b)))
	case layout.F16:
		return half.To64(le.Uint16(b))
	case layout.F32:
		return float64(math.Float32frombits(le.Uint32(b)))
	}
	return math.Float64frombits(le.Uint64(b))
}

// put stores v, from 0 to 1, at the beginning of b.
func (f Format) put(b []byte, v float64) {
	le := binary.LittleEndian
	switch f.Kind {
	case layout.Bool:
		b[0] = 0
		if v != 0 {
			b[0] = 1
		}
	case layout.U8:
		b[0] = Level(v)
	case layout.F16:
		le.PutUint16(b, half.From64(v))
	case layout.F32:
		le.PutUint32(b, math.Float32bits(float32(v)))
	default:
		le.PutUint64(b, math.Float64bits(v))
	}
}

// Level returns the level of 256 for v from 0 to 1.
func Level(v float64) uint8 {
	switch {
	case v >= 1:
		return 255
	case v > 0:
		return uint8(255*v + 0.5)
	}
	return 0
}

// level32 is the level of a float by its bits: most are between 0 and 1, so one branch is foreseen.
func level32(bits uint32) uint8 {
	const one, inf = 0x3f800000, 0x7f800000
	if bits-1 < one-1 {
		return uint8(int32(255*float64(math.Float32frombits(bits)) + 0.5))
	}
	if one <= bits && bits <= inf {
		return 255
	}
	return 0 // negative, 0, or no number
}

// Levels stores the levels of 256 of the numbers of a kind that follow each other in b, as many as there are in dst. Those of a u8 are itself.
func Levels(dst []uint8, k layout.Kind, b []byte) {
	switch size := k.Size(); k {
	case layout.U8:
		copy(dst, b)
	case layout.F32:
		for i := range dst {
			dst[i] = level32(binary.LittleEndian.Uint32(b[4*i:]))
		}
	default:
		for i := range dst {
			dst[i] = Level(Number(k, b[i*size:]))
		}
	}
}

// Numbers stores the numbers of a kind that follow each other in b, as many as there are in dst.
func Numbers(dst []float64, k layout.Kind, b []byte) {
	switch size := k.Size(); k {
	case layout.F32:
		for i := range dst {
			dst[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
		}
	case layout.I32:
		for i := range dst {
			dst[i] = float64(int32(binary.LittleEndian.Uint32(b[4*i:])))
		}
	default:
		for i := range dst {
			dst[i] = Number(k, b[i*size:])
		}
	}
}

// RGBA returns the colour of an element at the beginning of b, not multiplied by its opacity.
func (f Format) RGBA(b []byte) (c [4]uint8) {
	if f.Packed() {
		return [4]uint8(b)
	}
	c[3] = 255
	size := f.Kind.Size()
	for i := range f.Channels {
		if f.Kind == layout.U8 {
			c[i] = b[i]
			continue
		}
		c[i] = Level(Number(f.Kind, b[i*size:]))
	}
	if f.Channels == 1 {
		c[1], c[2] = c[0], c[0]
	}
	return c
}
