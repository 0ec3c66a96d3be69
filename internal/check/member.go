package check

import (
	"go/ast"
	"slices"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// This file checks x.name, whatever x is.

// selector checks x.name: a swizzle, the size of a value, what a field offers.
func (c *checker) selector(e *ast.SelectorExpr) operand {
	if p := c.importNamed(e.X); p != nil {
		return c.ofImport(p, e)
	}
	if id, ok := e.X.(*ast.Ident); ok && c.lookup(id.Name) == nil && !c.leftOut[id.Name] && c.notImported(id.Name) == "" {
		if h := c.qualified(e); h != "" {
			c.errorf(syntax.Undefined, id.Pos(), h, "%s is not defined", id.Name)
			return operand{}
		}
	}
	eval := c.expr
	if e.Sel.Name == "n" || e.Sel.Name == "m" {
		eval = c.typeOnly
	}
	op := eval(e.X)
	switch op.mode {
	case modeField:
		return c.fieldMember(op.obj, e)
	case modeValue, modeRef:
		if _, ok := op.x.Type().(*typed.Struct); ok && (e.Sel.Name == "n" || e.Sel.Name == "m") {
			if op = c.expr(e.X); op.x == nil { // a field may be called n or m
				return operand{}
			}
		}
		return c.valueMember(op.x, e)
	case modeBundle:
		return c.bundleMember(op.obj, e)
	case modeNode:
		if _, ok := placement[e.Sel.Name]; ok || e.Sel.Name == "shape" {
			return c.fieldMember(op.obj, e)
		}
		c.errorf(syntax.NoMember, e.Sel.Pos(), "", "node %s has no member %s; it has shape, sparse, list and bounded", c.shortText(e.X), e.Sel.Name)
	case modeType:
		return c.typeMember(op.typ, e)
	case modeFunc, modeBuiltin, modeMethod:
		c.errorf(syntax.NoMember, e.Sel.Pos(), "", "%s has no member %s", c.shortText(e.X), e.Sel.Name)
	}
	return operand{}
}

// placement has the questions about where the host has placed a field, or what a node is. Their answers are constants.
var placement = map[string]func(f *typed.Field) bool{
	"sparse":  func(f *typed.Field) bool { return f.Sparse },     // cells may be inactive
	"list":    func(f *typed.Field) bool { return f.List },       // cells are the elements of lists
	"bounded": func(f *typed.Field) bool { return !f.Unbounded }, // there is a shape
}

func (c *checker) fieldMember(o *object, e *ast.SelectorExpr) operand {
	f := o.field
	if is, ok := placement[e.Sel.Name]; ok {
		if f.Shape == nil && f.Rank != 0 && f.View == nil && !f.Unbounded { // not bound
			return operand{}
		}
		return valueOf(&typed.Const{ExprBase: ex(c.at(e.Pos()), typed.Bool), Vals: []typed.Num{typed.BoolNum(is(f))}, From: typed.FromShape})
	}
	switch e.Sel.Name {
	case "shape":
		if f.Rank < 0 {
			return operand{}
		}
		if !c.bounded(o, e.Sel.Pos()) {
			t := typed.ArrayOf(c.widths.Int, f.Rank)
			return valueOf(&typed.Const{ExprBase: ex(c.at(e.Pos()), t), Vals: make([]typed.Num, f.Rank), From: typed.FromShape})
		}
		return valueOf(c.shape(o, e.Pos()))
	case "dtype":
		if isUnknown(f.Elem) {
			return operand{}
		}
		return operand{mode: modeType, typ: f.Elem}
	case "grad", "dual":
		return c.companionOf(o, e)
	}
	if f.Rank == 0 {
		return c.valueMember(c.bareField(o, e.X), e)
	}
	help := c.memberHelp(fieldMethods, e)
	if help == "" {
		help = "index the field first: " + o.name + "[p]." + e.Sel.Name
	}
	c.errorf(syntax.NoMember, e.Sel.Pos(), help, "field %s has no member %s; it has shape, dtype, sparse, list and bounded", o.name, e.Sel.Name)
	return operand{}
}

// typeMember checks T.n, T.m and T.dtype, the type of a vector's components.
func (c *checker) typeMember(t typed.Type, e *ast.SelectorExpr) operand {
	dims := typed.Dims(t)
	if e.Sel.Name == "dtype" && !typed.HasStruct(t) {
		return operand{mode: modeType, typ: typed.ScalarOf(t)}
	}
	if i := slices.Index([]string{"n", "m"}, e.Sel.Name); i >= 0 && i < len(dims) {
		return valueOf(&typed.Const{ExprBase: ex(c.at(e.Pos()), typed.UntypedInt), Vals: []typed.Num{typed.IntNum(int64(dims[i]))}, From: typed.FromShape})
	}
	c.errorf(syntax.NoMember, e.Sel.Pos(), "", "type %s has no member %s", t, e.Sel.Name)
	return operand{}
}

func (c *checker) valueMember(x typed.Expr, e *ast.SelectorExpr) operand {
	t, name := x.Type(), e.Sel.Name
	if isUnknown(t) {
		return operand{}
	}
	if s, ok := t.(typed.Slice); ok && name == "dtype" {
		return operand{mode: modeType, typ: s.Elem}
	}
	if s, ok := t.(*typed.Struct); ok {
		if (s.Field(name) != nil || c.method(s, name) != nil) && c.hiddenMember(c.declOf[s], e.Sel) {
			return operand{}
		}
		if f := s.Field(name); f != nil {
			return valueOf(c.structMember(x, f, e))
		}
		if m := c.method(s, name); m != nil {
			return operand{mode: modeMethod, obj: m, x: x}
		}
		c.noStructMember(s, e.Sel)
		return operand{}
	}
	dims := typed.Dims(t)
	if i := slices.Index([]string{"n", "m"}, name); i >= 0 && i < len(dims) {
		return valueOf(&typed.Const{ExprBase: ex(c.at(e.Pos()), typed.UntypedInt), Vals: []typed.Num{typed.IntNum(int64(dims[i]))}, From: typed.FromShape})
	}
	if len(dims) != 1 || typed.HasStruct(t) {
		help := c.memberHelp(methods, e)
		switch {
		case typed.HasStruct(t):
			help = "index it first: " + c.shortText(e.X) + "[i]." + name
		case help == "" && len(dims) == 2:
			help = "index a matrix by row and column: m[i][j]"
		}
		c.errorf(syntax.NoMember, e.Sel.Pos(), help, "%s has no member %s", t, name)
		return operand{}
	}
	return c.vectorMember(x, dims[0], e)
}
