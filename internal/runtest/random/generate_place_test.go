package random

import "fmt"

// A memory is something with elements: a field, slice or view.
type memory struct {
	name, typ string
	axes      int
	grid      bool // it has the origin of the scene
	param     bool // a parameter of the kernel
	write     bool // loops write it, each iteration its own elements
}

// memories are those of sceneVars and sceneParameters.
var memories = []memory{
	{name: "A", typ: "i32", axes: 1}, {name: "B", typ: "f32", axes: 1}, {name: "C", typ: "i64", axes: 1},
	{name: "L[2]", typ: "i32", axes: 1}, {name: "M.Src", typ: "f32", axes: 1},
	{name: "G", typ: "vec3", axes: 2, grid: true}, {name: "TA", typ: "i32", axes: 2, param: true},

	{name: "X", typ: "i32", axes: 1, write: true}, {name: "Y", typ: "f32", axes: 1, write: true}, {name: "V", typ: "vec2", axes: 1, write: true},
	{name: "S", typ: "pair", axes: 1, write: true}, {name: "E", typ: "f16", axes: 1, write: true}, {name: "D", typ: "bool", axes: 1, write: true},
	{name: "L[0]", typ: "i32", axes: 1, write: true}, {name: "L[1]", typ: "i32", axes: 1, write: true},
	{name: "M.Pos", typ: "vec2", axes: 1, write: true}, {name: "M.Sub[0]", typ: "f32", axes: 1, write: true}, {name: "M.Sub[1]", typ: "f32", axes: 1, write: true},
	{name: "P", typ: "i32", axes: 2, grid: true, write: true}, {name: "Q", typ: "mat2", axes: 2, grid: true, write: true},
	{name: "W", typ: "u16", axes: 1, param: true, write: true}, {name: "U", typ: "vec2", axes: 1, param: true, write: true},
	{name: "Z", typ: "pair", axes: 1, param: true, write: true}, {name: "T", typ: "f32", axes: 2, param: true, write: true},
}

// An element says which element of each memory belongs to an iteration.
type element struct {
	index    string // along one axis
	row, col string // of a view
	group    string // an index of grids, "" if there is none at hand
}

func (e element) known() bool { return e.index != "" }

// of returns the element of m.
func (g *generator) of(m memory, e element) string {
	switch {
	case m.axes == 1:
		return fmt.Sprintf("%s[%s]", m.name, e.index)
	case m.grid && e.group != "" && g.chance(60):
		return fmt.Sprintf("%s[%s]", m.name, e.group)
	case m.grid:
		return fmt.Sprintf("%s[%s%+d][%s%+d]", m.name, e.row, g.origin[0], e.col, g.origin[1])
	}
	return fmt.Sprintf("%s[%s][%s]", m.name, e.row, e.col)
}

// memory returns one that is in scope, to write or to read anywhere.
func (g *generator) memory(write bool) memory {
	for {
		m := memories[g.r.IntN(len(memories))]
		if m.write == write && (!m.param || g.kernel) {
			return m
		}
	}
}

// ownPlace returns an element, or a part of one, that belongs to the iteration.
func (g *generator) ownPlace() (place, typ string) {
	m := g.memory(true)
	place = g.of(m, g.own)
	switch {
	case m.typ == "pair":
		return g.memberOf(place)
	case m.typ == "vec2" && g.chance(40):
		return place + g.pick(".x", ".y", "[0]", "["+g.within(2)+"]"), "f32"
	case m.typ == "mat2" && g.chance(50):
		if g.chance(50) {
			return fmt.Sprintf("%s[%s]", place, g.within(2)), "vec2"
		}
		return fmt.Sprintf("%s[%s][%s]", place, g.within(2), g.within(2)), "f32"
	}
	return place, m.typ
}

// memberOf returns a member of a pair.
func (g *generator) memberOf(place string) (member, typ string) {
	switch g.r.IntN(5) {
	case 0:
		return place + ".a", "i32"
	case 1:
		return place + ".b", "f32"
	case 2:
		return place + ".v", "vec2"
	case 3:
		return place + ".v" + g.pick(".x", "[1]"), "f32"
	}
	return fmt.Sprintf("%s.w[%s]", place, g.within(3)), "i64"
}

