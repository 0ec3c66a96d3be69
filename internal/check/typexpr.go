package check

import (
	"go/ast"
	"go/token"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// maxComponents limits an array type.
const maxComponents = 65536

// isUnknown reports whether t is wrong or not known, so that nothing more is to be
// said about it.
func isUnknown(t typed.Type) bool {
	switch t := t.(type) {
	case nil:
		return true
	case typed.Scalar:
		return t == typed.Unknown
	case typed.Array:
		return isUnknown(t.Elem)
	case typed.Slice:
		return isUnknown(t.Elem)
	case typed.View:
		return isUnknown(t.Elem)
	}
	return false // a struct with a field of unknown type is Unknown itself
}

// valueType evaluates a type expression that must be the type of a value.
func (c *checker) valueType(e ast.Expr) typed.Type {
	t := c.typeOf(e)
	if r, ok := t.(typed.Ref); ok {
		c.errorf(syntax.BadReference, e.Pos(), "use "+c.name(r.Elem)+", or define it: p := &x[i]", "a reference is a parameter or a local name, and nothing holds one")
		return typed.Unknown
	}
	if c.holdsField(e) {
		if !isUnknown(t) {
			c.notValueType(e.Pos(), c.name(t)+", which holds fields,", "declare a var of it at package level, or a parameter")
		}
		return typed.Unknown
	}
	if v, ok := t.(typed.View); ok {
		c.errorf(syntax.NotAType, e.Pos(), "declare a field, var X field["+c.name(v.Elem)+"]", "%s is a type of parameters only", t)
		return typed.Unknown
	}
	if s, ok := t.(typed.Slice); ok {
		c.errorf(syntax.NotAType, e.Pos(), "use a fixed array, [4]"+c.name(s.Elem), "%s is a type of parameters only", t)
		return typed.Unknown
	}
	return t
}

// typeOf evaluates a type expression; Unknown after an error.
func (c *checker) typeOf(e ast.Expr) typed.Type {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return c.typeOf(e.X)
	case *ast.Ident:
		return c.namedType(e)
	case *ast.ArrayType:
		return c.arrayType(e)
	case *ast.SelectorExpr:
		if op := c.expr(e); op.mode == modeType {
			return op.typ
		} else if op.mode != modeBad {
			c.errorf(syntax.NotAType, e.Pos(), "", "this is not a type")
		}
		return typed.Unknown
	case *ast.StarExpr:
		if t := c.valueType(e.X); !isUnknown(t) {
			return typed.Ref{Elem: t}
		}
	case *ast.StructType:
		return c.structType(e, "")
	case *ast.FuncType:
		c.errorf(syntax.NotAType, e.Pos(), "take it as a parameter: func f(g func(f32) f32)", "a function type is the type of parameters only: functions are known at compile time")
	case *ast.IndexExpr, *ast.IndexListExpr:
		if x, args := splitIndex(e); c.genericTypeOf(x) != nil {
			return c.typeOfGeneric(c.genericTypeOf(x), args, e.Pos())
		}
		switch h := typeHead(e); h {
		case "field":
			c.notValueType(e.Pos(), "a field", "declare it at package level, var X field[f32], or as a parameter")
		case "array":
			return c.viewType(e)
		default:
			c.errorf(syntax.NotAType, e.Pos(), "", "this is not a type")
		}
	case *ast.MapType:
		c.notGo(e.Pos(), "map", "use a field, or an array indexed by number")
	case *ast.ChanType:
		c.notGo(e.Pos(), "channel", "iterations share memory and use atomic operations")
	case *ast.InterfaceType:
		c.notGo(e.Pos(), "interface", "every value has a fixed type")
	case *ast.Ellipsis:
		c.errorf(syntax.BadSignature, e.Pos(), "take a slice, []f32", "there are no variadic parameters")
	default:
		c.errorf(syntax.NotAType, e.Pos(), "write a type such as f32, vec3 or [4]i32", "this is not a type")
	}
	return typed.Unknown
}

func (c *checker) namedType(e *ast.Ident) typed.Type {
	o := c.lookup(e.Name)
	if o == nil {
		switch e.Name {
		case "template":
			c.notValueType(e.Pos(), "template", "it is what a parameter takes: func f(x template)")
		case "node":
			c.notValueType(e.Pos(), "a node", "declare it at package level, var B node, or as a parameter")
		case "number", "integer", "real":
			c.constraintAsType(e)
		case "string", "error", "uintptr", "complex64", "complex128":
			c.notGo(e.Pos(), "type "+e.Name, "kernels compute with numbers, vectors and matrices")
		case "field":
			c.notValueType(e.Pos(), "a field", "declare it at package level, var X field[f32]")
		default:
			c.undefined(e, "type ")
		}
		return typed.Unknown
	}
	return c.typeNamed(o, e)
}

