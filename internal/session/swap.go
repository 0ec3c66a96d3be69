package session

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/outline"
	"github.com/gotaichi/ti/internal/store"
	"github.com/gotaichi/ti/internal/typed"
)

// A host may hold its fields, nodes and bundles by pointers, and change these pointers
// after Load, for example to swap the two fields of a double buffer. A launch compares
// the pointers that the kernel depends on with those that its instance was made for, as
// it compares the values of constants. If they differ, it takes another instance, which
// shares the machine code of the first if the fields have the same layout in trees of
// their own.

// A ref is a pointer in the host on the way to the field, node or constant that a var is
// bound to.
type ref struct {
	at  *unsafe.Pointer
	was unsafe.Pointer // when the var was bound
}

// same reports whether the pointer is what it was.
func (r *ref) same() bool { return *r.at == r.was }

// moved reports whether one of the pointers has changed.
func moved(refs []ref) bool {
	return slices.ContainsFunc(refs, func(r ref) bool { return !r.same() })
}

// maxVia is how many pointers may lead to a field. A longer chain is taken for a circle.
const maxVia = 64

// follow adds a pointer of the host to b.via and returns a copy of it: if the host changes
// the pointer meanwhile, what is bound still is what b.via has. Other values are
// returned as they are.
func (b *binder) follow(v reflect.Value) reflect.Value {
	if k := v.Kind(); !v.CanAddr() || k != reflect.Pointer && k != reflect.Interface {
		return v
	}
	word := func(v reflect.Value) *unsafe.Pointer {
		p := v.Addr().UnsafePointer()
		if v.Kind() == reflect.Interface { // its second word
			p = unsafe.Add(p, unsafe.Sizeof(p))
		}
		return (*unsafe.Pointer)(p)
	}
	now := reflect.New(v.Type()).Elem()
	now.Set(v)
	b.via = append(b.via, ref{word(v), *word(now)})
	return now
}

// moved reports whether a pointer to something that the var is bound to has changed.
func (p *Program) moved(name string) bool {
	for _, f := range p.fields {
		if rootOf(f.path) == name && moved(f.via) {
			return true
		}
	}
	for _, c := range p.consts {
		if rootOf(c.name) == name && moved(c.via) {
			return true
		}
	}
	return false
}

// rootOf returns the name of the var that a path begins with.
func rootOf(path string) string {
	if n := strings.IndexAny(path, ".["); n >= 0 {
		return path[:n]
	}
	return path
}

// rebind binds those vars again whose pointers in the host have changed. It needs p.mu.
func (p *Program) rebind() error {
	b := newBinder(p.rt, p.pkg, p.pos)
	for _, v := range p.pkg.Vars {
		if !p.moved(v.Name) {
			continue
		}
		if b.entries == nil {
			b.collect(p.bound)
		}
		if e, ok := b.find(v.Name); ok && e.bad == "" {
			b.bindVar(v, e)
		}
	}
	switch {
	case len(b.errs) > 0:
		return b.errs.Sort()
	case len(b.fields) == 0 && len(b.consts) == 0:
		return nil
	}
	return p.replace(b)
}

// replace takes over what b has bound again. Each field must have the layout, and each
// constant the type, of the one in whose place it is.
func (p *Program) replace(b *binder) error {
	fields, consts, lay := slices.Clone(p.fields), slices.Clone(p.consts), job.Layout{}
	for path, at := range p.layout {
		lay[path] = at
	}
	for _, f := range b.fields {
		i := slices.IndexFunc(fields, func(o boundField) bool { return o.path == f.path })
		if i < 0 {
			return diag.Errorf(diag.ErrArgs, "the host has a field for %s now, and had none when the source was loaded; load it again", f.path)
		}
		if why := differ(fields[i].core, f.core, p.host.Fields[f.path], b.host.Fields[f.path]); why != "" {
			return diag.Errorf(diag.ErrArgs, "%s now stands for %s, which %s that for which the source was loaded; place them alike, load the source again, or make it a parameter of the kernel", f.path, f.core.Name(), why)
		}
		fields[i], lay[f.path] = f, b.layout[f.path]
	}
	values := slices.Clone(p.values)
	for _, c := range b.consts {
		i := slices.IndexFunc(consts, func(o *hostConst) bool { return o.name == c.name })
		if i < 0 || consts[i].value.Type() != c.value.Type() {
			return diag.Errorf(diag.ErrArgs, "the host has a %v for %s now, and had another value when the source was loaded; load it again", c.value.Type(), c.name)
		}
		consts[i] = c
		for k := range values {
			if values[k].of.name == c.name {
				values[k].of = c
			}
		}
	}
	p.fields, p.consts, p.layout, p.values = fields, consts, lay, values
	return nil
}

