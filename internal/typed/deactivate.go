package typed

import (
	"cmp"
	"go/token"
	"slices"
)

// Deactivates reports whether statements may deactivate cells, themselves or in what they call.
func Deactivates(list []Stmt) (found bool) {
	look := func(e Expr) {
		if c, ok := e.(*CellOp); ok {
			found = found || c.Fn == Deactivate || c.Fn == Empty || c.Fn == Resize
		}
	}
	visitExprs(list, look)
	for _, f := range called(list) {
		visitExprs(f.Body.List, look)
	}
	return found
}

// visitExprs calls f for the expressions in statements, and their parts.
func visitExprs(list []Stmt, f func(Expr)) {
	var visit func(e Expr)
	visit = func(e Expr) {
		if e == nil {
			return
		}
		f(e)
		for _, x := range Operands(e) {
			visit(x)
		}
	}
	Visit(list, func(s Stmt) {
		for _, e := range Expressions(s) {
			visit(e)
		}
	})
}

// called lists the functions that statements call, and those that these call.
func called(list []Stmt) (all []*Func) {
	add := func(e Expr) {
		if c, ok := e.(*Call); ok && !slices.Contains(all, c.Func) {
			all = append(all, c.Func)
		}
	}
	visitExprs(list, add)
	for i := 0; i < len(all); i++ { // all grows
		visitExprs(all[i].Body.List, add)
	}
	return all
}

// BehindDeactivation returns what reports of a place in the source whether a kernel comes there only when all cells that it deactivates are
// inactive. Those that a loop deactivates are so behind it, and those of serial code from the next loop on.
func BehindDeactivation(kernel *Func) func(at token.Position) bool {
	list := kernel.Body.List
	n := len(list)
	for n > 0 && !Deactivates(list[n-1:n]) {
		n--
	}
	if n > 0 && !isParallel(list[n-1]) {
		for n < len(list) && !isParallel(list[n]) {
			n++
		}
	}
	if n == 0 || n == len(list) {
		return func(token.Position) bool { return false }
	}
	behind := list[n].Position()
	before := called(list[:n])
	ends := make([]int, len(before)) // their last lines, about
	for i, f := range before {
		ends[i] = f.Pos.Line
		Visit(f.Body.List, func(s Stmt) { ends[i] = max(ends[i], s.Position().Line) })
		visitExprs(f.Body.List, func(e Expr) { ends[i] = max(ends[i], e.Position().Line) })
	}
	return func(at token.Position) bool {
		if at.Filename == behind.Filename && comparePlaces(at, kernel.Pos) >= 0 && comparePlaces(at, behind) < 0 {
			return false
		}
		for i, f := range before {
			if at.Filename == f.Pos.Filename && comparePlaces(at, f.Pos) >= 0 && at.Line <= ends[i] {
				return false
			}
		}
		return true
	}
}

// isParallel reports whether a statement is a parallel loop.
func isParallel(s Stmt) bool {
	switch s := s.(type) {
	case *RangeFor:
		return s.Parallel
	case *FieldFor:
		return s.Parallel
	}
	return false
}

// comparePlaces compares places in one file.
func comparePlaces(a, b token.Position) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}
