package conformance

import (
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// sectionHost has a field of two axes and one with elements that are structs.
type sectionHost struct {
	X ti.Field[int32]   // 4×6
	O ti.Field[int32]   // 3×4, of which the lowest index is [-1 10]
	V ti.Field[ti.Vec3] // 4×6
}

// Sections: rows, columns and every n-th element of fields as arguments.
//
//conform:theme sections
func TestConformSections(t *testing.T) {
	i := func(v ...int32) (all []any) {
		for _, n := range v {
			all = append(all, n)
		}
		return all
	}
	conformCalls(t, `
var X, O field[i32, D2]
var V field[vec3, D2]
func fill() { for p := range serial(X) { X[p] = 10*p.x + p.y; V[p] = vec3(p, 1) }; for p := range serial(O) { O[p] = 10*p.x + p.y } }
func total(x field[i32, D1]) (s i32) { for k := range len(x) { s += x[k] }; return }
func totalOf(x template) (s x.dtype) { for p := range serial(x) { s += x[p] }; return }
func rankOf(x template) i32 { return len(x.shape) }
func count(x template) i32 { n := 0; for range serial(x) { n++ }; return n }
func at[T any](x field[T, D1], k i32) T { return x[k] }
func scan(x field[i32, D1]) { for k := 1; k < len(x); k++ { x[k] += x[k-1] } }
func turn(x template) { n := len(x); for k := range n/2 { swap(&x[k], &x[n-1-k]) } }
func swap(p, q *i32) { *p, *q = *q, *p }
func copyTo(y, x template) { for k := range len(y) { y[k] = x[k] } }
func apply(x template, f func(i32) i32) { for k := range len(x) { x[k] = f(x[k]) } }
func second(x template) i32 { return total(x[1]) }
func even(x template) i32 { return total(x[0:len(x):2]) }
func Fill(x template, v i32) { for p := range x { x[p] = v } }
func Count(x template) (n i32) { for k := range x { n += x[k] }; return }
func larger(a, b i32) i32 { return max(a, b) }
func add(a, b i32) i32 { return a + b }
`, func(r *runtest.Run) any {
		var h sectionHost
		r.Place(ti.Shape{4, 6}, &h.X)
		r.PlaceAt([]int{-1, 10}, ti.Shape{3, 4}, &h.O)
		r.Place(ti.Shape{4, 6}, &h.V)
		return &h
	}, []call{
		{"a row", "func Run() i32 { fill(); return total(X[2]) }", nil, i(135)},
		{"a column", "func Run() i32 { fill(); return total(X[:][2]) }", nil, i(68)},
		{"a part of a row", "func Run() i32 { fill(); return total(X[1][2:5]) }", nil, i(39)},
		{"every second element of a row", "func Run() i32 { fill(); return total(X[1][:6:2]) }", nil, i(36)},
		{"every third element from the second on", "func Run() i32 { fill(); return total(X[1][1:6:3]) }", nil, i(25)},
		{"a step beyond the end leaves one element", "func Run() i32 { fill(); return total(X[1][4:6:100]) }", nil, i(14)},
		{"a part to the end", "func Run() i32 { fill(); return total(X[1][3:]) }", nil, i(42)},
		{"a part without elements", "func Run(n i32) (i32, i32) { fill(); return total(X[1][n:n]), count(X[n:n]) }", i(3), i(0, 0)},
		{"bounds of variables", "func Run(a, b, c i32) i32 { fill(); return total(X[a][b:c]) }", i(3, 1, 4), i(96)},
		{"a step of a variable", "func Run(a, b i32) i32 { fill(); return total(X[a][0:6:b]) }", i(3, 4), i(64)},
		{"a part of a column", "func Run() i32 { fill(); return total(X[1:3][5]) }", nil, i(40)},
		{"a part of two axes", "func Run() (i32, i32) { fill(); return totalOf(X[1:3][2:4]), rankOf(X[1:3][2:4]) }", nil, i(70, 2)},
		{"rows of which each is whole", "func Run() (i32, i32) { fill(); return totalOf(X[1:3]), count(X[1:3]) }", nil, i(210, 12)},
		{"the whole", "func Run() (i32, i32) { fill(); return totalOf(X[:]), rankOf(X[:][:]) }", nil, i(420, 2)},
		{"the elements of a vector of indices", "func Run() i32 { fill(); p := ivec2(1, 4); return total(X[p.x][p.y:]) }", nil, i(29)},
		{"a section of a section", "func Run() i32 { fill(); return second(X[1:][1:4]) }", nil, i(66)},
		{"a part of a part", "func Run() i32 { fill(); return even(X[1][1:6:2]) }", nil, i(26)},
		{"a column of a part", "func Run() i32 { fill(); return even(X[0:4:3][2]) }", nil, i(2)},
		{"a section passed on", "func Run() i32 { fill(); return totalOf(X[3][4:]) + pass_(X[3][4:]) }\nfunc pass_(x template) i32 { return total(x) }", nil, i(138)},
		{"a section in a function literal", "func Run() i32 { fill(); return own_(X[:][1]) }\nfunc own_(x template) i32 { apply(x, func(v i32) i32 { return v + x[0] }); return x[3] }", nil, i(33)},
		{"the indices are evaluated once", "func Run() (i32, i32) { fill(); n := 0; s := total(X[atomicAdd(&n, 1)]); return s, n }", nil, i(15, 1)},
		{"the section stays what it is", "func Run() i32 { fill(); X[0][0] = 2; grow_(X[X[0][0]]); return X[2][0] + X[2][5] }\nfunc grow_(x template) { for k := range len(x) { X[0][0] = 1; x[k] += 100 } }", nil, i(245)},
		{"writing a row", "func Run() i32 { fill(); scan(X[1]); return X[1][5] + X[2][5] }", nil, i(100)},
		{"writing a column", "func Run() i32 { fill(); scan(X[:][1]); return X[3][1] + X[3][2] }", nil, i(96)},
		{"writing a part with a step", "func Run() i32 { fill(); scan(X[1][1:6:2]); return X[1][5]*100 + X[1][4] }", nil, i(3914)},
		{"references to elements", "func Run() (i32, i32) { fill(); turn(X[1]); turn(X[:][0]); return X[1][0], X[2][0] }", nil, i(20, 15)},
		{"two sections of one field", "func Run() (i32, i32) { fill(); copyTo(X[0], X[3]); copyTo(X[:][5], X[1][2:6]); return X[0][1], X[3][5] }", nil, i(31, 13)},
		{"elements that are vectors", "func Run() (f32, f32) { fill(); s := totalOf(V[2]); return s.x, s.z + at(V[:][3], 1).y }", nil, []any{float32(12), float32(9)}},
		{"components of elements", "func Run() f32 { fill(); lift_(V[1][0:6:5]); return V[1][5].z + V[1][4].z + V[1][0].y }\nfunc lift_(x field[vec3, D1]) { for k := range len(x) { x[k].z += 2; x[k].xy = vec2(k, 7) } }", nil, []any{float32(11)}},
		{"a field with an origin", "func Run() (i32, i32, i32) { fill(); return total(O[1]), total(O[:][13]), total(O[-1:1][12]) }", nil, i(86, 39, 14)},
		{"the lowest index of a section is 0", "func Run() (i32, i32) { fill(); return at(O[0], 1), at(O[:][11], 0) }", nil, i(11, 1)},
		{"a section of a section with an origin", "func Run() (i32, i32) { fill(); return second(O[:]), even(O[0:][12]) }", nil, i(46, 12)},
		{"indices of other widths", "func Run(n i64, m u32) i32 { fill(); return total(X[n][m:u8(6)]) + at(X[n], 3) + at(X[m], i32(n)) }", []any{int64(2), uint32(3)}, i(127)},
		{"a parallel loop over a row", "func Run() i32 { for p := range X { X[p] = 1 }; Fill(X[2], 5); return Count(X[2]) + Count(X[:][1]) }", nil, i(38)},
		{"a parallel loop over a part", "func Run() i32 { for p := range X { X[p] = 1 }; Fill(X[1:3][0:6:2], 5); return Count(X[2]) + Count(X[:][0]) }", nil, i(30)},
		{"a row in each iteration", "func Run() (s i32) { for p := range X { i, j := p; X[p] = 10*i + j }; for i := range len(X) { s += total(X[i]) }; return }", nil, i(420)},
		{"a row written in each iteration", "func Run() (s i32) { for p := range X { X[p] = 1 }; for i := range len(X) { scan(X[i]) }; for i := range len(X) { s += X[i][5] }; return }", nil, i(24)},
		{"atomic updates of one column", "func Run() i32 { for p := range X { X[p] = 1 }; for i := range len(X) { into_(X[:][0], X[i]) }; return X[3][0] + 100*X[2][0] }\nfunc into_(x, y template) { for k := range len(x) { x[k] += y[k+1] } }", nil, i(505)},
		{"the least and the greatest", "func Run() (i32, i32, i32) { for p := range X { i, j := p; X[p] = (i*3 + j*7) % 11 }; return argMin(X[2]), argMax(X[:][1]), argMax(X[1:3][0:6:2]).y }", nil, i(4, 1, 2)},
		{"a reduction", "func Run() (i32, i32) { for p := range X { i, j := p; X[p] = 10*i + j }; return reduce(X[:][4], larger), reduce(X[1:3][1:6:4], add) }", nil, i(34, 72)},
	})
}

// Derivatives of what sections hold are those of the elements of the field.
//
//conform:theme derivatives
func TestConformGradientSections(t *testing.T) {
	g := func(i, j int) float64 { return 1 + float64(i)/4 - float64(j)/2 }
	set := func(m *modeHost) {
		for i := range 10 {
			for j := range 5 {
				m.G.Set(g(i, j), i, j)
			}
		}
	}
	tape := func(want func(i, j int) float64) func(m *modeHost) {
		return func(m *modeHost) {
			set(m)
			m.tape(&m.P)
			m.all("G.grad", 50, func(n ...int) float64 { return m.G.Grad().At(n[0]/5, n[0]%5) }, func(n int) float64 { return want(n/5, n%5) })
			m.tangentsAgree(want)
		}
	}
	is := func(c bool, v float64) float64 {
		if c {
			return v
		}
		return 0
	}
	conformModes(t, []modeRule{
		{"of every row", "", "for i := range len(G) { P += squares(G[i]) }", tape(func(i, j int) float64 { return 2 * g(i, j) })},
		{"of every column", "", "for j := range G.shape[1] { P += j * squares(G[:][j]) }", tape(func(i, j int) float64 { return 2 * float64(j) * g(i, j) })},
		{"of a part of each row", "", "for i := range len(G) { P += squares(G[i][1:4]) }", tape(func(i, j int) float64 { return is(1 <= j && j < 4, 2*g(i, j)) })},
		{"of every third element of a column", "", "for j := range 1 { P += squares(G[1:10:3][j+2]) }", tape(func(i, j int) float64 { return is(i%3 == 1 && j == 2, 2*g(i, j)) })},
		{"of bounds that are known at run time", "", "for i := range span(1, 4) { P += squares(G[i][i:i+2]) }", tape(func(i, j int) float64 {
			return is(1 <= i && i < 4 && i <= j && j < i+2, 2*g(i, j))
		})},
		{"of neighbours in a part", "", "for i := range len(G) { P += products(G[i][0:5:2]) }", tape(func(i, j int) float64 {
			return is(j == 0 || j == 4, g(i, 2)) + is(j == 2, g(i, 0)+g(i, 4))
		})},
		{"of a section of a section", "", "for i := range 1 { P += inner(G[i+2:9:2]) }", tape(func(i, j int) float64 { return is(i == 4 && j >= 1, 2*g(i, j)) })},
		{"through a part that is written", "", "for i := range len(D) { double(D[i][1][1:6], G[i]) }; for i := range len(D) { P += squares(D[i][1][2:19]) }", tape(func(i, j int) float64 {
			return is(i < 7 && j > 0, 8*g(i, j))
		})},
		{"through a column that is written in order", "", "for j := range 5 { double(D[j][:][1], G[j][0:3]); sums(D[j][:][1]) }; for j := range 5 { P += D[j][2][1] }", tape(func(i, j int) float64 {
			return is(i < 5 && j < 3, 2)
		})},
		{"of the adjoint of a section", "", "for i := range len(G) { P += squares(G[i]); seed(G[i]) }", func(m *modeHost) {
			set(m)
			m.must(m.launch())
			m.near("G.grad[3 2]", m.G.Grad().At(3, 2), 7)
		}},
	}, `
func squares(x field[f64, D1]) (s f64) { for k := range len(x) { s += x[k]*x[k] }; return }
func products(x template) (s f64) { for k := range span(1, len(x)) { s += x[k]*x[k-1] }; return }
func inner(x template) f64 { return squares(x[1][1:]) }
func double(y, x template) { for k := range len(y) { y[k] = 2*x[k] } }
func sums(x template) { for k := 1; k < len(x); k++ { x[k] += x[k-1] } }
func seed(x template) { x.grad[2] = 7 }
`)
}

// tangentsAgree checks that tangents of P by single elements of G are these derivatives.
func (m *modeHost) tangentsAgree(want func(i, j int) float64) {
	m.t.Helper()
	for _, at := range [][]int{{2, 1}, {4, 2}, {9, 4}, {3, 0}, {1, 2}} {
		for i := range 10 {
			for j := range 5 {
				m.G.Set(1+float64(i)/4-float64(j)/2, i, j)
			}
		}
		m.P.Fill(0)
		m.still()
		m.G.Dual().Set(1, at...)
		m.tangent()
		m.near("P.dual", m.P.Dual().At(), want(at[0], at[1]))
	}
}
