package conformance

import (
	"testing"

	"github.com/gotaichi/ti"
)

// What print and printf write.
//
//conform:theme printing
func TestConformPrinting(t *testing.T) {
	conformPrints(t, `
func show(v i32) { print("v", v) }
func point(v i32) i32 { printf("<%d>", v); return v }
type P struct { X, Y i32 }
`, []effect{
		{"a text", `print("hello")`, 0, "hello\n"},
		{"nothing is an empty line", "print()", 0, "\n"},
		{"an integer", "print(n)", -7, "-7\n"},
		{"values with spaces between", `print(1, n, 3)`, 2, "1 2 3\n"},
		{"texts and values", `print("n =", n, "!")`, 4, "n = 4 !\n"},
		{"a bool", "print(n > 0, n < 0)", 1, "true false\n"},
		{"a float", "print(n * 0.5)", 3, "1.5\n"},
		{"a whole float has no point", "print(f32(n))", 3, "3\n"},
		{"an f32 with its shortest digits", "print(f32(n) / 10)", 1, "0.1\n"},
		{"an f64 with more digits", "print(f64(n) / 3)", 1, "0.3333333333333333\n"},
		{"a large float with an exponent", "print(f32(n) * 1e20)", 3, "3e+20\n"},
		{"an unsigned number", "print(u32(n))", -1, "4294967295\n"},
		{"a u8", "print(u8(n))", 200, "200\n"},
		{"an i64", "print(i64(n) << 40)", 1, "1099511627776\n"},
		{"NaN and infinities", "print(nan * f32(n), inf * f32(n), -inf * f32(n))", 1, "NaN +Inf -Inf\n"},
		{"a vector", "print(vec3(n, 2, 0.5))", 1, "[1 2 0.5]\n"},
		{"an integer vector", "print(ivec2(n, 2))", 1, "[1 2]\n"},
		{"a vector of bools", "print(vec2(n) > vec2(0, 2))", 1, "[true false]\n"},
		{"a matrix", "print(mat2(n, 2, 3, 4))", 1, "[[1 2] [3 4]]\n"},
		{"an array", "t := [3]i32{n, 2, 3}\nprint(t)", 1, "[1 2 3]\n"},
		{"constants", "print(1, 2.5, true, pi)", 0, "1 2.5 true 3.1415927\n"},
		{"a constant expression", "print(1 << 4, 7 / 2.0)", 0, "16 3.5\n"},
		{"an escaped text", `print("tab\t\"quoted\"")`, 0, "tab\t\"quoted\"\n"},
		{"letters beyond ASCII", `print("α →", n)`, 1, "α → 1\n"},
		{"a percent sign is no verb in print", `print("100%", n)`, 1, "100% 1\n"},
		{"from a function", "show(n)", 3, "v 3\n"},
		{"from a serial loop", "for k := 0; k < n; k++ { print(k) }", 3, "0\n1\n2\n"},
		{"from a parallel loop, in order", "for k := range n { print(k) }", 3, "0\n1\n2\n"},
		{"from a branch", `if n > 0 { print("yes") } else { print("no") }`, 0, "no\n"},
		{"from a static loop", "for k := range static(2) { print(k, n) }", 5, "0 5\n1 5\n"},
		{"arguments are evaluated in order", "print(point(n), point(n+1))", 1, "<1><2>1 2\n"},
		{"printf has no end of line of its own", `printf("a"); printf("b\n")`, 0, "ab\n"},
		{"%d", `printf("%d|%4d|%-4d|%04d\n", n, n, n, n)`, 42, "42|  42|42  |0042\n"},
		{"%d with a sign", `printf("%+d\n", n)`, 42, "+42\n"},
		{"%x, %o and %b", `printf("%x %X %o %b\n", n, n, n, n)`, 42, "2a 2A 52 101010\n"},
		{"%f", `printf("%f %.2f %8.3f|\n", f32(n), n * 0.125, f64(n))`, 3, "3.000000 0.38    3.000|\n"},
		{"%e and %g", `printf("%.2e %g\n", f64(n), f64(n))`, 1500, "1.50e+03 1500\n"},
		{"%v", `printf("%v %v %v\n", n, n * 0.5, n > 0)`, 1, "1 0.5 true\n"},
		{"%t", `printf("%t\n", n > 0)`, 0, "false\n"},
		{"%c", `printf("%c%c\n", n, n+1)`, 65, "AB\n"},
		{"%s of a text", `printf("%s is %d\n", "n", n)`, 1, "n is 1\n"},
		{"%% is a percent sign", `printf("%d%%\n", n)`, 50, "50%\n"},
		{"a verb applies to each component", `printf("%.1f\n", vec2(n, 2))`, 1, "[1.0 2.0]\n"},
		{"%d of an integer vector", `printf("%03d\n", ivec2(n, 2))`, 1, "[001 002]\n"},
	})
}

