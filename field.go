package ti

import (
	"fmt"
	"io"
	"iter"
	"reflect"
	"slices"
	"unsafe"

	"github.com/gotaichi/ti/internal/session"
	"github.com/gotaichi/ti/internal/store"
)

// A Field holds elements of type T under integer indices. How they lie in memory
// is the business of the [Node] that the field is placed in; neither kernels nor
// the methods below depend on it.
//
// The zero Field is ready to be placed, by [Node.Place] or [Runtime.Place], so a
// struct holds its fields by value. A Field must not be copied after first use, nor
// two of them be exchanged, as in s.A, s.B = s.B, s.A: go vet reports that. Fields that
// trade places, such as the two of a double buffer, are pointers; see [Runtime.Load].
//
// Methods may be called from several goroutines at once. Elements are ordinary memory,
// though: goroutines of which one writes an element that another reads need a lock, as for
// any variable. When the tree or the runtime is closed, before or during a call, methods
// fail with [ErrClosed]; those that return no error panic with one for which errors.Is
// finds ErrClosed.
//
// The element types are in the package documentation. A field of any other type
// is reported, like every layout mistake, by Load.
type Field[T any] struct {
	_    noCopy
	_    *T
	core store.Field
}

// AnyField is a field of any element type: what [Node.Place] accepts. Only fields
// of this package implement it.
type AnyField interface {
	Name() string
	Shape() Shape
	Origin() Shape
	Len() int
	Elem() reflect.Type
	Tree() *Tree
	Node() *Node
	io.WriterTo
	io.ReaderFrom

	field() *store.Field
	companion(store.Role) AnyField
}

// field returns what does not depend on T.
func (f *Field[T]) field() *store.Field {
	if f == nil {
		return store.NilField(reflect.TypeFor[T]())
	}
	f.core.Init(reflect.TypeFor[T]())
	return &f.core
}

// NewField returns a field with a tree of its own: dense, row-major, of the given
// shape, zero. It is short for
//
//	f := new(ti.Field[T])
//	rt.Place(shape, f)
//
// With no extents the field has one element: f.At(), f.Set(v).
func NewField[T any](rt *Runtime, shape ...int) *Field[T] {
	(*session.Runtime)(rt).MustBeMade("NewField")
	f := new(Field[T])
	(*session.Runtime)(rt).Place(shape, f.field())
	return f
}

// At returns an element; one of a sparse field that is inactive is zero. It panics if
// the number of indices is not the field's rank or one is out of range.
//
// At and Set cost a few nanoseconds and no allocation, on a sparse field some tens of
// nanoseconds, and wait there for a launch under way. For many elements use
// [Field.Slice] or [Field.CopyTo].
func (f *Field[T]) At(idx ...int) T {
	c := &f.core
	base := c.Base.Load()
	if base == nil || len(idx) != c.Rank {
		return f.slowAt(indexOf(idx), len(idx))
	}
	off := 0
	for k, i := range idx {
		a := &c.Axes[k&7]
		i -= a.Origin
		if uint(i) >= a.Extent {
			return f.slowAt(indexOf(idx), len(idx))
		}
		off += i * a.Stride
	}
	v := *(*T)(unsafe.Add(unsafe.Pointer(base), off))
	if c.Base.Load() != base { // closed meanwhile; reading c also keeps the addresses valid until here
		return f.slowAt(indexOf(idx), len(idx))
	}
	return v
}

// Set stores an element, and makes it active in a sparse field; it panics if there is
// no memory for that, with an error for which errors.Is finds [ErrMemory]. (The value
// comes first because Go wants the variable number of indices last.)
func (f *Field[T]) Set(v T, idx ...int) {
	c := &f.core
	base := c.Base.Load()
	if base == nil || len(idx) != c.Rank {
		f.slowSet(v, indexOf(idx), len(idx))
		return
	}
	off := 0
	for k, i := range idx {
		a := &c.Axes[k&7]
		i -= a.Origin
		if uint(i) >= a.Extent {
			f.slowSet(v, indexOf(idx), len(idx))
			return
		}
		off += i * a.Stride
	}
	*(*T)(unsafe.Add(unsafe.Pointer(base), off)) = v
	if c.Base.Load() != base { // as in At
		f.slowSet(v, indexOf(idx), len(idx))
	}
}

// indexOf copies indices, as many as any field has.
func indexOf(idx []int) (to Index) {
	copy(to[:], idx)
	return to
}

// slowAt is At for fields that are not in use yet or whose elements do not lie
// at fixed strides, and for mistakes. n is the number of indices.
//
//go:noinline
func (f *Field[T]) slowAt(idx Index, n int) (v T) {
	f.field().Get(unsafe.Pointer(&v), idx, n)
	return v
}

//go:noinline
func (f *Field[T]) slowSet(v T, idx Index, n int) { f.field().Set(unsafe.Pointer(&v), idx, n) }

// All iterates over the active elements (all of them, in a dense field) in the order
// in which they lie in memory. The loop may change elements; whether it then sees
// elements that it activated is unspecified. The iteration ends early if the tree is
// closed meanwhile.
func (f *Field[T]) All() iter.Seq2[Index, T] {
	return func(yield func(Index, T) bool) {
		if base := f.field().Strided(); base != nil {
			f.allStrided(base, yield)
			return
		}
		var v T
		for idx := range f.field().Each(unsafe.Pointer(&v)) {
			if !yield(idx, v) {
				return
			}
		}
	}
}

// indexLead is by how many elements allStrided writes an index before it is needed.
const indexLead = 4

