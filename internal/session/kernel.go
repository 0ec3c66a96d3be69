package session

import (
	"context"
	"io"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/flow"
	"github.com/gotaichi/ti/internal/threadblock"
	"github.com/gotaichi/ti/internal/variant"
)

// A Kernel is an exported function of a program.
type Kernel struct {
	_ noCopy

	rt   *Runtime
	of   *variant.Kernel
	call *flow.Caller
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
	return k.call.Launch(ctx, args)
}

// SetBlock sets the shape of GPU thread blocks for the kernel's loops that ask for none in the source, from the next launch on.
func (k *Kernel) SetBlock(b threadblock.Block) {
	if k.usable("SetBlock") == nil {
		k.of.SetBlock(b)
	}
}

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
