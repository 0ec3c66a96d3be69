package hostabi

import (
	"fmt"
	"reflect"

	"github.com/gotaichi/ti/internal/outline"
	"github.com/gotaichi/ti/internal/typed"
)

// Boxed is what a launch takes and gives at run time: the parameters that are not
// compile-time ones, and the results, with the Go types that Launch has for them.
type Boxed struct {
	Sig  Signature
	Want []typed.Type // of the parameters, in the kernel language
	// number counts each parameter among all of the declaration; nil if there are
	// no others.
	Number []int
}

// Rules are what the types of a launch depend on.
type Rules struct {
	Widths typed.Widths
	Half   reflect.Type // the Go type of f16
}

// NewBoxed makes what a checked kernel takes boxed. Its struct types are those of own, a
// kernel function of the host's, if it has any, and else written in place.
func NewBoxed(f *outline.Kernel, own *Signature, r Rules) Boxed {
	var to Boxed
	codecs := func(vars []*typed.Var, own []Codec) []Codec {
		var out []Codec
		for i, v := range vars {
			c, _ := NewCodec(goTypeOf(v.Type, r.Half), v.Type, r.Widths)
			if i < len(own) && typed.HasStruct(v.Type) {
				if named, ok := NewCodec(own[i].Type, v.Type, r.Widths); ok {
					c = named
				}
			}
			out = append(out, c)
		}
		return out
	}
	if own == nil {
		own = &Signature{}
	}
	to.Sig.In, to.Sig.Out = codecs(f.Params, own.In), codecs(f.Results, own.Out)
	for _, v := range f.Params {
		to.Want = append(to.Want, v.Type)
	}
	return to
}

// Position is the number of a parameter as the caller counts, from 1.
func (f *Boxed) Position(i int) int {
	if f.Number != nil {
		i = f.Number[i]
	}
	return i + 1
}

// CodecFor returns the codec of parameter i for a type: its own, or a Go int or
// another type that is passed alike. It is nil if the type does not fit.
func (f *Boxed) CodecFor(i int, t reflect.Type, w typed.Widths) *Codec {
	own := &f.Sig.In[i]
	if t == nil {
		return nil
	}
	if t == own.Type {
		return own
	}
	c, ok := NewCodec(t, f.Want[i], w)
	if !ok {
		return nil
	}
	return &c
}

// Check reports an argument of a wrong type.
func (f *Boxed) Check(kernel fmt.Stringer, args []any, w typed.Widths) (problem string) {
	for i := range f.Sig.In {
		t := reflect.TypeOf(args[i])
		if t != nil && t == f.Sig.In[i].Type || f.CodecFor(i, t, w) != nil {
			continue
		}
		found, takes := "nil", GoType(f.Want[i])
		if own := f.Sig.In[i].Type; own != nil {
			takes = own.String()
		}
		if t != nil {
			found = "a " + t.String()
		}
		return fmt.Sprintf("argument %d is %s where %s takes a %s", f.Position(i), found, kernel, takes)
	}
	return ""
}

// Results boxes the results of a launch.
func (f *Boxed) Results(slots []uint64) []any {
	if len(f.Sig.Out) == 0 {
		return nil
	}
	out := make([]any, len(f.Sig.Out))
	for i := range out {
		c := &f.Sig.Out[i]
		v := reflect.New(c.Type)
		c.get(v.UnsafePointer(), slots)
		slots = slots[c.Slots():]
		out[i] = v.Elem().Interface()
	}
	return out
}
