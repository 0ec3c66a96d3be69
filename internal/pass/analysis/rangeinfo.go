package analysis

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
)

// IsComparison reports whether o compares integers.
func IsComparison(o *ir.Op) bool {
	return o.Code.Is(ir.Comparison) && o.Args[0].Type.Kind.IsInt() && o.Args[0].Type == ir.Scalar(o.Args[0].Type.Kind)
}

// RangeInfo has the results of Analyse for a task.
type RangeInfo struct {
	Of    map[*ir.Value]Interval // of values whose interval is narrower than the range of their kind
	Exact map[*ir.Op]bool        // integer ops that cannot wrap
	// At has the intervals of the operands of ops for which they are narrower than in general, because of conditions around the op.
	At map[*ir.Op][]Interval

	batchFrom, batchTo *ir.Value // limits of a batch of iterations; nil for none
	longestBatch       int64

	reals map[*ir.Value]reach // bounds of floats by the conditions around the current op
}

// NewRangeInfo returns a RangeInfo without facts.
func NewRangeInfo() *RangeInfo {
	return &RangeInfo{Of: map[*ir.Value]Interval{}, Exact: map[*ir.Op]bool{}, At: map[*ir.Op][]Interval{}, reals: map[*ir.Value]reach{}}
}

// RangesOf returns the ranges of the integers of t; only the ranges of their kinds if the analysis is switched off.
func RangesOf(t *ir.Task, without option.Switches) *RangeInfo {
	if without.Has(option.Ranges) {
		return NewRangeInfo()
	}
	return Analyse(t)
}

// Analyse computes an interval for every integer of t in one pass. Conditions narrow the intervals inside the regions of an if;
// carried values of loops have no narrower interval than their kind.
func Analyse(t *ir.Task) *RangeInfo {
	r := NewRangeInfo()
	r.Block(t.Prologue)
	for i, d := range t.Dims {
		r.Of[t.Body.Params[i]] = dimInterval(d)
	}
	r.batch(t)
	r.Block(t.Body)
	r.Block(t.Epilogue)
	return r
}

// batch notes the intervals of the limits of a batch of iterations. Those of a list are not known.
func (r *RangeInfo) batch(t *ir.Task) {
	last := len(t.Dims) - 1
	if t.Batch == 0 || t.Dims[last].Hi.From == ir.FromList {
		return
	}
	r.batchFrom, r.batchTo, r.longestBatch = t.Body.Params[last], t.Body.Params[last+1], t.Batch
	x := r.Of[r.batchFrom]
	if most := KindInterval(t.Dims[last].Kind); !x.Any && x.Hi < most.Hi {
		x.Lo, x.Hi, x.Off = x.Lo+1, x.Hi+1, x.Off+1
		r.Of[r.batchTo] = x
	}
}

// AnalyseBody is Analyse for the body of a kernel, with its parallel loops.
func AnalyseBody(b *ir.Block) *RangeInfo {
	r := NewRangeInfo()
	r.Block(b)
	return r
}

// parallel notes the intervals of the indices of a parallel loop, as far as its bounds have some.
func (r *RangeInfo) parallel(o *ir.Op) {
	for i, v := range o.Regions[0].Params {
		if o.Code == ir.OpFieldFor {
			if n, at := o.Field.Extent(i); at == nil {
				r.Of[v] = Interval{Lo: o.Field.Low(i), Hi: o.Field.Low(i) + n - 1}
			}
			continue
		}
		lo, hi := r.Get(o.Args[2*i]), r.Get(o.Args[2*i+1])
		if !lo.Any && !hi.Any && lo.Lo < hi.Hi && (v.Type.Kind != ir.U64 || lo.Lo >= 0) {
			r.Of[v] = Interval{Lo: lo.Lo, Hi: hi.Hi - 1, Len: hi.Len, Off: hi.Off - 1}
		}
	}
}

// dimInterval returns the interval of the index of d.
func dimInterval(d ir.Dim) Interval {
	x := KindInterval(d.Kind)
	if d.Kind == ir.U64 && !Natural(d) {
		return x
	}
	if d.Lo.From == ir.FromConst {
		x.Lo, x.Any = d.Lo.Const, false
	} else if d.Lo.From == ir.FromLen {
		x.Lo, x.Any = d.Lo.Const+d.Lo.Param.Least()/d.Lo.Shrink(), false
	}
	switch d.Hi.From {
	case ir.FromConst:
		x.Hi = max(x.Lo, d.Hi.Const-1)
	case ir.FromLen:
		if d.Hi.Div > 1 {
			x.Hi = max(x.Lo, math.MaxInt32/d.Hi.Div+d.Hi.Const-1) // an extent is an int32
			break
		}
		x.Len, x.Off = d.Hi.Param, d.Hi.Const-1
	default:
		x.Hi = max(x.Lo, x.Hi-1) // less than some number of the kind
	}
	return x
}