// allStrided is All for elements at fixed strides from base: the axis with the smallest stride is the innermost.
func (f *Field[T]) allStrided(base *byte, yield func(Index, T) bool) {
	c := &f.core
	var idx Index
	order := make([]int, c.Rank)
	for k := range order {
		order[k], idx[k] = k, c.Axes[k].Origin
		if c.Axes[k].Extent == 0 {
			return
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return c.Axes[b].Stride - c.Axes[a].Stride })
	inner, n, stride := 0, 1, 0
	if c.Rank > 0 {
		inner = order[c.Rank-1]
		n, stride = int(c.Axes[inner].Extent), c.Axes[inner].Stride
		order = order[:c.Rank-1]
	}
	first := idx[inner]
	var ring [2 * indexLead]Index
	for off := 0; ; {
		// An index is written some elements before it is copied: the processor waits where it reads together what it
		// has just written in parts.
		for i := range min(n, len(ring)) {
			ring[i] = idx
			ring[i][inner] = first + i
		}
		for i := range n {
			v := *(*T)(unsafe.Add(unsafe.Pointer(base), off+i*stride))
			ring[(i+indexLead)&(len(ring)-1)][inner] = first + i + indexLead
			if c.Base.Load() != base || !yield(ring[i&(len(ring)-1)], v) { // closed meanwhile, as in At
				return
			}
		}
		k := len(order) - 1
		for ; k >= 0; k-- { // the next row
			axis := order[k]
			a := &c.Axes[axis]
			idx[axis]++
			off += a.Stride
			if idx[axis] < a.Origin+int(a.Extent) {
				break
			}
			idx[axis] = a.Origin
			off -= int(a.Extent) * a.Stride
		}
		if k < 0 {
			return
		}
	}
}

// Fill sets all active elements to v, without activating any.
func (f *Field[T]) Fill(v T) {
	f.field().Fill(unsafe.Pointer(&v))
}

// CopyFrom sets the elements from src, in row-major order whatever the layout. In a
// sparse field the elements that src has as zero and that are inactive stay so. It
// fails with [ErrArgs] if len(src) is not the number of elements, with [ErrMemory] if
// there is none for those that become active.
func (f *Field[T]) CopyFrom(src []T) error {
	return f.field().CopyFrom(unsafe.Pointer(unsafe.SliceData(src)), len(src))
}

// CopyTo stores the elements in dst in row-major order, inactive ones as zero. It
// fails with [ErrArgs] if len(dst) is not the number of elements.
func (f *Field[T]) CopyTo(dst []T) error {
	return f.field().CopyTo(unsafe.Pointer(unsafe.SliceData(dst)), len(dst))
}

// Values returns a copy of the elements in row-major order, inactive ones as zero: [Field.CopyTo] into a slice of its own.
// It panics with an error where CopyTo fails, and with one for which errors.Is finds [ErrMemory] if the domain is larger
// than any slice. What CopyFrom takes back is such a slice. The derivatives of a loss are x.Grad().Values().
func (f *Field[T]) Values() []T {
	dst := make([]T, f.field().MustCount())
	if err := f.CopyTo(dst); err != nil {
		panic(err)
	}
	return dst
}

// Slice returns the field's memory itself: elements in row-major order, shared
// with kernels, valid until the tree is closed. It fails with [ErrLayout] unless
// the elements are contiguous: in row-major order, with no other field between
// them, and in no sparse tree.
//
// The slice itself keeps nothing alive. After the tree has been closed, as long as it or one
// of its fields is reachable, elements read as zero or as old values, and what is stored
// in them is lost. Once none is reachable, the addresses are given back, and an access
// crashes the program.
func (f *Field[T]) Slice() ([]T, error) {
	at, n, err := f.field().Slice()
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*T)(at), n), nil
}

// WriteTo writes all elements in row-major order, little-endian, without padding
// between them or in structs: the body of a .npy or raw file.
func (f *Field[T]) WriteTo(w io.Writer) (int64, error) { return f.field().WriteTo(w) }

// ReadFrom sets all elements from what WriteTo wrote. A short stream gives
// io.ErrUnexpectedEOF; what follows the last element is left unread.
func (f *Field[T]) ReadFrom(r io.Reader) (int64, error) { return f.field().ReadFrom(r) }

// Name returns the name that the field has in the first source it was bound to,
// or the position in the host program where it was placed.
func (f *Field[T]) Name() string { return f.field().Name() }

// Shape returns the extent along each axis; nil if the field is not placed.
func (f *Field[T]) Shape() Shape { return f.field().Shape() }

// Origin returns the lowest index along each axis, all 0 as a rule; see
// [Tree.Origin].
func (f *Field[T]) Origin() Shape { return f.field().Origin() }

// Len returns the number of elements, active or not: the product of the extents. It is 1 for a field without axes, 0 for one that
// is not placed, and [math.MaxInt] where the product is larger.
func (f *Field[T]) Len() int { return f.field().Len() }

// Elem returns the element type.
func (f *Field[T]) Elem() reflect.Type { return reflect.TypeFor[T]() }

// Tree returns the tree that the field is placed in, nil if in none. Closing it
// destroys the field, and the others in it.
func (f *Field[T]) Tree() *Tree { return treeOf(f.field().Tree()) }

// Node returns the node that the field is placed in, nil if in none.
func (f *Field[T]) Node() *Node { return (*Node)(f.field().Node()) }

// String says what the field is; it does not print the elements.
func (f *Field[T]) String() string {
	return fmt.Sprintf("Field[%v] %s %v", f.Elem(), f.Name(), f.Shape())
}

// cores are what fields are below; a nil field is nil.
func cores(fields []AnyField) []*store.Field {
	out := make([]*store.Field, len(fields))
	for i, f := range fields {
		if !isNil(f) {
			out[i] = f.field()
		}
	}
	return out
}

// isNil reports whether f is no field.
func isNil(f AnyField) bool { return f == nil || reflect.ValueOf(f).IsNil() }
