package main

import (
	"github.com/gotaichi/ti/internal/script"

	"fmt"
	"go/ast"
	"go/doc/comment"
	"go/format"
	"go/token"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/syntax"
)

type docCmd struct {
	Library script.Libraries `embed:""`
	All     bool             `help:"Print the documentation of all declarations, not only the declarations."`
	Args    []string         `arg:"" name:"file" help:"Sources; files of one folder with the same package clause are one source. Behind them the name of a declaration, as in Step, Particle or Particle.Move."`
}

// Run prints declarations of a source with their comments, as go doc does.
func (c *docCmd) Run(std *stdio) error {
	names, symbol := c.Args, ""
	if last := names[len(names)-1]; len(names) > 1 && isSymbol(last) {
		names, symbol = names[:len(names)-1], last
	}
	for i, name := range names {
		path, err := filepath.Abs(name)
		if err != nil {
			return err
		}
		names[i] = path
	}
	sources, errs, err := readSources(names, &c.Library)
	switch {
	case err != nil:
		return err
	case len(errs) > 0:
		return sourceError(std, errs.Sort())
	case len(sources) > 1:
		return severalSources(len(sources))
	}
	d := newDocument(sources[0])
	if symbol == "" {
		d.overview(std.out, c.All)
		return nil
	}
	return d.show(std.out, symbol)
}

// isSymbol reports whether an argument is the name of a declaration, and no file.
func isSymbol(arg string) bool {
	name, method, has := strings.Cut(arg, ".")
	return token.IsIdentifier(name) && (!has || token.IsIdentifier(method) && method != "ti" && method != "go")
}

// A document is what a source declares.
type document struct {
	name  string
	doc   string // of the package
	decls []declaration
}

// A declaration is one of a source: a function, or a group of constants, vars or types.
type declaration struct {
	names []string // those that find it; of a method with its type's
	kind  declKind
	text  string // formatted; of a function without its body
	brief string // on one line, for an overview
	doc   string
	parts map[string]string // of a group: the lines of each of its names
}

// declKind is what a declaration declares, in the order of an overview.
type declKind int

const (
	constDecl declKind = iota
	varDecl
	kernelDecl
	typeDecl
	methodDecl
	deviceDecl
)

func newDocument(files []*syntax.File) *document {
	d := &document{}
	for _, f := range files {
		if f.HasPackage() {
			d.name = f.Tree.Name.Name
			d.doc += f.Tree.Doc.Text()
		}
		for _, decl := range f.Tree.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				d.decls = append(d.decls, function(f, decl))
			case *ast.GenDecl:
				if decl.Tok != token.IMPORT {
					d.decls = append(d.decls, group(f, decl))
				}
			}
		}
	}
	return d
}

// function documents a kernel, a device function or a method.
func function(f *syntax.File, decl *ast.FuncDecl) declaration {
	text := neat(f.Text(decl.Pos(), decl.Type.End()))
	d := declaration{names: []string{decl.Name.Name}, kind: deviceDecl, text: text, brief: flat(text), doc: decl.Doc.Text()}
	switch {
	case decl.Recv != nil && len(decl.Recv.List) > 0:
		d.kind = methodDecl
		t := f.Text(decl.Recv.List[0].Type.Pos(), decl.Recv.List[0].Type.End())
		t, _, _ = strings.Cut(strings.TrimLeft(t, "*( "), "[")
		d.names = append(d.names, strings.TrimRight(t, " )")+"."+decl.Name.Name)
	case decl.Name.IsExported():
		d.kind = kernelDecl
	}
	return d
}

