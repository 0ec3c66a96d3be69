package random

import "fmt"

// structs writes statements with structs; their members are variables afterwards.
func (g *generator) structs(depth int) {
	g.names++
	s := fmt.Sprintf("s%d", g.names)
	value := fmt.Sprintf("make2(%s, %s)", g.expr("i32", 1), g.expr("f32", 1))
	if g.own.known() && g.chance(30) {
		value = fmt.Sprintf("%s[%s]", g.pick("S", "Z"), g.own.index)
	}
	if g.chance(50) {
		g.line("%s := %s", s, value)
		g.line("%s.add(%s, %s)", s, g.expr("i32", 1), g.expr("f32", 1))
		if g.chance(30) {
			g.line("if %s == %s { %s.a++ }", s, value, s)
		}
		g.members(s)
		return
	}
	g.line("var %s [3]pair", s)
	g.line("%s[1] = %s", s, value)
	g.line("%s[%s & 1].a %s %s", s, g.atom("i32"), g.pick("+=", "^=", "="), g.expr("i32", 1))
	g.line("%s[%s].v%s = %s", s, g.within(3), g.pick(".x", ".y"), g.expr("f32", 1))
	if g.chance(50) {
		g.line("for k := range serial(3) { %s[k].add(k + %s, %s) }", s, g.atom("i32"), g.atom("f32"))
	}
	k := fmt.Sprintf("[%s & 1]", g.atom("i32"))
	g.names++
	r := fmt.Sprintf("p%d", g.names)
	g.line("%s := &%s%s", r, s, k)
	g.line("%s.b += 1", r)
	g.members(r)
}

func (g *generator) members(s string) {
	g.vars = append(g.vars, variable{s + ".a", "i32", false}, variable{s + ".b", "f32", false}, variable{s + ".v", "vec2", false}, variable{s + ".w[1]", "i64", false})
}

// assignable returns a variable of a type that may be assigned to.
func (g *generator) assignable(t string) (string, bool) {
	for i := len(g.vars) - 1; i >= 0; i-- {
		if v := g.vars[i]; v.typ == t && !v.fixed && (g.sum == "" || v.name != g.sum) {
			return v.name, true
		}
	}
	return "", false
}

// boxes writes statements with a value of a generic type.
func (g *generator) boxes() {
	g.names++
	b := fmt.Sprintf("b%dx", g.names)
	t := g.pick("i32", "f32", "u8", "i64", "f16", "vec2", "ivec3")
	g.line("%s := %s", b, g.pick(fmt.Sprintf("boxed(%s, %s)", g.expr(t, 1), g.atom("i32")), fmt.Sprintf("box[%s]{n: %s}", t, g.atom("i32"))))
	g.line("%s.push(%s)", b, g.expr(t, 2))
	g.vars = append(g.vars, variable{b + ".v", t, false}, variable{b + ".n", "i32", false})
}

// parts goes through the fields of a bundle.
func (g *generator) parts() {
	if !g.own.known() {
		return
	}
	g.names++
	k, l := fmt.Sprintf("k%d", g.names), fmt.Sprintf("l%d", g.names)
	acc := fmt.Sprintf("a%d", g.names)
	g.line("%s := %s", acc, g.expr("i32", 1))
	g.line("for %s, %s := range static(L) {", k, l)
	g.line("\tif static(%s < 2) { %s[%s] = %s } else { %s += %s[%s] }", k, l, g.own.index, g.expr("i32", 2), acc, l, g.index(g.n(), 0, 1))
	g.line("}")
	g.vars = append(g.vars, variable{acc, "i32", false})
}
