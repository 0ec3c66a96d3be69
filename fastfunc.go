package ti

import (
	"context"
	"reflect"
	"runtime"
	"strconv"
	"unsafe"
)

// Kernel functions of the common signatures are made without reflection at each
// call: by one generic closure for each way in which Go passes arguments and results. An
// int32 and a uint32 are passed alike, so one closure serves both; only the type
// that it is seen under differs. (Go's internal calling convention passes numbers
// in registers by width and class, a slice as three words, and an array of more
// than one element on the stack.)
//
// Up to three numbers are passed so, one or two arguments with a slice among them, and a
// single one of some other forms. The types are found one after another: chooseFirst looks
// at the first argument, what it calls at the next, and maker0 to maker3 at the result.

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
	case sig.ctx || len(sig.out) > 1:
		return nil
	case len(sig.in) == 0:
		return maker0(sig)
	case len(sig.in) == 1 && len(sig.out) == 0:
		return oneMakers[passing(sig.in[0].typ)]
	}
	return chooseFirst(sig)
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

// oneMakers are for a single argument, without a result.
var oneMakers = map[string]maker{
	"1": make1[uint8], "2": make1[uint16], "4": make1[uint32], "8": make1[uint64],
	"f4": make1[float32], "f8": make1[float64], "slice": make1[[]byte],
	"2x4": make1[[2]uint32], "3x4": make1[[3]uint32], "4x4": make1[[4]uint32], "9x4": make1[[9]uint32],
	"16x4": make1[[16]uint32], "2x8": make1[[2]uint64], "3x8": make1[[3]uint64], "4x8": make1[[4]uint64],
}

// chooseFirst returns the maker for one to three arguments.
func chooseFirst(sig *signature) maker {
	switch passing(sig.in[0].typ) {
	case "4":
		return chooseSecond[uint32](sig)
	case "8":
		return chooseSecond[uint64](sig)
	case "f4":
		return chooseSecond[float32](sig)
	case "f8":
		return chooseSecond[float64](sig)
	case "slice":
		return chooseAfterSlice(sig)
	}
	return nil
}

// chooseSecond is for a first argument that is a number, passed as an A. Of three
// numbers, two at least are passed alike: closures for the others would double their
// number.
func chooseSecond[A any](sig *signature) maker {
	switch n := len(sig.in); {
	case n == 1:
		return maker1[A](sig)
	case n == 3 && passing(sig.in[0].typ) == passing(sig.in[1].typ):
		return chooseAfterTwo[A](sig)
	case n > 3:
		return nil
	}
	switch passing(sig.in[1].typ) {
	case "4":
		return makerAB[A, uint32](sig)
	case "8":
		return makerAB[A, uint64](sig)
	case "f4":
		return makerAB[A, float32](sig)
	case "f8":
		return makerAB[A, float64](sig)
	case "slice":
		if len(sig.in) == 2 && len(sig.out) == 0 {
			return make2[A, []byte]
		}
	}
	return nil
}

// makerAB is for an A and a B, and a third argument of one of the two.
func makerAB[A, B any](sig *signature) maker {
	if len(sig.in) == 2 {
		return maker2[A, B](sig)
	}
	switch passing(sig.in[2].typ) {
	case passing(sig.in[0].typ):
		return maker3[A, B, A](sig)
	case passing(sig.in[1].typ):
		return maker3[A, B, B](sig)
	}
	return nil
}

// chooseAfterTwo is for two of A and a third number.
func chooseAfterTwo[A any](sig *signature) maker {
	switch passing(sig.in[2].typ) {
	case "4":
		return maker3[A, A, uint32](sig)
	case "8":
		return maker3[A, A, uint64](sig)
	case "f4":
		return maker3[A, A, float32](sig)
	case "f8":
		return maker3[A, A, float64](sig)
	}
	return nil
}

