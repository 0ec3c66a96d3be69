package check

import (
	"fmt"
	"go/token"

	"github.com/gotaichi/ti/internal/syntax"
)

// Instantiate checks a kernel with compile-time parameters for the given arguments,
// one for each such parameter, in order. The result has that kernel alone in
// Kernels, with its run-time parameters, and in Fields the declared fields and then
// those of the arguments, named as the parameters (see [Program.Args]). Arguments
// with the same Field are the same field.
//
// It does not change p. What it gives is not cached.
func (p *Program) Instantiate(kernel string, args []TemplateArg) (*Program, syntax.ErrorList) {
	c := newChecker(p.source, p.host)
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
		if in := c.instance(o, Outermost, b, o.pos); in != nil {
			c.prog.Kernels = []*Func{in.f}
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
	objs := map[int]*object{}
	fields := map[*HostField]*object{}
	n, ok := 0, true
	for i, p := range c.params(o) {
		if p.kind == runTime {
			continue
		}
		if n < len(args) {
			a := c.hostArg(o, p, args[n], fields)
			if a != nil {
				objs[i] = c.conform(o, p, a, p.pos)
				c.prog.Args = append(c.prog.Args, a.field)
			}
			ok = ok && objs[i] != nil
		}
		n++
	}
	if n != len(args) {
		c.errorf(syntax.ArgCount, o.pos, "", "kernel %s has %d compile-time %s, and the host gives %d", o.name, n, plural("parameter", n), len(args))
		return nil, false
	}
	return objs, ok
}

func (c *checker) hostArg(o *object, p param, a TemplateArg, fields map[*HostField]*object) *object {
	switch {
	case a.Var != "":
		if v := c.path(a.Var); v != nil {
			return v
		}
		c.errorf(syntax.NotBound, p.pos, "", "parameter %s of %s: the source has no var %s", p.name, o.name, a.Var)
		return nil
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
		v.field = &Field{Pos: c.at(p.pos), Elem: NodeType{}, Rank: -1, Index: -1}
	} else {
		v.field = &Field{Pos: c.at(p.pos), Elem: c.sourceType(o, p, a.Field.Elem), Rank: -1, Index: len(c.prog.Fields)}
		c.prog.Fields = append(c.prog.Fields, v.field)
	}
	v.field.Name = c.unusedName(o, p.name)
	c.bindField(v, *a.Field)
	fields[a.Field] = v
	return v
}

// sourceType returns the source's type for elements of a type that the host
// describes: that which the parameter declares, or the struct of the same name.
func (c *checker) sourceType(o *object, p param, host Type) Type {
	if !HasStruct(host) {
		return host
	}
	var candidates []Type
	if p.kind == fieldKind {
		s := c.bindScope(o, c.abstract(o))
		if t, ok := c.typeIn(s, o, func() Type { return c.paramType(p) }).(FieldType); ok {
			candidates = append(candidates, t.Elem)
		}
	}
	if s, ok := host.(*Struct); ok {
		if t := c.pkg.names[s.Name]; t != nil && t.kind == objType {
			c.resolve(t, p.pos)
			candidates = append(candidates, t.typ)
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
	k := &Const{ex: ex{c.at(p.pos), arrayOf(s, h.Dims...)}, from: fromHost}
	for _, v := range h.Vals {
		r, f := represent(v, s)
		if f != fits {
			c.errorf(syntax.ConstMismatch, p.pos, "", "parameter %s of %s: the value %s does not fit %s", p.name, o.name, v, s)
			return nil
		}
		k.Vals = append(k.Vals, r)
	}
	return &object{kind: objConst, name: constText(k), typ: k.T, cst: k, state: done}
}

// scalarOfNums returns the type of a constant that the host gives: bool, int or
// float.
func (c *checker) scalarOfNums(vals []Num) Scalar {
	s := c.widths.Int
	for _, v := range vals {
		switch {
		case v.isBool():
			return Bool
		case !v.isInt():
			s = c.widths.Float
		}
	}
	return s
}
