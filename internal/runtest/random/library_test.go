package random

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"github.com/gotaichi/ti"
)

// movable are functions of the prelude that need nothing else of it, so that they can be those of a library.
var movable = []string{"larger", "twice", "sum3", "swap", "look", "corner", "far"}

var usesMovable = regexp.MustCompile(`\b(` + strings.Join(movable, "|") + `)\b([(\[])`)

// libraryMark stands between a source and a library that it imports.
const libraryMark = "\n// The library lib:\n"

// withLibrary moves functions of a source to a library: the same program, made of two packages. One that does not use
// them stays as it is.
func withLibrary(src string) string {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		panic(err)
	}
	at := func(p token.Pos) int { return fset.Position(p).Offset }
	main, moved, last := "", "package lib\n", 0
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv != nil || !slices.Contains(movable, f.Name.Name) {
			continue
		}
		from := at(f.Pos())
		if f.Doc != nil {
			from = at(f.Doc.Pos())
		}
		moved += "\n" + src[from:at(f.End())] + "\n"
		main, last = main+src[last:from], at(f.End())
	}
	if main += src[last:]; !usesMovable.MatchString(main) {
		return src
	}
	head := "package random\n"
	main = head + "\nimport \"example.com/lib\"\n" + strings.TrimPrefix(main, head)
	return exportMoved(main, "lib.") + libraryMark + exportMoved(moved, "")
}

// exportMoved gives the functions of movable capital letters, behind the name of their package.
func exportMoved(text, qualifier string) string {
	return usesMovable.ReplaceAllStringFunc(text, func(use string) string {
		return qualifier + strings.ToUpper(use[:1]) + use[1:]
	})
}

// sourceOf is the source of a program, with its library if it has one.
func sourceOf(src string) ti.Source {
	main, lib, ok := strings.Cut(src, libraryMark)
	source := ti.Text("random.ti", main)
	if ok {
		source = ti.Join(source, ti.Library("example.com/lib", ti.Text("lib.ti", lib)))
	}
	return source
}
