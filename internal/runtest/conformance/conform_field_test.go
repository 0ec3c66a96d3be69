package conformance

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

type nestedItem struct {
	On    bool
	Inner [2]ruleItem
	D     float64
}

const nestedSource = `
type Inner struct { N i32; P vec2; T [2]i16 }
type Nested struct { On bool; Inner [2]Inner; D f64 }
`

// elements checks that elements of a type keep their values on the way from the host
// through a kernel, and that they are zero at first.
func elements[T comparable](typ string, values ...T) func(r *runtest.Run) {
	return func(r *runtest.Run) {
		var h struct {
			X, Y ti.Field[T]
			Copy func() error
		}
		decl := nestedSource
		if !strings.Contains(typ, "Nested") {
			decl = ""
		}
		r.Place(ti.Shape{12}, &h.X, &h.Y)
		r.Load(fmt.Sprintf("package p\n%svar X, Y field[%s]\nfunc Copy() { for i := range X { Y[11-i] = X[i] } }", decl, typ), &h)
		var zero T
		for i, v := range values {
			if got := h.X.At(i); got != zero {
				r.Errorf("an element is %v at first", got)
			}
			h.X.Set(v, i)
		}
		runtest.OK(r, h.Copy())
		for i, v := range values {
			if got := h.Y.At(11 - i); got != v {
				r.Errorf("%v becomes %v", v, got)
			}
		}
	}
}

// rank checks a field of n axes: loops over it, its shape, and grouped indices.
func rank(n int) func(r *runtest.Run) {
	return func(r *runtest.Run) {
		var h struct {
			X   ti.Field[int32]
			Run func() (int32, error)
		}
		shape := ti.Shape{3, 2, 2, 1, 2, 3, 1, 2}[:n]
		r.Place(shape, &h.X)
		if n == 0 {
			r.Load("package p\nvar X field[i32, D0]\nfunc Run() i32 { X += 7; return 2 * X }", &h)
			v, err := h.Run()
			runtest.OK(r, err)
			runtest.Eq(r, "result", v, 14)
			runtest.Eq(r, "X", h.X.At(), 7)
			return
		}
		r.Load(fmt.Sprintf(`package p
var X field[i32, D%d]
func Run() i32 {
	for p := range X {
		q := vec(p)
		s := 0
		for d := range static(q.n) { s = s*4 + q[d] }
		X[p] = s
	}
	s := 0
	for p := range ndrange(X.shape) { s += X[p] }
	return s*100 + len(X.shape)*10 + product(X.shape) / len(X)
}`, n), &h)
		v, err := h.Run()
		runtest.OK(r, err)
		sum, count := int32(0), 0
		for idx, v := range h.X.All() {
			want := int32(0)
			for _, i := range idx[:n] {
				want = want*4 + int32(i)
			}
			runtest.Eq(r, "element", v, want)
			sum += want
			count++
		}
		size := int32(count / shape[0])
		runtest.Eq(r, "result", v, sum*100+int32(n)*10+size)
	}
}

// Fields by their element types and numbers of axes.
//
//conform:theme fields
func TestConformFields(t *testing.T) {
	hostRules(t, []hostRule{
		{"of bool", elements("bool", true, false, true)},
		{"of i8", elements[int8]("i8", -128, 127, -1, 5)},
		{"of i16", elements[int16]("i16", -32768, 32767, -1)},
		{"of i32", elements[int32]("i32", math.MinInt32, math.MaxInt32, -1)},
		{"of i64", elements[int64]("i64", math.MinInt64, math.MaxInt64, 1<<40+1)},
		{"of u8", elements[uint8]("u8", 255, 128, 1)},
		{"of u16", elements[uint16]("u16", 65535, 1<<15)},
		{"of u32", elements[uint32]("u32", 1<<32-1, 1<<31)},
		{"of u64", elements[uint64]("u64", 1<<64-1, 1<<63)},
		{"of f16", elements("f16", runtest.Half(1.5), runtest.Half(65504), runtest.Half(0x1p-24), runtest.Half(math.Inf(-1)))},
		{"of f32", elements[float32]("f32", 0.1, -1e30, 1e-45, float32(math.Inf(1)))},
		{"of f64", elements("f64", 0.1, -1e300, 5e-324, math.Inf(-1))},
		{"of int", elements[int32]("int", -5)},
		{"of float", elements[float32]("float", 0.25)},
		{"of vectors", elements("vec3", v123, v456)},
		{"of vectors of doubles", elements("dvec2", ti.DVec2{0.1, 1e300})},
		{"of vectors of bytes", elements("[4]u8", [4]uint8{1, 2, 3, 255})},
		{"of vectors of bools", elements("[3]bool", [3]bool{true, false, true})},
		{"of one component", elements("[1]i32", [1]int32{7})},
		{"of long vectors", elements("[17]i16", [17]int16{1, 2, 16: -3})},
		{"of matrices", elements("mat3", ti.Mat3{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}})},
		{"of rectangular matrices", elements("[2][3]f64", [2][3]float64{{1, 2, 3}, {4, 5, 6}})},
		{"of structs", elements("struct { N i32; P vec2; T [2]i16 }", ruleItem{5, ti.Vec2{1, 2}, [2]int16{-3, 4}})},
		{"of nested structs", elements("Nested", nestedItem{true, [2]ruleItem{{1, ti.Vec2{2, 3}, [2]int16{4, 5}}, {N: -1}}, 0.1})},
		{"of arrays of structs", elements("[2]Nested", [2]nestedItem{{D: 1}, {true, [2]ruleItem{{N: 3}, {}}, 2}})},
		{"with a single cell", rank(0)},
		{"with 1 axis", rank(1)},
		{"with 2 axes", rank(2)},
		{"with 3 axes", rank(3)},
		{"with 4 axes", rank(4)},
		{"with 5 axes", rank(5)},
		{"with 6 axes", rank(6)},
		{"with 7 axes", rank(7)},
		{"with 8 axes", rank(8)},
	})
}

