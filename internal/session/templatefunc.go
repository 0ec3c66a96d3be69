package session

import (
	"context"
	"reflect"

	"github.com/gotaichi/ti/internal/bind"
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/hostabi"
)

// launchTemplate is Kernel.Launch for a template.
func (k *Kernel) launchTemplate(ctx context.Context, args []any) ([]any, error) {
	t := k.of.template
	if len(args) != len(t.params) {
		return nil, k.wrongCount(args)
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
	inst, err := k.rt.way.found(t, static)
	if err != nil {
		return nil, err
	}
	if wrong := inst.boxed.Check(k, rest, k.rt.maker.Opt.Widths()); wrong != "" {
		return nil, diag.Errorf(diag.ErrArgs, "%s", wrong)
	}
	if inst, err = k.rt.way.held(ctx, inst); err != nil {
		return nil, err
	}
	defer k.rt.maker.eng.Unlock()
	return k.launch(ctx, inst, &inst.boxed, rest)
}

// makeFunc makes the Go function of type ft that launches the template.
func (k *Kernel) makeFunc(sig *hostabi.Signature, ft reflect.Type) reflect.Value {
	f := &templateFunc{k: k, t: k.of.template, sig: sig}
	return hostabi.ReflectedFunc(ft, sig, f.call)
}

// A templateFunc is a kernel function for a template.
type templateFunc struct {
	k   *Kernel
	t   *template
	sig *hostabi.Signature // with codecs that know no types yet
}

// call launches the instance for the arguments and sets out to the results.
func (f *templateFunc) call(ctx context.Context, args, out []reflect.Value) error {
	return f.k.rt.way.failed(f.launch(ctx, args, out))
}

func (f *templateFunc) launch(ctx context.Context, args, out []reflect.Value) error {
	k, t := f.k, f.t
	if ctx == nil {
		return k.nilContext()
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
	inst, err := k.rt.way.found(t, static)
	if err != nil {
		return err
	}
	sig, err := f.signature(inst, in)
	if err != nil {
		return err
	}
	if inst, err = k.rt.way.held(ctx, inst); err != nil {
		return err
	}
	defer k.rt.maker.eng.Unlock()
	return k.rt.way.frame(inst).CallReflected(ctx, sig, in, out, func(i int, why string) error {
		return k.Misfit(inst.boxed.Position(i), why)
	})
}

// signature returns the codecs of the function's types for an instance, with the
// run-time arguments in. They may turn out not to fit where the types of the kernel
// depend on its arguments.
func (f *templateFunc) signature(inst *instance, in []reflect.Value) (*hostabi.Signature, error) {
	if s, ok := inst.signatures.Load(f); ok {
		return s.(*hostabi.Signature), nil
	}
	k := f.t.k
	s := &hostabi.Signature{}
	checked, w := inst.checked.Kernel(k.name), k.p.maker.Opt.Widths()
	for i, v := range checked.Params {
		c, ok := hostabi.NewCodec(in[i].Type(), v.Type, w)
		if !ok {
			return nil, diag.Errorf(diag.ErrArgs, "argument %d is a %v, and with these fields and constants %s takes %s there", inst.boxed.Position(i), in[i].Type(), k, bind.Article(hostabi.GoType(v.Type)))
		}
		s.In = append(s.In, c)
	}
	for i, v := range checked.Results {
		c, ok := hostabi.NewCodec(f.sig.Out[i].Type, v.Type, w)
		if !ok {
			return nil, diag.Errorf(diag.ErrArgs, "result %d of the kernel function is a %v, and with these fields and constants %s gives %s", i+1, f.sig.Out[i].Type, k, bind.Article(hostabi.GoType(v.Type)))
		}
		s.Out = append(s.Out, c)
	}
	inst.signatures.Store(f, s)
	return s, nil
}
