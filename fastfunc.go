package ti

import (
	"context"
	"reflect"
	"runtime"
	"strconv"
	"unsafe"
)

// Kernel functions of the common signatures are made without reflection at each
// call: by one generic closure for each way in which Go passes arguments. An
// int32 and a uint32 are passed alike, so one closure serves both; only the type
// that it is seen under differs. (Go's internal calling convention passes numbers
// in registers by width and class, a slice as three words, and an array of more
// than one element on the stack.)

// A maker makes a func for a kernel and returns a pointer to it. The func ends in
// an error result if the signature says so.
type maker func(k *Kernel, sig *signature) unsafe.Pointer

// fastFunc makes the kernel function of type t if it is one of the common ones.
func fastFunc(k *Kernel, sig *signature, t reflect.Type) (reflect.Value, bool) {
	m := makerFor(sig)
	if m == nil {
		return reflect.Value{}, false
	}
	return reflect.NewAt(t, m(k, sig)).Elem(), true
}

func makerFor(sig *signature) maker {
	switch {
	case sig.ctx:
		return nil
	case len(sig.in) == 0 && len(sig.out) == 0:
		return make0
	case len(sig.in) == 0 && len(sig.out) == 1:
		return resultMakers[passing(sig.out[0].typ)]
	case len(sig.out) > 0:
		return nil
	case len(sig.in) == 1:
		return oneMakers[passing(sig.in[0].typ)]
	case len(sig.in) == 2:
		return twoMakers[[2]string{passing(sig.in[0].typ), passing(sig.in[1].typ)}]
	}
	return nil
}

// passing names the way in which a value of type t is passed.
func passing(t reflect.Type) string {
	switch k := t.Kind(); {
	case k == reflect.Slice:
		return "slice"
	case holdsStructs(t):
		return "struct" // members are passed one by one: there is no maker for that
	case k == reflect.Float32, k == reflect.Float64:
		return "f" + strconv.Itoa(int(t.Size()))
	case k == reflect.Array && scalars(t) > 1:
		return strconv.Itoa(scalars(t)) + "x" + strconv.Itoa(t.Align())
	case k == reflect.Array:
		return passing(t.Elem())
	}
	return strconv.Itoa(int(t.Size()))
}

// holdsStructs reports whether t is a struct or an array of structs.
func holdsStructs(t reflect.Type) bool {
	for t.Kind() == reflect.Array {
		t = t.Elem()
	}
	return t.Kind() == reflect.Struct
}

var oneMakers = map[string]maker{
	"1": make1[uint8], "2": make1[uint16], "4": make1[uint32], "8": make1[uint64],
	"f4": make1[float32], "f8": make1[float64], "slice": make1[[]byte],
	"2x4": make1[[2]uint32], "3x4": make1[[3]uint32], "4x4": make1[[4]uint32], "9x4": make1[[9]uint32],
	"16x4": make1[[16]uint32], "2x8": make1[[2]uint64], "3x8": make1[[3]uint64], "4x8": make1[[4]uint64],
}

var twoMakers = pairs()

// pairs lists the makers for two parameters.
func pairs() map[[2]string]maker {
	all := map[[2]string]maker{}
	pairsWith[uint32](all, "4")
	pairsWith[uint64](all, "8")
	pairsWith[float32](all, "f4")
	pairsWith[float64](all, "f8")
	pairsWith[[]byte](all, "slice")
	return all
}

func pairsWith[A any](all map[[2]string]maker, first string) {
	for second, m := range map[string]maker{
		"4": make2[A, uint32], "8": make2[A, uint64], "f4": make2[A, float32], "f8": make2[A, float64], "slice": make2[A, []byte],
	} {
		all[[2]string{first, second}] = m
	}
}

var resultMakers = map[string]maker{
	"1": makeR[uint8], "4": makeR[uint32], "8": makeR[uint64], "f4": makeR[float32], "f8": makeR[float64],
}

func make0(k *Kernel, sig *signature) unsafe.Pointer {
	if sig.err {
		f := func() error { return k.call(nil, nil, nil, nil) }
		return unsafe.Pointer(&f)
	}
	f := func() { must(k.call(nil, nil, nil, nil)) }
	return unsafe.Pointer(&f)
}

func make1[A any](k *Kernel, sig *signature) unsafe.Pointer {
	in := &sig.in[0]
	if sig.err {
		f := func(a A) error { return call1(k, in, a) }
		return unsafe.Pointer(&f)
	}
	f := func(a A) { must(call1(k, in, a)) }
	return unsafe.Pointer(&f)
}

func call1[A any](k *Kernel, in *codec, a A) error {
	err := k.call(in, unsafe.Pointer(&a), nil, nil)
	runtime.KeepAlive(a)
	return err
}

func make2[A, B any](k *Kernel, sig *signature) unsafe.Pointer {
	in, second := &sig.in[0], &sig.in[1]
	if sig.err {
		f := func(a A, b B) error { return call2(k, in, second, a, b) }
		return unsafe.Pointer(&f)
	}
	f := func(a A, b B) { must(call2(k, in, second, a, b)) }
	return unsafe.Pointer(&f)
}

func call2[A, B any](k *Kernel, in, second *codec, a A, b B) error {
	err := k.call(in, unsafe.Pointer(&a), second, unsafe.Pointer(&b))
	runtime.KeepAlive(a)
	runtime.KeepAlive(b)
	return err
}

func makeR[R any](k *Kernel, sig *signature) unsafe.Pointer {
	out := &sig.out[0]
	if sig.err {
		f := func() (R, error) { return callR[R](k, out) }
		return unsafe.Pointer(&f)
	}
	f := func() R {
		r, err := callR[R](k, out)
		must(err)
		return r
	}
	return unsafe.Pointer(&f)
}

func callR[R any](k *Kernel, out *codec) (r R, err error) {
	inst, err := k.enter(context.Background())
	if err != nil {
		return r, err
	}
	if err = inst.run(context.Background()); err == nil {
		out.get(unsafe.Pointer(&r), inst.results)
	}
	k.p.rt.eng.Unlock()
	return r, err
}

// call launches k with up to two arguments, those whose codec is not nil.
func (k *Kernel) call(first *codec, a unsafe.Pointer, second *codec, b unsafe.Pointer) error {
	inst, err := k.enter(context.Background())
	if err != nil {
		return err
	}
	switch {
	case first == nil:
	case !first.put(inst.args, a):
		err = k.misfit(first, 1, a)
	case second != nil && !second.put(inst.args[first.slots():], b):
		err = k.misfit(second, 2, b)
	}
	if err == nil {
		err = inst.run(context.Background())
	}
	k.p.rt.eng.Unlock()
	return err
}

// must panics with an error, for kernel functions without an error result.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
