package script

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/typed"
)

// arrayTypes makes a ti.Array of a slice, by the type of its elements: numbers, and vectors and
// square matrices of up to four rows. Go has no such types but those that a program names.
var arrayTypes = func() map[reflect.Type]func(slice reflect.Value, shape []int) any {
	m := map[reflect.Type]func(reflect.Value, []int) any{}
	arraysOf[bool](m)
	arraysOf[int8](m)
	arraysOf[int16](m)
	arraysOf[int32](m)
	arraysOf[int64](m)
	arraysOf[uint8](m)
	arraysOf[uint16](m)
	arraysOf[uint32](m)
	arraysOf[uint64](m)
	arraysOf[ti.Float16](m)
	arraysOf[float32](m)
	arraysOf[float64](m)
	return m
}()

func arraysOf[T any](m map[reflect.Type]func(reflect.Value, []int) any) {
	arrayOf[T](m)
	arrayOf[[2]T](m)
	arrayOf[[3]T](m)
	arrayOf[[4]T](m)
	arrayOf[[2][2]T](m)
	arrayOf[[3][3]T](m)
	arrayOf[[4][4]T](m)
}

func arrayOf[E any](m map[reflect.Type]func(reflect.Value, []int) any) {
	m[reflect.TypeFor[E]()] = func(slice reflect.Value, shape []int) any {
		return ti.Array[E]{Data: slice.Interface().([]E), Shape: shape}
	}
}

// viewArgument is a copy of a field for an array parameter. The launch changes the copy, from
// which the field gets its elements afterwards, as with slices.
func (s *Session) viewArgument(c *call, v value, p typed.View) (any, error) {
	elem, _, err := GoType(p.Elem)
	if err != nil {
		return nil, err
	}
	of := arrayTypes[elem]
	if of == nil {
		return nil, fmt.Errorf("arrays of %s have no counterpart on the command line; there are those of numbers, and of vectors and square matrices of up to 4", p.Elem)
	}
	f := s.Fields[v.text]
	if f == nil {
		return nil, fmt.Errorf("it is an array; give it the name of a bound field of rank %d, not %s", p.Rank, v)
	}
	slice, err := s.copyOf(c, v.text, f, elem, p.Rank)
	if err != nil {
		return nil, err
	}
	return of(slice, slices.Clone(f.Shape())), nil
}
