package conformance

import (
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite docs/conformance.md")

const (
	repository = "../../.."
	document   = "docs/conformance.md"
	directive  = "//conform:theme "
)

// TestConformanceDocument checks that docs/conformance.md says what is tested: it
// counts the rows of all tables of behaviours, in this package and in the others.
//
// A table of behaviours is a slice literal in a file conform_*_test.go, in a function
// or variable whose comment has a line "//conform:theme NAME" with a name of
// [themes]. Each of its rows begins with the behaviour's name, a string literal.
// go test -update ./internal/runtest/conformance -run TestConformanceDocument writes the file.
func TestConformanceDocument(t *testing.T) {
	found, err := findTables(repository)
	if err != nil {
		t.Fatal(err)
	}
	text, err := describe(found)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(repository, document)
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if now, err := os.ReadFile(path); err != nil || string(now) != text {
		t.Errorf("%s does not say what is tested (%v); write it with\n\tgo test ./internal/runtest/conformance -run TestConformanceDocument -update", document, err)
	}
}

// A table is the behaviours of one theme in one file.
type table struct {
	theme, file string // file from the root of the repository, with slashes
	rows        int
}

// findTables reads the tables of all files conform_*_test.go below root.
func findTables(root string) (all []table, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if strings.HasPrefix(d.Name(), ".") && path != root || d.Name() == "testdata" || d.Name() == "out" {
				return filepath.SkipDir
			}
			return nil
		}
		if ok, _ := filepath.Match("conform_*_test.go", d.Name()); !ok {
			return nil
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		tables, err := tablesOf(path, filepath.ToSlash(name))
		all = append(all, tables...)
		return err
	})
	return all, err
}

// tablesOf reads the tables of one file.
func tablesOf(path, name string) (all []table, err error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, d := range file.Decls {
		var doc *ast.CommentGroup
		test := ""
		switch d := d.(type) {
		case *ast.FuncDecl:
			doc, test = d.Doc, d.Name.Name
		case *ast.GenDecl:
			doc = d.Doc
		}
		theme := themeOf(doc)
		if theme == "" {
			if strings.HasPrefix(test, "TestConform") {
				return nil, fmt.Errorf("%s: %s has no line %sNAME in its comment", name, test, directive)
			}
			continue
		}
		rows, err := countRows(d)
		if err == nil && rows == 0 {
			err = errors.New("no rows")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: theme %s: %w", name, theme, err)
		}
		if k := slices.IndexFunc(all, func(t table) bool { return t.theme == theme }); k >= 0 {
			all[k].rows += rows
		} else {
			all = append(all, table{theme, name, rows})
		}
	}
	return all, nil
}

func themeOf(doc *ast.CommentGroup) string {
	if doc == nil {
		return ""
	}
	for _, c := range doc.List {
		if theme, found := strings.CutPrefix(c.Text, directive); found {
			return strings.TrimSpace(theme)
		}
	}
	return ""
}

// countRows counts the rows of the tables in a declaration, whose names must differ.
func countRows(d ast.Decl) (rows int, err error) {
	visited := map[string]bool{}
	ast.Inspect(d, func(n ast.Node) bool {
		names := rowNames(n)
		for _, name := range names {
			if visited[name] && err == nil {
				err = fmt.Errorf("two behaviours have the name %q", name)
			}
			visited[name] = true
		}
		rows += len(names)
		return names == nil
	})
	return rows, err
}

// rowNames returns the names of the rows of n if it is a table: a slice literal of
// rows that begin with strings.
func rowNames(n ast.Node) (names []string) {
	lit, ok := n.(*ast.CompositeLit)
	if !ok {
		return nil
	}
	if typ, ok := lit.Type.(*ast.ArrayType); !ok || typ.Len != nil {
		return nil
	}
	for _, e := range lit.Elts {
		row, ok := e.(*ast.CompositeLit)
		if !ok || len(row.Elts) == 0 {
			return nil
		}
		first := row.Elts[0]
		if kv, ok := first.(*ast.KeyValueExpr); ok {
			first = kv.Value
		}
		text, ok := first.(*ast.BasicLit)
		if !ok || text.Kind != token.STRING {
			return nil
		}
		name, err := strconv.Unquote(text.Value)
		if err != nil {
			return nil
		}
		names = append(names, name)
	}
	return names
}

// describe writes the document.
func describe(tables []table) (string, error) {
	for _, t := range tables {
		if !slices.ContainsFunc(themes, func(h theme) bool { return h.name == t.theme }) {
			return "", fmt.Errorf("%s: no theme is called %q", t.file, t.theme)
		}
	}
	var w strings.Builder
	w.WriteString(preamble)
	w.WriteString("| | theme | behaviours | tests |\n|---|---|--:|---|\n")
	for _, h := range themes {
		if h.missing != "" {
			continue
		}
		rows, files := 0, []string(nil)
		for _, t := range tables {
			if t.theme == h.name {
				rows += t.rows
				files = append(files, fmt.Sprintf("[%s](../%s)", strings.TrimSuffix(strings.TrimPrefix(filepath.Base(t.file), "conform_"), "_test.go"), t.file))
			}
		}
		if rows == 0 {
			return "", fmt.Errorf("theme %s has neither a test nor a reason why not", h.name)
		}
		fmt.Fprintf(&w, "| ✓ | **%s**: %s | %d | %s |\n", h.name, h.about, rows, strings.Join(files, ", "))
	}
	w.WriteString(interlude)
	w.WriteString("| | theme | why |\n|---|---|---|\n")
	for _, h := range themes {
		if h.missing != "" {
			fmt.Fprintf(&w, "| %s | **%s**: %s | %s |\n", h.mark, h.name, h.about, h.missing)
		}
	}
	return w.String(), nil
}
