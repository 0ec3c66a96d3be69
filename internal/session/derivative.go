package session

import (
	"errors"
	"math"
	"slices"
	"unsafe"

	"github.com/gotaichi/ti/internal/bind"
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/half"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/store"
	"github.com/gotaichi/ti/internal/typed"
)

// oneOf stores 1 as a real number of a kind.
func oneOf(k layout.Kind, at unsafe.Pointer) {
	switch k {
	case layout.F16:
		*(*uint16)(at) = half.From64(1)
	case layout.F32:
		*(*float32)(at) = 1
	default:
		*(*uint64)(at) = math.Float64bits(1)
	}
}

// derived returns what takes the place of inst: its adjoint, which may clear the adjoints of what was stored, or
// what launches it with tangents. It is nil if no field of the kernel has a companion.
func (inst *instance) derived(mode job.Mode) (*instance, error) {
	p := inst.k.p
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.alive(inst.k); err != nil {
		return nil, err
	}
	if a := inst.others[mode]; a != nil {
		return a, nil
	}
	a, err := inst.newDerived(mode)
	inst.others[mode] = a
	return a, err
}

// newDerived makes it. It needs the program's mu.
func (inst *instance) newDerived(mode job.Mode) (*instance, error) {
	d := &derivative{Derivative: &job.Derivative{Mode: mode, Sparse: map[string]typed.NodeKind{}}}
	d.Topology, d.Loads = d.noteTopology, d.noteLoad
	a := inst.in(d)
	if err := a.bindTangents(); err != nil {
		return nil, err
	}
	var names []string
	for _, field := range inst.checked.Kernel(inst.k.name).Fields {
		names = append(names, field.Name)
	}
	companion := store.Grad
	if mode == job.Tangent {
		companion = store.Dual
	}
	if err := inst.placedLate(names, companion); err != nil {
		return nil, err
	}
	if d.Of = a.companionsOf(d, names, companion); len(d.Of) == 0 {
		return nil, nil
	}
	if mode.Second() {
		for _, name := range names {
			if g := d.Of[name]; g != "" && !slices.Contains(names, g) {
				names = append(names, g)
			}
		}
		d.Dual = a.companionsOf(d, names, store.Dual)
	}
	if mode == job.Tangent {
		return a, nil
	}
	if err := a.placeKeys(d); err != nil {
		return nil, err
	}
	if inst.checked.Kernel(inst.k.name).OldValues {
		if err := a.placeRecord(d); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// placedLate returns an error for a field whose adjoint or tangent was placed after the kernel was bound to the field:
// it would be left out, and derivatives be 0.
func (inst *instance) placedLate(names []string, r store.Role) error {
	for _, name := range names {
		c := inst.scope.Named(name)
		if c != nil && c.Placed(r) != nil && inst.scope.Named(name+r.Suffix()) == nil {
			return diag.Errorf(diag.ErrGradient, "the %v of %s was placed after kernel %s was bound to the field, and is not known to it; place it before the source is loaded, as ti.WithGrad and ti.WithDual do", r, c.Name(), inst.k.name)
		}
	}
	return nil
}

// placeKeys places fields in which iterations claim the minima and maxima that they attained.
func (inst *instance) placeKeys(d *derivative) error {
	d.Keys = map[string]string{}
	for _, f := range inst.extrema() {
		c := inst.scope.Named(f.Name)
		k, err := keyField(c)
		if err != nil {
			return err
		}
		path := f.Name + ".key"
		d.Keys[f.Name] = path
		inst.add(path, k)
	}
	return nil
}

// extrema returns the fields with adjoints in which the kernel may accumulate minima or maxima.
func (inst *instance) extrema() (fields []*typed.Field) {
	for _, f := range inst.checked.Kernel(inst.k.name).Extrema {
		if inst.scope.Named(f.Name) != nil && inst.scope.Named(f.Name+store.Grad.Suffix()) != nil {
			fields = append(fields, f)
		}
	}
	return fields
}

// isComparedAgain reports whether the way back compares what the kernel computes with what it computes itself: they
// have to be equal to the last bit.
func (inst *instance) isComparedAgain() bool {
	f := inst.checked.Kernel(inst.k.name)
	return slices.ContainsFunc(f.Fields, func(f *typed.Field) bool { return inst.scope.Named(f.Name+store.Grad.Suffix()) != nil }) && f.Accumulates
}

// keyField returns the field of the keys of c, which is made by the first call.
func keyField(c *store.Field) (*store.Field, error) {
	if c.Unbounded() {
		return nil, diag.Errorf(diag.ErrGradient, "derivatives of minima and maxima over iterations need a number for each element of %s, active or not, and a hash node without sizes gives it no bounds; give the node sizes, or accumulate in another field", c.Name())
	}
	k, err := c.Keys()
	if err != nil {
		return nil, diag.Errorf(diag.ErrMemory, "derivatives of minima and maxima over iterations need a number for each element of %s, %d in all, active or not: %w", c.Name(), elements(c.Shape()), err)
	}
	return k, nil
}

// bindTangents adds the tangents of adjoints to the fields that the kernel may name.
func (inst *instance) bindTangents() error {
	for _, f := range slices.Clone(inst.scope.Fields) {
		if f.Core == nil {
			continue
		}
		if of, role := f.Core.CompanionOf(); of == nil || role != store.Grad {
			continue
		}
		d, err := f.Core.ReadyCompanion(store.Dual)
		if err != nil {
			return err
		}
		if path := f.Path + store.Dual.Suffix(); d != nil && inst.scope.Named(path) == nil {
			inst.scope.Add(path, d)
		}
	}
	return nil
}

// companionsOf names the companions of fields for a derivative, and adds their trees.
func (inst *instance) companionsOf(d *derivative, names []string, r store.Role) map[string]string {
	of := map[string]string{}
	for _, name := range names {
		c := inst.scope.Named(name + r.Suffix())
		if c == nil {
			continue
		}
		if n := c.LayoutNode(); n.Sparse() {
			d.Sparse[name+r.Suffix()] = bind.NodeKind(n.Kind())
		}
		of[name] = name + r.Suffix()
		inst.depends(c)
	}
	return of
}

// freeAll is free for an instance and those of its kernel in other roles. It needs the program's mu.
func (inst *instance) freeAll() {
	inst.free()
	for _, a := range inst.others {
		if a != nil {
			a.free()
		}
	}
}

// noDerivative turns the error of a kernel that cannot be differentiated into one for users.
func (inst *instance) noDerivative(err error) error {
	if err == nil {
		return nil
	}
	u, ok := errors.AsType[*job.NoDerivative](err)
	if !ok {
		return err
	}
	e := &RuntimeError{Kernel: inst.k.name, Pos: placeOf(u.Place), Err: diag.ErrGradient, Count: 1, Msg: u.Msg}
	if u.Access {
		e.Err = diag.ErrAccess
	}
	return e
}

// elements is the number of elements of a shape.
func elements(shape store.Shape) int {
	n := 1
	for _, e := range shape {
		n *= e
	}
	return n
}