// chooseAfterSlice is for a slice and at most one more argument.
func chooseAfterSlice(sig *signature) maker {
	switch len(sig.in) {
	case 1:
		return maker1[[]byte](sig)
	case 2:
	default:
		return nil
	}
	switch passing(sig.in[1].typ) {
	case "4":
		return maker2[[]byte, uint32](sig)
	case "8":
		return maker2[[]byte, uint64](sig)
	case "f4":
		return maker2[[]byte, float32](sig)
	case "f8":
		return maker2[[]byte, float64](sig)
	case "slice":
		return maker2[[]byte, []byte](sig)
	}
	return nil
}

// maker0 returns the maker for no arguments and the result that sig has.
func maker0(sig *signature) maker {
	if len(sig.out) == 0 {
		return make0
	}
	switch passing(sig.out[0].typ) {
	case "1":
		return make0R[uint8]
	case "4":
		return make0R[uint32]
	case "8":
		return make0R[uint64]
	case "f4":
		return make0R[float32]
	case "f8":
		return make0R[float64]
	}
	return nil
}

// maker1 returns the maker for one argument and the result that sig has.
func maker1[A any](sig *signature) maker {
	switch passing(sig.out[0].typ) {
	case "4":
		return make1R[A, uint32]
	case "8":
		return make1R[A, uint64]
	case "f4":
		return make1R[A, float32]
	case "f8":
		return make1R[A, float64]
	}
	return nil
}

// maker2 returns the maker for two arguments and the result that sig has.
func maker2[A, B any](sig *signature) maker {
	if len(sig.out) == 0 {
		return make2[A, B]
	}
	switch passing(sig.out[0].typ) {
	case "4":
		return make2R[A, B, uint32]
	case "8":
		return make2R[A, B, uint64]
	case "f4":
		return make2R[A, B, float32]
	case "f8":
		return make2R[A, B, float64]
	}
	return nil
}

// maker3 returns the maker for three arguments and the result that sig has.
func maker3[A, B, C any](sig *signature) maker {
	if len(sig.out) == 0 {
		return make3[A, B, C]
	}
	switch passing(sig.out[0].typ) {
	case "4":
		return make3R[A, B, C, uint32]
	case "8":
		return make3R[A, B, C, uint64]
	case "f4":
		return make3R[A, B, C, float32]
	case "f8":
		return make3R[A, B, C, float64]
	}
	return nil
}

func make0(k *Kernel, sig *signature) unsafe.Pointer {
	if sig.err {
		f := func() error {
			return k.call(sig, nil, nil, nil, nil)
		}
		return unsafe.Pointer(&f)
	}
	f := func() {
		k.mustCall(sig, nil, nil, nil, nil)
	}
	return unsafe.Pointer(&f)
}

func make0R[R any](k *Kernel, sig *signature) unsafe.Pointer {
	if sig.err {
		f := func() (r R, err error) {
			err = k.call(sig, nil, nil, nil, unsafe.Pointer(&r))
			return r, err
		}
		return unsafe.Pointer(&f)
	}
	f := func() (r R) {
		k.mustCall(sig, nil, nil, nil, unsafe.Pointer(&r))
		return r
	}
	return unsafe.Pointer(&f)
}

func make1[A any](k *Kernel, sig *signature) unsafe.Pointer {
	if sig.err {
		f := func(a A) error {
			err := k.call(sig, unsafe.Pointer(&a), nil, nil, nil)
			runtime.KeepAlive(a)
			return err
		}
		return unsafe.Pointer(&f)
	}
	f := func(a A) {
		k.mustCall(sig, unsafe.Pointer(&a), nil, nil, nil)
		runtime.KeepAlive(a)
	}
	return unsafe.Pointer(&f)
}

func make1R[A, R any](k *Kernel, sig *signature) unsafe.Pointer {
	if sig.err {
		f := func(a A) (r R, err error) {
			err = k.call(sig, unsafe.Pointer(&a), nil, nil, unsafe.Pointer(&r))
			runtime.KeepAlive(a)
			return r, err
		}
		return unsafe.Pointer(&f)
	}
	f := func(a A) (r R) {
		k.mustCall(sig, unsafe.Pointer(&a), nil, nil, unsafe.Pointer(&r))
		runtime.KeepAlive(a)
		return r
	}
	return unsafe.Pointer(&f)
}

