package random

import (
	"fmt"
	"strings"
)

// expr returns an expression of type t.
func (g *generator) expr(t string, depth int) string {
	if depth <= 0 || g.chance(15) {
		return g.atom(t)
	}
	if g.ordered && g.chance(8) {
		if e, ok := g.effect(t, depth); ok {
			return e
		}
	}
	typ := typeOf(t)
	switch {
	case typ.m > 0:
		return g.matrix(typ, depth)
	case typ.n > 0:
		return g.vector(typ, depth)
	case t == "bool":
		return g.boolean(depth)
	case typ.float():
		return g.float(t, depth)
	}
	return g.integer(t, depth)
}

func (g *generator) float(t string, depth int) string {
	sub := func(t string) string { return g.expr(t, depth-1) }
	switch g.r.IntN(11) {
	case 0, 1, 2:
		return fmt.Sprintf("(%s %s %s)", sub(t), g.pick("+", "-", "*", "/"), sub(t))
	case 3:
		return fmt.Sprintf("(%s %s %s)", sub(t), g.pick("+", "-", "*", "/"), g.pick("2", "0.5", "3", "1.25"))
	case 4:
		return fmt.Sprintf("%s(%s)", g.pick("floor", "ceil", "round", "trunc", "abs", "sqrt", "-", "sign", "sqr"), sub(t))
	case 5:
		// Which zero min and max choose is not defined; the sum makes it +0.
		return fmt.Sprintf("(%s(%s, %s) + 0.0)", g.pick("min", "max"), sub(t), sub(t))
	case 6:
		return fmt.Sprintf("ifelse(%s, %s, %s)", sub("bool"), sub(t), sub(t))
	case 7:
		return fmt.Sprintf("%s(%s)", t, sub(g.pick(g.scalars()...)))
	case 8:
		if t == "f32" {
			return g.component(depth)
		}
		return fmt.Sprintf("fma(%s, %s, %s)", sub(t), sub(t), sub(t))
	}
	return g.read(t, depth)
}

// component returns an f32 computed from a vector or matrix.
func (g *generator) component(depth int) string {
	sub := func(t string) string { return g.expr(t, depth-1) }
	switch g.r.IntN(6) {
	case 0:
		v := g.pick("vec2", "vec3", "vec5", "vec13")
		return fmt.Sprintf("dot(%s, %s)", sub(v), sub(v))
	case 1:
		return fmt.Sprintf("%s(%s)", g.pick("sum", "product", "length2"), sub(g.pick("vec2", "vec3", "vec5", "vec13")))
	case 2:
		return fmt.Sprintf("%s(%s)", g.pick("determinant", "trace"), sub(g.pick("mat2", "mat3")))
	case 3:
		return fmt.Sprintf("%s[%s]", g.atom("vec5"), g.within(5))
	case 4:
		return fmt.Sprintf("%s[%s][%s]", g.atom("mat3"), g.within(3), g.within(3))
	}
	return fmt.Sprintf("cross(%s, %s)", sub("vec2"), sub("vec2"))
}

func (g *generator) integer(t string, depth int) string {
	sub := func(t string) string { return g.expr(t, depth-1) }
	switch g.r.IntN(13) {
	case 0, 1, 2:
		return fmt.Sprintf("(%s %s %s)", sub(t), g.pick("+", "-", "*", "/", "%", "&", "|", "^", "&^"), sub(t))
	case 3:
		return fmt.Sprintf("(%s %s %s)", sub(t), g.pick("+", "-", "*", "/", "%", "&", "|", "^"), g.pick("2", "3", "7", "16", "100"))
	case 11:
		return fmt.Sprintf("pow(%s, %s)", sub(t), g.pick("2", "3", "5", sub(t), g.atom("i32")))
	case 4:
		return fmt.Sprintf("(%s %s %s)", sub(t), g.pick("<<", ">>"), g.pick("1", "3", "7", g.atom("i32"), g.atom("u8")))
	case 5:
		return fmt.Sprintf("%s(%s)", g.pick("-", "^", "abs", "sign", "popcount", "clz", "sqr"), sub(t))
	case 6:
		return fmt.Sprintf("%s(%s, %s)", g.pick("min", "max", "mod", "floorDiv"), sub(t), sub(t))
	case 7:
		return fmt.Sprintf("ifelse(%s, %s, %s)", sub("bool"), sub(t), sub(t))
	case 8, 9:
		return fmt.Sprintf("%s(%s)", t, sub(g.pick(g.scalars()...)))
	case 10:
		switch t {
		case "i32":
			return g.pick(fmt.Sprintf("(%s + M.K)", sub(t)), fmt.Sprintf("(%s * N)", sub(t)), fmt.Sprintf("%s[%s]", g.atom("ivec3"), g.within(3)),
				fmt.Sprintf("%s(%s)", g.pick("sum", "minOf", "maxOf"), sub(g.pick("ivec3", "imat7"))), fmt.Sprintf("trace(%s)", sub("imat7")),
				fmt.Sprintf("%s[%s][%s]", g.atom("imat7"), g.within(7), g.within(7)), fmt.Sprintf("%s[%s][1]", g.atom("imat2"), g.within(2)))
		case "u8":
			return fmt.Sprintf("%s[%s]", g.atom("bytes3"), g.within(3))
		}
	}
	return g.read(t, depth)
}

