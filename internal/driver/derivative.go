package driver

import (
	"errors"

	"github.com/gotaichi/ti/internal/autodiff"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/pass"
	"github.com/gotaichi/ti/internal/target"
)

// A Derivative asks for a derivative of a kernel in its place.
type Derivative struct {
	Of   map[string]string // the names of the fields with adjoints or tangents, and of those that have these
	Mode Mode
}

// A Mode is a kind of derivative.
type Mode int

// The modes: the adjoint, the adjoint that clears adjoints of what was stored, and the kernel with tangents.
const (
	Reverse Mode = iota
	ReverseClearing
	Tangent
)

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

// derivativeOf differentiates a kernel.
func derivativeOf(k *ir.Kernel, o *Options) (*ir.Kernel, error) {
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
		name, ok := o.Derivative.Of[f.Name]
		if !ok || len(f.Comps) == 0 {
			continue
		}
		if i := fieldIndex(k, name); i >= 0 { // the source names it
			grad[f] = k.Fields[i]
			continue
		}
		grad[f] = &ir.Field{Name: name, Comps: f.Comps, Shape: f.Shape, Origin: f.Origin, Host: f.Host, Node: ir.NodeDense}
	}
	make := autodiff.Reverse
	if o.Derivative.Mode == Tangent {
		make = autodiff.Forward
	}
	back, err := make(k, grad, autodiff.Options{Clear: o.Derivative.Mode == ReverseClearing, Strict: o.Strict})
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
