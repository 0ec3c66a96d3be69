package conformance

import (
	"math"
	"testing"

	"github.com/gotaichi/ti"
)

var (
	m12 = ti.Mat2{{1, 2}, {3, 4}}
	m56 = ti.Mat2{{5, 6}, {7, 8}}
	m3  = ti.Mat3{{2, 0, 1}, {1, 3, 0}, {0, 1, 4}}
	m23 = [2][3]float32{{1, 2, 3}, {4, 5, 6}}
	m32 = [3][2]float32{{1, 0}, {0, 1}, {2, 2}}
	n12 = [2][2]int32{{1, 2}, {3, 4}}
)

// How matrices are made and split.
//
//conform:theme matrices
func TestConformMatrixParts(t *testing.T) {
	conform(t, []behaviour{
		{"numbers are read by rows", "mat2(a, b, c, 4)", []any{float32(1), float32(2), float32(3)}, m12},
		{"from rows", "mat2(a, b)", []any{ti.Vec2{1, 2}, ti.Vec2{3, 4}}, m12},
		{"from columns", "cols(a, b)", []any{ti.Vec2{1, 3}, ti.Vec2{2, 4}}, m12},
		{"one number is the diagonal", "mat3(a)", []any{float32(2)}, ti.Mat3{{2, 0, 0}, {0, 2, 0}, {0, 0, 2}}},
		{"diag", "diag(a)", []any{ti.Vec2{3, 4}}, ti.Mat2{{3, 0}, {0, 4}}},
		{"a composite literal", "[2][3]f32{{a, 2, 3}, {4, 5, b}}", []any{float32(1), float32(6)}, m23},
		{"a conversion", "dmat2(a)", []any{m12}, ti.DMat2{{1, 2}, {3, 4}}},
		{"of integers becomes floats", "mat2(a)", []any{n12}, m12},
		{"an element", "a[1][0]", []any{m12}, float32(3)},
		{"an element at run time", "a[b][c]", []any{m3, int32(1), int32(1)}, float32(3)},
		{"a row", "a[1]", []any{m23}, ti.Vec3{4, 5, 6}},
		{"a component of a row", "a[1].y", []any{m12}, float32(4)},
		{"a swizzle of a row", "a[0].zx", []any{m23}, ti.Vec2{3, 1}},
		{"a row of the transpose", "transpose(a)[1]", []any{m23}, ti.Vec2{2, 5}},
		{"a column", "col(a, 2)", []any{m23}, ti.Vec2{3, 6}},
		{"a column chosen at run time", "col(a, b)", []any{m23, int32(1)}, ti.Vec2{2, 5}},
		{"a column of a product", "col(a*a, b)", []any{m12, int32(1)}, ti.Vec2{10, 22}},
		{"a column of integers", "col(a, 0)", []any{n12}, [2]int32{1, 3}},
		{"the last rows", "a[1:]", []any{m32}, ti.Mat2{{0, 1}, {2, 2}}},
		{"every other row", "a[0:3:2]", []any{m32}, ti.Mat2{{1, 0}, {2, 2}}},
		{"a row of every other", "a[0:3:2][b]", []any{m32, int32(1)}, ti.Vec2{2, 2}},
		{"an element of every other row", "a[0:3:2][b][c]", []any{m3, int32(1), int32(2)}, float32(4)},
		{"rows and columns", "ivec3(a.n, a.m, len(a))", []any{m23}, ti.IVec3{2, 3, 2}},
	})
}

