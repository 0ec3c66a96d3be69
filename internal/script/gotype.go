package script

import (
	"fmt"
	"reflect"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/typed"
)

// GoType returns the Go type of values of a kernel type, and the lengths of its
// axes.
func GoType(t typed.Type) (reflect.Type, []int, error) {
	switch t := t.(type) {
	case typed.Scalar:
		if g, ok := goScalars[t]; ok {
			return g, nil, nil
		}
	case typed.Array:
		elem, dims, err := GoType(t.Elem)
		if err != nil {
			return nil, nil, err
		}
		return reflect.ArrayOf(t.Len, elem), append([]int{t.Len}, dims...), nil
	case typed.Slice:
		elem, dims, err := GoType(t.Elem)
		if err != nil {
			return nil, nil, err
		}
		return reflect.SliceOf(elem), dims, nil
	}
	return nil, nil, fmt.Errorf("the type %s has no counterpart on the command line", t)
}

var goScalars = map[typed.Scalar]reflect.Type{
	typed.Bool: reflect.TypeFor[bool](),
	typed.I8:   reflect.TypeFor[int8](), typed.I16: reflect.TypeFor[int16](),
	typed.I32: reflect.TypeFor[int32](), typed.I64: reflect.TypeFor[int64](),
	typed.U8: reflect.TypeFor[uint8](), typed.U16: reflect.TypeFor[uint16](),
	typed.U32: reflect.TypeFor[uint32](), typed.U64: reflect.TypeFor[uint64](),
	typed.F16: reflect.TypeFor[ti.Float16](), typed.F32: reflect.TypeFor[float32](), typed.F64: reflect.TypeFor[float64](),
}

// kindOf returns the kind of the numbers in arrays of t, and 0 if they are structs.
func kindOf(t reflect.Type) layout.Kind {
	for t.Kind() == reflect.Array {
		t = t.Elem()
	}
	k, _ := layout.KindOf(t)
	return k
}
