package driver_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/layout"
)

// A kernelGen writes random kernels on a plot, whose parallel loops compute what does
// not depend on the order of iterations: each field is only read in a loop, or only
// written by the iteration that its element belongs to, or only accumulated into by
// one operator; and what depends on which cells are active is asked for only of nodes
// in which the loop activates nothing.
type kernelGen struct {
	p   *plot
	rng *rand.Rand
	b   strings.Builder

	safe bool // no index is out of range
	det  bool // appends are in the order of iterations

	tabs    int
	names   int
	scope   []string // variables of type int
	vars    []indexVar
	own     *plotNode // the indices of the parallel loop are those of its cells
	visits  bool      // and only of active ones
	serial  bool
	roles   map[*plotField]role
	ops     map[string]string
	changed map[*plotNode]bool // nodes in which the loop may activate cells
	depth   int                // of statements
	work    int64              // iterations of the loops around
	nest    int                // of indices
}

// indexVar is a variable that is an index of cells of a node along an axis.
type indexVar struct {
	name string
	node *plotNode
	axis int
}

type role int

const (
	roleRead role = iota
	roleOwn
	roleAdd
	roleAppendOwn
	roleAppendAny
	roleNone
)

func (g *kernelGen) chance(n int) bool { return g.rng.IntN(n) == 0 }

func (g *kernelGen) line(format string, args ...any) {
	g.b.WriteString(strings.Repeat("\t", g.tabs))
	fmt.Fprintf(&g.b, format, args...)
	g.b.WriteString("\n")
}

func (g *kernelGen) name(prefix string) string {
	g.names++
	if prefix == "i" && slices.Contains([]int{8, 16, 32, 64}, g.names) { // a type
		g.names++
	}
	return fmt.Sprint(prefix, g.names)
}

// source writes a source with n kernels.
func (g *kernelGen) source(n int) string {
	g.line("package p\n")
	g.line("type pair struct {\n\tA i16\n\tB i64\n\tC [2]i32\n}\n")
	for _, f := range g.p.fields {
		g.line("var %s field[%s, D%d]", f.name, f.elem.text, len(f.node.path))
	}
	for _, n := range g.p.nodes {
		g.line("var %s node", n.name)
	}
	g.line("\nfunc wrap(x, lo, n int) int {\n\treturn lo + (x%%n+n)%%n\n}")
	for i := range n {
		g.kernel(fmt.Sprint("K", i))
	}
	return g.b.String()
}

func (g *kernelGen) kernel(name string) {
	g.line("\nfunc %s(n int) (r0, r1 int) {", name)
	g.tabs++
	g.names = 0
	residues := g.chance(4)
	for range 1 + g.rng.IntN(3) {
		g.roles, g.ops, g.changed = map[*plotField]role{}, map[string]string{}, map[*plotNode]bool{}
		g.vars, g.own, g.visits, g.scope, g.depth, g.work = nil, nil, false, []string{"n"}, 0, 1
		if g.chance(6) {
			g.serial = true
			g.leave()
		}
		if residues {
			g.residueLoop()
			break
		}
		switch g.rng.IntN(6) {
		case 0:
			g.serial = true
			g.statements(1 + g.rng.IntN(4))
		case 1:
			g.serial = true
			g.serialLoop()
		default:
			g.serial = false
			g.parallelLoop()
		}
	}
	g.line("return")
	g.tabs--
	g.line("}")
}

// leave may end the kernel.
func (g *kernelGen) leave() {
	g.line("if %s {", g.cond())
	g.tabs++
	if g.chance(3) {
		g.statements(1)
	}
	g.line("return")
	g.tabs--
	g.line("}")
}

func pick[T any](rng *rand.Rand, list []T) T { return list[rng.IntN(len(list))] }

