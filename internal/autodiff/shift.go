package autodiff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
)

// A shift is an index of an iteration that another one can be found from: a loop index plus a constant, maybe
// modulo the length of the loop or clamped to its range, or what all iterations have alike.
type shift struct {
	axis    int       // of the loop; -1 for an index that all iterations have alike
	same    *ir.Value // that index
	add     int64
	lengths int64 // how often the length of the loop, of which only a launch knows, is added
	wraps   bool  // modulo the length of the loop, which begins at 0
	within  within
	low     bool // where less than the first index of the loop, that
	high    bool // where more than the last one, that
	edge    int  // of a part of a gathering: the element is that at the end, 1, or the beginning, -1, to which iterations beside it were clamped
}

// within says where a number lies that is an index modulo the length of the loop.
type within int

const (
	inRange  within = iota // from 0 to the length
	signedly               // likewise, or below 0 and above minus the length
	anywhere
)

// ends reports whether all elements along an axis that lie at s from an iteration are in the range of the loop.
func (s *shift) ends() bool { return s.wraps || s.low || s.high || s.edge != 0 }

// alike reports whether the elements at s and t from an iteration are the same.
func (s *shift) alike(t *shift) bool {
	return s.add == t.add && s.wraps == t.wraps && s.low == t.low && s.high == t.high && s.edge == t.edge
}

// parted returns s without limits that no iteration meets, and the elements at an end that iterations were clamped to: all of them, or more
// than are gathered.
func (s shift) parted() []shift {
	s.low, s.high = s.low && s.add < 0, s.high && s.add > 0
	all := []shift{s}
	for k := int64(0); s.high && k < s.add && k <= mostGathered; k++ {
		all = append(all, shift{axis: s.axis, add: k, edge: 1})
	}
	for k := int64(0); s.low && k < -s.add && k <= mostGathered; k++ {
		all = append(all, shift{axis: s.axis, add: -k, edge: -1})
	}
	return all
}

// A gridLoop is a parallel loop as the gather needs it: its indices, and their ranges.
type gridLoop struct {
	f      *facts
	op     *ir.Op
	lo, hi []*ir.Value // of a parfor
	low    []int64     // of a fieldfor
	size   []int64

	assumes bool        // numbers may be taken for small
	small   []*ir.Value // those that were: a launch has to check them, or mixes is wrong
}

// newGridLoop describes a parallel loop, nil if its ranges are not known in time.
func (f *facts) newGridLoop(o *ir.Op) *gridLoop {
	g := &gridLoop{f: f, op: o}
	if slices.ContainsFunc(o.Regions[0].Params, func(v *ir.Value) bool { return v.Type.Kind.Bits() < 32 }) {
		return nil // i+1 may be less than i
	}
	if o.Code == ir.OpParFor {
		for i := 0; i < len(o.Args); i += 2 {
			g.lo, g.hi = append(g.lo, o.Args[i]), append(g.hi, o.Args[i+1])
		}
		return g
	}
	x := o.Field
	if x.List || o.Flags.Has(ir.Serial) || len(x.Shape) != len(o.Regions[0].Params) {
		return nil
	}
	for i, n := range x.Shape {
		if n <= 0 {
			return nil
		}
		low := int64(0)
		if i < len(x.Origin) {
			low = x.Origin[i]
		}
		g.low, g.size = append(g.low, low), append(g.size, n)
	}
	return g
}

// length is the length of an axis that begins at 0, as a constant or as a value.
func (g *gridLoop) length(axis int) (n int64, v *ir.Value, ok bool) {
	if g.op.Code == ir.OpFieldFor {
		return g.size[axis], nil, g.low[axis] == 0
	}
	if low, known := ir.IntOf(g.lo[axis]); !known || low != 0 {
		return 0, nil, false
	}
	n, known := ir.IntOf(g.hi[axis])
	if !known {
		n = 0
	}
	return n, g.hi[axis], true
}

// isOpen reports whether an axis has all indices that its type has, as in a hash node without sizes. A sum that is too large for the type is then
// another index, to the iteration as to its gathering.
func (g *gridLoop) isOpen(axis int) bool {
	return g.op.Code == ir.OpFieldFor && g.size[axis] == indexModulus && g.op.Regions[0].Params[axis].Type.Kind.Bits() == 32
}

// holds reports whether the type of a loop index can hold the ends of an axis of a field that is loaded from at s, and what is beside them.
func (g *gridLoop) holds(s shift, f *ir.Field, axis int) bool {
	switch low := f.Low(axis); {
	case g.op.Regions[0].Params[s.axis].Type.Kind.Bits() > 32:
		return true
	case g.isOpen(s.axis):
		return !s.ends()
	default:
		return !isFar(low) && !isFar(low+f.Shape[axis])
	}
}

// isLength reports whether v is the length of an axis plus a constant.
func (g *gridLoop) isLength(v *ir.Value, axis int, plus int64) bool {
	n, at, ok := g.length(axis)
	if !ok {
		return false
	}
	if c, known := ir.IntOf(v); known {
		return n > 0 && c == n+plus
	}
	if plus == 0 {
		return v == at
	}
	d := v.Def
	if d == nil || d.Code != ir.OpAdd || at == nil || d.Args[0] != at {
		return false
	}
	c, known := ir.IntOf(d.Args[1])
	return known && signed(v.Type.Kind, c) == plus
}

