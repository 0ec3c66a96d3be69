package driver

import (
	"errors"

	"github.com/gotaichi/ti/internal/autodiff"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/pass"
	"github.com/gotaichi/ti/internal/target"
)

// An Adjoint asks for the adjoint of a kernel.
type Adjoint struct {
	Of    map[string]string // the names of the fields with adjoints, and of those that have these
	Clear bool              // see [autodiff.Options]
}

// A NoDerivative error says what of a kernel has no derivative, and where it stands.
type NoDerivative struct {
	launch.Place
	Msg    string
	Access bool // a rule of data access is broken
}

// Error returns the message without the place.
func (e *NoDerivative) Error() string { return e.Msg }

// beforeGradient are the stages that a kernel goes through before it is differentiated: the less there is, the less
// comes out, and random numbers become arithmetic that can be done again.
var beforeGradient = []string{"simplify", "cse", "dce", "rand"}

// adjointOf differentiates a kernel.
func adjointOf(k *ir.Kernel, o *Options) (*ir.Kernel, error) {
	if !CompilerLinked {
		return nil, target.ErrNoLibrary
	}
	for _, stage := range beforeGradient {
		if err := pass.RunStage(k, pass.Options{Options: o.Options}, stage); err != nil {
			return nil, err
		}
	}
	grad := map[*ir.Field]*ir.Field{}
	for _, f := range k.Fields {
		name, ok := o.Adjoint.Of[f.Name]
		if !ok || len(f.Comps) == 0 {
			continue
		}
		if i := fieldIndex(k, name); i >= 0 { // the source names it
			grad[f] = k.Fields[i]
			continue
		}
		grad[f] = &ir.Field{Name: name, Comps: f.Comps, Shape: f.Shape, Origin: f.Origin, Host: f.Host, Node: ir.NodeDense}
	}
	back, err := autodiff.Reverse(k, grad, autodiff.Options{Clear: o.Adjoint.Clear, Strict: o.Strict})
	if u, ok := errors.AsType[*autodiff.Unsupported](err); ok {
		return nil, &NoDerivative{placeOf(k, u.Pos), u.Msg, u.Access}
	}
	return back, err
}

func fieldIndex(k *ir.Kernel, name string) int {
	for i, f := range k.Fields {
		if f.Name == name {
			return i
		}
	}
	return -1
}
