package main

import (
	"go/ast"
	"go/token"
	"strings"
)

// A unit is what should have a mutant of its own: a function, a table, and in the
// packages that have a rule for each op, each such rule.
type unit struct {
	file, name string
	node       ast.Node
}

func (u *unit) key() string { return shortName(u.file) + " " + u.name }

// byOp are the packages whose functions are divided into the rules for ops.
var byOp = []string{"/codegen/", "/mathlib", "/autodiff"}

// units returns the units of a package; one in another comes after it.
func (p *source) units() []*unit {
	var all []*unit
	for i, f := range p.files {
		for _, d := range f.Decls {
			all = append(all, p.unitsOf(p.names[i], d)...)
		}
	}
	return append(all, p.kernelUnits()...)
}

func (p *source) unitsOf(file string, d ast.Decl) []*unit {
	var all []*unit
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Body != nil && len(d.Body.List) > 0 {
			all = append(all, &unit{file, functionName(d), d})
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			if v, ok := s.(*ast.ValueSpec); ok && d.Tok == token.VAR && len(v.Values) > 0 {
				all = append(all, &unit{file, "var " + v.Names[0].Name, v})
			}
		}
	}
	if !p.hasRules() {
		return all
	}
	for _, u := range all {
		ast.Inspect(u.node, func(n ast.Node) bool {
			var of []ast.Expr
			switch n := n.(type) {
			case *ast.CaseClause:
				of = n.List
			case *ast.KeyValueExpr:
				of = []ast.Expr{n.Key}
			}
			if ops := p.ops(of); ops != "" {
				all = append(all, &unit{file, u.name + "[" + ops + "]", n})
			}
			return true
		})
	}
	return all
}

func (p *source) hasRules() bool {
	for _, part := range byOp {
		if strings.Contains(p.path, part) {
			return true
		}
	}
	return false
}

// functionName is that of a function, or of a method with its receiver.
func functionName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	t := d.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if i, ok := t.(*ast.IndexExpr); ok {
		t = i.X
	}
	return t.(*ast.Ident).Name + "." + d.Name.Name
}

// ops are the ops that are named in what a rule is for.
func (p *source) ops(list []ast.Expr) string {
	var names []string
	for _, e := range list {
		ast.Inspect(e, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && strings.HasPrefix(s.Sel.Name, "Op") && len(s.Sel.Name) > 2 {
				names = append(names, s.Sel.Name[2:])
			}
			return true
		})
	}
	return strings.Join(names, " ")
}

// unitAt is the innermost unit of a file that contains a place.
func (p *source) unitAt(units []*unit, file string, n ast.Node) *unit {
	var found *unit
	for _, u := range units {
		if u.file == file && u.node.Pos() <= n.Pos() && n.End() <= u.node.End() {
			found = u
			if c, ok := u.node.(*ast.CaseClause); ok && len(c.Body) > 0 && n.End() <= c.Body[0].Pos() {
				found = nil // the case itself, which decides for all rules
			}
		}
	}
	return found
}
