package random

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/runtest"
)

var composedSeeds = randtest.New("composed", "firstcomposed", "composed kernels on the typed tree", 40, 12)

// TestRandomComposed runs kernels on both oracles that call kernels, with parallel loops between early returns, and in static loops that are left early.
func TestRandomComposed(t *testing.T) {
	onTrees(t, composedSeeds, func(t *testing.T, seed uint64, tally *treeTally) {
		src := randomComposed(seed)
		v := runtest.OracleVariant
		v.Debug = seed%5 == 0
		tally.launch(t, v, func(r *runtest.Run) { launchComposed(r, src) })
		if t.Failed() {
			t.Fatalf("seed %d, debug %t\n%s", seed, v.Debug, src)
		}
	})
}

// launchComposed launches the kernel of a source.
func launchComposed(r *runtest.Run, src string) {
	r.Helper()
	var h struct{ X, Y ti.Field[int32] }
	r.Place(ti.Shape{6}, &h.X)
	r.Place(ti.Shape{2, 3}, &h.Y)
	p, err := r.RT.Compile(ti.Text("composed.ti", src), &h)
	tooLarge := func(err error) bool {
		return strings.Contains(err.Error(), "[TI0612]") || strings.Contains(err.Error(), "[TI0617]")
	}
	if err != nil {
		if !tooLarge(err) {
			r.Errorf("%v\n%s", err, src)
		}
		return
	}
	for i := range 6 {
		h.X.Set(int32(i*7%5), i)
	}
	for _, n := range []int32{0, 3, -5} {
		_, err := p.Kernel("Run").Launch(r.Context(), n)
		if fault := (*ti.RuntimeError)(nil); err != nil && !errors.As(err, &fault) {
			if tooLarge(err) {
				return
			}
			r.Errorf("%v", err)
			return
		}
	}
}

// A composer writes kernels that call kernels.
type composer struct {
	r       *rand.Rand
	b       strings.Builder
	tabs    int
	names   int
	vars    []string
	labels  []string // of the static loops around; "" for one without
	kernels int
	fuel    int
	run     bool // in the kernel that is launched
}

const composedDecl = `package composed

type pair struct {
	a, b i32
}

var X field[i32, D1]
var Y field[i32, D2]

func small(a i32) i32 { return a & 7 }

func change(p *i32, a i32) i32 {
	if a & 1 == 0 { return *p }
	*p = *p * 3 + a
	return a - *p
}

`

// randomComposed returns the source of a kernel Run and of kernels that it calls.
func randomComposed(seed uint64) string {
	c := &composer{r: rand.New(rand.NewPCG(seed, 61))}
	c.b.WriteString(composedDecl)
	for range 1 + c.r.IntN(3) {
		c.kernel(fmt.Sprintf("K%d", c.kernels), "(n i32) (r i32, q pair)")
		c.kernels++
	}
	c.run = true
	c.kernel("Run", "(n i32) (r i32, q pair)")
	return c.b.String()
}

func (c *composer) pick(s ...string) string { return s[c.r.IntN(len(s))] }

func (c *composer) line(format string, args ...any) {
	c.b.WriteString(strings.Repeat("\t", c.tabs))
	fmt.Fprintf(&c.b, format, args...)
	c.b.WriteByte('\n')
}

func (c *composer) name(prefix string) string {
	c.names++
	return fmt.Sprintf("%s%d", prefix, c.names)
}

func (c *composer) kernel(name, signature string) {
	c.line("func %s%s {", name, signature)
	c.tabs++
	c.vars = []string{"r", "q.a", "q.b"}
	c.line("var t [3]i32")
	c.vars = append(c.vars, "t[1]", "t[small(r) % 3]")
	c.fuel = 6 + c.r.IntN(8)
	for c.fuel > 0 {
		c.statement(2)
	}
	c.line("r += t[0] - t[2]*5")
	c.line("return")
	c.tabs--
	c.line("}\n")
}

func (c *composer) value() string {
	v := c.pick(append(c.vars, "n", "3", "-2")...)
	switch c.r.IntN(6) {
	case 0:
		return fmt.Sprintf("%s %s %s", v, c.pick("+", "-", "*", "^"), c.pick(append(c.vars, "n", "7")...))
	case 1:
		return fmt.Sprintf("small(%s)", v)
	case 2:
		return fmt.Sprintf("change(&%s, %s)", c.pick(c.vars...), v)
	case 3:
		return fmt.Sprintf("X[small(%s) %% 6]", v)
	case 4:
		return fmt.Sprintf("X[%s]", c.pick("0", "3", "n & 7"))
	}
	return v
}

