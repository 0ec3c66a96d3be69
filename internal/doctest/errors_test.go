package doctest

import (
	"flag"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/document"
	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

//go:generate go test -run TestErrorsPage -update

var update = flag.Bool("update", false, "write docs/errors.md")

const errorsHead = `# Errors

Each kind of error has a code that stays the same for good. ` + "`ti explain TI0308`" + ` prints an entry of this page,
` + "`ti explain`" + ` lists all. The page is made from the compiler's own registry by ` + "`go generate ./internal/doctest`" + `;
what stands under an example is what the compiler says of it.
`

// Sections of the page, by their first code.
var sections = []struct {
	first syntax.Code
	title string
}{
	{100, "Text and form"}, {200, "Names"}, {300, "Types and constants"}, {340, "Structs, methods, references"},
	{400, "Indices and members"}, {500, "Calls and functions"}, {520, "Metaprogramming"}, {550, "Text output"},
	{600, "Statements and loops"}, {syntax.NotAList, "Sparse structures"}, {700, "Binding"}, {syntax.HostType, "Host programs"}, {800, "Layouts"}, {900, "Warnings"},
}

// hostNote declares what the examples of host programs use.
const hostNote = "s Sim; one, two *ti.Runtime; t, a, b *ti.Tree; x, y *ti.Field[float32]; type Sim struct{ X, Y ti.Field[float32]; V ti.Field[ti.Vec2] }"

// TestErrorsPage compares docs/errors.md with the registry. That each example gives
// its code, the tests of package check and vet have shown; TestDocuments shows that
// it gives the text of the page.
func TestErrorsPage(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "errors.md")
	want, err := errorsPage()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/errors.md is not what the registry gives; run go generate ./internal/doctest")
	}
}

func errorsPage() (string, error) {
	var b strings.Builder
	b.WriteString(errorsHead)
	section := 0
	for _, e := range syntax.Explanations() {
		for section < len(sections) && e.Code >= sections[section].first {
			if section+1 == len(sections) || e.Code < sections[section+1].first {
				fmt.Fprintf(&b, "\n## %s\n", sections[section].title)
			}
			section++
		}
		fmt.Fprintf(&b, "\n### %v: %s\n\n%s\n", e.Code, e.Title, strings.TrimSpace(e.Text))
		for i, code := range []string{e.Wrong, e.Right} {
			if code == "" {
				continue
			}
			if i == 1 {
				b.WriteString("\nRight:\n")
			}
			text, err := example(e.Code, code, i == 0)
			if err != nil {
				return "", fmt.Errorf("%v: %w", e.Code, err)
			}
			b.WriteString("\n" + text)
		}
	}
	return b.String(), nil
}

// example is a block with an example, and what the compiler says of it.
func example(c syntax.Code, code string, wrong bool) (string, error) {
	fenced := "```go\n" + code + "\n```\n"
	if c.InHost() {
		word := "host "
		if wrong {
			word = "wrong "
		}
		return "<!-- " + word + hostNote + " -->\n" + fenced, nil
	}
	b := &document.Block{Text: code}
	if note := noteFor(b.Source(), treesIn(code)); note != "" {
		b.Note = note
		fenced = "<!-- " + note + " -->\n" + fenced
	}
	said, err := runKernel(b, ti.Oracle, errorText{help: true})
	if err != nil {
		return "", err
	}
	if wrong && !c.IsWarning() && !strings.Contains(said, "error "+c.String()+":") {
		return "", fmt.Errorf("the wrong example gives\n%s", said)
	}
	if !wrong && strings.HasPrefix(said, "error TI") {
		return "", fmt.Errorf("the right example gives\n%s", said)
	}
	if said != "" {
		fenced += "\n```text\n" + said + "```\n"
	}
	return fenced, nil
}

// noteFor binds the constants of a source, and has its trees.
func noteFor(text, trees string) string {
	parsed, errs := syntax.Parse(sourceName, text, token.Position{})
	if len(errs) > 0 {
		return ""
	}
	pkg, errs := check.Declare([]*syntax.File{parsed})
	if len(errs) > 0 {
		return ""
	}
	note := trees
	var bind func(path string, t typed.Type)
	bind = func(path string, t typed.Type) {
		switch t := t.(type) {
		case typed.Scalar:
			note += " " + path + "=8"
		case *typed.Struct:
			for _, f := range t.Fields {
				bind(path+"."+f.Name, f.Type)
			}
		case typed.Array:
			if s, ok := t.Elem.(typed.Scalar); ok && s != typed.Unknown {
				note += " " + path + "=[" + strings.TrimSuffix(strings.Repeat("8,", t.Len), ",") + "]"
			}
		}
	}
	for _, v := range pkg.Vars {
		bind(v.Name, v.Type)
	}
	if note == "" {
		return ""
	}
	return "bind" + note
}
