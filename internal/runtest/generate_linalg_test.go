package runtest

import "fmt"

// decompose takes a matrix apart. It is much code, so a kernel does it once at most.
func (g *generator) decompose() {
	if g.decomposed {
		return
	}
	g.decomposed = true
	g.names++
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
