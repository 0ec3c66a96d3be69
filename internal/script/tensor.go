package script

import (
	"encoding/binary"
	"math"
	"reflect"
	"unsafe"

	"github.com/gotaichi/ti/internal/half"
	"github.com/gotaichi/ti/internal/layout"
)

// A tensor is an array on its way between a field and a file: numbers of one
// kind in row-major order, little-endian, without padding, as Field.WriteTo has
// them. The shape of a field of vectors ends in the vector's length.
type tensor struct {
	kind  layout.Kind // of the numbers
	shape []int       // all axes, those within an element last
	data  []byte
}

// at returns number i as a bool, int64, uint64 or float64.
func (t *tensor) at(i int) any {
	b := t.data[i*t.kind.Size():]
	le := binary.LittleEndian
	switch t.kind {
	case layout.Bool:
		return b[0] != 0
	case layout.I8:
		return int64(int8(b[0]))
	case layout.I16:
		return int64(int16(le.Uint16(b)))
	case layout.I32:
		return int64(int32(le.Uint32(b)))
	case layout.I64:
		return int64(le.Uint64(b))
	case layout.U8:
		return uint64(b[0])
	case layout.U16:
		return uint64(le.Uint16(b))
	case layout.U32:
		return uint64(le.Uint32(b))
	case layout.U64:
		return le.Uint64(b)
	case layout.F16:
		return half.To64(le.Uint16(b))
	case layout.F32:
		return float64(math.Float32frombits(le.Uint32(b)))
	}
	return math.Float64frombits(le.Uint64(b))
}

// nested returns the numbers as nested slices for JSON, floats with all their
// digits, and what JSON has no numbers for as strings.
func (t *tensor) nested() any {
	next := 0
	var build func(shape []int) any
	build = func(shape []int) any {
		if len(shape) == 0 {
			next++
			return JSONNumber(t.at(next-1), t.kind)
		}
		list := make([]any, shape[0])
		for i := range list {
			list[i] = build(shape[1:])
		}
		return list
	}
	return build(t.shape)
}

// bytesOf returns the memory of a slice of numbers or arrays of numbers.
func bytesOf(slice reflect.Value) []byte {
	return unsafe.Slice((*byte)(slice.UnsafePointer()), slice.Len()*int(slice.Type().Elem().Size()))
}
