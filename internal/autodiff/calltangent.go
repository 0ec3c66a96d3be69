package autodiff

import (
	"math"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// A function that computes tangents of results adds up products of them. A tangent that is infinite or NaN would make NaN of what does
// not depend on it, as a product with 0, and of what does, where it comes in twice with different signs. So the function is given finite
// tangents only. What is not finite is rare, and multiplied by the derivatives themselves: these are how results change with that argument
// alone, and one that is 0 makes 0 of it, as in op.

// callTangent emits the tangents of the results of o that are floats, by the function that computes them. All are of one type.
func (w *forwarder) callTangent(o *ir.Op) []*ir.Value {
	var wild *ir.Value // whether a tangent is not finite
	finite := map[*ir.Value]*ir.Value{}
	for _, a := range floats(o.Args) {
		d := w.tangents[a]
		if d == nil {
			continue
		}
		is := isWild(w.b, d)
		finite[a] = w.b.Op(ir.OpSelect, is, w.b.Float(d.Type, 0), d)
		is = anyLane(w.b, is)
		if wild != nil {
			is = w.b.Op(ir.OpOr, wild, is)
		}
		wild = is
	}
	if isLong(o) {
		return w.inTurns(o, wild, finite)
	}
	changes := w.changes(o, func(a *ir.Value) *ir.Value { return finite[a] })
	types := make([]ir.Type, len(changes))
	for i, c := range changes {
		types[i] = c.Type
	}
	return w.b.If(wild, types, func() { w.b.Yield(w.addWild(o, changes)...) }, func() { w.b.Yield(changes...) })
}

// changes emits how the results of o change with its arguments; d gives how these do, nil for 0.
func (w *forwarder) changes(o *ir.Op, d func(a *ir.Value) *ir.Value) []*ir.Value {
	args := w.of(slices.Concat(o.Args, o.Results)...)
	for _, a := range floats(o.Args) {
		by := d(a)
		if by == nil {
			by = w.b.Const(a.Type, 0)
		}
		args = append(args, by)
	}
	return w.b.Call(o.Func.Tangent, args...)
}

// varying are the arguments of o that have tangents.
func (w *forwarder) varying(o *ir.Op) []*ir.Value {
	return slices.DeleteFunc(floats(o.Args), func(a *ir.Value) bool { return w.tangents[a] == nil })
}

// addWild adds to the tangents of the results of o what those of its arguments make of them that are not finite: one after the other.
func (w *forwarder) addWild(o *ir.Op, sums []*ir.Value) []*ir.Value {
	args := w.varying(o)
	unit := w.sizeOf(floats(o.Args))
	i32 := ir.Scalar(ir.I32)
	types := make([]ir.Type, len(sums))
	for i, s := range sums {
		types[i] = s.Type
	}
	loop := ir.NewOp(ir.OpFor, w.b.Pos, types, slices.Concat([]*ir.Value{w.b.Int(i32, 0), w.b.Int(i32, int64(len(args)))}, sums)...)
	body := loop.Regions[0]
	turn := body.AddParam(i32, "")
	for _, t := range types {
		body.AddParam(t, "")
	}
	w.b.Emit(loop)
	w.b.In(body, func() {
		is := map[*ir.Value]*ir.Value{}
		d := w.tangents[args[0]]
		for i, a := range args {
			is[a] = w.b.Op(ir.OpEq, turn, w.b.Int(i32, int64(i)))
			if i > 0 {
				d = w.b.Op(ir.OpSelect, is[a], w.tangents[a], d)
			}
		}
		before := body.Params[1:]
		w.b.Jump(ir.OpContinue, loop, w.b.If(isWild(w.b, d), types, func() {
			columns := w.changes(o, func(a *ir.Value) *ir.Value {
				if is[a] == nil {
					return nil
				}
				return w.b.Op(ir.OpSelect, is[a], unit, w.b.Float(a.Type, 0))
			})
			after := make([]*ir.Value, len(columns))
			for i, c := range columns {
				product := w.b.Op(ir.OpMul, c, d)
				after[i] = w.b.Op(ir.OpAdd, before[i], w.b.Op(ir.OpSelect, nothing(w.b, c), w.b.Float(c.Type, 0), product))
			}
			w.b.Yield(after...)
		}, func() { w.b.Yield(before...) })...)
	})
	return loop.Results
}

// isWild emits whether a float is infinite or NaN.
func isWild(b *ir.Builder, d *ir.Value) *ir.Value {
	return b.Op(ir.OpOr, b.Op(ir.OpIsNaN, d), b.Op(ir.OpIsInf, d))
}

// sizeOf emits the power of two next to the largest magnitude of arguments, 1 where all are 0. A change as large as the arguments makes
// results change as much as they are large: with a change of 1, that of the inverse of a huge matrix would be 0.
func (w *forwarder) sizeOf(args []*ir.Value) *ir.Value {
	var size *ir.Value
	for _, a := range args {
		v := w.b.Op(ir.OpAbs, w.value(a))
		if size == nil {
			size = v
		} else {
			size = w.b.Op(ir.OpMax, size, v)
		}
	}
	return powerAt(w.b, size)
}

// powerAt emits the power of two next to a size, 1 for 0.
func powerAt(b *ir.Builder, size *ir.Value) *ir.Value {
	kind := size.Type.Kind
	exponent := ir.FloatBits(kind, math.Inf(1))
	bits := kind.Unsigned()
	whole := b.Bitcast(b.Op(ir.OpAnd, b.Bitcast(size, bits), b.Const(size.Type.With(bits), exponent)), kind)
	return b.Op(ir.OpSelect, nothing(b, whole), b.Float(size.Type, 1), whole)
}
