package pass

import (
	"math/bits"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
)

// A strip has at least leastStrip iterations: in a shorter one the vector loop's prologue
// and remainder would cost too much. It has at most mostStrip.
const leastStrip, mostStrip = 256, 1 << 13

// stripLength is the number of iterations of a strip for indices of kind k: the largest
// power of two up to n and mostStrip. It is 1 if strips would be too short, or if the
// kind has only 8 bits.
func stripLength(k ir.Kind, n int64) int64 {
	if k.Size() < 2 || n < leastStrip {
		return 1
	}
	return 1 << (bits.Len64(uint64(min(n, mostStrip))) - 1)
}

// strip cuts a for into strips of n iterations, with a poll before each strip but the last. It returns the ops that replace the for;
// the last of them has its results. A copy of the original loop runs a for of up to n iterations: LLVM can then hoist code that
// depends only on the bounds out of the loops around. Neither version is marked as unlikely, so LLVM optimises both. A for that is
// known to be longer needs no copy.
//
//	^1: %r = for %lo, %hi, %init { (%i, %x) … continue ^1 %y … break ^1 %z }
//
// becomes
//
//	%long = hi - lo > n
//	%r = if %long {
//	    ^0: %q = loop %lo, %init { (%from, %c)
//	        %more = hi - from > n
//	        %to = if %more { poll … yield (add %from, n) } else { yield %hi }
//	        ^1: %s = for %from, %to, %c { (%i, %x) … continue ^1 %y … break ^0 %z }
//	        if %more { yield } else { break ^0 %s }
//	        continue ^0 %to, %s
//	    }
//	    yield %q
//	} else {
//	    ^2: %t = for %lo, %hi, %init { (%i, %x) … continue ^2 %y … break ^2 %z }
//	    yield %t
//	}
func strip(o *ir.Op, n int64) []*ir.Op {
	lo, hi := o.Args[0], o.Args[1]
	place := &ir.Block{}
	b := ir.NewBuilder(place)
	b.Pos = o.Pos
	more := newStripLimit(b, hi, n)
	if trips, ok := constantTrips(o); ok && trips > n {
		takeResults(stripLoop(b, o, n, more), o)
		return place.Ops
	}
	whole := ir.NewCloner(nil).Op(o)
	either := ir.NewOp(ir.OpIf, o.Pos, nil, more(lo))
	takeResults(either, o)
	b.Emit(either)
	b.In(either.Regions[0], func() {
		strips := stripLoop(b, o, n, more)
		b.Yield(strips.Results...)
	})
	b.In(either.Regions[1], func() {
		b.Emit(whole)
		b.Yield(whole.Results...)
	})
	return place.Ops
}

// takeResults replaces the results of from by those of o, which from replaces.
func takeResults(o, from *ir.Op) {
	o.Results = from.Results
	for _, r := range o.Results {
		r.Def = o
	}
}

// stripLoop appends the loop over the strips of o.
func stripLoop(b *ir.Builder, o *ir.Op, n int64, limit func(*ir.Value) *ir.Value) *ir.Op {
	lo, hi := o.Args[0], o.Args[1]
	t := lo.Type
	types := make([]ir.Type, len(o.Results))
	for i, r := range o.Results {
		types[i] = r.Type
	}
	strips := ir.NewOp(ir.OpLoop, o.Pos, types, append([]*ir.Value{lo}, o.Args[2:]...)...)
	b.Emit(strips)
	one := ir.NewOp(ir.OpFor, o.Pos, types)
	one.Flags, one.Regions = o.Flags, o.Regions
	one.Regions[0].Parent = one
	ir.Visit(one.Regions[0], func(j *ir.Op) bool {
		switch {
		case j.Target != o:
		case j.Code == ir.OpBreak:
			j.Target = strips
		default:
			j.Target = one
		}
		return true
	})
	body := strips.Regions[0]
	from := body.AddParam(t, "")
	carried := make([]*ir.Value, 0, len(o.Args))
	for _, p := range one.Regions[0].Params[1:] {
		carried = append(carried, body.AddParam(p.Type, p.Name))
	}
	b.In(body, func() {
		more := limit(from)
		to := b.If(more, []ir.Type{t}, func() {
			b.Emit(pollAt(o.Pos))
			b.Yield(b.Op(ir.OpAdd, from, b.Int(t, n)))
		}, func() { b.Yield(hi) })[0]
		one.Args = append([]*ir.Value{from, to}, carried...)
		b.Emit(one)
		b.If(more, nil, func() { b.Yield() }, func() { b.Jump(ir.OpBreak, strips, one.Results...) })
		b.Jump(ir.OpContinue, strips, append([]*ir.Value{to}, one.Results...)...)
	})
	return strips
}

// newStripLimit returns a function that appends a test whether more than n indices remain from an index to hi. The test cannot
// overflow: types of less than 64 bits are compared as i64, the others with hi - n, after hi is raised to at least the lowest
// number + n.
func newStripLimit(b *ir.Builder, hi *ir.Value, n int64) func(from *ir.Value) *ir.Value {
	t := hi.Type
	if t.Kind.Size() < 8 {
		wide, length := b.Convert(hi, ir.I64), b.Int(ir.Scalar(ir.I64), n)
		return func(from *ir.Value) *ir.Value {
			return b.Op(ir.OpGt, b.Op(ir.OpSub, wide, b.Convert(from, ir.I64)), length)
		}
	}
	lowest, _ := analysis.KindRange(t.Kind) // 0 of u64
	last := b.Op(ir.OpSub, b.Op(ir.OpMax, hi, b.Int(t, lowest+n)), b.Int(t, n))
	return func(from *ir.Value) *ir.Value { return b.Op(ir.OpLt, from, last) }
}
