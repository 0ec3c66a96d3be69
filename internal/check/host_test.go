package check

import (
	"go/token"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

var hostTests = []struct {
	name, text string
	host       Host
	code       syntax.Code
	msg        string
}{
	{"field missing", "var X field[f32]", Host{}, syntax.NotBound, "field X is not bound"},
	{"constant missing", "var N i32", Host{}, syntax.NotBound, "constant N is not bound"},
	{"rank", "var X field[f32, D2]", Host{Fields: map[string]HostField{"X": {Elem: typed.F32, Shape: []int{4}}}}, syntax.RankMismatch, "2 axes, and the host binds a field of 1"},
	{"element", "var X field[vec2]", Host{Fields: map[string]HostField{"X": {Elem: typed.F32, Shape: []int{4}}}}, syntax.ElemMismatch, "type vec2, and the host binds a field of f32"},
	{"too large", "var N u8", Host{Consts: map[string]HostConst{"N": {Vals: []typed.Num{typed.IntNum(256)}}}}, syntax.ConstMismatch, "256 does not fit"},
	{"fraction", "var N i32", Host{Consts: map[string]HostConst{"N": {Vals: []typed.Num{typed.FloatNum(1.5)}}}}, syntax.ConstMismatch, "1.5 does not fit"},
	{"bool", "var N i32", Host{Consts: map[string]HostConst{"N": {Vals: []typed.Num{typed.BoolNum(true)}}}}, syntax.ConstMismatch, "true does not fit"},
	{"shape", "var N vec2", Host{Consts: map[string]HostConst{"N": {Vals: []typed.Num{typed.FloatNum(1)}}}}, syntax.ConstMismatch, "another shape"},
}

func TestHostErrors(t *testing.T) {
	for _, h := range hostTests {
		f, errs := syntax.Parse("h.ti", "package p\n"+h.text+"\n", token.Position{})
		if errs != nil {
			t.Fatal(errs)
		}
		p, _ := Declare([]*syntax.File{f})
		_, errs = p.Check(&h.host)
		if len(errs) != 1 || errs[0].Code != h.code || !strings.Contains(errs[0].Msg, h.msg) {
			t.Errorf("%s: %v", h.name, errs)
		}
	}
}

// Input that is no program gives an error, in short time.
func TestBadInput(t *testing.T) {
	deep := strings.Repeat("(", 100_000)
	for _, c := range []struct {
		name, text string
		code       syntax.Code
	}{
		{"empty", "", syntax.Empty},
		{"space", " \n\t\n", syntax.Empty},
		{"binary", "\x7fELF\x02\x01\x01\x00\x00\x00", syntax.NotText},
		{"latin-1", "package p // \xe4", syntax.NotText},
		{"parentheses", "package p\nfunc F() i32 {\n\treturn " + deep + "1" + strings.Repeat(")", 100_000) + "\n}\n", syntax.TooDeep},
		{"open parentheses", "package p\nconst A = " + deep, syntax.TooDeep},
		{"minus signs", "package p\nconst A = " + strings.Repeat("-", 100_000) + "1\n", syntax.TooDeep},
		{"blocks", "package p\nfunc F() " + strings.Repeat("{", 100_000), syntax.TooDeep},
		{"sum", "package p\nconst A = 1" + strings.Repeat("+1", 100_000) + "\n", syntax.TooDeep},
		{"else ifs", "package p\nfunc F(a i32) {\n" + strings.Repeat("if a > 0 {} else ", 20_000) + "{}\n}\n", syntax.TooDeep},
		{"no package", "func F() {}", syntax.BadSyntax},
	} {
		_, errs := checkSource("bad.ti", c.text, true)
		if len(errs) == 0 || errs[0].Code != c.code {
			t.Errorf("%s: want %s, have %.200v", c.name, c.code, errs)
		}
	}
}

func TestPackageName(t *testing.T) {
	a, _ := syntax.Parse("a.ti", "package a", token.Position{})
	b, _ := syntax.Parse("b.ti", "package b", token.Position{})
	_, errs := Declare([]*syntax.File{a, b})
	if len(errs) != 1 || errs[0].Code != syntax.PackageName || errs[0].Pos.Filename != "b.ti" {
		t.Errorf("%v", errs)
	}
}

func TestLargeSource(t *testing.T) {
	var b strings.Builder
	b.WriteString("package p\nvar X field[f32, D0]\n")
	body := strings.Repeat("\tX += 1.5\n", 1000)
	for i := range 100 {
		b.WriteString("func g" + typed.IntNum(int64(i)).String() + "() {\n" + body + "}\n")
	}
	if _, errs := checkSource("large.ti", b.String(), true); len(errs) > 0 {
		t.Errorf("%.300v", errs)
	}
}

// Sources that would grow without end when unrolled, inlined or evaluated.
func TestExplosions(t *testing.T) {
	var calls strings.Builder
	calls.WriteString("package p\nvar X field[f32, D0]\nfunc g0() { X += 1 }\n")
	for i := 1; i <= 60; i++ {
		n, m := typed.IntNum(int64(i)).String(), typed.IntNum(int64(i-1)).String()
		calls.WriteString("func g" + n + "() { g" + m + "(); g" + m + "() }\n")
	}
	calls.WriteString("func F() { g60() }\n")
	loops := "for range static(100) {\n"
	for name, text := range map[string]string{
		"inlining":  calls.String(),
		"unrolling": "package p\nvar X field[f32, D0]\nfunc F() {\n" + strings.Repeat(loops, 6) + "X += 1\n" + strings.Repeat("}\n", 6) + "}\n",
		"skipped":   "package p\nfunc F() {\nfor range static(400000) {\nif static(false) {\n" + strings.Repeat("x()\n", 10_000) + "}\n}\n}\n",
		"constants": "package p\n" + strings.Repeat("const _ = [60000]f32(1)\n", 2000),
		"arrays":    "package p\nfunc F() {\n" + strings.Repeat("_ = [60000]f32(1)\n", 2000) + "}\n",
	} {
		_, errs := checkSource("x.ti", text, true)
		if len(errs) == 0 || len(errs) > 10 && name != "constants" || errs[0].Code != syntax.TooManyUnrolled {
			t.Errorf("%s: %d errors, %.300v", name, len(errs), errs)
		}
	}
}

// Long lines and many errors take no longer than others.
func TestGarbage(t *testing.T) {
	for name, text := range map[string]string{
		"braces":   "package p; func F() { if a" + strings.Repeat("a{}", 100_000) + "}",
		"unknown":  "package p; func F() { " + strings.Repeat("a1(b2);", 50_000) + "}",
		"brackets": "package p; func F() { " + strings.Repeat("a[1,2+3];", 50_000) + "}",
		"lines":    "package p; func F() { \n" + strings.Repeat("x := = 1\n", 50_000) + "}",
	} {
		if _, errs := checkSource("x.ti", text, true); len(errs) == 0 || len(errs) > 5000 {
			t.Errorf("%s: %d errors", name, len(errs))
		}
	}
}
