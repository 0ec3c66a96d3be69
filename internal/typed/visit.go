package typed

import (
	"slices"
)

// Visit calls f for each statement of list, at any depth, one before those inside it.
func Visit(list []Stmt, f func(Stmt)) {
	for _, s := range list {
		f(s)
		switch s := s.(type) {
		case *Block:
			Visit(s.List, f)
		case *If:
			Visit(s.Then.List, f)
			if s.Else != nil {
				Visit(s.Else.List, f)
			}
		case *Scope:
			Visit(s.Body.List, f)
		case *Loop:
			Visit(s.Body.List, f)
			Visit(s.Post, f)
		case *RangeFor:
			Visit(s.Body.List, f)
		case *FieldFor:
			Visit(s.Body.List, f)
		case *Unrolled:
			for _, b := range s.Bodies {
				Visit(b.List, f)
			}
		}
	}
}

// Expressions returns the expressions that stand in a statement itself, and nil
// for one that is left out: a place, a condition.
func Expressions(s Stmt) []Expr {
	switch s := s.(type) {
	case *Define:
		if s.Init == nil {
			return nil
		}
		return []Expr{s.Init}
	case *Assign:
		return slices.Concat(s.Places, s.Values)
	case *Update:
		return []Expr{s.Place, s.Value}
	case *ExprStmt:
		return []Expr{s.X}
	case *If:
		return []Expr{s.Cond}
	case *Loop:
		return []Expr{s.Cond}
	case *RangeFor:
		var es []Expr
		for _, d := range s.Dims {
			es = append(es, d.Lo, d.Hi)
		}
		return es
	case *Return:
		return s.Values
	}
	return nil
}

// Operands returns the direct parts of an expression, in the order of evaluation.
func Operands(e Expr) []Expr {
	switch e := e.(type) {
	case *Element:
		if e.Section != nil {
			return slices.Concat(e.Index, e.Section.Operands())
		}
		return e.Index
	case *Sectioned:
		return slices.Concat(e.Of.Operands(), e.Index)
	case *SliceElement:
		return []Expr{e.Index}
	case *Extract:
		return []Expr{e.X}
	case *Index:
		return []Expr{e.X, e.I}
	case *Compose:
		return e.Elems
	case *Splat:
		return []Expr{e.X}
	case *Convert:
		return []Expr{e.X}
	case *Unary:
		return []Expr{e.X}
	case *Binary:
		return []Expr{e.X, e.Y}
	case *Logic:
		return []Expr{e.X, e.Y}
	case *Call:
		return e.Args
	case *Builtin:
		return e.Args
	case *Atomic:
		if e.Expected != nil {
			return []Expr{e.Place, e.Expected, e.Value}
		}
		return []Expr{e.Place, e.Value}
	case *CellOp:
		if e.Value != nil {
			return append(e.Index[:len(e.Index):len(e.Index)], e.Value)
		}
		return e.Index
	case *Output:
		return e.Args
	case *Assert:
		return slices.Concat([]Expr{e.Cond}, e.Args)
	}
	return nil
}
