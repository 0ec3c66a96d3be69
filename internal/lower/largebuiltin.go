package lower

import (
	"fmt"
	"go/token"
	"math"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/typed"
)

// A largeFn lowers a builtin some of whose arguments, or whose result, are bulks.
type largeFn func(l *lowerer, e *typed.Builtin, xs []value) value

// largeFns has the builtins that are not elementwise.
var largeFns map[typed.Fn]largeFn

func init() { largeFns = largeTable() }

func largeTable() map[typed.Fn]largeFn {
	reduce := func(code ir.Code) largeFn {
		return func(l *lowerer, _ *typed.Builtin, xs []value) value { return listOf(l.reduceBulk(code, xs[0].bulk)) }
	}
	return map[typed.Fn]largeFn{
		typed.Sum: reduce(ir.OpAdd), typed.Product: reduce(ir.OpMul), typed.MinOf: reduce(ir.OpMin),
		typed.MaxOf: reduce(ir.OpMax), typed.All: reduce(ir.OpAnd), typed.Any: reduce(ir.OpOr),
		typed.Dot: func(l *lowerer, _ *typed.Builtin, xs []value) value {
			return listOf(l.bulkDot(xs[0].bulk, xs[1].bulk))
		},
		typed.Length2: func(l *lowerer, _ *typed.Builtin, xs []value) value { return listOf(l.squares(xs[0].bulk)) },
		typed.Length:  func(l *lowerer, _ *typed.Builtin, xs []value) value { return listOf(l.bulkNorm(xs[0].bulk)) },
		typed.Distance: func(l *lowerer, e *typed.Builtin, xs []value) value {
			d := l.derived(e.Args[0], xs, func(xs []*ir.Value) *ir.Value { return l.op(ir.OpSub, xs...) })
			d.kind = xs[0].bulk.kind
			return listOf(l.bulkNorm(d))
		},
		typed.Normalize: largeNormalize, typed.Reflect: largeReflect, typed.Refract: largeRefract,
		typed.Outer2: largeOuter, typed.IfElse: largeIfElse, typed.Transpose: largeTranspose,
		typed.Trace: largeTrace, typed.Diag: largeDiag, typed.Diagonal: largeDiagonal, typed.Cols: largeCols,
		typed.Random: largeRandom, typed.Randn: largeRandom, typed.AssumeInRange: largeAssume,
		typed.LoopUnique: largeFirst, typed.StopGrad: largeFirst,
	}
}

func listOf(x *ir.Value) value { return value{list: one(x)} }

func bulkOf(b *bulk) value { return value{bulk: b} }

// largeBuiltin lowers a call of a builtin on bulks.
func (l *lowerer) largeBuiltin(e *typed.Builtin) value {
	if e.Fn == typed.Col {
		return l.column(e)
	}
	xs := l.evalInOrder(e.Args...)
	l.at(e.Pos)
	if code, ok := mathOps[e.Fn]; ok {
		return bulkOf(l.derived(e, xs, func(xs []*ir.Value) *ir.Value { return l.op(code, xs...) }))
	}
	if f, ok := scalarFns[e.Fn]; ok {
		return bulkOf(l.derived(e, xs, func(xs []*ir.Value) *ir.Value { return f(l, xs) }))
	}
	if e.Fn == typed.Bitcast {
		k := kindOf(typed.ScalarOf(e.T))
		return bulkOf(l.derived(e, xs, func(xs []*ir.Value) *ir.Value { return l.b.Bitcast(xs[0], k) }))
	}
	if f, ok := largeFns[e.Fn]; ok {
		return f(l, e, xs)
	}
	return l.unrolledOnly(e, xs)
}

// unrolledOnly lowers a builtin that exists only for small vectors or matrices. These are
// bulks only if MaxUnrolled is very small.
func (l *lowerer) unrolledOnly(e *typed.Builtin, xs []value) value {
	c := &builtin{Builtin: e}
	for _, x := range xs {
		c.args = append(c.args, l.listed([]value{x}))
	}
	for _, fns := range []map[typed.Fn]func(*lowerer, *builtin) []*ir.Value{vectorFns, matrixFns, otherFns} {
		if f, ok := fns[e.Fn]; ok {
			x := value{list: f(l, c)}
			if l.large(e.T) {
				x.bulk = l.asBulk(x, e.T)
			}
			return x
		}
	}
	panic(fmt.Sprintf("lower: no rule for builtin %s on large values", e.Fn))
}

