package plane

import (
	"fmt"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
)

// read returns the numbers of a plane's iterations at a place: one plane, or parts of the planes that the distance of the place
// reaches, each shifted by some lanes and combined.
func (e *emitter) read(at *place) *ir.Value {
	if at.uniform {
		return e.same(at)
	}
	cells := make([]int64, len(e.axes)) // the index of the plane's first cell, relative to the block
	for i, d := range at.offset {
		if cells[i] = d; e.axes[i].apart == 0 {
			cells[i] += e.at[i]
		}
	}
	return e.window(at, cells, len(e.across)-1)
}

// window returns the lanes of a plane from cells on. The axes of the plane after the first n are done: along these, cells is at the
// start of a block.
func (e *emitter) window(at *place, cells []int64, n int) *ir.Value {
	key := fmt.Sprint(at.op.Field.Index, at.op.Aux, cells, n)
	if v := e.windows[key]; v != nil {
		return v
	}
	var v *ir.Value
	if n < 0 {
		v = e.load(at, cells)
	} else {
		a := &e.axes[e.across[n]]
		moved := append([]int64{}, cells...)
		by := cells[e.across[n]] - analysis.FloorDiv(cells[e.across[n]], a.size)*a.size
		moved[e.across[n]] -= by
		v = e.window(at, moved, n-1)
		if by != 0 {
			moved[e.across[n]] += a.size
			v = e.b.Op(ir.OpSlide, v, e.window(at, moved, n-1))
			v.Def.Aux, v.Def.Bits, v.Def.Stride = by, uint64(a.size), int32(a.apart)
		}
	}
	e.windows[key] = v
	return v
}

// load loads the plane whose first cell is at cells. If the field has no such block, it loads any block, since no iteration of the
// loop uses the numbers.
func (e *emitter) load(at *place, cells []int64) *ir.Value {
	return e.b.Load(ir.Vec(at.op.Field.Comps[at.op.Aux], e.lanes), e.address(at, cells))
}

// address returns the address of the plane whose first cell is at cells.
func (e *emitter) address(at *place, cells []int64) *ir.Value {
	f := at.op.Field
	index := make([]*ir.Value, len(cells))
	for i, c := range cells {
		a := &e.axes[i]
		on := analysis.FloorDiv(c, a.size)
		block := e.neighbour(i, on, analysis.FloorDiv(f.Low(i)-a.low, a.size), f.Shape[i]/a.size)
		index[i] = e.cell(block, a, c-on*a.size)
	}
	v := e.b.Ptr(f, int(at.op.Aux), index...)
	v.Def.Flags |= ir.InBounds
	return v
}

// neighbour returns the number of the block at this distance along an axis, clamped to the n blocks of a field from first on.
func (e *emitter) neighbour(i int, on, first, n int64) *ir.Value {
	a, v := &e.axes[i], e.blocks[i]
	if on != 0 {
		v = e.b.NoWrap(ir.OpAdd, v, e.b.Int(v.Type, on))
	}
	if a.first+on < first {
		v = e.b.Op(ir.OpMax, v, e.b.Int(v.Type, first))
	}
	if a.end+on > first+n {
		v = e.b.Op(ir.OpMin, v, e.b.Int(v.Type, first+n-1))
	}
	return v
}

// cell returns the index of cell c of a block along an axis.
func (e *emitter) cell(block *ir.Value, a *axis, c int64) *ir.Value {
	v := block
	if a.size != 1 {
		v = e.b.NoWrap(ir.OpMul, v, e.b.Int(v.Type, a.size))
	}
	if c += a.low; c != 0 {
		v = e.b.NoWrap(ir.OpAdd, v, e.b.Int(v.Type, c))
	}
	return v
}

// same loads from a place that is the same for all iterations.
func (e *emitter) same(at *place) *ir.Value {
	if v := e.common[at.op]; v != nil {
		return v
	}
	index := make([]*ir.Value, len(at.op.Args))
	for i, v := range at.op.Args {
		index[i] = e.b.Int(v.Type, at.offset[i])
	}
	p := e.b.Ptr(at.op.Field, int(at.op.Aux), index...)
	p.Def.Flags |= ir.InBounds
	v := e.b.Load(ir.Scalar(at.op.Field.Comps[at.op.Aux]), p)
	e.common[at.op] = v
	return v
}
