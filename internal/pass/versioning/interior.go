package versioning

import (
	"math"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/pass/packet"
	"github.com/gotaichi/ti/internal/target"
)

// Limits of interior: the fewest iterations of a row, the iterations of a strip, and the number of strips from which on rows are cut.
const (
	leastInterior = 32
	interiorStrip = 256
	manyInteriors = 64
)

// Limits of borders that become vectors: the longest row for which the cost of borders matters, the most iterations of the task, since
// stores of larger tasks may bypass the caches, and the most ops of an iteration.
const (
	longRow     = 1 << 11
	mostAligned = 1 << 20
	mostMasked  = 250
)

// There are many border rows if at least one row of manyBorders is one.
const manyBorders = 512

// Interior splits off the iterations for which conditions on the borders are known, in stencils that wrap indices around, as in
// x[mod(i-1, n)], or that test for borders, as in if i > 0. LLVM cannot vectorise such stencils well, since the places of
// neighbouring iterations depend on conditions.
//
// Input: a task with addresses, whose dims have constant bounds, and with integer operations on an index of a dim and constants that
// have no effect, or have one result, in most of the range. Output: the same, but the task runs in strips of its innermost dim, each of
// them
//
//	for the strip up to the interior { body }
//	for the interior { body without these operations }
//	for the rest of the strip { body }
//
// The interior is empty in rows that are borders themselves. If [Predication] has made two versions of the body, only the one without
// checks is split.
//
// If the machine has masked vector instructions, rows are not long, and an iteration has conditions only on accesses to its neighbours,
// then the interior begins and ends at a multiple of the vector length, and Interior itself vectorises all three loops: no remainder
// runs one by one, and no vector crosses cache lines. Otherwise, if many rows are borders, the conditions on the innermost index are
// known in the middle of these rows, too.
//
// The splitting of a loop's range at its conditions is index-set splitting; see Griebl, Feautrier and Lengauer, "Index Set
// Splitting", International Journal of Parallel Programming 28(6), 2000.
func Interior(t *ir.Task, machine target.Traits, opts option.Options, notes *note.Notes) {
	last := len(t.Dims) - 1
	if t.Body == nil || last < 0 || t.Strided || t.Strip > 0 || len(t.Lists) > 0 || t.Body.Params[last].Type.Lanes > 1 {
		return
	}
	s := &interiorSplit{t: t, lanes: 1, alone: machine.Provides(target.Alone), ranges: map[*ir.Value]*span{}, known: map[*ir.Value]answer{}}
	for i, d := range t.Dims {
		if d.Lo.From != ir.FromConst || d.Hi.From != ir.FromConst {
			return
		}
		s.ranges[t.Body.Params[i]] = &span{lo: d.Lo.Const, hi: d.Hi.Const, from: d.Lo.Const, to: d.Hi.Const}
	}
	s.index = t.Body.Params[last]
	s.row = s.ranges[s.index]
	if s.row.hi-s.row.lo < leastInterior || !s.choose() || !s.find() {
		return
	}
	before, body, dims, rows := *s.row, t.Body, slices.Clone(t.Dims), t.Rows
	if s.align(machine); s.lanes > 1 {
		if s.write(); packet.Rows(t, s.rows, int(s.lanes), s.size, opts) {
			notes.Say(t.Pos, note.InteriorSplit)
			return
		}
		*s.row, s.lanes = before, 1
		t.Body, t.Dims, t.Rows = body, dims, rows
	}
	s.write()
	notes.Say(t.Pos, note.InteriorSplit)
}

// A span is the range of an index, and the interior in it.
type span struct{ lo, hi, from, to int64 }

// take narrows the interior to its intersection with [from, to), if that is most of the range.
func (s *span) take(from, to int64) bool {
	from, to = max(s.from, from), min(s.to, to)
	if (to-from)*8 < (s.hi-s.lo)*7 {
		return false
	}
	s.from, s.to = from, to
	return true
}

