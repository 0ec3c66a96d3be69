package main

import (
	"encoding/binary"
	"fmt"
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

// newTensor returns a tensor of zeros.
func newTensor(k layout.Kind, shape []int) *tensor {
	n := 1
	for _, s := range shape {
		n *= s
	}
	return &tensor{k, shape, make([]byte, n*int(k.Size()))}
}

// at returns number i as a bool, int64, uint64 or float64.
func (t *tensor) at(i int) any {
	b := t.data[i*int(t.kind.Size()):]
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

// float returns number i as a float64.
func (t *tensor) float(i int) float64 {
	switch v := t.at(i).(type) {
	case bool:
		if v {
			return 1
		}
		return 0
	case int64:
		return float64(v)
	case uint64:
		return float64(v)
	default:
		return v.(float64)
	}
}

// setFloat stores v, rounded and clamped to an integer kind.
func (t *tensor) setFloat(i int, v float64) {
	b := t.data[i*int(t.kind.Size()):]
	le := binary.LittleEndian
	switch t.kind {
	case layout.F16:
		le.PutUint16(b, half.From64(v))
	case layout.F32:
		le.PutUint32(b, math.Float32bits(float32(v)))
	case layout.F64:
		le.PutUint64(b, math.Float64bits(v))
	case layout.Bool:
		b[0] = 0
		if v != 0 {
			b[0] = 1
		}
	case layout.U8:
		b[0] = uint8(math.Round(min(max(v, 0), 255)))
	default:
		panic(fmt.Sprintf("setFloat of %v", t.kind))
	}
}

// nested returns the numbers as nested slices for JSON, floats with all their
// digits, and what JSON has no numbers for as strings.
func (t *tensor) nested() any {
	next := 0
	var build func(shape []int) any
	build = func(shape []int) any {
		if len(shape) == 0 {
			next++
			return jsonNumber(t.at(next-1), t.kind)
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
