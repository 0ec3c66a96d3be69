package random

import "fmt"

// randomKernels declares kernels that Run calls from its outermost scope, where their
// loops are parallel: reductions into what is more than a number, and a way out
// before a loop.
const randomKernels = `func Also(n i32, f f32) (s ivec2, most f32, some bool) {
	if n == 7 {
		most = f
		return
	}
	var t [4]i32
	all := true
	for i := range A {
		v := A[i]
		s += ivec2(v, i ^ n)
		t[i & 3] ^= v
		t[2] += 1
		some = some || v == n
		all = all && v < 1 << 20
		most = max(most, f32(v & 255) * f)
	}
	if all {
		s.x ^= t[0]
	}
	s.y -= t[3]
	return
}

func Later(m bundle, n i32) {
	for i := range m.Pos {
		m.Pos[i].y += 0.5
		H[i & 7] += n & i
	}
	H[0] -= 1
	for i := range span(i64(1), i64(8)) {
		F[i32(i)] = f32(i + i64(n))
	}
}

`

// compose writes statements of the kernel's outermost scope.
func (g *generator) compose() {
	switch g.r.IntN(4) {
	case 0:
		g.names++
		n := g.names
		g.line("s%[1]dx, s%[1]dy, s%[1]dz := Also(%[2]s, %[3]s)", n, g.pick(g.atom("i32")+"&7", g.atom("i32")), g.atom("f32"))
		g.line("_, _, _ = s%[1]dx, s%[1]dy, s%[1]dz", n)
		g.vars = append(g.vars, variable{fmt.Sprintf("s%dx", n), "ivec2", false}, variable{fmt.Sprintf("s%dz", n), "bool", false})
	case 1:
		g.line("Later(M, %s)", g.expr("i32", 1))
	case 2:
		g.line("if %s && %s == 5 { r2 = 0.5; return }", g.expr("bool", 1), g.expr("i32", 1))
	case 3:
		if g.chance(20) {
			g.eliminate()
		} else if g.chance(20) {
			g.decompose()
		} else if g.chance(30) { // blocks do not depend on threads, so what combines elements need not be associative
			over, ordered := g.pick("A", "X", "H"), g.ordered
			g.ordered = false // a function literal cannot change variables around it
			g.declare("i32", fmt.Sprintf("reduce(%s, func(a, b i32) i32 { return a ^ b&i32(%s) })", over, g.within(9)))
			g.ordered = ordered
		}
	}
}
