package flow

import (
	"context"
	"reflect"
	"runtime"
	"unsafe"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/hostabi"
	"github.com/gotaichi/ti/internal/variant"
)

// A Caller calls a kernel: it finds the variant for what the host holds now, and hands the arguments over.
type Caller struct {
	Way    *Way
	Of     *variant.Kernel
	Panics bool // the caller has no error result
}

// Launch runs the kernel with arguments whose types are those of the corresponding kernel
// function, and returns its results, nil if it has none.
func (c *Caller) Launch(ctx context.Context, args []any) (results []any, err error) {
	if results, err = c.launchBoxed(ctx, args); err != nil {
		return nil, c.Way.failed(err)
	}
	return results, nil
}

func (c *Caller) launchBoxed(ctx context.Context, args []any) ([]any, error) {
	if ctx == nil {
		return nil, c.nilContext()
	}
	if c.Of.Template != nil {
		return c.launchTemplate(ctx, args)
	}
	if len(args) != len(c.Of.Boxed.Sig.In) {
		return nil, c.wrongCount(args)
	}
	if wrong := c.Of.Boxed.Check(c.Of, args, c.Way.Maker.Opt.Widths()); wrong != "" {
		return nil, diag.Errorf(diag.ErrArgs, "%s", wrong)
	}
	_, frame, err := c.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Way.Maker.Turn.Unlock()
	return c.run(ctx, frame, &c.Of.Boxed, args)
}

// run runs the code of a frame with boxed arguments, whose types are right. The caller
// holds the launch lock.
func (c *Caller) run(ctx context.Context, frame *hostabi.Frame, f *hostabi.Boxed, args []any) ([]any, error) {
	slots := frame.Args
	for i := range args {
		codec, data := f.CodecFor(i, reflect.TypeOf(args[i]), c.Way.Maker.Opt.Widths()), (*[2]unsafe.Pointer)(unsafe.Pointer(&args[i]))[1]
		if !codec.Put(slots, data) {
			return nil, c.Misfit(f.Position(i), codec.Misfit(data))
		}
		slots = slots[codec.Slots():]
	}
	err := frame.Code.Run(ctx)
	runtime.KeepAlive(args)
	if err != nil {
		return nil, err
	}
	return f.Results(frame.Results), nil
}

func (c *Caller) nilContext() error {
	return diag.Errorf(diag.ErrArgs, "launch of %s with a nil context; use context.Background()", c.Of.Name)
}

func (c *Caller) wrongCount(args []any) error {
	return diag.Errorf(diag.ErrArgs, "%d arguments for %s", len(args), c.Of)
}

// Misfit reports an argument that a codec has refused; n counts arguments from 1.
func (c *Caller) Misfit(n int, why string) error {
	return c.Way.failed(diag.Errorf(diag.ErrArgs, "argument %d of %s %s", n, c.Of, why))
}

// Begin is enter for a kernel function.
func (c *Caller) Begin(ctx context.Context) (*hostabi.Frame, error) {
	if ctx == nil {
		return nil, c.Way.failed(c.nilContext())
	}
	_, frame, err := c.enter(ctx)
	if err != nil {
		return nil, c.Way.failed(err)
	}
	return frame, nil
}

// End gives the launch lock back.
func (c *Caller) End() { c.Way.Maker.Turn.Unlock() }
