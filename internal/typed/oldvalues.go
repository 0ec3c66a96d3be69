package typed

// UsesOldValues reports whether f, or what it calls, uses the old value that an atomic or append returns.
func UsesOldValues(f *Func) bool {
	u := &oldValues{funcs: map[*Func]bool{}}
	u.in(f)
	return u.found
}

type oldValues struct {
	funcs map[*Func]bool
	found bool
}

func (u *oldValues) in(f *Func) {
	if f == nil || f.Body == nil || u.funcs[f] || u.found {
		return
	}
	u.funcs[f] = true
	Visit(f.Body.List, func(s Stmt) {
		for _, e := range Expressions(s) {
			u.expr(e)
		}
	})
}

func (u *oldValues) expr(e Expr) {
	if e == nil || u.found {
		return
	}
	switch e := e.(type) {
	case *Atomic:
		u.found = e.Used
	case *CellOp:
		u.found = e.Fn == Append
	case *Call:
		u.in(e.Func)
	}
	for _, o := range Operands(e) {
		u.expr(o)
	}
}
