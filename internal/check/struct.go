package check

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// This file is the types of structs, their literals, and ==.

// structType makes the type of a struct; name is "" for one written in place, which
// is the same type wherever the same fields are written.
func (c *checker) structType(e *ast.StructType, name string) typed.Type {
	s := &typed.Struct{Name: name}
	names := map[string]bool{}
	comps, ok := 0, true
	for _, f := range e.Fields.List {
		if len(f.Names) == 0 {
			c.errorf(syntax.BadStruct, f.Pos(), "give the field a name and select through it: b.Base.X", "there are no embedded fields")
			ok = false
			continue
		}
		t := c.valueType(f.Type)
		if isUnknown(t) {
			ok = false
		}
		for _, n := range f.Names {
			ok = c.structField(s, names, n, t, &comps) && ok
		}
		if s.Nesting = max(s.Nesting, typed.Nesting(t)+1); c.tooDeep(s.Nesting-1, f.Pos()) {
			return typed.Unknown
		}
	}
	switch {
	case !ok:
		return typed.Unknown
	case len(s.Fields) == 0:
		c.errorf(syntax.BadStruct, e.Pos(), "give it a field, or leave it out", "a struct without fields holds nothing")
		return typed.Unknown
	case comps > maxComponents:
		c.errorf(syntax.BadLength, e.Pos(), "keep large data in a field", "a struct of %d components is too large: at most %d", comps, maxComponents)
		return typed.Unknown
	case name != "":
		return s
	}
	var key strings.Builder
	for _, f := range s.Fields {
		fmt.Fprintf(&key, "%s %d;", f.Name, c.number(f.Type))
	}
	if old := c.structs[key.String()]; old != nil {
		return old
	}
	c.structs[key.String()] = s
	return s
}

// structField appends a field and reports whether it can be one.
func (c *checker) structField(s *typed.Struct, names map[string]bool, n *ast.Ident, t typed.Type, comps *int) bool {
	switch {
	case n.Name == "_":
		c.errorf(syntax.BadStruct, n.Pos(), "give it a name, or leave it out", "a field of a struct needs a name")
		return false
	case names[n.Name]:
		c.errorf(syntax.Redeclared, n.Pos(), "choose another name", "the struct has a field %s already", n.Name)
		return false
	}
	names[n.Name] = true
	s.Fields = append(s.Fields, typed.StructField{Name: n.Name, Type: t, First: *comps})
	*comps += typed.Components(t)
	return true
}

// structMember selects field f of x, a struct.
func (c *checker) structMember(x typed.Expr, f *typed.StructField, e *ast.SelectorExpr) typed.Expr {
	comps := make([]int, typed.Components(f.Type))
	for i := range comps {
		comps[i] = f.First + i
	}
	c.grow(opsFor(len(comps)))
	return extract(x, f.Type, comps, c.at(e.Sel.Pos()))
}

// noStructMember reports a name that struct t has not.
func (c *checker) noStructMember(t *typed.Struct, name *ast.Ident) {
	names := newScope(nil)
	for _, f := range t.Fields {
		names.insert(&object{name: f.Name})
	}
	help := "its fields are " + fieldList(t)
	if near := names.nearest(name.Name); near != "" {
		help = "did you mean " + near + "?"
	}
	c.noMember(name, help, "%s has no field or method %s", t, name.Name)
}

// fieldList names the fields of t, the first of them where there are many.
func fieldList(t *typed.Struct) string {
	text := ""
	for i, f := range t.Fields {
		if i == 8 {
			return text + ", …"
		}
		if i > 0 {
			text += ", "
		}
		text += f.Name
	}
	return text
}

