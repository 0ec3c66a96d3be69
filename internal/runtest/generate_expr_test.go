package runtest

import "fmt"

// atom returns a variable of type t, or something as simple that is no constant.
func (g *generator) atom(t string) string {
	var can []string
	for _, v := range g.vars {
		if v.typ == t {
			can = append(can, v.name)
		}
	}
	if len(can) > 0 {
		return g.pick(can...)
	}
	base := "i32"
	if isFloat(t) {
		base = "f32"
	}
	var from string
	for _, v := range g.vars {
		if v.typ == base {
			from = v.name
		}
	}
	elem, n := elemOf(t)
	switch {
	case t == "bool":
		return fmt.Sprintf("(%s > 2)", from)
	case n > 0:
		return fmt.Sprintf("%s(%s)", t, from)
	}
	return fmt.Sprintf("%s(%s)", elem, from)
}

// expr returns an expression of type t.
func (g *generator) expr(t string, depth int) string {
	if depth == 0 || g.chance(15) {
		return g.atom(t)
	}
	elem, n := elemOf(t)
	sub := func(t string) string { return g.expr(t, depth-1) }
	switch {
	case t == "bool":
		return g.boolean(depth)
	case n > 0:
		return g.vector(t, elem, n, depth)
	case isFloat(t):
		switch g.r.IntN(9) {
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
			return fmt.Sprintf("%s(%s)", t, sub(g.pick(scalarTypes...)))
		}
		return g.read(t, depth)
	}
	switch g.r.IntN(12) {
	case 0, 1, 2:
		return fmt.Sprintf("(%s %s %s)", sub(t), g.pick("+", "-", "*", "/", "%", "&", "|", "^", "&^"), sub(t))
	case 3:
		return fmt.Sprintf("(%s %s %s)", sub(t), g.pick("+", "-", "*", "/", "%", "&", "|", "^"), g.pick("2", "3", "7", "16", "100"))
	case 4:
		return fmt.Sprintf("(%s %s %s)", sub(t), g.pick("<<", ">>"), g.pick("1", "3", "7", g.atom("i32"), g.atom("u8")))
	case 5:
		return fmt.Sprintf("%s(%s)", g.pick("-", "^", "abs", "sign", "popcount", "clz", "sqr"), sub(t))
	case 6:
		return fmt.Sprintf("%s(%s, %s)", g.pick("min", "max", "mod", "floorDiv"), sub(t), sub(t))
	case 7:
		return fmt.Sprintf("ifelse(%s, %s, %s)", sub("bool"), sub(t), sub(t))
	case 8, 9:
		return fmt.Sprintf("%s(%s)", t, sub(g.pick(scalarTypes...)))
	}
	return g.read(t, depth)
}

// read returns an element of a field, or what a function gives.
func (g *generator) read(t string, depth int) string {
	index := fmt.Sprintf("(%s & 31)", g.atom("i32"))
	if g.chance(10) {
		index = g.atom("i32") // out of range at times
	}
	if g.index != "" && g.chance(40) {
		index = g.index
	}
	var e, et string
	switch g.r.IntN(8) {
	case 6, 7:
		e, et = g.call(depth)
		if et == "u16" && !g.slice {
			return g.atom(t)
		}
	case 0:
		e, et = fmt.Sprintf("A[%s]", index), "i32"
	case 1:
		e, et = fmt.Sprintf("B[%s]", index), "f32"
	case 2:
		e, et = fmt.Sprintf("C[%s]", index), "i64"
	case 3:
		if g.index == "" {
			return g.atom(t)
		}
		e, et = fmt.Sprintf("X[%s]", g.index), "i32"
	case 4:
		if g.index == "" {
			return g.atom(t)
		}
		e, et = fmt.Sprintf("V[%s].y", g.index), "f32"
	default:
		if len(g.funcs) == 0 {
			return g.atom(t)
		}
		e, et = fmt.Sprintf("%s(%s, %s)", g.pick(g.funcs...), g.expr("i32", depth-1), g.expr("f32", depth-1)), "i32"
	}
	if t == et {
		return e
	}
	return fmt.Sprintf("%s(%s)", t, e)
}

func (g *generator) boolean(depth int) string {
	t := g.pick("i32", "f32", "u32", "i64", "u8", "f64", "f16")
	switch g.r.IntN(6) {
	case 0:
		return fmt.Sprintf("(%s %s %s)", g.expr("bool", depth-1), g.pick("&&", "||", "==", "!="), g.expr("bool", depth-1))
	case 1:
		return fmt.Sprintf("!(%s)", g.expr("bool", depth-1))
	case 2:
		v := g.pick("vec2", "ivec3")
		return fmt.Sprintf("%s(%s < %s)", g.pick("any", "all"), g.expr(v, depth-1), g.expr(v, depth-1))
	}
	return fmt.Sprintf("(%s %s %s)", g.expr(t, depth-1), g.pick("<", "<=", ">", ">=", "==", "!="), g.expr(t, depth-1))
}

func (g *generator) vector(t, elem string, n, depth int) string {
	sub := func(t string) string { return g.expr(t, depth-1) }
	switch g.r.IntN(6) {
	case 0:
		op := g.pick("+", "-", "*", "/")
		return fmt.Sprintf("(%s %s %s)", sub(t), op, g.pick(sub(t), sub(elem)))
	case 1:
		s := t + "("
		for i := range n {
			if i > 0 {
				s += ", "
			}
			s += sub(elem)
		}
		return s + ")"
	case 2:
		return fmt.Sprintf("%s(%s)", t, sub(elem))
	case 3:
		zero := "0"
		if isFloat(t) {
			zero = "0.0"
		}
		return fmt.Sprintf("(%s(%s, %s) + %s)", g.pick("min", "max"), sub(t), sub(t), zero)
	case 4:
		swizzle := map[int][]string{2: {".yx", ".xx", ".xy"}, 3: {".zyx", ".xxy", ".yzx"}}[n]
		return g.atom(t) + g.pick(swizzle...)
	}
	return fmt.Sprintf("ifelse(%s, %s, %s)", sub("bool"), sub(t), sub(t))
}