// Operators on matrices.
//
//conform:theme matrices
func TestConformMatrixOperators(t *testing.T) {
	conform(t, []behaviour{
		{"the sum", "a + b", []any{m12, m56}, ti.Mat2{{6, 8}, {10, 12}}},
		{"the difference", "a - b", []any{m12, m56}, ti.Mat2{{-4, -4}, {-4, -4}}},
		{"the negative", "-a", []any{m12}, ti.Mat2{{-1, -2}, {-3, -4}}},
		{"* is the product of linear algebra", "a * b", []any{m12, m56}, ti.Mat2{{19, 22}, {43, 50}}},
		{"hadamard is by element", "hadamard(a, b)", []any{m12, m56}, ti.Mat2{{5, 12}, {21, 32}}},
		{"a product of rectangles", "a * b", []any{m23, m32}, ti.Mat2{{7, 8}, {16, 17}}},
		{"a product of rectangles the other way", "a * b", []any{m32, m23}, ti.Mat3{{1, 2, 3}, {4, 5, 6}, {10, 14, 18}}},
		{"with a column", "a * b", []any{m12, ti.Vec2{5, 6}}, ti.Vec2{17, 39}},
		{"with a row", "b * a", []any{m12, ti.Vec2{5, 6}}, ti.Vec2{23, 34}},
		{"a rectangle with a column", "a * b", []any{m23, v123}, ti.Vec2{14, 32}},
		{"a row with a rectangle", "b * a", []any{m23, ti.Vec2{1, 2}}, ti.Vec3{9, 12, 15}},
		{"with a number", "a * b", []any{m12, float32(2)}, ti.Mat2{{2, 4}, {6, 8}}},
		{"a number with it", "b * a", []any{m12, float32(2)}, ti.Mat2{{2, 4}, {6, 8}}},
		{"divided by a number", "a / b", []any{m12, float32(2)}, ti.Mat2{{0.5, 1}, {1.5, 2}}},
		{"a number is added to each element", "a + b", []any{m12, float32(1)}, ti.Mat2{{2, 3}, {4, 5}}},
		{"of integers", "a * a", []any{n12}, [2][2]int32{{7, 10}, {15, 22}}},
		{"of integers with a float", "a * b", []any{n12, float32(0.5)}, ti.Mat2{{0.5, 1}, {1.5, 2}}},
		{"a product of three", "a * b * a", []any{m12, ti.Mat2{{0, 1}, {1, 0}}}, ti.Mat2{{5, 8}, {13, 20}}},
		{"==", "a == b", []any{m12, m12}, true},
		{"!=", "a != b", []any{m12, m56}, true},
		{"comparisons are by element", "all(a[0] < b[0]) && a[1].x < b[1].x", []any{m12, m56}, true},
	})
}

// Functions of matrices.
//
//conform:theme matrices
func TestConformMatrixFunctions(t *testing.T) {
	conform(t, []behaviour{
		{"transpose", "transpose(a)", []any{m23}, [3][2]float32{{1, 4}, {2, 5}, {3, 6}}},
		{"trace", "trace(a)", []any{m3}, float32(9)},
		{"a rotation turns x to y", "round(rotation2(a) * b)", []any{float32(math.Pi / 2), ti.Vec2{1, 0}}, ti.Vec2{0, 1}},
		{"a rotation about z turns x to y", "round(rotation(b, a) * vec3(1, 0, 0))", []any{float32(math.Pi / 2), ti.Vec3{0, 0, 1}}, ti.Vec3{0, 1, 0}},
		{"a rotation about y turns z to x", "round(rotation(b, a) * vec3(0, 0, 1))", []any{float32(math.Pi / 2), ti.Vec3{0, 1, 0}}, ti.Vec3{1, 0, 0}},
		{"a rotation about a diagonal goes round", "round(rotation(vec3(b), 2*a) * vec3(1, 2, 3))", []any{float32(math.Pi / 3), float32(math.Sqrt(1.0 / 3))}, ti.Vec3{3, 1, 2}},
		{"translate", "translate(a)", []any{ti.Vec2{5, 6}}, ti.Mat3{{1, 0, 5}, {0, 1, 6}, {0, 0, 1}}},
		{"translate in space moves a point", "translate(a) * vec4(1, 1, 1, 1)", []any{v123}, ti.Vec4{2, 3, 4, 1}},
		{"translate leaves a direction", "translate(a) * vec4(1, 1, 1, 0)", []any{v123}, ti.Vec4{1, 1, 1, 0}},
		{"scale", "scale(a)", []any{ti.Vec2{5, 6}}, ti.Mat3{{5, 0, 0}, {0, 6, 0}, {0, 0, 1}}},
		{"scale in space", "scale(a) * vec4(1, 1, 1, 1)", []any{v123}, ti.Vec4{1, 2, 3, 1}},
		{"homogeneous", "homogeneous(a)", []any{m12}, ti.Mat3{{1, 2, 0}, {3, 4, 0}, {0, 0, 1}}},
		{"scale, then turn, then move", "translate(a) * homogeneous(round(rotation2(pi/2))) * scale(b) * vec3(1, 1, 1)", []any{ti.Vec2{10, 20}, ti.Vec2{2, 3}}, ti.Vec3{7, 22, 1}},
		{"determinant of 1", "determinant(a)", []any{[1][1]float32{{7}}}, float32(7)},
		{"determinant of 2", "determinant(a)", []any{m12}, float32(-2)},
		{"determinant of 3", "determinant(a)", []any{m3}, float32(25)},
		{"determinant of 4", "determinant(a)", []any{ti.Mat4{{2, 0, 0, 1}, {0, 3, 0, 0}, {0, 0, 4, 0}, {1, 0, 0, 5}}}, float32(108)},
		{"determinant of equal rows", "determinant(a)", []any{ti.Mat3{{1, 2, 3}, {1, 2, 3}, {4, 5, 6}}}, float32(0)},
		{"inverse of 2", "inverse(a)", []any{m12}, ti.Mat2{{-2, 1}, {1.5, -0.5}}},
		{"inverse of a diagonal", "inverse(a)", []any{ti.DMat3{{2, 0, 0}, {0, 4, 0}, {0, 0, -8}}}, ti.DMat3{{0.5, 0, 0}, {0, 0.25, 0}, {0, 0, -0.125}}},
		{"inverse of a permutation", "inverse(a)", []any{ti.Mat3{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}}, ti.Mat3{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}},
		{"inverse of 4", "inverse(a)", []any{ti.DMat4{{1, 0, 0, 3}, {0, 1, 0, 4}, {0, 0, 1, 5}, {0, 0, 0, 1}}}, ti.DMat4{{1, 0, 0, -3}, {0, 1, 0, -4}, {0, 0, 1, -5}, {0, 0, 0, 1}}},
		{"sum of all elements", "sum(a)", []any{m23}, float32(21)},
		{"abs", "abs(a)", []any{ti.Mat2{{-1, 2}, {3, -4}}}, m12},
		{"max", "max(a, 2)", []any{m12}, ti.Mat2{{2, 2}, {3, 4}}},
		{"sqrt", "sqrt(a)", []any{ti.Mat2{{1, 4}, {9, 16}}}, m12},
		{"ifelse", "ifelse(a, b, c)", []any{false, m12, m56}, m56},
		{"outer and trace", "trace(outer(a, a))", []any{v34}, float32(25)},
		{"a quadratic form", "dot(a, b * a)", []any{ti.Vec2{1, 2}, m12}, float32(27)},
	})
}

