package lower

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/oracle"
)

// TestRandom lowers random functions full of loops and jumps and compares what the
// oracle makes of them with what the interpreter of Go's syntax trees in
// visitor_test.go does. The two share nothing but the text.
func TestRandom(t *testing.T) {
	for seed := range uint64(200) {
		compareRandom(t, seed)
	}
}

func FuzzControl(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(compareRandom)
}

func compareRandom(t *testing.T, seed uint64) {
	g := &generator{r: rand.New(rand.NewPCG(seed, 7))}
	text := g.program()
	prog, err := source(text, "")
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, text)
	}
	k := Kernel(&prog.Program, prog.Kernel("K"), Options{})
	if err := ir.Verify(k); err != nil {
		t.Fatalf("seed %d: %v\n%s\n%s", seed, err, text, k)
	}
	file, err := parser.ParseFile(token.NewFileSet(), "k.ti", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	w := &visitor{funcs: map[string]*ast.FuncDecl{}}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			w.funcs[f.Name.Name] = f
		}
	}
	for _, args := range [][]int32{{0, 0}, {1, 5}, {-3, 2}, {1000, 7}} {
		want := w.call("K", args)
		env := &oracle.Env{Args: []uint64{ir.IntBits(ir.I32, int64(args[0])), ir.IntBits(ir.I32, int64(args[1]))}, MaxSteps: 1e7}
		res, err := oracle.Run(context.Background(), k, env)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		if got := int32(res.Values[0]); got != want {
			t.Fatalf("seed %d: K%v = %d, not %d\n%s\n%s", seed, args, got, want, text, k)
		}
	}
}

// A generator writes random programs. Every loop runs a few times only.
type generator struct {
	r      *rand.Rand
	sb     strings.Builder
	depth  int
	next   int      // number of the next loop variable or label
	loops  []string // labels of the loops around; "" for a switch
	used   map[string]bool
	funcs  int // functions that may be called
	budget int // statements that may hold others, in this function
}

func (g *generator) program() string {
	head := "package p\n"
	var funcs []string
	for i := range 3 {
		g.sb.Reset()
		g.funcs, g.budget = i, 12
		fmt.Fprintf(&g.sb, "func f%d(a, b i32) i32 {\nc, d := a, 7\nvar v [4]i32\n", i)
		g.block(4)
		g.sb.WriteString("return a + 3*b + 5*c + 7*d + v[0] + v[3]*v[1]\n}\n")
		funcs = append(funcs, g.sb.String())
	}
	return head + strings.Join(funcs, "") + "func K(a, b i32) i32 { return f2(a, b) + f1(b, a) }\n"
}

func (g *generator) block(n int) {
	g.depth++
	for range 1 + g.r.IntN(n) {
		if g.stmt() {
			break
		}
	}
	g.depth--
}

func (g *generator) pick(s ...string) string { return s[g.r.IntN(len(s))] }

func (g *generator) name() string { return g.pick("a", "b", "c", "d") }

func (g *generator) expr(depth int) string {
	if depth == 0 {
		switch g.r.IntN(5) {
		case 1:
			return "v[" + g.name() + "&3]"
		case 2:
			return "v[2]"
		}
		return g.name()
	}
	if g.funcs > 0 && g.r.IntN(12) == 0 {
		return fmt.Sprintf("f%d(%s, %s)", g.r.IntN(g.funcs), g.expr(0), g.expr(0))
	}
	x, y := g.expr(depth-1), g.expr(0)
	if g.r.IntN(4) == 0 {
		y = fmt.Sprint(1 + g.r.IntN(9))
	}
	return "(" + x + " " + g.pick("+", "-", "*", "/", "%", "&", "|", "^") + " " + y + ")"
}

func (g *generator) cond() string {
	c := g.expr(1) + " " + g.pick("<", "<=", ">", ">=", "==", "!=") + " " + g.name()
	switch g.r.IntN(4) {
	case 0:
		return c + g.pick(" && ", " || ") + g.name() + " > " + g.expr(1)
	case 1:
		return "!(" + c + ")"
	}
	return c
}

