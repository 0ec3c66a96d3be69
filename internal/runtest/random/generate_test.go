package random

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A generator writes random kernels that check and end. Two back ends must agree
// on them to the last bit under strict maths: an iteration writes only its own
// elements and reads others only of what no loop writes, atomics are of integers and
// commute, and no transcendental function is called.
type generator struct {
	scene
	r      *rand.Rand
	out    strings.Builder
	tabs   int
	vars   []variable
	names  int
	fuel   int      // statements left
	loops  int      // serial loops around
	kernel bool     // in a kernel, whose parameters are in scope, not in a device function
	funcs  []string // device functions (i32, f32) i32 written so far
	sum    string   // the variable of the kernel that the loop may reduce into
	sumOp  string
	hist   string   // how the loop changes field H; "" for not at all
	grow   string   // how the loop changes what it has of field O, by which copies of O could be merged; "" for not at all
	inside []string // variables that are indices of fields with one axis
	types  []string // types of variables

	tight      bool // nothing but arithmetic, and elements of the iteration
	loose      bool // and arrays, updates of what others update, and elements at any place
	arrays     []array
	decomposed bool // a matrix has been

	own element // of the iteration of the parallel loop around
}

type variable struct {
	name, typ string
	fixed     bool // a loop variable
}

func (g *generator) pick(s ...string) string { return s[g.r.IntN(len(s))] }

func (g *generator) chance(percent int) bool { return g.r.IntN(100) < percent }

func (g *generator) line(format string, args ...any) {
	g.out.WriteString(strings.Repeat("\t", g.tabs))
	fmt.Fprintf(&g.out, format, args...)
	g.out.WriteByte('\n')
}

// randomKernel returns a source with a kernel Run of what a scene has, of two packages for a third of the seeds.
func randomKernel(s scene) string {
	src := onePackage(s)
	if s.seed%3 == 1 {
		return withLibrary(src)
	}
	return src
}

// onePackage is randomKernel without a library.
func onePackage(s scene) string {
	if s.tight {
		return tightKernel(s)
	}
	g := &generator{scene: s, r: rand.New(rand.NewPCG(s.seed, 17))}
	g.chooseTypes()
	g.line("package random\n")
	g.line("%s\n%s", sceneVars, randomPrelude+randomTables+randomKernels)
	if g.ordered {
		g.line("%s", effectPrelude)
	}
	for range g.r.IntN(1 + g.size) {
		g.function()
	}
	g.line("func Run(%s) (r1 i32, r2 f32, r3 u32) {", sceneParameters)
	g.kernel = true
	g.tabs++
	g.vars = []variable{{"p", "i32", false}, {"q", "f32", false}, {"r1", "i32", false}, {"r3", "u32", false}}
	for range 1 + g.size {
		g.declareAny()
	}
	g.fuel = 2 * g.size
	g.block(2)
	for n := range 1 + g.r.IntN(g.size) {
		g.loop(n)
		g.compose()
		g.fuel = 3
		g.block(2)
	}
	g.line("r1 = %s", g.expr("i32", 2))
	g.line("r2 = %s", g.expr("f32", 2))
	g.line("return")
	g.tabs--
	g.line("}")
	return g.out.String()
}

// function writes a device function with an early return.
func (g *generator) function() {
	name := fmt.Sprintf("f%d", len(g.funcs))
	g.line("func %s(a i32, b f32) i32 {", name)
	g.tabs++
	saved := g.vars
	g.vars = []variable{{"a", "i32", false}, {"b", "f32", false}}
	g.fuel = 2 * g.size
	g.block(2)
	g.line("if %s { return %s }", g.expr("bool", 2), g.expr("i32", 2))
	g.fuel = 3
	g.block(1)
	g.line("return %s", g.expr("i32", 2))
	g.vars = saved
	g.tabs--
	g.line("}\n")
	g.funcs = append(g.funcs, name)
}

// block writes a few statements; what they declare goes out of scope.
func (g *generator) block(depth int) {
	for range 1 + g.r.IntN(4) {
		if g.fuel--; g.fuel < 0 {
			return
		}
		g.statement(depth)
	}
}

// nested writes a block in braces, behind head.
func (g *generator) nested(depth int, format string, args ...any) {
	g.line(format, args...)
	g.tabs++
	saved := len(g.vars)
	g.block(depth - 1)
	g.vars = g.vars[:saved]
	g.tabs--
}

func (g *generator) declare(typ, value string) {
	g.names++
	name := fmt.Sprintf("v%d", g.names)
	g.line("%s := %s", name, value)
	g.line("_ = %s", name)
	g.vars = append(g.vars, variable{name, typ, false})
}

// declareAny declares a variable of any type.
func (g *generator) declareAny() {
	t := g.pick(g.types...)
	g.declare(t, g.expr(t, 2))
}