const matrixHelpers = `
func scale(m *mat2, by f32) { *m *= by }
func off(m mat2) f32 {
	m[0][0] = 100
	return m[0][1] + m[1][0]
}
func near[T any](a, b T, e f32) bool { return sum(abs(a-b)) < e }
`

// Variables that are matrices.
//
//conform:theme matrices
func TestConformMatrixVariables(t *testing.T) {
	rules(t, matrixHelpers, []rule{
		{"begins as zero", `var m mat2; return m`, ti.Mat2{}},
		{"an element is assigned", `m := mat2(1); m[0][1] = 5; return m`, ti.Mat2{{1, 5}, {0, 1}}},
		{"a row is assigned", `m := mat2(1); m[1] = vec2(3, 4); return m`, ti.Mat2{{1, 0}, {3, 4}}},
		{"a component of a row is changed", `m := mat2(1, 2, 3, 4); m[1].x *= 10; return m`, ti.Mat2{{1, 2}, {30, 4}}},
		{"rows are assigned", `m := [3][2]f32{{1, 2}, {3, 4}, {5, 6}}; m[1:] = mat2(7, 8, 9, 10); return mat2(m[0], m[2])`, ti.Mat2{{1, 2}, {9, 10}}},
		{"rows are moved within it", `m := mat3(1, 2, 3, 4, 5, 6, 7, 8, 9); m[1:] = m[:2]; return m`, ti.Mat3{{1, 2, 3}, {1, 2, 3}, {4, 5, 6}}},
		{"every other row is changed", `m := mat3(1); m[0:3:2] += 1; m[0:3:2][1].z = 7; return m`, ti.Mat3{{2, 1, 1}, {0, 1, 0}, {1, 1, 7}}},
		{"a column is not the matrix", `m := mat2(1, 2, 3, 4); c := col(m, 0); c.x = 9; return vec4(c, col(m, 0))`, ti.Vec4{9, 3, 1, 3}},
		{"a column of an element of a field", `M[3] = mat2(1, 2, 3, 4); i := 1; return vec4(col(M[3], i), col(M[3], 0))`, ti.Vec4{2, 4, 1, 3}},
		{"rows are swapped", `m := mat2(1, 2, 3, 4); m[0], m[1] = m[1], m[0]; return m`, ti.Mat2{{3, 4}, {1, 2}}},
		{"indexed at run time", `var m [3][4]i32; for i := range serial(12) { m[i/4][i%4] = i }; return ivec3(m[0][3], m[1][0], m[2][3])`, ti.IVec3{3, 4, 11}},
		{"*= is the product of linear algebra", `m := mat2(1, 2, 3, 4); m *= mat2(0, 1, 1, 0); return m`, ti.Mat2{{2, 1}, {4, 3}}},
		{"+= with a number", `m := mat2(1, 2, 3, 4); m += 1; return m`, ti.Mat2{{2, 3}, {4, 5}}},
		{"assignment copies", `m := mat2(1); n := m; n[0][0] = 7; return m + n`, ti.Mat2{{8, 0}, {0, 2}}},
		{"a parameter is a copy", `m := mat2(1, 2, 3, 4); s := off(m); return vec2(s, m[0][0])`, ti.Vec2{5, 1}},
		{"a reference is the matrix", `m := mat2(1, 2, 3, 4); scale(&m, 2); return m`, ti.Mat2{{2, 4}, {6, 8}}},
		{"an element of a field", `M[3] = mat2(1, 2, 3, 4); M[3][0][1] = 9; M[3][1].y += 1; return M[3]`, ti.Mat2{{1, 9}, {3, 5}}},
		{"a reference to an element of a field", `M[3] = mat2(1, 2, 3, 4); scale(&M[3], 3); return M[3]`, ti.Mat2{{3, 6}, {9, 12}}},
		{"a loop over rows", `s := vec2(0); for i, row := range mat2(1, 2, 3, 4) { s += f32(i+1) * row }; return s`, ti.Vec2{7, 10}},
		{"a constant matrix", `const swap = mat2(0, 1, 1, 0); return swap * vec2(3, 4)`, ti.Vec2{4, 3}},
		{"a power by squaring", `m := [2][2]i32{{1, 1}, {1, 0}}; p := [2][2]i32{{1, 0}, {0, 1}}; for n := 30; n > 0; n /= 2 { if n%2 == 1 { p = p * m }; m = m * m }; return p[0][1]`, int32(832040)},
		{"in a parallel loop", `for i := range M { M[i] = mat2(1, i, 0, 1) * mat2(1, 1, 0, 1) }; return M[5]`, ti.Mat2{{1, 6}, {0, 1}}},
	})
}

