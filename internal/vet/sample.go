package vet

import (
	"go/token"
	"slices"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// This file finds iterations of a parallel loop that meet in an element whatever the data are: where an index is an
// expression of loop variables and constants alone, it is computed for a sample of the iterations. Two that have the
// same index are a race, not a guess.

// sampleEnds is how many iterations of a sample there are at either end of an axis.
const sampleEnds = 4

// An axisRange is the indices of a loop along one axis: from lo up to, but not including, hi.
type axisRange struct{ lo, hi int64 }

// knownRanges returns the ranges of a loop's axes; nil if one is not known. An axis whose extent is assumed counts as two
// indices long: what two iterations do wrong, more do too.
func (v *vetter) knownRanges(s typed.Stmt) []axisRange {
	var all []axisRange
	before := &iteration{assumed: v.assumed}
	switch s := s.(type) {
	case *typed.RangeFor:
		for _, d := range s.Dims {
			lo, ok1 := evaluate(d.Lo, before)
			hi, ok2 := evaluate(d.Hi, before)
			if !ok1 || !ok2 || hi[0] <= lo[0] {
				return nil
			}
			all = append(all, axisRange{lo[0], hi[0]})
		}
	case *typed.FieldFor:
		f := s.Field
		if len(f.Shape) != f.Rank || f.Sparse || f.View != nil {
			return nil
		}
		for a, n := range f.Shape {
			lo := int64(0)
			if a < len(f.Origin) {
				lo = int64(f.Origin[a])
			}
			if n <= 0 {
				return nil
			}
			if v.assumed {
				n = min(n, 2)
			}
			all = append(all, axisRange{lo, lo + int64(n)})
		}
	}
	return all
}

// sample returns the iterations at the ends of all axes; none for so many axes that they would be too many.
func sample(ranges []axisRange) [][]int64 {
	if len(ranges) == 0 || len(ranges) > 3 {
		return nil
	}
	all := [][]int64{nil}
	for _, r := range ranges {
		var values []int64
		for k := range int64(sampleEnds) {
			values = append(values, r.lo+k, r.hi-1-k)
		}
		values = slices.DeleteFunc(values, func(v int64) bool { return v < r.lo || v >= r.hi })
		slices.Sort(values)
		values = slices.Compact(values)
		var next [][]int64
		for _, at := range all {
			for _, v := range values {
				next = append(next, append(slices.Clip(at), v))
			}
		}
		all = next
	}
	return all
}

// certainRaces warns about writes by which two iterations of the sample meet in an element, and about accesses of what
// another iteration of the sample writes. Warned has the writes for which there is a warning already.
func (v *vetter) certainRaces(s typed.Stmt, l *parallel, warned []access) {
	points := sample(v.knownRanges(s))
	if len(points) < 2 {
		return
	}
	told := map[token.Position]bool{}
	for i, w := range l.writes {
		if !w.always || w.atomic || slices.ContainsFunc(warned, func(o access) bool { return o.pos == w.pos }) {
			continue
		}
		written := v.elements(l, w, points)
		if written == nil {
			continue
		}
		if p, q := l.twoWriters(w, written, points); p != nil {
			v.warn(syntax.VetSameElement, w.pos, "accumulate, or write the element of the iteration",
				"iterations %v and %v of the parallel loop write the same element of %s", p, q, nameOf(w.object))
			continue
		}
		for _, o := range slices.Concat(l.reads, l.writes[i+1:]) {
			if o.object != w.object || o.atomic || told[o.pos] || !o.always || !meet(w.comps, o.comps) {
				continue
			}
			if p, q := metElsewhere(written, v.elements(l, o, points), points); p != nil {
				told[o.pos] = true
				what := "reads"
				if o.isWrite {
					what = "writes"
				}
				v.warn(syntax.VetNeighbour, o.pos, "read from one field and write to another, or use range serial(…)",
					"iteration %v %s an element of %s here that iteration %v writes, at line %d, in any order", q, what, nameOf(w.object), p, w.pos.Line)
				break
			}
		}
	}
}

// elements computes the indices of an access in the iterations of a sample; nil if they depend on more than these.
func (v *vetter) elements(l *parallel, a access, points [][]int64) [][]int64 {
	var all [][]int64
	for _, p := range points {
		index := []int64{}
		for _, x := range a.exprs {
			n, ok := evaluate(x, &iteration{l, p, v.assumed})
			if !ok {
				return nil
			}
			index = append(index, n...)
		}
		all = append(all, index)
	}
	return all
}

// twoWriters returns two iterations that write one element, and not the same value as far as the source tells.
func (l *parallel) twoWriters(w access, written, points [][]int64) (p, q []int64) {
	if w.value == nil {
		return nil, nil
	}
	for i := range points {
		for j := range points[:i] {
			if slices.Equal(written[i], written[j]) && l.differs(w.value, points[i], points[j], nil) {
				return points[j], points[i]
			}
		}
	}
	return nil, nil
}

// metElsewhere returns an iteration, and another one that accesses what it writes.
func metElsewhere(written, accessed, points [][]int64) (p, q []int64) {
	if accessed == nil {
		return nil, nil
	}
	for i := range points {
		for j := range points {
			if i != j && slices.Equal(written[i], accessed[j]) {
				return points[i], points[j]
			}
		}
	}
	return nil, nil
}

// differs reports whether a value depends on what tells iteration p from q: a loop variable in which they differ, or a
// random number. Variables of the iteration are looked into; within has those that are being looked into.
func (l *parallel) differs(e typed.Expr, p, q []int64, within []*typed.Var) bool {
	switch e := e.(type) {
	case *typed.VarRef:
		if axis, ok := l.axes[e.Var]; ok {
			return p[axis] != q[axis]
		}
		if e.Var == l.group {
			return true
		}
		if slices.Contains(within, e.Var) {
			return false
		}
		within = append(within, e.Var)
		return slices.ContainsFunc(l.given[e.Var], func(x typed.Expr) bool { return l.differs(x, p, q, within) })
	case *typed.Extract:
		if r, ok := e.X.(*typed.VarRef); ok && r.Var == l.group {
			return slices.ContainsFunc(e.Comps, func(c int) bool { return p[c] != q[c] })
		}
	case *typed.Builtin:
		if e.Fn == typed.Random || e.Fn == typed.Randn {
			return true
		}
	}
	return slices.ContainsFunc(typed.Operands(e), func(x typed.Expr) bool { return l.differs(x, p, q, within) })
}
