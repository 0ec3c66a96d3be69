package doctest

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTestsAreFound looks for the tests of each package below internal: beside it, or where a paragraph of its comment
// says that begins with "Tests:". What the paragraph names has to be there, and so have packages that a command go test names.
func TestTestsAreFound(t *testing.T) {
	apart := 0
	err := filepath.WalkDir("..", func(dir string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !d.IsDir():
			return nil
		case d.Name() == "testdata":
			return fs.SkipDir
		}
		text, tested, err := packageComment(dir)
		if err != nil || text == "" && !tested {
			return err
		}
		for _, command := range goTest.FindAllStringSubmatch(text, -1) {
			if err := testsAt(os.DirFS("../.."), strings.ReplaceAll(" "+command[1], " . ", " package ti ")); err != nil {
				t.Errorf("%s: go test%s: %v", dir, command[1], err)
			}
		}
		places, named := paragraph(text, "Tests:")
		switch {
		case named:
			apart++
			if err := testsAt(os.DirFS("../.."), places); err != nil {
				t.Errorf("%s: the paragraph on tests: %v", dir, err)
			}
		case !tested:
			t.Errorf("%s has no tests beside it, and no paragraph of its package comment says where they are: \"Tests: internal/x runs …\"", dir)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if apart < 10 {
		t.Errorf("only %d paragraphs on tests are found", apart)
	}
}

// packageComment returns the comment of the package in a folder, or its name where it has none, and whether tests are beside it.
// Where there is no package it returns "".
func packageComment(dir string) (text string, tested bool, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return "", false, err
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			tested = true
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			return "", false, err
		}
		switch {
		case f.Doc != nil:
			text = f.Doc.Text()
		case text == "":
			text = f.Name.Name
		}
	}
	return text, tested, nil
}

// paragraph returns the paragraph of a comment that begins with a word.
func paragraph(text, word string) (string, bool) {
	for p := range strings.SplitSeq(text, "\n\n") {
		if rest, ok := strings.CutPrefix(p, word); ok {
			return rest, true
		}
	}
	return "", false
}

var (
	goTest    = regexp.MustCompile(`(?m)^\tgo test(( \S+)*)$`)
	placePath = regexp.MustCompile(`\b[\w-]+(?:/[\w-]+)+\b(?:\.\w+)?|\bpackage ti\b`)
	testName  = regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark)[A-Z]\w*`)
)

// testsAt looks for the folders, files and tests that a paragraph names.
func testsAt(root fs.FS, text string) error {
	var sources []string
	var errs []error
	for _, p := range placePath.FindAllString(text, -1) {
		if p == "package ti" {
			p = "."
		}
		if info, err := fs.Stat(root, p); err != nil || !info.IsDir() || strings.Contains(p, "testdata") {
			if err != nil {
				errs = append(errs, err)
			}
			continue
		}
		tests, err := fs.Glob(root, strings.TrimPrefix(p+"/*_test.go", "./"))
		if err == nil && len(tests) == 0 {
			err = fmt.Errorf("there are no tests in %s", p)
		}
		errs = append(errs, err)
		for _, file := range tests {
			data, err := fs.ReadFile(root, file)
			errs = append(errs, err)
			sources = append(sources, string(data))
		}
	}
	if len(sources) == 0 {
		errs = append(errs, errors.New("it names no folder with tests"))
	}
	for _, name := range testName.FindAllString(text, -1) {
		if !slices.ContainsFunc(sources, func(s string) bool { return strings.Contains(s, "\nfunc "+name+"(") }) {
			errs = append(errs, fmt.Errorf("no folder that it names has %s", name))
		}
	}
	return errors.Join(errs...)
}

// TestTestsAt: folders without tests, and names that are not there, are found.
func TestTestsAt(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"internal/doctest has them, in TestTestsAt.", ""},
		{"internal/pass/testdata/access, and those of package ti.", ""},
		{"internal/doctest has them, in TestThatIsNone.", "has TestThatIsNone"},
		{"internal/nowhere has them.", "internal/nowhere"},
		{"internal/pass/testdata/access.", "names no folder with tests"},
		{"internal/codegen/llvm/testdata and internal/codegen.", "no tests in internal/codegen"},
		{"they are elsewhere.", "names no folder with tests"},
	} {
		switch err := testsAt(os.DirFS("../.."), c.text); {
		case err == nil && c.want != "", err != nil && (c.want == "" || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%q: %v; want %q", c.text, err, c.want)
		}
	}
	if p, ok := paragraph("Package p does.\n\nTests: internal/q has\nthem.\n\nThese hold.", "Tests:"); !ok || p != " internal/q has\nthem." {
		t.Errorf("%q, %v", p, ok)
	}
}
