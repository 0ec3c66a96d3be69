package check

import (
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

const copySource = `package p
var A field[f32]
var M field[vec2, D2]
type Box struct { Lo, Hi field[f32]; N i32 }
func Copy(dst, src template, by template) {
	staticPrint("copy", dst.dtype, src, len(dst.shape), by, vec2(1, 2))
	for i := range dst { dst[i] = src[i] * by }
}
func Norm[T any](x field[T]) T {
	var s T
	for i := range x { s += x[i] }
	return s
}
func Both(a, b field[f32], n i32) i32 {
	for i := range a { a[i] = b[i] }
	return n
}
func Cells(b node) (n i32) {
	for i, j := range b { n += i + j + b.shape.x }
	return
}
func Rest(x template) { x[0] = half(x[0]) }
func half[T real](v T) T { return v / 2 }
`

func instances(t *testing.T) *Program {
	t.Helper()
	p, errs := checkSource("i.ti", copySource, true)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return p
}

// Kernels with compile-time parameters are instantiated when the host asks for it.
func TestInstantiate(t *testing.T) {
	p := instances(t)
	if len(p.Kernels) > 0 {
		t.Errorf("templates are kernels: %v", p.Kernels[0].Name)
	}
	two := typed.IntNum(2)
	f32x8 := &HostField{Elem: typed.F32, Shape: []int{8}}
	for _, tt := range []struct {
		kernel string
		args   []TemplateArg
		fields string // of the program
		params int
	}{
		{"Copy", []TemplateArg{{Field: f32x8}, {Field: &HostField{Elem: typed.F64, Shape: []int{8}}}, {Const: &HostConst{Vals: []typed.Num{two}}}}, "error", 0},
		{"Copy", []TemplateArg{{Field: f32x8}, {Var: "A"}, {Const: &HostConst{Vals: []typed.Num{two}}}}, "A M dst", 0},
		{"Copy", []TemplateArg{{Field: f32x8}, {Field: f32x8}, {Const: &HostConst{Vals: []typed.Num{two}}}}, "A M dst", 0},
		{"Norm", []TemplateArg{{Var: "M"}}, "A M", 0},
		{"Both", []TemplateArg{{Field: f32x8}, {Field: &HostField{Elem: typed.F32, Shape: []int{4}}}}, "A M a b", 1},
		{"Cells", []TemplateArg{{Field: &HostField{Shape: []int{4, 2}}}}, "A M", 0},
		{"Cells", []TemplateArg{{Var: "M"}}, "A M", 0},
	} {
		q, errs := p.Instantiate(tt.kernel, tt.args)
		if tt.fields == "error" {
			if len(errs) == 0 {
				t.Errorf("%s: no error", tt.kernel)
			}
			continue
		}
		if len(errs) > 0 {
			t.Errorf("%s: %v", tt.kernel, errs)
			continue
		}
		if err := verify(q); err != nil {
			t.Errorf("%s: %v", tt.kernel, err)
		}
		var names []string
		for i, f := range q.Fields {
			names = append(names, f.Name)
			if f.Index != i {
				t.Errorf("%s: field %s has index %d", tt.kernel, f.Name, f.Index)
			}
		}
		if got := strings.Join(names, " "); got != tt.fields || len(q.Kernels) != 1 || len(q.Kernels[0].Params) != tt.params || len(q.Args) != len(tt.args) {
			t.Errorf("%s: fields %s, %d kernels, %d arguments", tt.kernel, got, len(q.Kernels), len(q.Args))
		}
	}
}

// What the host gives wrongly for a compile-time parameter is an error.
func TestInstantiateErrors(t *testing.T) {
	p := instances(t)
	ints := &HostField{Elem: typed.I32, Shape: []int{8}}
	one := TemplateArg{Const: &HostConst{Vals: []typed.Num{typed.IntNum(1)}}}
	for _, tt := range []struct {
		kernel string
		args   []TemplateArg
		code   syntax.Code
		want   string
	}{
		{"Nothing", nil, syntax.Undefined, "no kernel Nothing"},
		{"Norm", nil, syntax.ArgCount, "takes 1 compile-time argument, and the host gives 0"},
		{"Norm", []TemplateArg{one}, syntax.WrongKind, "takes a field, and this is the constant 1"},
		{"Norm", []TemplateArg{{Var: "B"}}, syntax.NotBound, "the source has no var B"},
		{"Norm", []TemplateArg{{}}, syntax.WrongKind, "given nothing"},
		{"Both", []TemplateArg{{Var: "A"}, {Field: ints}}, syntax.WrongKind, "takes a field of f32, and b is a field of i32"},
		{"Rest", []TemplateArg{{Field: ints}}, syntax.Constraint, "T of half cannot be i32"},
		{"Copy", []TemplateArg{{Var: "A"}, {Var: "M"}, one}, syntax.IndexCount, "src has 2 axes"},
	} {
		_, errs := p.Instantiate(tt.kernel, tt.args)
		if len(errs) == 0 || errs[0].Code != tt.code || !strings.Contains(errs[0].Msg, tt.want) {
			t.Errorf("%s: %v, want %s %q", tt.kernel, errs, tt.code, tt.want)
		}
	}
}

// TestStaticPrint prints once for each instance.
func TestStaticPrint(t *testing.T) {
	p := instances(t)
	q, errs := p.Instantiate("Copy", []TemplateArg{{Var: "A"}, {Var: "A"}, {Const: &HostConst{Vals: []typed.Num{typed.FloatNum(0.5)}}}})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if len(q.Prints) != 1 || q.Prints[0].Text != "copy f32 field[f32, D1] 1 0.5 [1 2]" || q.Prints[0].Pos.Line != 6 {
		t.Errorf("%v", q.Prints)
	}
}

// A template that nothing instantiates is checked as far as its declaration goes,
// and no further.
func TestUnusedTemplates(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"func f(x template) { y := x + 1; x[0] = g(y, x) }\nfunc g[T any](a T, x template) T { if static(x.dtype == T) { return a }; return T(x[0]) }", ""},
		{"func F(x field[f32], n template) f32 { return x[n] + x[n+1][0] }", ""},
		{"func F(x field[f32], f func(f32) f32) { for i := range x { x[i] = f(x[i]) } }", ""},
		{"func f[T any](n template, v T) T { if static(n == 0) { return v }; return f(n-1, v) }", ""},
		{"func f(x template) { for range static(x) { a[0] = 1 } }", "a is not defined"},
		{"func f(x template) i32 { if static(x) { return 1.5 } else { return z } }", ""},
		{"func f(x template) i32 { return 1.5 }", "float constant"},
		{"func f[T any](x field[T]) T { return x[1.5] }", "an index is an integer"},
	} {
		_, errs := checkSource("u.ti", "package p\n"+tt.text+"\n", true)
		switch {
		case tt.want == "" && len(errs) > 0:
			t.Errorf("%s\n%v", tt.text, errs)
		case tt.want != "" && (len(errs) == 0 || !strings.Contains(errs[0].Msg, tt.want)):
			t.Errorf("%s\n%v, want %q", tt.text, errs, tt.want)
		}
	}
}
