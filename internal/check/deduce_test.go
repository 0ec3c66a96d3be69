package check

import (
	"go/token"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/syntax"
)

// deductionPrelude is what the rows of deductions declare their functions and calls beside.
const deductionPrelude = `package p

type Pair[A, B any] struct {
	First  A
	Second B
}

type Row[E any] [3]E

type Both[E any] Pair[E, E]

type Plain struct{ V f64 }

var (
	X field[f64]
	V field[vec2, D2]
	P field[Pair[i32, f16], D1]
	S [2]field[u8, D1]
)

func half[T real](v T) T { return v / 2 }

func nothing[T any]() T {
	var t T
	return t
}

func twins[T any](v T) Pair[T, T] { return Pair[T, T]{v, v} }

func firstOf[A, B any](p Pair[A, B]) A { return p.First }

func widen(v f32) f64 { return f64(v) }

func add(i i32, sum *f64) { *sum += f64(i) }

func store(v u8, p *Pair[u8, f32]) { p.First = v }

func ends(r [4]i16) (lo, hi i16) { return r[0], r[3] }
`

// deductions are declarations of a function f, which prints its type parameters, with a call of it, and what the
// parameters are or what the error says.
var deductions = []struct{ params, call, want string }{
	// Values.
	{"[T any](a T)", "f(1)", "i32"},
	{"[T any](a T)", "f(1.5)", "f32"},
	{"[T any](a T)", "f(true)", "bool"},
	{"[T any](a T)", "f(f64(1))", "f64"},
	{"[T any](a T)", "f(vec2(1))", "vec2"},
	{"[T any](a T)", "f(Plain{})", "Plain"},
	{"[T any](a, b T)", "f(1, f64(1))", "f64"},
	{"[T any](a, b T)", "f(f64(1), 1)", "f64"},
	{"[T any](a, b T)", "f(1, 1.5)", "f32"},
	{"[T any](a, b T)", "f(1.5, 1)", "f32"},
	{"[T, U any](a T, b U)", "f(i8(1), 1.5)", "i8 f32"},
	{"[T any](a, b T)", "f(f32(1), f64(1))", "parameter b of f is of type f32, and this is f64"},
	{"[T any]()", "f()", "the arguments do not say what T of f is"},
	{"[T, U any](a T)", "f(1)", "the arguments do not say what U of f is"},
	{"[T any]()", "f[u8]()", "u8"},
	{"[T, U any](b U)", "f[u8](i16(1))", "u8 i16"},
	{"[T any](a T)", "f[f64](1)", "f64"},

	// Pointers.
	{"[T any](a *T)", "f(&d)", "f64"},
	{"[T any](a *T)", "f(&m)", "mat2"},
	{"[T any](a *T)", "f(&m[0])", "vec2"},
	{"[T any](a *T)", "f(&m[0][1])", "f32"},
	{"[T any](a *T)", "f(&X[0])", "f64"},
	{"[T any](a *T)", "f(&V[0][1].x)", "f32"},
	{"[T any](a *T)", "f(&P[0].Second)", "f16"},
	{"[T any](a T, b *T)", "f(1, &d)", "f64"},
	{"[T any](a *T, b T)", "f(&d, 1)", "f64"},
	{"[T any](a *[2]T)", "f(&m)", "vec2"},
	{"[T any](a *[3]T)", "f(&r)", "i16"},
	{"[A, B any](a *Pair[A, B])", "f(&p)", "f32 u8"},
	{"[A any](a *Pair[f32, A])", "f(&P[0])", "takes a reference to a place of type Pair[f32, f16], and this is of type Pair[i32, f16]"},
	{"[T any](a *T)", "f(d)", "takes a reference, and this is a value"},

	// Arrays.
	{"[T any](a [3]T)", "f(vec3(1))", "f32"},
	{"[T any](a [3]T)", "f(ivec3(1))", "i32"},
	{"[T any](a [2][2]T)", "f(m)", "f32"},
	{"[T any](a [2]T)", "f(m)", "vec2"},
	{"[T any](a [2]T)", "f([2]Plain{})", "Plain"},
	{"[T any](a [2]Pair[T, u8])", "f([2]Pair[i8, u8]{})", "i8"},
	{"[T any](a [3]T)", "f(vec2(1))", "parameter a of f is of type vec3, and this is vec2"},
	{"[T any](a [3]T)", "f(1)", "the arguments do not say what T of f is"},
	{"[T any](a [3]T, b T)", "f(dvec3(1), 2)", "f64"},
	{"[T any](b T, a [3]T)", "f(2, dvec3(1))", "f64"},
	{"[T any](a Row[T])", "f(dvec3(1))", "f64"},
	{"[T any](a Row[[2]T])", "f([3]vec2{})", "f32"},

	// Structs.
	{"[A, B any](a Pair[A, B])", "f(p)", "f32 u8"},
	{"[A, B any](a Pair[B, A])", "f(p)", "u8 f32"},
	{"[A any](a Pair[A, A])", "f(Pair[i8, i8]{})", "i8"},
	{"[A any](a Pair[A, A])", "f(p)", "Pair[f32, f32]"},
	{"[A, B, C any](a Pair[A, Pair[B, C]])", "f(Pair[i8, Pair[u8, vec2]]{})", "i8 u8 vec2"},
	{"[A any](a Both[A])", "f(Pair[i8, i8]{})", "i8"},
	{"[A any](a Pair[Row[A], u8])", "f(Pair[vec3, u8]{})", "f32"},
	{"[A, B any](a Pair[A, B])", "f(Plain{})", "the arguments do not say what A of f is"},
	{"[A, B any](a Pair[A, B])", "f(twins(i8(1)))", "i8 i8"},
	{"[A, B any](a B, b Pair[A, B])", "f(3, p)", "f32 u8"},
	{"[A, B any](a Pair[A, B])", "{\n\t\tPair := p\n\t\tf(Pair)\n\t}", "f32 u8"},

	// Fields and memory of the caller.
	{"[T any](a field[T])", "f(X)", "f64"},
	{"[T any](a field[T, D2])", "f(V)", "vec2"},
	{"[T any](a field[[2]T])", "f(V)", "f32"},
	{"[T any](a field[Row[T]])", "f(V)", "takes a field of"},
	{"[A, B any](a field[Pair[A, B]])", "f(P)", "i32 f16"},
	{"[T any](a field[T], b T)", "f(X, 1)", "f64"},
	{"[T any](b T, a field[T])", "f(1, X)", "f64"},
	{"[T any](b *T, a field[T])", "f(&d, X)", "f64"},
	{"[T any](b T, a [2]field[T, D1])", "f(1, S)", "u8"},
	{"[T any](a []T)", "f(slice)", "f64"},
	{"[T any](a []Pair[T, T])", "f(pairs)", "i8"},
	{"[T any](a array[T, D2])", "f(view)", "vec3"},
	{"[T any](a array[[3]T, D2])", "f(view)", "f32"},
	{"[T any](b T, a []T)", "f(1, slice)", "f64"},

	// Function parameters.
	{"[A, B any](g func(A) B)", "f(widen)", "f32 f64"},
	{"[A, B any](g func(A) B, a A)", "f(widen, 1)", "f32 f64"},
	{"[A, B any](a A, g func(A) B)", "f(1, widen)", "f32 f64"},
	{"[T any](g func(i32, *T), a *T)", "f(add, &d)", "f64"},
	{"[T any](a *T, g func(i32, *T))", "f(&d, add)", "f64"},
	{"[T any](g func(i i32, a *T))", "f(add)", "f64"},
	{"[T any](g func(i32, T))", "f(add)", "the arguments do not say what T of f is"},
	{"[A, B any](g func(A, *Pair[A, B]))", "f(store)", "u8 f32"},
	{"[A any](g func([4]A) (A, A))", "f(ends)", "i16"},
	{"[A any](g func([4]A) (lo, hi A))", "f(ends)", "i16"},
	{"[A, B, C any](g func(A) (B, C))", "f(ends)", "[4]i16 i16 i16"},
	{"[A, B any](g func(A) B)", "f(func(v u8) vec2 { return vec2(v) })", "u8 vec2"},
	{"[A any](g func(A), a A)", "f(func(v u8) {}, 1)", "u8"},
	{"[A, B any](g func(A) B)", "f(ends)", "and this is func([4]i16) (i16, i16)"},

	// Function parameters that are given generic functions.
	{"[T any](g func(T) T, a T)", "f(half, 1.5)", "f32"},
	{"[T any](a T, g func(T) T)", "f(d, half)", "f64"},
	{"[A, B any](g func(A) B, a A)", "f(half, d)", "f64 f64"},
	{"[A, B any](a A, g func(A) B)", "f(u8(1), twins)", "u8 Pair[u8, u8]"},
	{"[A, B, C any](h func(B) C, g func(A) B, a A)", "f(firstOf, twins, d)", "f64 Pair[f64, f64] f64"},
	{"[A, B any](g func(A) B)", "f(half[f64])", "f64 f64"},
	{"[A, B any](g func(A) B)", "f(twins[u8])", "u8 Pair[u8, u8]"},
	{"[T any](g func() T, a T)", "f(nothing, d)", "f64"},
	{"[T any](g func() T)", "f(nothing[vec2])", "vec2"},
	{"[A, B any](g func(A) B, a B)", "f(half, d)", "f64 f64"},
	{"[A, B any](g func(A) B)", "f(half)", "the arguments do not say what A of f is"},
	{"[T any](g func(T) T, a T)", "f(half, 1)", "T of half cannot be i32"},
	{"[T any](g func() T)", "f(nothing)", "the arguments do not say what T of f is"},

	// Function parameters that are given builtins.
	{"[T any](g func(T) T, a T)", "f(sin, d)", "f64"},
	{"[A, B any](g func(A) B, a A)", "f(length, dvec3(1))", "dvec3 f64"},
	{"[A, B any](g func(A, A) B, a A)", "f(max, i8(1))", "i8 i8"},
	{"[A, B any](a *A, g func(A) B)", "f(&d, isnan)", "f64 bool"},
	{"[A, B any](g func(A) B)", "f(sin)", "the arguments do not say what A of f is"},
	{"[A, B any](g func(A) B, a A)", "f(transpose, d)", "the arguments do not say what B of f is"},
	{"[A, B any](g func(A) (A, B, A), a A)", "f(svd, m)", "mat2 vec2"},
}

