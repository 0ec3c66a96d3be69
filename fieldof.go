package ti

import (
	"io"
	"iter"
	"reflect"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/session"
	"github.com/gotaichi/ti/internal/store"
)

// NewFieldOf is [NewField] for an element type that is known at run time only,
// as in a tool that binds a source which it has not seen before. The field is
// read and written as a stream of bytes, by WriteTo and ReadFrom; [AllOf] has its
// elements one by one. An element type that no field can have is reported by Load.
func NewFieldOf(rt *Runtime, elem reflect.Type, shape ...int) AnyField {
	(*session.Runtime)(rt).MustBeMade("NewFieldOf")
	f := FieldOf("", elem)
	(*session.Runtime)(rt).Place(shape, f.field())
	return f
}

// FieldOf is a field that is not placed, as the zero [Field] is, for an element type
// that is known at run time only: place it in a node. It is used as one that
// [NewFieldOf] makes. Messages call it by its name; if that is "", it gets one as other
// fields do.
func FieldOf(name string, elem reflect.Type) AnyField {
	f := new(fieldOf)
	f.core.Init(elem)
	if name != "" {
		f.core.Call(name)
	}
	return f
}

// AllOf is [Field.All] for a field whose element type is known at run time only.
func AllOf(f AnyField) iter.Seq2[Index, any] {
	return func(yield func(Index, any) bool) {
		if isNil(f) {
			panic(diag.Errorf(ErrPlace, "AllOf of a nil field"))
		}
		c := f.field()
		v := reflect.New(f.Elem())
		for idx := range c.Each(v.UnsafePointer()) {
			if !yield(idx, v.Elem().Interface()) {
				return
			}
		}
	}
}

// fieldOf is a field without a static element type.
type fieldOf struct {
	_    noCopy
	core store.Field
}

func (f *fieldOf) field() *store.Field { return &f.core }
func (f *fieldOf) companion(r store.Role) AnyField {
	return f.core.Companion(r, func() (*store.Field, any) {
		g := newField(f.core.Elem())
		return g.field(), g
	}).(AnyField)
}
func (f *fieldOf) Name() string                        { return f.core.Name() }
func (f *fieldOf) Shape() Shape                        { return f.core.Shape() }
func (f *fieldOf) Origin() Shape                       { return f.core.Origin() }
func (f *fieldOf) Len() int                            { return f.core.Len() }
func (f *fieldOf) Elem() reflect.Type                  { return f.core.Elem() }
func (f *fieldOf) Tree() *Tree                         { return treeOf(f.core.Tree()) }
func (f *fieldOf) Node() *Node                         { return (*Node)(f.core.Node()) }
func (f *fieldOf) WriteTo(w io.Writer) (int64, error)  { return f.core.WriteTo(w) }
func (f *fieldOf) ReadFrom(r io.Reader) (int64, error) { return f.core.ReadFrom(r) }
