package random

import "fmt"

// effectPrelude declares functions whose calls show in which order an expression is evaluated, and how often.
const effectPrelude = `func swapped[T any](p *T, v T) T {
	old := *p
	*p = v
	return old
}

func bump(p *i32, by i32) i32 {
	*p += by
	return *p
}

func said[T any](v T, k i32) T {
	if k&15 == 3 {
		print("said", k, v)
	}
	return v
}

func both(p *i32, v i32) (i32, i32) {
	*p ^= v
	return *p, v - *p
}

`

// effect returns an expression of type t that changes something or prints.
func (g *generator) effect(t string, depth int) (e string, ok bool) {
	a, can := g.assignable(t)
	typ := typeOf(t)
	switch k := g.r.IntN(10); {
	case k < 2:
		return fmt.Sprintf("said(%s, %s)", g.expr(t, depth-1), g.atom("i32")), true
	case !can:
		return "", false
	case k < 5:
		return fmt.Sprintf("swapped(&%s, %s)", a, g.expr(t, depth-1)), true
	case k == 5 && t == "i32":
		return fmt.Sprintf("bump(&%s, %s)", a, g.expr(t, depth-1)), true
	case k == 6 && t == "i32" && g.own.known():
		return fmt.Sprintf("%s(&%s[%s], %s)", g.pick("atomicAdd", "atomicSub", "atomicMin", "atomicXchg"), g.pick("X", "L[0]"), g.own.index, g.expr(t, depth-1)), true
	case typ.n == 0 && !typ.float() && t != "bool":
		if g.chance(20) {
			return fmt.Sprintf("atomicCAS(&%s, %s, %s)", a, g.pick(a, g.expr(t, depth-1)), g.expr(t, depth-1)), true
		}
		return fmt.Sprintf("%s(&%s, %s)", g.pick("atomicAdd", "atomicSub", "atomicMin", "atomicMax", "atomicXor", "atomicXchg"), a, g.expr(t, depth-1)), true
	case t != "bool" && typ.elem != "bool":
		return fmt.Sprintf("%s(&%s, %s)", g.pick("atomicAdd", "atomicSub", "atomicXchg"), a, g.expr(t, depth-1)), true
	}
	return "", false
}

// effects writes statements whose parts change what other parts read.
func (g *generator) effects() {
	a, ok := g.assignable("i32")
	if !ok {
		return
	}
	g.names++
	n := g.names
	bump := func() string { return fmt.Sprintf("bump(&%s, %s)", a, g.pick("1", "3", "-2", g.atom("i32"))) }
	switch g.r.IntN(9) {
	case 0:
		g.line("var t%d [4]i32", n)
		g.line("t%d[%s & 3], t%d[%s & 3] = %s, %s", n, bump(), n, g.pick(bump(), a), g.pick(a, bump()), g.pick(bump(), a))
		g.declare("i32", fmt.Sprintf("t%[1]d[0] ^ t%[1]d[1]*3 ^ t%[1]d[2]*5 ^ t%[1]d[3]*7", n))
	case 1:
		g.line("var t%d [4]i32", n)
		for range 2 {
			g.line("t%d[%s & 3] %s %s", n, bump(), g.pick("+=", "-=", "*=", "^=", "<<=", "="), g.pick(bump()+" & 7", a+" & 15"))
		}
		g.line("t%d[%s & 3]++", n, bump())
		g.declare("i32", fmt.Sprintf("t%[1]d[0] ^ t%[1]d[1]*3 ^ t%[1]d[2]*5 ^ t%[1]d[3]*7", n))
	case 2:
		g.line("lo%[1]d, hi%[1]d := both(&%[2]s, %[3]s)", n, a, g.expr("i32", 1))
		g.line("hi%[1]d, lo%[1]d = both(&lo%[1]d, %[2]s)", n, g.pick(bump(), g.atom("i32")))
		g.declare("i32", fmt.Sprintf("lo%[1]d - hi%[1]d*3", n))
	case 3:
		g.line("var m%d [3][2]pair", n)
		g.line("m%d[mod(%s, 3)][%s & 1].a = %s", n, bump(), bump(), bump())
		g.line("m%d[mod(%s, 3)][%s & 1].v[%s & 1] = f32(%s)", n, g.atom("i32"), bump(), bump(), bump())
		g.line("hi%[1]d := &m%[1]d[mod(%s, 3)]", n, bump())
		g.line("hi%d[%s & 1].w[mod(%s, 3)] += i64(%s)", n, bump(), bump(), bump())
		g.line("cp%[1]d := *hi%[1]d", n)
		g.line("m%[1]d[1] = cp%[1]d", n)
		g.declare("i32", fmt.Sprintf("m%[1]d[%s & 1][0].a + i32(m%[1]d[1][%s & 1].w[%s & 1]) + i32(m%[1]d[2][1].v.y)", n, g.atom("i32"), bump(), g.atom("i32")))
	case 4:
		g.line("if %s > 2 && %s < 9 || %s == 1 { %s = %s }", bump(), bump(), bump(), a, bump())
	case 5:
		if g.own.known() {
			place, t := g.ownPlace()
			g.line("%s, %s = %s, %s", place, a, g.expr(t, 2), bump())
		}
	case 6:
		if g.own.known() {
			m := g.pick("V", "U", "M.Pos")
			if !g.kernel {
				m = "V"
			}
			g.line("e%d := &%s[%s]", n, m, g.own.index)
			g.line("e%d[%s & 1] %s f32(%s & 63)", n, bump(), g.pick("=", "+=", "-="), bump())
			g.line("e%[1]d.xy = e%[1]d.yx", n)
			g.declare("vec2", fmt.Sprintf("*e%d", n))
		}
	case 7:
		g.line("q%d := %s", n, g.expr("mat2", 1))
		g.line("q%d[%s & 1], q%d[%s & 1][%s & 1] = vec2(f32(%s & 7), 2), f32(%s & 3)", n, bump(), n, bump(), bump(), bump(), bump())
		g.line("q%[1]d[0], q%[1]d[1] = q%[1]d[1], q%[1]d[0]", n)
		g.declare("mat2", fmt.Sprintf("q%d", n))
	case 8:
		g.line("switch %s & 3 {", bump())
		g.line("case %s & 3:", g.pick("0", bump()))
		g.line("\t%s = %s", a, bump())
		g.line("case 1, %s:", g.pick("2", bump()))
		g.line("\t%s -= 5", a)
		g.line("default:")
		g.line("\t%s ^= 3", a)
		g.line("}")
	}
}
