package ti

import (
	"context"
	"io"

	"github.com/gotaichi/ti/internal/session"
)

// A Program is a source bound to a host.
type Program session.Program

// Kernel returns the kernel of that name, or nil if there is none. Launching nil
// fails with [ErrArgs].
func (p *Program) Kernel(name string) *Kernel {
	return (*Kernel)((*session.Program)(p).Kernel(name))
}

// Kernels returns all kernels in the order of the source.
func (p *Program) Kernels() []*Kernel {
	kernels := (*session.Program)(p).Kernels()
	if kernels == nil {
		return nil
	}
	out := make([]*Kernel, len(kernels))
	for i, k := range kernels {
		out[i] = (*Kernel)(k)
	}
	return out
}

// A Kernel is an exported function of a program.
type Kernel session.Kernel

// Name returns the function's name.
func (k *Kernel) Name() string { return (*session.Kernel)(k).Name() }

// String returns the function's declaration as the source has it, on one line.
func (k *Kernel) String() string { return (*session.Kernel)(k).String() }

// Launch runs the kernel with arguments whose types are those of the
// corresponding kernel function, and returns its results, nil if it has none. It
// fails with [ErrArgs] if number or types are wrong, and ends early if ctx is
// done, as described for [Runtime.Load].
func (k *Kernel) Launch(ctx context.Context, args ...any) (results []any, err error) {
	return (*session.Kernel)(k).Launch(ctx, args...)
}

// Explain writes the source of the kernel with what the compiler has made of it in
// words beside the lines: which loops run in parallel and in vectors, and what is
// in the way of that; which atomics and index checks remain and why; the size of
// the code; and what would make it faster. Of a template it takes the instance that
// was launched last, as [Kernel.Dump] does.
func (k *Kernel) Explain(w io.Writer) error { return (*session.Kernel)(k).Explain(w) }

// Dump writes the kernel as it stands after a stage of compilation, for people to
// read. The stages are "lower", each pass by its name, "ir" for the end of these,
// "llvm" for the code given to LLVM, "opt" for that code optimised, "asm", and
// "object" for the bytes of the object file, or of an ar archive of the several
// that a larger kernel has. "time" is a table of how long each step takes.
// "explain" is what [Kernel.Explain] writes. With "grad/" before it a stage is that of the
// kernel's adjoint, which [Runtime.Tape] launches, with "dual/" that of the kernel with
// tangents, and with "grad/dual/" that of the adjoint with tangents, which a Tape within
// [Runtime.Tangent] launches. Another name gives an error that lists the stages. Of a kernel with compile-time
// parameters it writes the instance that was launched last.
func (k *Kernel) Dump(w io.Writer, stage string) error { return (*session.Kernel)(k).Dump(w, stage) }
