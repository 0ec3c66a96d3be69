package conformance

import (
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// Parallel loops over ranges, products of ranges, slices and fields.
//
//conform:theme parallel loops
func TestConformParallel(t *testing.T) {
	i := func(v int32) any { return v }
	zeros := func(n int) any { return make([]int32, n) }
	is := func(v ...int32) any { return v }
	conformCalls(t, `
func mark(s []i32, k, v i32) { s[k] = v }
func steps(n i32) i32 { k := 0; for n > 1 { if n%2 == 0 { n /= 2 } else { n = 3*n + 1 }; k++ }; return k }
func FillFrom(s []i32, v i32) { for i := range s { s[i] = v + i } }
`, nil, []call{
		{"a range", "func Run(s []i32, n i32) { for i := range n { s[i] = i * i } }", []any{zeros(4), i(4)}, []any{is(0, 1, 4, 9)}},
		{"a range of a constant", "func Run(s []i32) { for i := range 3 { s[i] = 5 } }", []any{zeros(4)}, []any{is(5, 5, 5, 0)}},
		{"a range of an expression", "func Run(s []i32, n i32) { for i := range n*2 - 1 { s[i] = 5 } }", []any{zeros(4), i(2)}, []any{is(5, 5, 5, 0)}},
		{"an empty range", "func Run(s []i32, n i32) { for i := range n { s[i] = 5 } }", []any{zeros(2), i(0)}, []any{is(0, 0)}},
		{"a negative range", "func Run(s []i32, n i32) { for i := range n { s[i] = 5 } }", []any{zeros(2), i(-7)}, []any{is(0, 0)}},
		{"a range without a variable", "func Run(s []i32, n i32) { for range n { s[0] += 1 } }", []any{zeros(1), i(9)}, []any{is(9)}},
		{"a span", "func Run(s []i32, lo, hi i32) { for i := range span(lo, hi) { s[i] = i } }", []any{zeros(5), i(2), i(4)}, []any{is(0, 0, 2, 3, 0)}},
		{"a span below zero", "func Run(s []i32, lo, hi i32) { for i := range span(lo, hi) { s[i+3] = i } }", []any{zeros(5), i(-3), i(1)}, []any{is(-3, -2, -1, 0, 0)}},
		{"a span the wrong way around", "func Run(s []i32, lo, hi i32) { for i := range span(lo, hi) { s[i] = 9 } }", []any{zeros(3), i(2), i(0)}, []any{is(0, 0, 0)}},
		{"a range of i64", "func Run(s []i32, n i64) { for i := range n { s[i] = i32(i << 1) } }", []any{zeros(3), int64(3)}, []any{is(0, 2, 4)}},
		{"a range of u16", "func Run(s []i32, n u16) { for i := range n { s[i] = i32(i) } }", []any{zeros(3), uint16(3)}, []any{is(0, 1, 2)}},
		{"ndrange", "func Run(s []i32, n, m i32) { for i, j := range ndrange(n, m) { s[i*m+j] = i*10 + j } }", []any{zeros(6), i(2), i(3)}, []any{is(0, 1, 2, 10, 11, 12)}},
		{"ndrange grouped", "func Run(s []i32, n, m i32) { for p := range ndrange(n, m) { s[p.x*m+p.y] = p.x - p.y } }", []any{zeros(6), i(2), i(3)}, []any{is(0, -1, -2, 1, 0, -1)}},
		{"ndrange of spans", "func Run(s []i32) { for i, j := range ndrange(span(1, 3), span(2, 4)) { s[i*4+j-6] = i*10 + j } }", []any{zeros(6)}, []any{is(12, 13, 0, 0, 22, 23)}},
		{"ndrange of a span and a number", "func Run(s []i32) { for i, j := range ndrange(span(-1, 1), 2) { s[(i+1)*2+j] = i*10 + j } }", []any{zeros(4)}, []any{is(-10, -9, 0, 1)}},
		{"ndrange of three", "func Run(s []i32) { for p := range ndrange(2, 1, 3) { s[p.x*3+p.z] = p.x + p.y + p.z } }", []any{zeros(6)}, []any{is(0, 1, 2, 1, 2, 3)}},
		{"ndrange of five", "func Run() (n i32, v [5]i32) { for p := range ndrange(2, 1, 3, 2, 2) { n++; v += p }; return }", nil, []any{i(24), [5]int32{12, 0, 24, 12, 12}}},
		{"ndrange of a vector", "func Run(v ivec3) (n i32) { for p := range ndrange(v) { n += p.x + p.y*10 + p.z*100 }; return }", []any{ti.IVec3{2, 2, 2}}, []any{i(444)}},
		{"ndrange with an empty axis", "func Run(n i32) (k i32) { for range ndrange(4, n) { k++ }; return }", []any{i(0)}, []any{i(0)}},
		{"ndrange of lengths of slices", "func Run(a, b []i32) (k i32) { for p, q := range ndrange(len(a), len(b)) { k += a[p] * b[q] }; return }", []any{is(1, 2), is(3, 4, 5)}, []any{i(36), is(1, 2), is(3, 4, 5)}},
		{"continue", "func Run(s []i32) { for i := range s { if i%2 == 0 { continue }; s[i] = i } }", []any{zeros(4)}, []any{is(0, 1, 0, 3)}},
		{"continue deep in branches", "func Run(s []i32) { for i := range s { s[i] = 1; if i > 1 { if i != 3 { continue }; s[i] = 7 }; s[i] += 1 } }", []any{zeros(5)}, []any{is(2, 2, 1, 8, 1)}},
		{"continue to a label of the parallel loop", "func Run(s []i32) {\nouter: for i := range s { for j := range 5 { if j == i { continue outer }; s[i] += 1 }; s[i] = -1 } }", []any{zeros(6)}, []any{is(0, 1, 2, 3, 4, -1)}},
		{"serial loops within", "func Run(s []i32) { for i := range s { t := 0; for j := range i { t += j }; s[i] = t } }", []any{zeros(5)}, []any{is(0, 0, 1, 3, 6)}},
		{"break in a loop within", "func Run(s []i32) { for i := range s { for j := 0; ; j++ { if j*j >= i { s[i] = j; break } } } }", []any{zeros(6)}, []any{is(0, 1, 2, 2, 2, 3)}},
		{"loops whose number of turns differs", "func Run(s []i32) { for i := range s { s[i] = steps(i + 1) } }", []any{zeros(7)}, []any{is(0, 1, 7, 2, 5, 8, 16)}},
		{"a parallel loop within a parallel loop is serial", "func Run(s []i32, n i32) { for i := range s { for j := range n { s[i] = s[i]*2 + j } } }", []any{zeros(2), i(3)}, []any{is(4, 4)}},
		{"a loop under a condition is serial", "func Run(s []i32, n i32) { t := 0; if n > 0 { for i := range s { t = t*2 + i; s[i] = t } } }", []any{zeros(3), i(1)}, []any{is(0, 1, 4)}},
		{"two loops behind each other", "func Run(s []i32) { for i := range s { s[i] = i }; for i := range s { s[i] *= s[i] } }", []any{zeros(4)}, []any{is(0, 1, 4, 9)}},
		{"a loop after a sum uses it", "func Run(s []i32) { t := 0; for i := range s { t += s[i] }; for i := range s { s[i] = t - s[i] } }", []any{is(1, 2, 3)}, []any{is(5, 4, 3)}},
		{"statements between loops run once", "func Run(s []i32) { k := 1; for i := range s { s[i] = k }; k = 5; s[0] = 9; for i := range s { s[i] += k } }", []any{zeros(2)}, []any{is(14, 6)}},
		{"a variable from before the loop", "func Run(s []i32, k i32) { base := k * k; for i := range s { s[i] = base + i } }", []any{zeros(2), i(3)}, []any{is(9, 10)}},
		{"an array from before the loop", "func Run(s []i32) { t := [3]i32{5, 7, 9}; for i := range s { s[i] = t[(i*2)%3] } }", []any{zeros(3)}, []any{is(5, 9, 7)}},
		{"an array of the iteration's own", "func Run(s []i32) { for i := range s { var t [4]i32; for k := range 4 { t[k] = i * k }; s[i] = t[1] + t[3] } }", []any{zeros(3)}, []any{is(0, 4, 8)}},
		{"a function that writes", "func Run(s []i32) { for i := range s { mark(s, len(s)-1-i, i) } }", []any{zeros(3)}, []any{is(2, 1, 0)}},
		{"a kernel called for its loop", "func Run(s []i32) { FillFrom(s, 7); for i := range s { s[i] *= 2 } }", []any{zeros(3)}, []any{is(14, 16, 18)}},
		{"serial keeps the order", "func Run(s []i32) { for i := range serial(span(1, len(s))) { s[i] = s[i-1]*2 + 1 } }", []any{zeros(5)}, []any{is(0, 1, 3, 7, 15)}},
		{"serial may break", "func Run(s []i32) { for i := range serial(len(s)) { if i == 2 { break }; s[i] = 1 } }", []any{zeros(4)}, []any{is(1, 1, 0, 0)}},
		{"serial may return", "func Run(s []i32) i32 { for i := range serial(len(s)) { if s[i] == 0 { return i } }; return -1 }", []any{is(3, 4, 0, 5)}, []any{i(2), is(3, 4, 0, 5)}},
		{"a three-clause loop is serial", "func Run(s []i32) { k := 1; for i := 0; i < len(s); i++ { k *= 2; s[i] = k } }", []any{zeros(3)}, []any{is(2, 4, 8)}},
		{"a loop over a vector is serial", "func Run() i32 { t := 0; for k, e := range ivec3(4, 5, 6) { t = t*10 + e - k }; return t }", nil, []any{i(444)}},
		{"static around parallel loops", "func Run(s []i32) { for k := range static(3) { for i := range s { s[i] = s[i]*10 + k } } }", []any{zeros(2)}, []any{is(12, 12)}},
		{"config with a number of threads", "func Run(s []i32) { for i := range config(s, threads(1)) { s[i] = i } }", []any{zeros(3)}, []any{is(0, 1, 2)}},
		{"config of a block size", "func Run(s []i32) { for i := range config(len(s), blockDim(8)) { s[i] = i } }", []any{zeros(3)}, []any{is(0, 1, 2)}},
		{"many iterations", "func Run(n i32) (s i64) { for i := range n { s += i64(i) }; return }", []any{i(100_000)}, []any{int64(4999950000)}},
	})
	conformCalls(t, `
var X field[i32, D2]
var Y field[vec2]
var Z field[i32, D3]
var C field[i32, D0]
func Clear() { for p := range X { X[p] = 0 }; for p := range Y { Y[p] = vec2(0) }; for p := range Z { Z[p] = 0 }; C = 0 }
`, func(r *runtest.Run) any {
		h := new(struct {
			X, Z, C ti.Field[int32]
			Y       ti.Field[ti.Vec2]
		})
		r.Place(ti.Shape{2, 3}, &h.X)
		r.Place(ti.Shape{4}, &h.Y)
		r.Place(ti.Shape{2, 2, 2}, &h.Z)
		r.Place(nil, &h.C)
		return h
	}, []call{
		{"a field, grouped", "func Run() (s i32) { Clear(); for p := range X { X[p] = p.x*10 + p.y }; for p := range X { s += X[p] }; return }", nil, []any{i(36)}},
		{"a field with two variables", "func Run() (s ivec2) { Clear(); for i, j := range X { s += ivec2(i, j) }; return }", nil, []any{ti.IVec2{3, 6}}},
		{"a field of one axis has a scalar index", "func Run() (s f32) { Clear(); for i := range Y { Y[i].x = f32(i) }; for i := range Y { s += Y[i].x * i }; return }", nil, []any{float32(14)}},
		{"a field of three axes", "func Run() (s ivec3) { Clear(); for p := range Z { s += p * (1 + Z[p]) }; return }", nil, []any{ti.IVec3{4, 4, 4}}},
		{"a field's extent", "func Run() (s i32) { for i := range len(X) { s += i + 1 }; return }", nil, []any{i(3)}},
		{"a field's shape", "func Run() (s i32) { for i, j := range ndrange(X.shape) { s += i*10 + j + 1 }; return }", nil, []any{i(42)}},
		{"the inside of a field", "func Run() (s i32) { for p := range ndrange(span(ivec2(0, 1), X.shape)) { s += p.y }; return }", nil, []any{i(6)}},
		{"a field in order", "func Run() (s i32) { Clear(); for p := range serial(X) { s = s*2 + p.y }; return }", nil, []any{i(36)}},
		{"a sum into a cell", "func Run() i32 { Clear(); for p := range X { C += p.x + 1 }; return C }", nil, []any{i(9)}},
		{"neighbours of another field", "func Run() (s i32) { Clear(); for p := range Z { Z[p] = p.x }; for i, j := range X { X[i][j] = Z[i][j%2][1] + 1 }; for p := range X { s += X[p] }; return }", nil, []any{i(9)}},
	})
}
