package check

import (
	"go/parser"
	"regexp"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/typed"
)

// What people write who come from elsewhere gets a help that says what to write here.
func TestElsewhere(t *testing.T) {
	for body, help := range map[string]string{
		"a = v.norm()": "write length(v)", "a = v.normalized().x": "write normalize(v)", "a = v.dot(v)": "write dot(v, b)", "v = v.cross(v)": "write cross(v, b)",
		"a = v.norm_sqr()": "length2(v)", "a = v.max()": "maxOf(v)", "a = m.trace()": "trace(m)", "m = m.transpose()": "transpose(m)", "m = m.T": "transpose(m)",
		"a = v.u": "write v.st", "a = v.xg": "one set: v.xy", "a = v.a": "its components are rgb", "a = v.foo": "its components are xyz", "a = m.foo": "m[i][j]",
		"a = a ^ 0.5": "write pow(a, b)", "a = a ** 2": "write pow(a, b)", "a = math.Pi": "is pi", "a = math.Sqrt(a)": "write sqrt(…)", "a = math.sqrt(a)": "write sqrt(…)",
		"a = ti.sqrt(a)": "write sqrt(…)", "a = np.abs(a)": "write abs(…)", "a = ti.floor_div(a, 2)": "floorDiv", "a = ti.Vector(1, 2)": "vec2(a, b)",
		"a = tm.vec3(1).x": "write vec3", "a = math.foo(a)": "predeclared", "a = rand.Float32()": "random()", "a = np.random": "predeclared",
		"a = select(a > 1, a, 2)": "ifelse(c, a, b)", "a = where(a > 1, a, 2)": "ifelse(c, a, b)", "swap(a, a)": "a, b = b, a", "a = lerp(a, a, a)": "mix(a, b, t)", "m = rot_by_axis(v, a)": "rotation(axis, angle)", "v = column(m, 1)": "col(m, j)",
		"a = saturate(a)": "clamp(x, 0, 1)", "a = fabs(a)": "abs(x)", "a = powf(a, 2)": "pow(a, b)", "a = fmod(a, 2)": "mod(a, b)", "a = log10(a)": "log(10.0)",
		"a = PI": "pi", "a = M_PI": "pi", "a = double(a)": "f64", "v = float3(1, 2, 3)": "vec3", "v = make_float3(1, 2, 3)": "vec3(a, b, c)",
		"atomic_add(X[0], 1)": "write x[i] += v", "a = X.norm()": "index the field first", "X.fill(0)": "for p := range X", "X.append(1)": "append(X, x)",
		"println(a)": "print(a, b)", "a = threadIdx.x": "it runs in parallel", "__syncthreads()": "two loops", "a = atan2f(a, a)": "atan2(y, x)",
		"while a < 3 {\n}": "for cond", "if a > 3:": "braces", "a = a++ + 1": "x++ on a line", "a = (a += 1)": "x += v on a line", "print \"a\"": "parentheses",
		"float x = 3": "x := value", "vec3 x = v": "x := value", "for (int i = 0; i < 3; i++) {\n}": "for i := range n", "for i in range(3) {\n}": "for i := range n",
		"a = 0.5f": "no suffix", "if a === 2 {\n}": "==", "# a comment": "comment begins with //", "a = lambda x: x": "function literal",
		"let x = 3": "x := value", "a = a and a": "&&", "a = ti.max(a, 1)": "max(…)", "assert a > 1": "", "a = None": "no such value", "a = True": "true",
	} {
		errs, _ := mistakes("package p\n\nvar X field[f32, D1]\n\nfunc F(a f32, v vec3, m mat3) {\n\t" + body + "\n}\n")
		text := errs.Error()
		if len(errs) == 0 || !strings.Contains(text, help) {
			t.Errorf("%s: no help %q in\n%s", body, help, text)
		}
	}
	for decl, help := range map[string]string{
		"@ti.kernel\nfunc G() {}": "an exported func is a kernel", "func G(a: f32) {}": "behind its name", "func G(a f32) -> f32 { return a }": "behind the parentheses",
		"func G(a float3) {}": "vec3", "#define N 3": "const N = 3", "import \"math\"": "leave it out",
	} {
		errs, _ := mistakes("package p\n\n" + decl + "\n")
		if text := errs.Error(); len(errs) == 0 || !strings.Contains(text, help) {
			t.Errorf("%s: no help %q in\n%s", decl, help, text)
		}
	}
}

// Each name is in a table once, is not one of this language, and what its help says to
// write can be parsed.
func TestElsewhereTables(t *testing.T) {
	quoted := regexp.MustCompile("write ([^:;,` ]+\\([^…]*\\))$")
	known := universe(typed.Widths{Int: typed.I32, Float: typed.F32}).names
	for _, table := range [][]struct{ names, help string }{elsewhere, methods, fieldMethods} {
		visited := map[string]bool{}
		for _, row := range table {
			for n := range strings.FieldsSeq(row.names) {
				if visited[n] {
					t.Errorf("%s is there twice", n)
				}
				visited[n] = true
				if &table[0] == &elsewhere[0] && known[n] != nil {
					t.Errorf("%s is a name of this language", n)
				}
			}
			if m := quoted.FindStringSubmatch(strings.ReplaceAll(row.help, "#", "x")); m != nil {
				if _, err := parser.ParseExpr(m[1]); err != nil {
					t.Errorf("%q: %v", row.help, err)
				}
			}
		}
	}
}
