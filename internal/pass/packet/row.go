package packet

import (
	"math/bits"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/pass/analysis"
)

// A Row is a loop over neighbouring elements.
type Row struct {
	Loop  *ir.Op // a for
	Whole bool   // its iterations fill vectors
}

// Rows vectorises loops in the body of a task whose iterations are independent. They may load and store contiguous elements of one size,
// or elements that are the same for all iterations, and compute; under conditions lanes are masked.
//
// Input: a task with addresses; each loop has a step for each iteration. Output: the same loops with a step for each vector of this number
// of lanes, a power of two, which elements of size bytes fill. Rows reports whether all loops allow this; otherwise it leaves the task as
// it is.
func Rows(t *ir.Task, rows []Row, lanes, size int, opts option.Options) bool {
	prologue := 0
	if t.Prologue != nil {
		prologue = ir.NumberBlock(t.Prologue, 0)
	}
	ir.NumberBlock(t.Body, prologue)
	r, users := analysis.RangesOf(t, opts.Without), usersOf(t)
	packers := make([]*packer, len(rows))
	for i, row := range rows {
		a := &packetInfo{
			t: t, r: r, index: row.Loop.Regions[0].Params[0], users: users, varying: map[*ir.Value]bool{}, leaves: map[*ir.Op]bool{},
			strides: map[*ir.Op]int64{}, gathers: map[*ir.Op]bool{}, byLane: map[*ir.Op]bool{}, widest: 4,
		}
		a.varying[a.index] = true
		a.spread(row.Loop.Regions[0], false)
		if !a.isRow(row.Loop.Regions[0], size, false) || a.widest > size {
			return false
		}
		packers[i] = &packer{packetInfo: a, lanes: lanes, to: map[*ir.Value]*ir.Value{}, straight: true}
	}
	for i, row := range rows {
		packers[i].vectors(row)
	}
	return true
}

// isRow reports whether the ops of b can be vectorised without a branch for inactive lanes; masked means that lanes may be inactive.
// Contiguous elements have the given size.
func (a *packetInfo) isRow(b *ir.Block, size int, masked bool) bool {
	for _, o := range b.Ops {
		a.measure(o)
		switch {
		case o.Code == ir.OpIf:
			within := masked || a.varying[o.Args[0]]
			if !a.isRow(o.Regions[0], size, within) || !a.isRow(o.Regions[1], size, within) {
				return false
			}
		case o.Code == ir.OpLoad, o.Code == ir.OpStore:
			stride, linear := a.r.Stride(o.Args[0], a.index, a.varying)
			a.strides[o] = stride
			alike := stride == 0 && o.Code == ir.OpLoad && !masked
			if !linear || !alike && (stride != int64(size) || accessKind(o).Size() != size) {
				return false
			}
		case masked && isCostly(o.Code): // a branch around it may rarely be taken
			return false
		case o.Code == ir.OpYield, o.Code == ir.OpContinue:
		case !o.Code.Is(ir.Pure), len(o.Regions) > 0, o.Code == ir.OpCall, o.Code == ir.OpLookup, o.Code == ir.OpOrdinal:
			return false
		}
	}
	return true
}

// isCostly reports whether an op is a function of many instructions.
func isCostly(c ir.Code) bool {
	switch c {
	case ir.OpSin, ir.OpCos, ir.OpTan, ir.OpAsin, ir.OpAcos, ir.OpAtan, ir.OpAtan2, ir.OpSinh, ir.OpCosh, ir.OpTanh,
		ir.OpExp, ir.OpExp2, ir.OpLog, ir.OpLog2, ir.OpPow, ir.OpCbrt:
		return true
	}
	return false
}

// vectors gives a loop a step for each vector.
func (p *packer) vectors(row Row) {
	o := row.Loop
	index := p.index
	before := ir.NewBuilder(&ir.Block{})
	before.Pos = o.Pos
	n, shift := int64(p.lanes), int64(bits.TrailingZeros(uint(p.lanes)))
	number := func(b *ir.Builder, v int64) *ir.Value { return b.Int(index.Type, v) }
	lo, hi := o.Args[0], o.Args[1]
	trips := before.NoWrap(ir.OpAdd, before.NoWrap(ir.OpSub, hi, lo), number(before, n-1))
	trips = before.Op(ir.OpShr, trips, number(before, shift))
	zero := number(before, 0)
	old := o.Regions[0]
	body := &ir.Block{Parent: o}
	step := body.AddParam(index.Type, index.Name)
	p.b = ir.NewBuilder(body)
	p.b.Pos = o.Pos
	p.base = p.b.NoWrap(ir.OpAdd, lo, p.b.NoWrap(ir.OpMul, step, number(p.b, n)))
	lanes := ir.Vec(index.Type.Kind, p.lanes)
	p.to[index] = p.b.NoWrap(ir.OpAdd, p.splat(p.base), p.b.OpOf(ir.OpIota, lanes))
	var mask *ir.Value
	if !row.Whole {
		mask = p.b.Op(ir.OpLt, p.to[index], p.splat(hi))
	}
	p.block(old, mask)
	p.b.Pos = o.Pos
	p.b.Jump(ir.OpContinue, o)
	o.Args, o.Regions = []*ir.Value{zero, trips}, []*ir.Block{body}
	o.Flags |= ir.Rolled
	insertBefore(p.t.Body, o, before.Block.Ops)
}

// insertBefore puts ops before o in the block in b that has it.
func insertBefore(b *ir.Block, o *ir.Op, ops []*ir.Op) bool {
	for i, p := range b.Ops {
		if p == o {
			b.Ops = append(b.Ops[:i:i], append(ops, b.Ops[i:]...)...)
			return true
		}
		for _, r := range p.Regions {
			if insertBefore(r, o, ops) {
				return true
			}
		}
	}
	return false
}