// Decompositions and systems of equations.
//
//conform:theme linear algebra
func TestConformLinearAlgebra(t *testing.T) {
	rules(t, matrixHelpers, []rule{
		{"solve of 2", `return solve(dmat2(2, 1, 1, 3), dvec2(5, 10))`, ti.DVec2{1, 3}},
		{"solve of 3", `x := solve(mat3(2, 0, 1, 1, 3, 0, 0, 1, 4), vec3(5, 7, 14)); return near(x, vec3(1, 2, 3), 1e-5)`, true},
		{"solve needs to exchange rows", `return solve(mat2(0, 1, 1, 0), vec2(3, 4))`, ti.Vec2{4, 3}},
		{"solve of a matrix", `a, b := mat3(2, 0, 1, 1, 3, 0, 0, 1, 4), mat3(1, 2, 3, 4, 5, 6, 7, 8, 10); return near(a*solve(a, b), b, 1e-4)`, true},
		{"determinant of integers, 5", `var a [5][5]i32; for i := range serial(5) { for j := range 5 { a[i][j] = 1 }; a[i][i] = i + 2 }; return determinant(a)`, int32(394)},
		{"determinant of integers, 6", `var a [6][6]i32; for i := range serial(6) { for j := range 6 { a[i][j] = 1 }; a[i][i] = i + 2 }; return determinant(a)`, int32(2484)},
		{"solve of 6", `var a [6][6]f64; var b [6]f64; for i := range serial(6) { for j := range 6 { a[i][j] = 1 / f64(i+j+1) }; a[i][i] += 1; b[i] = f64(i) }; x := solve(a, b); return sum(abs(a*x-b)) < 1e-12`, true},
		{"the inverse times the matrix is the identity", `m := mat3(2, 0, 1, 1, 3, 0, 0, 1, 4); return near(inverse(m)*m, mat3(1), 1e-5)`, true},
		{"svd multiplies to the matrix, 2", `m := mat2(1, 2, 3, 4); u, s, v := svd(m); return near(u*diag(s)*transpose(v), m, 1e-5)`, true},
		{"svd multiplies to the matrix, 3", `m := mat3(2, 0, 1, 1, 3, 0, 0, 1, 4); u, s, v := svd(m); return near(u*diag(s)*transpose(v), m, 1e-4)`, true},
		{"svd gives rotations", `u, s, v := svd(mat3(2, 0, 1, 1, 3, 0, 0, 1, -4)); _ = s; return near(u*transpose(u), mat3(1), 1e-4) && near(v*transpose(v), mat3(1), 1e-4) && abs(determinant(u)-1) < 1e-4 && abs(determinant(v)-1) < 1e-4`, true},
		{"singular values fall", `_, s, _ := svd(mat3(1, 0, 0, 0, 5, 0, 0, 0, 3)); return near(s, vec3(5, 3, 1), 1e-5)`, true},
		{"the last singular value carries the sign", `_, s, _ := svd(mat2(1, 0, 0, -2)); return near(s, vec2(2, -1), 1e-5)`, true},
		{"svd of zero", `u, s, v := svd(mat3(0)); return near(s, vec3(0), 1e-6) && near(u*transpose(u), mat3(1), 1e-5) && near(v*transpose(v), mat3(1), 1e-5)`, true},
		{"svd of a projection", `m := outer(vec3(1, 2, 2), vec3(1, 0, 0)); u, s, v := svd(m); return near(u*diag(s)*transpose(v), m, 1e-4) && abs(s.x-3) < 1e-4 && abs(s.y) < 1e-4`, true},
		{"polar multiplies to the matrix", `m := mat2(1, 2, 3, 4); r, s := polar(m); return near(r*s, m, 1e-5) && near(s, transpose(s), 1e-5)`, true},
		{"polar gives a rotation", `r, s := polar(mat3(2, 0, 1, 1, 3, 0, 0, 1, 4)); _ = s; return near(r*transpose(r), mat3(1), 1e-4) && abs(determinant(r)-1) < 1e-4`, true},
		{"polar of a rotation is itself", `m := mat2(0.6, -0.8, 0.8, 0.6); r, s := polar(m); return near(r, m, 1e-5) && near(s, mat2(1), 1e-5)`, true},
		{"symEig of a diagonal", `w, q := symEig(dmat2(3, 0, 0, 1)); _ = q; return sum(w)`, 4.0},
		{"symEig multiplies to the matrix", `m := mat3(4, 1, 0, 1, 3, 1, 0, 1, 2); w, q := symEig(m); return near(q*diag(w)*transpose(q), m, 1e-4)`, true},
		{"columns of symEig are eigenvectors", `m := mat2(2, 1, 1, 2); w, q := symEig(m); c := transpose(q)[0]; return near(m*c, w.x*c, 1e-5) && abs(length(c)-1) < 1e-5`, true},
		{"qr multiplies to the matrix", `m := mat3(2, 0, 1, 1, 3, 0, 0, 1, 4); q, r := qr(m); return near(q*r, m, 1e-4) && near(q*transpose(q), mat3(1), 1e-4)`, true},
		{"the second factor of qr is triangular", `q, r := qr(mat3(2, 0, 1, 1, 3, 0, 0, 1, 4)); _ = q; return abs(r[1][0]) + abs(r[2][0]) + abs(r[2][1]) < 1e-5`, true},
		{"svd of a column", `u, s, v := svd([3][1]f32{{1}, {2}, {2}}); return near(u*diag(s)*transpose(v), [3][1]f32{{1}, {2}, {2}}, 1e-5) && abs(s[0]-3) < 1e-5`, true},
		{"svd of more rows than columns", `m := [3][2]f32{{1, 2}, {3, 4}, {5, 7}}; u, s, v := svd(m); return near(u*diag(s)*transpose(v), m, 1e-5) && near(transpose(u)*u, mat2(1), 1e-5) && abs(determinant(v)-1) < 1e-5 && s.y > 0`, true},
		{"svd of fewer rows than columns", `m := [2][3]f32{{1, 2, 3}, {6, 5, 4}}; u, s, v := svd(m); return near(u*diag(s)*transpose(v), m, 1e-5) && near(transpose(v)*v, mat2(1), 1e-5) && abs(determinant(u)-1) < 1e-5 && s.y > 0`, true},
		{"qr of more rows than columns", `m := [3][2]f32{{1, 2}, {3, 4}, {5, 7}}; q, r := qr(m); return near(q*r, m, 1e-5) && near(transpose(q)*q, mat2(1), 1e-5) && r[1][0] == 0 && all(diag(r) > 0)`, true},
		{"qr of fewer rows than columns", `m := [2][3]f32{{1, 2, 3}, {6, 5, 4}}; q, r := qr(m); return near(q*r, m, 1e-5) && abs(determinant(q)-1) < 1e-5 && r[1][0] == 0`, true},
		{"lstsq fits a line", `x := lstsq([4][2]f64{{1, 0}, {1, 1}, {1, 2}, {1, 3}}, dvec4(1, 3, 5, 7.5)); return sum(abs(x-dvec2(0.9, 2.15))) < 1e-12`, true},
		{"lstsq fits several right sides", `a := [3][2]f64{{1, 0}, {1, 1}, {1, 2}}; x := lstsq(a, [3][2]f64{{1, 0}, {2, 0}, {3, 0}}); return sum(abs(x-dmat2(1, 0, 1, 0))) < 1e-12`, true},
		{"lstsq chooses the shortest solution", `x := lstsq([1][3]f64{{1, 2, 2}}, vec(f64(9))); return sum(abs(x-dvec3(1, 2, 2))) < 1e-12`, true},
		{"lstsq of a square is solve", `x := lstsq(dmat2(2, 1, 1, 3), dvec2(5, 10)); return sum(abs(x-dvec2(1, 3))) < 1e-12`, true},
		{"cholesky multiplies to the matrix", `m := mat3(4, 1, 0, 1, 3, 1, 0, 1, 2); l := cholesky(m); return near(l*transpose(l), m, 1e-5) && l[0][1] == 0 && all(diag(l) > 0)`, true},
		{"cholesky solves", `m := dmat2(2, 1, 1, 3); l := cholesky(m); x := solve(transpose(l), solve(l, dvec2(5, 10))); return sum(abs(x-dvec2(1, 3))) < 1e-12`, true},
		{"cholesky of what is not positive definite", `return isnan(cholesky(mat2(1, 2, 2, 1))[1][1])`, true},
		{"in doubles with their precision", `m := dmat3(2, 0, 1, 1, 3, 0, 0, 1, 4); u, s, v := svd(m); return sum(abs(u*diag(s)*transpose(v)-m)) < 1e-12`, true},
		{"in a parallel loop over a field", `for i := range M { M[i] = mat2(i+1, 2, 3, -i) }; for i := range M { r, s := polar(M[i]); F[i] = sum(abs(r*s - M[i])) }; m := 0.0; for i := range F { m = max(m, F[i]) }; return m < 1e-4`, true},
	})
}

