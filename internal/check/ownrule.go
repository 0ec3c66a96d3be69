package check

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// An ownRule is a derivative of a device function that the source gives, by //ti:grad above the function that computes it.
type ownRule struct {
	name    string    // of the function that it is the derivative of
	g       *object   // which computes it
	tangent *object   // of a function of the prelude, what computes how its results change with its arguments
	pos     token.Pos // of the directive
}

const gradDirective = directivePrefix + "grad"

// collectRule notes the function that d is the derivative of, if it is one.
func (c *checker) collectRule(d *ast.FuncDecl, g *object) {
	if d.Doc == nil {
		return
	}
	for _, l := range d.Doc.List {
		if name, ok := strings.CutPrefix(l.Text, gradDirective+" "); ok {
			if name = argumentOf(name); name != "" { // else the directive is reported
				c.ownRules = append(c.ownRules, ownRule{name: name, g: g, pos: l.Pos()})
			}
		}
	}
}

// resolveRules finds the functions that derivatives are given for.
func (c *checker) resolveRules(s *scope) {
	rules := c.ownRules
	c.ownRules = nil
	for _, r := range rules {
		before := c.turnTo(r.g)
		f := s.names[r.name]
		wrong := func(help, format string, args ...any) {
			c.errorf(syntax.BadRule, r.pos, help, format, args...)
		}
		switch {
		case f == nil:
			wrong("name a function of this package", "there is no function %s, whose derivative this would be", r.name)
		case f.kind == objBad || r.g.kind == objBad:
		case f.kind != objFunc:
			wrong("name a function of this package", "%s is no function", r.name)
		case f == r.g:
			wrong("name the function whose derivative this is", "%s cannot be its own derivative", r.name)
		case r.g.decl.Recv != nil:
			wrong("make it a function", "%s is a method, and a derivative is a function", r.g.name)
		case f.ownRule != nil:
			wrong("remove one of them", "%s has a derivative already, %s", r.name, f.ownRule.g.name)
		default:
			f.ownRule = &r
			if slices.Contains(c.preludeFiles, r.g.file) {
				f.ownRule.tangent = s.names[r.name+"Tangent"]
			}
		}
		c.where = before
	}
}

// rule checks the derivative that o has, for an instance in of it, and makes it that of the instance. Those of the prelude
// are checked where something is differentiated.
func (c *checker) rule(o *object, ctx typed.Context, b *bindings, in *instance, use token.Pos) {
	if o.generic != nil {
		o = o.generic
	}
	r := o.ownRule
	if o.name == "eig" && slices.Contains(c.preludeFiles, o.file) {
		in.f.NoRule = "eig has no derivative; that of a symmetric matrix has one, symEig"
	}
	if r == nil || slices.Contains(c.preludeFiles, o.file) && len(c.hostCompanions) == 0 {
		return
	}
	if in.rule == nil {
		in.rule = &instance{} // until it is known: the derivative may call the function
		if !c.sameParams(o, r.g) {
			return
		}
		if g := c.instance(r.g, ctx, b, use); g != nil && c.isRuleOf(in.f, g.f, r) {
			in.rule, in.f.Rule = g, g.f
		}
		if r.tangent != nil {
			if g := c.instance(r.tangent, ctx, b, use); g != nil {
				in.f.Tangent = g.f
			}
		}
	}
	if in.rule.f != nil {
		c.mergeDeps(in.rule, use)
	}
}

// sameParams reports a derivative whose type parameters or compile-time parameters are not those of the function.
func (c *checker) sameParams(f, g *object) bool {
	if slices.Equal(c.staticNames(f), c.staticNames(g)) {
		return true
	}
	c.ruleError(f.ownRule, "give it the same ones, under the same names", "%s has other type parameters or compile-time parameters than %s", g.name, f.name)
	return false
}

func (c *checker) staticNames(o *object) (names []string) {
	if list := o.decl.Type.TypeParams; list != nil {
		for _, f := range list.List {
			for _, n := range f.Names {
				names = append(names, n.Name)
			}
		}
	}
	for _, p := range c.params(o) {
		if p.kind != runTime {
			names = append(names, p.name)
		}
	}
	return names
}

func (c *checker) ruleError(r *ownRule, help, format string, args ...any) {
	defer c.back(c.turnTo(r.g))
	c.errorf(syntax.BadRule, r.pos, help, format, args...)
}

// isRuleOf checks the signature of a derivative, and what function and derivative do.
func (c *checker) isRuleOf(f, g *typed.Func, r *ownRule) bool {
	wrong := func(help, format string, args ...any) bool {
		c.ruleError(r, help, format, args...)
		return false
	}
	for _, h := range []*typed.Func{f, g} {
		for _, v := range slices.Concat(h.Params, h.Results) {
			if isUnknown(v.Type) {
				return false // which is reported
			}
			if !typed.IsReal(v.Type) && typed.HasReal(v.Type) {
				return wrong("pass its real numbers by themselves", "%s has a parameter or result of type %s, which mixes real numbers and others", h.Name, v.Type)
			}
		}
		if why := typed.Impure(h); why != "" {
			return wrong("pass what it needs as values", "%s %s; a function with a derivative of its own, and that derivative, compute results from their arguments alone", h.Name, why)
		}
	}
	real := func(vs []*typed.Var) (list []*typed.Var) {
		for _, v := range vs {
			if typed.IsReal(v.Type) {
				list = append(list, v)
			}
		}
		return list
	}
	if len(real(f.Params)) == 0 || len(real(f.Results)) == 0 {
		return wrong("remove the directive", "%s has no argument or no result made of real numbers, hence no derivative", f.Name)
	}
	same := func(a, b []*typed.Var) bool {
		return slices.EqualFunc(a, b, func(a, b *typed.Var) bool { return a.Type == b.Type })
	}
	plain := slices.Concat(f.Params, real(f.Results))
	all := slices.Concat(f.Params, f.Results, real(f.Results))
	if !same(g.Params, plain) && !same(g.Params, all) || !same(g.Results, real(f.Params)) {
		return wrong("it takes the arguments of "+f.Name+", its results if it likes, and the adjoints of its real results, and returns the adjoints of its real arguments: "+ruleText(f, g),
			"%s does not have the parameters and results of a derivative of %s", g.Name, f.Name)
	}
	return true
}

// ruleText is the declaration that a derivative g of f should have.
func ruleText(f, g *typed.Func) string {
	var in, out []string
	for _, p := range f.Params {
		in = append(in, p.Type.String())
		if typed.IsReal(p.Type) {
			out = append(out, p.Type.String())
		}
	}
	for _, p := range f.Results {
		if typed.IsReal(p.Type) {
			in = append(in, p.Type.String())
		}
	}
	return "func " + g.Name + "(" + strings.Join(in, ", ") + ") (" + strings.Join(out, ", ") + ")"
}
