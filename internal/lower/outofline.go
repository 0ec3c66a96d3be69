package lower

import (
	"fmt"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/typed"
)

// outOfLine lowers a call of a function marked noinline as a call, if functions of
// the IR allow what it does; otherwise it reports false, and nothing is lowered.
func (l *lowerer) outOfLine(c *typed.Call) ([]value, bool) {
	if vals, ok := l.withRule(c); ok {
		return vals, true
	}
	if l.gradient || l.debug || l.checkNaN || !c.Func.NoInline || typed.AlwaysInlined(c.Func, l.maxUnrolled) != "" {
		return nil, false
	}
	f := l.function(c.Func)
	args := l.exprs(c.Args)
	l.at(c.Pos)
	return split(c.Func, l.b.Call(f, args...)), true
}

// withRule lowers a call of a function with a derivative of its own as a call, which differentiation inlines.
func (l *lowerer) withRule(c *typed.Call) ([]value, bool) {
	rule := c.Func.Rule
	if !l.gradient || rule == nil && c.Func.NoRule == "" {
		return nil, false
	}
	vars := slices.Concat(c.Func.Params, c.Func.Results)
	if rule != nil {
		vars = slices.Concat(rule.Params, rule.Results)
	}
	if !l.whole && slices.ContainsFunc(vars, func(v *typed.Var) bool { return l.large(v.Type) }) {
		return nil, false // it lies in memory, and is differentiated as it is computed
	}
	known := l.funcs[c.Func] != nil
	f := l.function(c.Func)
	f.NoRule = c.Func.NoRule
	if !known && rule != nil { // else its derivative is known, or calls it
		f.Rule = l.function(rule)
		f.Rule.TakesResults = len(rule.Params) > len(c.Func.Params)+reals(c.Func.Results)
		if c.Func.Tangent != nil {
			f.Tangent = l.function(c.Func.Tangent)
		}
	}
	args := l.wholes(l.evalInOrder(c.Args...))
	l.at(c.Pos)
	return l.apart(c.Func, l.b.Call(f, args...)), true
}

// reals counts variables made of real numbers.
func reals(vs []*typed.Var) (n int) {
	for _, v := range vs {
		if typed.IsReal(v.Type) {
			n++
		}
	}
	return n
}

// function returns the IR's form of f, lowering it at its first use.
func (l *lowerer) function(f *typed.Func) *ir.Func {
	if g := l.funcs[f]; g != nil {
		return g
	}
	g := &ir.Func{Name: f.Name, Results: l.wholeTypes(f.Results), Body: &ir.Block{}}
	if f.Pos.Line == 0 { // of the prelude
		defer l.inBuiltin()()
	}
	fn, frames, pos, called := l.fn, l.frames, l.b.Pos, l.called
	l.fn, l.frames, l.called = nil, nil, true
	l.in(g.Body, func() {
		for _, p := range f.Params {
			l.taken(g, p)
		}
		l.results(f)
		if !l.stmts(f.Body.List) {
			zeros := make([]*ir.Value, len(g.Results))
			for i, t := range g.Results {
				zeros[i] = l.b.Const(t, 0)
			}
			l.b.Return(zeros...)
		}
	})
	l.fn, l.frames, l.b.Pos, l.called = fn, frames, pos, called
	for _, h := range l.kernel.Funcs {
		if h.Name == g.Name { // an instance for another context
			g.Name = fmt.Sprintf("%s.%d", f.Name, len(l.kernel.Funcs))
		}
	}
	l.funcs[f] = g
	l.kernel.Funcs = append(l.kernel.Funcs, g)
	return g
}

// taken starts the life of p, a parameter of g.
func (l *lowerer) taken(g *ir.Func, p *typed.Var) {
	types := l.wholeTypes([]*typed.Var{p})
	g.Params = append(g.Params, types...)
	vals := make([]*ir.Value, len(types))
	for i, t := range types {
		vals[i] = g.Body.AddParam(t, p.Name)
	}
	if l.large(p.Type) {
		l.bind(p, binding{mem: l.filled(p.Type, vals).called(p.Name)})
	} else {
		l.define(p, vals)
	}
}

// Functions with a derivative of their own are calls while a kernel is differentiated. A value of many components is
// passed as a whole then: the array of each kind of component as the lanes of one value.

// wholeTypes are the types that variables are passed by.
func (l *lowerer) wholeTypes(vars []*typed.Var) (types []ir.Type) {
	for _, v := range vars {
		kinds := kindsOf(v.Type)
		if !l.large(v.Type) {
			types = append(types, scalars(kinds)...)
			continue
		}
		for _, a := range newStorage(kinds).arrays {
			types = append(types, ir.Vec(a.kind, a.n))
		}
	}
	return types
}

// wholes are the values that vals are passed as.
func (l *lowerer) wholes(vals []value) (list []*ir.Value) {
	for _, v := range vals {
		if v.bulk == nil {
			list = append(list, v.list...)
			continue
		}
		for _, a := range l.keep(v.bulk).place.storage.arrays {
			list = append(list, l.b.Load(ir.Vec(a.kind, a.n), a.mem))
		}
	}
	return list
}

// apart are the results of f, which were passed as list.
func (l *lowerer) apart(f *typed.Func, list []*ir.Value) []value {
	vals := make([]value, len(f.Results))
	for i, r := range f.Results {
		n := len(l.wholeTypes(f.Results[i : i+1]))
		if l.large(r.Type) {
			s := l.filled(r.Type, list[:n])
			vals[i].bulk = l.own((&place{storage: s}).holds(kindsOf(r.Type)), r.Type)
		} else {
			vals[i].list = list[:n:n]
		}
		list = list[n:]
	}
	return vals
}

// filled is memory for a value of many components that has been passed as vals.
func (l *lowerer) filled(t typed.Type, vals []*ir.Value) *storage {
	s := l.alloc(kindsOf(t), "")
	s.setFlags(ir.Unset)
	for i, a := range s.arrays {
		l.b.Store(a.mem, vals[i])
	}
	return s
}
