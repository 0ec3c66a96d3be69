//go:build !ti_ahead

package runtest

import (
	"math"
	"reflect"

	"github.com/gotaichi/ti"
)

// Eq compares what a case gave with what it should, floats within 16 ulps.
func Eq[T any](r *Run, what string, got, want T) {
	r.Helper()
	if !Same(reflect.ValueOf(got), reflect.ValueOf(want), 16) {
		r.Errorf("%s is %v, want %v", what, got, want)
	}
}

// EqAll compares all elements of a field with those f gives.
func EqAll[T any](r *Run, x *ti.Field[T], f func(i ti.Index) T) {
	r.Helper()
	for i, got := range x.All() {
		if want := f(i); !Same(reflect.ValueOf(got), reflect.ValueOf(want), 16) {
			r.Errorf("%s%v is %v, want %v", x.Name(), i[:max(1, len(x.Shape()))], got, want)
			return
		}
	}
}

// OK fails on an error.
func OK(r *Run, err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// Same compares two values; floats may differ by ulps units in the last place,
// and all NaNs are alike, as are zeros.
func Same(got, want reflect.Value, ulps int) bool {
	if h, ok := got.Interface().(ti.Float16); ok {
		return closeTo(float64(h.Float32()), float64(want.Interface().(ti.Float16).Float32()), ulps, 0x1p-10, 0x1p-24)
	}
	switch got.Kind() {
	case reflect.Array, reflect.Slice:
		if got.Len() != want.Len() {
			return false
		}
		for i := range got.Len() {
			if !Same(got.Index(i), want.Index(i), ulps) {
				return false
			}
		}
		return true
	case reflect.Struct: // perhaps of types with other names
		for i := range got.NumField() {
			if got.NumField() != want.NumField() || !Same(got.Field(i), want.Field(i), ulps) {
				return false
			}
		}
		return true
	case reflect.Float32:
		return closeTo(got.Float(), want.Float(), ulps, 0x1p-23, 0x1p-149)
	case reflect.Float64:
		return closeTo(got.Float(), want.Float(), ulps, 0x1p-52, 0x1p-1074)
	}
	return got.Interface() == want.Interface()
}

func closeTo(got, want float64, ulps int, eps, tiny float64) bool {
	switch {
	case got == want || got != got && want != want:
		return true
	case math.IsInf(got, 0) || math.IsInf(want, 0) || got != got || want != want:
		return false
	}
	return math.Abs(got-want) <= float64(ulps)*math.Max(math.Abs(want)*eps, tiny)
}
