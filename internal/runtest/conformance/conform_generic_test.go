package conformance

import "testing"

// Generic functions, compile-time parameters, functions as arguments.
//
//conform:theme templates
func TestConformGenerics(t *testing.T) {
	i := func(v int32) any { return v }
	ab := func(a, b int32) []any { return []any{a, b} }
	conformRoutines(t, `
type Pair[T any] struct { A, B T }
type Number interface { f32 | f64 | i32 }
func same[T any](v T) T { return v }
func larger[T any](a, b T) T { if a > b { return a }; return b }
func swap[A, B any](a A, b B) (B, A) { return b, a }
func total[T any](v [3]T) T { s := v[0]; for k := range static(2) { s += v[k+1] }; return s }
func twice[T Number](v T) T { return v + v }
func zero[T any]() T { var z T; return z }
func to[T any, F any](v F) T { return T(v) }
func isFloat[T any](v T) bool { if static(T == f32 || T == f64) { return true }; return false }
func bits[T any]() i32 { if static(T == i64) { return 64 } else if static(T == i8) { return 8 }; return 32 }
func power(x i32, n template) i32 { r := 1; for range static(n) { r *= x }; return r }
func poly(x f32, c template) f32 { r := 0.0; for k := range static(c.n) { r = r*x + c[k] }; return r }
func dim(v template) i32 { return v.n }
func fact(n template) i32 { if static(n <= 1) { return 1 } else { return n * fact(n-1) } }
func fib(n template) i32 { if static(n < 2) { return n } else { return fib(n-1) + fib(n-2) } }
func apply(x f32, f func(f32) f32) f32 { return f(x) }
func combine(a, b i32, f func(i32, i32) i32) i32 { return f(f(a, b), b) }
func compose(x f32, f, g func(f32) f32) f32 { return f(g(x)) }
func both[T any](v T, f func(T) T) T { return f(f(v)) }
func mapped(v [3]i32, f func(i32) i32) [3]i32 { var r [3]i32; for k := range static(3) { r[k] = f(v[k]) }; return r }
func inc(x f32) f32 { return x + 1 }
func add(a, b i32) i32 { return a + b }
func minus[T any](a, b T) T { return a - b }
func make[T any](a T) Pair[T] { return Pair[T]{a, a + a} }
func make2[T any](a, b T) T { return larger(twiceOf(a), b) }
func twiceOf[T any](a T) T { return a * 2 }
func pick(which template, a, b i32) i32 { if static(which == 0) { return a }; return b }
func count[T any](a [2]T, b T) i32 { n := 0; for _, e := range a { if e == b { n++ } }; return n }
func setAll[T any](p *T, v T) { *p = v }
func widen(v template) f64 { return f64(v) * 2 }
func each[T any](f func(k i32, sum *T), sum *T) { f(1, sum); f(2, sum) }
func into[T any](sum *T, f func(k i32, sum *T)) { f(1, sum); f(2, sum) }
func addTo(k i32, sum *f64) { *sum += f64(k) }
func addRow(row [3]i32, sum *i32) { *sum += row[0] + row[1] + row[2] }
func rows[T any](m [2][3]T, f func(row [3]T, sum *T)) T { var s T; f(m[0], &s); f(m[1], &s); return s }
func flip(p *Pair[f64]) { p.A, p.B = p.B, p.A }
func changed[T any](p Pair[T], f func(p *Pair[T])) Pair[T] { f(&p); return p }
func images[T, U any](f func(v T) U, v [2]T) U { return f(v[0]) + f(v[1]) }
func half(v i32) f32 { return f32(v) / 2 }
func chain[A, B, C any](g func(B) C, f func(A) B, a A) C { return g(f(a)) }
func secondOf[T any](p Pair[T]) T { return p.B }
type Row[T any] [3]T
func weigh[T any](w T, r Row[Pair[T]]) T { return w*r[0].A + r[2].B }
`, []routine{
		{"the type is taken from the argument", "return same(a)", ab(4, 0), i(4)},
		{"one function for integers and floats", "return larger(a, b) + i32(larger(1.5, 2.5)*2)", ab(4, 7), i(12)},
		{"of 64-bit numbers", "return i32(larger(i64(a)<<33, i64(b)<<33) >> 33)", ab(4, 7), i(7)},
		{"of vectors", "v := same(ivec2(a, b))\nreturn v.y", ab(4, 7), i(7)},
		{"of bools", "if same(a > b) { return 1 }\nreturn 0", ab(4, 7), i(0)},
		{"two type parameters", "x, y := swap(a, 2.5)\nreturn i32(x*2) + y", ab(4, 0), i(9)},
		{"within an array", "return total([3]i32{a, b, 1}) + i32(total(vec3(0.5, 0.5, 1)))", ab(4, 7), i(14)},
		{"an array of vectors", "v := total([3]ivec2{{a, 1}, {b, 1}, {0, 1}})\nreturn v.x*10 + v.y", ab(4, 7), i(113)},
		{"from what a function's reference refers to", "s := f64(a)\neach(addTo, &s)\nreturn i32(s)", ab(4, 0), i(7)},
		{"from a reference before the function", "s := f64(a)\ninto(&s, addTo)\nreturn i32(s)", ab(4, 0), i(7)},
		{"from a reference in a function literal", "s := 0\ninto(&s, func(k i32, sum *i32) { *sum += k * a })\nreturn s", ab(4, 0), i(12)},
		{"from arrays and references of a function", "return rows([2][3]i32{{1, 2, a}, {b, 0, 0}}, addRow)", ab(4, 7), i(14)},
		{"from a struct that a function refers to", "return i32(changed(Pair[f64]{1.0, 2.0}, flip).A)", ab(0, 0), i(2)},
		{"from the parameter and the result of a function", "return i32(images(half, [2]i32{a, b}) * 2)", ab(4, 7), i(11)},
		{"a constraint that holds", "return twice(a) + i32(twice(0.5))", ab(4, 0), i(9)},
		{"a type argument that is written", "return i32(zero[f64]()) + zero[i32]() + zero[ivec2]().x + a", ab(4, 0), i(4)},
		{"some type arguments written, the others inferred", "return i32(to[f64](a) / 8 * 4)", ab(3, 0), i(1)},
		{"both written", "return to[i32, f32](2.75)", ab(3, 0), i(2)},
		{"an untyped constant has its default type", "if isFloat(1) { return 1 }\nif isFloat(1.0) { return 2 }\nreturn 3", ab(0, 0), i(2)},
		{"types compared at compile time", "return bits[i64]()*10000 + bits[i8]()*100 + bits[u32]()", ab(0, 0), i(640832)},
		{"a struct type with a parameter", "p := Pair[i32]{a, b}\nq := Pair[f32]{0.5, 1.5}\nreturn p.A + p.B + i32(q.A+q.B)", ab(1, 2), i(5)},
		{"a function of a struct type with a parameter", "p := make(a)\nreturn p.A*10 + p.B", ab(3, 0), i(36)},
		{"a generic function calls another", "return make2(a, b)", ab(3, 5), i(6)},
		{"a generic reference", "x := 0\ny := 0.0\nsetAll(&x, a)\nsetAll(&y, 2.5)\nreturn x + i32(2*y)", ab(3, 0), i(8)},
		{"a comparison of elements", "return count([2]i32{a, b}, 3)*10 + count([2]vec2{vec2(1), vec2(0)}, vec2(1))", ab(3, 3), i(21)},
		{"a number as a template parameter", "return power(a, 3)", ab(4, 0), i(64)},
		{"another number gives another instance", "return power(a, 0)*1000 + power(a, 1)*100 + power(a, 2)", ab(4, 0), i(1416)},
		{"a constant vector as a template parameter", "return i32(poly(f32(a), vec3(1, 2, 3)))", ab(2, 0), i(11)},
		{"a constant array as a template parameter", "return i32(poly(f32(a), [4]f32{1, 0, 0, 1}))", ab(2, 0), i(9)},
		{"lengths of constants", "return dim(vec3(0))*10 + dim([5]i32{})", ab(0, 0), i(35)},
		{"recursion that ends at compile time", "return fact(5)", ab(0, 0), i(120)},
		{"recursion with two calls", "return fib(10)", ab(0, 0), i(55)},
		{"a branch chosen by a parameter", "return pick(0, a, b)*10 + pick(1, a, b)", ab(3, 4), i(34)},
		{"an expression of constants as an argument", "const N = 2\nreturn power(a, N*2-1)", ab(2, 0), i(8)},
		{"a loop variable of static as an argument", "s := 0\nfor k := range static(4) { s = s*10 + power(a, k) }\nreturn s", ab(2, 0), i(1248)},
		{"a template parameter in arithmetic", "return i32(widen(3)) + i32(widen(0.5))", ab(0, 0), i(7)},
		{"a function as an argument", "return i32(apply(f32(a), inc))", ab(4, 0), i(5)},
		{"a builtin as an argument", "return i32(apply(f32(a), sqrt)) + combine(a, b, max)", ab(16, 5), i(20)},
		{"a function of two parameters", "return combine(a, b, add)", ab(1, 5), i(11)},
		{"a generic function as an argument", "return combine(a, b, minus)", ab(1, 5), i(-9)},
		{"generic functions whose results choose one another", "return chain(secondOf, make, a)", ab(4, 0), i(8)},
		{"a builtin whose result chooses a type", "return i32(chain(sqrt, length, vec2(f32(a), f32(b))))", ab(9, 40), i(6)},
		{"constants of two kinds", "return i32(larger(1, 2.5)*2) + a", ab(1, 0), i(6)},
		{"within structs within a named array", "return weigh(a, [3]Pair[i32]{{1, 2}, {3, 4}, {5, 6}})", ab(7, 0), i(13)},
		{"two functions", "return i32(compose(f32(a), inc, sqr))*100 + i32(compose(f32(a), sqr, inc))", ab(3, 0), i(1016)},
		{"a function literal", "return i32(apply(f32(a), func(x f32) f32 { return x * 10 }))", ab(4, 0), i(40)},
		{"a literal that sees variables", "k := b * 2\nreturn combine(a, b, func(x, y i32) i32 { return x*k + y })", ab(1, 2), i(26)},
		{"a literal with statements", "return combine(a, b, func(x, y i32) i32 { for x > y { x -= y }; return x })", ab(17, 5), i(2)},
		{"a literal that sees a changed variable", "k := 1\nk += a\nreturn both(b, func(x i32) i32 { return x + k })", ab(4, 1), i(11)},
		{"a literal in a literal", "return both(a, func(x i32) i32 { return both(x, func(y i32) i32 { return y + x }) })", ab(1, 0), i(9)},
		{"a literal given to a loop", "v := mapped([3]i32{a, b, 1}, func(x i32) i32 { return x * x })\nreturn v.x + v.y + v.z", ab(2, 3), i(14)},
		{"a parameter passed on", "return i32(compose(f32(a), func(x f32) f32 { return apply(x, inc) }, inc))", ab(2, 0), i(4)},
	})
	is := func(v ...int32) any { return v }
	conformCalls(t, `
func copyTo(dst, src template) { for k := range serial(dst) { dst[k] = src[k] } }
func sumOf(s template) s.dtype { var t s.dtype; for k := range serial(s) { t += s[k] }; return t }
func first[T any](s []T) T { return s[0] }
func each(s template, f template) { for k := range s { s[k] = f(s[k]) } }
func rank(a template) i32 { return len(a.shape) }
func negate(x i32) i32 { return -x }
func ScaleBy(s template, by template) { for k := range s { s[k] *= by } }
`, nil, []call{
		{"slices as template arguments", "func Run(d, s []i32) { copyTo(d, s) }", []any{is(0, 0), is(4, 5)}, []any{is(4, 5), is(4, 5)}},
		{"the element type of an argument", "func Run(s []i32, t []f64) (i32, f64) { return sumOf(s), sumOf(t) }", []any{is(4, 5), []float64{1, 0.5}}, []any{i(9), 1.5, is(4, 5), []float64{1, 0.5}}},
		{"a slice of a type parameter", "func Run(s []i32, t []f64) (i32, f64) { return first(s), first(t) }", []any{is(4, 5), []float64{1, 0.5}}, []any{i(4), 1.0, is(4, 5), []float64{1, 0.5}}},
		{"a function given to a loop over a slice", "func Run(s []i32) { each(s, negate) }", []any{is(4, 5)}, []any{is(-4, -5)}},
		{"a literal that sees an argument of the kernel", "func Run(s []i32, k i32) { each(s, func(x i32) i32 { return x * k }) }", []any{is(4, 5), i(3)}, []any{is(12, 15)}},
		{"a kernel with template parameters, called by a kernel", "func Run(s []i32, t []f32) { ScaleBy(s, 3); ScaleBy(t, 0.5) }", []any{is(4, 5), []float32{3}}, []any{is(12, 15), []float32{1.5}}},
	})
}

