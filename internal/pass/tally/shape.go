package tally

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/scalar"
	"github.com/gotaichi/ti/internal/tally"
)

// This file knows by its shape what a meter has appended for numbers of 32 bits, after other passes have made reductions of the updates.
// What has another shape stays as it is, and is only slower.

// Infinity is the bits of an infinite f32.
const Infinity = 255 << 23

// Exponent returns the f32 whose exponent field v is, nil if it is none.
func Exponent(v *ir.Value) *ir.Value {
	if v.Def == nil || v.Def.Code != ir.OpAnd || !ir.IsInt(v.Def.Args[1], 255) {
		return nil
	}
	shift := v.Def.Args[0].Def
	if shift == nil || shift.Code != ir.OpShr || !ir.IsInt(shift.Args[1], 23) {
		return nil
	}
	if x := bitsOf(shift.Args[0]); x != nil && x.Type == ir.Scalar(ir.F32) {
		return x
	}
	return nil
}

// An Update is how an iteration changes a variable: to what Code gives of it and By.
type Update struct {
	Code ir.Code
	By   *ir.Value
}

// An End is one of the ends of the numbers that are stored.
type End uint8

// The ends.
const (
	NoEnd    End = iota
	Least        // of all
	Largest      // of all
	Smallest     // magnitude of those that are not 0
)

// End returns the number of which u keeps an end, and which; nil for another update.
func (u Update) End() (w *ir.Value, end End) {
	if u.By.Def == nil || u.By.Def.Code != ir.OpConvert {
		return nil, NoEnd
	}
	sum := u.By.Def.Args[0].Def
	if sum == nil || sum.Code != ir.OpAdd || sum.Results[0].Type != ir.Scalar(ir.I32) {
		return nil, NoEnd
	}
	is := func(code ir.Code, entry int) bool {
		return u.Code == code && ir.IsInt(sum.Args[1], tally.Shift(scalar.F32, entry))
	}
	key, size := keyOf(sum.Args[0]), sizeOf(sum.Args[0])
	switch {
	case key != nil && is(ir.OpMin, tally.AtLeast):
		return key, Least
	case key != nil && is(ir.OpMax, tally.AtLargest):
		return key, Largest
	case size != nil && is(ir.OpMin, tally.AtSmallest):
		return size, Smallest
	}
	return nil, NoEnd
}

// LargestError returns the error of which u keeps the largest that is finite; nil for another update.
func (u Update) LargestError() *ir.Value {
	pick := u.By.Def
	if pick != nil && pick.Code == ir.OpConvert {
		pick = pick.Args[0].Def
	}
	if u.Code != ir.OpMax || pick == nil || pick.Code != ir.OpSelect || !ir.IsInt(pick.Args[2], 0) {
		return nil
	}
	if e := sizeOf(pick.Args[1]); e != nil && isFinite(pick.Args[0], e) {
		return e
	}
	return nil
}

// SumOfErrors returns the error that u adds if it is finite; nil for another update.
func (u Update) SumOfErrors() *ir.Value {
	pick := u.By.Def
	if u.Code != ir.OpAdd || pick == nil || pick.Code != ir.OpSelect || !isZero(pick.Args[2]) {
		return nil
	}
	wide := pick.Args[1]
	if wide.Def == nil || wide.Def.Code != ir.OpConvert || wide.Type.Kind != ir.F64 || !isFinite(pick.Args[0], wide.Def.Args[0]) {
		return nil
	}
	return wide.Def.Args[0]
}

// Condition returns what u counts how often it holds; nil for another update.
func (u Update) Condition() *ir.Value {
	pick := u.By.Def
	if u.Code != ir.OpAdd || pick == nil || pick.Code != ir.OpSelect || !ir.IsInt(pick.Args[1], 1) || !ir.IsInt(pick.Args[2], 0) {
		return nil
	}
	return pick.Args[0]
}

