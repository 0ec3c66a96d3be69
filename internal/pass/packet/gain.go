package packet

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/target"
)

// This file chooses the lengths of vectors, and compares the cost of a loop of vectors with that of its iterations one by one. Costs are
// numbers of simple instructions.

// A price is the cost of code for as many iterations as a vector has lanes: one by one, and as vectors.
type price struct{ single, vectors float64 }

func (p *price) add(single, vectors float64) {
	p.single, p.vectors = p.single+single, p.vectors+vectors
}

// leastGain is the part of the cost that vectors must save, since the model is rough.
const leastGain = 0.1

// widths returns the numbers of lanes of the vectors in which the iterations of a loop run, the largest first, or says why vectors do not
// pay.
func (l *looper) widths(a *packetInfo, loop *ir.Op) ([]int, *note.Cause) {
	register := l.machine.VectorBits / 8 / a.widest
	lanes, trips := register, tripsOf(loop)
	if d := len(l.t.Dims) - 1; l.isBatch(loop) && l.t.Dims[d].Lo.From == ir.FromConst && l.t.Dims[d].Hi.From == ir.FromConst {
		trips = l.t.Dims[d].Hi.Const - l.t.Dims[d].Lo.Const
	}
	for trips >= 0 && int64(lanes) > trips {
		lanes /= 2
	}
	if lanes < 2 {
		return nil, causeAt(note.FewIterations, loop)
	}
	arrays, stacks := a.arrayBytes()
	for n := int64(lanes); n > 1 && (n*arrays > maxArrays || n*(arrays+stacks) > int64(l.machine.Locals)*7/8); n /= 2 {
		lanes /= 2
	}
	if lanes < 2 {
		return nil, causeAt(note.ArrayInMemory, loop)
	}
	p := l.priceOf(a, loop.Regions[0], lanes, false)
	if l.opts.ForceVectors == 0 && p.vectors > p.single*(1-leastGain) {
		return nil, l.expensive(a, loop)
	}
	many, masks := l.registersAtOnce(a, loop, lanes, trips, p.vectors), l.machine.Provides(target.Masks)
	for many > 1 && (lanes*many > mostLanes || trips >= 0 && int64(lanes*many) > trips || int64(lanes*many)*arrays > maxArrays) {
		many /= 2
	}
	once := a.divergent || arrays+stacks > 0 // each copy of the body would have arrays of its own
	if copies := int64(lanes*many) + 2; once && copies*(arrays+stacks) > int64(l.machine.Locals)*7/8 {
		return nil, causeAt(note.ArrayInMemory, loop)
	}
	whole := trips >= 0 && !l.isBatch(loop) && trips%int64(lanes*many) == 0
	switch {
	case whole, len(a.kept) > 0, once && !masks:
		return []int{lanes * many}, nil
	case once: // one loop, whose last vector is masked
		return []int{0, lanes * many}, nil
	case many > 1 || masks:
		return []int{lanes * many, lanes}, nil
	}
	return []int{lanes}, nil
}

// mostLanes is the largest number of lanes of a vector in the IR.
const mostLanes = 64

// registersAtOnce is how many registers each vector of a loop fills. With several, additions of a sum do not wait for each other, and the
// loop is a smaller part of a small body. In a long body with few values at once, which computes one from the other, the ops on one register
// hide how long those on the other take, and registers are left.
func (l *looper) registersAtOnce(a *packetInfo, loop *ir.Op, lanes int, trips int64, cost float64) int {
	const fewOps, someOps, fewLive = 16, 48, 5
	switch {
	case a.divergent:
		if trips < 0 {
			trips = longestBatch
		}
		return int(a.sideBySide(loop.Regions[0], l.machine.VectorBits, trips, int64(lanes)))
	case hasLoop(loop.Regions[0]) || cost > someOps && a.mostLive(loop.Regions[0]) > fewLive:
		return 1
	case cost > fewOps:
		return 2
	}
	return 4
}

// expensive says which access, or else that the loop, costs too much as vectors.
func (l *looper) expensive(a *packetInfo, loop *ir.Op) *note.Cause {
	at := (*ir.Op)(nil)
	ir.Visit(loop.Regions[0], func(o *ir.Op) bool {
		if at == nil && (a.gathers[o] || a.byLane[o] || a.liesApart(o)) && (o.Code == ir.OpLoad || o.Code == ir.OpStore) {
			at = o
		}
		return true
	})
	if at != nil {
		return causeAt(note.PlacesApart, at)
	}
	return causeAt(note.FewOps, loop)
}

// priceOf returns the cost of a block. Masked means that vectors run it for some of their lanes.
func (l *looper) priceOf(a *packetInfo, b *ir.Block, lanes int, masked bool) (p price) {
	for _, o := range b.Ops {
		n := float64(lanes)
		switch o.Code {
		case ir.OpIf:
			p.branch(l, a, o, lanes, masked)
		case ir.OpFor, ir.OpLoop, ir.OpBlock:
			in, times := l.priceOf(a, o.Regions[0], lanes, masked || a.leaves[o]), trips(o)
			if o.Code != ir.OpBlock {
				in.add(2*n, 2)
			}
			if a.leaves[o] && o.Code != ir.OpBlock {
				in.vectors *= lanesDiffer
			}
			p.add(times*in.single, times*in.vectors)
		case ir.OpLoad, ir.OpStore:
			p.add(n, l.accessCost(a, o, lanes, masked))
		case ir.OpTally, ir.OpAtomic:
			p.add(4*n, 4*n+2*n)
		default:
			if a.byLane[o] {
				p.add(n, 3*n)
			} else if o.Code.Is(ir.Pure) && a.costs(o) {
				p.add(n*costOf(o), l.vectorCost(a, o, lanes))
			}
		}
	}
	return p
}

