package syntax

import (
	"go/token"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/diag"
)

func TestPositions(t *testing.T) {
	const source = "\npackage p\n\nfunc F() {\n\tx := = 1\n}\n"
	host := "package main\n\nvar other = `a`\n\nvar source = `" + source + "`\n"
	base, ok := FindRaw("main.go", host, source)
	if !ok || base.Line != 5 || base.Column != 15 || host[base.Offset:base.Offset+len(source)] != source {
		t.Fatalf("the raw string is found at %+v", base)
	}
	if _, ok := FindRaw("main.go", host, "no such text"); ok {
		t.Error("found a string that is not there")
	}
	for _, c := range []struct {
		name string
		base token.Position
		want string
	}{
		{"f.ti", token.Position{}, "f.ti:5:7"},
		{"", token.Position{}, "source:5:7"},
		{"main.go", base, "main.go:9:7"},
	} {
		_, errs := Parse(c.name, source, c.base)
		if len(errs) != 1 || diag.Place(errs[0].Pos) != c.want {
			t.Errorf("%s: %v", c.want, errs)
		}
	}
	// The first line of a raw string is shifted by its column.
	_, errs := Parse("main.go", "package p; var = 1", base)
	if len(errs) == 0 || errs[0].Pos.Column != 15+15 {
		t.Errorf("first line: %+v", errs)
	}
}

func TestErrorText(t *testing.T) {
	_, errs := Parse("f.ti", "package p\n\nfunc F(a, b f32) f32 {\n\treturn a @ b\n}\n", token.Position{})
	const want = "f.ti:4:11: there is no operator @ [TI0107]\n" +
		"    \treturn a @ b\n" +
		"    \t         ^\n" +
		"    help: * with a matrix operand is the matrix product: a * b"
	if got := errs.Error(); got != want {
		t.Errorf("have\n%s\nwant\n%s", got, want)
	}
	const line = "f.ti:4:11: there is no operator @ [TI0107]; * with a matrix operand is the matrix product: a * b"
	if got := errs[0].Error(); got != line {
		t.Errorf("have %q, want %q", got, line)
	}
	long := &Error{Code: BadSyntax, Pos: token.Position{Line: 1, Column: 5000}, Msg: "m", Line: strings.Repeat("x", 10000)}
	if got := (ErrorList{long}).Error(); len(got) > 500 || !strings.Contains(got, "^") {
		t.Errorf("a long line is not cut: %d bytes", len(got))
	}
}

// Several slips are reported together, and the parser's echoes are not.
func TestSlips(t *testing.T) {
	for _, c := range []struct {
		body string
		want string // codes with line and column
	}{
		{"y := a @ b\nz := c ? a : b", "TI0107 4:8 TI0108 5:8"},
		{"y := a if c else b", "TI0109 4:8"},
		{"for i, j, k := range x {\n}", "TI0110 4:11"},
		{"X[i, 0] = 1\nX[i, j+1] = 2", "TI0104 4:4 TI0104 5:4"},
		{"if v == vec2{1, 2} {\n}", "TI0111 4:9"},
		{"y := a\n\t* b\nz := a\n\t/ b", "TI0112 7:2"},
		{"y := (a // 2)\nz := 1", "TI0106 4:9"},
		{"if a // 2 == 0 {\n}", "TI0106 4:6"},
		{"while a < 3 {\n}", "TI0100 4:7"},
		{"y := 08", "TI0100 4:7"},
		{"y := 3; ; z := 2", ""},
		{"y := x[f(a, b)] // fine", ""},
	} {
		_, errs := Parse("", "package p\n\nfunc F() {\n"+c.body+"\n}\n", token.Position{})
		var got []string
		for _, e := range errs {
			got = append(got, e.Code.String()+" "+strings.TrimPrefix(diag.Place(e.Pos), "source:"))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%q: have %s, want %s\n%v", c.body, s, c.want, errs)
		}
	}
}

func TestForeignWords(t *testing.T) {
	for body, help := range map[string]string{
		"while a < 3 {\n}":         "for cond",
		"y := a and b":             "&&",
		"let y = 3":                "x := value",
		"int x = 3":                "var x i32",
		"for i in range(3) {\n}\n": "for i := range n",
	} {
		_, errs := Parse("", "package p\n\nfunc F() {\n"+body+"\n}\n", token.Position{})
		if len(errs) == 0 || !strings.Contains(errs[0].Help, help) {
			t.Errorf("%q: no help %q in %v", body, help, errs)
		}
	}
}

func TestExplain(t *testing.T) {
	e, ok := Explain(CommaIndex)
	if !ok || e.Code != CommaIndex || e.Title == "" {
		t.Errorf("%+v", e)
	}
	if _, ok := Explain(9999); ok {
		t.Error("explains a code that is none")
	}
}