// An answer is the result of an operation in the interior: an index, if there is one, plus a constant.
type answer struct {
	index *ir.Value
	plus  int64
}

type interiorSplit struct {
	t      *ir.Task
	index  *ir.Value // of the innermost dim
	row    *span     // its range
	ranges map[*ir.Value]*span
	body   []*ir.Op // the iteration, without its last op
	choice *ir.Op   // the if that predication made, if any: body is its first region
	known  map[*ir.Value]answer
	order  []*ir.Value  // the keys of known
	lanes  int64        // of the vectors that iterations become here; 1 for none
	size   int          // of the widest stored numbers, in bytes
	rows   []packet.Row // the loops that become vectors
	alone  bool         // package packet makes vectors of the loops later
}

// choose finds the body to split, and reports whether it may be copied into loops.
func (s *interiorSplit) choose() bool {
	ops := s.t.Body.Ops
	s.body = ops[:len(ops)-1]
	if len(ops) == 2 && ops[0].Code == ir.OpIf && len(ops[0].Results) == 0 && !s.isInside(ops[0].Args[0]) {
		s.choice = ops[0]
		inner := ops[0].Regions[0].Ops
		s.body = inner[:len(inner)-1]
	}
	plain := len(ops) > 0 && ops[len(ops)-1].Code == ir.OpContinue
	ir.Visit(&ir.Block{Ops: s.body}, func(o *ir.Op) bool {
		switch {
		case o.Code == ir.OpLoad, o.Code == ir.OpStore, o.Code == ir.OpIf, o.Code == ir.OpYield, o.Code == ir.OpFail, o.Code == ir.OpTally:
		case o.Code == ir.OpOrdinal, o.Code == ir.OpCall, !o.Code.Is(ir.Pure):
			plain = false
		}
		for _, v := range o.Results {
			plain = plain && v.Type.Lanes <= 1
		}
		return plain
	})
	return plain
}

// isInside reports whether v is computed in the body.
func (s *interiorSplit) isInside(v *ir.Value) bool {
	if v.Def == nil {
		return s.ranges[v] != nil
	}
	found := false
	ir.Visit(s.t.Body, func(o *ir.Op) bool { found = found || o == v.Def; return !found })
	return found
}

// find finds operations with an answer in the interior, and reports whether some of them depend on the innermost index.
func (s *interiorSplit) find() bool {
	useful := false
	ir.Visit(&ir.Block{Ops: s.body}, func(o *ir.Op) bool {
		if len(o.Args) != 2 || len(o.Results) != 1 {
			return true
		}
		n, ok := ir.IntOf(o.Args[1])
		index, at, ok2 := s.linear(o.Args[0])
		if !ok || !ok2 || n == math.MinInt64 || n == math.MaxInt64 {
			return true
		}
		if a, ok := s.ask(o, index, at, n); ok {
			s.known[o.Results[0]] = a
			s.order = append(s.order, o.Results[0])
			useful = useful || index == s.index
		}
		return true
	})
	return useful
}

// ask finds the answer of o, whose operands are index+at and n.
func (s *interiorSplit) ask(o *ir.Op, index *ir.Value, at, n int64) (a answer, ok bool) {
	r := s.ranges[index]
	mid := r.lo + (r.hi-r.lo)/2 + at
	low, high := n-at, n-at+1 // the index for which the operands are equal, and the next
	same := answer{index, at}
	half := func(below bool, border int64) bool { // the indices below the border, or from it on
		if below {
			return r.take(r.lo, border)
		}
		return r.take(border, r.hi)
	}
	switch o.Code {
	case ir.OpMod, ir.OpRem:
		return r.remainder(index, at, n, mid, o.Code == ir.OpMod)
	case ir.OpAnd: // the remainder of a division by a power of two
		if n > 0 && n&(n+1) == 0 {
			return r.remainder(index, at, n+1, mid, true)
		}
	case ir.OpMin:
		if mid < n {
			return same, half(true, high)
		}
		return answer{plus: n}, half(false, low)
	case ir.OpMax:
		if mid >= n {
			return same, half(false, low)
		}
		return answer{plus: n}, half(true, high)
	case ir.OpLt:
		return constantAnswer(mid < n), half(mid < n, low)
	case ir.OpGe:
		return constantAnswer(mid >= n), half(mid < n, low)
	case ir.OpLe:
		return constantAnswer(mid <= n), half(mid <= n, high)
	case ir.OpGt:
		return constantAnswer(mid > n), half(mid <= n, high)
	case ir.OpEq, ir.OpNe:
		if mid < n {
			return constantAnswer(o.Code == ir.OpNe), half(true, low)
		}
		return constantAnswer(o.Code == ir.OpNe), mid != n && half(false, high)
	}
	return answer{}, false
}