// head opens a loop over the cells of a node, and makes variables of its indices.
func (g *kernelGen) head(n *plotNode, over string, vectors bool) {
	axes := n.used()
	names := make([]string, len(axes))
	for i, a := range axes {
		names[i] = g.name(letters(a))
		g.vars = append(g.vars, indexVar{names[i], n, a})
	}
	switch {
	case len(axes) == 1:
		g.line("for %s := range %s {", names[0], over)
		g.tabs++
	case len(axes) == 2 && !vectors:
		g.line("for %s := range %s {", strings.Join(names, ", "), over)
		g.tabs++
	default:
		p := g.name("p")
		g.line("for %s := range %s {", p, over)
		g.tabs++
		g.line("%s := %s", strings.Join(names, ", "), p)
	}
	g.scope = append(g.scope, names...)
	g.work *= n.cells()
	if !n.bounded() {
		g.work *= 30
	}
	sum := ""
	for i, v := range names {
		sum += fmt.Sprintf(" + %s*%d", v, []int{3, 17, 101, 1009}[i])
	}
	if g.serial {
		g.line("r0 = r0*31%s", sum)
	} else {
		g.line("r0 += (7%s) * (1%s)", sum, sum)
	}
}

// domain names what a loop over n's cells runs over.
func (g *kernelGen) domain(n *plotNode) string {
	names := []string{n.name}
	for _, f := range g.p.fields {
		if f.node == n {
			names = append(names, f.name)
		}
	}
	return pick(g.rng, names)
}

func (n *plotNode) spansOf() string {
	var out []string
	for i := range n.path {
		out = append(out, fmt.Sprintf("span(%d, %d)", n.low[i], n.high[i]))
	}
	return strings.Join(out, ", ")
}

func (g *kernelGen) parallelLoop() {
	n := pick(g.rng, g.p.nodes)
	over := g.domain(n)
	g.own, g.visits = n, true
	if g.chance(3) {
		g.visits = false
		over = "ndrange(" + n.spansOf() + ")"
	}
	g.assign()
	scope := len(g.scope)
	g.head(n, over, g.chance(2))
	g.statements(2 + g.rng.IntN(4))
	g.tabs--
	g.line("}")
	g.scope, g.vars = g.scope[:scope], nil
}

func (g *kernelGen) serialLoop() {
	n := pick(g.rng, g.p.nodes)
	over := "serial(" + g.domain(n) + ")"
	if g.chance(4) {
		over = "serial(ndrange(" + n.spansOf() + "))"
	}
	scope := len(g.scope)
	g.head(n, over, g.chance(2))
	g.statements(2 + g.rng.IntN(3))
	if g.chance(4) {
		end := "break"
		if n.bounded() && g.chance(3) {
			end = "return"
		}
		g.line("if r0%%%d == 1 {\n\t\t\t%s\n\t\t}", 3+g.rng.IntN(40), end)
	}
	g.tabs--
	g.line("}")
	g.scope, g.vars = g.scope[:scope], nil
}

// sameSpace reports whether the first axes of two nodes have the same indices.
func sameSpace(a, b *plotNode, axes int) bool {
	if len(a.path) != axes || len(b.path) < axes {
		return false
	}
	for i := range axes {
		if a.path[i] != b.path[i] || a.low[i] != b.low[i] || a.high[i] != b.high[i] {
			return false
		}
	}
	return true
}

// assign chooses what a parallel loop does to each field.
func (g *kernelGen) assign() {
	lists := map[*plotNode]bool{}
	for _, f := range g.p.fields {
		switch own := sameSpace(g.own, f.node, len(f.node.path)); {
		case f.node.kind == layout.Dynamic && g.chance(3) && !lists[f.node] && sameSpace(g.own, f.node, len(f.node.path)-1):
			g.roles[f] = roleAppendOwn
		case f.node.kind == layout.Dynamic && g.det && g.chance(2) && !lists[f.node]:
			g.roles[f] = roleAppendAny
		case own && g.chance(2):
			g.roles[f] = roleOwn
		case g.chance(3):
			g.roles[f] = roleAdd
		}
		lists[f.node] = true
		if r := g.roles[f]; r == roleOwn && !(g.visits && f.node == g.own) || r == roleAdd || r == roleAppendOwn || r == roleAppendAny {
			g.grows(f.node)
		}
	}
	for _, f := range g.p.fields { // the other fields of a list that changes
		if g.roles[f] == roleAppendOwn || g.roles[f] == roleAppendAny {
			for _, o := range g.p.fields {
				if o != f && o.node == f.node {
					g.roles[o] = roleNone
				}
			}
		}
	}
}