// lanesDiffer is how much longer the longest of a packet's lanes stays in a loop than the others, on the average.
const lanesDiffer = 1.5

// atBorders is the part of the vectors that are at a border: one in a row.
const atBorders = 1.0 / 16

// branch adds the cost of an if. One by one, its regions run in half of the iterations each.
func (p *price) branch(l *looper, a *packetInfo, o *ir.Op, lanes int, masked bool) {
	p.add(float64(lanes), 1)
	if !masked && a.varying[o.Args[0]] && a.splitsAtBorder(o) {
		in := l.priceOf(a, o.Regions[0], lanes, false)
		p.add(in.single, in.vectors+1)
		if !fails(o) {
			p.add(0, atBorders*l.priceOf(a, o.Regions[0], lanes, true).vectors)
		}
		return
	}
	for i, r := range o.Regions {
		part := 0.5
		if fails(o) {
			part = float64(1 - i)
		}
		varies := a.varying[o.Args[0]]
		in := l.priceOf(a, r, lanes, masked || varies)
		if varies && !fails(o) {
			p.add(in.single*part, in.vectors+float64(len(o.Results)))
		} else {
			p.add(in.single*part, in.vectors*part)
		}
	}
}

// registersOf is how many registers a vector of numbers of this kind takes.
func (l *looper) registersOf(kind ir.Kind, lanes int) float64 {
	return float64(max(1, lanes*max(1, kind.Size())*8/l.machine.VectorBits))
}

// accessCost is the cost of a load or store.
func (l *looper) accessCost(a *packetInfo, o *ir.Op, lanes int, masked bool) float64 {
	n, kind := float64(lanes), accessKind(o)
	registers := l.registersOf(kind, lanes)
	stride, size := a.strides[o], int64(kind.Size())
	array := a.arrays[rootOf(o.Args[0])] != nil
	each := 1 + float64(l.machine.GatherCost)
	if !a.gathers[o] && !array { // with a constant stride no lane computes an address
		each = 1 + min(1, float64(l.machine.GatherCost))/2
	}
	switch {
	case a.byLane[o]:
		return 4 * n
	case a.grouped[o] != nil && !masked:
		return registers * a.grouped[o].shuffles()
	case array && a.any(distances(o.Args[0])), a.gathers[o], !array && stride != 0 && stride != size:
		if masked {
			each++
		}
		if o.Code == ir.OpStore && (a.gathers[o] || array) {
			each++
		}
		return each * n
	case a.totals[o]:
		return registers + 2
	case !array && a.sums[o] == nil && stride == 0:
		return 1
	case masked && !array && !l.machine.Provides(target.Masks):
		return 2 * n
	}
	return registers
}

// costs reports whether an op is more than a part of an address.
func (a *packetInfo) costs(o *ir.Op) bool {
	if len(o.Results) > 0 && a.varying[o.Results[0]] && !a.needed[o.Results[0]] {
		return false
	}
	switch o.Code {
	case ir.OpConst, ir.OpOffset, ir.OpBitcast, ir.OpBase, ir.OpArgPtr, ir.OpFrame, ir.OpParam, ir.OpLen:
		return false
	}
	return !addressOnly(o)
}

// costOf is the cost of a pure op on single numbers.
func costOf(o *ir.Op) float64 {
	switch o.Code {
	case ir.OpDiv, ir.OpSqrt:
		if o.Args[0].Type.Kind.IsFloat() {
			return 5
		}
		return 10
	case ir.OpRem, ir.OpFloorDiv, ir.OpMod:
		return 12
	case ir.OpRsqrt:
		return 10
	case ir.OpCall:
		return 40
	}
	if isCostly(o.Code) {
		return 40
	}
	return 1
}

// vectorCost is the cost of a pure op on vectors. Few targets divide vectors of integers, or shift their lanes by different counts.
func (l *looper) vectorCost(a *packetInfo, o *ir.Op, lanes int) float64 {
	if !a.any(o.Args) {
		return costOf(o)
	}
	kind := ir.Invalid
	for _, v := range slices.Concat(o.Args, o.Results) {
		if kind == ir.Invalid || v.Type.Kind != ir.Bool && v.Type.Kind.Size() > kind.Size() {
			kind = v.Type.Kind
		}
	}
	n := float64(lanes)
	switch o.Code {
	case ir.OpDiv, ir.OpRem, ir.OpFloorDiv, ir.OpMod, ir.OpPopcount, ir.OpClz:
		if kind.IsInt() {
			return n * (costOf(o) + 2)
		}
	case ir.OpShl, ir.OpShr:
		if a.varying[o.Args[1]] && l.machine.VectorBits < 256 {
			return n * 3
		}
	}
	return l.registersOf(kind, lanes) * costOf(o)
}
