package document

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// ParseGo parses text as a file.
func ParseGo(text string) (*ast.File, error) {
	return parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
}

// IsHost reports whether a block is Go that uses package ti, and not a kernel source.
func IsHost(text string) bool {
	f, err := ParseGo(text)
	if err == nil {
		return f.Name.Name == "main" || len(f.Imports) > 0
	}
	if strings.HasPrefix(text, "package ") {
		return false
	}
	decls, stmts := Split(text)
	f, err = ParseGo(Assemble("package p", decls, stmts))
	if err != nil {
		return false
	}
	host := false
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			x, ok := s.X.(*ast.Ident)
			host = host || ok && x.Name == "ti"
		}
		return true
	})
	return host
}

// Source returns the kernel source that a block of the kind [Kernel] stands for.
func (b *Block) Source() string {
	if strings.HasPrefix(b.Text, "package ") {
		return b.Text
	}
	decls, stmts := Split(b.Text)
	return Assemble("package doc", decls, stmts)
}

// Split takes a part of a source apart: declarations for the source, and statements
// for the body of a function. The pieces are separated by empty lines.
func Split(text string) (decls, stmts []string) {
	piece := ""
	for _, p := range strings.SplitAfter(strings.TrimRight(text, "\n")+"\n", "\n\n") {
		piece += p // an empty line within braces does not end a piece
		f, err := ParseGo("package p\n" + piece)
		switch {
		case err == nil && len(f.Decls) > 0 && !slices.ContainsFunc(f.Decls, isLocal):
			decls, piece = append(decls, piece), ""
			continue
		case err == nil && len(f.Decls) == 0:
			continue // a comment belongs to what follows
		}
		if _, err := ParseGo("package p\nfunc _() {\n" + piece + "\n}"); err == nil {
			stmts, piece = append(stmts, piece), ""
		}
	}
	if strings.TrimSpace(piece) != "" {
		if len(stmts) == 0 { // not even syntax; the compiler will say so
			return append(decls, piece), nil
		}
		stmts = append(stmts, piece)
	}
	return decls, stmts
}

// isLocal reports whether a declaration is a statement of a function: a var whose
// name is not what the host binds.
func isLocal(d ast.Decl) bool {
	g, ok := d.(*ast.GenDecl)
	if !ok || g.Tok != token.VAR {
		return false
	}
	for _, s := range g.Specs {
		for _, name := range s.(*ast.ValueSpec).Names {
			if name.IsExported() {
				return false
			}
		}
	}
	return true
}

// Assemble makes a source of the pieces that Split returned.
func Assemble(head string, decls, stmts []string) string {
	var b strings.Builder
	b.WriteString(head + "\n\n" + strings.Join(decls, "\n"))
	if len(stmts) > 0 {
		b.WriteString("\nfunc Main() {\n" + strings.Join(stmts, "\n") + "\n}\n")
	}
	return b.String()
}
