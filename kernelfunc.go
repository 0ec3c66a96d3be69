package ti

import (
	"context"
	"math"
	"reflect"
	"runtime"
	"unsafe"
)

// makeFunc makes the Go function of type t that launches k.
func makeFunc(k *Kernel, sig signature, t reflect.Type) reflect.Value {
	if f, ok := fastFunc(k, &sig, t); ok {
		return f
	}
	return slowFunc(k, &sig, t)
}

// slowFunc makes the kernel function of any type t, with reflection at each call.
func slowFunc(k *Kernel, sig *signature, t reflect.Type) reflect.Value {
	return reflectedFunc(t, sig, func(ctx context.Context, in, out []reflect.Value) error {
		if ctx == nil {
			return k.nilContext()
		}
		inst, err := k.enter(ctx)
		if err != nil {
			return err
		}
		defer k.p.rt.eng.Unlock()
		return inst.callReflected(ctx, sig, in, out)
	})
}

// reflectedFunc makes a function of type t, which has the signature sig, out of one
// that launches: it takes the arguments without the context, and sets the results,
// which are zero if it fails.
func reflectedFunc(t reflect.Type, sig *signature, launch func(ctx context.Context, in, out []reflect.Value) error) reflect.Value {
	return reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
		ctx, in := context.Background(), args
		if sig.ctx {
			in = args[1:]
			ctx, _ = args[0].Interface().(context.Context) // nil if that is nil
		}
		out := make([]reflect.Value, len(sig.out), len(sig.out)+1)
		for i := range out {
			out[i] = reflect.New(sig.out[i].typ).Elem()
		}
		err := launch(ctx, in, out)
		runtime.KeepAlive(args)
		if !sig.err {
			must(err)
			return out
		}
		e := reflect.Zero(errorType)
		if err != nil {
			e = reflect.ValueOf(&err).Elem()
		}
		return append(out, e)
	})
}

// callReflected runs the instance with the arguments in, and sets out to the
// results. The caller holds the launch lock.
func (inst *instance) callReflected(ctx context.Context, sig *signature, in, out []reflect.Value) error {
	slots := inst.args
	for i := range in {
		c := &sig.in[i]
		if !c.putReflected(slots, in[i]) {
			return inst.k.misfit(c, inst.form.position(i), addressOf(in[i]))
		}
		slots = slots[c.slots():]
	}
	if err := inst.exe.run(ctx); err != nil {
		return err
	}
	slots = inst.results
	for i := range out {
		c := &sig.out[i]
		c.get(out[i].Addr().UnsafePointer(), slots)
		slots = slots[c.slots():]
	}
	return nil
}

// addressOf is the address of a copy of v: a value on the heap has one.
func addressOf(v reflect.Value) unsafe.Pointer {
	at := reflect.New(v.Type())
	at.Elem().Set(v)
	return at.UnsafePointer()
}

// putReflected is put for a reflected value.
func (c *codec) putReflected(slots []uint64, v reflect.Value) bool {
	if c.parts != nil || c.view > 0 {
		return c.put(slots, addressOf(v))
	}
	n := putReflected(slots, v)
	if c.slice {
		return int64(v.Len()) <= c.high
	}
	return c.kind != reflect.Int || int64(n) >= c.low && int64(n) <= c.high
}

// putReflected stores a value in slots and returns the first of them. It does
// without the value's address, which reflect would have to allocate memory for.
func putReflected(slots []uint64, v reflect.Value) uint64 {
	switch {
	case v.Kind() == reflect.Slice:
		slots[0], slots[1] = uint64(v.Pointer()), uint64(v.Len())
	case v.Kind() == reflect.Array:
		each := scalars(v.Type().Elem())
		for i := range v.Len() {
			putReflected(slots[i*each:], v.Index(i))
		}
	case v.Kind() == reflect.Bool:
		slots[0] = 0
		if v.Bool() {
			slots[0] = 1
		}
	case v.CanInt():
		slots[0] = uint64(v.Int())
	case v.CanUint():
		slots[0] = v.Uint()
	case v.Kind() == reflect.Float32:
		slots[0] = uint64(math.Float32bits(float32(v.Float())))
	default:
		slots[0] = math.Float64bits(v.Float())
	}
	return slots[0]
}