// within returns an index of something that has n components.
func (g *generator) within(n int) string {
	a := g.atom("i32")
	if g.ordered && g.chance(20) {
		if e, ok := g.effect("i32", 1); ok {
			a = e
		}
	}
	if n&(n-1) == 0 && g.chance(50) {
		return fmt.Sprintf("%s&%d", a, n-1)
	}
	if !g.safe && g.chance(15) {
		return a
	}
	return g.pick(fmt.Sprint(g.r.IntN(n)), fmt.Sprintf("mod(%s, %d)", a, n), fmt.Sprintf("clamp(%s, 0, %d)", a, n-1), fmt.Sprintf("u32(%s)%%%d", a, n))
}

func (g *generator) boolean(depth int) string {
	t := g.pick("i32", "f32", g.pick(g.scalars()...))
	switch g.r.IntN(6) {
	case 0:
		return fmt.Sprintf("(%s %s %s)", g.expr("bool", depth-1), g.pick("&&", "||", "==", "!="), g.expr("bool", depth-1))
	case 1:
		return fmt.Sprintf("!(%s)", g.expr("bool", depth-1))
	case 2:
		v := g.pick("vec2", "ivec3")
		return fmt.Sprintf("%s(%s < %s)", g.pick("any", "all"), g.expr(v, depth-1), g.expr(v, depth-1))
	case 3:
		v := g.pick(g.types...)
		return fmt.Sprintf("(%s %s %s)", g.expr(v, depth-1), g.pick("==", "!="), g.expr(v, depth-1))
	}
	if t == "bool" {
		return g.pick("!", "") + g.expr(t, depth-1)
	}
	return fmt.Sprintf("(%s %s %s)", g.expr(t, depth-1), g.pick("<", "<=", ">", ">=", "==", "!="), g.expr(t, depth-1))
}

// list returns n expressions, with commas between.
func (g *generator) list(n int, t string, depth int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = g.expr(t, depth)
	}
	return strings.Join(all, ", ")
}

