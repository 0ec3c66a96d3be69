package check

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// An instanceKey identifies an instance of a function: what its compile-time and
// type parameters are bound to is part of it.
type instanceKey struct {
	obj  *object
	ctx  typed.Context
	bind string
}

// An instance is what is known of a function that has been checked.
type instance struct {
	f        *typed.Func
	deps     *deps
	size     int       // nodes that it expands to
	over     bool      // these are too many
	explicit int       // of the parameters of f, how many the source declares
	captured []*object // variables that the others carry; see capture
	rule     *instance // its derivative, if it has one of its own
}

// instance returns the function checked for a context and bindings; nil if there is
// none.
func (c *checker) instance(o *object, ctx typed.Context, b *bindings, use token.Pos) *instance {
	o.used, o.checked = true, true
	if o.kind == objBad {
		return nil
	}
	key := instanceKey{o, ctx, b.key + b.refs}
	if in, ok := c.funcs[key]; ok {
		if in != nil {
			c.mergeDeps(in, use)
			c.rule(o, ctx, b, in, use)
		}
		return in
	}
	if c.reportCycle(o, b, use) {
		return nil
	}
	if len(c.stack) > maxCalls {
		c.errorf(syntax.TooDeep, use, "call fewer functions inside one another", "calls are nested too deeply: more than %d functions call one another here", maxCalls)
		return nil
	}
	if c.used.spent || len(b.objs) > 0 && !c.instantiate(func() string { return b.text(o.name) }, use) {
		return nil
	}
	in := c.checkFunc(o, ctx, b, use)
	c.funcs[key] = in
	if in != nil {
		c.mergeDeps(in, use)
		c.rule(o, ctx, b, in, use)
	}
	return in
}

// instanceByItself is instance for a function that nothing calls, but perhaps the host.
func (c *checker) instanceByItself(o *object, ctx typed.Context, b *bindings) *instance {
	defer c.back(c.turnTo(o))
	return c.instance(o, ctx, b, o.pos)
}

// mergeDeps adds the dependencies and the size of an instance that is called at use.
func (c *checker) mergeDeps(in *instance, use token.Pos) {
	c.deps.add(in.deps)
	maps.Copy(c.deps.fields, in.deps.fields)
	c.expandCall(in, use)
}

// Limits of the call depth: of all functions together, and of instances of one function.
const (
	maxCalls         = 200
	maxInstanceDepth = 100
)

// reportCycle reports a call of a function that is being checked with the same
// bindings, or that instantiates itself without end.
func (c *checker) reportCycle(o *object, b *bindings, use token.Pos) bool {
	var again []*fn // instances of o on the stack
	first := -1
	for i, f := range c.stack {
		if f.obj != o {
			continue
		}
		if again = append(again, f); f.bind.key == b.key {
			first = i
		}
	}
	switch {
	case first >= 0 && b.unknown:
		return true // which instance it is depends on the host
	case first >= 0:
		var names []string
		for _, f := range c.stack[first:] {
			names = append(names, f.obj.name)
		}
		names = append(names, o.name)
		c.errorf(syntax.Recursion, use, "use a loop, or an array as a stack", "functions cannot call themselves: %s", strings.Join(names, " calls "))
		return true
	case len(again) < maxInstanceDepth:
		return false
	case !b.unknown:
		var chain []string
		for _, f := range again[len(again)-3:] {
			chain = append(chain, f.bind.text(o.name))
		}
		c.errorf(syntax.InstanceDepth, use, "end the recursion with if static(…)", "%s instantiates itself more than %d times, one inside the other: … %s calls %s",
			o.name, maxInstanceDepth, strings.Join(chain, " calls "), b.text(o.name))
	}
	return true
}

