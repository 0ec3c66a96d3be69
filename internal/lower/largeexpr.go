package lower

import (
	"fmt"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/typed"
)

// eval lowers an expression with one result of any number of components.
func (l *lowerer) eval(e typed.Expr) value {
	if l.large(e.Type()) {
		return value{bulk: l.bulk(e)}
	}
	return value{list: l.expr(e)}
}

// bulk lowers an expression of many components. Its side effects happen at once; the
// components are computed when an op needs them.
func (l *lowerer) bulk(e typed.Expr) *bulk {
	l.at(e.Position())
	b := l.bulkOf(e)
	b.kind = ir.Invalid
	if s := typed.ScalarOf(e.Type()); s != typed.Unknown {
		b.kind = kindOf(s)
	}
	if (l.debug || l.checkNaN) && b.place == nil {
		return l.keep(b) // also checks components that nothing needs
	}
	return b
}

func (l *lowerer) bulkOf(e typed.Expr) *bulk {
	switch e := e.(type) {
	case *typed.Const:
		return l.bulkConst(e)
	case *typed.VarRef, *typed.Element, *typed.SliceElement, *typed.Index:
		return l.inPlace(l.place(e), e.Type())
	case *typed.Extract:
		if isPlace(e) {
			return l.inPlace(l.place(e), e.T)
		}
		return l.part(l.eval(e.X), e)
	case *typed.Compose:
		return l.bulkCompose(e)
	case *typed.Splat:
		x := l.expr(e.X)[0]
		return &bulk{t: e.T, at: func(way) *ir.Value { return x }}
	case *typed.Convert:
		k := kindOf(typed.ScalarOf(e.T))
		return l.derived(e, []value{l.eval(e.X)}, func(xs []*ir.Value) *ir.Value { return l.convertTo(xs[0], k) })
	case *typed.Unary:
		return l.derived(e, []value{l.eval(e.X)}, func(xs []*ir.Value) *ir.Value { return l.op(unaryCode(e.Op), xs[0]) })
	case *typed.Binary:
		xs := l.evalInOrder(e.X, e.Y)
		if e.Op == typed.MatMul {
			return l.product(e.T, xs[0], xs[1], e.X.Type(), e.Y.Type())
		}
		b := l.derived(e, xs, func(xs []*ir.Value) *ir.Value { return l.elementwise(e.Op, xs[:1], xs[1:])[0] })
		b.t = e.X.Type() // of a comparison of structs, as these are
		return b
	case *typed.Call:
		return l.call(e)[0].bulk
	case *typed.Builtin:
		return l.largeBuiltin(e).bulk
	case *typed.Atomic:
		return l.bulkAtomic(e)
	}
	panic(fmt.Sprintf("lower: no rule for expression %T", e))
}

// evalInOrder evaluates the operands of one op, left to right. A bulk before an operand
// with effects is computed first.
func (l *lowerer) evalInOrder(es ...typed.Expr) []value {
	vs := make([]value, len(es))
	for i, e := range es {
		vs[i] = l.eval(e)
		if vs[i].bulk != nil && slices.ContainsFunc(es[i+1:], hasEffects) {
			vs[i].bulk = l.keep(vs[i].bulk)
		}
	}
	return vs
}

// hasEffects reports whether evaluating e may write memory.
func hasEffects(e typed.Expr) bool {
	switch e.(type) {
	case *typed.Call, *typed.Atomic, *typed.CellOp:
		return true
	}
	return slices.ContainsFunc(typed.Operands(e), hasEffects)
}

// derived is a bulk whose component at w is f of the components of xs there. A list
// of one component stands for any.
func (l *lowerer) derived(e typed.Expr, xs []value, f func(xs []*ir.Value) *ir.Value) *bulk {
	b := &bulk{t: e.Type()}
	for _, x := range xs {
		if x.bulk != nil {
			b.reads = append(b.reads, x.bulk.reads...)
		}
	}
	b.at = func(w way) *ir.Value {
		args := make([]*ir.Value, len(xs))
		for i, x := range xs {
			if x.bulk != nil {
				args[i] = x.bulk.at(w)
			} else {
				args[i] = x.list[0]
			}
		}
		l.at(e.Position())
		return f(args)
	}
	return b
}

// shuffled is a bulk whose component at w is that of x at from(w).
func (l *lowerer) shuffled(t typed.Type, x *bulk, from func(w way) way) *bulk {
	return &bulk{t: t, reads: unaligned(x.reads), at: func(w way) *ir.Value { return x.at(from(w)) }}
}

// unaligned returns a copy of rs in which no read is aligned.
func unaligned(rs []read) []read {
	out := slices.Clone(rs)
	for i := range out {
		out[i].aligned = false
	}
	return out
}

