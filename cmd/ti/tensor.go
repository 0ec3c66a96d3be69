package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"unsafe"
)

// A tensor is an array on its way between a field and a file: numbers of one
// kind in row-major order, little-endian, without padding, as Field.WriteTo has
// them. The shape of a field of vectors ends in the vector's length.
type tensor struct {
	kind  reflect.Kind // Bool, Int8 … Uint64, Float32, Float64
	shape []int        // all axes, those within an element last
	data  []byte
}

// kindSize returns the bytes of a number.
func kindSize(k reflect.Kind) int {
	switch k {
	case reflect.Bool, reflect.Int8, reflect.Uint8:
		return 1
	case reflect.Int16, reflect.Uint16:
		return 2
	case reflect.Int32, reflect.Uint32, reflect.Float32:
		return 4
	}
	return 8
}

// newTensor returns a tensor of zeros.
func newTensor(k reflect.Kind, shape []int) *tensor {
	n := 1
	for _, s := range shape {
		n *= s
	}
	return &tensor{k, shape, make([]byte, n*kindSize(k))}
}

// at returns number i as a bool, int64, uint64 or float64.
func (t *tensor) at(i int) any {
	b := t.data[i*kindSize(t.kind):]
	le := binary.LittleEndian
	switch t.kind {
	case reflect.Bool:
		return b[0] != 0
	case reflect.Int8:
		return int64(int8(b[0]))
	case reflect.Int16:
		return int64(int16(le.Uint16(b)))
	case reflect.Int32:
		return int64(int32(le.Uint32(b)))
	case reflect.Int64:
		return int64(le.Uint64(b))
	case reflect.Uint8:
		return uint64(b[0])
	case reflect.Uint16:
		return uint64(le.Uint16(b))
	case reflect.Uint32:
		return uint64(le.Uint32(b))
	case reflect.Uint64:
		return le.Uint64(b)
	case reflect.Float32:
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
	b := t.data[i*kindSize(t.kind):]
	le := binary.LittleEndian
	switch t.kind {
	case reflect.Float32:
		le.PutUint32(b, math.Float32bits(float32(v)))
	case reflect.Float64:
		le.PutUint64(b, math.Float64bits(v))
	case reflect.Bool:
		b[0] = 0
		if v != 0 {
			b[0] = 1
		}
	case reflect.Uint8:
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