// signature types the run-time parameters and the results of a function in scope s,
// which has its bindings.
func (c *checker) signature(o *object, s *scope) (params, results []*typed.Var, ok bool) {
	before, outer := c.turnTo(o), c.fn
	c.fn = &fn{scope: s}
	defer func() { c.where, c.fn = before, outer }()
	ok = true
	check := func(t typed.Type, e ast.Expr, result bool) typed.Type {
		switch t.(type) {
		case typed.Slice, typed.View, typed.Ref:
			if result {
				c.errorf(syntax.BadSignature, e.Pos(), "take it as a parameter and write to it", "a result cannot be of type %s", t)
				t = typed.Unknown
			}
		}
		ok = ok && !isUnknown(t)
		return t
	}
	newVar := func(name string, t typed.Type, p token.Pos, result bool) *typed.Var {
		return &typed.Var{Name: name, Type: t, Pos: c.at(p), Param: !result}
	}
	for _, p := range c.params(o) {
		if p.kind == runTime {
			params = append(params, newVar(p.name, check(c.paramType(p), p.texpr, false), p.pos, false))
		} else if t := hidden(s, p); t != nil {
			v := newVar(p.name, t, p.pos, false)
			v.Section = true
			params = append(params, v)
		}
	}
	if o.decl.Type.Results == nil {
		return params, nil, ok
	}
	for _, f := range o.decl.Type.Results.List {
		t := check(c.typeOf(f.Type), f.Type, true)
		for _, n := range f.Names {
			results = append(results, newVar(n.Name, t, n.Pos(), true))
		}
		if len(f.Names) == 0 {
			results = append(results, newVar("", t, f.Type.Pos(), true))
		}
	}
	return params, results, ok
}

// checkFunc checks the body of a function for a context and bindings.
func (c *checker) checkFunc(o *object, ctx typed.Context, b *bindings, use token.Pos) *instance {
	f := &fn{obj: o, ctx: ctx, bind: b, pos: o.pos, outermost: ctx == typed.Outermost}
	if len(c.stack) > 0 {
		f.call = c.at(use)
	}
	outer, outerDeps, fixed, typing := c.fn, c.deps, c.fixed, c.typing
	c.deps, c.fixed, c.typing = newDeps(), 0, 0
	c.stack = append(c.stack, f)
	f.scope = c.bindScope(o, b)
	params, results, ok := c.signature(o, f.scope)
	before := c.turnTo(o)
	c.fn = f
	f.inst = &typed.Func{
		Name: o.fullName(), Pos: c.at(o.pos), Exported: o.exported() && !o.ofLibrary(), Context: ctx,
		NoInline: noInline(o.decl), Params: params, Results: results,
	}
	for _, p := range params {
		if _, ref := p.Type.(typed.Ref); ref && f.inst.Exported {
			c.errorf(syntax.BadReference, o.pos, "take a value and return it, or make "+o.name+" a device function", "%s is a kernel, and the host has no reference for its parameter %s", o.name, p.Name)
		}
	}
	c.enterParams(o, params, results)
	f.inst.Body = c.body(o.decl.Body)
	if len(results) > 0 && !terminates(f.inst.Body) && ok && !c.stopped() && !c.file.LeftOutWithin(o.decl.Pos(), o.decl.End()) {
		c.errorf(syntax.MissingReturn, o.decl.Body.Rbrace, "end it with a return", "function %s has results, but its end is reached without a return", o.name)
	}
	c.deps.flat()
	in := &instance{f: f.inst, deps: c.deps, size: f.size, over: f.over, explicit: len(params), captured: f.captured}
	f.inst.Consts, f.inst.Fixed = sortedNames(c.deps.consts), c.pick(c.deps.fixed)
	f.inst.Fields = slices.SortedFunc(maps.Keys(c.deps.fields), func(a, b *typed.Field) int {
		return cmp.Or(cmp.Compare(a.Index, b.Index), cmp.Compare(a.Name, b.Name))
	})
	c.stack = c.stack[:len(c.stack)-1]
	c.where = before
	c.fn, c.deps, c.fixed, c.typing = outer, outerDeps, fixed, typing
	return in
}

