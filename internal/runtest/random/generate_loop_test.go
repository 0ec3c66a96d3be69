package random

import "fmt"

// loop writes a parallel loop.
func (g *generator) loop(n int) {
	saved := g.vars
	g.sum, g.sumOp = g.pick("", "r1", "r3"), g.pick("+=", "-=", "^=", "|=", "min", "max")
	if !g.exact && g.chance(60) {
		g.sum, g.sumOp = "r2", g.pick("+=", "-=", "*=", "min", "max")
	}
	g.hist = g.pick("", "+=", "^=", "|=", "&=", "min", "max")
	g.grow = g.pick("", "+=", "+=", "min", "max")
	// What the kernel's outermost scope declares can be read, not assigned; and what
	// the loop reduces into cannot be read.
	var kept []variable
	for _, v := range g.vars {
		if v.name != g.sum {
			kept = append(kept, variable{v.name, v.typ, true})
		}
	}
	g.vars = kept
	g.head(n)
	g.tabs++
	for range g.size {
		g.declareAny()
	}
	g.fuel = 2 + g.r.IntN(5*g.size)
	for g.fuel > 0 {
		g.block(3)
	}
	for range 3 {
		g.store()
	}
	g.tabs--
	for g.tabs > 1 {
		g.line("}")
		g.tabs--
	}
	g.line("}")
	g.vars, g.inside, g.own, g.sum, g.hist, g.loops = saved, nil, element{}, "", "", 0
	g.grow = ""
}

// head begins a loop, and says which elements an iteration has: a bijection between
// iterations and elements.
func (g *generator) head(n int) {
	i := fmt.Sprintf("i%d", n)
	switch k := g.r.IntN(20); {
	case k < 8:
		g.alongLine(i, n)
	case k < 10:
		g.alongBlocks(i)
	case k < 12:
		g.alongNode(n)
	default:
		g.alongGrid(n)
	}
}

// alongLine writes a loop over elements in a line.
func (g *generator) alongLine(i string, n int) {
	head := g.pick("range "+fmt.Sprint(g.n()), "range N", fmt.Sprintf("range span(clamp(p, 0, 20), %d)", g.n()), "range X", "range W", "range L[0]", "range Z",
		"range len(A)", "range M.Pos.shape[0]", "range config(X, threads(2))", "range V", "range serial(X)")
	if head == "range W" || head == "range Z" {
		i += ", e" + i
		g.line("for %s := %s {", i, head)
		g.line("\t_ = e%s", i[:len(i)/2-1])
		i = i[:len(i)/2-1]
	} else {
		g.line("for %s := %s {", i, head)
	}
	g.line("\t_ = %s", i)
	at := i
	if g.chance(30) { // another element than the iteration's number
		at = fmt.Sprintf("j%d", n)
		g.line("\t%s := %s", at, g.pick(fmt.Sprintf("%d - %s", g.n()-1, i), fmt.Sprintf("%s^1", i), fmt.Sprintf("(%s*5) %% %d", i, g.n()), fmt.Sprintf("(%s+7) %% N", i)))
		if g.n()%5 == 0 || g.n()%2 == 1 { // then these are no bijections
			g.line("\t%s = %s", at, i)
		}
		g.line("\t_ = %s", at)
		g.vars = append(g.vars, variable{at, "i32", true})
	}
	g.vars = append(g.vars, variable{i, "i32", true})
	g.inside = []string{i}
	g.own = element{index: at, row: fmt.Sprintf("(%s/%d)", at, g.cols), col: fmt.Sprintf("(%s%%%d)", at, g.cols)}
	if g.chance(30) {
		g.line("\tg%d := ivec2(%s, %s) + ivec2(%d, %d)", n, g.own.row, g.own.col, g.origin[0], g.origin[1])
		g.line("\t_ = g%d", n)
		g.own.group = fmt.Sprintf("g%d", n)
	}
}

