package variant

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/gotaichi/ti/internal/front"
	"github.com/gotaichi/ti/internal/job"
)

// A mistake of the compiler does not stop a program: the kernel is compiled again without the parts of the compiler
// that can be left out (package option), and one line on standard error asks for a report. Such code is slower, and
// computes the same. In a cache it has a key of its own, so that the program tries the whole compiler again each time
// it is started, and says that it fails. Tests set TI_INTERNAL_ERRORS=fail, and get the error.

// sparing calls f, which compiles the variant. If the compiler is at fault it calls f again, for a variant that leaves
// out what can be left out. If this fails too, the first error is the one to tell.
func (v *Variant) sparing(f func() error) error {
	err := f()
	fault, own := errors.AsType[*job.Fault](err)
	if !own || v.Kernel.Program.Maker.Opt.Faults || v.reduced.Swap(true) {
		return err
	}
	if f() != nil {
		return err
	}
	v.Kernel.told.Do(func() { fmt.Fprintln(os.Stderr, v.report(fault)) })
	return nil
}

// report is the line that asks for a report of a fault.
func (v *Variant) report(fault *job.Fault) string {
	traits := v.Kernel.Program.Maker.Exec.compiler().Traits()
	what, _, _ := strings.Cut(fault.Error(), "\n")
	return fmt.Sprintf("ti: the compiler failed in kernel %s, which runs without its optional parts, more slowly: %s (ti %s, libLLVM %d, %s); please report this line, if you can with the kernel, at https://%s/issues",
		v.Kernel.Name, what, front.Version(), traits.Version, traits.Processor, front.ModulePath)
}
