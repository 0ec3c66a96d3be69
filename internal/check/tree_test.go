package check

import (
	"go/token"
	"os"
	"path/filepath"
	"testing"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// Programs of the examples and benchmarks are accepted, bound and unbound, and
// their trees keep their promises.
func TestPrograms(t *testing.T) {
	for _, pattern := range []string{"../../examples/*/*.ti", "../../docs/tour/*/*.ti", "../../bench/kernels/*.ti"} {
		others, _ := filepath.Glob(pattern)
		packages := map[string][]*syntax.File{} // files of one package in a folder belong together
		var keys []string
		for _, name := range others {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			f, errs := syntax.Parse(name, string(text), token.Position{})
			if errs != nil {
				t.Errorf("%v", errs)
				continue
			}
			key := filepath.Dir(name) + " " + f.Tree.Name.Name
			if packages[key] == nil {
				keys = append(keys, key)
			}
			packages[key] = append(packages[key], f)
		}
		for _, key := range keys { // their hosts are not known here
			p, _ := Declare(packages[key])
			if _, errs := p.Check(nil); len(errs) > 0 {
				t.Errorf("%v", errs)
			}
		}
	}
	names, _ := filepath.Glob("testdata/good/*.ti")
	if len(names) == 0 {
		t.Fatal("no programs")
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, errs := checkSource(name, string(text), false); len(errs) > 0 {
			t.Errorf("unbound:\n%v", errs)
		}
		prog, errs := checkSource(name, string(text), true)
		if len(errs) > 0 {
			t.Errorf("%v", errs)
			continue
		}
		if err := verify(prog); err != nil {
			t.Error(err)
		}
		instantiateAll(t, prog, string(text))
	}
}

// The type of an expression, and its value where it is constant.
func TestTypes(t *testing.T) {
	for _, c := range []struct{ expr, typ, val string }{
		{"1", "i32", "1"}, {"1.0", "f32", "1"}, {"7 / 2", "i32", "3"}, {"-7 / 2", "i32", "-3"}, {"-7 % 3", "i32", "-1"},
		{"7.0 / 2", "f32", "3.5"}, {"1 << 10", "i32", "1024"}, {"5 &^ 4", "i32", "1"}, {"^0", "i32", "-1"},
		{"2 * pi", "f32", "6.28319"}, {"i", "i32", ""}, {"i + 1", "i32", ""}, {"i + 0.5", "f32", ""}, {"0.5 * i", "f32", ""},
		{"1.0 / i", "f32", ""}, {"i * a", "f32", ""}, {"d * 2", "f64", ""}, {"d * i", "f64", ""}, {"u + 1", "u32", ""},
		{"l * 2", "i64", ""}, {"i8(3)", "i8", "3"}, {"i32(2.9)", "i32", "2"}, {"i32(-2.9)", "i32", "-2"},
		{"u8(i)", "u8", ""}, {"bool(2)", "bool", "true"}, {"i32(true)", "i32", "1"}, {"f32(1) / 3", "f32", "0.333333"},
		{"int(1)", "i32", "1"}, {"float(1)", "f32", "1"}, {"float64(1)", "f64", "1"}, {"'a'", "i32", "97"},
		{"v2 + 1", "vec2", ""}, {"1 - v2", "vec2", ""}, {"iv + 0.5", "vec2", ""}, {"v2 * v2", "vec2", ""}, {"v2 / i", "vec2", ""},
		{"m * v2", "vec2", ""}, {"v2 * m", "vec2", ""}, {"m * m", "mat2", ""}, {"m * 2", "mat2", ""}, {"m + m", "mat2", ""},
		{"hadamard(m, m)", "mat2", ""}, {"m23 * v3", "vec2", ""}, {"v2 * m23", "vec3", ""}, {"m * m23", "[2]vec3", ""},
		{"v2 < 1", "[2]bool", ""}, {"v2 == 1", "bool", ""}, {"v2 != v2", "bool", ""}, {"equal(v2, 1)", "[2]bool", ""},
		{"v2 < 1 && v2 > 0", "[2]bool", ""}, {"!(v2 < 1)", "[2]bool", ""}, {"all(v2 < 1)", "bool", ""}, {"a < 1 || b", "bool", ""},
		{"v2.x", "f32", ""}, {"v3.zyx", "vec3", ""}, {"v3.xxyy", "vec4", ""}, {"v3.bgr", "vec3", ""}, {"v3[1:]", "vec2", ""}, {"vec4(1, 2, 3, 4)[1:4:2]", "vec2", "2,4"}, {"m23[0:1]", "[1]vec3", ""},
		{"v3[0:3:1<<62]", "[1]f32", ""}, {"col(m23, i)", "vec2", ""}, {"rotation2(a)", "mat2", ""}, {"rotation(v3, i)", "mat3", ""}, {"translate(v2)", "mat3", ""},
		{"translate(v3)", "mat4", ""}, {"scale(iv)", "mat3", ""}, {"homogeneous(m)", "mat3", ""}, {"scale(vec2(2, 3))", "mat3", "2,0,0,0,3,0,0,0,1"},
		{"rotation2(0)", "mat2", "1,-0,0,1"}, {"translate(dvec2(5, 6))", "dmat3", "1,0,5,0,1,6,0,0,1"}, {"homogeneous(mat2(1, 2, 3, 4))", "mat3", "1,2,0,3,4,0,0,0,1"},
		{"rotation(vec3(1, 0, 0), 0)", "mat3", "1,0,0,0,1,0,0,0,1"}, {"col(mat2(1, 2, 3, 4), 1)", "vec2", "2,4"}, {"v2.g", "f32", ""}, {"v3.pt", "vec2", ""}, {"vec4(1, 2, 3, 4).rgba.q", "f32", "4"}, {"v2.n", "i32", "2"}, {"m23.n", "i32", "2"}, {"m23.m", "i32", "3"},
		{"m[0]", "vec2", ""}, {"m[i]", "vec2", ""}, {"m[i][0]", "f32", ""}, {"m[iv]", "f32", ""}, {"v3[i]", "f32", ""},
		{"vec3(1, 2, 3)", "vec3", "1,2,3"}, {"vec3(0)", "vec3", "0,0,0"}, {"vec4(v3, 1)", "vec4", ""}, {"vec2(iv)", "vec2", ""},
		{"ivec2(v2)", "ivec2", ""}, {"mat2(1)", "mat2", "1,0,0,1"}, {"mat2(1, 2, 3, 4)", "mat2", "1,2,3,4"}, {"mat2(v2, v2)", "mat2", ""},
		{"mat2(a)", "mat2", ""}, {"cols(v2, v2, v2)", "[2]vec3", ""}, {"cols(vec2(1, 2), vec2(3, 4))", "mat2", "1,3,2,4"},
		{"vec(1, 2)", "ivec2", "1,2"}, {"vec(1, a)", "vec2", ""}, {"vec(i)", "[1]i32", ""}, {"vec(v2, 1, 2, 3)", "[5]f32", ""},
		{"[3]f32{1, 2}", "vec3", "1,2,0"}, {"[...]i32{1, 2, 3, 4, 5}", "[5]i32", "1,2,3,4,5"}, {"[2]vec2{{1, 2}, {3, 4}}", "mat2", "1,2,3,4"},
		{"[3]i32{2: 7}", "ivec3", "0,0,7"}, {"dvec3(1)", "dvec3", "1,1,1"}, {"dmat2(1)", "dmat2", "1,0,0,1"},
		{"sin(i)", "f32", ""}, {"sqrt(2)", "f32", "1.41421"}, {"sqrt(v2)", "vec2", ""}, {"pow(v2, 2)", "vec2", ""},
		{"pow(2, 10)", "i32", "1024"}, {"pow(-3, 3)", "i32", "-27"}, {"pow(2, 10) / 1000.0", "f32", "1.024"}, {"pow(i, 2)", "i32", ""}, {"pow(2, l)", "i64", ""},
		{"pow(l, i)", "i64", ""}, {"pow(u, i)", "u32", ""}, {"pow(iv, 3)", "ivec2", ""}, {"pow(2, iv)", "ivec2", ""}, {"pow(i, 0.5)", "f32", ""},
		{"pow(2.0, -1)", "f32", "0.5"}, {"pow(2, -0.5)", "f32", "0.707107"}, {"pow(a, i)", "f32", ""}, {"pow(ivec2(2, 3), ivec2(3, 2))", "ivec2", "8,9"},
		{"pow(0, 0)", "i32", "1"}, {"pow(1, 1 << 100)", "i32", "1"}, {"pow(u8(2), 7)", "u8", "128"}, {"sin(d)", "f64", ""},
		{"min(1, 2, 3)", "i32", "1"}, {"max(i, 2.5)", "f32", ""}, {"max(v2, 0)", "vec2", ""}, {"min(i, 2.5, d)", "f64", ""}, {"mix(1, 2.5, d)", "f64", ""}, {"max(1, 2.5)", "f32", "2.5"}, {"clamp(iv, 0, 7)", "ivec2", ""},
		{"abs(-3)", "i32", "3"}, {"sign(-2.5)", "f32", "-1"}, {"sqr(3)", "i32", "9"}, {"mod(-1, 4)", "i32", "3"}, {"mod(-1.5, 1)", "f32", "0.5"},
		{"floorDiv(-1, 4)", "i32", "-1"}, {"floor(a)", "f32", ""}, {"floor(2.5)", "f32", "2"}, {"popcount(u)", "u32", ""}, {"clz(u32(1))", "u32", "31"},
		{"clz(u8(0))", "u8", "8"}, {"isnan(v2)", "[2]bool", ""}, {"isinf(inf)", "bool", "true"}, {"dot(v2, v2)", "f32", ""}, {"dot(vec2(1, 2), vec2(3, 4))", "f32", "11"},
		{"dot(a, a)", "f32", ""}, {"length(iv)", "f32", ""}, {"length(vec2(3, 4))", "f32", "5"}, {"length2(iv)", "i32", ""}, {"normalize(v3)", "vec3", ""},
		{"cross(v3, v3)", "vec3", ""}, {"cross(v2, v2)", "f32", ""}, {"outer(v2, v3)", "[2]vec3", ""}, {"sum(m)", "f32", ""}, {"maxOf(v2)", "f32", ""},
		{"reflect(v2, v2)", "vec2", ""}, {"refract(v3, v3, 1.5)", "vec3", ""}, {"unit(3, 1)", "ivec3", "0,1,0"}, {"unit(2, i)", "ivec2", ""},
		{"transpose(m23)", "[3]vec2", ""}, {"determinant(m)", "f32", ""}, {"inverse(m)", "mat2", ""}, {"trace(m)", "f32", ""}, {"diag(v2)", "mat2", ""}, {"diag(m)", "vec2", ""},
		{"ifelse(b, 1, 2)", "i32", ""}, {"ifelse(b, 1, 2.5)", "f32", ""}, {"ifelse(v2 < 0, 0, v2)", "vec2", ""}, {"ifelse(b, v2, 0)", "vec2", ""}, {"ifelse(v2 < 0, 1, 2)", "ivec2", ""},
		{"bitcast[u32](a)", "u32", ""}, {"bitcast[u32](v2)", "uvec2", ""}, {"random()", "f32", ""}, {"random(vec3)", "vec3", ""}, {"random(i64)", "i64", ""}, {"randn(f64)", "f64", ""},
		{"rgba(v3)", "u32", ""}, {"rgba(v3, 1)", "u32", ""}, {"len(s)", "i32", ""}, {"len(v3)", "i32", "3"}, {"s[i]", "f32", ""},
		{"X[i]", "vec2", ""}, {"X[i].x", "f32", ""}, {"X[i][1]", "f32", ""}, {"G[iv]", "f32", ""}, {"G[i][i]", "f32", ""}, {"Z", "f32", ""},
		{"G.shape", "ivec2", "16,8"}, {"len(G.shape)", "i32", "2"}, {"len(G)", "i32", "16"}, {"N", "i32", "8"}, {"N * 2", "i32", "16"}, {"1.0 / N", "f32", "0.125"},
		{"N / 2.0", "f32", "4"}, {"N << 30", "i32", "0"}, {"T[i]", "ivec3", ""}, {"T[1]", "ivec3", "4,5,6"}, {"T[1].y", "i32", "5"}, {"Up", "vec3", "0,1,0"},
		{"-Up", "vec3", "-0,-1,-0"}, {"2 * Up.y", "f32", "2"}, {"One + Two", "i32", "3"}, {"assumeInRange(i, i, 0, 1)", "i32", ""}, {"stopGrad(v2)", "vec2", ""},
		{"atomicAdd(&X[i], 1)", "vec2", ""}, {"atomicCAS(&Z, 0, 1)", "f32", ""}, {"i << u", "i32", ""}, {"iv << 1", "ivec2", ""}, {"1 << i", "i32", ""},
	} {
		text := `package p
var (
	X field[vec2, D1]
	G field[f32, D2]
	Z field[f32, D0]
	N i32
)
const T = [2]ivec3{{1, 2, 3}, {4, 5, 6}}
const Up = vec3(0, 1, 0)
const (
	Zero = iota
	One
	Two
)
func F(a f32, d f64, i i32, l i64, u u32, b bool, v2 vec2, v3 vec3, iv ivec2, m mat2, m23 [2][3]f32, s []f32) {
	x := ` + c.expr + `
	_ = x
}
`
		prog, errs := checkSource("t.ti", text, true)
		if len(errs) > 0 {
			t.Errorf("%s: %v", c.expr, errs)
			continue
		}
		if err := verify(prog); err != nil {
			t.Errorf("%s: %v", c.expr, err)
		}
		def := prog.Kernels[0].Body.List[0].(*typed.Define)
		if got := def.Var.Type.String(); got != c.typ {
			t.Errorf("%s: type %s, want %s", c.expr, got, c.typ)
		}
		val := ""
		if k, ok := def.Init.(*typed.Const); ok {
			for i, n := range k.Vals {
				if i > 0 {
					val += ","
				}
				val += n.String()
			}
		}
		if val != c.val {
			t.Errorf("%s: value %q, want %q", c.expr, val, c.val)
		}
	}
}
