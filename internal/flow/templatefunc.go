package flow

import (
	"context"
	"reflect"

	"github.com/gotaichi/ti/internal/bind"
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/hostabi"
	"github.com/gotaichi/ti/internal/variant"
)

// launchTemplate is Kernel.Launch for a template.
func (c *Caller) launchTemplate(ctx context.Context, args []any) ([]any, error) {
	t := c.Of.Template
	if len(args) != len(t.Params) {
		return nil, c.wrongCount(args)
	}
	var static []variant.Arg
	var rest []any
	for i, a := range args {
		if !t.Static[i] {
			rest = append(rest, a)
			continue
		}
		var err error
		if static, err = t.AppendArg(static, i, reflect.ValueOf(a)); err != nil {
			return nil, err
		}
		if static[len(static)-1].Memory != nil {
			rest = append(rest, a)
		}
	}
	v, err := c.Way.found(t, static)
	if err != nil {
		return nil, err
	}
	if wrong := v.Boxed.Check(c.Of, rest, c.Way.Maker.Opt.Widths()); wrong != "" {
		return nil, diag.Errorf(diag.ErrArgs, "%s", wrong)
	}
	v, frame, err := c.held(ctx, v)
	if err != nil {
		return nil, err
	}
	defer c.Way.Maker.Turn.Unlock()
	return c.run(ctx, frame, &v.Boxed, rest)
}

// MakeFunc makes the Go function of type ft that launches the template.
func (c *Caller) MakeFunc(sig *hostabi.Signature, ft reflect.Type) reflect.Value {
	f := &templateFunc{c: c, t: c.Of.Template, sig: sig}
	return hostabi.ReflectedFunc(ft, sig, f.call)
}

// A templateFunc is a kernel function for a template.
type templateFunc struct {
	c   *Caller
	t   *variant.Template
	sig *hostabi.Signature // with codecs that know no types yet
}

// call launches the variant for the arguments and sets out to the results.
func (f *templateFunc) call(ctx context.Context, args, out []reflect.Value) error {
	return f.c.Way.failed(f.launch(ctx, args, out))
}

func (f *templateFunc) launch(ctx context.Context, args, out []reflect.Value) error {
	c, t := f.c, f.t
	if ctx == nil {
		return c.nilContext()
	}
	static, in := make([]variant.Arg, 0, len(args)), make([]reflect.Value, 0, len(args))
	for i, arg := range args {
		if !t.Static[i] {
			in = append(in, arg)
			continue
		}
		var err error
		if static, err = t.AppendArg(static, i, arg); err != nil {
			return err
		}
		if static[len(static)-1].Memory != nil {
			if arg.Kind() == reflect.Interface {
				arg = arg.Elem()
			}
			in = append(in, arg)
		}
	}
	v, err := c.Way.found(t, static)
	if err != nil {
		return err
	}
	sig, err := f.signature(v, in)
	if err != nil {
		return err
	}
	v, frame, err := c.held(ctx, v)
	if err != nil {
		return err
	}
	defer c.Way.Maker.Turn.Unlock()
	return frame.CallReflected(ctx, sig, in, out, func(i int, why string) error {
		return c.Misfit(v.Boxed.Position(i), why)
	})
}

// signature returns the codecs of the function's types for a variant, with the
// run-time arguments in. They may turn out not to fit where the types of the kernel
// depend on its arguments.
func (f *templateFunc) signature(v *variant.Variant, in []reflect.Value) (*hostabi.Signature, error) {
	if s, ok := v.Signatures.Load(f); ok {
		return s.(*hostabi.Signature), nil
	}
	k := f.t.Kernel
	s := &hostabi.Signature{}
	checked, w := v.Checked.Kernel(k.Name), k.Program.Maker.Opt.Widths()
	for i, q := range checked.Params {
		c, ok := hostabi.NewCodec(in[i].Type(), q.Type, w)
		if !ok {
			return nil, diag.Errorf(diag.ErrArgs, "argument %d is a %v, and with these fields and constants %s takes %s there", v.Boxed.Position(i), in[i].Type(), k, bind.Article(hostabi.GoType(q.Type)))
		}
		s.In = append(s.In, c)
	}
	for i, q := range checked.Results {
		c, ok := hostabi.NewCodec(f.sig.Out[i].Type, q.Type, w)
		if !ok {
			return nil, diag.Errorf(diag.ErrArgs, "result %d of the kernel function is a %v, and with these fields and constants %s gives %s", i+1, f.sig.Out[i].Type, k, bind.Article(hostabi.GoType(q.Type)))
		}
		s.Out = append(s.Out, c)
	}
	v.Signatures.Store(f, s)
	return s, nil
}
