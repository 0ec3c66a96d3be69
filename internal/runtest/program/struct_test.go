package program

import (
	"errors"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// Structs with components of several kinds, padding, and arrays inside.

type Sample struct {
	T float64
	P ti.Vec3
	N int32
}

type Body struct {
	On   bool
	X, V ti.Vec2
	Hist [4]Sample
	ID   int16
}

// reordered is Body with its members in another order.
type reordered struct {
	ID   int16
	Hist [4]struct {
		N int32
		P ti.Vec3
		T float64
	}
	V, X ti.Vec2
	On   bool
}

const structSource = `
type Sample struct {
	T f64
	P vec3
	N i32
}
type Body struct {
	On   bool
	X, V vec2
	Hist [4]Sample
	ID   i16
}
`

func bodyOf(i int) Body {
	b := Body{On: i%2 == 0, X: ti.Vec2{float32(i), 1}, V: ti.Vec2{2, float32(-i)}, ID: int16(i)}
	for k := range b.Hist {
		b.Hist[k] = Sample{float64(k) / 8, ti.Vec3{float32(k), float32(i), 7}, int32(10*i + k)}
	}
	return b
}

var structs = []program{
	scalarCase("struct values", structSource+`
const Zero = Sample{T: 1, N: 3}
func F(a, b i32) i32 {
	s := Sample{N: a, P: vec3(a, b, 1)}
	t := s
	t.P.xy = vec2(b, a)
	t.T += 0.5
	u := [3]Sample{{N: 1}, s, t}
	r := 0
	if s == t { r += 1 }
	if u[1] == s { r += 2 }
	if u != ([3]Sample{{N: 1}, s, s}) { r += 4 }
	p, q := swap(s, t)
	if p == t && q == s { r += 8 }
	w := ifelse(a < b, p, Zero)
	r += 16 * w.N
	var bo Body
	bo.Hist[1] = u[2]
	bo.Hist[2].P.z = 5
	if bo.On || bo.Hist[1].T != 0.5 { r += 100000 }
	for i, h := range bo.Hist { r += 1000 * i * i32(h.P.z) }
	var in struct{ a, b i32 }
	in.b = r
	return in.b - in.a
}
func swap(s, t Sample) (p, q Sample) { return t, s }`, ints, ints, func(a, b int32) int32 {
		type sample struct {
			T       float64
			x, y, z int32
			N       int32
		}
		s := sample{N: a, x: a, y: b, z: 1}
		t := s
		t.x, t.y = b, a
		t.T += 0.5
		r := int32(2 + 4 + 8)
		w := sample{N: 3}
		if a < b {
			w = t
		}
		return r + 16*w.N + 1000*(1*1+2*5)
	}),
	scalarCase("structs indexed at run time", structSource+`
func F(a, b i32) i32 {
	i, j := mod(a, 4), mod(b, 4)
	var bo Body
	bo.Hist[i].N = 5
	bo.Hist[j].N += 2
	bo.Hist[j].T = 0.25
	bo.Hist[i].P[mod(b, 3)] = 9
	h := bo.Hist[j]
	h.P[mod(a, 3)] += 1
	var all [3]Body
	all[mod(a, 3)] = bo
	all[mod(b, 3)].Hist[i] = h
	all[1].Hist[2].N++
	r := 0
	for k := range serial(3) {
		for m := range serial(4) {
			s := all[k].Hist[m]
			r = r*3 + s.N + i32(s.T*8)
			for c := range 3 { r += (c+1) * i32(all[k].Hist[m].P[c]) }
		}
	}
	return r
}`, ints, ints, func(a, b int32) int32 {
		i, j := runtest.FloorMod(a, 4), runtest.FloorMod(b, 4)
		var bo Body
		bo.Hist[i].N = 5
		bo.Hist[j].N += 2
		bo.Hist[j].T = 0.25
		bo.Hist[i].P[runtest.FloorMod(b, 3)] = 9
		h := bo.Hist[j]
		h.P[runtest.FloorMod(a, 3)]++
		var all [3]Body
		all[runtest.FloorMod(a, 3)] = bo
		all[runtest.FloorMod(b, 3)].Hist[i] = h
		all[1].Hist[2].N++
		r := int32(0)
		for k := range all {
			for _, s := range all[k].Hist {
				r = r*3 + s.N + int32(s.T*8)
				for c := range s.P {
					r += int32(c+1) * int32(s.P[c])
				}
			}
		}
		return r
	}),
	{"fields of structs", structSource + `
var A field[Body]
var B field[Body]
func Step(k i32) (n i32, last Sample) {
	for i := range A {
		A[i].X += A[i].V * 0.5
		b := A[i]
		b.Hist[mod(i+k, 4)].N += 100
		b.Hist[3].T = b.Hist[mod(i, 4)].T + 1
		B[i] = b
		A[i].Hist[mod(i*k, 4)].P[mod(i, 3)] -= 3
		A[i].Hist[mod(k, 4)].N = A[i].Hist[mod(i, 4)].N * 2
		A[0].Hist[mod(i, 4)].P.y += 1
		A[i].ID = 1 - A[i].ID
		if A[i].On { n += A[i].Hist[mod(k, 4)].N }
		last.N = max(last.N, i*10)
		last.T += 0.5
		last.P.xz += vec2(1, i)
	}
	return
}
func Out(i, k, c i32) f32 {
	B[i].Hist[k].P[c] = 1
	return A[i].Hist[k].P[c]
}`, func(r *runtest.Run, src string) {
		stepStructs[Body](r, src, func(b *Body) Body { return *b })
		stepStructs[reordered](r, src, func(b *reordered) Body {
			c := Body{On: b.On, X: b.X, V: b.V, ID: b.ID}
			for i, h := range b.Hist {
				c.Hist[i] = Sample{h.T, h.P, h.N}
			}
			return c
		})
	}},
	{"structs as parameters and results", structSource + `
func F(b Body, s Sample, k i32) (Body, Sample) {
	b.Hist[mod(k, 4)] = s
	s = b.Hist[mod(k+1, 4)]
	b.ID++
	return b, s
}
func G(x []Body, y []Sample, k i32) (s Sample) {
	for i := range x {
		x[i].Hist[mod(i, 4)] = y[mod(i, len(y))]
		x[i].X[mod(i, 2)] += 1
		x[i].Hist[mod(k, 4)].P[mod(i, 3)] = 4
		y[0].N += 1
		s.N += x[i].Hist[3].N
	}
	return
}`, func(r *runtest.Run, src string) {
		var h struct {
			F func(Body, Sample, int32) (Body, Sample, error)
			G func([]Body, []Sample, int32) (Sample, error)
		}
		r.Load(src, &h)
		for k := range int32(4) {
			b, s := bodyOf(3), Sample{2.5, ti.Vec3{1, 2, 3}, -7}
			gotB, gotS, err := h.F(b, s, k)
			runtest.OK(r, err)
			b.Hist[k] = s
			s = b.Hist[(k+1)%4]
			b.ID++
			runtest.Eq(r, "body", gotB, b)
			runtest.Eq(r, "sample", gotS, s)
			var x, want []Body
			for i := range 9 {
				x, want = append(x, bodyOf(i)), append(want, bodyOf(i))
			}
			y := []Sample{{1, ti.Vec3{5, 6, 7}, 40}, {2, ti.Vec3{8, 9, 10}, 50}}
			// Element 0 of y is written at once by all iterations, so what reads it
			// there is left out of the comparison.
			got, err := h.G(x, y[:], k)
			runtest.OK(r, err)
			sum := int32(0)
			for i := range want {
				n := x[i].Hist[i%4].N
				want[i].Hist[i%4] = Sample{float64(1 + i%2), ti.Vec3{5 + 3*float32(i%2), 6 + 3*float32(i%2), 7 + 3*float32(i%2)}, n}
				want[i].X[i%2]++
				want[i].Hist[k].P[i%3] = 4
				sum += want[i].Hist[3].N
			}
			for i := range x {
				runtest.Eq(r, "x", x[i], want[i])
			}
			runtest.Eq(r, "y[0].N", y[0].N, int32(49))
			runtest.Eq(r, "sum", got.N, sum)
		}
	}},
}

// stepStructs runs the case "fields of structs" with elements of Go type T.
func stepStructs[T any](r *runtest.Run, src string, body func(*T) Body) {
	r.Helper()
	const n = 13
	for k := range int32(4) {
		var a, b ti.Field[T]
		r.Place(ti.Shape{n}, &a, &b)
		var h struct {
			A, B *ti.Field[T]
			Step func(int32) (int32, Sample, error)
			Out  func(int32, int32, int32) (float32, error)
		}
		h.A, h.B = &a, &b
		r.Load(src, &h)
		fillStructs(r, &a)
		wantA, wantB := make([]Body, n), make([]Body, n)
		sum := int32(0)
		for i := range wantA {
			wantA[i] = bodyOf(i)
		}
		for i := range wantA {
			w := &wantA[i]
			w.X[0] += w.V[0] * 0.5
			w.X[1] += w.V[1] * 0.5
			c := *w
			c.Hist[(i+int(k))%4].N += 100
			c.Hist[3].T = c.Hist[i%4].T + 1
			wantB[i] = c
			w.Hist[i*int(k)%4].P[i%3] -= 3
			w.Hist[k].N = w.Hist[i%4].N * 2
			w.ID = 1 - w.ID
			if w.On {
				sum += w.Hist[k].N
			}
		}
		count, last, err := h.Step(k)
		runtest.OK(r, err)
		for i := range n { // once all is done: iterations may come in any order
			wantA[0].Hist[i%4].P[1]++
		}
		runtest.Eq(r, "n", count, sum)
		runtest.Eq(r, "last", last, Sample{0.5 * n, ti.Vec3{n, 0, n * (n - 1) / 2}, (n - 1) * 10})
		for i := 0; i < n; i++ {
			x, y := a.At(i), b.At(i)
			runtest.Eq(r, "A", body(&x), wantA[i])
			if i > 0 { // B[0] is a copy made while others write to A[0]
				runtest.Eq(r, "B", body(&y), wantB[i])
			}
		}
		if r.Unchecked {
			continue
		}
		for _, bad := range [][3]int32{{0, 4, 0}, {0, 0, 3}, {0, -1, 2}, {n, 0, 0}, {0, 3, -1}, {0, 1 << 30, 1}} {
			got, err := h.Out(bad[0], bad[1], bad[2])
			runtest.Eq(r, "out of range", got, 0)
			if !errors.Is(err, ti.ErrRange) {
				r.Errorf("Out(%v): %v", bad, err)
			}
		}
	}
}

// fillStructs gives a field of Body, or of its like, the elements bodyOf makes.
func fillStructs[T any](r *runtest.Run, f *ti.Field[T]) {
	for i := range f.Shape()[0] {
		b := bodyOf(i)
		var x T
		switch x := any(&x).(type) {
		case *Body:
			*x = b
		case *reordered:
			x.ID, x.V, x.X, x.On = b.ID, b.V, b.X, b.On
			for k, h := range b.Hist {
				x.Hist[k].N, x.Hist[k].P, x.Hist[k].T = h.N, h.P, h.T
			}
		}
		f.Set(x, i)
	}
}
