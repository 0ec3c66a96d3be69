package variant

import (
	"github.com/gotaichi/ti/internal/front"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/option"
)

// A role says what launches of a variant are for: each is a type. What all variants have is in [Variant], and what one
// has for its role is in the role.
type role interface {
	// compile says what is compiled otherwise.
	compile(o *front.Options)
	// derivative is what the variant has as a derivative, nil if it is none.
	AsDerivative() *derivative
	// ships reports whether such code belongs into files of code that a program records.
	ships() bool
}

// A place in [variant.others]: that of the variant in a role. A derivative has its mode for it.
const (
	watchingPlace = int(job.Modes) + iota
	countingPlace

	places // their number
)

// A plain variant is what a program launches.
type plain struct{}

func (plain) compile(*front.Options)    {}
func (plain) ships() bool               { return true }
func (plain) AsDerivative() *derivative { return nil }

// A variant aside is launched by the product for the host, which knows nothing of it.
type aside struct{ plain }

func (aside) ships() bool { return false }

// An unshipped variant stands for what the host does, and is launched among the kernels of the program.
type unshipped struct{ plain }

func (unshipped) ships() bool { return false }

func (aside) compile(o *front.Options) { o.Unchecked, o.CheckNaN = true, false }

// A fallback runs instead of a plain variant or a derivative if there is no memory for its separate sums ([option.Accumulators]):
// it has none. Variants that record accesses or count stores never have such sums.
type fallback struct{ of role }

func (f fallback) compile(o *front.Options) {
	f.of.compile(o)
	o.Without |= option.Accumulators
}

func (f fallback) ships() bool               { return f.of.ships() }
func (f fallback) AsDerivative() *derivative { return f.of.AsDerivative() }