func (g *generator) vector(t randomType, depth int) string {
	sub := func(t string) string { return g.expr(t, depth-1) }
	if t.elem == "bool" {
		which := g.r.IntN(4)
		if t.n != 2 {
			which = which / 2 * 3
		}
		switch which {
		case 0:
			return fmt.Sprintf("%s(%s)", t.name, g.list(t.n, "bool", depth-1))
		case 1:
			v := g.pick("vec2", "ivec2")
			return fmt.Sprintf("(%s %s %s)", sub(v), g.pick("<", ">="), sub(v))
		case 2:
			return fmt.Sprintf("equal(%s, %s)", sub("ivec2"), sub("ivec2"))
		}
		return fmt.Sprintf("(%s %s %s)", sub(t.name), g.pick("&&", "||"), sub(t.name))
	}
	switch g.r.IntN(9) {
	case 0, 1:
		op := g.pick("+", "-", "*", "/")
		return fmt.Sprintf("(%s %s %s)", sub(t.name), op, g.pick(sub(t.name), sub(t.elem)))
	case 2:
		return fmt.Sprintf("%s(%s)", t.name, g.list(t.n, t.elem, min(depth-1, 1)))
	case 3:
		return fmt.Sprintf("%s(%s)", t.name, sub(t.elem))
	case 4:
		zero := "0"
		if t.float() {
			zero = "0.0"
		}
		return fmt.Sprintf("(%s(%s, %s) + %s)", g.pick("min", "max"), sub(t.name), sub(t.name), zero)
	case 5:
		swizzle := map[int][]string{2: {".yx", ".xx", ".xy", ".gr", ".st"}, 3: {".zyx", ".xxy", ".yzx", ".brg", ".tps"}}[t.n]
		if swizzle == nil {
			return g.atom(t.name)
		}
		return g.atom(t.name) + g.pick(swizzle...)
	case 6:
		switch t.name {
		case "vec2":
			return g.pick(fmt.Sprintf("(%s * %s)", sub("mat2"), sub("vec2")), fmt.Sprintf("(%s * %s)", sub("mat23"), sub("vec3")),
				fmt.Sprintf("(%s * %s)", sub("vec2"), sub("mat2")), fmt.Sprintf("%s[%s]", g.atom("mat2"), g.within(2)), "("+sub("vec2")+" - M.O)",
				fmt.Sprintf("solve(%s, %s)", sub("mat2"), sub("vec2")), fmt.Sprintf("col(%s, %s)", sub("mat2"), g.within(2)),
				fmt.Sprintf("col(%s, %s)", g.atom("mat23"), g.within(3)), g.atom("vec5")+g.pick("[1:3]", "[0:3:2]", "[1:5:3]"), sub("vec3")+"[1:]")
		case "vec3":
			return g.pick(fmt.Sprintf("(%s * %s)", sub("vec2"), sub("mat23")), fmt.Sprintf("cross(%s, %s)", sub("vec3"), sub("vec3")),
				fmt.Sprintf("%s[%s]", g.atom("mat3"), g.within(3)), fmt.Sprintf("solve(%s, %s)", sub("mat3"), sub("vec3")),
				fmt.Sprintf("col(%s, %s)", sub("mat3"), g.within(3)), sub("vec13")+g.pick("[:3]", "[1:13:5]", "[0:9:4]"))
		case "ivec2":
			return g.pick(fmt.Sprintf("(%s * %s)", sub("imat2"), sub("ivec2")), fmt.Sprintf("ivec2(%s)", sub("vec2")))
		}
		return g.atom(t.name)
	case 7:
		if flags, ok := vectorOf("bool", t.n); ok {
			return fmt.Sprintf("ifelse(%s, %s, %s)", sub(flags.name), sub(t.name), sub(t.name))
		}
		return g.read(t.name, depth)
	}
	return fmt.Sprintf("ifelse(%s, %s, %s)", sub("bool"), sub(t.name), sub(t.name))
}

func (g *generator) matrix(t randomType, depth int) string {
	sub := func(t string) string { return g.expr(t, depth-1) }
	switch g.r.IntN(8) {
	case 0:
		return fmt.Sprintf("(%s %s %s)", sub(t.name), g.pick("+", "-"), sub(t.name))
	case 1:
		return fmt.Sprintf("hadamard(%s, %s)", sub(t.name), sub(t.name))
	case 2:
		return fmt.Sprintf("(%s * %s)", sub(t.elem), sub(t.name))
	case 3:
		if t.size() > 16 {
			return fmt.Sprintf("(%s(%s) + outer(%s, %s))", t.name, sub(t.elem), g.sevens(), g.sevens())
		}
		return fmt.Sprintf("%s(%s)", t.name, g.list(t.size(), t.elem, 1))
	case 4:
		if t.n == t.m {
			return fmt.Sprintf("(%s * %s)", sub(t.name), sub(t.name))
		}
		return fmt.Sprintf("(%s * %s)", sub("mat2"), sub(t.name))
	case 5:
		if t.name == "mat3" && g.chance(50) {
			return g.pick(fmt.Sprintf("scale(%s)", sub("vec2")), fmt.Sprintf("translate(%s)", sub("vec2")), fmt.Sprintf("homogeneous(%s)", sub("mat2")))
		}
		if t.name == "mat2" && g.chance(50) {
			return fmt.Sprintf("diag(%s)", sub("vec2"))
		}
		if t.n == t.m {
			return fmt.Sprintf("transpose(%s)", sub(t.name))
		}
		return fmt.Sprintf("outer(%s, %s)", sub("vec2"), sub("vec3"))
	case 6:
		if t.n == t.m && t.float() {
			return fmt.Sprintf("inverse(%s)", sub(t.name))
		}
		return g.read(t.name, depth)
	}
	return fmt.Sprintf("ifelse(%s, %s, %s)", sub("bool"), sub(t.name), sub(t.name))
}

// sevens returns a vector of seven integers: a row of a matrix, or its diagonal, or the
// product with another row.
func (g *generator) sevens() string {
	m := g.atom("imat7")
	row := fmt.Sprintf("%s[%s]", m, g.within(7))
	return g.pick(row, fmt.Sprintf("diag(%s)", m), fmt.Sprintf("(%s * %s)", g.atom("imat7"), row), fmt.Sprintf("(%s * %s)", row, g.atom("imat7")))
}