func (c *composer) cond() string {
	s := fmt.Sprintf("%s %s %s", c.value(), c.pick("<", ">", "=="), c.pick("0", "2", "n", "5"))
	switch c.r.IntN(5) {
	case 0:
		return s + c.pick(" && ", " || ") + fmt.Sprintf("%s > 1", c.value())
	case 1:
		if c.kernels > 0 {
			k := c.name("a")
			c.line("%s, _ := K%d(%s)", k, c.r.IntN(c.kernels), c.value())
			return fmt.Sprintf("%s & 3 == 1", k)
		}
	}
	return s
}

// loop writes a parallel loop.
func (c *composer) loop() {
	a := c.value()
	c.line("w%d := %s", c.names+1, a)
	w := c.name("w")
	c.line("_ = %s", w)
	over, grid := "6", "ndrange(2, 3)"
	if c.run { // kernels called from serial code cannot loop over fields
		over, grid = c.pick("X", "6"), c.pick("Y", grid)
	}
	switch c.r.IntN(5) {
	case 0:
		c.line("for i := range %s {", over)
		c.line("\tX[i] = X[i]*3 + %s", c.pick(w, "i", w+" ^ Y[i & 1][i % 3]"))
		c.line("\tif X[i] > 50 { continue }")
		c.line("\tX[i] += 1")
		c.line("}")
	case 1:
		c.line("for i := range %s { %s += X[i] ^ %s }", over, c.pick("r", "t[1]", "q.a", "t[i % 3]"), w)
	case 2:
		c.line("for i, j := range %s { Y[i][j] += X[i + j] * %s }", grid, c.pick(w, "j"))
	case 3:
		c.line("for i := range small(%s) { X[i %% 6] += %s }", w, c.pick("i", "1", "Y[i & 1][1]"))
	case 4:
		c.line("for i := range %s { q.b = max(q.b, X[i] + %s) }", over, w)
	}
}

func (c *composer) block(depth int) {
	c.tabs++
	saved := len(c.vars)
	for range 1 + c.r.IntN(3) {
		c.statement(depth)
	}
	c.vars = c.vars[:saved]
	c.tabs--
}

func (c *composer) statement(depth int) {
	c.fuel--
	switch k := c.r.IntN(12); {
	case k < 3:
		c.loop()
	case k == 3 && depth > 0:
		j, label := c.name("j"), ""
		if c.r.IntN(3) == 0 {
			label = c.name("outer")
			c.line("%s:", label)
		}
		c.labels = append(c.labels, label)
		c.line("for %s := range static(%d) {", j, 2+c.r.IntN(2))
		c.line("\t_ = %s", j)
		c.block(depth - 1)
		c.tabs++
		if label == "" || c.r.IntN(2) == 0 {
			cond := c.cond()
			c.line("if %s { %s }", cond, c.leave())
		}
		if label != "" {
			c.line("if %s > 4 { %s %s }", c.value(), c.pick("break", "continue"), label)
		}
		c.tabs--
		c.block(depth - 1)
		c.line("}")
		c.labels = c.labels[:len(c.labels)-1]
	case k == 4:
		cond := c.cond()
		c.line("if %s { return %s }", cond, c.pick("", "4, pair{1, n}", "small(r), q"))
	case k == 5 && c.kernels > 0:
		a, q := c.name("a"), c.name("p")
		c.line("%s, %s := K%d(%s)", a, q, c.r.IntN(c.kernels), c.value())
		c.line("_, _ = %s, %s", a, q)
		c.vars = append(c.vars, a, q+".a")
	case k == 6 && c.kernels > 0:
		c.line("%s, q = K%d(%s)", c.pick(c.vars...), c.r.IntN(c.kernels), c.value())
	case k == 7:
		cond := c.cond()
		c.line("if %s {", cond)
		c.line("\t%s = %s", c.pick(c.vars...), c.value())
		if c.kernels > 0 && c.r.IntN(2) == 0 {
			c.line("\t%s, _ = K%d(%s)", c.pick(c.vars...), c.r.IntN(c.kernels), c.value())
		}
		c.line("} else if n > 2 {")
		c.line("\t%s -= %s", c.pick(c.vars...), c.value())
		c.line("}")
	case k == 8:
		v := c.name("v")
		c.line("%s := %s", v, c.value())
		c.line("_ = %s", v)
		c.vars = append(c.vars, v)
	case k == 9:
		c.line("for k := range serial(3) {")
		c.line("\tif small(%s + k) == 3 { %s }", c.pick(c.vars...), c.pick("break", "continue", "return"))
		c.line("\t%s += k", c.pick(c.vars...))
		c.line("}")
	case k == 10:
		c.line("print(%q, %s)", c.name("at"), c.value())
	default:
		c.line("%s %s %s", c.pick(c.vars...), c.pick("=", "+=", "^="), c.value())
	}
}

// leave leaves a static loop, or the kernel.
func (c *composer) leave() string {
	label := c.labels[c.r.IntN(len(c.labels))]
	if c.r.IntN(5) == 0 {
		return "return"
	}
	return strings.TrimSpace(c.pick("break", "continue") + " " + label)
}
