package lower

import "github.com/gotaichi/ti/internal/check"

// walk calls f for each statement of list, at any depth.
func walk(list []check.Stmt, f func(check.Stmt)) {
	for _, s := range list {
		f(s)
		switch s := s.(type) {
		case *check.Block:
			walk(s.List, f)
		case *check.If:
			walk(s.Then.List, f)
			if s.Else != nil {
				walk(s.Else.List, f)
			}
		case *check.Scope:
			walk(s.Body.List, f)
		case *check.Loop:
			walk(s.Body.List, f)
			walk(s.Post, f)
		case *check.RangeFor:
			walk(s.Body.List, f)
		case *check.FieldFor:
			walk(s.Body.List, f)
		case *check.Unrolled:
			for _, b := range s.Bodies {
				walk(b.List, f)
			}
		}
	}
}

// expressions returns the expressions that stand in a statement itself.
func expressions(s check.Stmt) []check.Expr {
	switch s := s.(type) {
	case *check.Define:
		return []check.Expr{s.Init}
	case *check.Assign:
		return join(s.Places, s.Values)
	case *check.Update:
		return []check.Expr{s.Place, s.Value}
	case *check.ExprStmt:
		return []check.Expr{s.X}
	case *check.If:
		return []check.Expr{s.Cond}
	case *check.Loop:
		return []check.Expr{s.Cond}
	case *check.RangeFor:
		var es []check.Expr
		for _, d := range s.Dims {
			es = append(es, d.Lo, d.Hi)
		}
		return es
	case *check.Return:
		return s.Values
	}
	return nil
}

// operands returns the direct parts of an expression, in the order of evaluation.
func operands(e check.Expr) []check.Expr {
	switch e := e.(type) {
	case *check.Element:
		return e.Index
	case *check.SliceElement:
		return []check.Expr{e.Index}
	case *check.Extract:
		return []check.Expr{e.X}
	case *check.Index:
		return []check.Expr{e.X, e.I}
	case *check.Compose:
		return e.Elems
	case *check.Splat:
		return []check.Expr{e.X}
	case *check.Convert:
		return []check.Expr{e.X}
	case *check.Unary:
		return []check.Expr{e.X}
	case *check.Binary:
		return []check.Expr{e.X, e.Y}
	case *check.Logic:
		return []check.Expr{e.X, e.Y}
	case *check.Call:
		return e.Args
	case *check.Builtin:
		return e.Args
	case *check.Atomic:
		if e.Expected != nil {
			return []check.Expr{e.Place, e.Expected, e.Value}
		}
		return []check.Expr{e.Place, e.Value}
	}
	return nil
}
