package typed

import (
	"reflect"
	"slices"
)

// Same reports whether two expressions are written the same, and so give the same value if nothing changes memory or variables between them.
// It is false of calls, atomics and random numbers, and of forms that no index has.
func Same(a, b Expr) bool {
	if a.Type() != b.Type() {
		return false
	}
	switch a := a.(type) {
	case *Const:
		b, ok := b.(*Const)
		return ok && slices.EqualFunc(a.Vals, b.Vals, func(x, y Num) bool { return x.Exact() == y.Exact() })
	case *VarRef:
		b, ok := b.(*VarRef)
		return ok && a.Var == b.Var
	case *Element:
		b, ok := b.(*Element)
		return ok && a.Field == b.Field && SameAll(a.Index, b.Index) && SameAll(a.Section.Operands(), b.Section.Operands())
	case *SliceElement:
		b, ok := b.(*SliceElement)
		return ok && a.Slice == b.Slice && Same(a.Index, b.Index)
	case *Extent:
		b, ok := b.(*Extent)
		return ok && a.Field == b.Field && a.Axis == b.Axis
	case *Extract:
		b, ok := b.(*Extract)
		return ok && slices.Equal(a.Comps, b.Comps) && Same(a.X, b.X)
	case *Unary:
		b, ok := b.(*Unary)
		return ok && a.Op == b.Op && Same(a.X, b.X)
	case *Binary:
		b, ok := b.(*Binary)
		return ok && a.Op == b.Op && Same(a.X, b.X) && Same(a.Y, b.Y)
	case *Builtin:
		b, ok := b.(*Builtin)
		return ok && a.Fn == b.Fn && a.Fn != Random && a.Fn != Randn && SameAll(a.Args, b.Args)
	case *Index, *Compose, *Splat, *Convert: // of which the type and the operands say everything
		return reflect.TypeOf(a) == reflect.TypeOf(b) && SameAll(Operands(a), Operands(b))
	}
	return false
}

// SameAll is Same for lists.
func SameAll(a, b []Expr) bool { return slices.EqualFunc(a, b, Same) }