// differ says how a field differs from the one that was in its place, "" if the same code
// works on both: they have the same elements, extents and lowest indices, under nodes of
// the same kinds and sizes, and their components have the same strides. They may lie in
// different trees, and at different offsets there.
func differ(was, now *store.Field, wasHost, nowHost outline.HostField) string {
	switch {
	case !reflect.DeepEqual(wasHost.Elem, nowHost.Elem):
		return fmt.Sprintf("has elements of %v, unlike", now.Elem())
	case !slices.Equal(wasHost.Shape, nowHost.Shape):
		return fmt.Sprintf("has the shape %v, unlike", nowHost.Shape)
	case !slices.Equal(wasHost.Origin, nowHost.Origin):
		return fmt.Sprintf("has the lowest index %v, unlike", nowHost.Origin)
	case !reflect.DeepEqual(wasHost, nowHost) || !alike(was, now):
		return "lies in another way in memory than"
	}
	return ""
}

// alike reports whether the components of two fields, or the cells of two nodes, have the
// same strides under nodes of the same kinds and sizes.
func alike(a, b *store.Field) bool {
	if a.Elem() == nil {
		return alikeNodes(a.LayoutNode(), b.LayoutNode())
	}
	if !alikeNodes(a.LayoutNode(), b.LayoutNode()) {
		return false
	}
	for k := range a.Comps() {
		x, y := a.Access(k), b.Access(k)
		if x.Kind != y.Kind || !layout.SamePacking(x.Packed, y.Packed) || !slices.Equal(x.Terms, y.Terms) || !alikeNodes(a.Layout().NodeOf(a.Lo()+k), b.Layout().NodeOf(b.Lo()+k)) {
			return false
		}
	}
	return true
}

// alikeNodes reports whether two nodes, and the nodes above them, have the same kinds, axes
// and sizes.
func alikeNodes(a, b *layout.Node) bool {
	for ; a != nil && b != nil; a, b = a.Parent(), b.Parent() {
		if a.Kind() != b.Kind() || !slices.Equal(a.Axes(), b.Axes()) || !slices.Equal(a.Sizes(), b.Sizes()) || a.IsMorton() != b.IsMorton() {
			return false
		}
	}
	return a == b
}

// refsOf returns the pointers of the host that a kernel depends on.
func (p *Program) refsOf(f *outline.Kernel) (refs []ref) {
	for _, b := range p.fields {
		if len(b.via) > 0 && slices.ContainsFunc(f.Fields, func(g *typed.Field) bool { return g.Name == b.path }) {
			refs = append(refs, b.via...)
		}
	}
	for _, c := range p.consts {
		if slices.Contains(f.Consts, c.name) {
			refs = append(refs, c.via...)
		}
	}
	return refs
}

// another returns the instance for what the host holds now, where inst, which may be nil,
// is for something else. It first tries the instance that replaced inst the last time:
// fields that are swapped at each launch alternate between two.
func (k *Kernel) another(inst *instance) (*instance, error) {
	if inst != nil {
		if next := inst.next.Load(); next != nil && next.current() {
			k.latest.Store(next)
			return next, nil
		}
	}
	found, err := k.instance()
	if err == nil && inst != nil {
		inst.next.Store(found)
	}
	return found, err
}
