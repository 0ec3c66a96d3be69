package lower

import (
	"slices"

	"github.com/gotaichi/ti/internal/typed"
)

// column lowers col(m, j). Of a matrix in memory only that column is read.
func (l *lowerer) column(e *typed.Builtin) value {
	m, j := e.Args[0], e.Args[1]
	d := typed.Dims(m.Type())
	k, isConst := j.(*typed.Const)
	if isConst && !isPlace(m) && !l.large(m.Type()) {
		return value{list: every(l.expr(m)[k.Vals[0].Int():], d[1])}
	}
	p := *l.place(m)
	p.ptrs, p.pos, p.part = nil, e.Pos, true
	if isConst {
		p.comps = every(p.comps[k.Vals[0].Int():], d[1])
		return l.valueAt(&p, e.T)
	}
	if p.isValue() {
		p = *l.memoryOf(&p)
		p.part = true
	}
	index := l.expr(j)[0]
	l.at(e.Pos)
	p.terms = append(slices.Clone(p.terms), term{idx: index, limit: d[1], stride: p.apart(0, 1)})
	p.comps = every(p.comps, d[1])
	return l.valueAt(&p, e.T)
}

// every returns the first of list and those n, 2*n, … behind it.
func every[T any](list []T, n int) []T {
	var some []T
	for i := 0; i < len(list); i += n {
		some = append(some, list[i])
	}
	return some
}
