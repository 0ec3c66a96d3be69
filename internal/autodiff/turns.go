package autodiff

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// Calls of long functions, and of those with values of several lanes, take turns in a loop: so there is their code once.

// longFunction is the number of ops from which on a function is long.
const longFunction = 1 << 10

// isLong reports whether the tangents of a call take turns.
func isLong(o *ir.Op) bool {
	return slices.ContainsFunc(o.Args, isWhole) || slices.ContainsFunc(o.Results, isWhole) || o.Func.Tangent != nil && o.Func.Tangent.Body.Size() >= longFunction
}

// inTurns is callTangent as a loop: the first turn takes the finite tangents, and if there are others, one follows for
// each number among the arguments.
func (w *forwarder) inTurns(o *ir.Op, wild *ir.Value, finite map[*ir.Value]*ir.Value) []*ir.Value {
	args := w.varying(o)
	i32, number := ir.Scalar(ir.I32), args[0].Type.Elem()
	types := typesOf(floats(o.Results))
	init := make([]*ir.Value, len(types))
	for i, t := range types {
		init[i] = w.b.Const(t, 0)
	}
	turns := w.b.Op(ir.OpSelect, wild, w.b.Int(i32, int64(1+lanesOf(args))), w.b.Int(i32, 1))
	return w.turns(turns, init, func(turn *ir.Value, sums []*ir.Value) []*ir.Value {
		first := w.b.Op(ir.OpEq, turn, w.b.Int(i32, 0))
		given := append([]ir.Type{ir.Scalar(ir.Bool), number}, typesOf(args)...)
		seeds := w.b.If(first, given, func() {
			list := []*ir.Value{w.b.Const(ir.Scalar(ir.Bool), 1), w.b.Float(number, 1)}
			for _, a := range args {
				list = append(list, finite[a])
			}
			w.b.Yield(list...)
		}, func() {
			at := w.b.Op(ir.OpSub, turn, w.b.Int(i32, 1))
			tangents := make([]*ir.Value, len(args))
			for i, a := range args {
				tangents[i] = w.tangents[a]
			}
			d := w.b.Load(number, w.cell(w.inRow(number.Kind, tangents), at))
			w.b.Yield(append([]*ir.Value{isWild(w.b, d), d}, w.unitAt(args, at, w.largest(w.of(floats(o.Args)...)))...)...)
		})
		return w.b.If(seeds[0], types, func() {
			columns := w.changes(o, func(a *ir.Value) *ir.Value {
				if i := slices.Index(args, a); i >= 0 {
					return seeds[2+i]
				}
				return nil
			})
			w.b.Yield(w.b.If(first, types, func() { w.b.Yield(columns...) }, func() {
				after := make([]*ir.Value, len(columns))
				for i, c := range columns {
					product := w.b.Op(ir.OpMul, c, splat(w.b, seeds[1], c.Type))
					after[i] = w.b.Op(ir.OpAdd, sums[i], w.b.Op(ir.OpSelect, nothing(w.b, c), w.b.Float(c.Type, 0), product))
				}
				w.b.Yield(after...)
			})...)
		}, func() { w.b.Yield(sums...) })
	})
}

// turns emits a loop of n iterations that carries values.
func (w *forwarder) turns(n *ir.Value, init []*ir.Value, f func(turn *ir.Value, carried []*ir.Value) []*ir.Value) []*ir.Value {
	loop := ir.NewOp(ir.OpFor, w.b.Pos, typesOf(init), slices.Concat([]*ir.Value{w.b.Int(n.Type, 0), n}, init)...)
	body := loop.Regions[0]
	turn := body.AddParam(n.Type, "")
	for _, v := range init {
		body.AddParam(v.Type, "")
	}
	w.b.Emit(loop)
	w.b.In(body, func() { w.b.Jump(ir.OpContinue, loop, f(turn, body.Params[1:])...) })
	return loop.Results
}

func typesOf(vs []*ir.Value) []ir.Type {
	types := make([]ir.Type, len(vs))
	for i, v := range vs {
		types[i] = v.Type
	}
	return types
}

// lanesOf counts the numbers in values.
func lanesOf(vs []*ir.Value) (n int) {
	for _, v := range vs {
		n += int(v.Type.Lanes)
	}
	return n
}

