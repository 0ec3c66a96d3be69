package check

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/syntax"
)

// repeat writes n times what f does, for 0 to n-1.
func repeat(n int, f func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(f(i))
	}
	return b.String()
}

// A limitCase is a source of any size, and the error that it gives: 0 for none.
type limitCase struct {
	name   string
	n      int
	source func(n int) string
	want   syntax.Code
}

// chain writes n declarations, each with the number of the next, and one to end them.
func chain(each, last string) func(n int) string {
	return func(n int) string {
		return repeat(n, func(i int) string { return fmt.Sprintf(each, i, i+1) + "\n" }) + fmt.Sprintf(last, n) + "\n"
	}
}

// circle is a chain whose last declaration refers to the first.
func circle(each string) func(n int) string {
	return func(n int) string {
		return repeat(n, func(i int) string { return fmt.Sprintf(each, i, (i+1)%n) + "\n" })
	}
}

// nest puts n times what opens around a core.
func nest(before, opens, core, closes, after string) func(n int) string {
	return func(n int) string {
		return before + strings.Repeat(opens, n) + core + strings.Repeat(closes, n) + after
	}
}

// limitCases are sources that are large in one way each.
var limitCases = []limitCase{
	// Chains of declarations are of any length.
	{"chain of constants", 200_000, chain("const C%d = C%d + 1", "const C%d = 3\nfunc F() i32 { return C0 }"), 0},
	{"chain of types", 50_000, chain("type T%d = T%d", "type T%d = f32\nfunc F() T0 { return 1 }"), 0},
	{"chain of defined types", 50_000, chain("type T%d [1]T%d", "type T%d f32"), syntax.TooDeep},
	{"chain of constants of types", 20_000, chain("type T%[1]d [C%[1]d]f32\nconst C%[1]d = len(T%[2]d{})", "type T%[1]d [3]f32\nfunc F() { var x T0; _ = x }"), 0},
	{"chain of structs", 90, chain("type T%d struct { a T%d }", "type T%d struct { a f32 }\nfunc F() { var x T0; _ = x }"), 0},
	{"deep structs", 50_000, chain("type T%d struct { a T%d }", "type T%d struct { a f32 }\nfunc F() { var x T0; _ = x }"), syntax.TooDeep},
	{"deep bundles", 10_000, chain("type T%d struct { a T%d }", "type T%d struct { a field[f32, D0] }\nvar X T0"), syntax.TooDeep},
	{"methods by way of a chain", 20_000, func(n int) string {
		return chain("type T%d = T%d", "type T%d struct { a f32 }")(n) +
			repeat(n, func(i int) string { return fmt.Sprintf("func (t T0) M%d() f32 { return t.a }\n", i) })
	}, 0},
	{"circle of constants", 200_000, circle("const C%d = C%d + 1"), syntax.InitCycle},
	{"circle of types", 50_000, circle("type T%d = T%d"), syntax.InitCycle},
	{"circle of structs", 50_000, circle("type T%d struct { a T%d }"), syntax.InitCycle},
	{"circles in circles", 20_000, func(n int) string {
		return "const C0 = 1 + C1\n" + repeat(n, func(i int) string { return fmt.Sprintf("const C%d = C%d + C%d\n", i+1, i+2, i) }) + fmt.Sprintf("const C%d = 1\n", n+1)
	}, syntax.InitCycle},
	{"constants of the host", 5_000, func(n int) string {
		return chain("var H%[1]d i32\nconst C%[1]d = C%[2]d + H%[1]d", "const C%d = 1\nfunc F() i32 { return C0 }")(n)
	}, 0},
	{"types written in place", 50_000, func(n int) string {
		return repeat(n, func(i int) string { return fmt.Sprintf("type T%[1]d = struct { x%[1]d f32 }\n", i) })
	}, 0},

	// What doubles with each declaration.
	{"doubling bundles", 60, chain("type T%[1]d struct { a, b T%[2]d }", "type T%d struct { a field[f32, D0] }\nvar X T0"), syntax.BadLength},
	{"doubling structs", 60, chain("type T%[1]d struct { a, b T%[2]d }", "type T%d struct { a f32 }"), syntax.BadLength},
	{"doubling names", 60, chain("type T%[1]d = P[T%[2]d, T%[2]d]", "type T%d = f32\ntype P[T, U any] struct { a f32 }\nfunc F() { var x T0; _ = x }"), syntax.TooDeep},
	{"doubling generic types", 0, func(int) string {
		return "type W[T any] struct { x f32 }\ntype V[T any] struct { x f32 }\ntype P[T any] struct { a P[W[T]]; b P[V[T]] }\nfunc F() { var x P[f32]; _ = x }\n"
	}, syntax.InitCycle},
	{"doubling calls", 60, chain("func f%[1]d(a i32) i32 { return f%[2]d(a) + f%[2]d(a+1) }", "func f%d(a i32) i32 { return a }\nfunc F(a i32) i32 { return f0(a) }"), syntax.TooManyUnrolled},
	{"doubling instances", 60, func(n int) string {
		return fmt.Sprintf("func f(n, m template) i32 {\nif static(n == 0) { return m }\nreturn f(n-1, 2*m) + f(n-1, 2*m+1) }\nfunc F() i32 { return f(%d, 0) }\n", n)
	}, syntax.TooManyInstances},
	{"loops of instances", 9, func(n int) string {
		return fmt.Sprintf("func f(n template) i32 {\nif static(n == 0) { return 1 }\ns := 0\nfor range static(10) { s += f(n-1) }\nreturn s }\nfunc F() i32 { return f(%d) }\n", n)
	}, syntax.TooManyUnrolled},
	{"many large functions", 100, func(n int) string {
		return repeat(n, func(i int) string {
			return fmt.Sprintf("func F%d() (s i32) { for i := range static(20000) { s += i }\nreturn }\n", i)
		})
	}, syntax.TooManyUnrolled},
	{"empty static loop", 1 << 30, func(n int) string { return fmt.Sprintf("func F() { for range static(%d) { } }\n", n) }, syntax.TooManyUnrolled},

	// Depth.
	{"calls in a row", 190, chain("func f%d(a i32) i32 { return f%d(a) + 1 }", "func f%d(a i32) i32 { return a }\nfunc F(a i32) i32 { return f0(a) }"), 0},
	{"many calls in a row", 20_000, chain("func f%d(a i32) i32 { return f%d(a) + 1 }", "func f%d(a i32) i32 { return a }\nfunc F(a i32) i32 { return f0(a) }"), syntax.TooDeep},
	{"calls at the bottom of sums", 150, func(n int) string {
		sum := strings.Repeat(" + a", 4900)
		return chain("func f%d(a i32) i32 { return f%d(a)"+sum+" }", "func f%d(a i32) i32 { return a }\nfunc F(a i32) i32 { return f0(a) }")(n)
	}, syntax.TooDeep},
	{"sum", 4_900, nest("func F(a i32) i32 { return a", " + a", "", "", " }"), 0},
	{"long sum", 200_000, nest("func F(a i32) i32 { return a", "+a", "", "", " }"), syntax.TooDeep},
	{"parentheses", 200_000, nest("func F(a i32) i32 { return ", "(", "a", ")", " }"), syntax.TooDeep},
	{"signs", 200_000, nest("func F(a i32) i32 { return ", "- ", "a", "", " }"), syntax.TooDeep},
	{"calls in calls", 490, nest("func f(a i32) i32 { return a }\nfunc F(a i32) i32 { return ", "f(", "a", ")", " }"), 0},
	{"literals in literals", 200_000, nest("func F() { _ = T", "{", "1", "}", " }"), syntax.TooDeep},
	{"function literals", 240, nest("func lit(f func(f32) f32, x f32) f32 { return f(x) }\nfunc F(x f32) f32 { return ", "lit(func(y f32) f32 { return ", "x", "}, x)", " }"), syntax.InstanceDepth},
	{"blocks", 200_000, nest("func F() ", "{", "", "}", ""), syntax.TooDeep},
	{"members", 200_000, nest("var X field[f32]\nfunc F() { X", ".a", "", "", " = 1 }"), syntax.TooDeep},
	{"indices", 200_000, nest("var X field[f32]\nfunc F() { X", "[0]", "", "", " = 1 }"), syntax.TooDeep},
	{"slices of slices", 200_000, nest("func F(x ", "[]", "f32", "", ") {}"), syntax.TooDeep},
	{"arrays of arrays", 400, nest("func F() { var x ", "[1]", "f32", "", "; _ = x }"), syntax.TooDeep},
	{"generic types in one another", 400, nest("type P[T any] struct { x T }\nfunc F() { var x ", "P[", "f32", "]", "; _ = x }"), syntax.TooDeep},
	{"else ifs", 1_500, nest("func F(a i32) i32 { if a == 0 { return 1 }", " else if a == 2 { return 3 }", "", "", "\nreturn 1 }"), 0},
	{"many else ifs", 200_000, nest("func F(a i32) i32 { if a == 0 { return 1 }", " else if a == 2 { return 3 }", "", "", "\nreturn 1 }"), syntax.TooDeep},

	// Breadth.
	{"conditions", 20_000, nest("func F(a i32) (r i32) {\n", "if a == 2 { r += 3 }\n", "", "", "return }"), 0},
	{"cases", 20_000, func(n int) string {
		return "func F(a i32) (r i32) {\nswitch a {\n" + repeat(n, func(i int) string { return fmt.Sprintf("case %d: r = 1\n", i) }) + "}\nreturn }\n"
	}, 0},
	{"fields of a struct", 60_000, func(n int) string {
		return "type T struct {\n" + repeat(n, func(i int) string { return fmt.Sprintf("a%d f32\n", i) }) + "}\n"
	}, 0},
}