// Slips with matrices.
//
//conform:theme matrices
func TestConformMatrixErrors(t *testing.T) {
	reject(t, []mistake{
		{"a product whose sizes do not fit", "m := mat2(1) * mat3(1)\n\t_ = m", 306},
		{"a vector that does not fit", "m := mat2(1) * vec3(1)\n\t_ = m", 306},
		{"a sum of different sizes", "m := mat2(1) + mat3(1)\n\t_ = m", 305},
		{"a division by a matrix", "m := 1.0 / mat2(1)\n\t_ = m", 306},
		{"the determinant of a rectangle", "m := [2][3]f32{}\n\tprint(determinant(m))", 503},
		{"too few numbers", "m := mat2(1, 2, 3)\n\t_ = m", 312},
		{"rows of different lengths", "m := mat2(vec2(1), vec3(1))\n\t_ = m", 312},
		{"a row outside", "m := mat2(1)\n\tprint(m[2])", 403},
		{"no such column", "m := mat2(1)\n\tprint(col(m, 2))", 403},
		{"a column of a vector", "v := vec2(1)\n\tprint(col(v, 0))", 503},
		{"a column with a fraction", "m := mat2(1)\n\tprint(col(m, 0.5))", 503},
		{"an assignment to a column", "m := mat2(1)\n\tcol(m, 0) = vec2(0)", 601},
		{"rows outside", "m := mat2(1)\n\tprint(m[1:3])", 403},
		{"a column outside", "m := mat2(1)\n\tprint(m[0][2])", 403},
		{"a system that is not square", "v := solve([3][2]f32{}, vec3(1))\n\t_ = v", 503},
		{"a system that does not fit", "v := solve(mat3(1), vec2(1))\n\t_ = v", 503},
	})
}
