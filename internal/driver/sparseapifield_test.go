package driver_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"reflect"

	"github.com/gotaichi/ti"
)

// An apiField is a field of the host.
type apiField interface {
	any() ti.AnyField
	at(idx []int) []uint64
	set(idx []int, e []uint64)
	all() ([][]uint64, error)
	replace(all [][]uint64, stream bool) error
	fill(e []uint64)
	each(idx []int, bounded bool, closed func(what string, f func() error))
}

func newAPIField(f *plotField) apiField {
	switch f.elem.typ.Kind() {
	case reflect.Int32:
		return new(apiFieldOf[int32])
	case reflect.Int64:
		return new(apiFieldOf[int64])
	case reflect.Int16:
		return new(apiFieldOf[int16])
	case reflect.Uint8:
		return new(apiFieldOf[uint8])
	case reflect.Array:
		return new(apiFieldOf[[3]int32])
	}
	return new(apiFieldOf[plotPair])
}

type apiFieldOf[T any] struct{ f ti.Field[T] }

func (a *apiFieldOf[T]) any() ti.AnyField          { return &a.f }
func (a *apiFieldOf[T]) at(idx []int) []uint64     { return bitsOf(a.f.At(idx...)) }
func (a *apiFieldOf[T]) set(idx []int, e []uint64) { a.f.Set(ofBits[T](e), idx...) }
func (a *apiFieldOf[T]) fill(e []uint64)           { a.f.Fill(ofBits[T](e)) }

// all reads the elements in all ways.
func (a *apiFieldOf[T]) all() (out [][]uint64, err error) {
	list := make([]T, lengthOf(a.f.Shape()))
	if err := a.f.CopyTo(list); err != nil {
		return nil, err
	}
	for _, v := range list {
		out = append(out, bitsOf(v))
	}
	visited := map[ti.Index]T{}
	if err := caught(func() error { visited = maps.Collect(a.f.All()); return nil }); err != nil {
		return nil, err
	}
	for idx, v := range visited {
		if n := rowMajor(a.f.Origin(), a.f.Shape(), idx); !reflect.DeepEqual(list[n], v) {
			return nil, fmt.Errorf("%s%v is %v in the copy, %v in a loop over all", a.f.Name(), idx, list[n], v)
		}
	}
	return out, nil
}

func lengthOf(shape ti.Shape) int {
	n := 1
	for _, s := range shape {
		n *= s
	}
	return n
}

func rowMajor(low, shape ti.Shape, idx ti.Index) (n int) {
	for k := range shape {
		n = n*shape[k] + idx[k] - low[k]
	}
	return n
}

// replace copies elements into a field, or lets it read what another has written.
func (a *apiFieldOf[T]) replace(all [][]uint64, stream bool) error {
	list := make([]T, len(all))
	for i, e := range all {
		list[i] = ofBits[T](e)
	}
	if !stream {
		return a.f.CopyFrom(list)
	}
	rt, err := ti.New(ti.Config{Arch: ti.Oracle})
	if err != nil {
		return err
	}
	defer rt.Close()
	var other ti.Field[T]
	rt.Place(a.f.Shape(), &other)
	if err := other.CopyFrom(list); err != nil {
		return err
	}
	var b bytes.Buffer
	if _, err := other.WriteTo(&b); err != nil {
		return err
	}
	_, err = a.f.ReadFrom(&b)
	return err
}

// each uses a field, whose tree has been closed, in all ways.
func (a *apiFieldOf[T]) each(idx []int, bounded bool, closed func(what string, f func() error)) {
	var v T
	if bounded {
		list := make([]T, lengthOf(a.f.Shape()))
		closed("CopyTo", func() error { return a.f.CopyTo(list) })
		closed("CopyFrom", func() error { return a.f.CopyFrom(list) })
		closed("WriteTo of a field", func() error { _, err := a.f.WriteTo(io.Discard); return err })
		closed("ReadFrom of a field", func() error {
			_, err := a.f.ReadFrom(bytes.NewReader(make([]byte, len(list)*int(reflect.TypeFor[T]().Size()))))
			return err
		})
	}
	closed("At", func() error { a.f.At(idx...); return nil })
	closed("Set", func() error { a.f.Set(v, idx...); return nil })
	closed("Fill", func() error { a.f.Fill(v); return nil })
	closed("All", func() error {
		for range a.f.All() {
			return nil
		}
		return nil
	})
}

// bitsOf returns the components of a value as the oracle holds them.
func bitsOf(v any) (out []uint64) {
	eachScalar(reflect.ValueOf(v), func(v reflect.Value) {
		if v.CanInt() {
			out = append(out, uint64(v.Int()))
		} else {
			out = append(out, v.Uint())
		}
	})
	return out
}

// ofBits is the value with such components.
func ofBits[T any](bits []uint64) (v T) {
	eachScalar(reflect.ValueOf(&v).Elem(), func(v reflect.Value) {
		if v.CanInt() {
			v.SetInt(int64(bits[0]) << (64 - v.Type().Bits()) >> (64 - v.Type().Bits()))
		} else {
			v.SetUint(bits[0] & (1<<v.Type().Bits() - 1))
		}
		bits = bits[1:]
	})
	return v
}

func eachScalar(v reflect.Value, f func(v reflect.Value)) {
	switch v.Kind() {
	case reflect.Array:
		for i := range v.Len() {
			eachScalar(v.Index(i), f)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			eachScalar(v.Field(i), f)
		}
	default:
		f(v)
	}
}
