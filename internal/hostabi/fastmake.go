package hostabi

import (
	"context"
	"runtime"
	"unsafe"
)

// The makers make the closures of fastfunc.go, and return them as the pointers that
// funcs are.

// word reports in which of two ways the closure returns its results.
//
// As words it returns an integer, a float and an error. That is right for a function
// with an integer result, where the error takes the registers behind the integer's, and
// for every function without an error result, which finds its result in the first
// register of either kind.
//
// The other way is a float and an error, which takes the first registers of
// integers: for functions with an error result behind a float, or alone.
func (c *fastCall) word() bool {
	if !c.sig.Err {
		return true
	}
	return len(c.sig.Out) == 1 && passing(c.sig.Out[0].Type)[0] != 'f'
}

// funcOf is the pointer that a func is.
func funcOf(f unsafe.Pointer) unsafe.Pointer { return *(*unsafe.Pointer)(f) }

func make0(c *fastCall) unsafe.Pointer {
	switch {
	case c.sig.Ctx && c.word():
		f := func(ctx context.Context) (uint64, float64, error) { return c.callIn(ctx, nil, nil, nil) }
		return funcOf(unsafe.Pointer(&f))
	case c.sig.Ctx:
		f := func(ctx context.Context) (float64, error) {
			_, x, err := c.callIn(ctx, nil, nil, nil)
			return x, err
		}
		return funcOf(unsafe.Pointer(&f))
	case c.word():
		f := func() (uint64, float64, error) { return c.call(nil, nil, nil) }
		return funcOf(unsafe.Pointer(&f))
	}
	f := func() (float64, error) {
		_, x, err := c.call(nil, nil, nil)
		return x, err
	}
	return funcOf(unsafe.Pointer(&f))
}

// keep keeps alive what the argument at p points to: a slice's elements are known to
// the machine code by their address alone.
func keep(p unsafe.Pointer) { runtime.KeepAlive(p) }

func make1[A any](c *fastCall) unsafe.Pointer {
	switch {
	case c.sig.Ctx && c.word():
		f := func(ctx context.Context, a A) (uint64, float64, error) {
			n, x, err := c.callIn(ctx, unsafe.Pointer(&a), nil, nil)
			keep(unsafe.Pointer(&a))
			return n, x, err
		}
		return funcOf(unsafe.Pointer(&f))
	case c.sig.Ctx:
		f := func(ctx context.Context, a A) (float64, error) {
			_, x, err := c.callIn(ctx, unsafe.Pointer(&a), nil, nil)
			keep(unsafe.Pointer(&a))
			return x, err
		}
		return funcOf(unsafe.Pointer(&f))
	case c.word():
		f := func(a A) (uint64, float64, error) {
			n, x, err := c.call(unsafe.Pointer(&a), nil, nil)
			keep(unsafe.Pointer(&a))
			return n, x, err
		}
		return funcOf(unsafe.Pointer(&f))
	}
	f := func(a A) (float64, error) {
		_, x, err := c.call(unsafe.Pointer(&a), nil, nil)
		keep(unsafe.Pointer(&a))
		return x, err
	}
	return funcOf(unsafe.Pointer(&f))
}

func make2[A, B any](c *fastCall) unsafe.Pointer {
	switch {
	case c.sig.Ctx && c.word():
		f := func(ctx context.Context, a A, b B) (uint64, float64, error) {
			n, x, err := c.callIn(ctx, unsafe.Pointer(&a), unsafe.Pointer(&b), nil)
			keep(unsafe.Pointer(&a))
			keep(unsafe.Pointer(&b))
			return n, x, err
		}
		return funcOf(unsafe.Pointer(&f))
	case c.sig.Ctx:
		f := func(ctx context.Context, a A, b B) (float64, error) {
			_, x, err := c.callIn(ctx, unsafe.Pointer(&a), unsafe.Pointer(&b), nil)
			keep(unsafe.Pointer(&a))
			keep(unsafe.Pointer(&b))
			return x, err
		}
		return funcOf(unsafe.Pointer(&f))
	case c.word():
		f := func(a A, b B) (uint64, float64, error) {
			n, x, err := c.call(unsafe.Pointer(&a), unsafe.Pointer(&b), nil)
			keep(unsafe.Pointer(&a))
			keep(unsafe.Pointer(&b))
			return n, x, err
		}
		return funcOf(unsafe.Pointer(&f))
	}
	f := func(a A, b B) (float64, error) {
		_, x, err := c.call(unsafe.Pointer(&a), unsafe.Pointer(&b), nil)
		keep(unsafe.Pointer(&a))
		keep(unsafe.Pointer(&b))
		return x, err
	}
	return funcOf(unsafe.Pointer(&f))
}

// make3 keeps nothing alive: its arguments are numbers.
func make3[A, B, D any](c *fastCall) unsafe.Pointer {
	switch {
	case c.sig.Ctx && c.word():
		f := func(ctx context.Context, a A, b B, d D) (uint64, float64, error) {
			return c.callIn(ctx, unsafe.Pointer(&a), unsafe.Pointer(&b), unsafe.Pointer(&d))
		}
		return funcOf(unsafe.Pointer(&f))
	case c.sig.Ctx:
		f := func(ctx context.Context, a A, b B, d D) (float64, error) {
			_, x, err := c.callIn(ctx, unsafe.Pointer(&a), unsafe.Pointer(&b), unsafe.Pointer(&d))
			return x, err
		}
		return funcOf(unsafe.Pointer(&f))
	case c.word():
		f := func(a A, b B, d D) (uint64, float64, error) {
			return c.call(unsafe.Pointer(&a), unsafe.Pointer(&b), unsafe.Pointer(&d))
		}
		return funcOf(unsafe.Pointer(&f))
	}
	f := func(a A, b B, d D) (float64, error) {
		_, x, err := c.call(unsafe.Pointer(&a), unsafe.Pointer(&b), unsafe.Pointer(&d))
		return x, err
	}
	return funcOf(unsafe.Pointer(&f))
}
