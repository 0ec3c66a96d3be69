package main

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/gotaichi/ti/internal/half"
	"github.com/gotaichi/ti/internal/layout"
)

// A value is what the command line has for a constant or an argument: a number,
// a truth value, a list of these, or a name.
type value struct {
	text string  // a number as written, or a name
	list []value // a list, if text is ""
}

// String returns the value as it would be written.
func (v value) String() string {
	if v.text != "" {
		return v.text
	}
	parts := make([]string, len(v.list))
	for i, e := range v.list {
		parts[i] = e.String()
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// parseValues parses "1, [2, 3], X".
func parseValues(s string) ([]value, error) {
	p := &valueParser{s}
	vs, err := p.list("")
	if err != nil {
		return nil, fmt.Errorf("%q: %w", s, err)
	}
	return vs, nil
}

type valueParser struct{ rest string }

// list parses values up to the closing bracket, or to the end if that is "".
func (p *valueParser) list(closing string) ([]value, error) {
	var vs []value
	for {
		p.rest = strings.TrimSpace(p.rest)
		if p.rest == "" {
			if closing == "" && len(vs) == 0 {
				return nil, nil
			}
			return nil, fmt.Errorf("a value was expected at the end")
		}
		if closing != "" && len(vs) == 0 && strings.HasPrefix(p.rest, closing) {
			p.rest = p.rest[1:]
			return vs, nil
		}
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		vs = append(vs, v)
		p.rest = strings.TrimSpace(p.rest)
		switch {
		case strings.HasPrefix(p.rest, ","):
			p.rest = p.rest[1:]
		case p.rest == "" && closing == "":
			return vs, nil
		case closing != "" && strings.HasPrefix(p.rest, closing):
			p.rest = p.rest[1:]
			return vs, nil
		default:
			return nil, fmt.Errorf("a comma was expected at %q", p.rest)
		}
	}
}

func (p *valueParser) value() (value, error) {
	if strings.HasPrefix(p.rest, "[") {
		p.rest = p.rest[1:]
		list, err := p.list("]")
		return value{list: list}, err
	}
	n := strings.IndexAny(p.rest, ",[]() \t")
	if n < 0 {
		n = len(p.rest)
	}
	if n == 0 {
		return value{}, fmt.Errorf("a value was expected at %q", p.rest)
	}
	v := value{text: p.rest[:n]}
	p.rest = p.rest[n:]
	return v, nil
}

// goValue converts v to the Go type t: a scalar or nested arrays of scalars.
func (v value) goValue(t reflect.Type) (reflect.Value, error) {
	out := reflect.New(t).Elem()
	return out, v.store(out)
}

func (v value) store(out reflect.Value) error {
	t := out.Type()
	if t.Kind() == reflect.Array {
		if v.text != "" || len(v.list) != t.Len() {
			return fmt.Errorf("%s is not a list of %d", v, t.Len())
		}
		for i, e := range v.list {
			if err := e.store(out.Index(i)); err != nil {
				return err
			}
		}
		return nil
	}
	if v.text == "" {
		return fmt.Errorf("%s is a list where one value is needed", v)
	}
	return v.scalar(out)
}

// scalar stores a number or truth value.
func (v value) scalar(out reflect.Value) error {
	bad := func() error { return fmt.Errorf("%q is not a value of type %s", v.text, kernelName(out.Type())) }
	switch t := out.Type(); {
	case t.Kind() == reflect.Bool:
		b, err := strconv.ParseBool(v.text)
		if err != nil {
			return bad()
		}
		out.SetBool(b)
	case out.CanInt():
		n, err := strconv.ParseInt(v.text, 0, t.Bits())
		if err != nil {
			return bad()
		}
		out.SetInt(n)
	case kindOf(t) == layout.F16:
		x, err := strconv.ParseFloat(v.text, 64)
		h := half.From64(x)
		if err != nil || math.IsInf(half.To64(h), 0) && !math.IsInf(x, 0) {
			return bad()
		}
		out.SetUint(uint64(h))
	case out.CanUint():
		n, err := strconv.ParseUint(v.text, 0, t.Bits())
		if err != nil {
			return bad()
		}
		out.SetUint(n)
	case out.CanFloat():
		x, err := strconv.ParseFloat(v.text, t.Bits())
		if err != nil {
			return bad()
		}
		out.SetFloat(x)
	default:
		return bad()
	}
	return nil
}

// kernelName returns the name that a Go type has in kernels.
func kernelName(t reflect.Type) string {
	if t.Kind() == reflect.Array {
		return fmt.Sprintf("[%d]%s", t.Len(), kernelName(t.Elem()))
	}
	if k, ok := layout.KindOf(t); ok {
		return k.String()
	}
	return t.String()
}

// jsonValue returns a kernel's result in a form for JSON.
func jsonValue(v reflect.Value) any {
	if v.Kind() == reflect.Array {
		list := make([]any, v.Len())
		for i := range list {
			list[i] = jsonValue(v.Index(i))
		}
		return list
	}
	kind := kindOf(v.Type())
	switch {
	case v.Kind() == reflect.Struct:
		return structValue(v)
	case kind == layout.F16:
		return jsonNumber(half.To64(uint16(v.Uint())), kind)
	case v.CanInt():
		return jsonNumber(v.Int(), kind)
	case v.CanUint():
		return jsonNumber(v.Uint(), kind)
	case v.CanFloat():
		return jsonNumber(v.Float(), kind)
	}
	return v.Bool()
}

// jsonNumber formats floats with the digits that tell them apart, NaN and
// infinities as strings.
func jsonNumber(v any, kind layout.Kind) any {
	f, ok := v.(float64)
	switch {
	case !ok:
		return v
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "+Inf"
	case math.IsInf(f, -1):
		return "-Inf"
	}
	bits := 64
	switch kind {
	case layout.F16:
		f = half.Shortest(half.From64(f))
	case layout.F32:
		bits = 32
	}
	format := byte('g')
	if a := math.Abs(f); a == 0 || a >= 1e-6 && a < 1e21 {
		format = 'f'
	}
	return json.RawMessage(strconv.FormatFloat(f, format, -1, bits))
}

// plain formats what jsonValue and nested return for people.
func plain(v any) string {
	switch v := v.(type) {
	case []any:
		parts := make([]string, len(v))
		for i, e := range v {
			parts[i] = plain(e)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case json.RawMessage:
		return string(v)
	}
	return fmt.Sprint(v)
}
