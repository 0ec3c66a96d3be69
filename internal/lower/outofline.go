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
	for _, v := range vars {
		if l.large(v.Type) { // which lies in memory, and is differentiated as it is computed
			return nil, false
		}
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
	args := l.exprs(c.Args)
	l.at(c.Pos)
	return split(c.Func, l.b.Call(f, args...)), true
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
	g := &ir.Func{Name: f.Name, Results: scalars(l.resultKinds(f)), Body: &ir.Block{}}
	if f.Pos.Line == 0 { // of the prelude
		defer l.inBuiltin()()
	}
	fn, frames, pos := l.fn, l.frames, l.b.Pos
	l.fn, l.frames = nil, nil
	l.in(g.Body, func() {
		for _, p := range f.Params {
			vals := make([]*ir.Value, 0, typed.Components(p.Type))
			for _, k := range kindsOf(p.Type) {
				g.Params = append(g.Params, ir.Scalar(k))
				vals = append(vals, g.Body.AddParam(ir.Scalar(k), p.Name))
			}
			l.define(p, vals)
		}
		l.results(f)
		if !l.stmts(f.Body.List) {
			l.b.Return(l.zeros(l.resultKinds(f))...)
		}
	})
	l.fn, l.frames, l.b.Pos = fn, frames, pos
	for _, h := range l.kernel.Funcs {
		if h.Name == g.Name { // an instance for another context
			g.Name = fmt.Sprintf("%s.%d", f.Name, len(l.kernel.Funcs))
		}
	}
	l.funcs[f] = g
	l.kernel.Funcs = append(l.kernel.Funcs, g)
	return g
}
