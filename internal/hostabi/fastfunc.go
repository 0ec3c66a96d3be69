package hostabi

import (
	"context"
	"math"
	"reflect"
	"runtime"
	"strconv"
	"unsafe"
)

// Kernel functions of the common signatures are made without reflection at each
// call: by one generic closure for each way in which Go passes arguments. An int32
// and a uint32 are passed alike, as are a bool and an int8, so one closure serves
// both; only the type that it is seen under differs.
//
// The arguments of the closure lie exactly as those of the function that it is seen
// as. Its results need not: they are returned in registers, for which a caller
// reserves no memory, and it looks only at those registers that its own signature
// names. So a closure returns all that some signature could want at the same time
// (see word), and their number is not multiplied by that of the results. Where a
// result may be passed otherwise, all functions go through reflection.
//
// Made so are functions of up to three numbers or bools, with and without a context in
// front; one or two arguments with a slice among them; and a single array of a common
// size. Each has one number or bool as its result, or none, and an error or none.
// Other functions go through reflection: those of more arguments, of several results,
// of arrays beside something else or as a result, of structs, and of views.

// inRegisters reports whether Go returns results in registers here, integers of any
// width in one and floats of any width in another, with the bits of an f32 in the low
// half. Machine code is made for these processors only, and the oracle, which is all
// that there is on others, takes longer than reflection does.
const inRegisters = runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64"

// A fastCall is what a closure knows of the kernel function that it is.
type fastCall struct {
	k   Launcher
	sig *Signature
}

// FastFunc makes the kernel function of type t if it is one of the common ones.
func FastFunc(k Launcher, sig *Signature, t reflect.Type) (reflect.Value, bool) {
	if !inRegisters || len(sig.Out) > 1 || len(sig.Out) == 1 && !isNumber(passing(sig.Out[0].Type)) {
		return reflect.Value{}, false
	}
	f := (&fastCall{k, sig}).chooseFirst()
	if f == nil {
		return reflect.Value{}, false
	}
	return reflect.NewAt(t, unsafe.Pointer(&f)).Elem(), true
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
		return strconv.Itoa(scalars(t)) + "x" + strconv.Itoa(t.Align()) // on the stack
	case k == reflect.Array:
		return passing(t.Elem())
	}
	return strconv.Itoa(int(t.Size()))
}

// isNumber reports whether a way of passing is that of a number or a bool.
func isNumber(way string) bool {
	switch way {
	case "1", "2", "4", "8", "f4", "f8":
		return true
	}
	return false
}

// holdsStructs reports whether t is a struct or an array of structs.
func holdsStructs(t reflect.Type) bool {
	for t.Kind() == reflect.Array {
		t = t.Elem()
	}
	return t.Kind() == reflect.Struct
}

// ways are the ways of passing the arguments.
func (c *fastCall) ways() []string {
	ways := make([]string, len(c.sig.In))
	for i := range ways {
		ways[i] = passing(c.sig.In[i].Type)
	}
	return ways
}

// chooseFirst makes the closure. The types of the arguments are found one after another:
// it looks at the first, and what it calls at the next. A closure for which there is no
// maker is nil.
func (c *fastCall) chooseFirst() unsafe.Pointer {
	ways := c.ways()
	switch len(ways) {
	case 0:
		return make0(c)
	case 1, 2, 3:
	default:
		return nil
	}
	switch ways[0] {
	case "1":
		return chooseSecond[uint8](c, ways)
	case "2":
		return chooseSecond[uint16](c, ways)
	case "4":
		return chooseSecond[uint32](c, ways)
	case "8":
		return chooseSecond[uint64](c, ways)
	case "f4":
		return chooseSecond[float32](c, ways)
	case "f8":
		return chooseSecond[float64](c, ways)
	case "slice":
		return chooseAfterSlice(c, ways)
	}
	if m := arrayMakers[ways[0]]; m != nil && len(ways) == 1 {
		return m(c)
	}
	return nil
}

