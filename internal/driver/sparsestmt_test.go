package driver_test

import (
	"fmt"
	"strings"

	"github.com/gotaichi/ti/internal/layout"
)

// statement writes a random statement of a kernel.
func (g *kernelGen) statement() {
	switch g.rng.IntN(13) {
	case 0:
		g.result(g.expr(2))
	case 1:
		v := g.name("v")
		g.line("%s := %s", v, g.expr(2))
		g.result(v)
		g.scope = append(g.scope, v)
	case 2, 3:
		if g.depth < 2 {
			g.branch()
			return
		}
		g.write()
	case 4:
		if g.depth < 2 {
			g.nested()
			return
		}
		g.write()
	case 5:
		g.cellOp()
	case 6:
		g.listLoop()
	case 7:
		g.cellLoop()
	default:
		g.write()
	}
}

// result makes something of a value.
func (g *kernelGen) result(v string) {
	switch {
	case g.serial && g.chance(2):
		g.line("r0 = r0*31 + %s", v)
	case g.serial:
		g.line("r1 ^= %s", v)
	case g.chance(2):
		g.line("r0 += %s", v)
	default:
		g.line("r1 = max(r1, %s)", v)
	}
}

func (g *kernelGen) branch() {
	g.depth++
	g.line("if %s {", g.cond())
	g.tabs++
	g.statements(1 + g.rng.IntN(2))
	g.tabs--
	if g.chance(3) {
		g.line("} else {")
		g.tabs++
		g.statements(1)
		g.tabs--
	}
	g.line("}")
	g.depth--
}

// nested is a serial loop inside.
func (g *kernelGen) nested() {
	g.depth++
	v := g.name("k")
	if g.serial && len(g.vars) == 0 { // in the outermost scope it would be parallel
		g.line("for %s := range serial(%d) {", v, 1+g.rng.IntN(5))
	} else {
		g.line("for %s := range %s {", v, pick(g.rng, []string{"3", "span(1, 4)", "wrap(n, 0, 5)"}))
	}
	g.tabs++
	g.result(v)
	g.scope = append(g.scope, v)
	g.statements(1 + g.rng.IntN(2))
	g.scope = g.scope[:len(g.scope)-1]
	g.tabs--
	g.line("}")
	g.depth--
}

// write changes a field in the way that the loop allows.
func (g *kernelGen) write() {
	f := pick(g.rng, g.p.fields)
	if g.serial {
		if f.node.kind == layout.Dynamic && g.chance(2) {
			g.appendTo(f, g.index(f.node, len(f.node.path)-1))
			return
		}
		g.store(f, g.index(f.node, len(f.node.path)))
		return
	}
	switch g.roles[f] {
	case roleOwn:
		g.store(f, g.ownIndex(len(f.node.path)))
	case roleAdd:
		g.accumulate(f)
	case roleAppendOwn:
		g.appendTo(f, g.ownIndex(len(f.node.path)-1))
	case roleAppendAny:
		g.appendTo(f, g.index(f.node, len(f.node.path)-1))
	default:
		g.cellOp()
	}
}

// store assigns to an element, or to a component of it.
func (g *kernelGen) store(f *plotField, idx []string) {
	place := f.name + brackets(idx)
	if g.chance(5) {
		for _, o := range g.p.fields {
			ok, own := g.readable(o)
			if ok && o.elem.text == f.elem.text && g.chance(2) {
				var from []string
				if own {
					from = g.ownIndex(len(o.node.path))
				} else {
					from = g.index(o.node, len(o.node.path))
				}
				g.line("%s = %s%s", place, o.name, brackets(from))
				return
			}
		}
	}
	c := g.rng.IntN(len(f.elem.suffix))
	op := pick(g.rng, []string{"=", "=", "+=", "^=", "-="})
	g.line("%s%s %s %s(%s)", place, f.elem.suffix[c], op, f.elem.kinds[c], g.value())
}

// value is one that is no constant: those may not fit a type.
func (g *kernelGen) value() string { return "n + " + g.expr(2) }

