package passtest

import (
	"errors"
	"reflect"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/pass/unit"
	"github.com/gotaichi/ti/internal/quant"
	"github.com/gotaichi/ti/internal/target"
)

// Layout places the fields of the tests. Each is in a tree of its own, as an array of structures in row-major order. If its name starts
// with Block, its addresses have terms for blocks of four along each axis, but its elements are in row-major order; with Tile, it is
// in contiguous blocks of four along each axis. If its name ends in SoA, each component is in a tree of its own. Sparse and packed fields are in real trees.
type Layout map[*ir.Field]*layout.Field // of fields in real trees, made on demand

// sparse places a field of floats in a tree of its own, below pointers to blocks of eight cells along each axis. The name may ask
// for more: Split for a second component below pointers of its own, Bits for bitmasked cells, Hash for a hash table instead of the pointers, List for lists of at most 40 floats along the
// last axis.
func (l Layout) sparse(f *ir.Field) *layout.Field {
	if x := l[f]; x != nil {
		return x
	}
	kind, split := reflect.TypeFor[float32](), strings.HasPrefix(f.Name, "Split")
	if split {
		kind = reflect.TypeFor[[2]float32]()
	}
	elem, err := layout.ElemOf(kind)
	if err != nil {
		panic(err)
	}
	rank := len(f.Shape)
	if f.List {
		rank--
	}
	axes, sizes := "ijklmnop"[:rank], make([]int, rank)
	for i := range sizes {
		sizes[i] = int(f.Shape[i] / 8)
	}
	tree := layout.NewTree(f.Index)
	for i, low := range f.Origin {
		if err := tree.Origin("ijklmnop"[i:i+1], int(low)); err != nil {
			panic(err)
		}
	}
	n := tree.Root()
	must := func(m *layout.Node, err error) {
		if err != nil {
			panic(err)
		}
		n = m
	}
	switch {
	case rank == 0:
	case strings.HasPrefix(f.Name, "Hash"):
		must(n.Hash(axes, sizes...))
	default:
		must(n.Pointer(axes, sizes...))
	}
	switch {
	case f.List:
		must(n.Dynamic("ijklmnop"[rank:rank+1], 40))
		_ = n.Chunk(16)
	case strings.HasPrefix(f.Name, "Bits"):
		must(n.Bitmasked(axes, 8))
	default:
		must(n.Dense(axes, 8))
	}
	x := layout.NewField(elem)
	err = n.Place(x, 0, 1)
	if split {
		must(tree.Root().Pointer(axes, sizes...))
		must(n.Dense(axes, 8))
		err = errors.Join(err, n.Place(x, 1, 2))
	}
	if err := errors.Join(err, x.Ready()); err != nil {
		panic(err)
	}
	l[f] = x
	return x
}

// packed places a field whose components are packed in a tree of its own: in a word for each element or, if its name begins with Array,
// in words of 32 bits along the last axis.
func (l Layout) packed(f *ir.Field) *layout.Field {
	if x := l[f]; x != nil {
		return x
	}
	must := func(errs ...error) {
		if err := errors.Join(errs...); err != nil {
			panic(err)
		}
	}
	elem := reflect.TypeFor[int32]()
	if f.Comps[0] == ir.F32 {
		elem = reflect.TypeFor[float32]()
	}
	if n := len(f.Comps); n > 1 {
		elem = reflect.ArrayOf(n, elem)
	}
	of, err := layout.ElemOf(elem)
	must(err)
	bits, formats := 0, []quant.Format(nil)
	for _, s := range f.Stored {
		bits, formats = bits+s.Coder.Width(), append(formats, s.Coder.Format)
	}
	lanes, last := 1, len(f.Shape)-1
	if strings.HasPrefix(f.Name, "Array") {
		lanes = 32 / bits
	}
	axes, sizes := "ijklmnop"[:last+1], make([]int, last+1)
	for i, n := range f.Shape {
		sizes[i] = int(n)
	}
	sizes[last] /= lanes
	n, err := layout.NewTree(f.Index).Root().Dense(axes, sizes...)
	must(err)
	var word *layout.Word
	if lanes > 1 {
		word, err = n.BitArray(32, axes[last:], lanes)
	} else {
		word, err = n.BitStruct(32)
	}
	must(err)
	x := layout.NewField(of)
	if f.Stored[0].Group != nil {
		must(word.PlaceShared(formats[0], layout.Part{Field: x, Lo: 0, Hi: len(f.Comps)}))
	} else {
		must(word.Place(x, 0, len(f.Comps), formats...))
	}
	must(x.Ready())
	l[f] = x
	return x
}

