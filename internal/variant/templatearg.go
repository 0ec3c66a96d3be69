package variant

import (
	"reflect"
	"strconv"

	"github.com/gotaichi/ti/internal/bind"
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/hostabi"
	"github.com/gotaichi/ti/internal/store"
	"github.com/gotaichi/ti/internal/typed"
)

// memoryElem returns the element type of a slice or an Array; ok is false for another
// type, and for elements that the kernel language does not have.
func memoryElem(t reflect.Type) (elem reflect.Type, ok bool) {
	switch {
	case t.Kind() == reflect.Slice:
		elem = t.Elem()
	case hostabi.IsArray(t):
		elem = t.Field(0).Type.Elem()
	default:
		return nil, false
	}
	return elem, isElem(elem)
}

// isElem reports whether the kernel language has values of type t.
func isElem(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return isElem(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if !isElem(t.Field(i).Type) {
				return false
			}
		}
		return true
	}
	_, ok := hostabi.ScalarOf(t)
	return ok
}

// memoryArg is the argument for a slice or an Array. A variant is made for each
// element type and number of axes.
func (t *Template) memoryArg(i int, elem reflect.Type, v reflect.Value) (Arg, error) {
	a := Arg{typ: v.Type(), Memory: typed.Slice{Elem: hostabi.TypeOf(elem)}}
	if v.Kind() == reflect.Slice {
		return a, nil
	}
	rank := v.FieldByName("Shape").Len()
	if most := len(store.Index{}); rank < 1 || rank > most {
		return a, diag.Errorf(diag.ErrArgs, "argument %d of %s, a %v, has a Shape of %s; give it a Shape of 1 to %d", i+1, t.Kernel, v.Type(), hostabi.Count(rank, "axis", "axes"), most)
	}
	a.Memory, a.bits = typed.View{Elem: hostabi.TypeOf(elem), Rank: rank}, strconv.Itoa(rank)
	return a, nil
}

// takesBundle reports whether a bundle parameter takes a value of Go type t, as far as
// the type tells; the value's members are looked at when it is launched.
func takesBundle(want typed.Type, t reflect.Type) bool {
	if t.Kind() == reflect.Interface {
		return t.NumMethod() == 0
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	} else if holdsFieldValue(t) {
		return false // those would be copies
	}
	switch want := want.(type) {
	case *typed.Struct:
		return t.Kind() == reflect.Struct && !bind.IsFieldType(t) && !bind.IsNodeStruct(t)
	case typed.Array:
		return t.Kind() == reflect.Array && t.Len() == want.Len
	}
	return false
}

// appendBundle appends the arguments for the parts of a bundle, in the order of the
// source.
func (t *Template) appendBundle(to []Arg, i int, v reflect.Value) ([]Arg, error) {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	k, p := t.Kernel, t.Params[i]
	b := bind.NewParam(k.Program.Maker.Store, k.Program.pkg, k.Program.Maker.Opt.Widths())
	b.Part(p.Name, p.Name, p.Type, v, "the argument")
	if len(b.Errs) > 0 {
		return nil, k.bundleError(i+1, b.Errs[0])
	}
	for _, part := range typed.Parts(p.Type) {
		a, ok := partArg(&b.Bound, p.Name+part)
		if !ok {
			return nil, diag.Errorf(diag.ErrArgs, "argument %d of %s has nothing for %s", i+1, k, p.Name+part)
		}
		a.Param = i
		to = append(to, a)
	}
	return to, nil
}

// holdsFieldValue reports whether a value of type t has fields in it, and not only
// pointers to them.
func holdsFieldValue(t reflect.Type) bool {
	switch {
	case t.Kind() == reflect.Array:
		return holdsFieldValue(t.Elem())
	case t.Kind() != reflect.Struct:
		return false
	case bind.IsFieldType(t):
		return true
	}
	for i := range t.NumField() {
		if f := t.Field(i); f.Tag.Get("ti") != "-" && holdsFieldValue(f.Type) {
			return true
		}
	}
	return false
}

// partArg is the argument for the part that was bound to a path.
func partArg(b *bind.Bound, path string) (Arg, bool) {
	for _, f := range b.Fields {
		if f.Path == path {
			return Arg{Core: f.Core}, true
		}
	}
	for _, c := range b.Consts {
		if c.Name == path {
			return constArg(c.Value), true
		}
	}
	return Arg{}, false
}

// bundleError tells of a mistake in the bundle that is the nth argument of k.
func (k *Kernel) bundleError(n int, e *SourceError) error {
	cause, help := e.Cause, ""
	if cause == nil {
		cause = diag.ErrArgs
	}
	if e.Help != "" {
		help = "; " + e.Help
	}
	return diag.Errorf(cause, "argument %d of %s: %s%s", n, k, e.Msg, help)
}
