package doctest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// bannedRow is a row of the glossary's second table: a word, its inflections, and
	// what it meant.
	bannedRow = regexp.MustCompile("(?m)^\\| ((?:`[a-z]+`(?:, )?)+) \\| .+ \\| .+ \\|$")
	quoted    = regexp.MustCompile("`([a-z]+)`")
	nameWord  = regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+`)
)

// bannedWords reads the words that docs/glossary.md bans.
func bannedWords(t *testing.T) map[string]bool {
	text, err := os.ReadFile("../../docs/glossary.md")
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]bool{}
	for _, row := range bannedRow.FindAllStringSubmatch(string(text), -1) {
		for _, w := range quoted.FindAllStringSubmatch(row[1], -1) {
			words[w[1]] = true
		}
	}
	if len(words) < 10 {
		t.Fatalf("the table of banned words has %d", len(words))
	}
	return words
}

// bannedIn returns the first banned word in a name.
func bannedIn(name string, words map[string]bool) string {
	for _, w := range nameWord.FindAllString(name, -1) {
		if w = strings.ToLower(w); words[w] {
			return w
		}
	}
	return ""
}

// notInComments are words that comments do not have either: they are no plain English for what they stood for.
var notInComments = regexp.MustCompile(`(?i)\b(walk(s|ed|ing|er)?|stretch(es)?|way back)\b`)

// TestGlossary refuses the words that the glossary bans in names that internal packages
// declare, and in the names of their files.
func TestGlossary(t *testing.T) {
	words := bannedWords(t)
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == "testdata" {
			return fs.SkipDir
		}
		if w := bannedIn(strings.TrimSuffix(d.Name(), ".go"), words); w != "" {
			t.Errorf("%s: docs/glossary.md bans the word %q", path, w)
		}
		if strings.HasSuffix(path, ".go") {
			checkNames(t, path, words)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkNames reports banned words in what a file declares.
func checkNames(t *testing.T, path string, words map[string]bool) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Error(err)
		return
	}
	check := func(names ...*ast.Ident) {
		for _, id := range names {
			if w := bannedIn(id.Name, words); w != "" {
				t.Errorf("%s: docs/glossary.md bans the word %q, in %s", files.Position(id.Pos()), w, id.Name)
			}
		}
	}
	for _, c := range file.Comments {
		if w := notInComments.FindString(c.Text()); w != "" && !strings.Contains(path, "porttest") {
			t.Errorf("%s: docs/glossary.md bans the word %q, in a comment", files.Position(c.Pos()), w)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			check(n.Name)
		case *ast.TypeSpec:
			check(n.Name)
		case *ast.ValueSpec:
			check(n.Names...)
		case *ast.Field:
			check(n.Names...)
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				for _, e := range n.Lhs {
					check(e.(*ast.Ident))
				}
			}
		case *ast.RangeStmt:
			for _, e := range []ast.Expr{n.Key, n.Value} {
				if id, ok := e.(*ast.Ident); ok && n.Tok == token.DEFINE {
					check(id)
				}
			}
		}
		return true
	})
}

// TestBannedIn tries names.
func TestBannedIn(t *testing.T) {
	words := map[string]bool{"walk": true, "seen": true}
	for name, want := range map[string]string{
		"walk": "walk", "rowWalk": "walk", "WalkRows": "walk", "OpSeen": "seen", "walk2": "walk",
		"sidewalk": "", "unforeseen": "", "Boardwalk": "", "row_walk": "walk",
	} {
		if got := bannedIn(name, words); got != want {
			t.Errorf("in %s: %q, want %q", name, got, want)
		}
	}
}