// What kernels do with fields.
//
//conform:theme fields
func TestConformFieldUse(t *testing.T) {
	rules(t, "func at(x field[i32, D2], p ivec2) i32 { return x[p] }\n", []rule{
		{"elements are zero at first", `s := f64(0); for i := range X { s += f64(X[i]) + f64(F[i]) + D[i] + f64(sum(V[i])) + f64(sum(M[i])) }; return s`, 0.0},
		{"the shape of one axis is a vector of one", `return X.shape`, [1]int32{12}},
		{"the shape of two axes", `return P.shape`, ti.IVec2{4, 6}},
		{"the shape of three axes", `return W.shape`, ti.IVec3{2, 4, 6}},
		{"an extent", `return P.shape[1] * 10 + P.shape.x`, int32(64)},
		{"the shape of a field of vectors has no axis of components", `return len(V.shape)`, int32(1)},
		{"len is the first extent", `return ivec2(len(X), len(P))`, ti.IVec2{12, 4}},
		{"brackets join", `P[2][3] = 7; ij := ivec2(2, 3); return P[ij]`, int32(7)},
		{"a vector and a number join", `W[1][2][3].x = 7; return W[ivec2(1, 2)][3].x + W[1][ivec2(2, 3)].x`, float32(14)},
		{"what follows the rank reaches into the element", `M[2][1][0] = 5; V[3][1] = 2; return vec2(M[2][1].x, V[3].y)`, ti.Vec2{5, 2}},
		{"a row of an element", `M[2] = mat2(1, 2, 3, 4); return M[2][1]`, ti.Vec2{3, 4}},
		{"an index of any integer type", `X[3] = 5; return X[u8(3)] + X[i64(3)] + X[u64(3)] + X[i16(3)]`, int32(20)},
		{"an index that is an element", `X[2] = 5; X[5] = 9; return X[X[2]]`, int32(9)},
		{"an index that is an element of a vector field", `V[0] = vec3(1, 2, 3); P[1][2] = 6; return P[ivec2(V[0].xy)]`, int32(6)},
		{"a single cell by its name", `S = 4; S *= 3; return S`, int32(12)},
		{"a component of a single cell", `Z.y = 2; Z.x = Z.y + 1; return Z`, ti.Vec2{3, 2}},
		{"op= on an element", `X[3] = 5; X[3] -= 7; X[3] *= 2; X[3] <<= 2; return X[3]`, int32(-16)},
		{"++ on an element", `X[3]++; X[3]++; X[3]--; return X[3]`, int32(1)},
		{"a member of an element", `Q[2].P.y = 3; Q[2].T[1] = 4; return vec2(Q[2].P.y, f32(Q[2].T[1]))`, ti.Vec2{3, 4}},
		{"an element as a value is a copy", `V[0] = vec3(1); v := V[0]; V[0] = vec3(2); return v`, ti.Vec3{1, 1, 1}},
		{"a struct element as a value is a copy", `Q[0].N = 1; q := Q[0]; Q[0].N = 2; return q.N`, int32(1)},
		{"a field as an argument", `P[1][2] = 8; return at(P, ivec2(1, 2))`, int32(8)},
		{"two names of one element", `a := &X[4]; b := &X[4]; *a = 3; *b += 4; return X[4]`, int32(7)},
		{"the element type", `var v V.dtype; v.z = 1; V[0] = v; return V[0]`, ti.Vec3{0, 0, 1}},
		{"a loop with an index for each axis", `s := 0; for i, j := range P { s += i*10 + j }; return s`, int32(10*36 + 60)},
		{"a loop with the grouped index", `s := ivec2(0); for p := range P { s += p }; return s`, ti.IVec2{36, 60}},
		{"a serial loop goes in order", `k := 0; for p := range serial(P) { P[p] = k; k++ }; return ivec3(P[0][5], P[1][0], P[3][5])`, ti.IVec3{5, 6, 23}},
		{"a loop over a range of its shape", `for p := range ndrange(P.shape) { P[p] = p.x }; return P[3][2]`, int32(3)},
		{"bool elements", `B[1] = true; B[2] = !B[1] || B[0]; return [3]bool{B[0], B[1], B[2]}`, [3]bool{false, true, false}},
	})
}

// Slips with fields.
//
//conform:theme fields
func TestConformFieldErrors(t *testing.T) {
	rt, err := ti.New(ti.Config{Arch: ti.Oracle})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	for _, m := range []mistake{
		{"too few indices", "a := X[0]\n_ = a", 401},
		{"too many indices", "X[0][1][2] = 1", 404},
		{"a float as an index", "X[0][1.5] = 1", 402},
		{"a field as a value", "a := X\n_ = a", 406},
		{"a comma", "X[0, 1] = 2", 104},
		{"an element of another type", "X[0][1] = 2.5", 314},
		{"a float variable", "a := 2.5\nX[0][1] = a", 302},
		{"three variables for two axes", "for i, j, k := range X { print(i, j, k) }", 110},
		{"a loop under a condition", "if S > 0 { for p := range X { X[p] = 1 } }", 609},
		{"an index for a single cell", "S[0] = 1", 404},
	} {
		t.Run(m.name, func(t *testing.T) {
			host := ti.Bindings{"X": ti.NewField[int32](rt, 4, 6), "S": ti.NewField[int32](rt)}
			_, err := rt.Compile(ti.Text("f.ti", "package p\nvar X field[i32]\nvar S field[i32, D0]\nfunc Run() {\n"+m.src+"\n}\n"), host)
			wantCode(t, err, m.code)
		})
	}
}