// grows notes that cells of a node may become active.
func (g *kernelGen) grows(n *plotNode) {
	for ; n.parent != nil; n = n.parent {
		g.changed[n] = true
	}
}

// askable reports whether kernels may test whether cells of n are active.
func (g *kernelGen) askable(n *plotNode) bool {
	if g.serial {
		return true
	}
	for n.parent != nil && n.kind == layout.Dense {
		n = n.parent
	}
	return !g.changed[n]
}

// ownIndex is the index of the element of f that belongs to the iteration.
func (g *kernelGen) ownIndex(axes int) (out []string) {
	for _, v := range g.vars[:axes] {
		out = append(out, v.name)
	}
	return out
}

func brackets(idx []string) string {
	s := ""
	for _, i := range idx {
		s += "[" + i + "]"
	}
	return s
}

// index makes the first indices of a cell of n.
func (g *kernelGen) index(n *plotNode, axes int) (out []string) {
	if axes == len(n.path) && g.chance(8) {
		if s := g.rescaled(n); s != "" {
			return []string{s}
		}
	}
	for k := range axes {
		out = append(out, g.along(n, k))
	}
	return out
}

// along makes an index along the k-th axis of a node.
func (g *kernelGen) along(n *plotNode, k int) string {
	axis, lo, hi := int(n.path[k]), n.low[k], n.high[k]
	var near []indexVar
	for _, v := range g.vars {
		if v.axis == axis {
			near = append(near, v)
		}
	}
	if len(near) > 0 && !g.chance(4) {
		v := near[g.rng.IntN(len(near))]
		if s := g.relate(v, n, k); s != "" {
			return s
		}
	}
	if g.chance(3) {
		return fmt.Sprint(lo + g.rng.Int64N(hi-lo))
	}
	if g.nest++; g.nest > 2 {
		defer func() { g.nest-- }()
		return fmt.Sprintf("wrap(%s, %d, %d)", g.expr(0), lo, hi-lo)
	}
	x := g.expr(1)
	g.nest--
	return fmt.Sprintf("wrap(%s, %d, %d)", x, lo, hi-lo)
}

// relate makes an index of n from one of a loop.
func (g *kernelGen) relate(v indexVar, n *plotNode, k int) string {
	at := slices.Index(v.node.path, int64(v.axis))
	from, to := v.node.lay.Extent(v.axis), n.lay.Extent(v.axis)
	unbounded := n.lay.Unbounded(v.axis)
	if unbounded != v.node.lay.Unbounded(v.axis) {
		return ""
	}
	low := func(n *plotNode, at int) int64 {
		if unbounded {
			return 0
		}
		return n.low[at]
	}
	vlow, nlow := low(v.node, at), low(n, k)
	step := int64(0)
	s := v.name
	switch {
	case from == to && vlow == nlow:
		if g.chance(2) {
			step = int64(g.rng.IntN(5) - 2)
			s = fmt.Sprintf("%s%+d", v.name, step)
		}
	case from%to == 0 && vlow == nlow*(from/to):
		return fmt.Sprintf("floorDiv(%s, %d)", v.name, from/to)
	case to%from == 0 && nlow == vlow*(to/from):
		return fmt.Sprintf("%s*%d+%d", v.name, to/from, g.rng.Int64N(to/from))
	default:
		return ""
	}
	if step != 0 && !unbounded && (g.safe || !g.chance(6)) {
		return fmt.Sprintf("clamp(%s, %d, %d)", s, n.low[k], n.high[k]-1)
	}
	return s
}

