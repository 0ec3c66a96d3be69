package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// Ranks of mutants.
const (
	subtle = iota // an operator, a condition, a coefficient, an instruction
	plain         // a statement, the order of arguments, a number
	coarse        // a position in a list, which mostly ends in a panic
	blunt         // a whole function
)

// argumentMark stands between the two arguments of a swap.
const argumentMark = "\x00"

// sites returns all mutants of a package, but for those in other declarations than
// functions and variables.
func (p *source) sites() []*site {
	units := p.units()
	all := p.kernelSites()
	add := func(s *site, file string, n ast.Node) {
		u := p.unitAt(units, file, n)
		if u == nil {
			return
		}
		at := p.fset.Position(n.Pos())
		s.file, s.unit, s.line = file, u.name, at.Line
		if s.to == 0 {
			s.from, s.to = at.Offset, p.fset.Position(n.End()).Offset
		}
		all = append(all, s)
	}
	for i, f := range p.files {
		for _, d := range f.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil && len(f.Body.List) > 0 {
				at := p.fset.Position(f.Body.List[0].Pos()).Offset
				s := &site{mutation: shortcut, new: p.zeroReturn(f), from: at, to: at, rank: blunt}
				add(s, p.names[i], f)
			}
			p.inDecl(d, func(s *site, n ast.Node) { add(s, p.names[i], n) })
		}
	}
	return all
}

// inDecl hands out the mutants of a declaration.
func (p *source) inDecl(d ast.Decl, add func(*site, ast.Node)) {
	if g, ok := d.(*ast.GenDecl); ok && g.Tok != token.VAR {
		return
	}
	index := map[ast.Expr]bool{}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ArrayType: // its length must be constant
			return false
		case *ast.GenDecl:
			return n.Tok == token.VAR
		case *ast.IndexExpr:
			index[n.Index] = true
		case *ast.BlockStmt:
			p.inList(n.List, add)
		case *ast.CaseClause:
			p.inList(n.Body, add)
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "panic" {
				return false
			}
			if s, first := p.swap(n); s != nil {
				add(s, first)
			}
		}
		if e, ok := n.(ast.Expr); ok {
			if s := p.mutate(e); s != nil {
				if index[e] {
					s.rank = coarse
				}
				add(s, e)
			}
		}
		return true
	})
}

// inList hands out the statements that can be left out.
func (p *source) inList(list []ast.Stmt, add func(*site, ast.Node)) {
	for _, st := range list {
		switch st := st.(type) {
		case *ast.ExprStmt:
			if strings.HasPrefix(p.text(st), "panic(") {
				continue
			}
		case *ast.AssignStmt:
			if st.Tok == token.DEFINE {
				continue
			}
		case *ast.IncDecStmt:
		case *ast.BranchStmt:
			if st.Tok == token.GOTO || st.Tok == token.FALLTHROUGH {
				continue
			}
		default:
			continue
		}
		add(&site{mutation: statement, old: p.text(st), rank: plain}, st)
	}
}

// swap is a call with two arguments next to each other in each other's place.
func (p *source) swap(c *ast.CallExpr) (*site, ast.Node) {
	for i := 1; i < len(c.Args) && !c.Ellipsis.IsValid(); i++ {
		a, b := c.Args[i-1], c.Args[i]
		ta, tb := p.info.Types[a], p.info.Types[b]
		if ta.Type == nil || tb.Type == nil || !types.Identical(ta.Type, tb.Type) || ta.Value != nil || tb.Value != nil ||
			calls(a) || calls(b) || p.text(a) == p.text(b) || ta.IsType() {
			continue
		}
		return &site{
			mutation: swapped, old: p.text(a) + ", " + p.text(b), new: p.text(b) + argumentMark + p.text(a), rank: plain,
			from: p.fset.Position(a.Pos()).Offset, to: p.fset.Position(b.End()).Offset,
		}, a
	}
	return nil, nil
}

// zeroReturn is a return of nothing, or of zeros.
func (p *source) zeroReturn(f *ast.FuncDecl) string {
	var zeros []string
	if f.Type.Results != nil {
		for _, r := range f.Type.Results.List {
			for range max(1, len(r.Names)) {
				zeros = append(zeros, "*new("+p.text(r.Type)+")")
			}
		}
	}
	return "return " + strings.Join(zeros, ", ")
}
