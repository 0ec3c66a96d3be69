package plane

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// Make vectorises a task by planes of blocks.
//
// Input: a task with places over constant ranges of indices. Output: if [PlanOf] has a plan for it, the same with dims that count
// blocks, in memory order, and a body for all planes of a block. Each value that differs between the iterations of a plane has a lane
// for each. In blocks at the border of the range, iterations outside of the range are computed, too, from any numbers in memory, but not
// stored.
func Make(t *ir.Task, lay unit.Layout, bits int, notes *note.Notes) {
	p := planOf(t, lay, bits)
	if p == nil {
		return
	}
	notes.Say(t.Pos, note.Planes, p.lanes, p.planes())
	e := &emitter{Plan: p, windows: map[string]*ir.Value{}, common: map[*ir.Op]*ir.Value{}, lane: map[int]*ir.Value{}, inside: insideOf(t.Body)}
	e.task(t)
}

// planOf returns a plan for planes; nil for none. Split has noted the reason for loops over small blocks.
func planOf(t *ir.Task, lay unit.Layout, bits int) *Plan {
	spans := spansOf(t)
	if spans == nil || bits == 0 {
		return nil
	}
	p, _ := PlanOf(t.Body, spans, lay, bits)
	return p
}

// Has reports whether [Make] will change t.
func Has(t *ir.Task, lay unit.Layout, bits int) bool {
	return planOf(t, lay, bits) != nil
}

// spansOf returns the ranges of the indices of the source; nil if these are not the dims of t, or not constant.
func spansOf(t *ir.Task) []Span {
	if len(t.Dims) == 0 || len(t.Lists) > 0 || len(t.Private) > 0 || t.Partial != nil {
		return nil
	}
	spans := make([]Span, len(t.Dims))
	for i, d := range t.Dims {
		if d.Lo.From != ir.FromConst || d.Hi.From != ir.FromConst ||
			t.Nest != nil && (t.Nest[i] != ir.NestDim{Axis: i, Mul: 1} || t.Low[i] != 0) {
			return nil
		}
		spans[i] = Span{d.Lo.Const, d.Hi.Const}
	}
	return spans
}

// insideOf returns the values that a body computes.
func insideOf(body *ir.Block) map[*ir.Value]bool {
	inside := map[*ir.Value]bool{}
	for _, o := range body.Ops {
		for _, v := range o.Results {
			inside[v] = true
		}
	}
	return inside
}

// An emitter writes the body for a block.
type emitter struct {
	*Plan
	b       *ir.Builder
	inside  map[*ir.Value]bool
	blocks  []*ir.Value             // numbers of the current block along each axis
	windows map[string]*ir.Value    // loads, by place
	common  map[*ir.Op]*ir.Value    // loads from places that are the same for all iterations
	lane    map[int]*ir.Value       // indices of lanes along the axes of a plane
	at      []int64                 // the position in the block of the current plane, along the other axes
	values  map[*ir.Value]*ir.Value // values of the current plane
	writes  []write
}

// A write is a store that is emitted at the end of the body.
type write struct {
	o           *ir.Op
	place, data *ir.Value
	mask        *ir.Value // nil for all lanes
}

// task writes the body and the dims of t.
func (e *emitter) task(t *ir.Task) {
	body := &ir.Block{}
	e.b = ir.NewBuilder(body)
	e.b.Pos = t.Pos
	e.blocks = make([]*ir.Value, len(e.axes))
	var dims []ir.Dim
	for _, i := range e.order {
		a := &e.axes[i]
		e.blocks[i] = body.AddParam(a.param.Type, a.param.Name)
		dims = append(dims, ir.Dim{Kind: a.param.Type.Kind, Lo: ir.Bound{Const: a.first}, Hi: ir.Bound{Const: a.end}})
	}
	e.at = make([]int64, len(e.axes))
	e.planesFrom(0)
	e.store()
	e.b.Pos = t.Pos
	e.b.Jump(ir.OpContinue, nil)
	t.Body, t.Dims, t.Nest, t.Low = body, dims, nil, nil
	t.Strip, t.Rows = int64(e.lanes)*e.planes(), ir.Rows{}
}

// planesFrom writes all planes that differ from the one at e.at along the axes from i on.
func (e *emitter) planesFrom(i int) {
	if i == len(e.axes) {
		e.plane()
		return
	}
	if e.axes[i].apart != 0 {
		e.planesFrom(i + 1)
		return
	}
	for e.at[i] = 0; e.at[i] < e.axes[i].size; e.at[i]++ {
		e.planesFrom(i + 1)
	}
}

// plane writes the iterations of the plane at e.at, up to their stores.
func (e *emitter) plane() {
	e.values = map[*ir.Value]*ir.Value{}
	mask, masked := (*ir.Value)(nil), false
	for _, o := range e.body.Ops {
		e.b.Pos = o.Pos
		switch o.Code {
		case ir.OpLoad:
			e.values[o.Results[0]] = e.read(e.placeOf(o))
		case ir.OpStore:
			if !masked {
				mask, masked = e.mask(), true
			}
			e.writes = append(e.writes, write{o, e.address(e.placeOf(o), e.firstCells()), e.wide(e.value(o.Args[1])), mask})
		}
	}
}

