package check

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// Instantiate checks a kernel with compile-time parameters for the given arguments,
// one for each such parameter, in order; for a bundle, one for each of its [typed.Parts].
// The result has that kernel alone in Kernels, with its run-time parameters, and in
// Fields the declared fields and then those of the arguments, named as the parameters
// (see [typed.Program.Args]). Arguments with the same Field are the same field.
//
// It does not change p. What it gives is not cached.
func (p *Program) Instantiate(kernel string, args []TemplateArg) (*Program, syntax.ErrorList) {
	c := newChecker(p.source, p.host, p.Lib)
	c.collect()
	c.bind()
	o := c.pkg.names[kernel]
	if o == nil || o.kind != objFunc || !c.isTemplate(o) {
		return nil, syntax.ErrorList{{Code: syntax.Undefined, Msg: fmt.Sprintf("there is no kernel %s with compile-time parameters", kernel)}}
	}
	c.file = o.file
	objs, ok := c.hostArgs(o, args)
	if !ok {
		return nil, c.errs.Sort()
	}
	places := c.params(o)
	b := c.bindCall(o, objs, nil, func(i int) token.Pos {
		if i < 0 {
			return o.pos
		}
		return places[i].pos
	})
	if b != nil {
		if in := c.instance(o, typed.Outermost, b, o.pos); in != nil {
			c.prog.Kernels = []*typed.Func{in.f}
		}
	}
	if len(c.errs) > 0 {
		return nil, c.errs.Sort()
	}
	return c.prog, nil
}

// hostArgs makes the objects that a host's arguments stand for, by the number of
// the parameter.
func (c *checker) hostArgs(o *object, args []TemplateArg) (map[int]*object, bool) {
	h := &hostArguments{c: c, of: o, left: args, fields: map[*HostField]*object{}}
	objs, ok := map[int]*object{}, true
	params := c.params(o)
	for i, p := range params {
		if p.kind == runTime {
			continue
		}
		if len(h.left) > 0 && h.left[0].Memory != nil {
			ok = h.memory(&params[i]) && ok
			continue
		}
		t := c.typeIn(c.bindScope(o, c.abstract(o)), o, func() typed.Type { return c.paramType(p) })
		if a := h.object(p, t); a != nil {
			objs[i] = c.conform(o, p, a, p.pos)
		}
		ok = ok && objs[i] != nil
	}
	if h.missing > 0 || len(h.left) > 0 {
		n := len(args) + h.missing - len(h.left)
		c.errorf(syntax.ArgCount, o.pos, "", "kernel %s takes %d compile-time %s, and the host gives %d", o.name, n, plural("argument", n), len(args))
		return nil, false
	}
	return objs, ok
}

// hostArguments takes the arguments of a host one after another. A parameter takes
// one, a bundle as many as it has parts.
type hostArguments struct {
	c       *checker
	of      *object // the kernel
	left    []TemplateArg
	missing int
	fields  map[*HostField]*object
}

// object makes the object that parameter p, of type t, stands for.
func (h *hostArguments) object(p param, t typed.Type) *object {
	if p.kind == bundleKind {
		return h.bundle(p, h.c.unusedName(h.of, p.name), t)
	}
	return h.part(p, t)
}

// part makes the object for the next argument.
func (h *hostArguments) part(p param, t typed.Type) *object {
	if len(h.left) == 0 {
		h.missing++
		return nil
	}
	arg := h.left[0]
	h.left = h.left[1:]
	a := h.c.hostArg(h.of, p, t, arg, h.fields)
	if a == nil {
		return nil
	}
	h.c.prog.Args = append(h.c.prog.Args, a.field)
	return a
}

// memory makes a template parameter one of run time, for memory of the caller.
func (h *hostArguments) memory(p *param) bool {
	t := h.left[0].Memory
	h.left = h.left[1:]
	h.c.prog.Args = append(h.c.prog.Args, nil)
	if p.kind != anyKind {
		h.c.wrongKind(h.of, *p, "memory of the host", p.pos)
		return false
	}
	p.kind, p.given = runTime, h.c.memoryType(h.of, *p, t)
	return true
}

// memoryType is the source's type for memory that the host describes.
func (c *checker) memoryType(o *object, p param, host typed.Type) typed.Type {
	switch t := host.(type) {
	case typed.Slice:
		return typed.Slice{Elem: c.sourceType(o, p, typed.Unknown, t.Elem)}
	case typed.View:
		return typed.View{Elem: c.sourceType(o, p, typed.Unknown, t.Elem), Rank: t.Rank}
	}
	return typed.Unknown
}

// bundle makes an object of type t, called by its path, whose parts are the next
// arguments. p is the parameter that it belongs to.
func (h *hostArguments) bundle(p param, path string, t typed.Type) *object {
	c := h.c
	o := &object{kind: objBundle, name: path, file: h.of.file, pos: p.pos, scope: c.pkg, typ: t, state: done, used: true}
	ok := true
	part := func(path string, t typed.Type) {
		var a *object
		q := param{name: path, pos: p.pos, texpr: p.texpr}
		switch t := t.(type) {
		case typed.FieldType:
			q.kind = fieldKind
			if a = h.part(q, t); a != nil && c.conform(h.of, q, a, p.pos) == nil || a != nil && !c.matchFieldType(h.of, q, t, a, p.pos) {
				a = nil
			}
		case typed.NodeType:
			q.kind = nodeKind
			a = h.part(q, t)
		default:
			if typed.HasParts(t) {
				a = h.bundle(p, path, t)
			} else {
				a = h.part(q, t)
			}
		}
		o.parts = append(o.parts, a)
		ok = ok && a != nil
	}
	typed.EachPart(t, func(name string, t typed.Type) { part(path+name, t) })
	if !ok || isUnknown(t) {
		return nil
	}
	return o
}

