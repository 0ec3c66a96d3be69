package analysis

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// This file decides which accesses may touch the same memory, before and after access lowering.

// An Object is a piece of memory that overlaps nothing but slices and views: a component of a field, a local array, an array in the
// frame, or the memory of an alias class. The zero object is any memory but local arrays: the elements of slices and views.
type Object struct {
	Field *ir.Field
	comp  int64 // of field; -1 for any
	alloc *ir.Op
	frame int64 // offset in the frame plus one
	class int32 // alias class, after access lowering

	Sparse bool // the elements of all sparse fields, before access lowering
}

// ObjectOf returns the object that a load, store or atomic accesses.
func ObjectOf(o *ir.Op) Object {
	place := o.Args[0]
	for place.Def != nil {
		switch d := place.Def; d.Code {
		case ir.OpCell, ir.OpOffset:
			place = d.Args[0]
			continue
		case ir.OpAlloc:
			return Object{alloc: d}
		case ir.OpFrame:
			if o.Alias == 0 {
				return Object{frame: d.Aux + 1}
			}
		case ir.OpPtr:
			if d.Field.View != nil {
				return Object{} // the caller may pass the same memory twice
			}
			if d.Flags.Has(ir.Dynamic) {
				return Object{Field: d.Field, comp: -1}
			}
			return Object{Field: d.Field, comp: d.Aux}
		}
		break
	}
	return Object{class: o.Alias}
}

// Overlaps reports whether accesses to x and y may touch the same memory.
func (x Object) Overlaps(y Object) bool {
	switch {
	case x.alloc != nil || y.alloc != nil:
		return x.alloc == y.alloc
	case x.frame != 0 && y.frame != 0:
		return x.frame == y.frame
	case x.frame != 0 || y.frame != 0:
		return false // nothing else has an address in the frame
	case x.Sparse || y.Sparse:
		return (x.Sparse || x.Field != nil && x.Field.Sparse) && (y.Sparse || y.Field != nil && y.Field.Sparse)
	case x.Field != nil && y.Field != nil:
		return x.Field == y.Field && (x.comp == y.comp || x.comp < 0 || y.comp < 0)
	case x.class != 0 && y.class != 0:
		return x.class == y.class
	}
	return true
}

// Effects lists the objects that a piece of code may write, each once.
type Effects struct {
	Objects []Object
	visited map[Object]bool
}

// add adds the object that o itself writes.
func (e *Effects) add(o *ir.Op) {
	writes := o.Code.Effects().Writes
	if writes.Has(ir.Place) {
		e.Object(ObjectOf(o))
	}
	if writes.Has(ir.Cells) {
		e.Object(Object{Sparse: true})
	}
}

// Object adds an object.
func (e *Effects) Object(x Object) {
	if e.visited[x] {
		return
	}
	if e.visited == nil {
		e.visited = map[Object]bool{}
	}
	e.visited[x] = true
	e.Objects = append(e.Objects, x)
}

// Block adds the objects that b and its regions write.
func (e *Effects) Block(b *ir.Block) {
	ir.Visit(b, func(o *ir.Op) bool {
		e.add(o)
		return true
	})
}

// MayWrite reports whether the code may write memory that the load o reads.
func (e *Effects) MayWrite(o *ir.Op) bool {
	x := ObjectOf(o)
	return slices.ContainsFunc(e.Objects, x.Overlaps)
}
