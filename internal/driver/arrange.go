package driver

import (
	"fmt"
	"io"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// An arrangement says where the fields of one kernel lie, with areas instead of
// trees: they are numbered in the order of the kernel's fields, whatever the host
// calls its trees. It is the passes' layout.
//
// A kernel that reads extents at launch has an area for each array of its trees,
// since where the arrays begin depends on the extents of those before them.
type arrangement struct {
	lay     Layout
	apart   bool // an area for each array
	areas   []Area
	regions []Region  // where they are
	kinds   []uniform // of areas
	access  map[component]*layout.Access
	cells   map[*ir.Field]*unit.Cells // of the fields in sparse trees
}

// A component is one of a kernel's field.
type component struct {
	field *ir.Field
	comp  int
}

// uniform says whether an area is an array of scalars of one kind.
type uniform struct {
	kind  ir.Kind
	bytes int64
	ok    bool
}

// arrange finds the areas of k.
func arrange(k *ir.Kernel, lay Layout) *arrangement {
	a := &arrangement{lay: lay, access: map[component]*layout.Access{}, cells: map[*ir.Field]*unit.Cells{}}
	for _, f := range k.Fields {
		a.apart = a.apart || f.Extents != nil && f.View == nil
	}
	for _, f := range k.Fields {
		switch {
		case f.View != nil:
			a.view(f)
		case lay[f.Name].Field != nil: // nil only in tests of broken kernels
			for c := range f.Comps {
				a.access[component{f, c}] = a.place(f, c)
			}
			if f.Sparse {
				a.sparse(f)
			}
		}
	}
	return a
}

// place finds the address formula of a component of a field of the host.
func (a *arrangement) place(f *ir.Field, c int) *layout.Access {
	at := *a.lay.Access(f, c)
	tree := a.lay.tree(f, c)
	if p, ok := a.lay.plain(f, c); ok && a.apart {
		u := uniform{}
		if kind, alone := a.lay.alone(f, c); alone && f.Extents == nil {
			u = uniform{kind, p.Bytes, p.Bytes%int64(kind.Size()) == 0}
		}
		at.Tree = a.area(f, c, job.Array, Area{Tree: tree.ID(), Offset: p.Offset, Bytes: p.Bytes}, u)
		at.Const, at.Terms = p.Within, rowMajor(f, p.Order, p.Cell)
		return &at
	}
	if o, ok := a.lay.outer(f, c); ok && f.Extents != nil {
		at.Tree = a.area(f, c, job.Outermost, Area{Tree: tree.ID(), Offset: o.Offset, Bytes: o.Bytes}, uniform{})
		at.Const, at.Terms, at.Span = o.Const, o.Terms, o.Span
		return &at
	}
	kind, bytes, ok := a.lay.Uniform(tree.ID())
	at.Tree = a.area(f, c, job.Tree, Area{Tree: tree.ID(), Bytes: tree.Bytes()}, uniform{kind, bytes, ok})
	return &at
}

// sparse notes the node by which elements of a field are active.
func (a *arrangement) sparse(f *ir.Field) {
	n, ok := a.lay.Node(f)
	if !ok {
		return
	}
	t := n.Tree()
	a.cells[f] = &unit.Cells{
		Tree: a.region(f, job.Layout(a.lay).Lead(f.Name), job.Tree, Area{Tree: t.ID(), Bytes: t.Bytes()}, uniform{}),
		Node: n, Steps: n.Steps(), Visit: n.Visit(),
	}
}

// Cells returns the node that a sparse field stands for or is placed in.
func (a *arrangement) Cells(f *ir.Field) *unit.Cells {
	if f.Word != nil {
		return a.wordCells(f)
	}
	return a.cells[f]
}

// area returns the number of the area that a component of f lies in.
func (a *arrangement) area(f *ir.Field, c int, part job.Part, area Area, u uniform) int {
	if f.Host != nil {
		c = f.Host[c]
	}
	return a.region(f, c, part, area, u)
}

// region is area for a component as the host counts.
func (a *arrangement) region(f *ir.Field, c int, part job.Part, area Area, u uniform) int {
	for i, r := range a.areas {
		if r == area {
			return i
		}
	}
	a.areas, a.kinds, a.regions = append(a.areas, area), append(a.kinds, u), append(a.regions, Region{Field: f.Name, Comp: c, Part: part})
	return len(a.areas) - 1
}

// noArea is the tree of what lies in memory of the caller.
const noArea = -1

// view makes the address formulas of a view's components.
func (a *arrangement) view(f *ir.Field) {
	order := make([]int, f.Rank())
	for i := range order {
		order[i] = i
	}
	for c := range f.Comps {
		a.access[component{f, c}] = &layout.Access{
			Tree: noArea, Const: f.View.Offsets[c], Terms: rowMajor(f, order, f.View.Size), Origin: f.Origin, Shape: f.Shape,
		}
	}
}

// rowMajor returns the terms of an array of cells under the axes in order, the last
// the fastest.
func rowMajor(f *ir.Field, order []int, cell int64) []layout.Term {
	terms := make([]layout.Term, len(order))
	inner := uint8(0)
	for i := len(order) - 1; i >= 0; i-- {
		axis := order[i]
		terms[i] = layout.Term{Axis: axis, Div: 1, Stride: cell, Inner: inner}
		if n, at := f.Extent(axis); at != nil {
			inner |= 1 << axis
		} else {
			cell *= n
		}
	}
	return terms
}

// Access returns the address formula of a component; its tree is an area.
func (a *arrangement) Access(f *ir.Field, comp int) *layout.Access {
	if f.Word != nil {
		return a.word(f)
	}
	return a.access[component{f, comp}]
}

// Nest returns the loops that visit the elements in memory order; an extent that is
// read at launch is -1.
func (a *arrangement) Nest(f *ir.Field) []layout.NestDim {
	if f.Word != nil {
		return a.access[component{f.Word.Field, f.Word.Comp}].Packed.Word.Loops()
	}
	if f.Extents == nil {
		return a.lay.Nest(f)
	}
	if f.View == nil {
		if _, plain := a.lay.plain(f, 0); !plain {
			o, _ := a.lay.outer(f, 0)
			return o.Nest
		}
	}
	var dims []layout.NestDim
	for _, t := range a.Access(f, 0).Terms {
		n, _ := f.Extent(t.Axis)
		dims = append(dims, layout.NestDim{Axis: t.Axis, Extent: n, Mul: 1})
	}
	return dims
}

// Uniform reports whether an area is an array of scalars of one kind.
func (a *arrangement) Uniform(area int) (kind ir.Kind, bytes int64, ok bool) {
	if of, size, sums := unit.SumsOf(area); sums && of < len(a.areas) {
		return ir.U64, a.sumBytes(of, size), true
	}
	if area < 0 || area >= len(a.areas) {
		return ir.Invalid, 0, false
	}
	u := a.kinds[area]
	return u.kind, u.bytes, u.ok
}

// describe writes all that code can depend on.
func (a *arrangement) describe(w io.Writer, k *ir.Kernel) {
	var words []*layout.Word
	for _, f := range k.Fields {
		for c := range f.Comps {
			at := a.access[component{f, c}]
			if at == nil {
				continue
			}
			// The shape is in the kernel, and as the host has it no business of code
			// that reads it at launch.
			fmt.Fprintf(w, "%s.%d %d %d %+v %v %v\n", f.Name, c, at.Tree, at.Const, at.Terms, at.Origin, at.Span)
			layout.DescribeSteps(w, at.Steps)
			words = layout.DescribePacked(w, at, words)
		}
		if cells := a.cells[f]; cells != nil {
			fmt.Fprintf(w, "cells %d\n", cells.Tree)
			layout.DescribeSteps(w, cells.Steps)
			for _, in := range cells.Visit.Inside {
				fmt.Fprintf(w, "inside %v %v\n", in.Dims, in.Mask != nil)
			}
			continue
		}
		fmt.Fprintf(w, "nest %+v\n", a.Nest(f))
	}
	fmt.Fprintln(w, a.kinds)
}