// isLarge reports whether a builtin has a large argument.
func (l *lowerer) isLarge(e *typed.Builtin) bool {
	for _, x := range e.Args {
		if l.large(x.Type()) {
			return true
		}
	}
	return false
}

// bulkDot is the sum of products.
func (l *lowerer) bulkDot(x, y *bulk) *ir.Value {
	return l.fold(nil, x.t, l.identity(ir.OpAdd, x.kind), func(w way, acc *ir.Value) *ir.Value {
		return l.op(ir.OpAdd, acc, l.op(ir.OpMul, x.at(w), y.at(w)))
	})
}

// squares is the dot product of x with itself.
func (l *lowerer) squares(x *bulk) *ir.Value {
	return l.fold(nil, x.t, l.identity(ir.OpAdd, x.kind), func(w way, acc *ir.Value) *ir.Value {
		v := x.at(w)
		return l.op(ir.OpAdd, acc, l.op(ir.OpMul, v, v))
	})
}

// bulkNorm is the Euclidean length.
func (l *lowerer) bulkNorm(x *bulk) *ir.Value { return l.rootOfSquares(l.squares(x)) }

func largeNormalize(l *lowerer, e *typed.Builtin, xs []value) value {
	x := l.inMemory(xs[0].bulk)
	n := l.bulkNorm(x)
	if l.b.Flags.Has(ir.Strict) {
		return bulkOf(l.derived(e, []value{{bulk: x}}, func(xs []*ir.Value) *ir.Value { return l.div(xs[0], n) }))
	}
	inv := l.div(l.num(n, 1), n)
	return bulkOf(l.derived(e, []value{{bulk: x}}, func(xs []*ir.Value) *ir.Value { return l.mul(xs[0], inv) }))
}

func largeReflect(l *lowerer, e *typed.Builtin, xs []value) value {
	d, n := l.inMemory(xs[0].bulk), l.inMemory(xs[1].bulk)
	t := l.bulkDot(n, d)
	twice := l.mul(l.num(t, 2), t)
	return bulkOf(l.derived(e, []value{{bulk: d}, {bulk: n}}, func(xs []*ir.Value) *ir.Value {
		return l.sub(xs[0], l.mul(xs[1], twice))
	}))
}

func largeRefract(l *lowerer, e *typed.Builtin, xs []value) value {
	d, n, eta := l.inMemory(xs[0].bulk), l.inMemory(xs[1].bulk), xs[2].list[0]
	r := l.refraction(l.bulkDot(n, d), eta)
	return bulkOf(l.derived(e, []value{{bulk: d}, {bulk: n}}, func(xs []*ir.Value) *ir.Value {
		return r.of(l, xs[0], xs[1])
	}))
}

// largeOuter is the matrix of all products; one of the vectors may be short.
func largeOuter(l *lowerer, e *typed.Builtin, xs []value) value {
	x, y := l.asBulk(xs[0], e.Args[0].Type()), l.asBulk(xs[1], e.Args[1].Type())
	reads := append(unaligned(x.reads), unaligned(y.reads)...)
	return bulkOf(&bulk{t: e.T, reads: reads, at: func(w way) *ir.Value {
		a, b := x.at(w[:1]), y.at(w[1:])
		l.at(e.Pos)
		return l.mul(b, a)
	}})
}

// asBulk puts a list into memory.
func (l *lowerer) asBulk(x value, t typed.Type) *bulk {
	if x.bulk != nil {
		return x.bulk
	}
	b := l.inPlace(l.spill(token.Position{}, x.list), t)
	b.kind = x.list[0].Type.Kind
	return b
}

func largeIfElse(l *lowerer, e *typed.Builtin, xs []value) value {
	return bulkOf(l.derived(e, xs, func(xs []*ir.Value) *ir.Value { return l.b.Op(ir.OpSelect, xs...) }))
}

func largeTranspose(l *lowerer, e *typed.Builtin, xs []value) value {
	return bulkOf(l.shuffled(e.T, xs[0].bulk, func(w way) way { return way{w[1], w[0]} }))
}

