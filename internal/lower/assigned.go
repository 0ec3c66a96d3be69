package lower

import "github.com/gotaichi/ti/internal/check"

// effects says what a statement does to variables, in the order of the source.
type effects struct {
	assigned []*check.Var // changed, and defined outside of the statement
	defined  []*check.Var // defined at the statement's own level
}

// effectsOf returns what s does; the answers are kept, so that asking at each
// level of nesting costs no more than one walk.
func (l *lowerer) effectsOf(s check.Stmt) effects {
	if e, ok := l.assigned[s]; ok {
		return e
	}
	c := &collector{l: l, seen: map[*check.Var]bool{}, local: map[*check.Var]bool{}}
	c.stmt(s)
	l.assigned[s] = c.effects
	return c.effects
}

// A collector gathers the effects of one statement out of those of its parts.
type collector struct {
	l           *lowerer
	seen, local map[*check.Var]bool
	effects
}

func (c *collector) assign(v *check.Var) {
	if !c.seen[v] && !c.local[v] {
		c.seen[v] = true
		c.assigned = append(c.assigned, v)
	}
}

// add takes in the effects of a part.
func (c *collector) add(s check.Stmt) {
	for _, v := range c.l.effectsOf(s).assigned {
		c.assign(v)
	}
}

// list takes in statements of one scope, whose definitions end with it.
func (c *collector) list(list []check.Stmt) {
	var local []*check.Var
	for _, s := range list {
		e := c.l.effectsOf(s)
		for _, v := range e.defined {
			if !c.local[v] {
				c.local[v] = true
				local = append(local, v)
			}
		}
		for _, v := range e.assigned {
			c.assign(v)
		}
	}
	for _, v := range local {
		delete(c.local, v)
	}
}

func (c *collector) stmt(s check.Stmt) {
	switch s := s.(type) {
	case *check.Block:
		c.list(s.List)
	case *check.Define:
		c.exprs(s.Init)
		c.defined = append(c.defined, s.Var)
	case *check.Assign:
		c.exprs(s.Places...)
		c.exprs(s.Values...)
		for _, p := range s.Places {
			c.place(p)
		}
	case *check.Update:
		c.exprs(s.Place, s.Value)
		c.place(s.Place)
	case *check.ExprStmt:
		c.exprs(s.X)
	case *check.If:
		c.exprs(s.Cond)
		c.add(s.Then)
		if s.Else != nil {
			c.add(s.Else)
		}
	case *check.Scope:
		c.add(s.Body)
	case *check.Loop:
		c.exprs(s.Cond)
		c.add(s.Body)
		c.list(s.Post)
	case *check.RangeFor:
		for _, d := range s.Dims {
			c.exprs(d.Lo, d.Hi)
		}
		c.loopBody(s.Index, s.Group, s.Body)
	case *check.FieldFor:
		c.loopBody(s.Index, s.Group, s.Body)
	case *check.Unrolled:
		for _, b := range s.Bodies {
			c.add(b)
		}
	case *check.Return:
		c.exprs(s.Values...)
	}
}

// loopBody takes in a body; loop variables are its own.
func (c *collector) loopBody(index []*check.Var, group *check.Var, body *check.Block) {
	for _, v := range index {
		if v != nil {
			c.local[v] = true
		}
	}
	if group != nil {
		c.local[group] = true
	}
	c.add(body)
}

// place takes in an assignment to p.
func (c *collector) place(p check.Expr) {
	for {
		switch e := p.(type) {
		case *check.VarRef:
			c.assign(e.Var)
			return
		case *check.Extract:
			p = e.X
		case *check.Index:
			p = e.X
		default:
			return
		}
	}
}

// exprs takes in atomics on variables and calls that assign through references, the
// only expressions that change a variable.
func (c *collector) exprs(list ...check.Expr) {
	for _, e := range list {
		if e == nil {
			continue
		}
		switch e := e.(type) {
		case *check.Atomic:
			c.place(e.Place)
		case *check.Call:
			for i, p := range e.Func.Params {
				if _, ref := p.Type.(check.Ref); ref && p.Assigned {
					c.place(e.Args[i])
				}
			}
		}
		c.exprs(check.Operands(e)...)
	}
}