// accumulate adds to an element anywhere, in a parallel loop.
func (g *kernelGen) accumulate(f *plotField) {
	c := g.rng.IntN(len(f.elem.suffix))
	place := f.name + brackets(g.index(f.node, len(f.node.path))) + f.elem.suffix[c]
	key := fmt.Sprint(f.name, c)
	if g.ops[key] == "" {
		g.ops[key] = pick(g.rng, []string{"+=", "+=", "^=", "|=", "max"})
	}
	v := fmt.Sprintf("%s(%s)", f.elem.kinds[c], g.value())
	if g.ops[key] == "max" {
		g.line("%s = max(%s, %s)", place, place, v)
		return
	}
	g.line("%s %s %s", place, g.ops[key], v)
}

// appendTo makes a list longer, or shorter.
func (g *kernelGen) appendTo(f *plotField, idx []string) {
	list := f.name + brackets(idx)
	if g.roles[f] != roleAppendAny && g.chance(4) {
		if g.chance(3) {
			g.line("clear(%s)", list)
		} else {
			g.line("resize(%s, len(%s)*%d/4)", list, list, g.rng.IntN(5))
		}
		if g.chance(2) {
			return
		}
	}
	v := ""
	switch f.elem.text {
	case "pair":
		v = fmt.Sprintf("pair{A: i16(n + %s), B: i64(%s)}", g.expr(1), g.expr(1))
	case "[3]i32":
		v = fmt.Sprintf("vec(i32(%s), i32(%s), 3)", g.expr(1), g.expr(0))
	default:
		v = fmt.Sprintf("%s(%s)", f.elem.kinds[0], g.value())
	}
	if g.chance(2) {
		k := g.name("k")
		g.line("%s := append(%s, %s)", k, list, v)
		g.result(k)
		g.scope = append(g.scope, k)
		if g.roles[f] == roleAppendOwn || g.serial {
			g.result(fmt.Sprintf("len(%s)", list))
		}
		return
	}
	g.line("append(%s, %s)", list, v)
}

// cellOp activates or deactivates a cell.
func (g *kernelGen) cellOp() {
	n := pick(g.rng, g.p.nodes)
	if n.kind == layout.Dynamic {
		return
	}
	idx := strings.Join(g.index(n, len(n.path)), ", ")
	switch {
	case n.kind != layout.Dense && g.chance(2):
		g.line("deactivate(%s, %s)", g.domain(n), idx)
	case g.serial || g.changed[n]: // what is above changes too
		g.line("activate(%s, %s)", g.domain(n), idx)
	}
}

// listLoop sums up a list.
func (g *kernelGen) listLoop() {
	f := pick(g.rng, g.p.fields)
	own := g.roles[f] == roleAppendOwn && !g.serial
	if ok, _ := g.readable(f); f.node.kind != layout.Dynamic || !own && (!ok || !g.askable(f.node) || g.roles[f] == roleOwn) || len(g.vars) == 0 {
		return
	}
	idx := g.index(f.node, len(f.node.path)-1)
	if own {
		idx = g.ownIndex(len(f.node.path) - 1)
	}
	k, v := g.name("k"), g.name("v")
	g.line("for %s, %s := range %s%s {", k, v, f.name, brackets(idx))
	g.tabs++
	g.result(fmt.Sprintf("(%s + 3) * int(%s%s)", k, v, f.elem.suffix[0]))
	g.tabs--
	g.line("}")
}

// cellLoop is a serial loop over the cells of a node inside.
func (g *kernelGen) cellLoop() {
	n := pick(g.rng, g.p.nodes)
	if !n.bounded() || g.work*n.cells() > 10_000 || len(g.vars) == 0 || !g.askable(n) {
		return
	}
	scope, vars, work := len(g.scope), len(g.vars), g.work
	over := g.domain(n)
	if g.serial || g.chance(3) {
		over = "serial(" + over + ")"
	}
	g.depth++
	g.head(n, over, g.chance(2))
	if g.chance(4) {
		g.line("if %s {\n%sbreak\n%s}", g.cond(), strings.Repeat("\t", g.tabs+1), strings.Repeat("\t", g.tabs))
	}
	g.statements(1 + g.rng.IntN(2))
	g.tabs--
	g.line("}")
	g.depth--
	g.scope, g.vars, g.work = g.scope[:scope], g.vars[:vars], work
}
