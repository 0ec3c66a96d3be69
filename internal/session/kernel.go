package session

import (
	"context"
	"io"
	"reflect"
	"runtime"
	"unsafe"

	"github.com/gotaichi/ti/internal/variant"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/hostabi"
)

// A Kernel is an exported function of a program.
type Kernel struct {
	_ noCopy

	rt *Runtime
	of *variant.Kernel
}

// Name returns the function's name.
func (k *Kernel) Name() string {
	if k == nil {
		return ""
	}
	return k.of.Name
}

// String returns the function's declaration as the source has it, on one line.
func (k *Kernel) String() string {
	if err := k.usable("String"); err != nil {
		return "a nil Kernel"
	}
	return k.of.String()
}

// usable returns an error for a nil or zero kernel; what names the call.
func (k *Kernel) usable(what string) error {
	if k == nil || k.of == nil {
		return diag.Errorf(diag.ErrArgs, "%s of a nil kernel; Program.Kernel returns nil for a name that the source does not have", what)
	}
	return nil
}

// Launch runs the kernel with arguments whose types are those of the corresponding kernel
// function, and returns its results, nil if it has none.
func (k *Kernel) Launch(ctx context.Context, args ...any) (results []any, err error) {
	if err := k.usable("Launch"); err != nil {
		return nil, err
	}
	if results, err = k.launchBoxed(ctx, args); err != nil {
		return nil, k.rt.way.failed(err)
	}
	return results, nil
}

func (k *Kernel) launchBoxed(ctx context.Context, args []any) ([]any, error) {
	if ctx == nil {
		return nil, k.nilContext()
	}
	if k.of.Template != nil {
		return k.launchTemplate(ctx, args)
	}
	if len(args) != len(k.of.Boxed.Sig.In) {
		return nil, k.wrongCount(args)
	}
	if wrong := k.of.Boxed.Check(k, args, k.rt.maker.Opt.Widths()); wrong != "" {
		return nil, diag.Errorf(diag.ErrArgs, "%s", wrong)
	}
	v, err := k.rt.way.enter(ctx, k.of)
	if err != nil {
		return nil, err
	}
	defer k.rt.maker.Eng.Unlock()
	return k.launch(ctx, v, &k.of.Boxed, args)
}

// launch runs the variant with boxed arguments, whose types are right. The caller
// holds the launch lock.
func (k *Kernel) launch(ctx context.Context, v *variant.Variant, f *hostabi.Boxed, args []any) ([]any, error) {
	slots := v.Frame.Args
	for i := range args {
		c, data := f.CodecFor(i, reflect.TypeOf(args[i]), k.rt.maker.Opt.Widths()), (*[2]unsafe.Pointer)(unsafe.Pointer(&args[i]))[1]
		if !c.Put(slots, data) {
			return nil, k.Misfit(f.Position(i), c.Misfit(data))
		}
		slots = slots[c.Slots():]
	}
	err := k.rt.way.frame(v).Code.Run(ctx)
	runtime.KeepAlive(args)
	if err != nil {
		return nil, err
	}
	return f.Results(v.Frame.Results), nil
}

func (k *Kernel) nilContext() error {
	return diag.Errorf(diag.ErrArgs, "launch of %s with a nil context; use context.Background()", k.of.Name)
}

func (k *Kernel) wrongCount(args []any) error {
	return diag.Errorf(diag.ErrArgs, "%d arguments for %s", len(args), k)
}

// misfit reports an argument that a codec has refused; n counts arguments from 1.
func (k *Kernel) Misfit(n int, why string) error {
	return k.rt.way.failed(diag.Errorf(diag.ErrArgs, "argument %d of %s %s", n, k, why))
}

// begin is enter for a kernel function.
func (k *Kernel) Begin(ctx context.Context) (*hostabi.Frame, error) {
	if ctx == nil {
		return nil, k.rt.way.failed(k.nilContext())
	}
	v, err := k.rt.way.enter(ctx, k.of)
	if err != nil {
		return nil, k.rt.way.failed(err)
	}
	return k.rt.way.frame(v), nil
}

// end gives the launch lock back.
func (k *Kernel) End() { k.rt.maker.Eng.Unlock() }

// Explain writes the source of the kernel with what the compiler has made of it in words
// beside the lines: which loops run in parallel and in vectors, and what is in the way of
// that; which atomics and index checks remain and why; the size of the code; and what would
// make it faster.
func (k *Kernel) Explain(w io.Writer) error {
	v, err := k.toDump("Explain")
	if err != nil {
		return err
	}
	if w == nil {
		return diag.Errorf(diag.ErrArgs, "Explain of %s to a nil writer", k.of.Name)
	}
	return v.Explain(w)
}

// Dump writes the kernel as it stands after a stage of compilation, for people to read.
func (k *Kernel) Dump(w io.Writer, stage string) error {
	v, err := k.toDump("Dump")
	if err != nil {
		return err
	}
	if v, stage, err = v.Dumped(stage); err != nil {
		return err
	}
	if stage == "explain" && w != nil {
		return v.Explain(w)
	}
	text, err := v.Dump(stage)
	if err != nil {
		return v.DumpError(err)
	}
	if w == nil {
		return diag.Errorf(diag.ErrArgs, "Dump of %s to a nil writer", k.of.Name)
	}
	_, err = io.WriteString(w, text)
	return err
}

// toDump returns the variant that Dump and Explain write: of a template, the one that was
// launched last. what names the call.
func (k *Kernel) toDump(what string) (*variant.Variant, error) {
	if err := k.usable(what); err != nil {
		return nil, err
	}
	if err := k.rt.usable(what + " of " + k.of.Name); err != nil {
		return nil, err
	}
	return k.of.ToDump()
}