// What type an expression has when none is written.
//
//conform:theme inference
func TestConformInference(t *testing.T) {
	i := func(v int32) any { return v }
	none := []any{int32(0)}
	conformRoutines(t, `
func name[T any](v T) i32 {
	if static(T == bool) { return 1 }
	if static(T == i32) { return 2 }
	if static(T == f32) { return 3 }
	if static(T == f64) { return 4 }
	if static(T == i64) { return 5 }
	if static(T == u8) { return 6 }
	if static(T == u32) { return 7 }
	if static(T == f16) { return 8 }
	if static(T == vec2) { return 9 }
	if static(T == ivec2) { return 10 }
	if static(T == mat2) { return 11 }
	if static(T == [2]bool) { return 12 }
	if static(T == dvec2) { return 13 }
	return 0
}
`, []routine{
		{"a literal without a point is an i32", "x := 1\nreturn name(x)", none, i(2)},
		{"a literal with a point is an f32", "x := 1.0\nreturn name(x)", none, i(3)},
		{"a literal with an exponent is an f32", "x := 1e3\nreturn name(x)", none, i(3)},
		{"a hexadecimal literal is an i32", "x := 0xff\nreturn name(x)", none, i(2)},
		{"a comparison is a bool", "x := a > 0\nreturn name(x)", none, i(1)},
		{"a variable keeps its first type", "x := 1.5\nx = 2\nreturn name(x)", none, i(3)},
		{"an integer and a float give a float", "return name(a + 1.5)", none, i(3)},
		{"an integer and an f64 give an f64", "return name(a * f64(1))", none, i(4)},
		{"an i64 and an f32 give an f32", "return name(i64(a) * f32(1))", none, i(3)},
		{"a constant takes the type of the other operand", "return name(u8(1) + 1)", none, i(6)},
		{"a float constant takes the type of the other float", "return name(f64(1) * 0.5)", none, i(4)},
		{"a half stays a half beside a constant", "return name(f16(1) * 2)", none, i(8)},
		{"the quotient of integers is an integer", "return name((a + 7) / 2)", none, i(2)},
		{"the quotient with a float constant is a float", "return name(a / 2.0)", none, i(3)},
		{"sqrt of an integer is a float", "return name(sqrt(a))", none, i(3)},
		{"sqrt of an f64 is an f64", "return name(sqrt(f64(2)))", none, i(4)},
		{"abs of an integer is an integer", "return name(abs(a))", none, i(2)},
		{"max of an integer and a float is a float", "return name(max(a, 0.5))", none, i(3)},
		{"min of an i64 and a constant is an i64", "return name(min(i64(a), 3))", none, i(5)},
		{"a shift has the type of what is shifted", "return name(u8(1) << a)", none, i(6)},
		{"a negative has the type of its operand", "return name(-u32(a))", none, i(7)},
		{"vec of integers is an integer vector", "return name(vec(1, a))", none, i(10)},
		{"vec of integers and a float is a float vector", "return name(vec(a, 0.5))", none, i(9)},
		{"a vector times a float", "return name(ivec2(1, a) * 0.5)", none, i(9)},
		{"an integer vector and a float vector", "return name(ivec2(1, a) + vec2(1))", none, i(9)},
		{"a vector of doubles and a constant", "return name(dvec2(1) * 2)", none, i(13)},
		{"a comparison of vectors is a vector of bools", "return name(vec2(1) < vec2(a))", none, i(12)},
		{"== of vectors is one bool", "return name(vec2(1) == vec2(a))", none, i(1)},
		{"a matrix times a vector is a vector", "return name(mat2(1) * vec2(a))", none, i(9)},
		{"a matrix times a number is a matrix", "return name(mat2(1) * a)", none, i(11)},
		{"a row of a matrix is a vector", "return name(mat2(1)[a%2])", none, i(9)},
		{"a component is a scalar", "return name(ivec2(1, 2).y)", none, i(2)},
		{"a swizzle is a vector", "return name(vec3(1).zx)", none, i(9)},
		{"dot of vectors is a scalar", "return name(dot(dvec2(1), dvec2(a)))", none, i(4)},
		{"ifelse takes the type of both", "return name(ifelse(a > 0, 1, 0.5))", none, i(3)},
		{"ifelse of an i64 and a constant", "return name(ifelse(a > 0, i64(1), 0))", none, i(5)},
		{"a loop variable over a range is an i32", "for k := range 3 { return name(k) }\nreturn 0", none, i(2)},
		{"a loop variable has the type of its bound", "for k := range u32(3) { return name(k) }\nreturn 0", none, i(7)},
		{"a loop variable over ndrange is a vector", "for k := range ndrange(2, 2) { return name(k) }\nreturn 0", none, i(10)},
		{"an element of an array", "for _, e := range [2]f64{1, 2} { return name(e) }\nreturn 0", none, i(4)},
		{"len is an i32", "return name(len([3]f64{}))", none, i(2)},
		{"a bitcast has the type that is written", "return name(bitcast[u32](f32(1)))", none, i(7)},
		{"a typed constant", "const k u8 = 3\nreturn name(k)", none, i(6)},
		{"a var with a type converts its constant", "var x f64 = 1\nreturn name(x)", none, i(4)},
		{"several variables at once", "x, y := 1, 2.5\nreturn name(x)*10 + name(y)", none, i(23)},
		{"a rune is an i32", "return name('a')", none, i(2)},
	})
}
