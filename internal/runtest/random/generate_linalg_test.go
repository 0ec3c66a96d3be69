package random

import "fmt"

// decompose decomposes a matrix. That is much code, so a kernel does it at most once.
func (g *generator) decompose() {
	if g.decomposed {
		return
	}
	g.decomposed = true
	g.names++
	if g.chance(40) {
		g.eliminate()
		return
	}
	if g.chance(30) {
		g.decomposeRectangle()
		return
	}
	t := g.pick("mat2", "mat3", "dmat2")
	v := map[string]string{"mat2": "vec2", "mat3": "vec3", "dmat2": "dvec2"}[t]
	a, b, c := fmt.Sprintf("m%dx", g.names), fmt.Sprintf("m%dy", g.names), fmt.Sprintf("m%dz", g.names)
	m := g.expr(t, 2)
	switch g.r.IntN(4) {
	case 0:
		g.line("%s, %s, %s := svd(%s)", a, b, c, m)
		g.line("_ = %s", c)
		g.vars = append(g.vars, variable{c, t, false})
	case 1:
		g.line("%s, %s := symEig(%s)", b, a, m)
	case 2:
		g.line("%s, %s := polar(%s)", a, c, m)
		g.line("%s := %s[1] - %s[0]", b, c, a)
	case 3:
		g.line("%s, %s := qr(%s)", a, c, m)
		g.line("%s := solve(%s, %s)", b, c, g.expr(v, 1))
	}
	g.line("_, _ = %s, %s", a, b)
	g.vars = append(g.vars, variable{a, t, false}, variable{b, v, false})
}

// decomposeRectangle decomposes a matrix that is not square.
func (g *generator) decomposeRectangle() {
	g.names++
	n, x := g.names, g.expr("vec3", 1)
	g.line("r%d := [3][2]f32{%s, %s, %s}", n, g.expr("vec2", 1), g.expr("vec2", 1), g.expr("vec2", 1))
	switch g.r.IntN(3) {
	case 0:
		g.line("ru%[1]d, s%[1]d, v%[1]d := svd(r%[1]d)", n)
		g.line("_, _, _ = ru%[1]d, s%[1]d, v%[1]d", n)
		g.vars = append(g.vars, variable{fmt.Sprintf("s%d", n), "vec2", false}, variable{fmt.Sprintf("v%d", n), "mat2", false})
	case 1:
		g.declare("vec2", fmt.Sprintf("lstsq(r%d, %s)", n, x))
		g.declare("vec3", fmt.Sprintf("lstsq(transpose(r%d), %s)", n, g.expr("vec2", 1)))
	case 2:
		g.declare("mat2", fmt.Sprintf("cholesky(transpose(r%[1]d)*r%[1]d + mat2(%[2]s))", n, g.expr("f32", 1)))
	}
}

// eliminate inverts a matrix that is too large for a closed form.
func (g *generator) eliminate() {
	g.names++
	n := g.names
	g.line("var m%d [5][5]f32", n)
	g.line("for k := range serial(5) { m%[1]d[k] = vec5(%[2]s, k, %[3]s, 0, f32(k*k)); m%[1]d[k][%[4]s] += %[3]s }", n, g.expr("f32", 2), g.atom("f32"), g.within(5))
	if g.chance(50) {
		g.declare("vec5", fmt.Sprintf("inverse(m%d)[%s]", n, g.within(5)))
	} else {
		g.declare("f32", fmt.Sprintf("determinant(m%d)", n))
	}
	g.declare("i32", fmt.Sprintf("determinant([4][4]i32{%s, {1, 2, 3, 4}, %s, {-1, 0, 7}})", g.row(), g.row()))
}

// row returns a row of a matrix of integers.
func (g *generator) row() string { return fmt.Sprintf("{%s}", g.list(4, "i32", 1)) }