// Launches that fail, and what they say; those that do not fail are rows elsewhere.
//
//conform:theme failures
func TestConformFailures(t *testing.T) {
	conformFailures(t, `
func check(v i32) i32 { assert(v > 0, "v is %d", v); return v }
`, ti.ErrAssert, []effect{
		{"an assertion without a message quotes its condition", "assert(n > 3)", 1, "assertion failed: n > 3"},
		{"a message", `assert(n > 3, "too small")`, 1, "too small"},
		{"a message with a value", `assert(n > 3, "n is %d", n)`, 1, "n is 1"},
		{"a message with several values", `assert(n > 3, "%d of %.1f at %v", n, n*0.5, vec2(n, 0))`, 1, "1 of 0.5 at [1 0]"},
		{"the position is that of the assertion", "x := n\nassert(x > 3)", 1, "conform.ti:19:1:"},
		{"the kernel has its name in the message", "assert(n > 3)", 1, "kernel Run5"},
		{"in a function", "_ = check(n)", -2, "v is -2"},
		{"in a parallel loop, with its iteration", `for k := range n { assert(k != 3, "k is three") }`, 6, "k is three, in iteration [3]"},
		{"in several iterations, with their number", "for k := range n { assert(k%2 == 0) }", 6, "2 failures more"},
		{"in a product of ranges", `for p := range ndrange(n, 3) { assert(p.x+p.y < 4, "far") }`, 3, "in iteration [2 2]"},
		{"in a loop in a parallel loop", `for k := range n { for j := range k { assert(j < 2, "j is %d", j) } }`, 4, "j is 2, in iteration [3]"},
		{"in a branch", `if n > 0 { assert(n > 9, "n is %d", n) }`, 5, "n is 5"},
		{"of a constant condition", `assert(false, "never")`, 0, "never"},
		{"of vectors", "assert(all(vec2(n, 1) > 0))", -1, "assertion failed: all(vec2(n, 1) > 0)"},
	})
	conformFailures(t, `
const Table = [3]i32{1, 2, 3}
func at(t [3]i32, k i32) i32 { return t[k] }
func put(p *[3]i32, k i32) { p[k] = 1 }
func pick[X any](t X, k i32) i32 { return t[k] }
`, ti.ErrRange, []effect{
		{"an index beyond an array", "var t [3]i32\nt[n] = 1\nprint(t[0])", 3, "index [3] of t is out of range: its shape is [3]"},
		{"a negative index", "var t [3]i32\nprint(t[n])", -1, "index [-1] of t is out of range"},
		{"an index beyond a vector", "v := vec2(1, 2)\nprint(v[n])", 2, "out of range: its shape is [2]"},
		{"an index beyond the rows of a matrix", "m := mat2(1)\nprint(m[n])", 5, "out of range"},
		{"an index beyond a row of a matrix", "m := mat2(1)\nprint(m[1][n])", 2, "out of range"},
		{"an index beyond a constant table", "print(Table[n])", 3, "index [3] of a value is out of range"},
		{"an index in a function", "print(at([3]i32{1, 2, 3}, n))", 4, "index [4] of t"},
		{"an index in two instances of a function", "print(pick([5]i32{1, 2, 3, 4, 5}, n), pick([3]i32{1, 2, 3}, n))", 4, "index [4] of t is out of range: its shape is [3]"},
		{"an index through a reference", "var t [3]i32\nput(&t, n)\nprint(t)", 4, "index [4]"},
		{"an index in a parallel loop", "for k := range n { var t [3]i32; t[k] += 1; print(t[0]) }", 4, "in iteration [3]"},
		{"a read out of range gives 0 and goes on", "var t [3]i32\nassert(t[n] == 0)", 9, "index [9]"},
	})
}