func largeTrace(l *lowerer, e *typed.Builtin, xs []value) value {
	d := typed.Dims(e.Args[0].Type())
	x := xs[0].bulk
	return listOf(l.carry(0, min(d[0], d[1]), l.identity(ir.OpAdd, x.kind), func(i, acc *ir.Value) *ir.Value {
		return l.add(acc, x.at(way{{index: i}, {index: i}}))
	}))
}

// largeDiag is the diagonal matrix of a vector, or the diagonal of a matrix, which may
// be short.
func largeDiag(l *lowerer, e *typed.Builtin, xs []value) value {
	t := e.Args[0].Type()
	if d := typed.Dims(t); len(d) == 2 {
		x := xs[0].bulk
		if l.large(e.T) {
			return bulkOf(l.shuffled(e.T, x, func(w way) way { return way{w[0], w[0]} }))
		}
		list := make([]*ir.Value, min(d[0], d[1]))
		for i := range list {
			at := selector{index: l.int(int64(i))}
			list[i] = x.at(way{at, at})
		}
		return value{list: list}
	}
	x := l.asBulk(xs[0], t)
	return bulkOf(&bulk{t: e.T, reads: unaligned(x.reads), at: func(w way) *ir.Value {
		v := x.at(w[:1])
		return l.b.Op(ir.OpSelect, l.onDiagonalAt(w), v, l.num(v, 0))
	}})
}

func largeDiagonal(l *lowerer, e *typed.Builtin, xs []value) value {
	v := xs[0].list[0]
	return bulkOf(&bulk{t: e.T, at: func(w way) *ir.Value {
		return l.b.Op(ir.OpSelect, l.onDiagonalAt(w), v, l.num(v, 0))
	}})
}

// largeCols writes each argument into its column.
func largeCols(l *lowerer, e *typed.Builtin, xs []value) value {
	p := l.memory(kindsOf(e.T), ir.Unset)
	rows := typed.Dims(e.T)[0]
	for j, x := range xs {
		col := selector{index: l.int(int64(j))}
		if x.bulk == nil {
			for i := range rows {
				l.b.Store(l.ptrAt(p, e.T, way{{index: l.int(int64(i))}, col}), x.list[i])
			}
			continue
		}
		l.over(x.bulk.t, func(w way) {
			v := x.bulk.at(w)
			l.b.Store(l.ptrAt(p, e.T, w.then(col)), v)
		})
	}
	return bulkOf(l.own(p, e.T))
}

// largeRandom draws a number for each component, in order.
func largeRandom(l *lowerer, e *typed.Builtin, _ []value) value {
	k := kindOf(typed.ScalarOf(e.T))
	return bulkOf(l.keep(&bulk{t: e.T, kind: k, at: func(way) *ir.Value {
		if e.Fn == typed.Randn {
			return l.normal(k)
		}
		return l.uniform(k)
	}}))
}

func largeAssume(l *lowerer, e *typed.Builtin, xs []value) value {
	return bulkOf(l.derived(e, xs, func(xs []*ir.Value) *ir.Value {
		return l.assumed(xs[0], xs[1], xs[2], xs[3])
	}))
}

func largeFirst(_ *lowerer, _ *typed.Builtin, xs []value) value { return xs[0] }

// identity returns the identity element of code, an associative op; nil if there is none.
func (l *lowerer) identity(code ir.Code, k ir.Kind) *ir.Value {
	switch code {
	case ir.OpAdd:
		if k.IsFloat() { // 0 + -0 is 0
			return l.b.Const(ir.Scalar(k), ir.FloatBits(k, math.Copysign(0, -1)))
		}
		return l.zero(k)
	case ir.OpMul:
		return l.numOf(k, 1)
	case ir.OpAnd:
		return l.b.Const(ir.Scalar(ir.Bool), 1)
	case ir.OpOr:
		return l.zero(ir.Bool)
	}
	return nil
}

// reduceBulk combines all components of b, from the first to the last.
func (l *lowerer) reduceBulk(code ir.Code, b *bulk) *ir.Value {
	acc := l.identity(code, b.kind)
	if acc == nil { // min and max: combining the first component twice changes nothing
		first, _ := l.wayTo(b.t, 0, nil)
		acc = b.at(first)
	}
	return l.fold(nil, b.t, acc, func(w way, acc *ir.Value) *ir.Value { return l.op(code, acc, b.at(w)) })
}
