package pass

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// This file says which accesses may touch the same memory, before access
// lowering and after it.

// An object is a piece of memory that others than slices and views do not overlap: a
// component of a field, a local array, an array in the frame, what an alias class
// stands for. The zero object is memory that may be any but a local array: the
// elements of slices and views.
type object struct {
	field *ir.Field
	comp  int64 // of field; -1 for any
	alloc *ir.Op
	frame int64 // offset in the frame plus one
	class int32 // alias class, after access lowering

	sparse bool // the elements of all sparse fields, before access lowering
}

// objectOf returns what a load, store or atomic accesses.
func objectOf(o *ir.Op) object {
	place := o.Args[0]
	for place.Def != nil {
		switch d := place.Def; d.Code {
		case ir.OpCell, ir.OpOffset:
			place = d.Args[0]
			continue
		case ir.OpAlloc:
			return object{alloc: d}
		case ir.OpFrame:
			if o.Alias == 0 {
				return object{frame: d.Aux + 1}
			}
		case ir.OpPtr:
			if d.Field.View != nil {
				return object{} // the caller may pass the same memory twice
			}
			if d.Flags.Has(ir.Dynamic) {
				return object{field: d.Field, comp: -1}
			}
			return object{field: d.Field, comp: d.Aux}
		}
		break
	}
	return object{class: o.Alias}
}

// overlaps reports whether accesses to x and y may touch the same memory.
func (x object) overlaps(y object) bool {
	switch {
	case x.alloc != nil || y.alloc != nil:
		return x.alloc == y.alloc
	case x.frame != 0 && y.frame != 0:
		return x.frame == y.frame
	case x.frame != 0 || y.frame != 0:
		return false // nobody else is given the frame
	case x.sparse || y.sparse:
		return (x.sparse || x.field != nil && x.field.Sparse) && (y.sparse || y.field != nil && y.field.Sparse)
	case x.field != nil && y.field != nil:
		return x.field == y.field && (x.comp == y.comp || x.comp < 0 || y.comp < 0)
	case x.class != 0 && y.class != 0:
		return x.class == y.class
	}
	return true
}

// effects is what a piece of code may write, each object once.
type effects struct {
	objects []object
	visited map[object]bool
}

// add adds what o itself writes.
func (e *effects) add(o *ir.Op) {
	writes := o.Code.Effects().Writes
	if writes.Has(ir.Place) {
		e.object(objectOf(o))
	}
	if writes.Has(ir.Cells) {
		e.object(object{sparse: true})
	}
}

// object adds an object.
func (e *effects) object(x object) {
	if e.visited[x] {
		return
	}
	if e.visited == nil {
		e.visited = map[object]bool{}
	}
	e.visited[x] = true
	e.objects = append(e.objects, x)
}

// block adds what b and its regions write.
func (e *effects) block(b *ir.Block) {
	ir.Visit(b, func(o *ir.Op) bool {
		e.add(o)
		return true
	})
}

// mayWrite reports whether the load o may read what the code writes.
func (e *effects) mayWrite(o *ir.Op) bool {
	x := objectOf(o)
	return slices.ContainsFunc(e.objects, x.overlaps)
}