// isSame reports whether all iterations have v alike: it comes from outside, or is arithmetic on what does.
func (g *gridLoop) isSame(v *ir.Value) bool {
	if !g.f.isWithin(g.op, v) {
		return true
	}
	return v.Def != nil && isArithmetic(v.Def) && !slices.ContainsFunc(v.Def.Args, func(a *ir.Value) bool { return !g.isSame(a) })
}

// isArithmetic reports whether an op is a simple one on integers.
func isArithmetic(o *ir.Op) bool {
	switch o.Code {
	case ir.OpConst, ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpNeg, ir.OpMin, ir.OpMax, ir.OpConvert, ir.OpShl, ir.OpShr:
		return o.Results[0].Type.Kind.IsInt()
	}
	return false
}

// name is equal for values that isSame holds for and that are equal.
func (g *gridLoop) name(v *ir.Value) string {
	if c, known := ir.IntOf(v); known {
		return fmt.Sprint(c)
	}
	if !g.f.isWithin(g.op, v) {
		return fmt.Sprintf("%p", v)
	}
	parts := []string{v.Def.Code.String()}
	for _, a := range v.Def.Args {
		parts = append(parts, g.name(a))
	}
	return "(" + strings.Join(parts, " ") + " " + v.Type.Kind.String() + ")"
}

// copySame emits a value that isSame holds for.
func (r *reverser) copySame(o *ir.Op, v *ir.Value) *ir.Value {
	if !r.isWithin(o, v) {
		return r.of(v)
	}
	c := *v.Def
	c.Args = nil
	for _, a := range v.Def.Args {
		c.Args = append(c.Args, r.copySame(o, a))
	}
	c.Results = []*ir.Value{{Type: v.Type, Def: &c, Name: v.Name}}
	return r.b.Emit(&c)
}

// shift finds out how an index depends on those of the loop.
func (g *gridLoop) shift(v *ir.Value) (s shift, ok bool) {
	v = unmarked(v)
	if g.isSame(v) {
		return shift{axis: -1, same: v}, true
	}
	for i, p := range g.op.Regions[0].Params {
		if v == p {
			return shift{axis: i}, true
		}
	}
	o := v.Def
	if o == nil {
		return s, false
	}
	switch o.Code {
	case ir.OpAdd, ir.OpSub:
		return g.moved(o)
	case ir.OpRem, ir.OpMod, ir.OpAnd:
		return g.wrapped(o)
	case ir.OpMin, ir.OpMax:
		return g.clamped(o)
	case ir.OpIf:
		return g.chosen(o.Args[0], o.Regions[0].Terminator().Args[v.Index], o.Regions[1].Terminator().Args[v.Index])
	case ir.OpSelect:
		return g.chosen(o.Args[0], o.Args[1], o.Args[2])
	}
	return s, false
}

// moved is shift for an index plus or minus a constant or the length.
func (g *gridLoop) moved(o *ir.Op) (s shift, ok bool) {
	k := o.Results[0].Type.Kind
	s, ok = g.shift(o.Args[0])
	if !ok || s.axis < 0 || s.low || s.high {
		return s, false
	}
	c, known := ir.IntOf(o.Args[1])
	n := int64(0)
	if !known {
		if k.IsUnsigned() || !g.isLength(o.Args[1], s.axis, 0) {
			return s, false
		}
		n = 1
	}
	if o.Code == ir.OpSub {
		c, n = -c, -n
	}
	s.add, s.lengths = signed(k, s.add+c), s.lengths+n
	if isFar(s.add) { // a sum that is too large for its type has another remainder, and is below what it is limited to
		return s, false
	}
	if s.wraps {
		s.within, s.lengths = anywhere, 0
	}
	return s, !s.wraps || !k.IsUnsigned()
}

// wrapped is shift for a remainder by the length.
func (g *gridLoop) wrapped(o *ir.Op) (s shift, ok bool) {
	s, ok = g.shift(o.Args[0])
	unsigned := o.Results[0].Type.Kind.IsUnsigned()
	if !ok || s.axis < 0 || s.low || s.high || unsigned && s.wraps {
		return s, false
	}
	natural := !s.wraps && s.lengths == 0 && s.add >= 0
	s.wraps, s.lengths, s.within = true, 0, inRange
	if o.Code == ir.OpAnd {
		n, _, _ := g.length(s.axis)
		return s, g.isLength(o.Args[1], s.axis, -1) && n > 0 && n&(n-1) == 0
	}
	if o.Code == ir.OpRem && !natural {
		s.within = signedly
	}
	// An unsigned number that is below 0 is large.
	return s, g.isLength(o.Args[1], s.axis, 0) && (natural || !unsigned)
}

