package random

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A memberGenerator writes kernels that store to members of structs, under conditions and
// without, and load them again. They test that dependent accesses of an iteration keep
// their order, in vectorised loops too. Loops are short, and each iteration works on its
// own elements.
type memberGenerator struct {
	r     *rand.Rand
	out   strings.Builder
	tabs  int
	own   []string // elements of P that belong to the iteration
	vars  []string // variables of type f32 in scope
	names int
	loops int
	plain bool // only code that LLVM can vectorise
}

// memberVars declares what memberHost has.
const memberVars = `var (
	P field[mote]
	R field[spin]
	S field[f32]
)

type mote struct {
	pos, vel vec3
	age, z   f32
	n        i32
	two      [2]f32
}

type spin struct {
	axis vec2
	turn f32
	k    [3]i32
}
`

// memberParameters are those of Run.
const memberParameters = "q f32, W []vec3, Z []spin"

// memberKernel returns a source with a kernel Run.
func memberKernel(s memberScene) string {
	g := &memberGenerator{r: rand.New(rand.NewPCG(s.seed, 41))}
	g.plain = g.chance(70)
	g.line("package random\n")
	g.line("%s", memberVars)
	for i := range 2 {
		g.method(i)
	}
	g.line("func Run(%s) {", memberParameters)
	g.tabs++
	for range 1 + g.r.IntN(2) {
		g.loop()
	}
	g.tabs--
	g.line("}")
	return g.out.String()
}

func (g *memberGenerator) line(format string, args ...any) {
	g.out.WriteString(strings.Repeat("\t", g.tabs))
	fmt.Fprintf(&g.out, format, args...)
	g.out.WriteByte('\n')
}

func (g *memberGenerator) pick(s ...string) string { return s[g.r.IntN(len(s))] }

func (g *memberGenerator) chance(percent int) bool { return g.r.IntN(100) < percent }

// method writes a method with early returns, as of a particle that hits a wall.
func (g *memberGenerator) method(i int) {
	g.line("func (m *mote) hit%d(a f32) f32 {", i)
	g.tabs++
	g.own, g.vars = []string{"m"}, []string{"a"}
	g.block(2, "return "+g.atom())
	g.line("return %s", g.atom())
	g.tabs--
	g.line("}\n")
}

// loop writes a parallel loop, the iterations of which have one element or two.
func (g *memberGenerator) loop() {
	g.vars = []string{"q"}
	if g.plain || g.chance(60) {
		g.line("for i := range %s {", g.pick("P", "R", "len(P)"))
		g.own = []string{"P[i]"}
	} else {
		g.line("for h := range len(P)/2 {")
		pair := g.pick("i, j := 2*h, 2*h+1", "i, j := h, len(P)/2+h", "i, j := 2*h+1, 2*h", "i, j := h, len(P)-1-h")
		g.line("\t%s", pair)
		g.line("\te := ifelse(P[i].n & 1 == 0, i, j)")
		g.line("\t_ = e")
		g.own = []string{"P[i]", "P[j]", "P[e]"}
	}
	g.tabs++
	g.line("_ = i")
	if g.plain {
		g.block(2, "")
	} else {
		g.block(3, "continue")
	}
	g.tabs--
	g.line("}")
}

// block writes statements; leave is one that ends the iteration, or the function.
func (g *memberGenerator) block(depth int, leave string) {
	saved := len(g.vars)
	n := 2 + g.r.IntN(4)
	if g.plain && g.own[0] != "m" && depth < 2 {
		n = 1 + g.r.IntN(2)
	}
	for range n {
		switch k := g.r.IntN(20); {
		case k < 9 || depth == 0:
			g.store()
		case k < 11:
			g.names++
			name := fmt.Sprintf("v%d", g.names)
			g.line("%s := %s", name, g.expr(1))
			g.line("_ = %s", name)
			g.vars = append(g.vars, name)
		case g.plain && k < 15:
			g.store()
		case g.plain:
			g.branch(depth-1, leave)
		case k == 11 && g.loops == 0:
			g.serial(depth - 1)
		case k == 12 && g.own[0] != "m":
			g.line("%s += %s.hit%d(%s)", g.place(), g.pick(g.own...), g.r.IntN(2), g.atom())
		case k == 13 && depth < 3 && g.loops == 0:
			g.line("if %s { %s }", g.condition(), leave)
		default:
			g.branch(depth-1, leave)
		}
	}
	g.vars = g.vars[:saved]
}

