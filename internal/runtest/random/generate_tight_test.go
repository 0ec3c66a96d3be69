package random

import (
	"fmt"
	"math/rand/v2"
)

// tightKernel returns a source whose loops do little but arithmetic: what vectorisers
// and the packet pass take on, and other random kernels hardly ever are.
func tightKernel(s scene) string {
	g := &generator{scene: s, r: rand.New(rand.NewPCG(s.seed, 23)), tight: true, types: []string{"i32", "f32", "bool", "vec2"}}
	if g.chance(20) {
		g.types = append(g.types, "u8", "f64", "f16", "i64", "u32")
	}
	g.loose = g.chance(60)
	g.line("package random\n")
	g.line("%s\n%s", sceneVars, randomPrelude)
	g.line("func Run(%s) (r1 i32, r2 f32, r3 u32) {", sceneParameters)
	g.kernel = true
	g.tabs++
	for n := range 1 + g.r.IntN(2) {
		g.vars = []variable{{"p", "i32", true}, {"q", "f32", true}}
		g.tightLoop(n)
	}
	g.line("return")
	g.tabs--
	g.line("}")
	return g.out.String()
}

// tightLoop writes a parallel loop with one or two serial ones in it.
func (g *generator) tightLoop(n int) {
	i := fmt.Sprintf("i%d", n)
	if g.chance(50) {
		g.line("for %s := range %s {", i, g.pick(fmt.Sprint(g.n()), "X", "Y"))
		g.vars = append(g.vars, variable{i, "i32", true})
		g.own = element{index: i, row: fmt.Sprintf("(%s/%d)", i, g.cols), col: fmt.Sprintf("(%s%%%d)", i, g.cols)}
	} else {
		g.alongGrid(n)
	}
	g.tabs++
	g.line("_ = %s", g.own.index)
	for range 2 + g.r.IntN(3) {
		place, t := g.tightPlace()
		g.declare(t, place)
	}
	if g.loose {
		g.looseLoop()
	}
	g.declare("f32", g.expr("f32", 2))
	for range 1 + g.r.IntN(2) {
		g.tightSerial(2)
		g.tightBlock(1)
	}
	for range 1 + g.r.IntN(3) {
		place, t := g.tightPlace()
		g.line("%s %s %s", place, g.pick("=", "=", "+="), g.expr(t, 2))
	}
	g.tabs--
	g.line("}")
	g.own, g.inside, g.arrays, g.hist = element{}, nil, nil, ""
}

// An array is one that a loop declares.
type array struct {
	name, typ string
	n         int
}

// looseLoop declares arrays, and chooses how the loop updates elements of other iterations.
func (g *generator) looseLoop() {
	for range 1 + g.r.IntN(2) {
		g.names++
		a := array{fmt.Sprintf("t%d", g.names), g.pick("i32", "f32", "u8", "i64"), 2 + g.r.IntN(7)}
		g.line("var %s [%d]%s", a.name, a.n, a.typ)
		g.line("_ = %s", a.name)
		g.arrays = append(g.arrays, a)
	}
	g.hist = g.pick("+=", "^=", "-=", "max", "|=")
}

// looseStatement writes to an array, or updates an element or a result.
func (g *generator) looseStatement() {
	switch k := g.r.IntN(10); {
	case k < 5:
		e, t := g.ofArray()
		g.line("%s %s %s", e, g.pick("=", "+=", "-="), g.expr(t, 2))
	case k < 8:
		g.update("H["+g.within(8)+"]", g.hist, "i32")
	case k < 9:
		g.line("r1 += %s", g.expr("i32", 2))
	default:
		g.line("r3 ^= u32(%s)", g.expr("i32", 2))
	}
}

// ofArray returns an element of an array.
func (g *generator) ofArray() (element, typ string) {
	a := g.arrays[g.r.IntN(len(g.arrays))]
	return fmt.Sprintf("%s[%s]", a.name, g.within(a.n)), a.typ
}

// tightPlace returns an element of the iteration that is a number or vector.
func (g *generator) tightPlace() (place, typ string) {
	for {
		if place, typ = g.ownPlace(); typ == "i32" || typ == "f32" || typ == "vec2" {
			return place, typ
		}
	}
}

// tightSerial writes a serial loop that iterations leave at different times.
func (g *generator) tightSerial(depth int) {
	g.names++
	k := fmt.Sprintf("k%d", g.names)
	saved := len(g.vars)
	switch g.r.IntN(3) {
	case 0:
		g.line("for %s := range %d {", k, 1+g.r.IntN(9))
	case 1:
		g.line("for %s := 0; %s < %d && %s; %s++ {", k, k, 2+g.r.IntN(8), g.expr("bool", 2), k)
	case 2:
		g.line("for %s := range %s & 7 {", k, g.atom("i32"))
	}
	g.vars = append(g.vars, variable{k, "i32", true})
	g.tabs++
	g.line("_ = %s", k)
	g.loops++
	g.tightBlock(depth)
	if g.chance(70) {
		g.line("if %s { %s }", g.expr("bool", 2), g.pick("break", "break", "continue"))
		g.tightBlock(depth - 1)
	}
	g.loops--
	g.tabs--
	g.line("}")
	g.vars = g.vars[:saved]
}

// tightBlock writes assignments, conditions and loops.
func (g *generator) tightBlock(depth int) {
	saved := len(g.vars)
	for range 1 + g.r.IntN(3) {
		if len(g.arrays) > 0 && g.chance(30) {
			g.looseStatement()
			continue
		}
		switch k := g.r.IntN(10); {
		case k < 5 || depth == 0:
			g.assign()
		case k < 7:
			t := g.pick(g.types...)
			g.declare(t, g.expr(t, 2))
		case k == 7 && g.loops < 2:
			g.tightSerial(depth - 1)
		default:
			g.line("if %s {", g.expr("bool", 2))
			g.tabs++
			g.tightBlock(depth - 1)
			g.tabs--
			if g.chance(50) {
				g.line("} else {")
				g.tabs++
				g.tightBlock(depth - 1)
				g.tabs--
			}
			g.line("}")
		}
	}
	g.vars = g.vars[:saved]
}
