package session

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/gotaichi/ti/internal/front"

	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/target"
)

// A mistake of the compiler does not stop a program: the kernel is compiled again without the parts of the compiler that
// can be left out (package option), and one line on standard error asks for a report. Such code is slower, and computes
// the same. In a cache it has a key of its own, so that the program tries the whole compiler again each time it is started,
// and says that it fails. Tests set TI_INTERNAL_ERRORS=fail, and get the error.

// sparing calls f, which compiles the instance. If the compiler is at fault it calls f again, for an instance that leaves
// out what can be left out. If this fails too, the first error is the one to tell.
func (inst *instance) sparing(f func() error) error {
	err := f()
	fault, own := errors.AsType[*job.Fault](err)
	if !own || inst.k.p.maker.Opt.Faults || inst.reduced.Swap(true) {
		return err
	}
	if f() != nil {
		return err
	}
	inst.k.told.Do(func() { fmt.Fprintln(os.Stderr, inst.report(fault)) })
	return nil
}

// report is the line that asks for a report of a fault.
func (inst *instance) report(fault *job.Fault) string {
	traits := inst.k.p.maker.exec.compiler().Traits()
	what, _, _ := strings.Cut(fault.Error(), "\n")
	return fmt.Sprintf("ti: the compiler failed in kernel %s, which runs without its optional parts, more slowly: %s (ti %s, libLLVM %d, %s); please report this line, if you can with the kernel, at https://%s/issues",
		inst.k.name, what, front.Version(), traits.Version, traits.Processor, front.ModulePath)
}

// prepareAhead lowers the kernel to be compiled ahead of time.
func (inst *instance) prepareAhead() (r *ready, err error) {
	err = inst.sparing(func() error {
		r, err = inst.lowered()
		return err
	})
	return r, err
}

// compileFor makes code of a kernel for the machines of another compiler. What it made it of may be lowered anew.
func (inst *instance) compileFor(r *ready, c target.Compiler) (from *ready, code *job.Compiled, err error) {
	err = inst.sparing(func() error {
		if inst.reduced.Load() && !r.reduced {
			if r, err = inst.lowered(); err != nil {
				return err
			}
		}
		u, err := r.unit()
		if err == nil {
			code, err = front.CompileFor(u, c)
		}
		return err
	})
	return r, code, err
}