// largeEnough is a number of parts from which on work that grows with its square takes minutes; more are
// tried where all tests are asked for.
const largeEnough = 20_000

// mostChecked is how long checking a source may take, also on a machine that has much else to do.
const mostChecked = 2 * time.Minute

// TestLimits checks that each way to write a large source ends in seconds, with a
// program or with one clear error. The time is generous: what it excludes is work
// that grows with the square of the source, or without bound.
func TestLimits(t *testing.T) {
	for _, l := range limitCases {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			n := l.n
			if !randtest.All() && n > largeEnough {
				n = max(n/5, largeEnough)
			}
			source := "package p\n" + l.source(n)
			start := time.Now()
			_, errs := checkSource("x.ti", source, true)
			if took := time.Since(start); took > mostChecked {
				t.Errorf("took %v", took)
			}
			switch {
			case l.want == 0 && len(errs) > 0:
				t.Errorf("%d errors, %.300v", len(errs), errs)
			case l.want != 0 && (len(errs) == 0 || errs[0].Code != l.want):
				t.Errorf("%d errors, %.300v; want %s", len(errs), errs, l.want)
			case len(errs) > maxErrors:
				t.Errorf("%d errors", len(errs))
			}
			for _, e := range errs {
				if e.Pos.Line == 0 || e.Help == "" {
					t.Errorf("no position or help: %.300v", e)
				}
			}
		})
	}
}