// clamped is shift for an index that is limited to the range of the loop on one side.
func (g *gridLoop) clamped(o *ir.Op) (s shift, ok bool) {
	for i, v := range o.Args {
		s, ok = g.shift(v)
		if !ok || s.axis < 0 || s.wraps || s.lengths != 0 || o.Results[0].Type.Kind.IsUnsigned() {
			continue
		}
		limit := o.Args[1-i]
		if o.Code == ir.OpMax && g.isFirst(limit, s.axis) {
			s.low = true
			return s, true
		}
		if o.Code == ir.OpMin && g.isLast(limit, s.axis) {
			s.high = true
			return s, true
		}
	}
	return s, false
}

// isFirst reports whether v is the first index of an axis.
func (g *gridLoop) isFirst(v *ir.Value, axis int) bool {
	c, known := ir.IntOf(v)
	if g.op.Code == ir.OpFieldFor {
		return known && c == g.low[axis]
	}
	low, constant := ir.IntOf(g.lo[axis])
	return v == g.lo[axis] || known && constant && c == low
}

// isLast reports whether v is the last index of an axis.
func (g *gridLoop) isLast(v *ir.Value, axis int) bool {
	if g.isLength(v, axis, -1) {
		return true
	}
	c, known := ir.IntOf(v)
	if g.op.Code == ir.OpFieldFor {
		return known && c == g.low[axis]+g.size[axis]-1
	}
	high, constant := ir.IntOf(g.hi[axis])
	return known && constant && c == high-1
}

// signed is a distance that is added to a number of 32 or 64 bits, below zero where that is meant: of an unsigned number i-1 is i+0xffffffff.
func signed(k ir.Kind, n int64) int64 {
	if k.Bits() == 32 {
		return int64(int32(n))
	}
	return n
}

// chosen is shift for a neighbour across the border: i+1, but 0 at the end, or i-1, but the last at the
// beginning.
func (g *gridLoop) chosen(condition, then, els *ir.Value) (s shift, ok bool) {
	if s, ok = g.congruent(then, els); ok {
		return s, true
	}
	cond := condition.Def
	if cond == nil || len(cond.Args) != 2 {
		return s, false
	}
	code := cond.Code
	if t, ok := g.shift(then); ok && t.axis >= 0 { // exchange the branches
		then, els = els, then
		code = map[ir.Code]ir.Code{ir.OpLt: ir.OpGe, ir.OpGe: ir.OpLt, ir.OpLe: ir.OpGt, ir.OpGt: ir.OpLe, ir.OpNe: ir.OpEq}[code]
	}
	beyond := int64(0) // i > n is i >= n+1, and i <= n is i < n+1
	switch code {
	case ir.OpGt:
		code, beyond = ir.OpGe, 1
	case ir.OpLe:
		code, beyond = ir.OpLt, 1
	}
	s, ok = g.shift(els)
	if !ok || s.axis < 0 || s.lengths != 0 || s.ends() {
		return s, false
	}
	tested, ok := g.shift(cond.Args[0])
	if !ok || tested.axis != s.axis || tested.lengths != 0 || tested.ends() {
		return s, false
	}
	s.wraps = true
	border, known := ir.IntOf(cond.Args[1])
	plus := tested.add - 1 - beyond // the border is the length plus that
	if code != ir.OpEq && cond.Args[0].Type.Kind.IsUnsigned() && (tested.add < 0 || plus < -1 && !known) {
		return s, false // what is below 0 is large
	}
	switch zero, isConst := ir.IntOf(then); {
	case s.add == 1 && isConst && zero == 0: // tested reaches the end
		return s, g.isLength(cond.Args[1], s.axis, plus) && (code == ir.OpGe || code == ir.OpEq)
	case s.add == -1 && g.isLength(then, s.axis, -1):
		// tested is below 0, or 0 itself, where i is 0
		return s, known && (code == ir.OpLt && border+beyond == tested.add+1 || code == ir.OpEq && border == tested.add)
	}
	return s, false
}

// congruent is shift for one of two indices, whatever chooses, that differ by a multiple of the length: where an element has the number, it is the right one.
func (g *gridLoop) congruent(x, y *ir.Value) (s shift, ok bool) {
	s, ok = g.shift(x)
	t, ok2 := g.shift(y)
	if !ok || !ok2 || s.axis < 0 || s.axis != t.axis || s.low || s.high || t.low || t.high || x.Type.Kind.IsUnsigned() {
		return s, false
	}
	n, _, ok := g.length(s.axis)
	if !ok || n <= 0 || (s.add-t.add)%n != 0 {
		return s, false
	}
	s.wraps, s.within = true, anywhere
	return s, true
}

// mayBe reports whether an axis of a field determines which iteration has loaded an element at s, the index being in the range of the field.
func (g *gridLoop) mayBe(s shift, f *ir.Field, axis int) bool {
	low := int64(0)
	if axis < len(f.Origin) {
		low = f.Origin[axis]
	}
	switch {
	case s.axis < 0 || !s.wraps:
		return s.lengths == 0
	case s.within == signedly:
		return low >= 0
	case s.within == anywhere:
		n, _, _ := g.length(s.axis)
		return low == 0 && f.Shape[axis] == n && !isFar(n) // nor is s.add: a sum of both has 31 bits at most
	}
	return true
}
