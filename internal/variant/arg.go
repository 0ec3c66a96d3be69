package variant

import (
	"reflect"

	"github.com/gotaichi/ti/internal/store"
	"github.com/gotaichi/ti/internal/typed"
)

// A staticArg is what a compile-time parameter, or a part of a bundle, is bound to.
type Arg struct {
	Param int          // its number in the declaration
	Core  *store.Field // a field, or the cells of a node
	typ   reflect.Type // of a constant or of memory,
	bits  string       // and the constant's value as it lies in memory, or the memory's axes
	val   reflect.Value

	// The kernel language's type of a slice or array of the caller, nil for anything
	// else: the parameter is one of run time in this variant.
	Memory typed.Type
}

// Same reports whether two arguments make the same variant: fields are the same
// if their memory is and their types are.
func (a *Arg) Same(b *Arg) bool {
	if a.Core == nil || b.Core == nil {
		return a.Core == b.Core && a.typ == b.typ && a.bits == b.bits
	}
	return sameField(a.Core, b.Core)
}

func sameField(a, b *store.Field) bool {
	return a == b || a.Layout() == b.Layout() && a.Lo() == b.Lo() && a.Hi() == b.Hi() && a.Elem() == b.Elem()
}