// structLit checks the elements of Body{X: v, M: 1} or Body{v, 1}.
func (c *checker) structLit(e *ast.CompositeLit, t *typed.Struct) typed.Expr {
	elems := make([]typed.Expr, len(t.Fields))
	keyed, failed := false, false
	for i, el := range e.Elts {
		kv, isKeyed := el.(*ast.KeyValueExpr)
		if i == 0 {
			keyed = isKeyed
		} else if keyed != isKeyed {
			c.errorf(syntax.BadLiteral, el.Pos(), "name the field of each value, or of none", "this literal mixes values with and without the name of their field")
			c.survey(el)
			failed = true
			continue
		}
		n, v := i, el
		if keyed {
			n, v = c.literalKey(kv, t), kv.Value
		}
		if n < 0 || n >= len(elems) {
			if !keyed {
				c.errorf(syntax.BadLiteral, el.Pos(), "its fields are "+fieldList(t), "%s has %d fields, and this is value %d", t, len(elems), n+1)
			}
			c.survey(v)
			failed = true
			continue
		}
		if !keyed && c.hidden(c.declOf[t], t.Fields[n].Name) {
			c.errorf(syntax.NotExported, el.Pos(), "name the fields that are exported", "%s of %s is not exported by its package", t.Fields[n].Name, t)
			failed = true
		}
		if elems[n] != nil {
			c.errorf(syntax.BadLiteral, el.Pos(), "", "field %s is given twice", t.Fields[n].Name)
			failed = true
		}
		elems[n] = c.literalElem(v, t.Fields[n].Type, "field "+t.Fields[n].Name)
		failed = failed || isUnknown(elems[n].Type())
	}
	if !keyed && !failed && len(e.Elts) > 0 && len(e.Elts) < len(elems) {
		c.errorf(syntax.BadLiteral, e.Rbrace, "name the fields: "+t.Fields[0].Name+": …; those left out are zero", "%s has %d fields, and this gives %d", t, len(elems), len(e.Elts))
		failed = true
	}
	if failed {
		return c.bad(e.Pos())
	}
	for i, f := range t.Fields {
		if elems[i] == nil {
			elems[i] = zero(f.Type, c.at(e.Pos()))
		}
	}
	c.grow(opsFor(typed.Components(t)))
	return compose(elems, t, c.at(e.Pos()))
}

// literalKey returns the number of the field that a key names, -1 after an error.
func (c *checker) literalKey(kv *ast.KeyValueExpr, t *typed.Struct) int {
	id, ok := kv.Key.(*ast.Ident)
	if !ok {
		c.errorf(syntax.BadLiteral, kv.Key.Pos(), "its fields are "+fieldList(t), "the key of a value in a struct is the name of a field")
		return -1
	}
	for i, f := range t.Fields {
		if f.Name == id.Name && c.hiddenMember(c.declOf[t], id) {
			return -1
		} else if f.Name == id.Name {
			return i
		}
	}
	c.noStructMember(t, id)
	return -1
}

// structEqual makes x == y or x != y of structs or arrays of them: all components
// are compared.
func (c *checker) structEqual(op typed.Op, x, y typed.Expr, p token.Pos) typed.Expr {
	t := x.Type()
	n := typed.Components(t)
	c.grow(opsFor(n))
	bools := typed.Array{Elem: typed.Bool, Len: n}
	fn := typed.All
	if op == typed.Ne {
		fn = typed.Any
	}
	kx, ok := x.(*typed.Const)
	ky, ok2 := y.(*typed.Const)
	if !ok || !ok2 {
		return c.reduceBools(fn, &typed.Binary{ExprBase: ex(c.at(p), bools), Op: op, X: x, Y: y}, p)
	}
	k := &typed.Const{ExprBase: ex(c.at(p), bools), From: kx.From | ky.From}
	for i, s := range typed.Leaves(t) {
		k.Vals = append(k.Vals, typed.FoldBinary(op, kx.Vals[i], ky.Vals[i], s))
	}
	return c.reduceBools(fn, k, p)
}

// structOperator makes x op y where one of them is or holds a struct.
func (c *checker) structOperator(op typed.Op, x, y typed.Expr, p token.Pos) typed.Expr {
	tx, ty := x.Type(), y.Type()
	t := tx
	if !typed.HasStruct(tx) {
		t = ty
	}
	switch {
	case op != typed.Eq && op != typed.Ne:
		c.errorf(syntax.BadOperator, p, "work on its fields", "operator %s is not defined for %s", op, t)
	case tx != ty:
		c.errorf(syntax.Mismatch, p, "compare fields", "operator %s on %s and %s: the types differ", op, c.describe(x), c.describe(y))
	default:
		return c.structEqual(op, x, y, p)
	}
	return c.bad(p)
}

// constructStruct checks T(x) for a T that is or holds a struct: a value of that
// type as it is. Others are made by literals.
func (c *checker) constructStruct(t typed.Type, xs []typed.Expr, e *ast.CallExpr) typed.Expr {
	if len(xs) == 1 && xs[0].Type() == t {
		return xs[0]
	}
	c.errorf(syntax.BadConstructor, e.Pos(), "write a literal: "+c.name(t)+"{…}", "nothing is converted to %s", t)
	return c.bad(e.Pos())
}