func (g *memberGenerator) branch(depth int, leave string) {
	g.line("if %s {", g.condition())
	g.tabs++
	g.block(depth, leave)
	g.tabs--
	if g.chance(40) {
		g.line("} else {")
		g.tabs++
		g.block(depth, leave)
		g.tabs--
	}
	g.line("}")
}

// serial writes a loop over the components of a vector.
func (g *memberGenerator) serial(depth int) {
	g.names++
	k := fmt.Sprintf("k%d", g.names)
	g.line("for %s := range %s {", k, g.pick("3", "2", g.pick(g.own...)+".n & 3"))
	g.tabs++
	g.loops++
	g.line("_ = %s", k)
	g.line("%s.%s[%s %% 3] %s %s", g.pick(g.own...), g.pick("pos", "vel"), k, g.pick("=", "+=", "-="), g.atom())
	g.block(max(depth, 0), "break")
	g.loops--
	g.tabs--
	g.line("}")
}

// store writes to a member, or to two vectors.
func (g *memberGenerator) store() {
	e := g.pick(g.own...)
	switch g.r.IntN(8) {
	case 0:
		g.line("%s.%s %s %s.%s", e, g.pick("pos", "vel"), g.pick("=", "+=", "*="), g.pick(g.own...), g.pick("pos", "vel"))
	case 1:
		g.line("%s.pos, %s.vel = %s.vel, %s.pos", e, e, g.pick(g.own...), e)
	case 2:
		g.line("%s.n %s %s", e, g.pick("=", "+=", "^="), g.integer())
	default:
		g.line("%s %s %s", g.place(), g.pick("=", "=", "+=", "-=", "*="), g.expr(2))
	}
}

// place returns a number of an element of the iteration.
func (g *memberGenerator) place() string {
	e := g.pick(g.own...)
	if g.plain && g.own[0] != "m" {
		if g.chance(15) {
			return g.pick("R[i].turn", "R[i].axis.x")
		}
		return e + "." + g.pick("pos.x", "pos.y", "pos.z", "pos.z", "vel.z", "z", "z", "two[0]")
	}
	if e == "P[i]" && g.chance(25) {
		return g.pick("R[i].axis.x", "R[i].axis.y", "R[i].turn", "W[i].x", "W[i].z", "Z[i].turn")
	}
	return e + "." + g.pick("pos.x", "pos.y", "pos.z", "vel.x", "vel.z", "age", "z", "z", "two[0]", "two[1]",
		fmt.Sprintf("two[%s.n & 1]", e), "pos.z", "pos.z")
}

func (g *memberGenerator) integer() string {
	return g.pick("1", "-3", g.pick(g.own...)+".n", g.pick(g.own...)+".n + 1", "i32("+g.atom()+" > 0)")
}

func (g *memberGenerator) atom() string {
	switch g.r.IntN(6) {
	case 0:
		return g.pick("0.5", "1.0", "-2.0", "3.25")
	case 1:
		return g.pick(g.vars...)
	case 2:
		if g.own[0] != "m" {
			return g.pick("S[i]", "S[i]", "S[(i+1)%len(S)]", "S[max(i-1, 0)]")
		}
	}
	return g.place()
}

func (g *memberGenerator) expr(depth int) string {
	if depth == 0 || g.chance(30) {
		return g.atom()
	}
	switch g.r.IntN(6) {
	case 0:
		return fmt.Sprintf("%s(%s, %s)", g.pick("min", "max"), g.expr(depth-1), g.expr(depth-1))
	case 1:
		return fmt.Sprintf("ifelse(%s, %s, %s)", g.condition(), g.expr(depth-1), g.expr(depth-1))
	case 2:
		return "-(" + g.atom() + ")"
	}
	return fmt.Sprintf("(%s %s %s)", g.expr(depth-1), g.pick("+", "-", "*"), g.expr(depth-1))
}

func (g *memberGenerator) condition() string {
	switch g.r.IntN(4) {
	case 0:
		return fmt.Sprintf("%s.n & %d == 0", g.pick(g.own...), 1<<g.r.IntN(3))
	case 1:
		return fmt.Sprintf("%s < %s && %s.n > %d", g.atom(), g.atom(), g.pick(g.own...), g.r.IntN(8)-2)
	}
	return fmt.Sprintf("%s %s %s", g.atom(), g.pick("<", ">", "<=", "!="), g.pick("0", "0.25", g.atom()))
}
