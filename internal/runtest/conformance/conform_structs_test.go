package conformance

import (
	"testing"

	"github.com/gotaichi/ti"
)

// Ray and Cell are what rows of structs take and return.
type Ray struct {
	O, D ti.Vec3
	T    float32
}

type Cell struct {
	N    int32
	Hit  bool
	Ray  Ray
	Hist [3]int32
}

// Struct types: values, members, methods, nesting, arrays of them.
//
//conform:theme structs
func TestConformStructs(t *testing.T) {
	i := func(v int32) any { return v }
	ab := func(a, b int32) []any { return []any{a, b} }
	conformRoutines(t, `
type Ray struct { O, D vec3; T f32 }
type Cell struct { N i32; Hit bool; Ray Ray; Hist [3]i32 }
type P struct { X, Y i32 }
type L struct { A, B P }
type V = [3]i32
type Tree struct { Kids [2]L; Depth i32 }
type Pair[T any] struct { A, B T }
const Unit = P{1, 1}
const Corners = [3]P{{0, 0}, {4, 0}, {4, 3}}
func (p P) Sum() i32 { return p.X + p.Y }
func (p P) Plus(q P) P { return P{p.X + q.X, p.Y + q.Y} }
func (p *P) Move(dx, dy i32) { p.X += dx; p.Y += dy }
func (p *P) Double() { p.Move(p.X, p.Y) }
func (p P) Changed() i32 { p.X = 100; return p.X }
func (l *L) MoveAll(d i32) { l.A.Move(d, d); l.B.Move(-d, 0) }
func (l L) Len() i32 { return abs(l.A.X - l.B.X) + abs(l.A.Y - l.B.Y) }
func (r Ray) At(t f32) vec3 { return r.O + t*r.D }
func larger[T number](p Pair[T]) T { return max(p.A, p.B) }
func make(a, b i32) P { return P{X: a, Y: b} }
func split(p P) (P, P) { return P{p.X, 0}, P{0, p.Y} }
func swapped(p P) (q P) { q.X, q.Y = p.Y, p.X; return }
func reset(p *P) { *p = P{} }
func bump(p *i32) { *p += 1 }
func area(ps [3]P) i32 { s := 0; for k, p := range ps { q := ps[(k+1)%3]; s += p.X*q.Y - q.X*p.Y }; return s }
`, []routine{
		{"a literal with keys", "p := P{Y: a, X: b}\nreturn p.X*10 + p.Y", ab(1, 2), i(21)},
		{"a literal in order", "p := P{a, b}\nreturn p.X*10 + p.Y", ab(1, 2), i(12)},
		{"members left out are zero", "p := P{Y: a}\nreturn p.X*10 + p.Y", ab(3, 2), i(3)},
		{"an empty literal is zero", "p := P{}\nreturn p.Sum()", ab(3, 2), i(0)},
		{"a variable starts as zero", "var l L\nreturn l.Len() + l.A.X", ab(3, 2), i(0)},
		{"members are assigned one by one", "var p P\np.X = a\np.Y = b\nreturn p.X*10 + p.Y", ab(3, 2), i(32)},
		{"op= on a member", "p := P{a, b}\np.X += 5\np.Y *= p.X\nreturn p.Y", ab(1, 2), i(12)},
		{"++ on a member", "p := P{a, b}\np.X++\nreturn p.X", ab(1, 2), i(2)},
		{"assignment copies", "p := P{a, b}\nq := p\nq.X = 9\nreturn p.X*10 + q.X", ab(1, 2), i(19)},
		{"a whole assigned over another", "p := P{a, b}\nq := P{5, 6}\np = q\nreturn p.Sum()", ab(1, 2), i(11)},
		{"swap of two", "p, q := P{a, 0}, P{b, 0}\np, q = q, p\nreturn p.X*10 + q.X", ab(1, 2), i(21)},
		{"== compares all members", "if (P{a, b} == P{1, 2}) { return 1 }\nreturn 0", ab(1, 2), i(1)},
		{"one other member makes them differ", "if (P{a, b} == P{1, 3}) { return 1 }\nreturn 0", ab(1, 2), i(0)},
		{"!=", "if (P{a, b} != P{1, 3}) { return 1 }\nreturn 0", ab(1, 2), i(1)},
		{"== of nested ones", "x := L{P{a, b}, P{3, 4}}\ny := x\nif x != y { return 1 }\ny.B.Y++\nif x == y { return 2 }\nreturn 3", ab(1, 2), i(3)},
		{"nested members", "var l L\nl.A.X = a\nl.B.Y = b\nreturn l.A.X*10 + l.B.Y", ab(1, 2), i(12)},
		{"a nested literal", "l := L{A: P{a, 1}, B: P{Y: b}}\nreturn l.A.X*10 + l.B.Y", ab(1, 2), i(12)},
		{"a nested literal without its type", "l := L{A: {a, 1}, B: {Y: b}}\nreturn l.A.X*10 + l.B.Y", ab(1, 2), i(12)},
		{"a nested whole", "l := L{}\nl.B = P{a, b}\nm := l.B\nm.X = 0\nreturn l.B.X + m.Y", ab(1, 2), i(3)},
		{"a struct out of a struct", "l := L{P{a, b}, P{b, a}}\nl.A, l.B = l.B, l.A\nreturn l.A.X*10 + l.A.Y", ab(1, 2), i(21)},
		{"as a parameter and a result", "p := swapped(P{a, b})\nreturn p.X*10 + p.Y", ab(1, 2), i(21)},
		{"two as results", "p, q := split(P{a, b})\nreturn p.X*1000 + p.Y*100 + q.X*10 + q.Y", ab(1, 2), i(1002)},
		{"a member of a result", "return make(a, b).Y", ab(1, 2), i(2)},
		{"a reference to one", "p := P{a, b}\nreset(&p)\nreturn p.Sum()", ab(1, 2), i(0)},
		{"a reference to a member", "p := P{a, b}\nbump(&p.Y)\nreturn p.X*10 + p.Y", ab(1, 2), i(13)},
		{"a reference to a nested member", "l := L{P{a, b}, P{0, 0}}\nbump(&l.B.X)\nreset(&l.A)\nreturn l.Len()", ab(1, 2), i(1)},
		{"a local name of a member", "l := L{P{a, b}, P{5, 6}}\np := &l.B\np.X = 1\nreturn l.B.X*10 + l.B.Y", ab(1, 2), i(16)},
		{"a method of a value", "return P{a, b}.Sum()", ab(1, 2), i(3)},
		{"a method with arguments", "p := P{a, b}\nreturn p.Plus(P{10, 20}).Y", ab(1, 2), i(22)},
		{"methods in a chain", "return make(a, b).Plus(Unit).Plus(Unit).Sum()", ab(1, 2), i(7)},
		{"a method of a reference changes the variable", "p := P{a, b}\np.Move(1, 10)\nreturn p.X*100 + p.Y", ab(1, 2), i(212)},
		{"a method of a value changes a copy", "p := P{a, b}\nr := p.Changed()\nreturn r + p.X", ab(1, 2), i(101)},
		{"a method calls another", "p := P{a, b}\np.Double()\nreturn p.X*10 + p.Y", ab(1, 2), i(24)},
		{"a method on a nested member", "var l L\nl.B.Move(a, b)\nreturn l.B.X*10 + l.B.Y", ab(1, 2), i(12)},
		{"a method that goes into members", "var l L\nl.MoveAll(a)\nreturn l.Len()", ab(2, 2), i(6)},
		{"a method through a reference", "l := L{P{a, b}, P{}}\np := &l.A\np.Double()\nreturn l.A.Sum()", ab(1, 2), i(6)},
		{"a method on an element of an array", "var ps [3]P\nps[a%3].Move(1, 2)\nps[b%3].Move(10, 20)\nreturn ps[0].X + ps[0].Y*100", ab(0, 1), i(201)},
		{"vectors as members", "r := Ray{O: vec3(a, 0, 0), D: vec3(0, b, 0)}\nv := r.At(2)\nreturn i32(v.x*10 + v.y)", ab(1, 2), i(14)},
		{"a component of a member", "var r Ray\nr.O.y = f32(a)\nr.D.xz = vec2(b, 1)\nreturn i32(r.O.y*10 + r.D.x + r.D.z)", ab(1, 2), i(13)},
		{"an array as a member", "c := Cell{Hist: [3]i32{a, b, 5}}\nc.Hist[1] += 7\nreturn c.Hist[0] + c.Hist[1]*c.Hist[2]", ab(1, 2), i(46)},
		{"an array as a member, indexed at run time", "var c Cell\nc.Hist[a%3] = 4\nreturn c.Hist[b%3]", ab(1, 1), i(4)},
		{"an array of them", "ps := [2]P{{a, b}, {3, 4}}\nreturn ps[1].X*10 + ps[0].Y", ab(1, 2), i(32)},
		{"an array of them, indexed at run time", "ps := Corners\nps[a%3].Y += 1\nreturn ps[b%3].X*10 + ps[b%3].Y", ab(1, 1), i(41)},
		{"an array of them by value", "return area(Corners)", ab(0, 0), i(12)},
		{"a loop over an array of them", "s := 0\nfor k, p := range Corners { s += k * p.X }\nreturn s", ab(0, 0), i(12)},
		{"a constant one", "return Unit.X + a", ab(1, 0), i(2)},
		{"a constant array of them, indexed at run time", "return Corners[a%3].X*10 + Corners[b%3].Y", ab(1, 2), i(43)},
		{"arrays of structs of structs", "var t Tree\nt.Kids[1].A.X = a\nt.Kids[0] = t.Kids[1]\nt.Kids[1].A.X = 9\nreturn t.Kids[0].A.X", ab(4, 0), i(4)},
		{"arrays of structs of structs, indexed at run time", "var t Tree\nt.Kids[a%2].B.Y = 5\nt.Kids[b%2].B.Y += 2\nreturn t.Kids[0].B.Y*10 + t.Kids[1].B.Y", ab(0, 0), i(70)},
		{"an alias of a type", "var v V\nv[1] = a\nreturn v.y", ab(4, 0), i(4)},
		{"an anonymous struct", "var q struct { lo, hi i32 }\nq.lo = a\nq.hi = q.lo + b\nreturn q.hi", ab(4, 3), i(7)},
		{"ifelse of two", "p := ifelse(a > b, P{1, 2}, P{3, 4})\nreturn p.X*10 + p.Y", ab(0, 1), i(34)},
		{"a bool as a member", "c := Cell{Hit: a > 0}\nif c.Hit { return 1 }\nc.Hit = !c.Hit\nreturn 2", ab(1, 0), i(1)},
		{"one carried around a loop", "p := P{0, 1}\nfor range a { p = P{p.Y, p.X + p.Y} }\nreturn p.X", ab(7, 0), i(13)},
		{"one changed in branches", "p := P{}\nif a > b { p.X = 1 } else { p = P{2, 3} }\nreturn p.X*10 + p.Y", ab(0, 1), i(23)},
		{"a generic one", "p := Pair[i32]{a, b}\nreturn larger(p)", ab(3, 8), i(8)},
		{"a generic one of another type", "p := Pair[f32]{A: 1.5, B: 2.5}\np.A += f32(a)\nreturn i32(2 * larger(p))", ab(3, 0), i(9)},
		{"a generic one of structs", "p := Pair[P]{B: P{a, b}}\nreturn p.B.Sum() + p.A.Sum()", ab(3, 8), i(11)},
		{"len of an array of them", "return len(Corners) + a", ab(3, 0), i(6)},
		{"a struct as a result of a kernel's row", "return Ray{O: a, D: b, T: 3}.D", []any{ti.Vec3{1, 2, 3}, ti.Vec3{4, 5, 6}}, ti.Vec3{4, 5, 6}},
	})
	conformCalls(t, `
type Ray struct { O, D vec3; T f32 }
type Cell struct { N i32; Hit bool; Ray Ray; Hist [3]i32 }
func (c *Cell) Push(v i32) { c.Hist[2], c.Hist[1], c.Hist[0] = c.Hist[1], c.Hist[0], v; c.N++ }
`, nil, []call{
		{"a struct as an argument and a result", "func Run(r Ray, t f32) Ray { r.O += t * r.D; r.T = t; return r }",
			[]any{Ray{ti.Vec3{1, 2, 3}, ti.Vec3{1, 0, 0}, 9}, float32(2)}, []any{Ray{ti.Vec3{3, 2, 3}, ti.Vec3{1, 0, 0}, 2}}},
		{"a nested struct as an argument and a result", "func Run(c Cell) Cell { c.Push(7); c.Hit = !c.Hit; c.Ray.D.y = 1; return c }",
			[]any{Cell{N: 1, Hist: [3]int32{1, 2, 3}}}, []any{Cell{N: 2, Hit: true, Ray: Ray{D: ti.Vec3{0, 1, 0}}, Hist: [3]int32{7, 1, 2}}}},
		{"two structs as results", "func Run(c Cell) (Ray, Cell) { return c.Ray, Cell{N: c.N} }",
			[]any{Cell{N: 4, Ray: Ray{T: 2}}}, []any{Ray{T: 2}, Cell{N: 4}}},
		{"a slice of structs", "func Run(c []Cell) { for i := range c { c[i].Push(i) } }",
			[]any{[]Cell{{}, {N: 5}}}, []any{[]Cell{{N: 1}, {N: 6, Hist: [3]int32{1, 0, 0}}}}},
		{"whole elements of a slice of structs", "func Run(c []Ray) { for i := range c { r := c[i]; r.T = f32(i); c[i] = Ray{r.D, r.O, r.T} } }",
			[]any{[]Ray{{O: ti.Vec3{1}}, {D: ti.Vec3{2}}}}, []any{[]Ray{{D: ti.Vec3{1}}, {O: ti.Vec3{2}, T: 1}}}},
		{"a loop over the elements of a slice of structs", "func Run(c []Cell) (n i32) { for _, e := range c { if e.Hit { n += e.N } }; return }",
			[]any{[]Cell{{N: 1, Hit: true}, {N: 2}, {N: 4, Hit: true}}}, []any{int32(5), []Cell{{N: 1, Hit: true}, {N: 2}, {N: 4, Hit: true}}}},
		{"sums into members of a named result", "func Run(n i32) (c Cell) { for i := range n { c.N += i; c.Ray.T += 0.5; c.Hist[i%3] += 1 }; return }",
			[]any{int32(5)}, []any{Cell{N: 10, Ray: Ray{T: 2.5}, Hist: [3]int32{2, 2, 1}}}},
		{"a struct type of the source alone", "type Own_ struct { A, B f64 }\nfunc Run(x f64) f64 { o := Own_{x, 2}; return o.A / o.B }",
			[]any{3.0}, []any{1.5}},
	})
}
