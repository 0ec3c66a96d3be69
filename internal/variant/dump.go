package variant

import (
	"fmt"
	"io"
	"strings"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/job"
)

func (v *Variant) Explain(w io.Writer) error {
	t, err := v.lower.Tree()
	if err != nil {
		return v.DumpError(err)
	}
	err, written := t.Explain(w, v.Kernel.Name, v.Scope.Layout, v.options(v.late))
	if err != nil {
		return v.DumpError(err)
	}
	return written
}

// Dumped returns the variant that a stage is of, and the stage: with "grad/" before it, that of the adjoint, with
// "dual/" that of the kernel with tangents, and with "grad/dual/" that of the adjoint with tangents, which products
// with Hessians run.
func (v *Variant) Dumped(stage string) (*Variant, string, error) {
	for _, of := range []struct {
		prefix string
		mode   job.Mode
	}{{"grad/dual/", job.ReverseTangent}, {"grad/", job.Reverse}, {"dual/", job.Tangent}} {
		rest, is := strings.CutPrefix(stage, of.prefix)
		if !is {
			continue
		}
		d, err := v.Derived(of.mode)
		if err == nil && d == nil {
			err = diag.Errorf(diag.ErrGradient, "no field of %s has one placed for %s", v.Kernel.Name, of.prefix)
		}
		return d, rest, err
	}
	return v, stage, nil
}

func (v *Variant) Dump(stage string) (string, error) {
	t, err := v.lower.Tree()
	if err != nil {
		return "", err
	}
	return t.Dump(v.Kernel.Name, v.Scope.Layout, v.options(v.late), stage)
}

// DumpError is the error of a kernel that cannot be compiled, or differentiated, up to a stage.
func (v *Variant) DumpError(err error) error {
	if e := v.NoDerivative(err); e != err {
		return e
	}
	return fmt.Errorf("ti: %w", err)
}
