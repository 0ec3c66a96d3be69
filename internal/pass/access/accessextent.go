package access

import (
	"math/bits"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/pass/analysis"
)

// This file is the part of access lowering for values that are known only at launch: extents, from which strides are computed, and
// memory of the caller.

// home returns the base address of a field's components in a layout tree, or that of the caller's memory if the field is a view.
func (a *accessor) home(f *ir.Field, tree int) *ir.Value {
	if f.View != nil {
		return a.argument(f.View.Param)
	}
	return a.base(tree)
}

// argument returns the start address of a slice or view.
func (a *accessor) argument(p *ir.Param) *ir.Value {
	ptr := ir.NewOp(ir.OpArgPtr, a.t.Pos, []ir.Type{ir.Scalar(ir.Ptr)})
	ptr.Aux = int64(p.Slot)
	return a.atStart(ptr)
}

// stride returns the number of cells between neighbours along the axis of t, if that is known only at launch.
func (a *accessor) stride(f *ir.Field, acc *layout.Access, t layout.Term) *ir.Value {
	if f.View == nil || f.View.Strides == nil {
		return a.inner(f, acc, t.Inner)
	}
	o := ir.NewOp(ir.OpLen, a.t.Pos, []ir.Type{ir.Scalar(ir.I64)})
	o.Param = f.View.Strides[t.Axis]
	return a.atStart(o)
}

// inner returns the product of the extents of axes (a bit each), in cells of the outermost node, computed at the start of the task.
func (a *accessor) inner(f *ir.Field, acc *layout.Access, axes uint8) *ir.Value {
	key := innerKey{field: f, axes: axes}
	copy(key.span[:], acc.Span)
	if v, ok := a.strides[key]; ok {
		return v
	}
	b := ir.NewBuilder(&a.pre)
	b.Pos = a.t.Pos
	var product *ir.Value
	for axis := range f.Shape {
		if axes&(1<<axis) == 0 {
			continue
		}
		_, at := f.Extent(axis)
		v := a.cells64(b, at, key.span[axis])
		if product == nil {
			product = v
		} else {
			product = a.own(b.NoWrap(ir.OpMul, product, v))
		}
	}
	a.strides[key] = product
	return product
}

// length64 returns a length as an i64.
func (a *accessor) length64(b *ir.Builder, p *ir.Param) *ir.Value {
	v := a.length(p)
	if v.Type.Kind == ir.I64 {
		return v
	}
	if w, ok := a.wide[v]; ok {
		return w
	}
	a.wide[v] = a.own(b.Convert(v, ir.I64))
	return a.wide[v]
}

// cells64 returns the number of cells of the given span in a length.
func (a *accessor) cells64(b *ir.Builder, p *ir.Param, span int64) *ir.Value {
	v := a.length64(b, p)
	if span <= 1 {
		return v
	}
	key := cellsKey{v, span}
	if w, ok := a.parts[key]; ok {
		return w
	}
	a.parts[key] = a.divided(b, v, span)
	return a.parts[key]
}

// divided appends x/d, of numbers that are not negative.
func (a *accessor) divided(b *ir.Builder, x *ir.Value, d int64) *ir.Value {
	if d&(d-1) == 0 {
		return a.own(b.Op(ir.OpShr, x, a.own(b.Int(ir.Scalar(ir.I64), int64(bits.TrailingZeros64(uint64(d)))))))
	}
	return a.own(b.Op(ir.OpDiv, x, a.own(b.Int(ir.Scalar(ir.I64), d))))
}

// An innerKey identifies a product of extents.
type innerKey struct {
	field *ir.Field
	axes  uint8
	span  [layout.MaxRank]int64 // all 0 for one each
}

// A cellsKey identifies a length in cells.
type cellsKey struct {
	length *ir.Value
	span   int64
}

// times returns x*by. Each term becomes a product of its own, so that loop-invariant products are hoisted, and neighbours share all but
// a constant part.
func (a *accessor) times(b *ir.Builder, x analysis.Linear, by *ir.Value) analysis.Linear {
	z := analysis.Linear{}
	for _, t := range x.Terms {
		p := a.own(b.NoWrap(ir.OpMul, a.product(b, analysis.LinTerm{V: t.V, Coef: 1}), by))
		z = z.Plus(analysis.Linear{Terms: []analysis.LinTerm{{V: p, Coef: t.Coef}}}, 1)
	}
	if x.C != 0 {
		z = z.Plus(analysis.Linear{Terms: []analysis.LinTerm{{V: by, Coef: x.C}}}, 1)
	}
	return z
}
