package program

import (
	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// References and methods: what they write to is the caller's variable or element.
var references = []program{
	scalarCase("references to variables", structSource+`
func add(p *i32, v i32) { *p += v }
func twice(p *i32) { add(p, *p) }
func swap(p, q *i32) { *p, *q = *q, *p }
func clampTo(p *i32, hi i32) bool {
	if *p > hi {
		*p = hi
		return true
	}
	for *p < -2 { *p += 1 }
	return false
}
func set(a *[4]i32, i, v i32) {
	a[i] = v
	for k := range a { a[k] += k }
}
func (s *Sample) Grow(n i32) {
	if n > 2 { s.N += n; return }
	s.P.y -= 1
	s.T += f64(n)
}
func (s Sample) Sum() i32 { return s.N + i32(s.P.y) + i32(s.T) }
func (b *Body) All(n i32) i32 {
	r := 0
	for i := range 4 {
		b.Hist[i].Grow(n + i)
		r += b.Hist[i].Sum()
	}
	h := &b.Hist[mod(n, 4)]
	h.N *= 2
	r += h.N
	return r
}
func F(a, b i32) i32 {
	x, y := a, b
	twice(&x)
	swap(&x, &y)
	c := clampTo(&x, 3) || clampTo(&y, 4)
	if c { add(&x, 100) }
	var v [4]i32
	set(&v, mod(a, 4), 7)
	i := 1
	e := &v[i]
	i = 2
	*e += 10
	add(e, i)
	twice(&v[mod(b, 4)])
	w := ivec3(a, b, 1)
	add(&w.y, 5)
	z := &w.zx
	*z += ivec2(1, 2)
	var bo Body
	r := bo.All(mod(a, 5))
	all := [2]Body{bo, {}}
	r += all[mod(b, 2)].All(2)
	r += all[0].Hist[1].Sum() * all[1].Hist[2].Sum()
	n := 0
	if x > 0 && clampTo(&n, -1) { r += 1000 }
	return x + 3*y + v[0] + 2*v[1] + 5*v[2] + 7*v[3] + w.x + w.y*2 + w.z*3 + r + n
}`, ints, ints, func(a, b int32) int32 {
		x, y := a, b
		clampTo := func(p *int32, hi int32) bool {
			if *p > hi {
				*p = hi
				return true
			}
			for *p < -2 {
				*p++
			}
			return false
		}
		x += x
		x, y = y, x
		if clampTo(&x, 3) || clampTo(&y, 4) {
			x += 100
		}
		var v [4]int32
		v[runtest.FloorMod(a, 4)] = 7
		for k := range v {
			v[k] += int32(k)
		}
		v[1] += 12
		v[runtest.FloorMod(b, 4)] *= 2
		w := [3]int32{a + 2, b + 5, 2}
		var bo refBody
		r := bo.all(runtest.FloorMod(a, 5))
		all := [2]refBody{bo, {}}
		r += all[runtest.FloorMod(b, 2)].all(2)
		r += all[0][1].sum() * all[1][2].sum()
		n := int32(0)
		if x > 0 && clampTo(&n, -1) {
			r += 1000
		}
		return x + 3*y + v[0] + 2*v[1] + 5*v[2] + 7*v[3] + w[0] + w[1]*2 + w[2]*3 + r + n
	}),
	{"references to elements", structSource + `
var A field[Body]
var N field[i32, D0]
var All field[Body, D0]
func count(p *i32, v i32) { *p += v }
func most(p *i32, v i32) i32 { return atomicMax(p, v) }
func (b *Body) Push(v vec2) { b.X += v }
func (b Body) Next() Body { b.ID += 1; return b }
func (s *Sample) Add(n i32) { s.N += n; s.P[mod(n, 3)] += 1 }
func Step(y []i32) {
	for i := range A {
		count(&N, 1)
		All.Hist[mod(i, 4)].Add(i)
		A[i].Push(vec2(1, i))
		h := &A[i].Hist[mod(i*3, 4)]
		h.T += 1
		b := A[i].Next()
		b.Push(vec2(1))
		A[i].ID = b.ID
		count(&y[0], 2)
		most(&y[1], i)
		p := &y[2+mod(i, 2)]
		*p += i
		local := 0
		count(&local, i)
		q := &local
		count(q, 1)
		atomicAdd(&y[4], local)
	}
}`, func(r *runtest.Run, src string) {
		const n = 9
		var a, all ti.Field[Body]
		var count ti.Field[int32]
		r.Place(ti.Shape{n}, &a)
		r.Place(nil, &count)
		r.Place(nil, &all)
		fillStructs(r, &a)
		h := struct {
			A    *ti.Field[Body]
			N    *ti.Field[int32]
			All  *ti.Field[Body]
			Step func([]int32) error
		}{A: &a, N: &count, All: &all}
		r.Load(src, &h)
		y := make([]int32, 5)
		runtest.OK(r, h.Step(y))
		want := make([]Body, n)
		var sum Body
		sums := [5]int32{2 * n, n - 1}
		for i := range want {
			want[i] = bodyOf(i)
		}
		for i := range want {
			s := &sum.Hist[i%4]
			s.N += int32(i)
			s.P[i%3]++
			w := &want[i]
			w.X[0]++
			w.X[1] += float32(i)
			w.Hist[i*3%4].T++
			w.ID++
			sums[2+i%2] += int32(i)
			sums[4] += int32(i) + 1
		}
		for i := range want {
			runtest.Eq(r, "A", a.At(i), want[i])
		}
		runtest.Eq(r, "N", count.At(), int32(n))
		runtest.Eq(r, "All", all.At(), sum)
		for i := range y {
			runtest.Eq(r, "y", y[i], sums[i])
		}
	}},
}

// refBody is the part of Body that the case "references to variables" uses.
type refBody [4]refSample

type refSample struct{ n, y, t int32 }

func (s *refSample) grow(n int32) {
	if n > 2 {
		s.n += n
		return
	}
	s.y--
	s.t += n
}

func (s refSample) sum() int32 { return s.n + s.y + s.t }

func (b *refBody) all(n int32) (r int32) {
	for i := range b {
		b[i].grow(n + int32(i))
		r += b[i].sum()
	}
	b[n%4].n *= 2
	return r + b[n%4].n
}
