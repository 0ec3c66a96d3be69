package bind

import (
	"bytes"
	"reflect"
	"unsafe"

	"github.com/gotaichi/ti/internal/half"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/outline"
	"github.com/gotaichi/ti/internal/typed"
)

// A Const is a compile-time constant that the host gives: where its value lies.
// The value is read at each launch, so the host may change it between them.
type Const struct {
	Name  string // the path of the var
	Value reflect.Value

	memory []byte // the value itself, in the host's struct
	via    []Ref  // pointers of the host that lead to it
}

// IsConstant reports whether t is a number, a bool, or an array of these.
func IsConstant(t reflect.Type) bool {
	for t.Kind() == reflect.Array && t.Len() > 0 {
		t = t.Elem()
	}
	k := t.Kind()
	return k >= reflect.Bool && k <= reflect.Float64 && k != reflect.Uintptr
}

// isHalf reports whether t holds half-precision numbers.
func isHalf(t reflect.Type) bool {
	k, _ := layout.KindOf(t)
	return k == layout.F16
}

// MemoryOf is the memory of an addressable value.
func MemoryOf(v reflect.Value) []byte {
	return unsafe.Slice((*byte)(v.Addr().UnsafePointer()), int(v.Type().Size()))
}

// ConstOf describes the value of a constant to the checker.
func ConstOf(v reflect.Value) outline.HostConst {
	var h outline.HostConst
	t := v.Type()
	for t.Kind() == reflect.Array {
		h.Dims = append(h.Dims, t.Len())
		t = t.Elem()
	}
	h.Vals = appendNums(nil, v)
	return h
}

func appendNums(to []typed.Num, v reflect.Value) []typed.Num {
	switch {
	case v.Kind() == reflect.Array:
		for i := range v.Len() {
			to = appendNums(to, v.Index(i))
		}
		return to
	case v.Kind() == reflect.Bool:
		return append(to, typed.BoolNum(v.Bool()))
	case isHalf(v.Type()):
		return append(to, typed.FloatNum(half.To64(uint16(v.Uint()))))
	case v.CanInt():
		return append(to, typed.IntNum(v.Int()))
	case v.CanUint():
		return append(to, typed.UintNum(v.Uint()))
	}
	return append(to, typed.FloatNum(v.Float()))
}

// A Snapshot is the value that a constant had.
type Snapshot struct {
	Of   *Const
	Then []byte
}

// Same reports whether the constant still has it.
func (s *Snapshot) Same() bool {
	now := s.Of.memory
	switch len(now) {
	case 4:
		return *(*[4]byte)(now) == *(*[4]byte)(s.Then)
	case 8:
		return *(*[8]byte)(now) == *(*[8]byte)(s.Then)
	}
	return bytes.Equal(now, s.Then)
}

func (c *Const) snapshot() Snapshot { return Snapshot{c, bytes.Clone(c.memory)} }
