package driver_test

import (
	"fmt"
	"strings"

	"github.com/gotaichi/ti/internal/layout"
)

// residueLoop is a parallel loop that writes elements with a residue, and reads those with another one. It may activate cells of other
// nodes.
func (g *kernelGen) residueLoop() {
	var all []*plotField
	for _, f := range g.p.fields {
		if f.node.kind != layout.Dynamic {
			all = append(all, f)
		}
	}
	g.serial = false
	if len(all) == 0 {
		g.parallelLoop()
		return
	}
	n := all[g.rng.IntN(len(all))].node
	over := g.domain(n)
	if g.chance(5) {
		over = "ndrange(" + n.spansOf() + ")"
	}
	scope := len(g.scope)
	g.head(n, over, g.chance(2))
	open := g.tabs
	for _, f := range all { // of another node, and perhaps in cells that this activates
		if own := g.ownIndex(len(n.path)); f.node != n && sameSpace(n, f.node, len(f.node.path)) && len(f.node.path) == len(n.path) && g.chance(2) {
			c := g.rng.IntN(len(f.elem.suffix))
			g.line("%s%s%s %s %s(n + %s)", f.name, brackets(own), f.elem.suffix[c], pick(g.rng, []string{"=", "+=", "-="}), f.elem.kinds[c], own[0])
		}
	}
	m := int64(2 + g.rng.IntN(3)*g.rng.IntN(2))
	k, rest := g.rng.IntN(len(g.vars)), g.rng.Int64N(m)
	g.residueCondition(k, m, rest)
	for range 1 + g.rng.IntN(3) {
		if f := pick(g.rng, all); f.node == n {
			g.neighbour(f, k, m, rest)
		}
	}
	for g.tabs >= open {
		g.tabs--
		g.line("}")
	}
	g.scope, g.vars = g.scope[:scope], nil
}

// residueCondition holds for what follows if an index, or the sum of two, has a residue.
func (g *kernelGen) residueCondition(k int, m, rest int64) {
	x := g.vars[k].name
	if other := g.rng.IntN(len(g.vars)); other != k {
		x = fmt.Sprintf("(%s + %s)", x, g.vars[other].name)
	}
	if g.chance(4) {
		x = fmt.Sprintf("(%s + %d)", x, m*(1+g.rng.Int64N(5)))
	}
	switch {
	case g.chance(4):
		g.line("if mod(%s, %d) != %d {\n%scontinue\n%s}", x, m, rest, strings.Repeat("\t", g.tabs+1), strings.Repeat("\t", g.tabs))
		return
	case g.chance(3):
		g.line("if mod(%s, %d) == %d {", x, m, rest)
	case m != 3 && g.chance(3):
		g.line("if %s&%d == %d {", x, m-1, rest)
	case m == 2 && rest == 1 && g.chance(2):
		g.line("if %s%%2 != 0 {", x)
	default:
		g.line("if %s%%%d == %d {", x, m, rest)
	}
	g.tabs++
}

// neighbour updates the element of the iteration by one whose index along an axis has another residue.
func (g *kernelGen) neighbour(f *plotField, k int, m, rest int64) {
	lo, hi := f.node.low[k], f.node.high[k]
	step := 1 + g.rng.Int64N(m-1) + m*(g.rng.Int64N(5)-2)
	own := g.ownIndex(len(f.node.path))
	from := append([]string(nil), own...)
	from[k] = fmt.Sprintf("%s%+d", own[k], step)
	at := g.rng.IntN(len(f.elem.suffix))
	first, last := lo+((rest-lo)%m+m)%m, hi-1-((hi-1-rest)%m+m)%m // if the condition is about this index alone
	guarded := g.safe || !g.chance(4)
	if guarded && first+step >= lo && last+step < hi && g.chance(2) && !g.safe {
		guarded = false
	}
	if guarded {
		g.line("if %s >= %d && %s < %d {", from[k], lo, from[k], hi)
		g.tabs++
	}
	g.line("%s%s%s %s %s(n + int(%s%s%s))", f.name, brackets(own), f.elem.suffix[at], pick(g.rng, []string{"=", "+=", "^="}), f.elem.kinds[at],
		f.name, brackets(from), pick(g.rng, f.elem.suffix))
	if guarded {
		g.tabs--
		g.line("}")
	}
}
