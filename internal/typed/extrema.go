package typed

import "slices"

// Extrema returns the fields of real numbers in which f, or what it calls, may accumulate minima or maxima: x = min(x, v)
// and atomicMax(x, v). A variable counts as nil, and a reference may be to any of them. The order is that of the source,
// callees at their first call.
func Extrema(f *Func) []*Field {
	x := &extrema{of: f, funcs: map[*Func]bool{}, known: map[*Field]bool{}}
	x.in(f)
	return x.fields
}

type extrema struct {
	of     *Func
	funcs  map[*Func]bool
	known  map[*Field]bool
	fields []*Field
}

func (x *extrema) in(f *Func) {
	if f == nil || f.Body == nil || x.funcs[f] {
		return
	}
	x.funcs[f] = true
	Visit(f.Body.List, func(s Stmt) {
		switch s := s.(type) {
		case *Update:
			if s.Op == Min || s.Op == Max {
				x.add(s.Place)
			}
		case *Assign:
			if s.Accumulates {
				x.add(s.Places[0])
			}
		}
		for _, e := range Expressions(s) {
			x.expr(e)
		}
	})
}

func (x *extrema) expr(e Expr) {
	if e == nil {
		return
	}
	switch e := e.(type) {
	case *Atomic:
		if e.Op == Min || e.Op == Max {
			x.add(e.Place)
		}
	case *Call:
		x.in(e.Func)
	}
	for _, o := range Operands(e) {
		x.expr(o)
	}
}

func (x *extrema) add(place Expr) {
	if !HasReal(place.Type()) {
		return
	}
	fields := []*Field{rootField(place)}
	if v, ok := RootOf(place).(*VarRef); ok {
		if _, ok := v.Var.Type.(Ref); ok {
			fields = append(fields, x.of.Fields...)
		}
	}
	for _, f := range fields {
		if !x.known[f] {
			x.known[f] = true
			x.fields = append(x.fields, f)
		}
	}
}

// Accumulation returns x = min(x, v, …) or x = max(x, v, …), where x is an element of a field, as an update of it. It is nil
// if s is something else, or if what computes v may change x.
func (s *Assign) Accumulation() *Update {
	if !s.Accumulates || rootField(s.Places[0]) == nil {
		return nil
	}
	place := s.Places[0]
	e, ok := s.Values[0].(*Builtin)
	if !ok || e.Type() != place.Type() {
		return nil
	}
	var args []Expr // min(x, v, w) is min(min(x, v), w)
	for b := e; ; {
		args = slices.Concat(b.Args[1:], args)
		inner, ok := b.Args[0].(*Builtin)
		if !ok || inner.Fn != e.Fn {
			break
		}
		b = inner
	}
	u := &Update{StmtBase: s.StmtBase, Op: Min, Place: place, Value: whole(args[0], place.Type())}
	if e.Fn == MaxFn {
		u.Op = Max
	}
	for _, a := range args[1:] {
		u.Value = &Builtin{ExprBase: e.ExprBase, Fn: e.Fn, Args: []Expr{u.Value, whole(a, place.Type())}}
	}
	if mayChange(u.Value, rootField(place)) {
		return nil
	}
	return u
}

// whole gives a scalar the shape of t.
func whole(e Expr, t Type) Expr {
	if e.Type() == t {
		return e
	}
	return &Splat{ExprBase: ExprBase{Pos: e.Position(), T: t}, X: e}
}

// mayChange reports whether evaluating e may change an element of f.
func mayChange(e Expr, f *Field) bool {
	switch e := e.(type) {
	case *Atomic, *CellOp:
		return true
	case *Call:
		isRef := func(v *Var) bool { _, ok := v.Type.(Ref); return ok }
		if slices.Contains(e.Func.Fields, f) || slices.ContainsFunc(e.Func.Params, isRef) {
			return true
		}
	}
	return slices.ContainsFunc(Operands(e), func(o Expr) bool { return o != nil && mayChange(o, f) })
}

// rootField is the field that a place is in, nil for other memory.
func rootField(e Expr) *Field {
	if p, ok := RootOf(e).(*Element); ok {
		return p.Field
	}
	return nil
}

// RootOf is the place that e is a part of.
func RootOf(e Expr) Expr {
	for {
		switch p := e.(type) {
		case *Extract:
			e = p.X
		case *Index:
			e = p.X
		default:
			return e
		}
	}
}