// Natural reports whether the index of d, read as an i64, is certainly not negative. A u64 above the largest i64 reads as negative.
func Natural(d ir.Dim) bool {
	if d.Lo.From != ir.FromConst || d.Lo.Const < 0 {
		return false
	}
	return d.Kind != ir.U64 || d.Hi.From == ir.FromLen || d.Hi.From == ir.FromConst && d.Hi.Const >= d.Lo.Const
}

// Get returns the interval of v.
func (r *RangeInfo) Get(v *ir.Value) Interval {
	if x, ok := r.Of[v]; ok {
		return x
	}
	return KindInterval(v.Type.Kind)
}

// Operand returns the interval of operand i of an op, as known where the op is.
func (r *RangeInfo) Operand(o *ir.Op, i int) Interval {
	if xs := r.At[o]; xs != nil {
		return xs[i]
	}
	return r.Get(o.Args[i])
}

func (r *RangeInfo) Block(b *ir.Block) {
	if b == nil {
		return
	}
	for _, o := range b.Ops {
		r.op(o)
	}
}

func (r *RangeInfo) op(o *ir.Op) {
	switch o.Code {
	case ir.OpIf:
		r.branch(o, 0, true)
		r.branch(o, 1, false)
		r.join(o)
		return
	case ir.OpParFor, ir.OpFieldFor:
		r.parallel(o)
	case ir.OpFor:
		lo, hi := r.Get(o.Args[0]), r.Get(o.Args[1])
		x := KindInterval(o.Args[0].Type.Kind)
		if !lo.Any && !hi.Any {
			x = Interval{Lo: lo.Lo, Hi: max(lo.Lo, hi.Hi-1), Len: hi.Len, Off: hi.Off - 1}
		}
		r.Of[o.Regions[0].Params[0]] = x
	}
	for _, b := range o.Regions {
		r.Block(b)
	}
	if o.Code == ir.OpPtr || o.Code == ir.OpElem || o.Code == ir.OpCell || o.Code == ir.OpLookup {
		// Record the intervals here: later the conditions no longer hold.
		xs := make([]Interval, len(o.Args))
		for i, a := range o.Args {
			xs[i] = r.now(a)
		}
		r.At[o] = xs
	}
	if len(o.Results) == 1 {
		v := o.Results[0]
		if k := v.Type.Kind; k.IsInt() || k == ir.Bool {
			x, exact := r.eval(o)
			if x.Any || !x.Fits(k) {
				return
			}
			if exact {
				r.Exact[o] = true
			}
			if x != KindInterval(k) { // Get returns this without an entry
				r.Of[v] = x
			}
		}
	}
}

// now is Get with the conditions around applied to the operands of v, which may have been computed outside of them: under i >= 1, i-1
// is not negative.
func (r *RangeInfo) now(v *ir.Value) Interval {
	x := r.Get(v)
	if v.Def == nil || !v.Def.Code.Is(ir.Pure) || !v.Type.Kind.IsInt() {
		return x
	}
	if y, _ := r.eval(v.Def); !y.Any && y.Fits(v.Type.Kind) {
		return x.meet(y)
	}
	return x
}

// join sets the intervals of the results of an if from the yields of its two regions.
func (r *RangeInfo) join(o *ir.Op) {
	for i, v := range o.Results {
		if !v.Type.Kind.IsInt() {
			continue
		}
		var x Interval
		visited := false
		for _, b := range o.Regions {
			if y := b.Terminator(); y != nil && y.Code == ir.OpYield {
				if yx := r.Get(y.Args[i]); visited {
					x = x.Join(yx)
				} else {
					x, visited = yx, true
				}
			}
		}
		if visited {
			r.Of[v] = x
		}
	}
}