// arrayMakers are for a single array.
var arrayMakers = map[string]func(*fastCall) unsafe.Pointer{
	"2x4": make1[[2]uint32], "3x4": make1[[3]uint32], "4x4": make1[[4]uint32], "9x4": make1[[9]uint32],
	"16x4": make1[[16]uint32], "2x8": make1[[2]uint64], "3x8": make1[[3]uint64], "4x8": make1[[4]uint64],
}

// chooseSecond is for a first argument that is a number, passed as an A.
func chooseSecond[A any](c *fastCall, ways []string) unsafe.Pointer {
	if len(ways) == 1 {
		return make1[A](c)
	}
	switch ways[1] {
	case "1":
		return chooseThird[A, uint8](c, ways)
	case "2":
		return chooseThird[A, uint16](c, ways)
	case "4":
		return chooseThird[A, uint32](c, ways)
	case "8":
		return chooseThird[A, uint64](c, ways)
	case "f4":
		return chooseThird[A, float32](c, ways)
	case "f8":
		return chooseThird[A, float64](c, ways)
	case "slice":
		if len(ways) == 2 {
			return make2[A, []byte](c)
		}
	}
	return nil
}

// chooseThird is for two numbers at the front, passed as an A and a B.
func chooseThird[A, B any](c *fastCall, ways []string) unsafe.Pointer {
	if len(ways) == 2 {
		return make2[A, B](c)
	}
	switch ways[2] {
	case "1":
		return make3[A, B, uint8](c)
	case "2":
		return make3[A, B, uint16](c)
	case "4":
		return make3[A, B, uint32](c)
	case "8":
		return make3[A, B, uint64](c)
	case "f4":
		return make3[A, B, float32](c)
	case "f8":
		return make3[A, B, float64](c)
	}
	return nil
}

// chooseAfterSlice is for a slice and at most one more argument.
func chooseAfterSlice(c *fastCall, ways []string) unsafe.Pointer {
	switch len(ways) {
	case 1:
		return make1[[]byte](c)
	case 3:
		return nil
	}
	switch ways[1] {
	case "1":
		return make2[[]byte, uint8](c)
	case "2":
		return make2[[]byte, uint16](c)
	case "4":
		return make2[[]byte, uint32](c)
	case "8":
		return make2[[]byte, uint64](c)
	case "f4":
		return make2[[]byte, float32](c)
	case "f8":
		return make2[[]byte, float64](c)
	case "slice":
		return make2[[]byte, []byte](c)
	}
	return nil
}

// call launches the kernel with arguments that lie at a, b and d, as far as there are
// any, and returns the result's bits: in the low bits of an integer, and also in those
// of a float. It panics with an error that the function has no result for.
func (c *fastCall) call(a, b, d unsafe.Pointer) (uint64, float64, error) {
	return c.callIn(context.Background(), a, b, d)
}

// callIn is call with the context that the function was given.
func (c *fastCall) callIn(ctx context.Context, a, b, d unsafe.Pointer) (bits uint64, float float64, err error) {
	f, err := c.k.Begin(ctx)
	if err == nil {
		if err = c.callAt(ctx, f, a, b, d); err == nil && len(c.sig.Out) > 0 {
			c.sig.Out[0].get(unsafe.Pointer(&bits), f.Results)
		}
		c.k.End()
	}
	if err != nil && !c.sig.Err {
		panic(err)
	}
	return bits, math.Float64frombits(bits), err
}

// callAt runs the code with arguments that lie at a, b and d, as far as there are any.
func (c *fastCall) callAt(ctx context.Context, f *Frame, a, b, d unsafe.Pointer) error {
	slots := f.Args
	for i := range c.sig.In {
		at := a
		switch i {
		case 1:
			at = b
		case 2:
			at = d
		}
		in := &c.sig.In[i]
		if in.alone { // most are
			slots[0] = LoadScalar(at, in.size)
			slots = slots[1:]
			continue
		}
		if !in.Put(slots, at) {
			return c.k.Misfit(i+1, in.Misfit(at))
		}
		slots = slots[in.Slots():]
	}
	return f.Code.Run(ctx)
}

// Must panics with an error, for kernel functions without an error result.
func Must(err error) {
	if err != nil {
		panic(err)
	}
}
