package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A source is a package whose sources are known with their types.
type source struct {
	path, name string
	fset       *token.FileSet
	files      []*ast.File
	names      []string          // of files, absolute
	texts      map[string]string // by name
	info       *types.Info
	imports    types.Importer
	chosen     []*site // those of the last rewrite

	// Of a package that embeds sources in the kernel language: these, and the
	// variable that holds them with its file.
	kernels           []string
	kernelFiles       []*ast.File
	embeds, embedFile string
}

// load reads and checks the package at an import path or directory.
func load(at string) (*source, error) {
	text, err := run("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}\t{{.Dir}}\t{{.Name}}\t{{.GoFiles}}", at)
	if err != nil {
		return nil, err
	}
	export := map[string]string{}
	var last []string
	// What the files that are added import comes first.
	std, err := run("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}", "fmt", "strconv", "sync")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(std) + string(text)) {
		last = strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		export[last[0]] = last[1]
	}
	p := &source{path: last[0], name: last[3], fset: token.NewFileSet(), texts: map[string]string{}}
	for _, f := range strings.Fields(strings.Trim(last[4], "[]")) {
		name := filepath.Join(last[2], f)
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(p.fset, name, text, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return nil, err
		}
		p.names, p.files, p.texts[name] = append(p.names, name), append(p.files, file), string(text)
	}
	p.info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	p.imports = importer.ForCompiler(p.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(export[path]) })
	conf := types.Config{Importer: p.imports}
	if _, err = conf.Check(p.path, p.fset, p.files, p.info); err != nil {
		return nil, err
	}
	return p, p.loadKernels()
}

// switchText is the file that each package with mutants gets.
const switchText = `package %s

import (
	"fmt"
	"os"
	"strconv"
	"sync"
)

var mutantChosen = func() int { n, _ := strconv.Atoi(os.Getenv("MUTANT")); return n }()

var mutantTrace = os.Getenv("MUTANT_TRACE")

var mutantSeen sync.Map

// mutantOn reports whether mutant n is the one of this run.
func mutantOn(n int) bool {
	if mutantTrace != "" {
		if _, old := mutantSeen.LoadOrStore(n, true); !old {
			f, err := os.OpenFile(mutantTrace, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
			if err == nil {
				fmt.Fprintln(f, n)
				f.Close()
			}
		}
	}
	return n == mutantChosen
}

func mutantPick[T any](n int, old, new T) T {
	if mutantOn(n) {
		return new
	}
	return old
}
`

// rewrite returns the files with mutants, numbered from first, by name.
func (p *source) rewrite(sites []*site, first int) map[string]string {
	texts := map[string]string{}
	p.chosen = sites
	for i, s := range sites {
		s.number = first + i
	}
	for _, name := range p.names {
		in := slices.DeleteFunc(slices.Clone(sites), func(s *site) bool { return s.file != name })
		slices.SortFunc(in, func(a, b *site) int { return cmp.Or(a.from-b.from, a.to-b.to) })
		text, old, at := &bytes.Buffer{}, p.texts[name], 0
		for _, s := range in {
			text.WriteString(old[at:s.from])
			s.newLine = 1 + bytes.Count(text.Bytes(), []byte{'\n'})
			text.WriteString(s.wrapped())
			s.lastLine = 1 + bytes.Count(text.Bytes(), []byte{'\n'})
			at = s.to
		}
		if len(in) > 0 {
			text.WriteString(old[at:])
			texts[name] = text.String()
		}
	}
	p.kernelTexts(sites, texts)
	texts[filepath.Join(filepath.Dir(p.names[0]), "zz_mutants.go")] = fmt.Sprintf(switchText, p.name)
	return texts
}

// recheck checks the rewritten files and returns the mutants that cannot be compiled where they stand.
func (p *source) recheck(texts map[string]string) (map[*site]bool, error) {
	fset, bad := token.NewFileSet(), map[*site]bool{}
	var files []*ast.File
	all := maps.Clone(p.texts)
	maps.Copy(all, texts)
	maps.DeleteFunc(all, func(name, _ string) bool { return !strings.HasSuffix(name, ".go") })
	for _, name := range slices.Sorted(maps.Keys(all)) {
		f, err := parser.ParseFile(fset, name, all[name], parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	var other error
	conf := types.Config{Importer: p.imports, Error: func(err error) {
		e := err.(types.Error)
		at := fset.Position(e.Pos)
		for _, s := range p.chosen {
			if s.file == at.Filename && s.newLine <= at.Line && at.Line <= s.lastLine {
				bad[s] = true
				return
			}
		}
		other = err
	}}
	conf.Check(p.path, fset, files, nil)
	if len(bad) == 0 {
		return nil, other
	}
	return bad, nil
}