// typeParamNames returns the names of the type parameters before the parameters of a row.
func typeParamNames(params string) string {
	list := params[1:strings.Index(params, "](")]
	var names []string
	for _, p := range strings.Split(list, ",") {
		names = append(names, strings.Fields(p)[0])
	}
	return strings.Join(names, ", ")
}

// TestDeduction deduces the type parameters of a call from its arguments.
func TestDeduction(t *testing.T) {
	for _, row := range deductions {
		src := deductionPrelude + "\nfunc f" + row.params + " { staticPrint(" + typeParamNames(row.params) + ") }\n" + `
func Main(slice []f64, pairs []Pair[i8, i8], view array[vec3, D2]) {
	var (
		d f64
		m mat2
		r [3]i16
		p Pair[f32, u8]
	)
	_, _, _, _ = d, m, r, p
	` + row.call + "\n}\n"
		f, errs := syntax.Parse("d.ti", src, token.Position{})
		if errs != nil {
			t.Fatalf("%s: %v", row.params, errs)
		}
		p, _ := Declare([]*syntax.File{f})
		q, errs := p.Check(fittingHost(p, src))
		got := ""
		switch {
		case len(errs) > 0:
			got = errs[0].Msg
		case len(q.Prints) > 0:
			got = q.Prints[0].Text
		}
		if len(errs) > 0 && !strings.Contains(got, row.want) || len(errs) == 0 && got != row.want {
			t.Errorf("func f%s and %s: %q, want %q", row.params, row.call, got, row.want)
		}
	}
}
