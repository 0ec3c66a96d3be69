package session

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/gotaichi/ti/internal/driver"
	"github.com/gotaichi/ti/internal/half"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/syntax"
)

// A companion is a field of the same type that belongs to another one: its adjoint.
type companion struct {
	core   *Field
	public any // the field of package ti that has it
}

// Adjoint returns the adjoint of c, made by the first call with make, which also returns what package ti has
// for it.
func (c *Field) Adjoint(make func() (core *Field, public any)) any {
	if a := c.adjoint.Load(); a != nil {
		return a.public
	}
	core, public := make()
	core.of = c
	c.adjoint.CompareAndSwap(nil, &companion{core, public})
	return c.adjoint.Load().public
}

// placedAdjoint is the adjoint of c, nil if it is not placed. The adjoint of a member is not known here.
func (c *Field) placedAdjoint() *Field {
	if a := c.adjoint.Load(); a != nil && a.core.Node() != nil {
		return a.core
	}
	return nil
}

// readyAdjoint is placedAdjoint, made ready. Its elements are those of c.
func (c *Field) readyAdjoint() (*Field, error) {
	g := c.placedAdjoint()
	if g == nil {
		return nil, nil
	}
	wrong := func(format string, args ...any) error {
		return &SourceError{Code: syntax.HostType, Pos: g.pos, Cause: ErrLayout, Msg: fmt.Sprintf(format, args...),
			Help: "place it with the axes and extents of the field, as ti.WithGrad does"}
	}
	if c.lay != nil && slices.ContainsFunc(c.lay.Elem.Comps[c.lo:c.hi], isNoReal) {
		return nil, wrong("%s has an adjoint, and its elements, %v, are not made of real numbers", c.Name(), c.typ)
	}
	if n := g.Node(); n.tree.rt != c.Node().tree.rt {
		return nil, wrong("the adjoint of %s is placed in another runtime", c.Name())
	}
	if err := g.ready(); err != nil {
		return nil, err
	}
	if !slices.Equal(g.Shape(), c.Shape()) || !slices.Equal(g.Origin(), c.Origin()) {
		return nil, wrong("%s has the shape %v from %v on, and its adjoint %v from %v on", c.Name(), c.Shape(), c.Origin(), g.Shape(), g.Origin())
	}
	g.Tree().rt.noteAdjoint(g)
	return g, nil
}

// isNoReal reports whether a component is no real number.
func isNoReal(c layout.Component) bool {
	switch c.Kind {
	case layout.F16, layout.F32, layout.F64:
		return false
	}
	return true
}

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

// adjointInstance returns the adjoint of the kernel as inst has it, nil if no field of it has an adjoint. With clear
// it clears adjoints of what was stored.
func (inst *instance) adjointInstance(clear bool) (*instance, error) {
	p := inst.k.p
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.alive(inst.k); err != nil {
		return nil, err
	}
	n := 0
	if clear {
		n = 1
	}
	if a := inst.back[n]; a != nil {
		return a, nil
	}
	f := inst.plain.Kernel(inst.k.name)
	a := &instance{k: inst.k, checked: inst.plain, consts: inst.consts, fields: inst.fields, layout: inst.layout, trees: slices.Clone(inst.trees)}
	a.adjoint = &driver.Adjoint{Of: map[string]string{}, Clear: clear}
	for _, field := range f.Fields {
		c := inst.coreOf(field.Name + ".grad")
		if c == nil {
			continue
		}
		if c.layoutNode().Sparse() {
			return nil, Errorf(ErrLayout, "%s is placed in a sparse tree, which is not differentiated yet; place it in a dense one", c.Name())
		}
		a.adjoint.Of[field.Name] = field.Name + ".grad"
		a.trees = append(a.trees, c.uses...)
	}
	if len(a.adjoint.Of) == 0 {
		return nil, nil
	}
	inst.back[n] = a
	return a, nil
}

// freeAll is free for an instance and its adjoints. It needs the program's mu.
func (inst *instance) freeAll() {
	inst.free()
	for _, a := range inst.back {
		if a != nil {
			a.free()
		}
	}
}

// noDerivative turns the error of a kernel that cannot be differentiated into one for users.
func (inst *instance) noDerivative(err error) error {
	u, ok := errors.AsType[*driver.NoDerivative](err)
	if !ok {
		return err
	}
	e := &RuntimeError{Kernel: inst.k.name, Pos: placeOf(u.Place), Err: ErrGradient, Count: 1, Msg: u.Msg}
	if u.Access {
		e.Err = ErrAccess
	}
	return e
}
