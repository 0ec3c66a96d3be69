package hostabi

import (
	"context"
	"reflect"
	"runtime"
)

// MakeFunc makes the Go function of type t that launches k.
func MakeFunc(k Launcher, sig Signature, t reflect.Type) reflect.Value {
	if f, ok := FastFunc(k, &sig, t); ok {
		return f
	}
	return SlowFunc(k, &sig, t)
}

// SlowFunc makes the kernel function of any type t, with reflection at each call.
func SlowFunc(k Launcher, sig *Signature, t reflect.Type) reflect.Value {
	return ReflectedFunc(t, sig, func(ctx context.Context, in, out []reflect.Value) error {
		f, err := k.Begin(ctx)
		if err != nil {
			return err
		}
		defer k.End()
		return f.CallReflected(ctx, sig, in, out, func(i int, why string) error { return k.Misfit(i+1, why) })
	})
}

// ReflectedFunc makes a function of type t, which has the signature sig, out of one
// that launches: it takes the arguments without the context, and sets the results,
// which are zero if it fails.
func ReflectedFunc(t reflect.Type, sig *Signature, launch func(ctx context.Context, in, out []reflect.Value) error) reflect.Value {
	return reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
		ctx, in := context.Background(), args
		if sig.Ctx {
			in = args[1:]
			ctx, _ = args[0].Interface().(context.Context) // nil if that is nil
		}
		out := make([]reflect.Value, len(sig.Out), len(sig.Out)+1)
		for i := range out {
			out[i] = reflect.New(sig.Out[i].Type).Elem()
		}
		err := launch(ctx, in, out)
		runtime.KeepAlive(args)
		if !sig.Err {
			Must(err)
			return out
		}
		e := reflect.Zero(errorType)
		if err != nil {
			e = reflect.ValueOf(&err).Elem()
		}
		return append(out, e)
	})
}