// Access says where a component is.
func (l Layout) Access(f *ir.Field, comp int) *layout.Access {
	switch {
	case f.Sparse:
		return l.sparse(f).Access(comp)
	case f.Stored != nil:
		return l.packed(f).Access(comp)
	}
	a := &layout.Access{Tree: f.Index, Shape: f.Shape, Origin: f.Origin}
	size := int64(0)
	for i, k := range f.Comps {
		if i == comp {
			a.Const = size
		}
		size += int64(k.Size())
	}
	if strings.HasSuffix(f.Name, "SoA") {
		a.Tree, a.Const, size = 10*(f.Index+1)+comp, 0, int64(f.Comps[comp].Size())
	}
	if strings.HasPrefix(f.Name, "Tile") {
		a.Terms = tileTerms(f, size)
		return a
	}
	for i := len(f.Shape) - 1; i >= 0; i-- {
		t := layout.Term{Axis: i, Div: 1, Stride: size}
		size *= f.Shape[i]
		if strings.HasPrefix(f.Name, "Block") {
			t.Mod = 4
			a.Terms = append(a.Terms, layout.Term{Axis: i, Div: 4, Stride: 4 * t.Stride})
		}
		a.Terms = append(a.Terms, t)
	}
	return a
}

// tileTerms returns the address terms of contiguous blocks of four elements of this size along each axis.
func tileTerms(f *ir.Field, size int64) (terms []layout.Term) {
	for i := len(f.Shape) - 1; i >= 0; i-- {
		terms = append(terms, layout.Term{Axis: i, Div: 1, Mod: 4, Stride: size})
		size *= 4
	}
	for i := len(f.Shape) - 1; i >= 0; i-- {
		terms = append(terms, layout.Term{Axis: i, Div: 4, Stride: size})
		size *= f.Shape[i] / 4
	}
	return terms
}

// Nest returns the loops in the order of a field's memory.
func (Layout) Nest(f *ir.Field) []layout.NestDim {
	var ds []layout.NestDim
	for i, n := range f.Shape {
		if strings.HasPrefix(f.Name, "Block") {
			ds = append(ds, layout.NestDim{Axis: i, Extent: n / 4, Mul: 4}, layout.NestDim{Axis: i, Extent: 4, Mul: 1})
			continue
		}
		ds = append(ds, layout.NestDim{Axis: i, Extent: n, Mul: 1})
	}
	return ds
}

// Cells describes the cells of a sparse field.
func (l Layout) Cells(f *ir.Field) *unit.Cells {
	n := l.sparse(f).Node()
	return &unit.Cells{Tree: f.Index, Node: n, Steps: n.Steps(), Visit: n.Visit()}
}

// Uniform reports floats for the trees of the first six fields, and integers for those of the next four.
func (Layout) Uniform(tree int) (ir.Kind, int64, bool) {
	if tree >= 6 {
		return ir.I32, 4096, tree < 10
	}
	return ir.F32, 4096, true
}

// CPU describes a processor with vectors of this number of bits; 0 for none.
func CPU(vectorBits int) target.Traits {
	return target.Traits{Has: target.CPU | target.FMA | target.FloatMax | target.Estimates | target.Streams | target.Masks | target.Narrow, VectorBits: vectorBits, Locals: 1 << 20}
}

// Alone is a target with vectors of this many bits, of which nothing but the passes makes vectors. Those of 128 bits have no masks, and load
// lanes at places of their own one by one.
func Alone(vectorBits int) target.Traits {
	t := CPU(vectorBits)
	t.Has |= target.Alone
	if vectorBits == 128 {
		t.Has &^= target.Masks | target.Estimates | target.Streams
		t.GatherCost = 2
	}
	return t
}
