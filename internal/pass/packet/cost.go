package packet

import "github.com/gotaichi/ti/internal/ir"

// This file is the part of packets that weighs what vectors save against what is done lane by lane.

// A work is how many ops an iteration does in vectors, how many accesses one lane after the other, and how many whose lanes lie
// in large elements.
type work struct{ vectors, lanes, far float64 }

// opsPerLane is how many ops in vectors of 512 bits pay for an access that is done lane by lane: a loop with some random numbers
// in it takes as long in packets as without at eight.
const opsPerLane = 8

// opsPerFar is how many pay for an access to the same component of large elements: a gather or scatter takes a line for each
// lane, and a second-level cache or the memory answers some at a time, while one iteration after the other goes through
// elements from end to end. Elements of 3 to 19 numbers that are loaded, computed with and stored take as long in packets as without
// at 8 operations for each number in 64 KB, and at 24 in memory, which is 4 and 12 for each access.
const opsPerFar = 12

// pays reports whether packets save more than they cost. An update of an element costs some 1 ns in a packet, and 0.5 ns without.
func (a *packetInfo) pays(vectorBits int) bool {
	w := a.workOf(a.t.Body, 1)
	if a.element != nil { // which are loaded and stored whole
		w.far = 0
	}
	return w.vectors >= (w.lanes*opsPerLane+w.far*opsPerFar)*512/float64(vectorBits)
}

// liesFar reports whether the lanes load or store at o the same component of elements of more than four numbers. Fewer are taken
// apart by shuffles.
func (a *packetInfo) liesFar(o *ir.Op) bool {
	stride := a.strides[o]
	return !a.gathers[o] && !a.byLane[o] && max(stride, -stride) > 4*int64(accessKind(o).Size())
}

// opsPerGather is how many operations on numbers of 32 bits there must be for each access of which every lane has a place of its
// own, with vectors of 512 bits, in a loop with limits of its own or a body without loops: one iteration at a time loads such a
// number in a third of the time. Bodies without loops that look up four numbers in a table of 4 KB take 0.8 times as long as
// packets with two operations a number, and 1.6 times with three.
const opsPerGather = 3

// computesEnough reports whether a block computes enough for what it gathers.
func (a *packetInfo) computesEnough(b *ir.Block, vectorBits int) bool {
	ops, apart := 0, 0
	ir.Visit(b, func(o *ir.Op) bool {
		switch {
		case o.Code == ir.OpLoad || o.Code == ir.OpStore:
			if a.liesFar(o) {
				apart += opsPerFar / opsPerGather
			} else if a.liesApart(o) {
				apart++
			}
		case a.byLane[o]:
			apart++
		case a.computes(o):
			ops++
		}
		return true
	})
	lanes := vectorBits / 8 / a.widest
	return ops*lanes >= apart*opsPerGather*16
}

// opsPerBeside is how many operations there must be for each number that a loop with limits of its own reads side by side, which
// it would not have to gather as a vector of its own iterations. Of loops over some 20 neighbours, those with a root and
// a quotient for one number take 0.35 to 0.75 times as long in packets, those with both for three numbers 0.8 to 1.4 times, and
// those with five operations a number up to 8 times.
const opsPerBeside, opsOfRoot = 16, 8

// computesMuch reports whether a block computes so much for each number that it gathers that it may as well gather it.
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

// liesApart reports whether the numbers that the lanes load or store at o lie neither in one place nor side by side.
func (a *packetInfo) liesApart(o *ir.Op) bool {
	if a.gathers[o] || a.byLane[o] {
		return true
	}
	stride := a.strides[o]
	return stride != 0 && stride != int64(accessKind(o).Size())
}

// computes reports whether o is arithmetic on numbers that differ between lanes, and neither a part of an address nor of a check.
func (a *packetInfo) computes(o *ir.Op) bool {
	if !o.Code.Is(ir.Pure) || o.Code == ir.OpConst || o.Code == ir.OpBitcast || len(o.Results) != 1 || !a.varying[o.Results[0]] {
		return false
	}
	kind := o.Results[0].Type.Kind
	return kind.IsFloat() || kind.IsInt() && !addressOnly(o)
}

// workOf is what a block does that is run a number of times.
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

// workOfOp is what an op does, without that of its regions.
func (a *packetInfo) workOfOp(o *ir.Op) work {
	switch {
	case a.totals[o] && o.Code == ir.OpStore:
		return work{vectors: 1}
	case a.totals[o]:
	case a.updates[o] != nil && o.Code != ir.OpStore: // its store counts
	case a.byLane[o] || a.gathers[o] && o.Code == ir.OpStore:
		if stride, linear := a.r.Stride(o.Args[0], a.index, a.varying); linear && stride == 0 {
			return work{lanes: 2} // each waits for the one before
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

// trips is how often the regions of o are run, about.
func trips(o *ir.Op) float64 {
	const guessed, most = 8, 1 << 20 // of a loop of unknown length, and all that make a difference
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

// fails reports whether an if is a check, whose second region has its failure.
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
