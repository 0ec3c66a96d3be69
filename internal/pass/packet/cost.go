package packet

import "github.com/gotaichi/ti/internal/ir"

// This file is the part of packets that compares the gain of vectors with the cost of work done lane by lane.

// A work counts the work of an iteration: ops done in vectors, accesses done lane by lane, and accesses whose lanes are in different
// large elements.
type work struct{ vectors, lanes, far float64 }

// opsPerLane is the number of ops in vectors of 512 bits that pay for an access done lane by lane: at eight, a loop with some random
// numbers takes as long in packets as without.
const opsPerLane = 8

// opsPerFar is the number of ops that pay for an access to the same component of large elements. A gather or scatter loads a cache line
// for each lane, and a second-level cache or the memory handles only some lines at a time, whereas scalar iterations access elements
// sequentially. Loops that load elements of 3 to 19 numbers, compute and store take as long in packets as without at 8 operations for
// each number in 64 KB, and at 24 in memory, that is 4 and 12 for each access.
const opsPerFar = 12

// pays reports whether packets save more than they cost. An update of an element costs about 1 ns in a packet, and 0.5 ns without.
func (a *packetInfo) pays(vectorBits int) bool {
	w := a.workOf(a.t.Body, 1)
	if a.element != nil { // elements are loaded and stored whole
		w.far = 0
	}
	return w.vectors >= (w.lanes*opsPerLane+w.far*opsPerFar)*512/float64(vectorBits)
}

// liesFar reports whether the lanes of o load or store the same component of elements of more than four numbers. Smaller elements are
// separated by shuffles.
func (a *packetInfo) liesFar(o *ir.Op) bool {
	stride := a.strides[o]
	return !a.gathers[o] && !a.byLane[o] && max(stride, -stride) > 4*int64(accessKind(o).Size())
}

// opsPerGather is the number of operations on 32-bit numbers that pay for an access with a place for each lane, with vectors of 512
// bits, in a loop whose limits differ between lanes or a body without loops: a scalar iteration loads such a number in a third of the
// time. Bodies without loops that look up four numbers in a table of 4 KB take 0.8 times as long as packets with two operations for
// each number, and 1.6 times with three.
const opsPerGather = 3

// computesEnough reports whether a block has enough arithmetic for its gathers.
func (a *packetInfo) computesEnough(b *ir.Block, vectorBits int) bool {
	ops, gathers := 0, 0
	ir.Visit(b, func(o *ir.Op) bool {
		switch {
		case o.Code == ir.OpLoad || o.Code == ir.OpStore:
			if a.liesFar(o) {
				gathers += opsPerFar / opsPerGather
			} else if a.liesApart(o) {
				gathers++
			}
		case a.byLane[o], o.Code == ir.OpTally:
			gathers++
		case a.computes(o):
			ops++
		}
		return true
	})
	lanes := vectorBits / 8 / a.widest
	return ops*lanes >= gathers*opsPerGather*16
}

// opsPerBeside is the number of operations that pay for each number that a loop whose limits differ between lanes reads contiguously:
// vectors of its own iterations would not have to gather it. Among loops over some 20 neighbours, those with a root and a quotient for
// one number take 0.35 to 0.75 times as long in packets, those with both for three numbers 0.8 to 1.4 times, and those with five
// operations for each number up to 8 times.
const opsPerBeside, opsOfRoot = 16, 8

// computesMuch reports whether a block has enough arithmetic to gather numbers that are contiguous between iterations of its loop.
func (a *packetInfo) computesMuch(b *ir.Block) bool {
	ops, gathered := 0, 0
	ir.Visit(b, func(o *ir.Op) bool {
		switch {
		case o.Code == ir.OpLoad && a.liesApart(o):
			gathered++
		case !a.computes(o):
		case o.Code == ir.OpSqrt || o.Code == ir.OpRsqrt || o.Code == ir.OpDiv && o.Results[0].Type.Kind.IsFloat():
			ops += opsOfRoot
		default:
			ops++
		}
		return true
	})
	return ops >= gathered*opsPerBeside
}

// liesApart reports whether the numbers that the lanes load or store at o are neither in one place nor contiguous.
func (a *packetInfo) liesApart(o *ir.Op) bool {
	if a.gathers[o] || a.byLane[o] {
		return true
	}
	stride := a.strides[o]
	return stride != 0 && stride != int64(accessKind(o).Size())
}

// computes reports whether o is arithmetic on varying numbers, and not part of an address or a check.
func (a *packetInfo) computes(o *ir.Op) bool {
	if !o.Code.Is(ir.Pure) || o.Code == ir.OpConst || o.Code == ir.OpBitcast || len(o.Results) != 1 || !a.varying[o.Results[0]] {
		return false
	}
	kind := o.Results[0].Type.Kind
	return kind.IsFloat() || kind.IsInt() && !addressOnly(o)
}

// workOf returns the work of a block that runs a number of times.
func (a *packetInfo) workOf(b *ir.Block, times float64) (w work) {
	for _, o := range b.Ops {
		w.add(a.workOfOp(o), times)
		n := times * trips(o)
		if o.Code == ir.OpIf && a.varying[o.Args[0]] && !fails(o) {
			n /= 2
		}
		for i, r := range o.Regions {
			if i == 0 || !fails(o) {
				w.add(a.workOf(r, n), 1)
			}
		}
	}
	return w
}

func (w *work) add(v work, times float64) {
	w.vectors += v.vectors * times
	w.lanes += v.lanes * times
	w.far += v.far * times
}

// workOfOp returns the work of an op, without that of its regions.
func (a *packetInfo) workOfOp(o *ir.Op) work {
	switch {
	case o.Code == ir.OpTally:
		return work{lanes: float64(min(len(o.Args), 2))} // histograms
	case a.totals[o] && o.Code == ir.OpStore:
		return work{vectors: 1}
	case a.totals[o]:
	case a.updates[o] != nil && o.Code != ir.OpStore: // counted for its store
	case a.byLane[o] || a.gathers[o] && o.Code == ir.OpStore:
		if stride, linear := a.r.Stride(o.Args[0], a.index, a.varying); linear && stride == 0 {
			return work{lanes: 2} // lanes wait for each other
		}
		return work{lanes: 1}
	case (o.Code == ir.OpLoad || o.Code == ir.OpStore) && a.liesFar(o):
		return work{vectors: 1, far: 1}
	case o.Code == ir.OpConst || o.Code == ir.OpOffset || o.Code == ir.OpBitcast || addressOnly(o):
	case o.Code.Is(ir.Pure) || o.Code == ir.OpLoad || o.Code == ir.OpStore:
		return work{vectors: 1}
	}
	return work{}
}

// trips estimates the number of times that the regions of o run.
func trips(o *ir.Op) float64 {
	const guessed, most = 8, 1 << 20 // for a loop of unknown length, and the largest number that matters
	switch o.Code {
	case ir.OpLoop:
		return guessed
	case ir.OpFor:
		lo, ok := ir.IntOf(o.Args[0])
		hi, ok2 := ir.IntOf(o.Args[1])
		if ok && ok2 {
			return float64(max(0, min(hi-lo, most)))
		}
		return guessed
	}
	return 1
}

// fails reports whether an if is a check, whose second region reports a failure.
func fails(o *ir.Op) bool {
	if o.Code != ir.OpIf {
		return false
	}
	for _, q := range o.Regions[1].Ops {
		if q.Code == ir.OpFail {
			return true
		}
	}
	return false
}