// eval returns the interval of o's exact result, and whether NoWrap applies to the op.
func (r *RangeInfo) eval(o *ir.Op) (x Interval, exact bool) {
	kind := o.Results[0].Type.Kind
	unknown := KindInterval(kind)
	arg := func(i int) Interval { return r.Get(o.Args[i]) }
	known := func(x Interval, ok bool) (Interval, bool) {
		if !ok {
			return Interval{Any: true}, false
		}
		return x, true
	}
	switch o.Code {
	case ir.OpConst:
		if kind == ir.U64 && int64(o.Bits) < 0 {
			return unknown, false
		}
		return Point(int64(o.Bits)), false
	case ir.OpEntry:
		return Interval{Hi: int64(o.Bits)}, false
	case ir.OpLen:
		return Interval{Lo: o.Param.Least(), Hi: min(unknown.Hi, math.MaxInt64), Len: o.Param}, false
	case ir.OpAdd:
		return known(arg(0).add(arg(1)))
	case ir.OpSub:
		if r.longestBatch > 0 && o.Args[0] == r.batchTo && o.Args[1] == r.batchFrom {
			return Interval{Hi: r.longestBatch}, true
		}
		y, ok := arg(1).neg()
		if !ok {
			return Interval{Any: true}, false
		}
		return known(arg(0).add(y))
	case ir.OpMul:
		return known(arg(0).mul(arg(1)))
	case ir.OpNeg:
		return known(arg(0).neg())
	case ir.OpSelect:
		switch c := arg(0); {
		case c.Lo > 0:
			return arg(1), false
		case c.Hi == 0:
			return arg(2), false
		}
		return arg(1).Join(arg(2)), false
	case ir.OpConvert:
		if o.Args[0].Type.Kind.IsInt() || o.Args[0].Type.Kind == ir.Bool {
			return arg(0), false // the number is kept if it fits
		}
		if kind.IsInt() && o.Args[0].Type.Kind.IsFloat() {
			return r.reach(o.Args[0], deepest).whole(kind), false
		}
	case ir.OpPopcount, ir.OpClz:
		return Interval{Lo: 0, Hi: int64(kind.Bits())}, false
	case ir.OpMin:
		a, b := arg(0), arg(1)
		if a.Any || b.Any {
			return unknown, false
		}
		z := Interval{Lo: min(a.Lo, b.Lo), Hi: min(a.Hi, b.Hi), Len: a.Len, Off: a.Off}
		if z.Len == nil {
			z.Len, z.Off = b.Len, b.Off
		}
		return z, false
	case ir.OpMax:
		a, b := arg(0), arg(1)
		if a.Any || b.Any {
			return unknown, false
		}
		z := Interval{Lo: max(a.Lo, b.Lo), Hi: max(a.Hi, b.Hi)}
		z.Len, z.Off = joinLengths(a, b)
		return z, false
	}
	if kind == ir.Bool {
		return r.evalCondition(o), false
	}
	return r.evalDivision(o, unknown), false
}

// belowDivisor bounds x, the interval of a remainder of b, by the divisor.
func belowDivisor(x, b Interval) Interval {
	if b.Len != nil && b.Lo > 0 {
		x.Len, x.Off = b.Len, b.Off-1
	}
	return x
}

// evalDivision handles division, shifts and masks.
func (r *RangeInfo) evalDivision(o *ir.Op, unknown Interval) Interval {
	if len(o.Args) != 2 || !o.Args[0].Type.Kind.IsInt() || !o.Args[1].Type.Kind.IsInt() {
		return unknown
	}
	a, b := r.Get(o.Args[0]), r.Get(o.Args[1])
	c, isConst := ir.IntOf(o.Args[1])
	positive := isConst && c > 0
	switch o.Code {
	case ir.OpMod:
		if positive && !a.Any {
			if a.Lo >= 0 && a.Hi < c {
				return a
			}
			return Interval{Lo: 0, Hi: c - 1}
		}
		if !b.Any && b.Lo >= 0 { // a divisor known only at run time, or 0, which gives 0
			return belowDivisor(Interval{Lo: 0, Hi: max(0, b.Hi-1)}, b)
		}
	case ir.OpRem:
		if !positive && !a.Any && !b.Any && a.Lo >= 0 && b.Lo >= 0 {
			return belowDivisor(Interval{Lo: 0, Hi: min(a.Hi, max(0, b.Hi-1))}, b)
		}
		if positive && !a.Any {
			if a.Lo >= 0 {
				return Interval{Lo: 0, Hi: min(a.Hi, c-1)}
			}
			return Interval{Lo: max(a.Lo, 1-c), Hi: max(0, min(a.Hi, c-1))}
		}
	case ir.OpDiv:
		if positive && !a.Any {
			return Interval{Lo: a.Lo / c, Hi: a.Hi / c}
		}
	case ir.OpFloorDiv:
		if positive && !a.Any {
			return Interval{Lo: FloorDiv(a.Lo, c), Hi: FloorDiv(a.Hi, c)}
		}
	case ir.OpAnd:
		if isConst && c >= 0 {
			hi := c
			if !a.Any && a.Lo >= 0 {
				hi = min(hi, a.Hi)
			}
			return Interval{Lo: 0, Hi: hi}
		}
		if !a.Any && !b.Any && a.Lo >= 0 && b.Lo >= 0 {
			return Interval{Lo: 0, Hi: min(a.Hi, b.Hi)}
		}
	case ir.OpShr:
		if isConst && c >= 0 && c < 63 && !a.Any {
			return Interval{Lo: a.Lo >> c, Hi: a.Hi >> c}
		}
		if !a.Any && a.Lo >= 0 {
			return Interval{Lo: 0, Hi: a.Hi}
		}
	case ir.OpShl:
		if isConst && c >= 0 && c < 62 {
			if z, ok := a.mul(Point(1 << c)); ok {
				return z
			}
		}
	}
	return unknown
}
