package ontree

import (
	"github.com/gotaichi/ti/internal/typed"
)

// call calls a function and returns the components of all its results.
func (m *machine) call(c *typed.Call) []uint64 {
	f := c.Func
	type binding struct {
		ref   *place
		slice *slice
		view  *view
		value []uint64
	}
	args := make([]binding, len(c.Args))
	for i, a := range c.Args {
		switch f.Params[i].Type.(type) {
		case typed.Slice:
			args[i].slice = m.slices[a.(*typed.VarRef).Var]
		case typed.View:
			args[i].view = m.views[a.(*typed.VarRef).Var]
		case typed.Ref:
			args[i].ref = m.place(a)
		default:
			args[i].value = m.expr(a)
		}
	}
	for i, p := range f.Params {
		switch a := args[i]; {
		case a.slice != nil:
			m.slices[p] = a.slice
		case a.view != nil:
			m.views[p] = a.view
		case a.ref != nil:
			m.refs[p] = a.ref
		default:
			m.vars[p] = &object{a.value}
		}
	}
	for _, r := range f.Results {
		m.vars[r] = m.zero(r.Type)
	}
	before := m.ordinal
	x := m.stmts(f.Body.List)
	if f.Context == typed.Outermost { // loops that an early return leaves out count, too
		m.ordinal = before + m.count(f)
	}
	if x != nil && x.kind == returning {
		return x.values
	}
	return make([]uint64, len(m.kindsOf(f.Result())))
}