func (g *generator) statement(depth int) {
	if depth == 0 {
		g.assign()
		return
	}
	if g.ordered && g.chance(12) {
		g.effects()
		return
	}
	switch g.r.IntN(18) {
	case 15, 16:
		g.declareCall()
	case 17:
		g.exchange()
	case 12, 13, 14:
		g.rareStatement(depth)
	case 0, 1:
		t := g.pick(g.scalars()...)
		g.declare(t, g.expr(t, 3))
	case 2:
		g.declareAny()
	case 3, 4:
		g.assign()
	case 5:
		g.nested(depth, "if %s {", g.expr("bool", 2))
		if g.chance(50) {
			g.nested(depth, "} else {")
		}
		g.line("}")
	case 6:
		g.names++
		name := fmt.Sprintf("k%d", g.names)
		head := g.pick("for %s := range 5 {", "for %s := range span(2, 6) {", "for %s := range serial(3) {", "for %s := range static(3) {")
		static := strings.Contains(head, "static")
		if g.loops > 1 || !g.own.known() && !strings.Contains(head, "serial") && !static {
			// In the outermost scope the loop would be parallel.
			head, static = "for %s := range serial(2) {", false
		}
		saved := len(g.vars)
		if !static {
			g.vars = append(g.vars, variable{name, "i32", true})
		}
		g.loops++
		g.line(head, name)
		g.tabs++
		g.line("_ = %s", name)
		g.block(depth - 1)
		if g.chance(40) && !static {
			g.line("if %s { %s }", g.expr("bool", 2), g.pick("break", "continue"))
			g.block(depth - 1)
		}
		g.tabs--
		g.line("}")
		g.loops--
		g.vars = g.vars[:saved]
	case 7:
		g.names++
		n := fmt.Sprintf("n%d", g.names)
		g.line("%s := 0", n)
		g.loops++
		g.nested(depth, "for %s < %d && %s {", n, 2+g.r.IntN(4), g.expr("bool", 2))
		g.loops--
		g.line("\t%s++", n)
		g.line("}")
	case 8:
		g.nested(depth, "switch %s {\n%scase 0, 3:", g.atom("i32")+" & 3", strings.Repeat("\t", g.tabs))
		g.nested(depth, "case 1:")
		g.nested(depth, "default:")
		g.line("}")
	case 9:
		g.names++
		name := fmt.Sprintf("t%d", g.names)
		g.line("var %s [4]i32", name)
		g.line("%s[%s & 3] = %s", name, g.atom("i32"), g.expr("i32", 2))
		g.line("%s[%s] += %s", name, g.within(4), g.expr("i32", 1))
		g.declare("i32", fmt.Sprintf("%s[%s] + %s[2]", name, g.within(4), name))
	default:
		if g.own.known() {
			g.store()
		} else {
			g.assign()
		}
	}
}

// assign changes a variable.
func (g *generator) assign() {
	var can []variable
	for _, v := range g.vars {
		if !v.fixed {
			can = append(can, v)
		}
	}
	if len(can) == 0 {
		g.declare("i32", g.expr("i32", 2))
		return
	}
	v := can[g.r.IntN(len(can))]
	t := typeOf(v.typ)
	switch {
	case t.m > 0 && g.chance(50):
		g.line("%s[%s]%s = %s", v.name, g.within(t.n), g.pick(".x", ".y", "[1]"), g.expr(t.elem, 2))
	case t.n > 0 && t.m == 0 && g.chance(50):
		g.line("%s%s = %s", v.name, g.pick(".x", ".y", "[1]", "["+g.within(t.n)+"]"), g.expr(t.elem, 2))
	case t.elem == "bool" || g.chance(60):
		g.line("%s = %s", v.name, g.expr(v.typ, 3))
	case t.m > 0:
		g.line("%s %s %s", v.name, g.pick("+=", "-="), g.expr(v.typ, 2))
	default:
		g.line("%s %s %s", v.name, g.pick("+=", "-=", "*="), g.expr(v.typ, 2))
	}
}

// rareStatement writes a statement of a kind that most blocks of a kernel lack.
func (g *generator) rareStatement(depth int) {
	switch g.r.IntN(12) {
	case 0, 1:
		g.structs(depth)
	case 2:
		if a, ok := g.assignable("i32"); ok {
			g.names++
			g.line("o%d := %s", g.names, g.expr("i32", 1))
			g.line("swap(&%s, &o%d)", a, g.names)
			g.vars = append(g.vars, variable{fmt.Sprintf("o%d", g.names), "i32", false})
		}
	case 3:
		if !g.own.known() {
			g.print()
			return
		}
		// The old value is known, as the element is the iteration's own.
		place := g.pick("X[", "L[0][") + g.own.index + "]"
		switch op := g.pick("atomicAdd", "atomicMax", "atomicXor", "atomicXchg", "atomicSub", "atomicLoad", "atomicStore"); op {
		case "atomicLoad":
			g.declare("i32", fmt.Sprintf("atomicLoad(&%s)", place))
		case "atomicStore":
			g.line("atomicStore(&%s, %s)", place, g.expr("i32", 1))
		default:
			g.declare("i32", fmt.Sprintf("%s(&%s, %s)", op, place, g.expr("i32", 1)))
		}
	case 4:
		g.labelled(depth)
	case 5:
		if !g.own.known() {
			return
		}
		g.names++
		r := fmt.Sprintf("e%d", g.names)
		g.line("%s := &%s[%s]", r, g.pick("S", "Z"), g.own.index)
		g.line("%s.%s = %s", r, g.pick("a", "w[2]"), "0")
		g.line("%s.add(%s, %s)", r, g.expr("i32", 1), g.expr("f32", 1))
		g.line("M.put(%s, %s)", g.own.index, g.expr("f32", 2))
		g.vars = append(g.vars, variable{r + ".a", "i32", true}, variable{r + ".v", "vec2", true})
	case 6:
		g.boxes()
	case 7:
		g.search()
	case 8:
		g.parts()
	case 9, 10:
		g.report()
	case 11:
		if g.chance(30) {
			g.decompose()
		}
	}
}
