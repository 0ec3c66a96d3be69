package lower

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/typed"
)

// A binding is what a variable stands for at the current point of the code.
// Several parts may be set: an array that is never assigned has values, and a
// table or memory besides for run-time indices.
type binding struct {
	vals  []*ir.Value // components
	mem   *storage    // memory that holds the components
	table *storage    // constant components
	slice *ir.Param   // slice parameter
	view  *ir.Field   // what a view parameter stands for
	place *place      // what a reference is to
}

// An undo is a change of the environment to be taken back.
type undo struct {
	v   *typed.Var
	old binding
	had bool
}

// bind sets what v stands for.
func (l *lowerer) bind(v *typed.Var, b binding) {
	old, had := l.env[v]
	l.journal = append(l.journal, undo{v, old, had})
	l.env[v] = b
}

// rollback takes back all bindings made since the journal had length mark.
func (l *lowerer) rollback(mark int) {
	for i := len(l.journal) - 1; i >= mark; i-- {
		if u := l.journal[i]; u.had {
			l.env[u.v] = u.old
		} else {
			delete(l.env, u.v)
		}
	}
	l.journal = l.journal[:mark]
}

// in lowers a region: f runs with the builder in block, and what it does to the
// environment is taken back.
func (l *lowerer) in(block *ir.Block, f func()) {
	mark := len(l.journal)
	l.b.In(block, f)
	l.rollback(mark)
}

// define starts the life of v with the given components, nil for zero.
func (l *lowerer) define(v *typed.Var, vals []*ir.Value) {
	if l.large(v.Type) {
		l.defineBulk(v, nil)
		l.fill(l.env[v].mem, vals)
		return
	}
	zero := vals == nil
	memory := v.Reduced || v.Indexed && v.Assigned
	if zero && !memory {
		vals = l.zeros(kindsOf(v.Type))
	}
	name(v, vals)
	switch {
	case memory:
		b := binding{mem: l.alloc(kindsOf(v.Type), v.Name)}
		l.bind(v, b)
		if !zero {
			l.fill(b.mem, vals)
		}
	case !v.Indexed:
		l.bind(v, binding{vals: vals})
	default:
		if t := l.tableOf(v.Name, vals); t != nil {
			l.bind(v, binding{vals: vals, table: t})
			return
		}
		b := binding{vals: vals, mem: l.alloc(kindsOf(v.Type), v.Name)}
		l.fill(b.mem, vals)
		l.bind(v, b)
	}
}

// set gives v, which is no memory, new values.
func (l *lowerer) set(v *typed.Var, vals []*ir.Value) {
	name(v, vals)
	l.bind(v, binding{vals: vals})
}

// name puts a variable's name on values that have none.
func name(v *typed.Var, vals []*ir.Value) {
	for _, x := range vals {
		if x.Name == "" {
			x.Name = v.Name
		}
	}
}

// live returns those of vars that are defined here and are values, not memory:
// the ones that control flow has to carry.
func (l *lowerer) live(vars []*typed.Var) []*typed.Var {
	var out []*typed.Var
	refs := false
	for _, v := range vars {
		b, ok := l.env[v]
		if ok && b.place != nil { // what is assigned is the variable that it is to
			v, refs = b.place.v, true
			b, ok = l.env[v]
		}
		if ok && b.mem == nil && b.slice == nil {
			out = append(out, v)
		}
	}
	if refs { // several may be to one variable
		out = unique(out)
	}
	return out
}

// values returns the components of vars, one after the other.
func (l *lowerer) values(vars []*typed.Var) []*ir.Value {
	var vs []*ir.Value
	for _, v := range vars {
		vs = append(vs, l.env[v].vals...)
	}
	return vs
}

// adopt makes vs the components of vars, as values gives them.
func (l *lowerer) adopt(vars []*typed.Var, vs []*ir.Value) {
	for _, v := range vars {
		n := len(l.env[v].vals)
		l.set(v, vs[:n:n])
		vs = vs[n:]
	}
}

// addParams gives block a parameter for each component of vars and makes them
// their values.
func (l *lowerer) addParams(block *ir.Block, vars []*typed.Var) {
	for _, v := range vars {
		old := l.env[v].vals
		vals := make([]*ir.Value, len(old))
		for i, o := range old {
			vals[i] = block.AddParam(o.Type, v.Name)
		}
		l.set(v, vals)
	}
}
