package driver

import (
	"fmt"
	"io"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
)

// An Area is memory that a kernel's base table has an entry for: a tree as a whole.
// Code knows areas by number, so that kernels on other trees of the same form can
// share it.
type Area struct {
	Tree   int // as given to layout.NewTree
	Offset int64
	Bytes  int64
}

// An arrangement is where the fields of one kernel lie, with areas in the place of
// trees: they are numbered in the order of the kernel's fields, whatever the host
// calls its trees. It is the passes' layout.
type arrangement struct {
	lay    Layout
	areas  []Area
	access map[component]*layout.Access
}

// A component is one of a kernel's field.
type component struct {
	field *ir.Field
	comp  int
}

// arrange finds the areas of k.
func arrange(k *ir.Kernel, lay Layout) *arrangement {
	a := &arrangement{lay: lay, access: map[component]*layout.Access{}}
	for _, f := range k.Fields {
		if lay[f.Name].Field == nil {
			continue // only in tests of broken kernels
		}
		for c := range f.Comps {
			at := *lay.Access(f, c)
			at.Tree = a.area(lay.tree(f, c))
			a.access[component{f, c}] = &at
		}
	}
	return a
}

// area returns the number of a tree's area.
func (a *arrangement) area(t *layout.Tree) int {
	for i, r := range a.areas {
		if r.Tree == t.ID() {
			return i
		}
	}
	a.areas = append(a.areas, Area{Tree: t.ID(), Bytes: t.Bytes()})
	return len(a.areas) - 1
}

// Access returns the address formula of a component; its tree is an area.
func (a *arrangement) Access(f *ir.Field, comp int) *layout.Access {
	return a.access[component{f, comp}]
}

// Nest returns the loops that visit the elements in memory order.
func (a *arrangement) Nest(f *ir.Field) []layout.NestDim { return a.lay.Nest(f) }

// Uniform reports whether an area is an array of scalars of one kind.
func (a *arrangement) Uniform(area int) (kind ir.Kind, bytes int64, ok bool) {
	if area < 0 || area >= len(a.areas) {
		return ir.Invalid, 0, false
	}
	return a.lay.Uniform(a.areas[area].Tree)
}

// describe writes all that code can depend on.
func (a *arrangement) describe(w io.Writer, k *ir.Kernel) {
	for _, f := range k.Fields {
		for c := range f.Comps {
			fmt.Fprintf(w, "%s.%d %+v\n", f.Name, c, a.access[component{f, c}])
		}
		fmt.Fprintf(w, "nest %+v\n", a.Nest(f))
	}
	for i := range a.areas {
		kind, bytes, ok := a.Uniform(i)
		fmt.Fprintln(w, "area", kind, bytes, ok)
	}
}
