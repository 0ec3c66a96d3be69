package store

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/layout"
)

// A Role is what a field of derivatives is to the field that it belongs to.
type Role int

// The roles.
const (
	Grad Role = iota // adjoints
	Dual             // tangents
)

// Suffix is what stands behind the name of the field.
func (r Role) Suffix() string { return [...]string{".grad", ".dual"}[r] }

// String is what people call a field with that role.
func (r Role) String() string { return [...]string{"adjoint", "tangent"}[r] }

// A companion is a field of the same type that belongs to another one.
type companion struct {
	core   *Field
	public any // the field of package ti that has it
}

// Companion returns the adjoint or the tangent of c, made by the first call with make, which also returns what package
// ti has for it.
func (c *Field) Companion(r Role, make func() (core *Field, public any)) any {
	if a := c.companions[r].Load(); a != nil {
		return a.public
	}
	core, public := make()
	core.of, core.role = c, r
	c.companions[r].CompareAndSwap(nil, &companion{core, public})
	return c.companions[r].Load().public
}

// CompanionOf returns the field that c belongs to, nil if to none, and what c is to it.
func (c *Field) CompanionOf() (*Field, Role) { return c.of, c.role }

// Placed is a companion of c, nil if it is not placed.
func (c *Field) Placed(r Role) *Field {
	if a := c.companions[r].Load(); a != nil && a.core.Node() != nil {
		return a.core
	}
	return nil
}

// ReadyCompanion is Placed, made ready. Its elements are those of c.
func (c *Field) ReadyCompanion(r Role) (*Field, error) {
	g := c.Placed(r)
	if g == nil {
		return nil, nil
	}
	wrong := func(format string, args ...any) error {
		return &diag.Error{Code: diag.HostType, Pos: g.pos, Cause: diag.ErrLayout, Msg: fmt.Sprintf(format, args...),
			Help: "place it with the axes and extents of the field, as ti.WithGrad and ti.WithDual do"}
	}
	if c.lay != nil && !c.IsReal() {
		return nil, wrong("%s has an %v, and its elements, %v, are not made of real numbers", c.Name(), r, c.typ)
	}
	if n := g.Node(); n.tree.st != c.Node().tree.st {
		return nil, wrong("the %v of %s is placed in another runtime", r, c.Name())
	}
	if err := g.Ready(); err != nil {
		return nil, err
	}
	if !slices.Equal(g.Shape(), c.Shape()) || !slices.Equal(g.Origin(), c.Origin()) {
		return nil, wrong("%s has the shape %v from %v on, and its %v %v from %v on", c.Name(), c.Shape(), c.Origin(), r, g.Shape(), g.Origin())
	}
	if r == Grad {
		g.Tree().st.noteAdjoint(g)
	}
	return g, nil
}

// Adjoint returns the adjoint of c, an error if it is not placed.
func (c *Field) Adjoint() (*Field, error) {
	if err := c.Ready(); err != nil {
		return nil, err
	}
	g, err := c.ReadyCompanion(Grad)
	if err == nil && g == nil {
		err = diag.Errorf(diag.ErrPlace, "the adjoint of %s; place %s.Grad() too, as by ti.WithGrad", c.Name(), c.Name())
	}
	return g, err
}

// IsReal reports whether all components are real numbers.
func (c *Field) IsReal() bool {
	return !slices.ContainsFunc(c.lay.Elem.Comps[c.lo:c.hi], func(p layout.Component) bool { return !isReal(p.Kind) })
}

// noteAdjoint adds an adjoint to those in use.
func (st *Store) noteAdjoint(g *Field) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if !slices.Contains(st.adjoints, g) {
		st.adjoints = append(st.adjoints, g)
	}
}

// Adjoints are those in use, of which no tree has been closed.
func (st *Store) Adjoints() []*Field {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.adjoints = slices.DeleteFunc(st.adjoints, func(g *Field) bool { return g.Over() })
	return slices.Clone(st.adjoints)
}

// Keys returns a dense field with an int64 for each component of c, of all elements, active or not. It is closed with
// a tree of c. The caller knows that c has bounds.
func (c *Field) Keys() (*Field, error) {
	st := c.Node().tree.st
	st.mu.Lock()
	k := c.keys
	st.mu.Unlock()
	if k == nil {
		made := c.newKeys()
		st.mu.Lock()
		if c.keys == nil { // else the tree of made is one more that has no memory
			c.keys = made
		}
		k = c.keys
		st.mu.Unlock()
	}
	return k, k.Ready()
}

func (c *Field) newKeys() *Field {
	k := &Field{}
	k.Init(reflect.ArrayOf(c.Comps(), reflect.TypeFor[int64]()))
	k.Call(c.Name() + ".key")
	t := c.Node().tree.st.NewTree()
	n, shape := &t.Node, c.Shape()
	axes := allAxes[:len(shape)]
	if len(shape) > 0 {
		if slices.ContainsFunc(c.Origin(), func(o int) bool { return o != 0 }) {
			t.Origin(axes, c.Origin()...)
		}
		n = n.Dense(axes, shape...)
	}
	n.Place(k)
	return k
}
