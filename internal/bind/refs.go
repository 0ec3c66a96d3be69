package bind

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/outline"
	"github.com/gotaichi/ti/internal/store"
)

// A host may hold its fields, nodes and bundles by pointers, and change these pointers
// after Load, for example to swap the two fields of a double buffer. A launch compares
// the pointers that the kernel depends on with those that its code was bound for, as
// it compares the values of constants. If they differ, it takes other code, or the same
// if the fields have the same layout in trees of their own.

// A Ref is a pointer in the host on the way to the field, node or constant that a var is
// bound to.
type Ref struct {
	at  *unsafe.Pointer
	was unsafe.Pointer // when the var was bound
}

// Same reports whether the pointer is what it was.
func (r *Ref) Same() bool { return *r.at == r.was }

// moved reports whether one of the pointers has changed.
func moved(refs []Ref) bool {
	return slices.ContainsFunc(refs, func(r Ref) bool { return !r.Same() })
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