// alongBlocks writes a loop whose iterations have several elements each.
func (g *generator) alongBlocks(i string) {
	size := divisor(g.r, g.n())
	if size > 64 {
		size = 1
	}
	g.line("for %s := range %d {", i, g.n()/size)
	g.tabs++
	g.line("_ = %s", i)
	g.vars = append(g.vars, variable{i, "i32", true})
	g.declare("i32", g.expr("i32", 2))
	k := "k" + i
	static := size <= 4 && g.chance(30)
	if static {
		g.line("for %s := range static(%d) {", k, size)
	} else {
		g.line("for %s := %s {", k, g.pick(fmt.Sprintf("range %d", size), fmt.Sprintf("range serial(%d)", size), fmt.Sprintf("0; %s < %d; %s++", k, size, k)))
		g.vars = append(g.vars, variable{k, "i32", true})
	}
	g.line("\t_ = %s", k)
	g.loops++
	at := g.pick(fmt.Sprintf("(%s*%d + %s)", i, size, k), fmt.Sprintf("(%s + %s*%d)", i, k, g.n()/size))
	if g.chance(50) {
		g.line("\tj%s := %s", i, at)
		at = "j" + i
		g.line("\t_ = %s", at)
		g.vars = append(g.vars, variable{at, "i32", true})
	}
	g.inside = []string{at}
	g.own = element{index: at, row: fmt.Sprintf("(%s/%d)", at, g.cols), col: fmt.Sprintf("(%s%%%d)", at, g.cols)}
}

// alongGrid writes a loop over a grid.
func (g *generator) alongGrid(n int) {
	i, j, p := fmt.Sprintf("i%d", n), fmt.Sprintf("j%d", n), fmt.Sprintf("g%d", n)
	lo := g.origin
	if g.chance(50) {
		over := g.pick("P", "Q", "G", "T", "ndrange", "P.shape")
		switch over {
		case "T":
			lo = [2]int{}
		case "ndrange":
			over = fmt.Sprintf("ndrange(span(%d, %d), span(%d, %d))", lo[0], lo[0]+g.rows, lo[1], lo[1]+g.cols)
		case "P.shape":
			lo = [2]int{}
			over = "ndrange(P.shape)"
		}
		g.line("for %s := range %s {", p, over)
		g.line("\t%s, %s := %s", i, j, p)
	} else {
		over := g.pick("P", "Q", "T", "ndrange", "len")
		switch over {
		case "T":
			lo = [2]int{}
		case "ndrange":
			lo = [2]int{}
			over = fmt.Sprintf("ndrange(%d, %d)", g.rows, g.cols)
		case "len":
			lo = [2]int{}
			over = "ndrange(TA.shape[0], P.shape.y)"
		}
		g.line("for %s, %s := range %s {", i, j, over)
		p = ""
	}
	g.grid(i, j, p, lo)
}

// alongNode writes a loop over the cells of a node and the elements in each.
func (g *generator) alongNode(n int) {
	i, j, b := fmt.Sprintf("i%d", n), fmt.Sprintf("j%d", n), fmt.Sprintf("b%d", n)
	g.line("for %s := range Blocks {", b)
	g.tabs++
	g.vars = append(g.vars, variable{b, "ivec2", true})
	g.declare("i32", g.expr("i32", 2))
	g.line("for %s, %s := range ndrange(span(%s.x*%d, (%s.x+1)*%d), span(%s.y*%d, (%s.y+1)*%d)) {",
		i, j, b, g.cell[0], b, g.cell[0], b, g.cell[1], b, g.cell[1])
	g.loops++
	g.grid(i, j, "", g.origin)
}

// grid says which elements an iteration has whose row and column are i and j, counted
// from lo; p is both, or empty.
func (g *generator) grid(i, j, p string, lo [2]int) {
	g.line("\t_, _ = %s, %s", i, j)
	g.vars = append(g.vars, variable{i, "i32", true}, variable{j, "i32", true})
	if p != "" {
		g.vars = append(g.vars, variable{p, "ivec2", true})
	}
	from := func(s string, lo int) string {
		if lo == 0 {
			return s
		}
		return fmt.Sprintf("(%s%+d)", s, -lo)
	}
	g.own = element{row: from(i, lo[0]), col: from(j, lo[1])}
	if lo == g.origin {
		g.own.group = p
	}
	g.own.index = fmt.Sprintf("(%s*%d + %s)", g.own.row, g.cols, g.own.col)
	if g.chance(50) {
		g.line("\tn%s := %s", i, g.own.index)
		g.own.index = "n" + i
		g.line("\t_ = n%s", i)
		g.vars = append(g.vars, variable{g.own.index, "i32", true})
	}
	g.inside = []string{g.own.index}
}

