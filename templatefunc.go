package ti

import (
	"context"
	"reflect"
)

// launch is Kernel.Launch for a template.
func (t *template) launch(ctx context.Context, args []any) ([]any, error) {
	if len(args) != len(t.params) {
		return nil, t.k.wrongCount(args)
	}
	var static []staticArg
	var rest []any
	for i, a := range args {
		if !t.static[i] {
			rest = append(rest, a)
			continue
		}
		var err error
		if static, err = t.appendArg(static, i, reflect.ValueOf(a)); err != nil {
			return nil, err
		}
		if static[len(static)-1].memory != nil {
			rest = append(rest, a)
		}
	}
	inst, err := t.find(static)
	if err != nil {
		return nil, err
	}
	if err := inst.form.check(t.k, rest); err != nil {
		return nil, err
	}
	if err := inst.hold(ctx); err != nil {
		return nil, err
	}
	defer t.k.p.rt.eng.Unlock()
	return inst.launch(ctx, &inst.form, rest)
}

// makeFunc makes the Go function of type ft that launches the template.
func (t *template) makeFunc(sig *signature, ft reflect.Type) reflect.Value {
	f := &templateFunc{t: t, sig: sig}
	return reflectedFunc(ft, sig, f.call)
}

// A templateFunc is a kernel function for a template.
type templateFunc struct {
	t   *template
	sig *signature // with codecs that know no types yet
}

// call launches the instance for the arguments and sets out to the results.
func (f *templateFunc) call(ctx context.Context, args, out []reflect.Value) error {
	t := f.t
	if ctx == nil {
		return t.k.nilContext()
	}
	static, in := make([]staticArg, 0, len(args)), make([]reflect.Value, 0, len(args))
	for i, v := range args {
		if !t.static[i] {
			in = append(in, v)
			continue
		}
		var err error
		if static, err = t.appendArg(static, i, v); err != nil {
			return err
		}
		if static[len(static)-1].memory != nil {
			if v.Kind() == reflect.Interface {
				v = v.Elem()
			}
			in = append(in, v)
		}
	}
	inst, err := t.find(static)
	if err != nil {
		return err
	}
	sig, err := f.signature(inst, in)
	if err != nil {
		return err
	}
	if err := inst.hold(ctx); err != nil {
		return err
	}
	defer t.k.p.rt.eng.Unlock()
	return inst.callReflected(ctx, sig, in, out)
}

// signature returns the codecs of the function's types for an instance, with the
// run-time arguments in. They may turn out not to fit where the types of the kernel
// depend on its arguments.
func (f *templateFunc) signature(inst *instance, in []reflect.Value) (*signature, error) {
	if s, ok := inst.signatures.Load(f); ok {
		return s.(*signature), nil
	}
	k := f.t.k
	s := &signature{}
	checked, w := inst.checked.Kernel(k.name), k.p.rt.opt.widths()
	for i, v := range checked.Params {
		c, ok := newCodec(in[i].Type(), v.Type, w)
		if !ok {
			return nil, errorOf(ErrArgs, "argument %d is a %v, and with these fields and constants %s takes %s there", inst.form.position(i), in[i].Type(), k, article(goType(v.Type)))
		}
		s.in = append(s.in, c)
	}
	for i, v := range checked.Results {
		c, ok := newCodec(f.sig.out[i].typ, v.Type, w)
		if !ok {
			return nil, errorOf(ErrArgs, "result %d of the kernel function is a %v, and with these fields and constants %s gives %s", i+1, f.sig.out[i].typ, k, article(goType(v.Type)))
		}
		s.out = append(s.out, c)
	}
	inst.signatures.Store(f, s)
	return s, nil
}
