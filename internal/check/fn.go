package check

import (
	"cmp"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/syntax"
)

// An fn is a function instance being checked.
type fn struct {
	inst *Func // nil while a constant is evaluated
	obj  *object
	ctx  Context
	call token.Position // where it is called first
	pos  token.Pos

	scope     *scope
	outermost bool     // at a place that is executed once: loops here are parallel
	par       *parLoop // the parallel loop around, in this function
	targets   []*target
	named     bool // results have names
	size      int  // nodes, callees included
	over      bool // size exceeded the limit
}

// A parLoop is a parallel loop being checked: what it does to variables from
// outside of it.
type parLoop struct {
	reads   map[*Var]token.Pos
	reduced map[*Var]bool
	order   []*Var // of reads
}

func (c *checker) inParallel() bool {
	return c.fn != nil && (c.fn.ctx == Inside || c.fn.par != nil)
}

// grow counts nodes, against sources that unroll or inline without end.
func (c *checker) grow(n int) {
	f := c.fn
	if f == nil || f.inst == nil || f.over {
		return
	}
	if n > maxSize { // a callee, which has been reported
		f.size, f.over = n, true
		return
	}
	if f.size += n; f.size > maxSize {
		f.over = true
		c.errorf(syntax.TooManyUnrolled, f.pos, "use ordinary loops for large counts", "function %s expands to more than %d operations by static loops and inlining", f.obj.name, maxSize)
	}
}

// An instance is what is known of a function that has been checked.
type instance struct {
	f    *Func
	deps *deps
	size int
}

// instance returns the function checked for a context; nil if there is none.
func (c *checker) instance(o *object, ctx Context, use token.Pos) *Func {
	o.used = true
	if o.kind == objBad {
		return nil
	}
	key := instanceKey{o, ctx}
	if in, ok := c.funcs[key]; ok {
		if in == nil {
			return nil
		}
		c.mergeDeps(in)
		return in.f
	}
	if c.reportCycle(o, use) {
		return nil
	}
	if len(c.stack) > 200 {
		c.errorf(syntax.TooDeep, use, "call fewer functions inside one another", "calls are nested too deeply")
		return nil
	}
	in := c.checkFunc(o, ctx, use)
	c.funcs[key] = in
	if in == nil {
		return nil
	}
	c.mergeDeps(in)
	return in.f
}

func (c *checker) mergeDeps(in *instance) {
	for n := range in.deps.consts {
		c.deps.consts[n] = true
	}
	for f := range in.deps.fields {
		c.deps.fields[f] = true
	}
	for f := range in.deps.fixed {
		c.deps.fixed[f] = true
	}
	c.grow(in.size)
}

// reportCycle reports a call of a function that is being checked.
func (c *checker) reportCycle(o *object, use token.Pos) bool {
	i := slices.IndexFunc(c.stack, func(f *fn) bool { return f.obj == o })
	if i < 0 {
		return false
	}
	var names []string
	for _, f := range c.stack[i:] {
		names = append(names, f.obj.name)
	}
	names = append(names, o.name)
	c.errorf(syntax.Recursion, use, "use a loop, or an array as a stack", "functions cannot call themselves: %s", strings.Join(names, " calls "))
	return true
}

// signature types parameters and results of a function.
func (c *checker) signature(o *object) (params, results []*Var, ok bool) {
	file, outer := c.file, c.fn
	c.file, c.fn = o.file, nil
	defer func() { c.file, c.fn = file, outer }()
	ok = true
	list := func(fields *ast.FieldList, result bool) (vars []*Var) {
		if fields == nil {
			return nil
		}
		for _, f := range fields.List {
			t := c.typeOf(f.Type)
			if _, slice := t.(Slice); slice && result {
				c.errorf(syntax.BadSignature, f.Type.Pos(), "take a slice as parameter and write to it", "a result cannot be a slice")
				t = Unknown
			}
			ok = ok && !isUnknown(t)
			names := f.Names
			if len(names) == 0 {
				names = []*ast.Ident{{Name: "", NamePos: f.Type.Pos()}}
			}
			for _, n := range names {
				vars = append(vars, &Var{Name: n.Name, Type: t, Pos: c.at(n.Pos()), Param: !result})
			}
		}
		return vars
	}
	return list(o.decl.Type.Params, false), list(o.decl.Type.Results, true), ok
}

