package job

import (
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/typed"
)

// A Derivative asks for a derivative of a kernel in its place.
type Derivative struct {
	Of   map[string]string // the names of the fields with adjoints or, in mode Tangent, tangents, and of those that have these
	Mode Mode
	Keys map[string]string // fields with adjoints, and those in which iterations claim minima and maxima of them; see package autodiff
	Dual map[string]string // in the modes of second order, fields and adjoints with tangents, and those that have these

	Sparse map[string]typed.NodeKind // those of all of these that lie in sparse trees, with the kinds of their nodes

	// Topology takes the fields about whose active cells the backward pass has to find what the launch found: see
	// package autodiff. Lowering calls it.
	Topology func(field string, p launch.Place, changes bool)

	// Record names the field of the old values that atomics returned, of RecordSize numbers; see package autodiff.
	// Recorded is called if the kernel has such values that its backward pass needs. Lowering calls it.
	Record     string
	RecordSize int64
	Recorded   func(p launch.Place)

	// Loads takes what an adjoint loads from the kernel's fields, and where the kernel did so; it may be nil. Lowering
	// calls it.
	Loads func(field string, p launch.Place)
}

// A Mode is a kind of derivative.
type Mode int

// The modes: the adjoint, the adjoint that clears adjoints of what was stored, the kernel with tangents, the adjoints
// with tangents, which are derivatives of second order, and the kernel as a tape launches it if the adjoint needs old
// values.
const (
	Reverse Mode = iota
	ReverseClearing
	Tangent
	ReverseTangent
	ReverseClearingTangent
	Record        // the kernel, which records the old values of its atomics
	RecordTangent // that with tangents

	Modes // their number
)

// Clears reports whether adjoints of what was stored are cleared.
func (m Mode) Clears() bool { return m == ReverseClearing || m == ReverseClearingTangent }

// Records reports whether the mode is of a kernel that records old values.
func (m Mode) Records() bool { return m == Record || m == RecordTangent }

// Second reports whether a mode is of second order.
func (m Mode) Second() bool {
	return m == ReverseTangent || m == ReverseClearingTangent || m == RecordTangent
}

// With returns the mode of a backward pass, of which m is the plain one.
func (m Mode) With(clear, tangent bool) Mode {
	if clear {
		m++
	}
	if tangent {
		m += ReverseTangent
	}
	return m
}

// A NoDerivative error says what of a kernel has no derivative, and where it stands.
type NoDerivative struct {
	launch.Place
	Msg    string
	Access bool // a rule of data access is broken
}

// Error returns the message without the place.
func (e *NoDerivative) Error() string { return e.Msg }