// splat gives every lane of type t the number v.
func splat(b *ir.Builder, v *ir.Value, t ir.Type) *ir.Value {
	if t.Lanes == 1 {
		return v
	}
	return b.OpOf(ir.OpSplat, t, v)
}

func (w *forwarder) cell(array, i *ir.Value) *ir.Value {
	c := w.b.Op(ir.OpCell, array, i)
	c.Def.Flags |= ir.InBounds
	return c
}

// inRow is a new array of the numbers in values, one after the other.
func (w *forwarder) inRow(kind ir.Kind, vs []*ir.Value) *ir.Value {
	array := w.b.Alloc(kind, lanesOf(vs), "")
	array.Def.Flags |= ir.Unset
	n := int64(0)
	for _, v := range vs {
		w.b.Store(w.cell(array, w.b.Int(ir.Scalar(ir.I32), n)), v)
		n += int64(v.Type.Lanes)
	}
	return array
}

// unitAt are values like those of like, of which the number at is unit and the others are 0.
func (w *forwarder) unitAt(like []*ir.Value, at, unit *ir.Value) []*ir.Value {
	array := w.b.Alloc(unit.Type.Kind, lanesOf(like), "")
	w.b.Store(w.cell(array, at), unit)
	vs := make([]*ir.Value, len(like))
	n := int64(0)
	for i, v := range like {
		vs[i] = w.b.Load(v.Type, w.cell(array, w.b.Int(ir.Scalar(ir.I32), n)))
		n += int64(v.Type.Lanes)
	}
	return vs
}

// largest is sizeOf for any number of numbers.
func (w *forwarder) largest(vs []*ir.Value) *ir.Value {
	number := vs[0].Type.Elem()
	array := w.inRow(number.Kind, vs)
	n := w.b.Int(ir.Scalar(ir.I32), int64(lanesOf(vs)))
	return powerAt(w.b, w.turns(n, []*ir.Value{w.b.Float(number, 0)}, func(i *ir.Value, size []*ir.Value) []*ir.Value {
		return []*ir.Value{w.b.Op(ir.OpMax, size[0], w.b.Op(ir.OpAbs, w.b.Load(number, w.cell(array, i))))}
	})[0])
}

// rows emits the tangents of the results of a call by its derivative, which is evaluated for one number of the results
// after the other.
func (w *forwarder) rows(o *ir.Op) []*ir.Value {
	results := floats(o.Results)
	arrays, offsets := make([]*ir.Value, len(results)), make([]int64, len(results))
	for i, r := range results {
		arrays[i] = w.b.Alloc(r.Type.Kind, int(r.Type.Lanes), "")
		offsets[i] = int64(lanesOf(results[:i]))
	}
	i32 := ir.Scalar(ir.I32)
	w.turns(w.b.Int(i32, int64(lanesOf(results))), nil, func(turn *ir.Value, _ []*ir.Value) []*ir.Value {
		// at is the number of a lane of result i, which the turn may be about.
		at := func(i int) (lane, is *ir.Value) {
			lane = w.b.Op(ir.OpSub, turn, w.b.Int(i32, offsets[i]))
			begun := w.b.Op(ir.OpGe, lane, w.b.Int(i32, 0))
			return lane, w.b.Op(ir.OpAnd, begun, w.b.Op(ir.OpLt, lane, w.b.Int(i32, int64(results[i].Type.Lanes))))
		}
		seeds := map[*ir.Value]*ir.Value{}
		for i, r := range results {
			array := w.b.Alloc(r.Type.Kind, int(r.Type.Lanes), "")
			lane, is := at(i)
			w.b.If(is, nil, func() {
				w.b.Store(w.cell(array, lane), w.b.Float(r.Type.Elem(), 1))
				w.b.Yield()
			}, func() { w.b.Yield() })
			seeds[r] = w.b.Load(r.Type, array)
		}
		back := callRule(w.b, o, w.value, func(v *ir.Value) *ir.Value { return seeds[v] })
		for i, r := range results {
			lane, is := at(i)
			w.b.If(is, nil, func() {
				w.b.Store(w.cell(arrays[i], lane), w.rowTimesTangent(o, r.Type.Elem(), back))
				w.b.Yield()
			}, func() { w.b.Yield() })
		}
		return nil
	})
	out := make([]*ir.Value, len(results))
	for i, r := range results {
		out[i] = w.b.Load(r.Type, arrays[i])
	}
	return out
}
