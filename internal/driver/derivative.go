package driver

import (
	"errors"
	"slices"

	"github.com/gotaichi/ti/internal/autodiff"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/lower"
	"github.com/gotaichi/ti/internal/pass"
	"github.com/gotaichi/ti/internal/target"
)

// beforeGradient are the stages that a kernel goes through before it is differentiated: the less there is, the less
// comes out, and random numbers become arithmetic that can be done again.
var beforeGradient = []string{"simplify", "cse", "dce", "rand"}

// derivativeOf differentiates a kernel.
func derivativeOf(k *ir.Kernel, o *Options) (*ir.Kernel, error) {
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
	make := backward
	switch {
	case d.Mode == Tangent:
		make = tangents
	case d.Mode.Records():
		make = recording
	}
	options := autodiff.Options{Clear: d.Mode.Clears(), Strict: o.Strict, Keys: func(f *ir.Field) *ir.Field { return keysOf(d, f) }, Notes: o.notes, Without: o.Without}
	if o.Compiler != nil {
		switch traits := o.Compiler.Traits(); {
		case traits.Windows:
			options.Room = 2 << 20 // the stacks there are the system's
		case traits.Name != "" && !traits.Provides(target.Threads):
			options.Room = int64(traits.Locals) / 2 // of very many threads
		}
	}
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
	out, err := make(k, o, options)
	if err == nil && d.Mode.Second() {
		autodiff.Inline(out, false)
		for _, stage := range beforeGradient[:3] { // random numbers are arithmetic
			if err := pass.RunStage(out, pass.Options{Options: o.Options}, stage); err != nil {
				return nil, err
			}
		}
		out, err = autodiff.Forward(out, companions(d, out, d.Dual), options)
	}
	if u, ok := errors.AsType[*autodiff.Unsupported](err); ok {
		return nil, &NoDerivative{Place: placeOf(k, u.Pos), Msg: u.Msg, Access: u.Access}
	}
	if err == nil {
		autodiff.Inline(out, true)
		if !o.Gradient { // the oracle's tape heeds them in a kernel that stores old values
			autodiff.DropStops(out.Body)
		}
	}
	return out, err
}

// findFlows reports between which fields numbers flow in a kernel as it leaves lowering, and takes the marks of
// constants out that serve this alone.
func (o *Options) findFlows(k *ir.Kernel) {
	if o.Flows == nil {
		return
	}
	var all []job.Flow
	for _, f := range autodiff.Flows(k) {
		all = append(all, job.Flow{
			From: job.FieldPart{Field: f.From.Name, Comps: uint64(f.ReadComps)}, To: job.FieldPart{Field: f.To.Name, Comps: uint64(f.WriteComps)},
			Read: placeOf(k, f.Read), Write: placeOf(k, f.Write), Own: f.Own,
		})
	}
	o.Flows(all)
	if o.Gradient || o.Derivative != nil {
		return
	}
	for _, b := range k.Blocks() {
		autodiff.DropStops(b)
	}
}

// tangents returns the kernel that computes tangents, too.
func tangents(k *ir.Kernel, o *Options, a autodiff.Options) (*ir.Kernel, error) {
	return autodiff.Forward(k, companions(o.Derivative, k, o.Derivative.Of), a)
}

// recording returns the kernel that records old values, k itself if none are needed.
func recording(k *ir.Kernel, o *Options, a autodiff.Options) (*ir.Kernel, error) {
	r, err := autodiff.Record(k, companions(o.Derivative, k, o.Derivative.Of), a)
	if r == nil && err == nil {
		r = k
	}
	return r, err
}

// backward returns the adjoint of a kernel. What it reads is noted without the checks for NaN, since they may read
// more.
func backward(k *ir.Kernel, o *Options, a autodiff.Options) (*ir.Kernel, error) {
	a.Reads = new(autodiff.Reads)
	out, err := adjoint(k, o, a)
	if err != nil {
		return nil, err
	}
	noteLoads(o.Derivative, k, out)
	if err := a.Reads.Check(out); err != nil || !o.CheckNaN && !o.Debug {
		return out, err
	}
	a.CheckNaN, a.Reads, a.Topology, a.Notes = true, nil, nil, nil
	return adjoint(k, o, a)
}

// adjoint differentiates a kernel in reverse and takes out what that does not need.
func adjoint(k *ir.Kernel, o *Options, a autodiff.Options) (*ir.Kernel, error) {
	out, err := autodiff.Reverse(k, companions(o.Derivative, k, o.Derivative.Of), a)
	if err != nil {
		return nil, err
	}
	return out, dropUnused(out, o)
}

// noteLoads reports the loads of an adjoint from fields of k.
func noteLoads(d *Derivative, k, adjoint *ir.Kernel) {
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

// dropUnused takes out what the backward pass does not need of the forward sweep.
func dropUnused(k *ir.Kernel, o *Options) error {
	for { // a load may feed the address of another one
		if err := pass.RunStage(k, pass.Options{Options: o.Options}, "dce"); err != nil || !autodiff.DropLoads(k) {
			return err
		}
	}
}

// keysOf makes the field of the keys of f, nil without one.
func keysOf(d *Derivative, f *ir.Field) *ir.Field {
	name, ok := d.Keys[f.Name]
	if !ok {
		return nil
	}
	return &ir.Field{Name: name, Comps: slices.Repeat([]ir.Kind{ir.I64}, len(f.Comps)), Shape: f.Shape, Origin: f.Origin, Node: ir.NodeDense}
}

// companions finds or makes the adjoints or tangents of fields of k.
func companions(d *Derivative, k *ir.Kernel, of map[string]string) map[*ir.Field]*ir.Field {
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