// index returns an index of an axis whose n indices begin at lo.
func (g *generator) index(n, lo, depth int) string {
	a := g.atom("i32")
	if g.ordered && g.chance(20) {
		if e, ok := g.effect("i32", 1); ok {
			a = e
		}
	}
	if depth > 1 && g.chance(40) {
		a = "(" + g.expr("i32", 1) + ")"
	}
	low := 1 // the greatest power of two that is not beyond n
	for low*2 <= n {
		low *= 2
	}
	if !g.safe && g.chance(10) {
		return a
	}
	if len(g.inside) > 0 && lo == 0 && n == g.n() && g.chance(50) {
		return g.pick(g.inside...)
	}
	switch e := lo + n - 1; g.r.IntN(8) {
	case 0:
		return fmt.Sprintf("mod(%s, %d)%+d", a, n, lo)
	case 1:
		return fmt.Sprintf("clamp(%s, %d, %d)", a, lo, e)
	case 2:
		return fmt.Sprintf("(%s&%d)%+d", a, low-1, lo)
	case 3:
		return fmt.Sprintf("min(max(%s, %d), %d)", a, lo, e)
	case 4:
		return fmt.Sprintf("abs(%s%%%d)%+d", a, n, lo)
	case 5:
		if lo == 0 {
			return g.pick(fmt.Sprintf("u32(%s)%%%d", a, n), fmt.Sprintf("i64(%s)&%d", a, low-1), fmt.Sprintf("u64(%s)%%%d", a, n))
		}
	case 6:
		if low >= 16 && lo == 0 {
			return g.pick(fmt.Sprintf("(%s>>28)+8", a), fmt.Sprintf("2*(%s&7)+1", a), fmt.Sprintf("(%s&3)*4+(%s&3)", a, g.atom("i32")))
		}
	}
	return fmt.Sprintf("(%s&%d)%+d", a, low-1, lo)
}

// read returns an element of what no loop writes, or of the iteration's own, or
// what a function gives.
func (g *generator) read(t string, depth int) string {
	var e, et string
	switch k := g.r.IntN(10); {
	case len(g.arrays) > 0 && k < 4:
		e, et = g.ofArray()
	case g.tight && (!g.loose || k < 8):
		return g.atom(t)
	case g.tight:
		m := g.memory(false)
		if m.axes > 1 {
			return g.atom(t)
		}
		e, et = fmt.Sprintf("%s[%s]", m.name, g.index(g.n(), 0, depth)), m.typ
	case k < 2:
		e, et = g.call(depth)
	case k == 2 && len(g.funcs) > 0:
		e, et = fmt.Sprintf("%s(%s, %s)", g.pick(g.funcs...), g.expr("i32", depth-1), g.expr("f32", depth-1)), "i32"
	case k < 6 && g.own.known():
		e, et = g.ownPlace()
	default:
		m := g.memory(false)
		lo := [2]int{}
		if m.grid {
			lo = g.origin
		}
		if m.axes == 1 {
			e, et = fmt.Sprintf("%s[%s]", m.name, g.index(g.n(), 0, depth)), m.typ
		} else {
			e, et = fmt.Sprintf("%s[%s][%s]", m.name, g.index(g.rows, lo[0], depth), g.index(g.cols, lo[1], depth)), m.typ
			if m.grid && g.own.group != "" && g.chance(30) {
				e = g.of(m, g.own)
			}
		}
		if et == "vec3" && t != "vec3" {
			e, et = e+g.pick(".x", ".z", "["+g.within(3)+"]"), "f32"
		}
	}
	from, to := typeOf(et), typeOf(t)
	switch {
	case t == et:
		return e
	case from.n > 0 && from.m == 0 && to.n == 0 && to.elem != "bool":
		return fmt.Sprintf("%s(%s.y)", t, e)
	case from.n > 0 || to.m > 0 || to.elem == "bool" && to.n > 0:
		return g.atom(t)
	case t == "bool":
		return fmt.Sprintf("bool(%s)", e)
	}
	return fmt.Sprintf("%s(%s)", t, e)
}
