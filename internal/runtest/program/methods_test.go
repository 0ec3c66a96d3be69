package program

import (
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// Methods of types that are not structs of values: generic ones, and bundles; and
// local names of function literals.
func TestMethods(t *testing.T) {
	rts := &runtest.Runtimes{}
	defer rts.Close(t)
	for _, p := range []program{genericMethods, bundleMethods, namedLiterals} {
		t.Run(p.name, func(t *testing.T) {
			runtest.RunAll(t, rts, func(r *runtest.Run) { p.run(r, "package p\n"+p.src) })
		})
	}
}

var genericMethods = scalarCase("methods of generic structs", `
type Pair[T, U number] struct { A T; B U }
func (p Pair[T, U]) Swapped() Pair[U, T] { return Pair[U, T]{p.B, p.A} }
func (p *Pair[Left, Right]) Add(a Left, b Right) { p.A += a; p.B += b }
func (p Pair[T, U]) Sum() T { return p.A + T(p.B) }
func F(a, b i32) i32 {
	p := Pair[i32, f32]{a, 1}
	p.Add(b, 2.5)
	q := p.Swapped()
	q.Add(0.5, 3)
	return p.Sum() + i32(q.Sum())
}`, ints, ints, func(a, b int32) int32 { return a + b + 3 + int32(float32(a+b+3)+4) })

var bundleMethods = program{"methods of bundles", `
type Level struct {
	X, Y  field[f32]
	Scale f32
}
type Limits struct { Lo, Hi f32 }
var (
	Fine, Coarse Level
	All [2]Level
	L   Limits
)
func (l Limits) clamp(v f32) f32 { return clamp(v, l.Lo, l.Hi) }
func (l Level) at(i i32) f32 { return l.Scale * l.X[i%l.X.shape[0]] }
func (l Level) Step(by f32) { // parallel where a kernel calls it
	for i := range l.X { l.Y[i] = L.clamp(l.at(i+1) + by) }
}
func Run(by f32) f32 {
	Fine.Step(by)
	Coarse.Step(2*by)
	s := Fine.at(1)
	for _, l := range static(All) { s += l.at(0) }
	return s + All[1].at(2)
}`, func(r *runtest.Run, src string) {
	type level struct {
		X, Y  ti.Field[float32]
		Scale float32
	}
	var h struct {
		Fine, Coarse level
		All          [2]level
		L            struct{ Lo, Hi float32 }
		Run          func(by float32) (float32, error)
	}
	fill := func(l *level, n int, scale float32) {
		r.Place(ti.Shape{n}, &l.X)
		r.Place(ti.Shape{n}, &l.Y)
		for i := range n {
			l.X.Set(float32(i), i)
		}
		l.Scale = scale
	}
	fill(&h.Fine, 7, 2)
	fill(&h.Coarse, 3, 10)
	fill(&h.All[0], 2, 1)
	fill(&h.All[1], 5, 4)
	h.L.Lo, h.L.Hi = 1, 11
	r.Load(src, &h)
	s, err := h.Run(0.5)
	runtest.OK(r, err)
	runtest.Eq(r, "result", s, 2+8)
	for i := range 7 {
		runtest.Eq(r, "Fine.Y", h.Fine.Y.At(i), min(max(2*float32((i+1)%7)+0.5, 1), 11))
	}
	for i := range 3 {
		runtest.Eq(r, "Coarse.Y", h.Coarse.Y.At(i), min(max(10*float32((i+1)%3)+1, 1), 11))
	}
}}

var namedLiterals = scalarCase("named function literals", `
func apply(x i32, f func(i32) i32) i32 { return f(f(x)) }
func F(a, b i32) i32 {
	k := 2
	scale := func(v i32) i32 { return k*v + b }
	s := scale(a)
	k = 3
	for i := range 3 {
		add := func(v i32) i32 { return scale(v) + i }
		s += apply(i, add)
	}
	return s + apply(a, scale)
}`, ints, ints, func(a, b int32) int32 {
	k := int32(2)
	scale := func(v int32) int32 { return k*v + b }
	s := scale(a)
	k = 3
	for i := range int32(3) {
		s += scale(scale(i)+i) + i
	}
	return s + scale(scale(a))
})
