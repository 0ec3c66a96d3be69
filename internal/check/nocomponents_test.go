package check_test

import (
	"bytes"
	"strings"
	"testing"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/titest"
)

// TestNoComponents uses the index of a loop over a field of rank 0, which has no
// components, wherever a value can stand: each use is right or has an error.
func TestNoComponents(t *testing.T) {
	uses := []string{"print(p+p)", "print(-p, p*2, 3-p)", "print(p == p, p < 1)", "print(p[0])", "print(p.x)", "print(p.xy)", "print(p[:1])",
		"print(p[i])", "p[i] = 2", "p.x = 1", "p += 1", "p = p", "q := p; q -= p; print(q)", "print([2]i32{p})", "print(ivec2(p, 1))", "print(ivec3(p, 1, p, 2, 3))",
		"print(vec(p))", "print(mat2(p, p))", "for j := range p { print(j) }", "for j := range static(p) { print(j) }", "for j := range ndrange(p) { print(j) }",
		"for j := range span(p, p) { print(j) }", "for j := range ndrange(A.shape) { print(j, A[j]) }", "for range ndrange(p) { print(7) }", "for j := range static(ndrange(p)) { print(j) }", "if p == p { print(1) }", "if p != p { print(2) }", "switch p { case p: print(3) }", "print(ifelse(true, p, p))",
		"print(ifelse(p == p, p, p))", "f(p)", "print(g(p))", "print(h(A, p)[0])", "print(A[p], A[p][p], V[p].x, V[p][0], V[p][p])", "A[p] = 2",
		"V[p].y = 2", "A[p] += 1", "print(x[p])", "print(B[p])", "print(B[p][1])", "print(p[p])", "i = p", "print(f32(p), i32(p))", "print(u8(p))", "print(p / p, p % p, p << p)",
		"print(p * A)", "var q [0]i32; print(q)", "print(bitcast[f32](p))", "print(p && p)", "print(!(p == p))", "print(B.shape + p)", "print(A.shape, len(A.shape))",
		"print(A.shape == p, sum(A.shape))", "activate(A, p)", "print(isActive(A, p))", "printf(\"%v %d\", p, p)", "assert(all(p == p), \"%d\", p)", "L[p] = p; print(L[p])",
		"print(min(p, p), max(p, 1), clamp(p, 0, 1))", "print(transpose(p))", "random[p]()", "p++", "p, i = p, i", "print(p * p, hadamard(p, p))", "return", "B[1] = p", "K = p"}
	written := len(uses)
	for _, b := range check.BuiltinNames() {
		uses = append(uses, "print("+b+"(p))", "print("+b+"(p, p))", "print("+b+"(p, p, p))", "print("+b+"(p, 1))", "print("+b+"(A, p))", "print("+b+"(f32(p), 2))", "print("+b+"(f32(p)))")
	}
	var printed bytes.Buffer
	oracle := titest.New(t, ti.Config{Arch: ti.Oracle, Stdout: &printed})
	rt := titest.New(t, ti.Config{Stdout: &printed})
	ran := 0
	for n, use := range uses {
		source := `package p
var A field[f32]
var V field[vec2]
var B field[f32]
var K field[f32]
func f(p ivec2) {}
func h[I any](x field[f32], p I) f32 { return x[p] }
func g[I any](p I) I { return p + 1 }
func Run(x array[f32, D1]) {
	i := 1
	for p := range A {
		var L [3]i32
		` + use + `
		L[0] = i
		print(L[0], len(p))
	}
}
`
		var said [2]string // by the oracle and by compiled code
		for i, rt := range []*ti.Runtime{oracle, rt} {
			if i == 1 && n >= written && !randtest.All() {
				said[1] = said[0] // lowering is behind it
				break
			}
			var h struct {
				A, B, K ti.Field[float32]
				V       ti.Field[ti.Vec2]
				Run     func(x ti.Array[float32]) error
			}
			rt.Place(nil, &h.A, &h.V, &h.K)
			rt.Place(ti.Shape{4}, &h.B)
			printed.Reset()
			err := rt.Load(source, &h)
			if err == nil {
				err = h.Run(ti.Array[float32]{Data: make([]float32, 4), Shape: ti.Shape{4}})
				ran += 1 - i
			}
			if said[i] = printed.String(); err != nil {
				said[i] = err.Error()
			}
			if strings.Contains(said[i], "internal") || strings.Contains(said[i], "goroutine") {
				t.Errorf("%s: %.600v", use, err)
			}
		}
		if said[0] != said[1] {
			t.Errorf("%s: the oracle says %q, compiled code %q", use, said[0], said[1])
		}
	}
	if ran < len(uses)/10 {
		t.Errorf("%d of %d uses ran", ran, len(uses))
	}
}
