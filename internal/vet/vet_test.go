package vet

import (
	"fmt"
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

// warnings vets a source whose fields have a written rank. They are bound to 32 elements along each axis.
func warnings(t *testing.T, name, text string, assumed bool) syntax.ErrorList {
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
	return Check(&p.Program, files, assumed)
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
		list := warnings(t, name, string(text), false)
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
		list := warnings(t, "wrong.ti", "package p\n\n"+e.Wrong, true)
		if len(list) != 1 || list[0].Code != e.Code {
			t.Errorf("%s: the wrong example gives %v", e.Code, list)
		}
		if list := warnings(t, "right.ti", "package p\n\n"+e.Right, true); len(list) > 0 {
			t.Errorf("%s: the right example gives %v", e.Code, list)
		}
	}
	if n == 0 {
		t.Error("there are no codes of warnings")
	}
}

// Warnings that depend on assumed extents are not reported.
func TestAssumedExtents(t *testing.T) {
	const kernel = "package p\n\nvar X, Y field[f32, D1]\nvar G field[f32, D2]\nvar N i32\n\nfunc F() {\n\tfor %s { %s }\n}\n"
	for _, c := range []struct {
		loop, body     string
		bound, assumed bool // whether it is reported
	}{
		{"i := range X", "Y[i/2] = X[i]", true, true},
		{"i := range X", "Y[i&3] = X[i]", true, false},
		{"i := range X", "Y[len(X)-1-i] = Y[i]", true, false},
		{"i := range X", "Y[i] = X[i]", false, false},
		{"i, j := range G", "Y[i] = G[i][j]", true, true},
		{"i, j := range G", "Y[i*32+j] = G[i][j]; X[i+j*31] = G[i][j]", true, false},
		{"i := range N", "Y[i/2] = X[i]", true, false},
		{"i := range 9", "Y[i&7] = X[i]", true, true},
	} {
		for _, assumed := range []bool{false, true} {
			list := warnings(t, "a.ti", fmt.Sprintf(kernel, c.loop, c.body), assumed)
			want := c.bound
			if assumed {
				want = c.assumed
			}
			if (len(list) > 0) != want {
				t.Errorf("for %s { %s }, assumed %v: %v", c.loop, c.body, assumed, list)
			}
		}
	}
}
