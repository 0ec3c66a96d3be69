package session

import (
	"context"
	"reflect"
	"runtime"
	"unsafe"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/hostabi"
	"github.com/gotaichi/ti/internal/variant"
)

// A caller calls a kernel: it finds the variant for what the host holds now, and hands the arguments over.
type caller struct {
	way *way
	of  *variant.Kernel
}

// launch runs the kernel with arguments whose types are those of the corresponding kernel
// function, and returns its results, nil if it has none.
func (c *caller) launch(ctx context.Context, args []any) (results []any, err error) {
	if results, err = c.launchBoxed(ctx, args); err != nil {
		return nil, c.way.failed(err)
	}
	return results, nil
}

func (c *caller) launchBoxed(ctx context.Context, args []any) ([]any, error) {
	if ctx == nil {
		return nil, c.nilContext()
	}
	if c.of.Template != nil {
		return c.launchTemplate(ctx, args)
	}
	if len(args) != len(c.of.Boxed.Sig.In) {
		return nil, c.wrongCount(args)
	}
	if wrong := c.of.Boxed.Check(c.of, args, c.way.maker.Opt.Widths()); wrong != "" {
		return nil, diag.Errorf(diag.ErrArgs, "%s", wrong)
	}
	v, err := c.way.enter(ctx, c.of)
	if err != nil {
		return nil, err
	}
	defer c.way.maker.Eng.Unlock()
	return c.run(ctx, v, &c.of.Boxed, args)
}

// run runs the variant with boxed arguments, whose types are right. The caller
// holds the launch lock.
func (c *caller) run(ctx context.Context, v *variant.Variant, f *hostabi.Boxed, args []any) ([]any, error) {
	slots := v.Frame.Args
	for i := range args {
		codec, data := f.CodecFor(i, reflect.TypeOf(args[i]), c.way.maker.Opt.Widths()), (*[2]unsafe.Pointer)(unsafe.Pointer(&args[i]))[1]
		if !codec.Put(slots, data) {
			return nil, c.Misfit(f.Position(i), codec.Misfit(data))
		}
		slots = slots[codec.Slots():]
	}
	err := c.way.frame(v).Code.Run(ctx)
	runtime.KeepAlive(args)
	if err != nil {
		return nil, err
	}
	return f.Results(v.Frame.Results), nil
}

func (c *caller) nilContext() error {
	return diag.Errorf(diag.ErrArgs, "launch of %s with a nil context; use context.Background()", c.of.Name)
}

func (c *caller) wrongCount(args []any) error {
	return diag.Errorf(diag.ErrArgs, "%d arguments for %s", len(args), c.of)
}

// Misfit reports an argument that a codec has refused; n counts arguments from 1.
func (c *caller) Misfit(n int, why string) error {
	return c.way.failed(diag.Errorf(diag.ErrArgs, "argument %d of %s %s", n, c.of, why))
}

// Begin is enter for a kernel function.
func (c *caller) Begin(ctx context.Context) (*hostabi.Frame, error) {
	if ctx == nil {
		return nil, c.way.failed(c.nilContext())
	}
	v, err := c.way.enter(ctx, c.of)
	if err != nil {
		return nil, c.way.failed(err)
	}
	return c.way.frame(v), nil
}

// End gives the launch lock back.
func (c *caller) End() { c.way.maker.Eng.Unlock() }
