package hostabi

import (
	"context"
	"reflect"

	"github.com/gotaichi/ti/internal/typed"
)

// Signature is the type of a kernel function, taken apart: its parameters of run
// time, and its results.
type Signature struct {
	Ctx, Err bool
	In, Out  []Codec
}

var (
	contextType = reflect.TypeFor[context.Context]()
	errorType   = reflect.TypeFor[error]()
)

// A Param is a parameter of a kernel.
type Param struct {
	Want   typed.Type
	Static bool                    // bound when the kernel is compiled
	Takes  func(reflect.Type) bool // whether it takes a value of a type, if it is static
}

// SignatureOf matches a func type with a kernel's parameters and results.
func SignatureOf(t reflect.Type, params []Param, results []typed.Type, w typed.Widths) (s Signature, ok bool) {
	if t.IsVariadic() {
		return s, false
	}
	in, out := t.NumIn(), t.NumOut()
	first := 0
	if in > 0 && t.In(0) == contextType {
		s.Ctx, first = true, 1
	}
	if out > 0 && t.Out(out-1) == errorType {
		s.Err = true
		out--
	}
	if in-first != len(params) || out != len(results) {
		return s, false
	}
	for i, p := range params {
		if p.Static {
			if !p.Takes(t.In(first + i)) {
				return s, false
			}
			continue
		}
		c, ok := NewCodec(t.In(first+i), p.Want, w)
		if !ok {
			return s, false
		}
		s.In = append(s.In, c)
	}
	for i, r := range results {
		c, ok := NewCodec(t.Out(i), r, w)
		if !ok || c.slice || c.view > 0 {
			return s, false
		}
		s.Out = append(s.Out, c)
	}
	return s, true
}