func make2[A, B any](k *Kernel, sig *signature) unsafe.Pointer {
	if sig.err {
		f := func(a A, b B) error {
			err := k.call(sig, unsafe.Pointer(&a), unsafe.Pointer(&b), nil, nil)
			runtime.KeepAlive(a)
			runtime.KeepAlive(b)
			return err
		}
		return unsafe.Pointer(&f)
	}
	f := func(a A, b B) {
		k.mustCall(sig, unsafe.Pointer(&a), unsafe.Pointer(&b), nil, nil)
		runtime.KeepAlive(a)
		runtime.KeepAlive(b)
	}
	return unsafe.Pointer(&f)
}

func make2R[A, B, R any](k *Kernel, sig *signature) unsafe.Pointer {
	if sig.err {
		f := func(a A, b B) (r R, err error) {
			err = k.call(sig, unsafe.Pointer(&a), unsafe.Pointer(&b), nil, unsafe.Pointer(&r))
			runtime.KeepAlive(a)
			runtime.KeepAlive(b)
			return r, err
		}
		return unsafe.Pointer(&f)
	}
	f := func(a A, b B) (r R) {
		k.mustCall(sig, unsafe.Pointer(&a), unsafe.Pointer(&b), nil, unsafe.Pointer(&r))
		runtime.KeepAlive(a)
		runtime.KeepAlive(b)
		return r
	}
	return unsafe.Pointer(&f)
}

func make3[A, B, C any](k *Kernel, sig *signature) unsafe.Pointer {
	if sig.err {
		f := func(a A, b B, c C) error {
			err := k.call(sig, unsafe.Pointer(&a), unsafe.Pointer(&b), unsafe.Pointer(&c), nil)
			runtime.KeepAlive(a)
			runtime.KeepAlive(b)
			return err
		}
		return unsafe.Pointer(&f)
	}
	f := func(a A, b B, c C) {
		k.mustCall(sig, unsafe.Pointer(&a), unsafe.Pointer(&b), unsafe.Pointer(&c), nil)
		runtime.KeepAlive(a)
		runtime.KeepAlive(b)
	}
	return unsafe.Pointer(&f)
}

func make3R[A, B, C, R any](k *Kernel, sig *signature) unsafe.Pointer {
	if sig.err {
		f := func(a A, b B, c C) (r R, err error) {
			err = k.call(sig, unsafe.Pointer(&a), unsafe.Pointer(&b), unsafe.Pointer(&c), unsafe.Pointer(&r))
			runtime.KeepAlive(a)
			runtime.KeepAlive(b)
			return r, err
		}
		return unsafe.Pointer(&f)
	}
	f := func(a A, b B, c C) (r R) {
		k.mustCall(sig, unsafe.Pointer(&a), unsafe.Pointer(&b), unsafe.Pointer(&c), unsafe.Pointer(&r))
		runtime.KeepAlive(a)
		runtime.KeepAlive(b)
		return r
	}
	return unsafe.Pointer(&f)
}

// call launches k with arguments, which lie at a, b and c as far as sig has them, and
// puts the result into what r points to.
func (k *Kernel) call(sig *signature, a, b, c, r unsafe.Pointer) error {
	inst, err := k.enter(context.Background())
	if err != nil {
		return err
	}
	if err = inst.callAt(sig, a, b, c); err == nil && len(sig.out) > 0 {
		sig.out[0].get(r, inst.results)
	}
	k.p.rt.eng.Unlock()
	return err
}

// callAt runs the instance with arguments that lie at a, b and c.
func (inst *instance) callAt(sig *signature, a, b, c unsafe.Pointer) error {
	slots := inst.args
	for i := range sig.in {
		at := a
		switch i {
		case 1:
			at = b
		case 2:
			at = c
		}
		in := &sig.in[i]
		if !in.put(slots, at) {
			return inst.k.misfit(in, i+1, at)
		}
		slots = slots[in.slots():]
	}
	return inst.run(context.Background())
}

// mustCall is call for a function without an error result.
func (k *Kernel) mustCall(sig *signature, a, b, c, r unsafe.Pointer) { must(k.call(sig, a, b, c, r)) }

// must panics with an error, for kernel functions without an error result.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