// stmt writes a statement and reports whether it is a jump.
func (g *generator) stmt() bool {
	n := g.r.IntN(16)
	if g.budget--; g.depth > 4 || g.budget < 0 {
		n = g.r.IntN(6)
	}
	switch n {
	case 0, 1:
		fmt.Fprintf(&g.sb, "%s %s %s\n", g.name(), g.pick("=", "+=", "-=", "*=", "^="), g.expr(2))
	case 2:
		fmt.Fprintf(&g.sb, "%s, %s = %s, %s\n", g.pick("a", "b"), g.pick("c", "d", "v[1]"), g.expr(1), g.expr(1))
	case 3:
		fmt.Fprintf(&g.sb, "v[%s] %s %s\n", g.pick("0", "2", g.name()+"&3"), g.pick("=", "+="), g.expr(1))
	case 4, 5:
		return g.jump()
	case 6, 7, 8, 9:
		g.ifStmt()
	case 10:
		g.switchStmt()
	default:
		g.loop()
	}
	return false
}

// jump writes a jump of some kind, sometimes.
func (g *generator) jump() bool {
	kind := g.pick("return", "break", "continue", "label break", "label continue")
	label := ""
	if len(g.loops) > 0 {
		label = g.loops[g.r.IntN(len(g.loops))]
	}
	inLoop := false
	for _, l := range g.loops {
		inLoop = inLoop || l != ""
	}
	switch {
	case kind == "return" && g.r.IntN(3) == 0:
		fmt.Fprintf(&g.sb, "return %s\n", g.expr(2))
	case kind == "break" && len(g.loops) > 0, kind == "continue" && inLoop:
		g.sb.WriteString(kind + "\n")
	case strings.HasPrefix(kind, "label") && label != "":
		g.used[label] = true
		fmt.Fprintf(&g.sb, "%s %s\n", strings.TrimPrefix(kind, "label "), label)
	default:
		g.sb.WriteString("d++\n")
		return false
	}
	return true
}

func (g *generator) ifStmt() {
	fmt.Fprintf(&g.sb, "if %s {\n", g.cond())
	g.block(3)
	switch g.r.IntN(3) {
	case 0:
		g.sb.WriteString("} else {\n")
		g.block(3)
	case 1:
		fmt.Fprintf(&g.sb, "} else if %s {\n", g.cond())
		g.block(2)
	}
	g.sb.WriteString("}\n")
}

func (g *generator) switchStmt() {
	fmt.Fprintf(&g.sb, "switch %s & 3 {\n", g.name())
	g.loops = append(g.loops, "")
	for _, c := range []string{"case 0:\n", "case 1, 2:\n", "default:\n"} {
		g.sb.WriteString(c)
		g.block(2)
	}
	g.loops = g.loops[:len(g.loops)-1]
	g.sb.WriteString("}\n")
}

// loop writes a loop of one of four kinds around a body.
func (g *generator) loop() {
	g.next++
	i, label := fmt.Sprintf("i%d", g.next), fmt.Sprintf("l%d", g.next)
	if g.used == nil {
		g.used = map[string]bool{}
	}
	before := g.sb.String()
	g.sb.Reset()
	g.loops = append(g.loops, label)
	g.block(4)
	g.loops = g.loops[:len(g.loops)-1]
	body := g.sb.String()
	g.sb.Reset()
	g.sb.WriteString(before)
	kind := g.r.IntN(5)
	if kind == 3 {
		fmt.Fprintf(&g.sb, "%s := 0\n", i)
	}
	if g.used[label] {
		g.sb.WriteString(label + ":\n")
	}
	switch kind {
	case 0:
		fmt.Fprintf(&g.sb, "for %s := range %s & 3 {\nb += %s\n", i, g.name(), i)
	case 1:
		fmt.Fprintf(&g.sb, "for %s := range static(3) {\nb += %s\n", i, i)
	case 2:
		fmt.Fprintf(&g.sb, "for %s := 0; %s < %s; %s++ {\nc ^= %s\n", i, i, g.pick("3", "2", "(4)"), i, i)
	case 3:
		fmt.Fprintf(&g.sb, "for %s < 4 && %s != 3 {\n%s++\n", i, g.name(), i)
	case 4:
		fmt.Fprintf(&g.sb, "for %s, %sj := range ndrange(2, span(-1, 1)) {\nd += 10*%s + %sj\n", i, i, i, i)
	}
	g.sb.WriteString(body + "}\n")
}
