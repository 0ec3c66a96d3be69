package vet

import (
	"go/token"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// races warns about a parallel loop of which several iterations certainly access
// one element, and one of them writes it.
func (v *vetter) races(s typed.Stmt) {
	var l *parallel
	switch s := s.(type) {
	case *typed.RangeFor:
		if !s.Parallel || iterations(s.Dims) == 1 {
			return
		}
		l = newParallel(s.Index, s.Group, len(s.Dims), s.Body)
	case *typed.FieldFor:
		if !s.Parallel || s.Field.Rank == 0 {
			return
		}
		l = newParallel(s.Index, s.Group, s.Field.Rank, s.Body)
	default:
		return
	}
	var warned []access
	for _, w := range l.writes {
		if w.always && !w.atomic && l.fixed(w.index) && w.value != nil && !l.invariant(w.value) {
			name := nameOf(w.object)
			warned = append(warned, w)
			v.warn(syntax.VetSameElement, w.pos, "accumulate, or write the element of the iteration", "every iteration of the parallel loop writes this element of %s", name)
		}
	}
	for _, c := range l.conflicts() {
		warned = append(warned, c.write)
		what := "reads"
		if c.other.isWrite {
			what = "writes"
		}
		v.warn(syntax.VetNeighbour, c.other.pos, "read from one field and write to another, or use range serial(…)",
			"this %s an element of %s that another iteration writes, at line %d, in any order", what, nameOf(c.other.object), c.write.pos.Line)
	}
	v.certainRaces(s, l, warned)
}

// A parallel is a loop whose iterations run in any order.
type parallel struct {
	axes   map[*typed.Var]int // of scalar loop variables: which dimension
	group  *typed.Var
	dims   int
	inside map[*typed.Var]bool         // variables of an iteration
	init   map[*typed.Var]typed.Expr   // of variables that are never changed
	given  map[*typed.Var][]typed.Expr // all that variables of an iteration are set and updated by
	writes []access
	reads  []access
}

// An access is of an element of a field, slice or view.
type access struct {
	object  any
	index   []affine
	exprs   []typed.Expr
	comps   []int // of the element; nil for all
	value   typed.Expr
	pos     token.Position
	always  bool // done by each iteration
	atomic  bool
	isWrite bool
}

func newParallel(index []*typed.Var, group *typed.Var, dims int, body *typed.Block) *parallel {
	l := &parallel{
		axes: map[*typed.Var]int{}, group: group, dims: dims,
		inside: map[*typed.Var]bool{}, init: map[*typed.Var]typed.Expr{}, given: map[*typed.Var][]typed.Expr{},
	}
	for i, x := range index {
		if x != nil {
			l.axes[x] = i
			l.inside[x] = true
		}
	}
	if group != nil {
		l.inside[group] = true
	}
	typed.Visit(body.List, func(s typed.Stmt) {
		switch s := s.(type) {
		case *typed.Define:
			l.inside[s.Var] = true
			if s.Init != nil && !s.Var.Assigned && !s.Var.Reduced {
				l.init[s.Var] = s.Init
			}
			if s.Init != nil {
				l.given[s.Var] = append(l.given[s.Var], s.Init)
			}
		case *typed.Assign:
			for _, p := range s.Places {
				l.give(p, s.Values...)
			}
		case *typed.Update:
			l.give(s.Place, s.Value)
		case *typed.RangeFor:
			l.loopVars(s.Index, s.Group)
		case *typed.FieldFor:
			l.loopVars(s.Index, s.Group)
		}
	})
	l.collect(body.List, true)
	return l
}

// give notes what the variable that a place is part of is computed from.
func (l *parallel) give(place typed.Expr, from ...typed.Expr) {
	if x, ok := typed.RootOf(place).(*typed.VarRef); ok {
		l.given[x.Var] = append(l.given[x.Var], from...)
	}
}

func (l *parallel) loopVars(index []*typed.Var, group *typed.Var) {
	for _, x := range append([]*typed.Var{group}, index...) {
		if x != nil {
			l.inside[x] = true
		}
	}
}

// collect lists the accesses of statements and reports whether what follows them
// is still executed always.
func (l *parallel) collect(list []typed.Stmt, always bool) bool {
	for _, s := range list {
		for _, e := range typed.Expressions(s) {
			l.collectReads(e, s, always)
		}
		switch s := s.(type) {
		case *typed.Assign:
			for i, p := range s.Places {
				var value typed.Expr
				if len(s.Values) == len(s.Places) {
					value = s.Values[i]
				}
				l.write(p, value, always, false)
			}
		case *typed.Update:
			l.write(s.Place, s.Value, always, s.Atomic)
		case *typed.Block:
			always = l.collect(s.List, always)
		case *typed.Unrolled:
			for _, b := range s.Bodies {
				always = l.collect(b.List, always)
			}
		case *typed.If:
			l.collect(s.Then.List, false)
			if s.Else != nil {
				l.collect(s.Else.List, false)
			}
			always = always && !jumps(s)
		case *typed.Scope:
			l.collect(s.Body.List, false)
			always = always && !jumps(s)
		case *typed.Loop:
			l.collect(s.Body.List, false)
			l.collect(s.Post, false)
			always = always && !jumps(s)
		case *typed.RangeFor:
			l.collect(s.Body.List, false)
			always = always && !jumps(s)
		case *typed.FieldFor:
			l.collect(s.Body.List, false)
			always = always && !jumps(s)
		case *typed.Continue, *typed.Break, *typed.Return:
			always = false
		}
	}
	return always
}

// jumps reports whether a statement has a jump inside, which may leave it.
func jumps(s typed.Stmt) bool {
	found := false
	typed.Visit([]typed.Stmt{s}, func(s typed.Stmt) {
		switch s.(type) {
		case *typed.Continue, *typed.Break, *typed.Return:
			found = true
		}
	})
	return found
}

// write notes a write to a place.
func (l *parallel) write(p, value typed.Expr, always, atomic bool) {
	if a, ok := l.access(p); ok {
		a.value, a.always, a.atomic, a.isWrite = value, always, atomic, true
		l.writes = append(l.writes, a)
	}
}

// collectReads notes the elements that an expression of s reads; s is nil for
// expressions inside of others.
func (l *parallel) collectReads(e typed.Expr, s typed.Stmt, always bool) {
	if e == nil {
		return
	}
	a, ok := l.access(e)
	if x, isIndex := e.(*typed.Index); isIndex && !ok {
		// Which component is read is known at run time only, so no read of the
		// element is certain.
		if a, ok = l.access(x.X); ok {
			a.exprs = append(a.exprs, x.I)
		}
		s = &typed.Assign{Places: []typed.Expr{e}}
	}
	if !ok {
		for _, x := range typed.Operands(e) {
			l.collectReads(x, nil, always)
		}
		return
	}
	if !isPlaceOf(e, s) {
		a.always = always
		l.reads = append(l.reads, a)
	}
	for _, x := range a.exprs {
		l.collectReads(x, nil, always)
	}
}

// isPlaceOf reports whether e is a place that s writes.
func isPlaceOf(e typed.Expr, s typed.Stmt) bool {
	switch s := s.(type) {
	case *typed.Assign:
		for _, p := range s.Places {
			if p == e {
				return true
			}
		}
	case *typed.Update:
		return s.Place == e
	}
	return false
}
