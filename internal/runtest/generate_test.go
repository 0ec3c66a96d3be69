package runtest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A generator writes random kernels that check and end. Two back ends must agree
// on them to the last bit under strict maths: an iteration writes only its own
// elements and reads others only of fields that the loop does not write, atomics
// are of integers and commute, and no transcendental function is called.
type generator struct {
	r     *rand.Rand
	out   strings.Builder
	tabs  int
	vars  []variable
	names int
	fuel  int // statements left
	loops int // serial loops around
	index string
	funcs []string // device functions (i32, f32) i32 written so far
	sum   string   // the variable of the kernel that the loop may reduce into
	sumOp string
	slice bool   // the slice W is in scope
	hist  string // how the loop changes field H; "" for not at all
}

type variable struct {
	name, typ string
	fixed     bool // a loop variable
}

var scalarTypes = []string{"i32", "i32", "f32", "f32", "i64", "u32", "u8", "i8", "i16", "u16", "u64", "f64", "f16", "bool"}

var vectorTypes = []string{"ivec2", "vec2", "vec3", "ivec3"}

// elemOf returns the element type and length of a vector type.
func elemOf(t string) (string, int) {
	switch t {
	case "ivec2":
		return "i32", 2
	case "ivec3":
		return "i32", 3
	case "vec2":
		return "f32", 2
	case "vec3":
		return "f32", 3
	}
	return t, 0
}

func isFloat(t string) bool { e, _ := elemOf(t); return e[0] == 'f' }

func (g *generator) pick(s ...string) string { return s[g.r.IntN(len(s))] }

func (g *generator) chance(percent int) bool { return g.r.IntN(100) < percent }

func (g *generator) line(format string, args ...any) {
	g.out.WriteString(strings.Repeat("\t", g.tabs))
	fmt.Fprintf(&g.out, format, args...)
	g.out.WriteByte('\n')
}

// randomKernel returns a source with a kernel Run(p i32, q f32, W []u16) (i32, f32, u32) of
// the fields A, B, C (read), X, Y, V, S (written) of 48 elements, and H of 8, and a
// slice of 48.
func randomKernel(seed uint64) string {
	g := &generator{r: rand.New(rand.NewPCG(seed, 17))}
	g.line("package random\n")
	g.line("var (\n\tA, X field[i32]\n\tB, Y field[f32]\n\tC field[i64]\n\tV field[vec2]\n\tH field[i32]\n\tS field[pair]\n)\n")
	g.line("%s", randomPrelude)
	for range g.r.IntN(3) {
		g.function()
	}
	g.line("func Run(p i32, q f32, W []u16) (r1 i32, r2 f32, r3 u32) {")
	g.slice = true
	g.tabs++
	g.vars = []variable{{"p", "i32", false}, {"q", "f32", false}, {"r1", "i32", false}, {"r3", "u32", false}}
	for range 4 {
		t := g.pick(append(scalarTypes, vectorTypes...)...)
		g.declare(t, g.expr(t, 2))
	}
	g.fuel = 6
	g.block(2)
	for n := range 1 + g.r.IntN(3) {
		g.loop(n)
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
	g.fuel = 6
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

// loop writes a parallel loop.
func (g *generator) loop(n int) {
	saved := g.vars
	switch g.r.IntN(4) {
	case 0:
		g.line("for i%d := range 48 {", n)
	case 1:
		g.line("for i%d := range span(clamp(p, 0, 20), 48) {", n)
	default:
		g.line("for i%d := range X {", n)
	}
	g.index = fmt.Sprintf("i%d", n)
	g.sum = g.pick("", "r1", "r3")
	g.sumOp = g.pick("+=", "-=", "^=", "|=", "min", "max")
	g.hist = g.pick("", "+=", "^=", "|=", "&=", "min", "max")
	if g.sum != "" { // inside it is a reduction, which cannot be read
		var kept []variable
		for _, v := range g.vars {
			if v.name != g.sum {
				kept = append(kept, v)
			}
		}
		g.vars = kept
	}
	// What the kernel's outermost scope declares can be read, not assigned.
	inside := make([]variable, len(g.vars))
	for i, v := range g.vars {
		inside[i] = variable{v.name, v.typ, true}
	}
	g.vars = append(inside, variable{g.index, "i32", true})
	g.tabs++
	g.line("_ = %s", g.index)
	for range 3 {
		t := g.pick(append(scalarTypes, vectorTypes...)...)
		g.declare(t, g.expr(t, 2))
	}
	g.fuel = 6 + g.r.IntN(12)
	for g.fuel > 0 {
		g.block(3)
	}
	for range 3 {
		g.store()
	}
	g.tabs--
	g.line("}")
	g.vars, g.index, g.sum, g.hist = saved, "", "", ""
}

// store writes to what a parallel loop may write.
func (g *generator) store() {
	i := g.index
	switch g.r.IntN(7) {
	case 0:
		g.line("X[%s] = %s", i, g.expr("i32", 3))
	case 1:
		g.line("X[%s] %s %s", i, g.pick("+=", "-=", "*=", "^="), g.expr("i32", 2))
	case 2:
		g.line("Y[%s] = %s", i, g.expr("f32", 3))
	case 3:
		g.line("V[%s]%s = %s", i, g.pick(".x", ".y", "[0]"), g.expr("f32", 2))
	case 4:
		g.line("V[%s] = %s", i, g.expr("vec2", 2))
	case 5:
		if g.hist != "" {
			g.update(fmt.Sprintf("H[%s]", g.pick(i+"%8", g.atom("i32")+"&7", g.atom("i32"))), g.hist, "i32")
		}
	case 6:
		if g.sum != "" {
			g.update(g.sum, g.sumOp, map[string]string{"r1": "i32", "r3": "u32"}[g.sum])
		}
	}
}

func (g *generator) update(place, op, typ string) {
	if op == "min" || op == "max" {
		g.line("%s = %s(%s, %s)", place, op, place, g.expr(typ, 2))
		return
	}
	g.line("%s %s %s", place, op, g.expr(typ, 2))
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

func (g *generator) statement(depth int) {
	if depth == 0 {
		g.assign()
		return
	}
	switch g.r.IntN(15) {
	case 12, 13, 14:
		g.more(depth)
	case 0, 1:
		t := g.pick(scalarTypes...)
		g.declare(t, g.expr(t, 3))
	case 2:
		t := g.pick(vectorTypes...)
		g.declare(t, g.expr(t, 2))
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
		if g.loops > 1 || g.index == "" && !strings.Contains(head, "serial") && !static {
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
		g.line("%s[%s] += %s", name, g.pick("1", g.atom("i32")+"&3", g.atom("i32")), g.expr("i32", 1))
		g.declare("i32", fmt.Sprintf("%s[%s] + %s[2]", name, g.atom("i32"), name))
	default:
		if g.index != "" {
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
	elem, n := elemOf(v.typ)
	switch {
	case n > 0 && g.chance(50):
		g.line("%s%s = %s", v.name, g.pick(".x", ".y", "[1]"), g.expr(elem, 2))
	case v.typ == "bool" || g.chance(60):
		g.line("%s = %s", v.name, g.expr(v.typ, 3))
	default:
		g.line("%s %s %s", v.name, g.pick("+=", "-=", "*="), g.expr(v.typ, 2))
	}
}
