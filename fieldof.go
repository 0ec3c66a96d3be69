package ti

import (
	"io"
	"iter"
	"reflect"
)

// NewFieldOf is [NewField] for an element type that is known at run time only,
// as in a tool that binds a source which it has not seen before. The field is
// read and written as a stream of bytes, by WriteTo and ReadFrom; [AllOf] has its
// elements one by one. An element type that no field can have is reported by Load.
func NewFieldOf(rt *Runtime, elem reflect.Type, shape ...int) AnyField {
	rt.mustBeMade("NewFieldOf")
	f := FieldOf("", elem)
	rt.placeAlone(shape, f, caller(1))
	return f
}

// FieldOf is a field that is not placed, as the zero [Field] is, for an element type
// that is known at run time only: place it in a node. It is used as one that
// [NewFieldOf] makes. Messages call it by its name; if that is "", it gets one as other
// fields do.
func FieldOf(name string, elem reflect.Type) AnyField {
	f := new(fieldOf)
	f.core.init(elem)
	if name != "" {
		f.core.call(name)
	}
	return f
}

// AllOf is [Field.All] for a field whose element type is known at run time only.
func AllOf(f AnyField) iter.Seq2[Index, any] {
	return func(yield func(Index, any) bool) {
		if isNil(f) {
			panic(errorOf(ErrPlace, "AllOf of a nil field"))
		}
		c := f.field()
		c.mustReady()
		for idx := range c.active() {
			v := reflect.New(c.typ)
			if !c.fetch(v.UnsafePointer(), idx[:c.rank]) || !yield(idx, v.Elem().Interface()) {
				return
			}
		}
	}
}

// fieldOf is a field without a static element type.
type fieldOf struct {
	_    noCopy
	core fieldCore
}

func (f *fieldOf) field() *fieldCore                   { return &f.core }
func (f *fieldOf) Name() string                        { return f.core.title() }
func (f *fieldOf) Shape() Shape                        { return f.core.shape() }
func (f *fieldOf) Origin() Shape                       { return f.core.lowest() }
func (f *fieldOf) Elem() reflect.Type                  { return f.core.typ }
func (f *fieldOf) Tree() *Tree                         { return f.core.tree() }
func (f *fieldOf) Node() *Node                         { return f.core.home() }
func (f *fieldOf) WriteTo(w io.Writer) (int64, error)  { return f.core.writeTo(w) }
func (f *fieldOf) ReadFrom(r io.Reader) (int64, error) { return f.core.readFrom(r) }

// shape is Field.Shape.
func (c *fieldCore) shape() Shape {
	if n := c.home(); c.lay == nil || n == nil || n.lay == nil {
		return nil
	}
	_, shape := c.domain(c.lay.LowestNow())
	return shape
}

// lowest is Field.Origin.
func (c *fieldCore) lowest() Shape {
	if c.shape() == nil {
		return nil
	}
	lowest, _ := c.domain(c.lay.LowestNow())
	return lowest
}

// tree is Field.Tree.
func (c *fieldCore) tree() *Tree {
	if n := c.home(); n != nil {
		return n.tree
	}
	return nil
}
