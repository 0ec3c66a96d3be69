package ti

import (
	"reflect"

	"github.com/gotaichi/ti/internal/typed"
)

// A form is what a launch takes and gives at run time: the parameters that are not
// compile-time ones, and the results, with the Go types that Launch has for them.
type form struct {
	sig  signature
	want []typed.Type // of the parameters, in the kernel language
	// number counts each parameter among all of the declaration; nil if there are
	// no others.
	number []int
}

// newForm makes the form of a checked kernel. Its struct types are those of own, a
// kernel function of the host's, if it has any, and else written in place.
func (k *Kernel) newForm(f *typed.Func, own *signature) form {
	var to form
	w := k.p.rt.opt.widths()
	codecs := func(vars []*typed.Var, own []codec) []codec {
		var out []codec
		for i, v := range vars {
			c, _ := newCodec(goTypeOf(v.Type), v.Type, w)
			if i < len(own) && typed.HasStruct(v.Type) {
				if named, ok := newCodec(own[i].typ, v.Type, w); ok {
					c = named
				}
			}
			out = append(out, c)
		}
		return out
	}
	if own == nil {
		own = &signature{}
	}
	to.sig.in, to.sig.out = codecs(f.Params, own.in), codecs(f.Results, own.out)
	for _, v := range f.Params {
		to.want = append(to.want, v.Type)
	}
	return to
}

// position is the number of a parameter as the caller counts, from 1.
func (f *form) position(i int) int {
	if f.number != nil {
		i = f.number[i]
	}
	return i + 1
}

// codecFor returns the codec of parameter i for a type: its own, or a Go int or
// another type of the same form. It is nil if the type does not fit.
func (f *form) codecFor(i int, t reflect.Type, w typed.Widths) *codec {
	own := &f.sig.in[i]
	if t == nil {
		return nil
	}
	if t == own.typ {
		return own
	}
	c, ok := newCodec(t, f.want[i], w)
	if !ok {
		return nil
	}
	return &c
}

// check reports an argument of a wrong type.
func (f *form) check(k *Kernel, args []any) error {
	for i := range f.sig.in {
		t := reflect.TypeOf(args[i])
		if t != nil && t == f.sig.in[i].typ || f.codecFor(i, t, k.p.rt.opt.widths()) != nil {
			continue
		}
		found, takes := "nil", goType(f.want[i])
		if own := f.sig.in[i].typ; own != nil {
			takes = own.String()
		}
		if t != nil {
			found = "a " + t.String()
		}
		return errorOf(ErrArgs, "argument %d is %s where %s takes a %s", f.position(i), found, k, takes)
	}
	return nil
}

// results boxes the results of a launch.
func (f *form) results(inst *instance) []any {
	if len(f.sig.out) == 0 {
		return nil
	}
	out := make([]any, len(f.sig.out))
	slots := inst.results
	for i := range out {
		c := &f.sig.out[i]
		v := reflect.New(c.typ)
		c.get(v.UnsafePointer(), slots)
		slots = slots[c.slots():]
		out[i] = v.Elem().Interface()
	}
	return out
}
