package lower

import "github.com/gotaichi/ti/internal/typed"

// effects says what a statement does to variables, in the order of the source.
type effects struct {
	assigned []*typed.Var // changed, and defined outside of the statement
	defined  []*typed.Var // defined at the statement's own level
}

// effectsOf returns what s does; the answers are kept, so that asking at each
// level of nesting costs no more than one visit.
func (l *lowerer) effectsOf(s typed.Stmt) effects {
	if e, ok := l.assigned[s]; ok {
		return e
	}
	c := &collector{l: l, visited: map[*typed.Var]bool{}, local: map[*typed.Var]bool{}}
	c.stmt(s)
	l.assigned[s] = c.effects
	return c.effects
}

// A collector gathers the effects of one statement out of those of its parts.
type collector struct {
	l              *lowerer
	visited, local map[*typed.Var]bool
	effects
}

func (c *collector) assign(v *typed.Var) {
	if !c.visited[v] && !c.local[v] {
		c.visited[v] = true
		c.assigned = append(c.assigned, v)
	}
}

// add takes in the effects of a part.
func (c *collector) add(s typed.Stmt) {
	for _, v := range c.l.effectsOf(s).assigned {
		c.assign(v)
	}
}

// list takes in statements of one scope, whose definitions end with it.
func (c *collector) list(list []typed.Stmt) {
	var local []*typed.Var
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

func (c *collector) stmt(s typed.Stmt) {
	switch s := s.(type) {
	case *typed.Block:
		c.list(s.List)
	case *typed.Define:
		c.exprs(s.Init)
		c.defined = append(c.defined, s.Var)
	case *typed.Assign:
		c.exprs(s.Places...)
		c.exprs(s.Values...)
		for _, p := range s.Places {
			c.place(p)
		}
	case *typed.Update:
		c.exprs(s.Place, s.Value)
		c.place(s.Place)
	case *typed.ExprStmt:
		c.exprs(s.X)
	case *typed.If:
		c.exprs(s.Cond)
		c.add(s.Then)
		if s.Else != nil {
			c.add(s.Else)
		}
	case *typed.Scope:
		c.add(s.Body)
	case *typed.Loop:
		c.exprs(s.Cond)
		c.add(s.Body)
		c.list(s.Post)
	case *typed.RangeFor:
		for _, d := range s.Dims {
			c.exprs(d.Lo, d.Hi)
		}
		c.loopBody(s.Index, s.Group, s.Body)
	case *typed.FieldFor:
		c.loopBody(s.Index, s.Group, s.Body)
	case *typed.Unrolled:
		for _, b := range s.Bodies {
			c.add(b)
		}
	case *typed.Return:
		c.exprs(s.Values...)
	}
}

// loopBody takes in a body; loop variables are its own.
func (c *collector) loopBody(index []*typed.Var, group *typed.Var, body *typed.Block) {
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
func (c *collector) place(p typed.Expr) {
	for {
		switch e := p.(type) {
		case *typed.VarRef:
			c.assign(e.Var)
			return
		case *typed.Extract:
			p = e.X
		case *typed.Index:
			p = e.X
		default:
			return
		}
	}
}

// exprs takes in atomics on variables and calls that assign through references, the
// only expressions that change a variable.
func (c *collector) exprs(list ...typed.Expr) {
	for _, e := range list {
		if e == nil {
			continue
		}
		switch e := e.(type) {
		case *typed.Atomic:
			c.place(e.Place)
		case *typed.Call:
			for i, p := range e.Func.Params {
				if _, ref := p.Type.(typed.Ref); ref && p.Assigned {
					c.place(e.Args[i])
				}
			}
		}
		c.exprs(typed.Operands(e)...)
	}
}