// hostArg makes the object for one argument. t is the type that p declares, or that
// of a part of it.
func (c *checker) hostArg(o *object, p param, t typed.Type, a TemplateArg, fields map[*HostField]*object) *object {
	switch {
	case a.Var != "":
		if v := c.path(a.Var); v != nil {
			return v
		}
		if i := strings.LastIndexByte(a.Var, '.'); i >= 0 && c.path(a.Var[:i]) != nil {
			return c.companion(companion{c.path(a.Var[:i]), a.Var[i+1:]})
		}
		c.errorf(syntax.NotBound, p.pos, "", "parameter %s of %s: the source has no var %s", p.name, o.name, a.Var)
		return nil
	case a.Const != nil && p.kind == runTime: // a part of a bundle
		v := &object{kind: objConst, name: p.name, file: o.file, pos: p.pos, scope: c.pkg, typ: t, state: done, used: true}
		v.cst = &typed.Const{ExprBase: ex(c.at(p.pos), t), Vals: make([]typed.Num, typed.Components(t)), From: typed.FromHost}
		c.setConst(v.cst, v, *a.Const)
		return v
	case a.Const != nil:
		return c.hostConstArg(o, p, a.Const)
	case a.Field == nil:
		c.errorf(syntax.WrongKind, p.pos, "", "parameter %s of %s is given nothing", p.name, o.name)
		return nil
	}
	if v := fields[a.Field]; v != nil {
		return v
	}
	v := &object{kind: objField, name: p.name, file: o.file, pos: p.pos, scope: c.pkg, state: done, used: true}
	if a.Field.Elem == nil {
		v.kind = objNode
		v.field = &typed.Field{Pos: c.at(p.pos), Elem: typed.NodeType{}, Rank: -1, Index: -1}
	} else {
		v.field = &typed.Field{Pos: c.at(p.pos), Elem: c.sourceType(o, p, t, a.Field.Elem), Rank: -1, Index: len(c.prog.Fields)}
		c.prog.Fields = append(c.prog.Fields, v.field)
	}
	v.field.Name = c.unusedName(o, p.name)
	c.bindField(v, *a.Field)
	fields[a.Field] = v
	return v
}

// sourceType returns the source's type for elements of a type that the host
// describes: that of t, the type that the parameter declares, or the struct of the
// same name. The host may call that of a library RngState for rng.State.
func (c *checker) sourceType(o *object, p param, t, host typed.Type) typed.Type {
	if !typed.HasStruct(host) {
		return host
	}
	var candidates []typed.Type
	if t, ok := t.(typed.FieldType); ok {
		candidates = append(candidates, t.Elem)
	}
	if s, ok := host.(*typed.Struct); ok {
		for _, pkg := range slices.Backward(c.packages) { // the source before its libraries
			for _, t := range pkg.order {
				if t.kind == objType && t.isCalled(s.Name) {
					c.resolve(t, p.pos)
					candidates = append(candidates, t.typ)
				}
			}
		}
	}
	for _, t := range candidates {
		if _, problem := matchHost(t, host); problem == "" && !isUnknown(t) {
			return t
		}
	}
	return host
}

// unusedName returns the name of a parameter, or one in the name of the kernel if a
// var of the source has that.
func (c *checker) unusedName(o *object, name string) string {
	if c.path(name) != nil {
		return o.name + "." + name
	}
	return name
}

// path finds a var, or a part of a bundle, by its path.
func (c *checker) path(path string) (found *object) {
	for _, o := range c.pkg.order {
		switch {
		case o.kind != objField && o.kind != objNode && o.kind != objBundle && !(o.kind == objConst && o.host):
		case o.name == path:
			return o
		default:
			o.each(func(p *object) {
				if p.name == path {
					found = p
				}
			})
		}
		if found != nil {
			return found
		}
	}
	return nil
}

// each calls f for all parts of a bundle, at any depth.
func (o *object) each(f func(o *object)) {
	for _, p := range o.parts {
		f(p)
		p.each(f)
	}
}

// hostConstArg makes a constant of a host's value: of the type that the first of
// its numbers suggests where the parameter does not say.
func (c *checker) hostConstArg(o *object, p param, h *HostConst) *object {
	n := 1
	for _, d := range h.Dims {
		n *= d
	}
	if len(h.Vals) != n || n == 0 {
		c.errorf(syntax.ConstMismatch, p.pos, "", "parameter %s of %s is given %d numbers for %d", p.name, o.name, len(h.Vals), n)
		return nil
	}
	s := c.scalarOfNums(h.Vals)
	k := &typed.Const{ExprBase: ex(c.at(p.pos), typed.ArrayOf(s, h.Dims...)), From: typed.FromHost}
	for _, v := range h.Vals {
		r, f := typed.Represent(v, s)
		if f != typed.Fits {
			c.errorf(syntax.ConstMismatch, p.pos, "", "parameter %s of %s: the value %s does not fit %s", p.name, o.name, v, s)
			return nil
		}
		k.Vals = append(k.Vals, r)
	}
	return &object{kind: objConst, name: constText(k), typ: k.T, cst: k, state: done}
}

// scalarOfNums returns the type of a constant that the host gives: bool, int or
// float.
func (c *checker) scalarOfNums(vals []typed.Num) typed.Scalar {
	s := c.widths.Int
	for _, v := range vals {
		switch {
		case v.IsBool():
			return typed.Bool
		case !v.IsInt():
			s = c.widths.Float
		}
	}
	return s
}