// rescaled is the index of the cell of n that holds, or begins, that of a loop; "" if
// there is none.
func (g *kernelGen) rescaled(n *plotNode) string {
	if len(g.vars) == 0 {
		return ""
	}
	m := pick(g.rng, g.vars).node
	from, to := m.path, n.path
	switch { // a list has the indices of its cell, and one more
	case m.kind == layout.Dynamic && n.kind != layout.Dynamic:
		from = from[:len(from)-1]
	case n.kind == layout.Dynamic && m.kind != layout.Dynamic:
		to = to[:len(to)-1]
	}
	if !slices.Equal(from, to) || len(from) == 0 {
		return ""
	}
	for k := range from {
		a, b, low, to := m.shape.Shape()[k], n.shape.Shape()[k], m.shape.Origin()[k], n.shape.Origin()[k]
		if !(a%b == 0 && low == to*(a/b)) && !(b%a == 0 && to == low*(b/a)) {
			return ""
		}
	}
	var names []string
	for _, v := range g.vars[slices.IndexFunc(g.vars, func(v indexVar) bool { return v.node == m }):][:len(m.path)] {
		names = append(names, v.name)
	}
	p := names[0]
	if len(names) > 1 {
		p = fmt.Sprintf("ivec%d(%s)", len(names), strings.Join(names, ", "))
	}
	return fmt.Sprintf("rescaleIndex(%s, %s, %s)", g.domain(m), g.domain(n), p)
}

// readable reports whether elements of f can be read in the loop, and whether that is
// so for the iteration's own only.
func (g *kernelGen) readable(f *plotField) (ok, own bool) {
	if g.serial {
		return true, false
	}
	switch g.roles[f] {
	case roleRead:
		return true, false
	case roleOwn:
		return true, true
	}
	return false, false
}

func (g *kernelGen) expr(depth int) string {
	if depth <= 0 {
		if g.chance(3) {
			return fmt.Sprint(g.rng.IntN(20))
		}
		return pick(g.rng, g.scope)
	}
	switch g.rng.IntN(9) {
	case 0, 1, 2, 3:
		f := pick(g.rng, g.p.fields)
		if ok, own := g.readable(f); ok {
			idx := []string(nil)
			if own {
				idx = g.ownIndex(len(f.node.path))
			} else {
				idx = g.index(f.node, len(f.node.path))
			}
			return fmt.Sprintf("int(%s%s%s)", f.name, brackets(idx), pick(g.rng, f.elem.suffix))
		}
	case 4:
		if n := pick(g.rng, g.p.nodes); n.kind != layout.Dynamic && g.askable(n) {
			return fmt.Sprintf("ifelse(isActive(%s, %s), %d, %s)", g.domain(n), strings.Join(g.index(n, len(n.path)), ", "), 2+g.rng.IntN(9), g.expr(depth-1))
		}
	case 5:
		if f := pick(g.rng, g.p.fields); f.node.kind == layout.Dynamic && g.askable(f.node) {
			return fmt.Sprintf("len(%s%s)", f.name, brackets(g.index(f.node, len(f.node.path)-1)))
		}
	case 6:
		return fmt.Sprintf("ifelse(%s < %s, %s, %s)", g.expr(depth-1), g.expr(0), g.expr(0), g.expr(depth-1))
	}
	return fmt.Sprintf("(%s %s %s)", g.expr(depth-1), pick(g.rng, []string{"+", "-", "*", "^", "&", "|"}), g.expr(depth-1))
}

func (g *kernelGen) cond() string {
	switch n := pick(g.rng, g.p.nodes); {
	case g.chance(4) && n.kind != layout.Dynamic && g.askable(n):
		return fmt.Sprintf("%sisActive(%s, %s)", pick(g.rng, []string{"", "!"}), g.domain(n), strings.Join(g.index(n, len(n.path)), ", "))
	case g.chance(2):
		return fmt.Sprintf("%s%%%d == %d", g.expr(1), 2+g.rng.IntN(5), g.rng.IntN(2))
	}
	return fmt.Sprintf("%s %s %s", g.expr(1), pick(g.rng, []string{"<", ">", "!=", "=="}), g.expr(0))
}

func (g *kernelGen) statements(n int) {
	scope := len(g.scope)
	vars := len(g.vars)
	for range n {
		g.statement()
	}
	g.scope, g.vars = g.scope[:scope], g.vars[:vars]
}