// remainder is the answer of (index+at) mod n, which is mid in the middle of the range. The remainder is floored, or truncated; a
// truncated one has an answer only for positive numbers.
func (s *span) remainder(index *ir.Value, at, n, mid int64, floored bool) (a answer, ok bool) {
	if n <= 0 || mid < 0 && !floored {
		return answer{}, false
	}
	start := mid - ((mid%n)+n)%n // the multiple of n below
	return answer{index, at - start}, s.take(start-at, start+n-at)
}

// align narrows the interior so that it begins and ends at multiples of the vector length, if conditional loads can be masked.
func (s *interiorSplit) align(machine target.Traits) {
	all := int64(1)
	for _, r := range s.ranges {
		all *= r.hi - r.lo
	}
	if !machine.Provides(target.Masks) || machine.VectorBits == 0 || s.row.hi-s.row.lo > longRow || all > mostAligned || s.index.Type.Kind != ir.I32 {
		return
	}
	ops, size := 0, 4
	ir.Visit(&ir.Block{Ops: s.body}, func(o *ir.Op) bool {
		ops++
		if o.Code == ir.OpStore {
			size = max(size, o.Args[1].Type.Kind.Size())
		}
		return true
	})
	lanes := int64(machine.VectorBits / 8 / size)
	from := s.row.lo + (s.row.from-s.row.lo+lanes-1)/lanes*lanes
	to := s.row.lo + (s.row.to-s.row.lo)/lanes*lanes
	if ops <= mostMasked && to-from >= (s.row.to-s.row.from)/2 {
		s.row.from, s.row.to, s.lanes, s.size = from, to, lanes, size
	}
}

// follows reports whether the operand of v, a key of known, depends on the innermost index.
func (s *interiorSplit) follows(v *ir.Value) bool {
	index, _, _ := s.linear(v.Def.Args[0])
	return index == s.index
}

func constantAnswer(b bool) answer {
	if b {
		return answer{plus: 1}
	}
	return answer{}
}

// linear splits v into the index of a dim and a constant. The sums do not overflow, since indices and constants are small.
func (s *interiorSplit) linear(v *ir.Value) (index *ir.Value, at int64, ok bool) {
	const small = 1 << 24
	if v.Type.Kind != ir.I32 && v.Type.Kind != ir.I64 {
		return nil, 0, false
	}
	if r := s.ranges[v]; r != nil {
		return v, 0, r.lo > -small && r.hi < small
	}
	o := v.Def
	if o == nil {
		return nil, 0, false
	}
	switch o.Code {
	case ir.OpConvert:
		if o.Args[0].Type.Kind == ir.I32 || o.Args[0].Type.Kind == ir.I64 {
			return s.linear(o.Args[0])
		}
	case ir.OpAdd, ir.OpSub:
		n, known := ir.IntOf(o.Args[1])
		index, at, ok = s.linear(o.Args[0])
		if o.Code == ir.OpSub {
			n = -n
		}
		return index, at + n, ok && known && n > -small && n < small && at+n > -small && at+n < small
	}
	return nil, 0, false
}
