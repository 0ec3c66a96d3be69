package random

import (
	"fmt"
	"strings"
)

// report writes a statement that prints or asserts.
func (g *generator) report() {
	if g.own.known() && g.chance(50) { // few iterations print
		g.line("if %s { ", g.pick(fmt.Sprintf("%s%%7 == 3", g.own.index), g.expr("bool", 2)+" && "+g.own.index+" < 40"))
		g.tabs++
		g.print()
		g.tabs--
		g.line("}")
		return
	}
	cond := g.pick(fmt.Sprintf("%s != %d", g.atom("i32"), g.r.IntN(9)), fmt.Sprintf("%s < %d", g.atom("i32"), 20+g.r.IntN(40)), g.expr("bool", 2),
		fmt.Sprintf("abs(%s) <= 0 || true", g.atom("f32")))
	switch g.r.IntN(3) {
	case 0:
		g.line("assert(%s)", cond)
	case 1:
		g.line("assert(%s, \"%%d and %%v\", %s, %s)", cond, g.expr("i32", 2), g.expr(g.pick(g.printable()...), 2))
	case 2:
		g.line("assert(%s, \"never\")", cond)
	}
}

// printable returns types of the kernel. Halves of integers, quotients and the like
// print alike wherever they are computed, but for the sign of zeros.
func (g *generator) printable() []string {
	all := []string{"i32"}
	for _, t := range g.types {
		if typ := typeOf(t); typ.m == 0 && !typ.float() {
			all = append(all, t)
		}
	}
	return all
}

// print prints some values.
func (g *generator) print() {
	n := 1 + g.r.IntN(3)
	var args []string
	for range n {
		if g.chance(20) {
			args = append(args, "("+g.expr(g.pick("f32", "f32", "vec2", "f64", "f16"), 2)+") + 0.0")
			continue
		}
		args = append(args, g.expr(g.pick(g.printable()...), 2))
	}
	switch g.r.IntN(4) {
	case 0, 1:
		g.line("print(%s)", strings.Join(args, ", "))
	case 2:
		g.line("print(\"at\", %s)", strings.Join(args, ", "))
	default:
		g.line("printf(%q, %s)", strings.TrimSpace(strings.Repeat("%5v ", n))+"\n", strings.Join(args, ", "))
	}
}
