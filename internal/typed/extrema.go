package typed

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
			for i, p := range s.Places {
				if i < len(s.Values) && p != nil && isExtremum(s.Values[i]) {
					x.add(p)
				}
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
	if v, ok := rootOf(place).(*VarRef); ok {
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

func isExtremum(e Expr) bool {
	b, ok := e.(*Builtin)
	return ok && (b.Fn == MinFn || b.Fn == MaxFn)
}

// rootField is the field that a place is in, nil for other memory.
func rootField(e Expr) *Field {
	if p, ok := rootOf(e).(*Element); ok {
		return p.Field
	}
	return nil
}

// rootOf is the place that e is a part of.
func rootOf(e Expr) Expr {
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
