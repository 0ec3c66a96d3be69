package variant

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

// OneOf stores 1 as a real number of a kind.
func OneOf(k layout.Kind, at unsafe.Pointer) {
	switch k {
	case layout.F16:
		*(*uint16)(at) = half.From64(1)
	case layout.F32:
		*(*float32)(at) = 1
	default:
		*(*uint64)(at) = math.Float64bits(1)
	}
}

// Derived returns what takes the place of v: its adjoint, which may clear the adjoints of what was stored, or
// what launches it with tangents. It is nil if no field of the kernel has a companion.
func (v *Variant) Derived(mode job.Mode) (*Variant, error) {
	p := v.Kernel.Program
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.alive(v.Kernel); err != nil {
		return nil, err
	}
	if a := v.others[mode]; a != nil {
		return a, nil
	}
	a, err := v.newDerived(mode)
	v.others[mode] = a
	return a, err
}

// newDerived makes it. It needs the program's mu.
func (v *Variant) newDerived(mode job.Mode) (*Variant, error) {
	d := &derivative{Derivative: &job.Derivative{Mode: mode, Sparse: map[string]typed.NodeKind{}}}
	d.Topology, d.Loads = d.noteTopology, d.noteLoad
	a := v.in(d)
	if err := a.bindTangents(); err != nil {
		return nil, err
	}
	var names []string
	for _, field := range v.Checked.Kernel(v.Kernel.Name).Fields {
		names = append(names, field.Name)
	}
	companion := store.Grad
	if mode == job.Tangent {
		companion = store.Dual
	}
	if err := v.placedLate(names, companion); err != nil {
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
	if v.Checked.Kernel(v.Kernel.Name).OldValues {
		if err := a.placeRecord(d); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// placedLate returns an error for a field whose adjoint or tangent was placed after the kernel was bound to the field:
// it would be left out, and derivatives be 0.
func (v *Variant) placedLate(names []string, r store.Role) error {
	for _, name := range names {
		c := v.Scope.Named(name)
		if c != nil && c.Placed(r) != nil && v.Scope.Named(name+r.Suffix()) == nil {
			return diag.Errorf(diag.ErrGradient, "the %v of %s was placed after kernel %s was bound to the field, and is not known to it; place it before the source is loaded, as ti.WithGrad and ti.WithDual do", r, c.Name(), v.Kernel.Name)
		}
	}
	return nil
}

// placeKeys places fields in which iterations claim the minima and maxima that they attained.
func (v *Variant) placeKeys(d *derivative) error {
	d.Keys = map[string]string{}
	for _, f := range v.extrema() {
		c := v.Scope.Named(f.Name)
		k, err := keyField(c)
		if err != nil {
			return err
		}
		path := f.Name + ".key"
		d.Keys[f.Name] = path
		v.add(path, k)
	}
	return nil
}

// extrema returns the fields with adjoints in which the kernel may accumulate minima or maxima.
func (v *Variant) extrema() (fields []*typed.Field) {
	for _, f := range v.Checked.Kernel(v.Kernel.Name).Extrema {
		if v.Scope.Named(f.Name) != nil && v.Scope.Named(f.Name+store.Grad.Suffix()) != nil {
			fields = append(fields, f)
		}
	}
	return fields
}

// isComparedAgain reports whether the backward pass compares what the kernel computes with what it computes itself:
// they have to be equal to the last bit.
func (v *Variant) isComparedAgain() bool {
	f := v.Checked.Kernel(v.Kernel.Name)
	return slices.ContainsFunc(f.Fields, func(f *typed.Field) bool { return v.Scope.Named(f.Name+store.Grad.Suffix()) != nil }) && f.Accumulates
}

// keyField returns the field of the keys of c, which is made by the first call.
func keyField(c *store.Field) (*store.Field, error) {
	if c.Unbounded() {
		return nil, diag.Errorf(diag.ErrGradient, "derivatives of minima and maxima over iterations need a number for each element of %s, active or not, and a hash node without sizes gives it no bounds; give the node sizes, or accumulate in another field", c.Name())
	}
	k, err := c.Keys()
	if err != nil {
		return nil, diag.Errorf(diag.ErrMemory, "derivatives of minima and maxima over iterations need a number for each element of %s, %d in all, active or not: %w", c.Name(), Elements(c.Shape()), err)
	}
	return k, nil
}

// bindTangents adds the tangents of adjoints to the fields that the kernel may name.
func (v *Variant) bindTangents() error {
	for _, f := range slices.Clone(v.Scope.Fields) {
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
		if path := f.Path + store.Dual.Suffix(); d != nil && v.Scope.Named(path) == nil {
			v.Scope.Add(path, d)
		}
	}
	return nil
}

// companionsOf names the companions of fields for a derivative, and adds their trees.
func (v *Variant) companionsOf(d *derivative, names []string, r store.Role) map[string]string {
	of := map[string]string{}
	for _, name := range names {
		c := v.Scope.Named(name + r.Suffix())
		if c == nil {
			continue
		}
		if n := c.LayoutNode(); n.Sparse() {
			d.Sparse[name+r.Suffix()] = bind.NodeKind(n.Kind())
		}
		of[name] = name + r.Suffix()
		v.depends(c)
	}
	return of
}

// freeAll is free for a variant and those of its kernel in other roles. It needs the program's mu.
func (v *Variant) freeAll() {
	v.Free()
	for _, a := range v.others {
		if a != nil {
			a.Free()
		}
	}
}

// NoDerivative turns the error of a kernel that cannot be differentiated into one for users.
func (v *Variant) NoDerivative(err error) error {
	if err == nil {
		return nil
	}
	u, ok := errors.AsType[*job.NoDerivative](err)
	if !ok {
		return err
	}
	e := &RuntimeError{Kernel: v.Kernel.Name, Pos: PlaceOf(u.Place), Err: diag.ErrGradient, Count: 1, Msg: u.Msg}
	if u.Access {
		e.Err = diag.ErrAccess
	}
	return e
}

// Elements is the number of elements of a shape.
func Elements(shape store.Shape) int {
	n := 1
	for _, e := range shape {
		n *= e
	}
	return n
}

// placeRecord adds the field of old values to a derivative.
func (v *Variant) placeRecord(d *derivative) error {
	c, err := v.Kernel.Program.Maker.oldValues()
	if err != nil {
		return err
	}
	d.Record, d.RecordSize, d.Recorded = oldValuesPath, int64(c.Shape()[0]), d.noteRecorded
	v.add(oldValuesPath, c)
	return nil
}