// Absorbed returns what was there if c says that w is another number, and now the same; nil for another condition.
func Absorbed(c, w, now *ir.Value) (old *ir.Value) {
	if c.Def == nil || c.Def.Code != ir.OpAnd {
		return nil
	}
	x, y := c.Def.Args[0].Def, c.Def.Args[1].Def
	if x == nil || x.Code != ir.OpNe || x.Args[0] != w || y == nil || y.Code != ir.OpEq || y.Args[0] != now || y.Args[1] != x.Args[1] {
		return nil
	}
	return y.Args[1]
}

// Clamped returns the ends of the form if c says that w is beyond them; nil for another condition.
func Clamped(c, w *ir.Value) (lo, hi *ir.Value) {
	if c.Def == nil || c.Def.Code != ir.OpOr {
		return nil, nil
	}
	below, above := c.Def.Args[0].Def, c.Def.Args[1].Def
	if below == nil || below.Code != ir.OpLt || below.Args[0] != w || above == nil || above.Code != ir.OpGt || above.Args[0] != w ||
		!ir.IsConst(below.Args[1]) || !ir.IsConst(above.Args[1]) {
		return nil, nil
	}
	return below.Args[1], above.Args[1]
}

// Flushed reports whether c says that w is not zero and now is. Where it says so only of a w that is not clamped, it also returns the ends
// of the form.
func Flushed(c, w, now *ir.Value) (lo, hi *ir.Value, is bool) {
	if c.Def == nil || c.Def.Code != ir.OpAnd {
		return nil, nil, false
	}
	x, y := c.Def.Args[0], c.Def.Args[1]
	if y.Def != nil && y.Def.Code == ir.OpNot {
		lo, hi = Clamped(y.Def.Args[0], w)
		_, _, is = Flushed(x, w, now)
		return lo, hi, is && lo != nil
	}
	zero := func(v *ir.Value, code ir.Code, of *ir.Value) bool {
		return v.Def != nil && v.Def.Code == code && v.Def.Args[0] == of && isZero(v.Def.Args[1])
	}
	return nil, nil, zero(x, ir.OpNe, w) && zero(y, ir.OpEq, now)
}

// bitsOf returns the number that v has the bits of, nil if there is none.
func bitsOf(v *ir.Value) *ir.Value {
	if v.Def == nil || v.Def.Code != ir.OpBitcast {
		return nil
	}
	return v.Def.Args[0]
}

// sizeOf returns the number whose magnitude v has the bits of, nil if there is none.
func sizeOf(v *ir.Value) *ir.Value {
	if v.Def == nil || v.Def.Code != ir.OpAnd || !ir.IsInt(v.Def.Args[1], math.MaxInt32) {
		return nil
	}
	return bitsOf(v.Def.Args[0])
}

// keyOf returns the number that v is the key of, as floatkey.Flip makes it; nil if there is none.
func keyOf(v *ir.Value) *ir.Value {
	if v.Def == nil || v.Def.Code != ir.OpOr {
		return nil
	}
	flipped, sign := v.Def.Args[0].Def, v.Def.Args[1].Def
	if flipped == nil || flipped.Code != ir.OpXor || sign == nil || sign.Code != ir.OpAnd || !ir.IsInt(sign.Args[1], math.MinInt32) {
		return nil
	}
	bits := sign.Args[0]
	if below := flipped.Args[1].Def; flipped.Args[0] != bits || below == nil || below.Code != ir.OpShr || below.Args[0] != bits || !ir.IsInt(below.Args[1], 31) {
		return nil
	}
	return bitsOf(bits)
}

// isFinite reports whether c says that e is less than infinity.
func isFinite(c, e *ir.Value) bool {
	return c.Def != nil && c.Def.Code == ir.OpLt && sizeOf(c.Def.Args[0]) == e && ir.IsInt(c.Def.Args[1], Infinity)
}

// isZero reports whether v is the constant 0.
func isZero(v *ir.Value) bool {
	bits, ok := ir.ConstOf(v)
	return ok && bits == 0
}
