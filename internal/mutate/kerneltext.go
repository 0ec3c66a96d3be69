package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// loadKernels reads the sources in the kernel language that a package embeds: its
// syntax is that of Go, so its mutants are found in the same way, but without types.
func (p *source) loadKernels() error {
	for i, f := range p.files {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Doc == nil || !strings.Contains(commentText(g.Doc), "//go:embed *.ti") {
				continue
			}
			p.embeds = g.Specs[0].(*ast.ValueSpec).Names[0].Name
			p.embedFile = p.names[i]
		}
	}
	if p.embeds == "" {
		return nil
	}
	var err error
	p.kernels, err = filepath.Glob(filepath.Join(filepath.Dir(p.embedFile), "*.ti"))
	for _, name := range p.kernels {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(p.fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		p.texts[name] = string(text)
		p.kernelFiles = append(p.kernelFiles, f)
	}
	return err
}

func commentText(g *ast.CommentGroup) string {
	var w strings.Builder
	for _, c := range g.List {
		w.WriteString(c.Text + "\n")
	}
	return w.String()
}

// kernelUnits are the functions and constants of the embedded sources.
func (p *source) kernelUnits() []*unit {
	var all []*unit
	for i, f := range p.kernelFiles {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				all = append(all, &unit{p.kernels[i], functionName(d), d})
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if v, ok := s.(*ast.ValueSpec); ok && d.Tok == token.CONST {
						all = append(all, &unit{p.kernels[i], "const " + v.Names[0].Name, v})
					}
				}
			}
		}
	}
	return all
}

// kernelSites are the mutants of the embedded sources.
func (p *source) kernelSites() []*site {
	var all []*site
	units := p.kernelUnits()
	for i, f := range p.kernelFiles {
		ast.Inspect(f, func(n ast.Node) bool {
			if _, ok := n.(*ast.ArrayType); ok {
				return false
			}
			if n == nil {
				return true
			}
			u := p.unitAt(units, p.kernels[i], n)
			other, rank := p.kernelMutant(n)
			if u == nil || other == "" {
				return true
			}
			from, to := p.fset.Position(n.Pos()), p.fset.Position(n.End())
			all = append(all, &site{
				file: p.kernels[i], unit: u.name, mutation: kernelText, line: from.Line, from: from.Offset, to: to.Offset,
				old: p.text(n), new: other, rank: rank,
			})
			return true
		})
	}
	return all
}

// kernelMutant is what may stand for a node of an embedded source, "" for nothing.
func (p *source) kernelMutant(n ast.Node) (string, int) {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if op := tokens[n.Op]; op != "" {
			return p.text(n.X) + " " + op + " " + p.text(n.Y), subtle
		}
		if n.Op == token.QUO {
			return p.text(n.X) + " * " + p.text(n.Y), subtle
		}
	case *ast.UnaryExpr:
		if n.Op == token.SUB || n.Op == token.NOT {
			return p.text(n.X), subtle
		}
	case *ast.BasicLit:
		switch n.Kind {
		case token.INT:
			return "(" + n.Value + "+1)", plain
		case token.FLOAT:
			return "(" + n.Value + "*1.25)", subtle
		}
	case *ast.ReturnStmt:
		if len(n.Results) == 0 {
			return "", 0
		}
		first := p.text(n.Results[0])
		return "return (" + first + ") * 2" + p.text(n)[len("return "+first):], blunt
	case *ast.CallExpr:
		if f, ok := n.Fun.(*ast.Ident); ok {
			if other := functions[f.Name]; other != "" {
				return other + p.text(n)[len(f.Name):], subtle
			}
			// What a function of one argument and result gives, if it gives back what it is given.
			if f.Name == "transpose" || f.Name == "polished" || f.Name == "falling" || f.Name == "abs" {
				return p.text(n.Args[0]), subtle
			}
		}
	}
	return "", 0
}

// functions of the kernel language that take each other's place.
var functions = pairs(`min max, acute givens, givens acute, sqrt abs`)

// kernelTexts makes the package read its embedded files through the mutants.
func (p *source) kernelTexts(sites []*site, texts map[string]string) {
	if p.embeds == "" {
		return
	}
	text, ok := texts[p.embedFile]
	if !ok {
		text = p.texts[p.embedFile]
	}
	decl := "var " + p.embeds + " embed.FS"
	texts[p.embedFile] = strings.Replace(text, decl, "var mutantFiles embed.FS\n\nvar "+p.embeds+" = mutantFS{mutantFiles}", 1)
	var edits strings.Builder
	for _, s := range sites {
		if s.mutation == kernelText {
			fmt.Fprintf(&edits, "\t{%q, %d, %d, %d, %q},\n", filepath.Base(s.file), s.number, s.from, s.to, s.new)
		}
	}
	texts[filepath.Join(filepath.Dir(p.embedFile), "zz_mutantfs.go")] = fmt.Sprintf(kernelSwitch, p.name, edits.String())
}

// kernelSwitch is the file that reads embedded files through their mutants.
const kernelSwitch = `package %s

import "embed"

type mutantFS struct{ embed.FS }

var mutantEdits = []struct {
	file             string
	number, from, to int
	text             string
}{
%s}

func (f mutantFS) ReadFile(name string) ([]byte, error) {
	text, err := f.FS.ReadFile(name)
	for _, e := range mutantEdits {
		if e.file == name && err == nil && mutantOn(e.number) {
			text = append(append(append([]byte{}, text[:e.from]...), e.text...), text[e.to:]...)
		}
	}
	return text, err
}
`