// group documents constants, vars or types that are declared together.
func group(f *syntax.File, decl *ast.GenDecl) declaration {
	text := neat(f.Text(decl.Pos(), decl.End()))
	d := declaration{text: text, brief: text, doc: decl.Doc.Text(), parts: map[string]string{}}
	d.kind = map[token.Token]declKind{token.CONST: constDecl, token.VAR: varDecl, token.TYPE: typeDecl}[decl.Tok]
	var briefs []string
	for _, s := range decl.Specs {
		part := f.Text(s.Pos(), s.End())
		var doc, behind *ast.CommentGroup
		switch s := s.(type) {
		case *ast.ValueSpec:
			doc, behind = s.Doc, s.Comment
			for _, n := range s.Names {
				d.names = append(d.names, n.Name)
			}
		case *ast.TypeSpec:
			doc, behind = s.Doc, s.Comment
			d.names = append(d.names, s.Name.Name)
			briefs = append(briefs, "type "+briefType(f, s))
		}
		if behind != nil {
			part += " " + f.Text(behind.Pos(), behind.End())
		}
		if doc != nil && decl.Lparen.IsValid() {
			part = f.Text(doc.Pos(), doc.End()) + "\n" + decl.Tok.String() + " " + part
		} else {
			part = decl.Tok.String() + " " + part
		}
		for _, n := range d.names {
			if _, has := d.parts[n]; !has {
				d.parts[n] = neat(part)
			}
		}
	}
	if !decl.Lparen.IsValid() {
		for _, n := range d.names {
			d.text = d.parts[n] // with the comment behind it
		}
		d.brief = d.text
	}
	if len(briefs) > 0 {
		d.brief = strings.Join(briefs, "\n")
	}
	return d
}

// briefType is the declaration of a type without the members of a struct.
func briefType(f *syntax.File, s *ast.TypeSpec) string {
	if _, is := s.Type.(*ast.StructType); is {
		return f.Text(s.Pos(), s.Type.Pos()) + "struct{ ... }"
	}
	return flat(f.Text(s.Pos(), s.End()))
}

// neat formats a part of a source; what is no declaration by itself stays as it is.
func neat(text string) string {
	out, err := format.Source([]byte(text))
	if err != nil {
		return text
	}
	return strings.TrimRight(string(out), "\n")
}

// flat writes a declaration on one line.
func flat(text string) string {
	return strings.NewReplacer("( ", "(", ", )", ")").Replace(strings.Join(strings.Fields(text), " "))
}

// overview prints the comment of the package and what it declares: constants and vars, kernels, types with their methods,
// and device functions.
func (d *document) overview(w io.Writer, all bool) {
	if d.name != "" {
		fmt.Fprintf(w, "package %s\n\n", d.name)
	}
	if d.doc != "" {
		fmt.Fprintf(w, "%s\n", comments(d.doc, ""))
	}
	decls := slices.Clone(d.decls)
	slices.SortStableFunc(decls, func(a, b declaration) int { return int(a.kind) - int(b.kind) })
	for i, x := range decls {
		if all {
			x.print(w, x.text)
		} else {
			if i > 0 && (x.kind != decls[i-1].kind || strings.Contains(x.brief+decls[i-1].brief, "\n")) {
				fmt.Fprintln(w)
			}
			fmt.Fprintln(w, x.brief)
		}
	}
}

// print prints a declaration with its comment below it.
func (x *declaration) print(w io.Writer, text string) {
	fmt.Fprintln(w, text)
	fmt.Fprintf(w, "%s\n", comments(x.doc, "    "))
}

// comments lays out the text of a comment as go doc does, each line behind a prefix.
func comments(text, prefix string) string {
	p := comment.Printer{TextPrefix: prefix, TextCodePrefix: prefix + "    "}
	return string(p.Text(new(comment.Parser).Parse(text)))
}

// show prints what a name declares: of a type its methods, too.
func (d *document) show(w io.Writer, name string) error {
	found := false
	for _, x := range d.decls {
		if !slices.Contains(x.names, name) {
			continue
		}
		found = true
		text := x.text
		if part, is := x.parts[name]; is {
			text = part
		}
		x.print(w, text)
		if x.kind == typeDecl {
			d.methods(w, name)
		}
	}
	if !found {
		return fmt.Errorf("the source declares no %s; ti doc without a name lists what it declares", name)
	}
	return nil
}

// methods lists those of a type.
func (d *document) methods(w io.Writer, of string) {
	for _, x := range d.decls {
		if x.kind == methodDecl && strings.HasPrefix(x.names[len(x.names)-1], of+".") {
			fmt.Fprintln(w, x.brief)
		}
	}
}
