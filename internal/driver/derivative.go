package driver

import (
	"errors"
	"slices"

	"github.com/gotaichi/ti/internal/autodiff"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/lower"
	"github.com/gotaichi/ti/internal/pass"
	"github.com/gotaichi/ti/internal/target"
	"github.com/gotaichi/ti/internal/typed"
)

// A Derivative asks for a derivative of a kernel in its place.
type Derivative struct {
	Of   map[string]string // the names of the fields with adjoints or, in mode Tangent, tangents, and of those that have these
	Mode Mode
	Keys map[string]string // fields with adjoints, and those in which iterations claim minima and maxima of them; see [autodiff.Options]
	Dual map[string]string // in the modes of second order, fields and adjoints with tangents, and those that have these

	Sparse map[string]typed.NodeKind // those of all of these that lie in sparse trees, with the kinds of their nodes

	// Topology takes the fields about whose active cells the way back has to find what the launch found: see
	// [autodiff.Options]. Lowering calls it.
	Topology func(field string, p launch.Place, changes bool)

	// Record names the field of the old values that atomics returned, of RecordSize numbers; see [autodiff.Options]. Recorded is called
	// if the kernel has such values that its way back needs. Lowering calls it.
	Record     string
	RecordSize int64
	Recorded   func(p launch.Place)

	// Loads takes what an adjoint loads from the kernel's fields, and where the kernel did so; it may be nil. Lowering calls it.
	Loads func(field string, p launch.Place)
}

// A Mode is a kind of derivative.
type Mode int

// The modes: the adjoint, the adjoint that clears adjoints of what was stored, the kernel with tangents, the
// adjoints with tangents, which are derivatives of second order, and the kernel as a tape launches it if the adjoint needs old values.
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

// With returns the mode of a way back, of which m is the plain one.
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

// beforeGradient are the stages that a kernel goes through before it is differentiated: the less there is, the less
// comes out, and random numbers become arithmetic that can be done again.
var beforeGradient = []string{"simplify", "cse", "dce", "rand"}

// derivativeOf differentiates a kernel.
func derivativeOf(k *ir.Kernel, o *Options) (*ir.Kernel, error) {
	if !CompilerLinked {
		return nil, target.ErrNoLibrary
	}
	o.Layout.store(k)
	if err := clampStores(k, o.Derivative.Mode); err != nil {
		return nil, err
	}
	for _, stage := range beforeGradient {
		if err := pass.RunStage(k, pass.Options{Options: o.Options}, stage); err != nil {
			return nil, err
		}
	}
	d := o.Derivative
	make := autodiff.Reverse
	switch {
	case d.Mode == Tangent:
		make = autodiff.Forward
	case d.Mode.Records():
		make = recording
	}
	options := autodiff.Options{Clear: d.Mode.Clears(), Strict: o.Strict, Keys: d.keysOf, CheckNaN: o.CheckNaN, Notes: o.notes}
	if d.Topology != nil {
		options.Topology = func(o *ir.Op, changes bool) { d.Topology(o.Field.Name, placeOf(k, o.Pos), changes) }
	}
	if d.RecordSize > 0 {
		options.Record = func(o *ir.Op) *ir.Field {
			if d.Recorded != nil {
				d.Recorded(placeOf(k, o.Pos))
			}
			return &ir.Field{Name: d.Record, Comps: []ir.Kind{ir.I64}, Shape: []int64{d.RecordSize}, Node: ir.NodeDense}
		}
	}
	out, err := make(k, d.companions(k, d.Of), options)
	if err == nil && d.Mode != Tangent && !d.Mode.Records() {
		if err := dropUnused(out, o); err != nil {
			return nil, err
		}
		d.noteLoads(k, out)
	}
	if err == nil && d.Mode.Second() {
		autodiff.Inline(out, false)
		for _, stage := range beforeGradient[:3] { // random numbers are arithmetic
			if err := pass.RunStage(out, pass.Options{Options: o.Options}, stage); err != nil {
				return nil, err
			}
		}
		out, err = autodiff.Forward(out, d.companions(out, d.Dual), options)
	}
	if u, ok := errors.AsType[*autodiff.Unsupported](err); ok {
		return nil, &NoDerivative{placeOf(k, u.Pos), u.Msg, u.Access}
	}
	if err == nil {
		autodiff.Inline(out, true)
	}
	return out, err
}

// recording returns the kernel that records old values, k itself if none are needed.
func recording(k *ir.Kernel, grad map[*ir.Field]*ir.Field, o autodiff.Options) (*ir.Kernel, error) {
	r, err := autodiff.Record(k, grad, o)
	if r == nil && err == nil {
		r = k
	}
	return r, err
}

// noteLoads reports the loads of an adjoint from fields of k.
func (d *Derivative) noteLoads(k, adjoint *ir.Kernel) {
	if d.Loads == nil {
		return
	}
	ir.Visit(adjoint.Body, func(o *ir.Op) bool {
		if o.Code != ir.OpLoad {
			return true
		}
		if at := o.Args[0].Def; at != nil && at.Code == ir.OpPtr && slices.Contains(k.Fields, at.Field) {
			d.Loads(at.Field.Name, placeOf(k, o.Pos))
		}
		return true
	})
}

// dropUnused takes out what the way back does not need of the forward sweep.
func dropUnused(k *ir.Kernel, o *Options) error {
	for range 4 { // a load may feed the address of another one
		if err := pass.RunStage(k, pass.Options{Options: o.Options}, "dce"); err != nil {
			return err
		}
		if !autodiff.DropLoads(k) {
			break
		}
	}
	return nil
}

// keysOf makes the field of the keys of f, nil without one.
func (d *Derivative) keysOf(f *ir.Field) *ir.Field {
	name, ok := d.Keys[f.Name]
	if !ok {
		return nil
	}
	return &ir.Field{Name: name, Comps: slices.Repeat([]ir.Kind{ir.I64}, len(f.Comps)), Shape: f.Shape, Origin: f.Origin, Node: ir.NodeDense}
}

// companions finds or makes the adjoints or tangents of fields of k.
func (d *Derivative) companions(k *ir.Kernel, of map[string]string) map[*ir.Field]*ir.Field {
	all := map[*ir.Field]*ir.Field{}
	for _, f := range k.Fields {
		name, ok := of[f.Name]
		if !ok || len(f.Comps) == 0 {
			continue
		}
		if i := fieldIndex(k, name); i >= 0 { // the source names it
			all[f] = k.Fields[i]
			continue
		}
		g := &ir.Field{Name: name, Comps: f.Comps, Shape: f.Shape, Origin: f.Origin, Host: f.Host, Node: ir.NodeDense}
		if kind, ok := d.Sparse[name]; ok {
			g.Node, g.Sparse = lower.NodeKind(kind), true
			g.List = g.Node == ir.NodeDynamic
		}
		all[f] = g
	}
	return all
}

func fieldIndex(k *ir.Kernel, name string) int {
	for i, f := range k.Fields {
		if f.Name == name {
			return i
		}
	}
	return -1
}
