package session

import (
	"bytes"
	"reflect"
	"slices"
	"unsafe"

	"github.com/gotaichi/ti/internal/half"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/outline"
	"github.com/gotaichi/ti/internal/typed"
)

// hostConst is a compile-time constant that the host gives: where its value lies.
// The value is read at each launch, so the host may change it between them.
type hostConst struct {
	name   string // the path of the var
	memory []byte // the value itself, in the host's struct
	value  reflect.Value
	via    []ref // pointers of the host that lead to it
}

// bindConst binds a constant of the source.
func (b *binder) bindConst(path string, v reflect.Value) {
	if !v.CanAddr() { // in an interface
		at := reflect.New(v.Type()).Elem()
		at.Set(v)
		v = at
	}
	c := &hostConst{name: path, value: v, via: slices.Clone(b.via)}
	c.memory = memoryOf(v)
	b.consts = append(b.consts, c)
	b.host.Consts[path] = c.read()
}

// isConstant reports whether t is a number, a bool, or an array of these.
func isConstant(t reflect.Type) bool {
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

// memoryOf is the memory of an addressable value.
func memoryOf(v reflect.Value) []byte {
	return unsafe.Slice((*byte)(v.Addr().UnsafePointer()), int(v.Type().Size()))
}

// read returns the value as it is now.
func (c *hostConst) read() outline.HostConst { return ConstOf(c.value) }

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

// snapshot is the value of a constant that an instance of a kernel was made with.
type snapshot struct {
	of   *hostConst
	then []byte
}

// same reports whether the value is still the one of the snapshot.
func (s *snapshot) same() bool {
	now := s.of.memory
	switch len(now) {
	case 4:
		return *(*[4]byte)(now) == *(*[4]byte)(s.then)
	case 8:
		return *(*[8]byte)(now) == *(*[8]byte)(s.then)
	}
	return bytes.Equal(now, s.then)
}

// snapshots of the constants with the given names.
func (p *Program) snapshots(names []string) []snapshot {
	var out []snapshot
	for _, c := range p.consts {
		if slices.Contains(names, c.name) {
			out = append(out, snapshot{c, bytes.Clone(c.memory)})
		}
	}
	return out
}