// checkFunc checks the body of a function for a context.
func (c *checker) checkFunc(o *object, ctx Context, use token.Pos) *instance {
	f := &fn{obj: o, ctx: ctx, pos: o.pos, call: c.at(use), outermost: ctx == Outermost}
	file, outer, outerDeps, fixed := c.file, c.fn, c.deps, c.fixed
	c.deps, c.fixed = newDeps(), 0
	c.fn = nil
	params, results, ok := c.signature(o)
	c.file, c.fn = o.file, f
	c.stack = append(c.stack, f)
	f.inst = &Func{
		Name: o.name, Pos: c.at(o.pos), Exported: ast.IsExported(o.name), Context: ctx,
		NoInline: noInline(o.decl), Params: params, Results: results,
	}
	f.scope = newScope(c.pkg)
	c.enterParams(o, params, results)
	f.inst.Body = c.body(o.decl.Body)
	if len(results) > 0 && !terminates(f.inst.Body) && ok && !f.over {
		c.errorf(syntax.MissingReturn, o.decl.Body.Rbrace, "end it with a return", "function %s has results, but its end is reached without a return", o.name)
	}
	in := &instance{f.inst, c.deps, f.size}
	f.inst.Consts, f.inst.Fixed = sortedNames(c.deps.consts), c.pick(c.deps.fixed)
	f.inst.Fields = slices.SortedFunc(maps.Keys(c.deps.fields), func(a, b *Field) int {
		return cmp.Or(cmp.Compare(a.Index, b.Index), cmp.Compare(a.Name, b.Name))
	})
	c.stack = c.stack[:len(c.stack)-1]
	c.file, c.fn, c.deps, c.fixed = file, outer, outerDeps, fixed
	return in
}

func (c *checker) enterParams(o *object, params, results []*Var) {
	enter := func(v *Var, p token.Pos) {
		if v.Name == "" || v.Name == "_" {
			return
		}
		c.declare(c.fn.scope, &object{kind: objVar, name: v.Name, file: c.file, pos: p, v: v, typ: v.Type, used: true, state: done})
	}
	i := 0
	each := func(fields *ast.FieldList, vars []*Var) {
		if fields == nil {
			return
		}
		i = 0
		for _, f := range fields.List {
			for _, n := range f.Names {
				enter(vars[i], n.Pos())
				i++
			}
			if len(f.Names) == 0 {
				i++
			}
		}
	}
	each(o.decl.Type.Params, params)
	each(o.decl.Type.Results, results)
	for _, r := range results {
		r.Outer = c.fn.outermost
		c.fn.named = c.fn.named || r.Name != ""
	}
}

func noInline(d *ast.FuncDecl) bool {
	if d.Doc == nil {
		return false
	}
	return slices.ContainsFunc(d.Doc.List, func(l *ast.Comment) bool { return strings.TrimSpace(l.Text) == "//ti:noinline" })
}

// terminates reports whether control never reaches the end of a block.
func terminates(b *Block) bool {
	if b == nil || len(b.List) == 0 {
		return false
	}
	switch s := b.List[len(b.List)-1].(type) {
	case *Return, *Break, *Continue:
		return true
	case *Block:
		return terminates(s)
	case *If:
		return s.Else != nil && terminates(s.Then) && terminates(s.Else)
	case *Loop:
		return s.Cond == nil && !breaks(s.Body, s)
	case *Scope:
		return terminates(s.Body) && !breaks(s.Body, s)
	case *Unrolled:
		for _, body := range s.Bodies {
			if breaks(body, s) {
				return false
			}
		}
		for _, body := range s.Bodies {
			if terminates(body) && !continues(body, s) {
				return true
			}
		}
	}
	return false
}

func breaks(b *Block, target Stmt) bool {
	return anyStmt(b, func(s Stmt) bool { x, ok := s.(*Break); return ok && x.Target == target })
}

func continues(b *Block, target Stmt) bool {
	return anyStmt(b, func(s Stmt) bool { x, ok := s.(*Continue); return ok && x.Target == target })
}

// anyStmt reports whether f holds for a statement in b, at any depth.
func anyStmt(b *Block, f func(Stmt) bool) bool {
	if b == nil {
		return false
	}
	for _, s := range b.List {
		if f(s) {
			return true
		}
		switch s := s.(type) {
		case *Block:
			if anyStmt(s, f) {
				return true
			}
		case *If:
			if anyStmt(s.Then, f) || anyStmt(s.Else, f) {
				return true
			}
		case *Scope:
			if anyStmt(s.Body, f) {
				return true
			}
		case *Loop:
			if anyStmt(s.Body, f) {
				return true
			}
		case *RangeFor:
			if anyStmt(s.Body, f) {
				return true
			}
		case *FieldFor:
			if anyStmt(s.Body, f) {
				return true
			}
		case *Unrolled:
			for _, body := range s.Bodies {
				if anyStmt(body, f) {
					return true
				}
			}
		}
	}
	return false
}
