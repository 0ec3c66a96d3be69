package vet

import (
	"slices"

	"github.com/gotaichi/ti/internal/typed"
)

// An affine is one component of an index as far as it is known: the loop's index
// of some axis, or nothing, plus a constant.
type affine struct {
	kind affineKind
	axis int
	add  int64
}

type affineKind uint8

const (
	unknown affineKind = iota
	constant
	loopIndex
)

// access is the access of an element that e stands for; ok is false for another
// expression, or where the component is known at run time only.
func (l *parallel) access(e typed.Expr) (a access, ok bool) {
	switch e := e.(type) {
	case *typed.Element:
		a.object, a.exprs = e.Field, e.Index
		if e.Section != nil { // which element it is depends on where the section begins
			a.exprs, a.pos, a.index = typed.Operands(e), e.Pos, make([]affine, e.Field.Rank)
			return a, true
		}
	case *typed.SliceElement:
		a.object, a.exprs = e.Slice, []typed.Expr{e.Index}
	case *typed.Extract:
		if a, ok = l.access(e.X); !ok || a.comps != nil {
			return a, false
		}
		a.comps, a.pos = e.Comps, e.Position()
		return a, true
	default:
		return a, false
	}
	a.pos = e.Position()
	for _, x := range a.exprs {
		a.index = append(a.index, l.affine(x)...)
	}
	return a, true
}

// affine takes an integer expression apart, component by component.
func (l *parallel) affine(e typed.Expr) []affine {
	none := make([]affine, typed.Components(e.Type()))
	switch e := e.(type) {
	case *typed.Const:
		for i, n := range e.Vals {
			none[i] = affine{kind: constant, add: n.Int()}
		}
	case *typed.VarRef:
		if axis, ok := l.axes[e.Var]; ok {
			return []affine{{kind: loopIndex, axis: axis}}
		}
		if e.Var == l.group {
			for i := range none {
				none[i] = affine{kind: loopIndex, axis: i}
			}
			return none
		}
		if init := l.init[e.Var]; init != nil && typed.ScalarOf(init.Type()).IsInt() {
			return l.affine(init)
		}
	case *typed.Extract:
		from := l.affine(e.X)
		for i, c := range e.Comps {
			none[i] = from[c]
		}
	case *typed.Convert:
		if typed.ScalarOf(e.X.Type()).IsInt() && typed.ScalarOf(e.Type()).Bits() >= typed.ScalarOf(e.X.Type()).Bits() {
			return l.affine(e.X)
		}
	case *typed.Compose:
		var out []affine
		for _, x := range e.Elems {
			out = append(out, l.affine(x)...)
		}
		return out
	case *typed.Splat:
		return slices.Repeat(l.affine(e.X), len(none))
	case *typed.Binary:
		if e.Op == typed.Add || e.Op == typed.Sub {
			return sums(l.affine(e.X), l.affine(e.Y), e.Op)
		}
	}
	return none
}

// sums adds or subtracts component by component, as far as the result is affine.
func sums(x, y []affine, op typed.Op) []affine {
	out := make([]affine, len(x))
	for i := range out {
		a, b := x[i], y[i]
		if op == typed.Add && a.kind == constant {
			a, b = b, a
		}
		if b.kind != constant || a.kind == unknown {
			continue
		}
		if op == typed.Sub {
			b.add = -b.add
		}
		a.add += b.add
		out[i] = a
	}
	return out
}

// unique reports whether an index tells iterations apart.
func (l *parallel) unique(index []affine) bool {
	visited := map[int]bool{}
	for _, a := range index {
		if a.kind == loopIndex {
			visited[a.axis] = true
		}
	}
	return len(visited) == l.dims
}

// fixed reports whether an access is of the same element in all iterations.
func (l *parallel) fixed(index []affine) bool {
	return !slices.ContainsFunc(index, func(a affine) bool { return a.kind != constant })
}

// invariant reports whether an expression has the same value in all iterations.
func (l *parallel) invariant(e typed.Expr) bool {
	switch e := e.(type) {
	case *typed.Const, *typed.Extent:
		return true
	case *typed.VarRef:
		if init := l.init[e.Var]; init != nil {
			return l.invariant(init)
		}
		return !l.inside[e.Var]
	case *typed.Call, *typed.Atomic, *typed.CellOp:
		return false
	case *typed.Builtin:
		if e.Fn == typed.Random || e.Fn == typed.Randn {
			return false
		}
	case *typed.Element:
		if l.written(e.Field) {
			return false
		}
	case *typed.SliceElement:
		if l.written(e.Slice) {
			return false
		}
	}
	return !slices.ContainsFunc(typed.Operands(e), func(x typed.Expr) bool { return !l.invariant(x) })
}

func (l *parallel) written(object any) bool {
	return slices.ContainsFunc(l.writes, func(w access) bool { return w.object == object })
}

// A conflict is a write, and an access of the element that another iteration
// writes so.
type conflict struct{ write, other access }

// conflicts lists the accesses that are certain to meet a write of another
// iteration: at the same loop indices plus other constants.
func (l *parallel) conflicts() []conflict {
	var out []conflict
	for i, w := range l.writes {
		if !w.always || w.atomic || !l.unique(w.index) {
			continue
		}
		for _, o := range slices.Concat(l.reads, l.writes[i+1:]) {
			if o.object == w.object && !o.atomic && (o.always || !o.isWrite) && shifted(w.index, o.index) && meet(w.comps, o.comps) {
				out = append(out, conflict{w, o})
				break
			}
		}
	}
	return out
}

// shifted reports whether two indices are the same but for constants added to
// loop indices, at least one of which differs.
func shifted(a, b []affine) bool {
	differ := false
	for i := range a {
		if a[i].kind == unknown || a[i].kind != b[i].kind || a[i].axis != b[i].axis || a[i].kind == constant && a[i].add != b[i].add {
			return false
		}
		differ = differ || a[i].add != b[i].add
	}
	return differ
}

// meet reports whether two sets of components, nil being all, have one in common.
func meet(a, b []int) bool {
	return a == nil || b == nil || slices.ContainsFunc(a, func(c int) bool { return slices.Contains(b, c) })
}
