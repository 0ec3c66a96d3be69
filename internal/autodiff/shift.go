package autodiff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
)

// A shift is an index of an iteration that another one can be found from: a loop index plus a constant, maybe
// modulo the length of the loop, or what all iterations have alike.
type shift struct {
	axis  int       // of the loop; -1 for an index that all iterations have alike
	same  *ir.Value // that index
	add   int64
	wraps bool // modulo the length of the loop, which begins at 0
}

// A gridLoop is a parallel loop as the gather needs it: its indices, and their ranges.
type gridLoop struct {
	f      *facts
	op     *ir.Op
	lo, hi []*ir.Value // of a parfor
	low    []int64     // of a fieldfor
	size   []int64
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
	if x.Sparse || len(x.Shape) != len(o.Regions[0].Params) {
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
		c, known := ir.IntOf(o.Args[1])
		s, ok = g.shift(o.Args[0])
		if !known || !ok || s.axis < 0 || s.wraps {
			return s, false
		}
		if o.Code == ir.OpSub {
			c = -c
		}
		s.add = signed(v.Type.Kind, s.add+c)
		return s, true
	case ir.OpRem, ir.OpMod:
		s, ok = g.shift(o.Args[0])
		if !ok || s.axis < 0 || s.wraps || !g.isLength(o.Args[1], s.axis, 0) {
			return s, false
		}
		s.wraps = true
		// The remainder of a negative number is negative, and an unsigned one that is below 0 is large.
		return s, s.add >= 0 || o.Code == ir.OpMod && !v.Type.Kind.IsUnsigned()
	case ir.OpAnd:
		s, ok = g.shift(o.Args[0])
		if !ok || s.axis < 0 || s.wraps || !g.isLength(o.Args[1], s.axis, -1) {
			return s, false
		}
		n, _, _ := g.length(s.axis)
		s.wraps = true
		return s, n > 0 && n&(n-1) == 0
	case ir.OpIf:
		return g.chosen(o.Args[0], o.Regions[0].Terminator().Args[v.Index], o.Regions[1].Terminator().Args[v.Index])
	case ir.OpSelect:
		return g.chosen(o.Args[0], o.Args[1], o.Args[2])
	}
	return s, false
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
	if !ok || s.axis < 0 || s.wraps {
		return s, false
	}
	tested, ok := g.shift(cond.Args[0])
	if !ok || tested.axis != s.axis || tested.wraps {
		return s, false
	}
	s.wraps = true
	n, _, _ := g.length(s.axis)
	border, known := ir.IntOf(cond.Args[1])
	switch zero, isConst := ir.IntOf(then); {
	case s.add == 1 && isConst && zero == 0: // tested reaches the end
		atEnd := g.isLength(cond.Args[1], s.axis, tested.add-1-beyond) || known && n > 0 && border+beyond == n+tested.add-1
		return s, atEnd && (code == ir.OpGe || code == ir.OpEq)
	case s.add == -1 && g.isLength(then, s.axis, -1):
		// tested is below 0, or 0 itself, where i is 0
		return s, known && (code == ir.OpLt && border+beyond == tested.add+1 || code == ir.OpEq && border == tested.add)
	}
	return s, false
}