// store writes to what a parallel loop may write.
func (g *generator) store() {
	switch k := g.r.IntN(9); {
	case k == 8 && g.grow != "":
		g.accumulate()
	case k < 2 && !g.exact:
		g.line("F[%s&7] += %s", g.atom("i32"), g.expr("f32", 2))
	case k == 2 && g.chance(40):
		x, i, t := g.ownSection()
		g.line("put(%s, %s, %s)", x, i, g.expr(t, 3))
	case k < 6:
		place, t := g.ownPlace()
		typ := typeOf(t)
		switch {
		case typ.elem == "bool" || typ.m > 0 || g.chance(60):
			g.line("%s = %s", place, g.expr(t, 3))
		case typ.n == 0 && !typ.float():
			g.update(place, g.pick("+=", "-=", "*=", "^=", "|=", "min", "max"), t)
		default:
			g.line("%s %s %s", place, g.pick("+=", "-=", "*="), g.expr(t, 2))
		}
	case k == 6:
		if g.hist != "" {
			index := fmt.Sprintf("(%s&7)", g.atom("i32"))
			if !g.safe && g.chance(30) {
				index = g.atom("i32")
			}
			g.update("H["+g.pick(g.own.index+"%8", index)+"]", g.hist, "i32")
		}
	default:
		if g.sum != "" {
			g.update(g.sum, g.sumOp, map[string]string{"r1": "i32", "r2": "f32", "r3": "u32"}[g.sum])
		}
	}
}

// accumulate changes the iteration's element of O once or several times. Strict maths
// has the order of the source there, though the loop does nothing else with O.
func (g *generator) accumulate() {
	place := fmt.Sprintf("O[%s]", g.own.index)
	op := g.grow
	if op == "+=" {
		op = g.pick("+=", "-=") // sums are merged alike
	}
	if g.loops > 1 || g.chance(50) {
		g.update(place, op, "f32")
		return
	}
	g.line("for range %d {", 2+g.r.IntN(3))
	g.update(place, op, "f32")
	g.line("}")
}

func (g *generator) update(place, op, typ string) {
	if op == "min" || op == "max" {
		g.line("%s = %s(%s, %s)", place, op, place, g.expr(typ, 2))
		return
	}
	g.line("%s %s %s", place, op, g.expr(typ, 2))
}

// search writes a loop that reads one element after the other.
func (g *generator) search() {
	if g.loops > 1 || !g.own.known() {
		return
	}
	g.names++
	acc, k := fmt.Sprintf("a%d", g.names), fmt.Sprintf("k%d", g.names)
	n := g.n()
	m := g.pick("A", "L[2]")
	g.line("%s := %s", acc, g.atom("i32"))
	a, e := g.atom("i32"), g.own.index
	switch g.r.IntN(6) {
	case 0:
		g.line("for %s := range span(max(%s-2, 0), min(%s+3, %d)) { %s ^= %s[%s] }", k, e, e, n, acc, m, k)
	case 1:
		g.line("for d%s := range span(-1, 2) {", k)
		g.line("\t%s := %s + d%s", k, e, k)
		g.line("\tif %s < 0 || %s >= len(%s) { %s }", k, k, m, g.pick("continue", "break"))
		g.line("\t%s += %s[%s]", acc, m, k)
		g.line("}")
	case 2:
		g.line("for %s := 0; %s < %d; %s += 13 { %s += %s[%s] }", k, k, n, k, acc, m, k)
	case 3:
		g.line("for %s := %d; %s >= 0; %s -= 11 { %s = max(%s, %s[%s]) }", k, n-1, k, k, acc, acc, m, k)
	case 4:
		g.line("if %s := %s; 0 <= %s && %s < %d { %s -= %s[%s] }", k, a, k, k, n, acc, m, k)
	case 5:
		g.line("%s := clamp(%s, 0, %d)", k, a, n-1)
		g.line("for %s > 0 && %s[%s] > %s { %s-- }", k, m, k, g.atom("i32"), k)
		g.line("%s += %s", acc, k)
	}
	g.vars = append(g.vars, variable{acc, "i32", false})
}

// labelled writes two loops of which the inner one leaves both.
func (g *generator) labelled(depth int) {
	if g.loops > 0 || !g.own.known() {
		return
	}
	g.names++
	n := g.names
	g.line("outer%d:", n)
	g.loops += 2
	saved := len(g.vars)
	g.line("for i%[1]dx := range %[2]s {", n, g.pick("4", "static(3)", "serial(3)"))
	g.tabs++
	g.line("_ = i%dx", n)
	g.line("for j%dx := range 3 {", n)
	g.vars = append(g.vars, variable{fmt.Sprintf("j%dx", n), "i32", true})
	g.tabs++
	g.line("_ = j%dx", n)
	g.line("if %s { %s outer%d }", g.expr("bool", 2), g.pick("break", "continue"), n)
	g.block(depth - 1)
	g.tabs--
	g.line("}")
	g.vars = g.vars[:saved]
	g.block(depth - 1)
	g.tabs--
	g.line("}")
	g.vars = g.vars[:saved]
	g.loops -= 2
}