// typeNamed returns the type that o is, which e names; Unknown after an error.
func (c *checker) typeNamed(o *object, e ast.Expr) typed.Type {
	o.used = true
	c.dependOn(o)
	switch o.kind {
	case objType:
		if _, ok := o.texpr.(*ast.InterfaceType); ok {
			c.constraintAsType(e)
			return typed.Unknown
		}
		if n := len(typeParamsOf(o)); n > 0 {
			c.errorf(syntax.TypeArgs, e.Pos(), "write "+c.shortText(e)+"[f32]", "%s has %d type %s, and this gives none", o.name, n, plural("parameter", n))
			return typed.Unknown
		}
		c.resolve(o, e.Pos())
		c.dependOn(o)
		if o.kind == objBad {
			return typed.Unknown
		}
		return o.typ
	case objBad:
		return typed.Unknown
	case objBuiltin:
		if o.name == "any" {
			c.constraintAsType(e)
			return typed.Unknown
		}
	}
	c.errorf(syntax.NotAType, e.Pos(), "write a type such as f32, vec3 or [4]i32", "%s is not a type", c.shortText(e))
	return typed.Unknown
}

func (c *checker) constraintAsType(e ast.Expr) {
	c.errorf(syntax.NotAType, e.Pos(), "write a type parameter: func f[T "+c.shortText(e)+"](a T)", "%s is a constraint, not a type", c.shortText(e))
}

func (c *checker) notValueType(p token.Pos, what, help string) {
	c.errorf(syntax.NotAType, p, help, "%s is not the type of a value", what)
}

func (c *checker) arrayType(e *ast.ArrayType) typed.Type {
	if e.Len == nil {
		elem := c.valueType(e.Elt)
		if isUnknown(elem) {
			return typed.Unknown
		}
		return typed.Slice{Elem: elem}
	}
	if _, ok := e.Len.(*ast.Ellipsis); ok {
		c.errorf(syntax.BadLength, e.Len.Pos(), "write the length", "[...] has a length only in a composite literal")
		return typed.Unknown
	}
	n, ok := c.constInt(e.Len)
	elem := c.valueType(e.Elt)
	if !ok || isUnknown(elem) {
		return typed.Unknown
	}
	return c.makeArray(elem, n, e.Len.Pos())
}

func (c *checker) makeArray(elem typed.Type, n int64, p token.Pos) typed.Type {
	switch {
	case n < 1:
		c.errorf(syntax.BadLength, p, "give a length of at least 1", "an array cannot have length %d", n)
		return typed.Unknown
	case n > int64(maxComponents/typed.Components(elem)):
		c.errorf(syntax.BadLength, p, "keep large data in a field", "an array of %d × %s is too large: at most %d components", n, elem, maxComponents)
		return typed.Unknown
	case c.tooDeep(typed.Nesting(elem), p):
		return typed.Unknown
	}
	return typed.Array{Elem: elem, Len: int(n)}
}

// constInt evaluates a constant integer; false after an error, or if unknown.
func (c *checker) constInt(e ast.Expr) (int64, bool) {
	x := c.constant(e)
	if isUnknown(x.Type()) {
		return 0, false
	}
	k, ok := x.(*typed.Const)
	s, scalar := x.Type().(typed.Scalar)
	switch {
	case !ok:
		c.errorf(syntax.NotConstant, e.Pos(), "use a literal, a const or a host constant", "this must be a constant, and its value is known only at run time")
		return 0, false
	case !scalar || !s.IsInt():
		c.errorf(syntax.BadLength, e.Pos(), "use an integer constant", "this must be an integer, not %s", c.describe(x))
		return 0, false
	case !k.Vals[0].Known():
		return 0, false
	}
	n, f := typed.Represent(k.Vals[0], typed.I64)
	if f != typed.Fits {
		c.errorf(syntax.Overflow, e.Pos(), "", "%s is too large here", k.Vals[0])
		return 0, false
	}
	return n.Int(), true
}

// lookup finds a name from where the checker is. What the file imports hides what is predeclared.
func (c *checker) lookup(name string) *object {
	s := c.pkg
	if c.fn != nil {
		s = c.fn.scope
	}
	o := s.lookup(name)
	if i := c.imports[c.file][name]; i != nil && (o == nil || o == c.predeclared.names[name]) {
		return i
	}
	return o
}

func (c *checker) undefined(e *ast.Ident, what string) {
	if c.leftOut[e.Name] {
		return
	}
	s := c.pkg
	if c.fn != nil {
		s = c.fn.scope
	}
	help := ""
	if h := c.notImported(e.Name); h != "" {
		help = h
	} else if h := c.knownElsewhere(e.Name); h != "" {
		help = h
	} else if h := c.qualified(&ast.SelectorExpr{X: e, Sel: e}); h != "" {
		help = "there is nothing to import; the functions are predeclared: sin(x), random(), print(x)"
	} else if len(c.errs) < 100 && len(c.errs)*len(c.pkg.names) < 1<<20 { // a search among all names
		if n := s.nearest(e.Name); n != "" {
			help = "did you mean " + n + "?"
		}
	}
	c.errorf(syntax.Undefined, e.Pos(), help, "%s%s is not defined", what, e.Name)
}