// firstCells returns the position of the plane in its block.
func (e *emitter) firstCells() []int64 {
	cells := make([]int64, len(e.axes))
	for i, a := range e.axes {
		if a.apart == 0 {
			cells[i] = e.at[i]
		}
	}
	return cells
}

// value returns v in a plane: one lane if it is the same for all iterations.
func (e *emitter) value(v *ir.Value) *ir.Value {
	if w := e.values[v]; w != nil {
		return w
	}
	if v.Block == e.body {
		w := e.index(v)
		e.values[v] = w
		return w
	}
	if !e.inside[v] {
		return v
	}
	o := v.Def
	c := o.Like(nil)
	lanes := uint32(1)
	for _, a := range o.Args {
		a = e.value(a)
		c.Args = append(c.Args, a)
		lanes = max(lanes, a.Type.Lanes)
	}
	for i, a := range c.Args {
		if lanes > 1 {
			c.Args[i] = e.wide(a)
		}
	}
	// Lanes outside of the range may hold numbers for which flags do not hold.
	c.Flags &^= ir.NoWrap
	w := &ir.Value{Type: ir.Type{Kind: v.Type.Kind, Lanes: lanes}, Def: c, Name: v.Name}
	c.Results = []*ir.Value{w}
	e.values[v] = w
	return e.b.Emit(c)
}

// wide broadcasts v to all lanes.
func (e *emitter) wide(v *ir.Value) *ir.Value {
	if v.Type.Lanes > 1 {
		return v
	}
	return e.b.OpOf(ir.OpSplat, ir.Vec(v.Type.Kind, e.lanes), v)
}

// index returns an index of the loop: a vector along an axis of the plane.
func (e *emitter) index(param *ir.Value) *ir.Value {
	a := &e.axes[param.Index]
	if a.apart == 0 {
		return e.cell(e.blocks[param.Index], a, e.at[param.Index])
	}
	if v := e.lane[param.Index]; v != nil {
		return v
	}
	t := ir.Vec(param.Type.Kind, e.lanes)
	v := e.b.OpOf(ir.OpIota, t)
	if a.apart != 1 {
		v = e.b.Op(ir.OpDiv, v, e.b.Int(t, a.apart))
	}
	v = e.b.Op(ir.OpRem, v, e.b.Int(t, a.size))
	v = e.b.Op(ir.OpAdd, e.wide(e.cell(e.blocks[param.Index], a, 0)), v)
	e.lane[param.Index] = v
	return v
}

// mask returns the lanes of the plane that are iterations of the loop; nil if all are.
func (e *emitter) mask() (m *ir.Value) {
	also := func(code ir.Code, v *ir.Value, limit int64) {
		c := e.b.Op(code, v, e.b.Int(v.Type, limit))
		if m != nil {
			c = e.b.Op(ir.OpAnd, e.wide(m), e.wide(c))
		}
		m = c
	}
	for i, a := range e.axes {
		// The first and the last index along the axis in any block.
		low, last := a.low+a.first*a.size+e.at[i], a.low+(a.end-1)*a.size+e.at[i]
		if a.apart != 0 {
			last += a.size - 1
		}
		if low < a.Lo {
			also(ir.OpGe, e.index(a.param), a.Lo)
		}
		if last >= a.Hi {
			also(ir.OpLt, e.index(a.param), a.Hi)
		}
	}
	if m == nil {
		return nil
	}
	return e.wide(m)
}

// whole returns whether the whole block is in the range; nil if all blocks are.
func (e *emitter) whole() (all *ir.Value) {
	also := func(code ir.Code, v *ir.Value, limit int64) {
		c := e.b.Op(code, v, e.b.Int(v.Type, limit))
		if all != nil {
			c = e.b.Op(ir.OpAnd, all, c)
		}
		all = c
	}
	for i, a := range e.axes {
		if a.low+a.first*a.size < a.Lo {
			also(ir.OpGt, e.blocks[i], a.first)
		}
		if a.low+a.end*a.size > a.Hi {
			also(ir.OpLt, e.blocks[i], a.end-1)
		}
	}
	return all
}

// store emits the stores.
func (e *emitter) store() {
	all := func(masked bool) {
		for _, w := range e.writes {
			e.b.Pos = w.o.Pos
			args := []*ir.Value{w.place, w.data}
			if masked && w.mask != nil {
				args = append(args, w.mask)
			}
			e.b.Op(ir.OpStore, args...)
		}
	}
	whole := e.whole()
	if whole == nil {
		all(false)
		return
	}
	e.b.If(whole, nil, func() {
		all(false)
		e.b.Yield()
	}, func() {
		all(true)
		e.b.Yield()
	})
}
