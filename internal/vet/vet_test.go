package vet

import (
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// warnings vets a source whose fields have a written rank.
func warnings(t *testing.T, name, text string) syntax.ErrorList {
	t.Helper()
	f, errs := syntax.Parse(name, text, token.Position{})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	files := []*syntax.File{f}
	pkg, errs := check.Declare(files)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	host := &check.Host{Fields: map[string]check.HostField{}, Consts: map[string]check.HostConst{}}
	for _, v := range pkg.Vars {
		ft, ok := v.Type.(typed.FieldType)
		if !ok {
			host.Consts[v.Name] = check.HostConst{Vals: []typed.Num{typed.IntNum(7)}}
			continue
		}
		shape := make([]int, ft.Rank)
		for i := range shape {
			shape[i] = 32
		}
		host.Fields[v.Name] = check.HostField{Elem: ft.Elem, Shape: shape, Origin: make([]int, ft.Rank)}
	}
	p, errs := pkg.Check(host)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return Check(&p.Program, files)
}

var expect = regexp.MustCompile(`/\* WARN (TI\d{4}) "([^"]*)" \*/`)

// The sources in testdata say in comments what is warned about on their lines, and
// nothing else is.
func TestWarnings(t *testing.T) {
	names, err := filepath.Glob("testdata/*.ti")
	if err != nil || len(names) == 0 {
		t.Fatal("no sources", err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(text), "\n")
		want := 0
		for _, line := range lines {
			want += len(expect.FindAllString(line, -1))
		}
		list := warnings(t, name, string(text))
		if len(list) != want {
			t.Errorf("%s: %d warnings, want %d", name, len(list), want)
		}
		for _, e := range list {
			m := expect.FindStringSubmatch(lines[e.Pos.Line-1])
			if m == nil || m[1] != e.Code.String() || !strings.Contains(e.Msg, m[2]) {
				t.Errorf("not expected: %v", e)
			}
			if e.Line == "" || e.Help == "" {
				t.Errorf("without its line or help: %v", e)
			}
		}
	}
}

// The examples of the explanations give their warning, and none.
func TestExplanations(t *testing.T) {
	n := 0
	for _, e := range syntax.Explanations() {
		if !e.Code.IsWarning() {
			continue
		}
		n++
		list := warnings(t, "wrong.ti", "package p\n\n"+e.Wrong)
		if len(list) != 1 || list[0].Code != e.Code {
			t.Errorf("%s: the wrong example gives %v", e.Code, list)
		}
		if list := warnings(t, "right.ti", "package p\n\n"+e.Right); len(list) > 0 {
			t.Errorf("%s: the right example gives %v", e.Code, list)
		}
	}
	if n == 0 {
		t.Error("there are no codes of warnings")
	}
}