// enterParams declares parameters and results in the scope of the function.
func (c *checker) enterParams(o *object, params, results []*typed.Var) {
	enter := func(v *typed.Var, p token.Pos) {
		if v.Name != "" && v.Name != "_" {
			c.declare(c.fn.scope, &object{kind: objVar, name: v.Name, file: c.file, pos: p, v: v, frame: c.fn, typ: v.Type, used: true, state: done})
		}
	}
	i := 0
	for _, p := range c.params(o) {
		if p.kind == runTime {
			enter(params[i], p.pos)
			if o := c.fn.scope.names[p.name]; o != nil && o.v == params[i] {
				o.shared = i < len(c.fn.bind.refs) && c.fn.bind.refs[i] == 's'
			}
			i++
		} else if hidden(c.fn.scope, p) != nil {
			o := c.fn.scope.names[p.name]
			o.section = o.section.within(c.fn, p.name, params[i])
			i++
		}
	}
	i = 0
	if list := o.decl.Type.Results; list != nil {
		for _, f := range list.List {
			for _, n := range f.Names {
				enter(results[i], n.Pos())
				i++
			}
			if len(f.Names) == 0 {
				i++
			}
		}
	}
	for _, r := range results {
		r.Outer = c.fn.outermost
		c.fn.named = c.fn.named || r.Name != ""
	}
}

// chain returns where the instances being checked were called, innermost first, as
// far out as their bindings matter to an error in them.
func (c *checker) chain() []token.Position {
	var via []token.Position
	for i := len(c.stack) - 1; i >= 0; i-- {
		f := c.stack[i]
		if len(f.bind.objs) == 0 && !f.obj.literal || !f.call.IsValid() {
			break
		}
		via = append(via, f.call)
	}
	return via
}

// bindings are what the type parameters and compile-time parameters of an instance
// stand for, in this order.
type bindings struct {
	objs    []*object // named as the parameters
	key     string    // equal for equal bindings
	unknown bool      // something in them is not known, for want of a host
	refs    string    // of each parameter that is a reference, what it is to; see refersTo
}

// noBindings are those of a function without such parameters.
func noBindings() *bindings { return &bindings{} }

// text names an instance, for messages: fact(n = 3).
func (b *bindings) text(name string) string {
	var parts []string
	for _, o := range b.objs {
		what := o.root().name
		switch o.kind {
		case objConst:
			what = constText(o.cst)
		case objType:
			what = o.typ.String()
		}
		parts = append(parts, o.name+" = "+what)
	}
	return name + "(" + strings.Join(parts, ", ") + ")"
}

// bindScope makes the scope in which a function's types are evaluated.
func (c *checker) bindScope(o *object, b *bindings) *scope {
	s := newScope(o.scope)
	for _, p := range b.objs {
		c.declare(s, p)
	}
	return s
}

// newBindings makes bindings of objects, each named as its parameter.
func (c *checker) newBindings(objs []*object) *bindings {
	if len(objs) == 0 {
		return noBindings()
	}
	b := &bindings{objs: objs}
	var key strings.Builder
	for _, o := range objs {
		key.WriteString(c.identity(o))
		b.unknown = b.unknown || isUnknownBinding(o)
	}
	b.key = key.String()
	return b
}

func isUnknownBinding(o *object) bool {
	switch o.kind {
	case objBad:
		return true
	case objType:
		return isUnknown(o.typ)
	case objConst:
		return slices.ContainsFunc(o.cst.Vals, func(n typed.Num) bool { return !n.Known() })
	case objField:
		return o.field.Rank < 0 || isUnknown(o.field.Elem)
	}
	return false
}

// identity is equal for objects that are interchangeable as bindings.
func (c *checker) identity(o *object) string {
	switch o.kind {
	case objType:
		return fmt.Sprintf("t%d ", c.number(o.typ))
	case objConst:
		key := fmt.Sprintf("c%d:%d", c.number(o.cst.T), o.cst.From)
		for _, v := range o.cst.Vals {
			key += ":" + v.Exact()
		}
		return key + " "
	case objField, objNode:
		return fmt.Sprintf("f%d ", c.number(o.field))
	case objBad:
		return "? "
	}
	return fmt.Sprintf("o%d ", c.number(o.root()))
}

// number gives each thing a number of its own, in the order of asking.
func (c *checker) number(x any) int {
	n, ok := c.ids[x]
	if !ok {
		n = len(c.ids) + 1
		c.ids[x] = n
	}
	return n
}

// constText writes a constant.
func constText(k *typed.Const) string {
	vals := make([]string, len(k.Vals))
	for i, v := range k.Vals {
		vals[i] = v.String()
	}
	if len(vals) == 1 {
		return vals[0]
	}
	return k.T.String() + "{" + strings.Join(vals, ", ") + "}"
}