// part is the part of x that an Extract selects: a member, an element, or a swizzle.
func (l *lowerer) part(x value, e *typed.Extract) *bulk {
	first, last := e.Comps[0], e.Comps[len(e.Comps)-1]
	if _, ok := evenParts(e.Comps, 1); x.bulk != nil && ok && last-first == len(e.Comps)-1 && e.T != e.X.Type() {
		if prefix, ok := l.wayTo(x.bulk.t, first, e.T); ok {
			return l.shuffled(e.T, x.bulk, prefix.through)
		}
	}
	if from, step, ok := elementsOf(e); ok && x.bulk != nil {
		return l.shuffled(e.T, x.bulk, func(w way) way {
			i := l.b.Op(ir.OpAdd, l.b.Op(ir.OpMul, w[0].index, l.int(int64(step))), l.int(int64(from)))
			return append(way{{index: i}}, w[1:]...)
		})
	}
	list := l.listed([]value{x})
	swizzle := make([]*ir.Value, len(e.Comps))
	for i, c := range e.Comps {
		swizzle[i] = list[c]
	}
	return l.asBulk(value{list: swizzle}, e.T)
}

// elementsOf reports whether an Extract is a part of an array: its elements from, from+step
// and so on.
func elementsOf(e *typed.Extract) (from, step int, ok bool) {
	t, isArray := e.X.Type().(typed.Array)
	r, stays := e.T.(typed.Array)
	if !isArray || !stays || t.Elem != r.Elem {
		return 0, 0, false
	}
	size := typed.Components(t.Elem)
	stride, even := evenParts(e.Comps, size)
	if !even || !inRow(e.Comps[:size]) || e.Comps[0]%size != 0 || stride%size != 0 {
		return 0, 0, false
	}
	return e.Comps[0] / size, stride / size, true
}

// components returns those of b that comps numbers.
func (l *lowerer) components(b *bulk, comps []int) []*ir.Value {
	vals := make([]*ir.Value, len(comps))
	for i, c := range comps {
		w, _ := l.wayTo(b.t, c, nil)
		vals[i] = b.at(w)
	}
	return vals
}

// bulkConst lowers a constant. It needs no table if all components are equal, or if it is
// a matrix with one number on its diagonal and one elsewhere.
func (l *lowerer) bulkConst(e *typed.Const) *bulk {
	k := kindsOf(e.T)
	if typed.HasStruct(e.T) {
		return l.inPlace(l.place(e), e.T)
	}
	bits := func(i int) uint64 { return constBits(k[0], e.Vals[i]) }
	number := func(i int) *ir.Value { return l.b.Const(ir.Scalar(k[0]), bits(i)) }
	d := typed.Dims(e.T)
	same, diagonal := true, len(d) == 2 && d[0] == d[1] && d[0] > 1
	for i := range e.Vals {
		same = same && bits(i) == bits(0)
		if diagonal {
			as := 1
			if i/d[1] == i%d[1] {
				as = 0
			}
			diagonal = bits(i) == bits(as)
		}
	}
	switch {
	case same:
		return &bulk{t: e.T, at: func(way) *ir.Value { return number(0) }}
	case diagonal:
		return &bulk{t: e.T, at: func(w way) *ir.Value {
			return l.b.Op(ir.OpSelect, l.onDiagonalAt(w), number(0), number(1))
		}}
	}
	return l.inPlace(l.place(e), e.T)
}

// onDiagonalAt tests whether w leads to the diagonal of a matrix.
func (l *lowerer) onDiagonalAt(w way) *ir.Value { return l.b.Op(ir.OpEq, w[0].index, w[1].index) }

// bulkCompose joins values in memory.
func (l *lowerer) bulkCompose(e *typed.Compose) *bulk {
	p := l.memory(kindsOf(e.T), 0)
	c := 0
	for _, x := range e.Elems {
		n := typed.Components(x.Type())
		part := *p
		part.comps = p.comps[c : c+n : c+n]
		c += n
		v := l.eval(x)
		l.at(x.Position())
		if v.bulk != nil {
			l.storeBulk(&part, v.bulk)
			continue
		}
		for i, y := range v.list {
			if bits, ok := ir.ConstOf(y); !ok || bits != 0 { // the memory is zero already
				l.b.Store(l.newPtr(&part, part.comps[i]), y)
			}
		}
	}
	return l.own(p, e.T)
}

// bulkAtomic updates the components one by one, and returns their old values.
func (l *lowerer) bulkAtomic(e *typed.Atomic) *bulk {
	p := l.place(e.Place)
	b := l.bulk(e.Value)
	if b.conflicts(p) {
		b = l.keep(b)
	}
	l.at(e.Pos)
	old := l.memory(kindsOf(e.T), ir.Unset)
	kind := atomicKinds[e.Op]
	a := &assignment{l: l}
	var of []way
	a.over(p, e.T, func(w way, joined bool) {
		v := b.at(w)
		l.at(e.Pos)
		if joined {
			a.join(p, p.comps[number(e.T, w)], v)
			of = append(of, w)
			return
		}
		was := l.atomicAt(kind, l.ptrAt(p, e.T, w), v)
		if !e.Used {
			l.updates(was)
		}
		l.b.Store(l.ptrAt(old, e.T, w), was)
	})
	for i, v := range a.updateChecked(kind) {
		if !e.Used {
			l.updates(v)
		}
		l.b.Store(l.ptrAt(old, e.T, of[i]), v)
	}
	return l.own(old, e.T)
}

// all returns the numbers of all components.
func (b *bulk) all() []int {
	comps := make([]int, typed.Components(b.t))
	for i := range comps {
		comps[i] = i
	}
	return comps
}
