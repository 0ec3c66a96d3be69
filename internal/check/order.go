package check

import (
	"go/ast"
	"go/token"

	"github.com/gotaichi/ti/internal/syntax"
)

// This file keeps the recursion of the checker flat for long chains of declarations, such
// as a constant that refers to a constant, and so on, a hundred thousand times.

// maxNested limits the depth of the recursion while declarations are resolved. Only
// declarations in a cycle recurse deeply; see resolve.
const maxNested = 100

// maxTypeDepth limits the nesting of arrays and structs.
const maxTypeDepth = 100

// resolve finds the value of a constant or the type behind a name, once.
//
// Checking a declaration resolves the names in it, recursively. A long chain would use up
// the stack. So its declarations are resolved in postorder, from the end of the chain, and
// the recursion finds each name resolved already. A short chain is left to the recursion,
// which gives better error messages for cycles.
func (c *checker) resolve(o *object, use token.Pos) {
	if o.state != unresolved || !o.topLevel() || c.nested > 0 {
		c.resolveOne(o, use)
		return
	}
	if order := c.dependencies(o); len(order) > maxNested {
		for _, p := range order[:len(order)-1] {
			if p.state == unresolved {
				c.resolveOne(p, p.pos)
			}
		}
	}
	c.resolveOne(o, use)
}

// dependencies lists o and the unresolved constants and types that its declaration refers
// to, directly or indirectly, in postorder: each after those that it refers to, except
// in cycles.
func (c *checker) dependencies(o *object) []*object {
	type visit struct {
		o    *object
		refs []*object // references that have not been visited yet
	}
	var order []*object
	visited := map[*object]bool{o: true}
	path := []visit{{o, c.references(o)}}
	for len(path) > 0 {
		v := &path[len(path)-1]
		if len(v.refs) == 0 {
			order = append(order, v.o)
			path = path[:len(path)-1]
			continue
		}
		next := v.refs[0]
		v.refs = v.refs[1:]
		if !visited[next] && next.state == unresolved {
			visited[next] = true
			path = append(path, visit{next, c.references(next)})
		}
	}
	return order
}

// references lists the constants and types of its package whose names occur in the
// declaration of o, in the order of the text.
func (c *checker) references(o *object) []*object {
	var refs []*object
	for _, e := range []ast.Expr{o.texpr, o.value} {
		if e == nil {
			continue
		}
		ast.Inspect(e, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if r := o.scope.home.names[id.Name]; r != nil && (r.kind == objConst || r.kind == objType) {
					refs = append(refs, r)
				}
			}
			return true
		})
	}
	return refs
}

// tooNested reports a declaration that is reached through too many others.
func (c *checker) tooNested(o *object, use token.Pos) {
	c.errorf(syntax.InitCycle, use, "break the cycle: write one of the values out",
		"%s is part of a cycle of more than %d declarations", o.name, maxNested)
	o.kind, o.state = objBad, done
}

// tooDeep reports whether a type with an inner type of the given nesting is nested too
// deeply, which is an error.
func (c *checker) tooDeep(inner int, p token.Pos) bool {
	if inner < maxTypeDepth {
		return false
	}
	c.errorf(syntax.TooDeep, p, "hold the parts side by side in one struct or array", "arrays and structs are nested more than %d deep", maxTypeDepth)
	return true
}

// A declared is the end of a chain of type names.
type declared struct {
	o *object  // the last name; nil if there is none
	e ast.Expr // the type that it is declared as; nil in a cycle of names
}

// underlying follows names of types of the package to the declaration of the last one.
// Each name on the path caches the result, so that a chain is visited once.
func (c *checker) underlying(e ast.Expr) *declared {
	end := &declared{e: ast.Unparen(e)}
	for {
		id, ok := end.e.(*ast.Ident)
		if !ok {
			return end
		}
		o := c.pkg.names[id.Name]
		switch {
		case o == nil || o.kind != objType || o.texpr == nil:
			return end
		case o.under == end:
			*end = declared{}
			return end
		case o.under != nil:
			*end = *o.under
			return end
		}
		o.under = end
		*end = declared{o, ast.Unparen(o.texpr)}
	}
}
