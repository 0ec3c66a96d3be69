package program

import (
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// The module's int and float can be 64 bits wide.
func TestWidths(t *testing.T) {
	for _, arch := range []ti.Arch{ti.Oracle, ti.LLVM} {
		rt, err := ti.New(ti.Config{Arch: arch, Threads: 2, Int: 64, Float: 64})
		if err != nil {
			t.Fatal(err)
		}
		r := &runtest.Run{TB: t, RT: rt}
		var h struct {
			X   ti.Field[int64]
			Run func(n int64) (int64, float64, error)
		}
		r.Place(ti.Shape{8}, &h.X)
		r.Load(`package p
var X field[int]
func Run(n int) (int, float) {
	s := 0
	for i := range X { X[i] = i << 40; s += X[i] }
	return s + n, 1 / 3.0
}`, &h)
		s, third, err := h.Run(1 << 50)
		if err != nil || s != 28<<40+1<<50 || third != 1/3. {
			t.Errorf("%v: got %v, %v, %v", arch, s, third, err)
		}
		r.Close()
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	}
}

// The names of vectors and matrices follow the widths of int and float, and errors name types as the source has to.
func TestWidthsOfVectors(t *testing.T) {
	for _, arch := range []ti.Arch{ti.Oracle, ti.LLVM} {
		rt, err := ti.New(ti.Config{Arch: arch, Threads: 2, Int: 64, Float: 64})
		if err != nil {
			t.Fatal(err)
		}
		r := &runtest.Run{TB: t, RT: rt}
		var h struct {
			P   ti.Field[[2]float64]
			Run func() (float64, int64, uint64, error)
		}
		r.Place(ti.Shape{4, 3}, &h.P)
		r.Load(`package p
var P field[vec2, D2]
func Run() (x float, n int, u uint) {
	for p := range P {
		next := (p + ivec2(1, 0)) % P.shape
		P[next] = vec2(p) / 3
	}
	v := mat2(1, 2, 3, 4) * vec2(1, 1) + [2]f64{0.1, 0.2}
	w := uvec3(1<<40, 2, 3) + [3]u64{1, 0, 0}
	q := ivec2(1<<40, 2) * 2
	return v.x, q.x, w.x
}`, &h)
		x, n, u, err := h.Run()
		if err != nil || x != 3.1 || n != 1<<41 || u != 1<<40+1 {
			t.Errorf("%v: got %v, %v, %v, %v", arch, x, n, u, err)
		}
		if p := h.P.At(0, 2); p != [2]float64{1, 2 / 3.} {
			t.Errorf("%v: P[0][2] is %v", arch, p)
		}
		_, err = rt.Compile(ti.Text("a.ti", "package p\nfunc Run() {\n\tv := vec2(1) + [2]f32{1, 2}\n}"), nil)
		if err == nil || !strings.Contains(err.Error(), "operator + on dvec2 and [2]f32") {
			t.Errorf("%v: %v", arch, err)
		}
		r.Close()
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	}
}

// The decompositions do not depend on the width of int, and float may be f64.
func TestWideLinalg(t *testing.T) {
	for _, cfg := range []ti.Config{{Arch: ti.Oracle, Int: 64}, {Arch: ti.Oracle, Int: 64, Float: 64}} {
		rt, err := ti.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		r := &runtest.Run{TB: t, RT: rt}
		var h struct {
			Run func() (float64, error)
		}
		r.Load(`package p
func Run() f64 {
	m := mat2(2, 1, 1, 3)
	x := solve(m, vec2(3, 5))
	u, s, v := svd(m)
	r, p := polar(m)
	w, q := symEig(m)
	e, y, z := eig(mat2(0, -1, 1, 0))
	c, d := qr(m)
	rest := abs(m*x-vec2(3, 5))
	rest += abs(u*diag(s)*transpose(v)-m)[0] + abs(r*p-m)[0] + abs(m*q-q*diag(w))[1] + abs(c*d-m)[1]
	return f64(sum(rest) + abs(e[0].y-1) + abs(e[1].y+1) + abs(length2(y[0])+length2(z[0])-1))
}`, &h)
		rest, err := h.Run()
		runtest.OK(r, err)
		if !(rest < 1e-4) {
			t.Errorf("int of %d bits, float of %d: %g is left", cfg.Int, cfg.Float, rest)
		}
		r.Close()
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	}
}
