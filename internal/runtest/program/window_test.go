package program

import (
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// windowVariants store past the caches, whatever the size.
var windowVariants = []runtest.Variant{
	{Label: "one thread", Arch: ti.LLVM, Opt: "3", Threads: 1, Stream: 1},
	{Label: "three threads, components apart", Arch: ti.LLVM, Opt: "3", Threads: 3, Stream: 1, Layout: runtest.SOA},
	{Label: "blocks", Arch: ti.LLVM, Opt: "3", Threads: 1, Stream: 1, Layout: runtest.Blocked},
	{Label: "left out", Arch: ti.LLVM, Opt: "3", Threads: 2, Stream: 1, Without: "stream"},
}

const windowSource = `package p

var (
	A field[i32]
	B field[u8]
	C field[f64]
	D field[bool]
	E field[vec2]
	F field[vec3]
	G field[mat4]
	H field[i16]
	P, Q, R field[i32, D2]
	N i32
)

// Fill writes all elements of fields of many sizes.
func Fill(a i32) {
	for i := range A { A[i] = a - i }
	for i := range B { B[i] = u8(i*7 + a) }
	for i := range C { C[i] = 0.5 * f64(i+a) }
	for i := range D { D[i] = (i+a)%3 == 0 }
	for i := range E { E[i] = vec2(f32(i), f32(a)) }
	for i := range F { F[i] = vec3(f32(i), f32(a), f32(i-a)) }
	for i := range G {
		for p, q := range static(ndrange(4, 4)) { G[i][p][q] = f32(i + 4*p + q) }
	}
	for i := range H { H[i] = i16(a + 3*i) }
}

// Within writes a part of some.
func Within(a i32) {
	for i := range span(1, N) { A[i] = i + a }
	for i := range span(3, N-2) { B[i] = u8(i + a) }
	for i := range span(N/2, N/2+1) { C[i] = f64(a) }
	for i := range span(5, 9) { H[i] = i16(a) }
	for i := range span(4, 4) { H[i] = i16(9) }
}

// Around is a stencil of two results.
func Around() {
	for i, j := range ndrange(span(1, N-1), span(1, N-1)) {
		x := P[i][j]
		Q[i][j] = P[i-1][j] + P[i+1][j] + P[i][j-1] + P[i][j+1] - 4*x
		R[i][j] = x
	}
}

// Twice stores to what a later loop reads, and reads what it stores.
func Twice(a i32) (s i32) {
	for i := range A { A[i] = a + i }
	for i := range A { A[i] = 2*A[i] + 1 }
	for i := range A { s += A[i] }
	return s
}
`

// TestWindows fills fields of sizes around those of lines and strips, from places around the begin of a line,
// and looks at what is filled and at what lies beside.
func TestWindows(t *testing.T) {
	rts := &runtest.Runtimes{}
	defer rts.Close(t)
	for _, n := range []int{15, 64, 257, 1029} {
		runtest.RunIn(t, rts, windowVariants, func(r *runtest.Run) { fillFields(r, n) })
	}
}

func fillFields(r *runtest.Run, n int) {
	var h struct {
		A            ti.Field[int32]
		B            ti.Field[uint8]
		C            ti.Field[float64]
		D            ti.Field[bool]
		E            ti.Field[ti.Vec2]
		F            ti.Field[ti.Vec3]
		G            ti.Field[ti.Mat4]
		H            ti.Field[int16]
		P, Q, R      ti.Field[int32]
		N            int
		Fill, Within func(a int32) error
		Around       func() error
		Twice        func(a int32) (int32, error)
	}
	r.Place(ti.Shape{n}, &h.A, &h.B, &h.C, &h.D, &h.E, &h.F, &h.G, &h.H)
	h.N = min(n, 130)
	r.Place(ti.Shape{h.N, h.N}, &h.P, &h.Q, &h.R)
	r.Load(windowSource, &h)
	runtest.OK(r, h.Fill(5))
	filled := func(i ti.Index) int32 { return 5 - int32(i[0]) }
	runtest.EqAll(r, &h.A, filled)
	runtest.EqAll(r, &h.B, func(i ti.Index) uint8 { return uint8(i[0]*7 + 5) })
	runtest.EqAll(r, &h.C, func(i ti.Index) float64 { return 0.5 * float64(i[0]+5) })
	runtest.EqAll(r, &h.D, func(i ti.Index) bool { return (i[0]+5)%3 == 0 })
	runtest.EqAll(r, &h.E, func(i ti.Index) ti.Vec2 { return ti.Vec2{float32(i[0]), 5} })
	runtest.EqAll(r, &h.F, func(i ti.Index) ti.Vec3 { return ti.Vec3{float32(i[0]), 5, float32(i[0] - 5)} })
	runtest.EqAll(r, &h.G, func(i ti.Index) (m ti.Mat4) {
		for p := range 4 {
			for q := range 4 {
				m[p][q] = float32(i[0] + 4*p + q)
			}
		}
		return m
	})
	runtest.EqAll(r, &h.H, func(i ti.Index) int16 { return int16(5 + 3*i[0]) })
	fillParts(r, h.N, &h.A, &h.B, &h.C, &h.H, h.Within)
	fillAround(r, h.N, &h.P, &h.Q, &h.R, h.Around)
	s, err := h.Twice(3)
	want := int32(0)
	for i := range n {
		want += 2*(3+int32(i)) + 1
	}
	if err != nil || s != want {
		r.Errorf("the sum is %d, want %d, %v", s, want, err)
	}
}

// fillParts checks that what lies beside a part stays as it was.
func fillParts(r *runtest.Run, n int, a *ti.Field[int32], b *ti.Field[uint8], c *ti.Field[float64], h *ti.Field[int16], within func(int32) error) {
	runtest.OK(r, within(100))
	part := func(i ti.Index, lo, hi int, in, out float64) float64 {
		if lo <= i[0] && i[0] < hi {
			return in
		}
		return out
	}
	runtest.EqAll(r, a, func(i ti.Index) int32 { return int32(part(i, 1, n, float64(i[0]+100), float64(5-i[0]))) })
	runtest.EqAll(r, b, func(i ti.Index) uint8 { return uint8(int(part(i, 3, n-2, float64(i[0]+100), float64(i[0]*7+5)))) })
	runtest.EqAll(r, c, func(i ti.Index) float64 { return part(i, n/2, n/2+1, 100, 0.5*float64(i[0]+5)) })
	runtest.EqAll(r, h, func(i ti.Index) int16 { return int16(part(i, 5, 9, 100, float64(5+3*i[0]))) })
}

// fillAround checks a stencil, whose rows begin and end within lines.
func fillAround(r *runtest.Run, n int, p, q, copied *ti.Field[int32], around func() error) {
	at := func(i, j int) int32 { return int32((i*31 + j*17) % 101) }
	for i := range n {
		for j := range n {
			p.Set(at(i, j), i, j)
			q.Set(-1, i, j)
			copied.Set(-1, i, j)
		}
	}
	runtest.OK(r, around())
	inside := func(i ti.Index) bool { return i[0] > 0 && i[1] > 0 && i[0] < n-1 && i[1] < n-1 }
	runtest.EqAll(r, q, func(i ti.Index) int32 {
		if !inside(i) {
			return -1
		}
		return at(i[0]-1, i[1]) + at(i[0]+1, i[1]) + at(i[0], i[1]-1) + at(i[0], i[1]+1) - 4*at(i[0], i[1])
	})
	runtest.EqAll(r, copied, func(i ti.Index) int32 {
		if !inside(i) {
			return -1
		}
		return at(i[0], i[1])
	})
}
