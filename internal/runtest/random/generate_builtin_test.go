package random

import "fmt"

// randomTables declares constants of a source that are indexed at run time.
const randomTables = `const (
	Primes = [7]i32{2, 3, 5, 7, 11, -13, 17}
	Points = [4]vec2{{0, 1}, {0.5, -2}, {1, 1}, {-0.25, 8}}
	Bytes  = [5]u8{0, 255, 7, 128, 1}
)

`

// constant returns an element of a table of constants, and its type.
func (g *generator) constant() (e, t string) {
	switch g.r.IntN(5) {
	case 0:
		return fmt.Sprintf("Points[%s]", g.within(4)), "vec2"
	case 1:
		return fmt.Sprintf("Points[%s]%s", g.within(4), g.pick(".x", ".y", "["+g.within(2)+"]")), "f32"
	case 2:
		return fmt.Sprintf("Bytes[%s]", g.within(5)), "u8"
	}
	return fmt.Sprintf("Primes[%s]", g.within(7)), "i32"
}

// builtin returns a call of a builtin function that is exact, and its type.
func (g *generator) builtin(depth int) (e, t string) {
	sub := func(t string) string { return g.expr(t, depth-1) }
	f := g.pick("f32", "f32", "f64", "f16", "vec2", "vec3", "vec13")
	v := g.pick("vec2", "vec3", "vec5", "vec13")
	switch g.r.IntN(13) {
	case 0:
		return fmt.Sprintf("mix(%s, %s, %s)", sub(f), sub(f), sub(f)), f
	case 1:
		return fmt.Sprintf("(%s(%s, %s) + 0.0)", g.pick("mod", "floorDiv", "step"), sub(f), sub(f)), f
	case 2:
		return fmt.Sprintf("(clamp(%s, 0.25, %s) + 0.0)", sub(f), sub(f)), f
	case 3:
		return fmt.Sprintf("%s(%s)", g.pick("fract", "radians", "degrees", "sqr"), sub(f)), f
	case 4:
		s := g.pick("f32", "f64", "f16")
		return fmt.Sprintf("%s(%s)", g.pick("isnan", "isinf"), sub(s)), "bool"
	case 5: // the bits of what is no number are not defined, nor is the sign of some zeros
		x := sub("f32")
		return fmt.Sprintf("bitcast[u32](ifelse(isnan(%s), 1.5, %s) + 0.0)", x, x), "u32"
	case 6:
		s := g.pick("i32", "u32")
		return fmt.Sprintf("bitcast[f32](%s)", sub(s)), "f32"
	case 7:
		return fmt.Sprintf("bitcast[%s](%s)", "u32", sub("i32")), "u32"
	case 8:
		return fmt.Sprintf("rgba(%s, %s, %s, %s)", sub("f32"), sub("f32"), g.atom("f32"), g.pick("1", g.atom("f32"))), "u32"
	case 9:
		if g.chance(20) {
			return fmt.Sprintf("f32(%s(%s))", g.pick("argMin", "argMax"), sub(v)), "f32"
		}
		return fmt.Sprintf("%s(%s)", g.pick("length", "minOf", "maxOf"), sub(v)) + "*2", "f32"
	case 10:
		return fmt.Sprintf("%s(%s, %s)", g.pick("reflect", "hadamard", "mod"), sub(v), sub(v)), v
	case 11:
		return fmt.Sprintf("unit(3, %d)*%s", g.r.IntN(3), sub("i32")), "ivec3"
	}
	return fmt.Sprintf("distance(%s, %s)", sub(v), sub(v)), "f32"
}

// random returns a random number, and its type. It is the same on
// every back end.
func (g *generator) random() (e, t string) {
	t = g.pick("i32", "f32", "u8", "i64", "f64", "vec2", "ivec3", "long20")
	return fmt.Sprintf("random(%s)", t), t
}

// declareCall declares a variable with a builtin, a constant or a random number.
func (g *generator) declareCall() {
	var e, t string
	switch g.r.IntN(5) {
	case 0:
		e, t = g.constant()
	case 1:
		e, t = g.random()
	default:
		e, t = g.builtin(2)
	}
	g.declare(t, e)
}

// exchange assigns to several variables, or parts of one, at once.
func (g *generator) exchange() {
	t := g.pick(g.types...)
	a, ok := g.assignable(t)
	if !ok {
		g.declareCall()
		return
	}
	typ := typeOf(t)
	if typ.n > 4 && typ.m == 0 && typ.elem == "f32" {
		g.line("%s[1:4] = %s[0:5:2]", a, g.expr(t, 1))
		g.line("%s[0:4:3] %s %s[:2]", a, g.pick("+=", "*=", "-="), g.pick(a, g.atom("vec3")))
		return
	}
	if (typ.n == 2 || typ.n == 3) && typ.m == 0 {
		g.names++
		pair := fmt.Sprintf("x%d", g.names)
		g.line("%s := %s", pair, g.expr(t, 2))
		g.line("%s.%s = %s.xy", a, g.pick("yx", "xy", "gr", "st"), pair)
		if typ.elem != "bool" {
			g.line("%s.%s %s %s.yx", a, g.pick("yx", "xy"), g.pick("+=", "*=", "-="), pair)
		}
		return
	}
	g.names++
	b := fmt.Sprintf("x%d", g.names)
	g.line("%s := %s", b, g.expr(t, 2))
	g.line("%[1]s, %[2]s = %[2]s, %[1]s", a, b)
	g.line("_ = %s", b)
	g.vars = append(g.vars, variable{b, t, false})
}
