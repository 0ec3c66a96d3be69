package program

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/runtest"
)

var superwordSeeds = randtest.New("superwords", "firstsuperword", "random loops over particles and the nodes around each", 12, 6)

// TestRandomSuperwords runs made-up loops over particles that load and update contiguous numbers, at data-dependent places: with
// strict maths they give the oracle's bits, and otherwise what is near.
func TestRandomSuperwords(t *testing.T) {
	superwordSeeds.Each(t, func(t *testing.T, seed uint64) {
		random := rand.New(rand.NewPCG(seed, 11))
		c := &superwordCase{random: random, kind: []string{"f32", "f64"}[random.IntN(2)]}
		source := c.source()
		strict := random.IntN(2) == 0
		v := runtest.Variant{Label: "O3", Arch: ti.LLVM, Opt: "3", Threads: 1 + random.IntN(2)}
		without := v
		without.Label, without.Without = "O3 without", "superwords"
		var want []float64
		for _, v := range []runtest.Variant{{Label: "oracle", Arch: ti.Oracle}, v, without} {
			start := v.NewRuntime
			if strict {
				start = v.StrictRuntime
			}
			rt, out := start(t)
			r := &runtest.Run{TB: t, Variant: v, RT: rt, Out: out}
			var got []float64
			if c.kind == "f32" {
				got = runSuperword[float32](r, source, seed)
			} else {
				got = runSuperword[float64](r, source, seed)
			}
			r.Close()
			runtest.OK(r, rt.Close())
			if want == nil {
				want = got
			} else if i := differ(got, want, want, c.kind, strict); i >= 0 && (strict || differ(got, want, exactSuperword(t, source, seed), c.kind, false) >= 0) {
				t.Errorf("seed %d, strict %v, %s: number %d is %v and not %v\n%s", seed, strict, v.Label, i, got[i], want[i], source)
			}
		}
	})
}

// superwordParticles is the number of particles, a group of ten at a time.
const superwordParticles, superwordGroups = 60, 6

type superwordHost[R float32 | float64] struct {
	B, C          ti.Field[int32]
	X, Y          ti.Field[R]
	Grid, Out     ti.Field[R]
	Local, Global func() error
}

// runSuperword runs both kernels and returns all that they change.
func runSuperword[R float32 | float64](r *runtest.Run, source string, seed uint64) []float64 {
	random := rand.New(rand.NewPCG(seed, 12))
	var h superwordHost[R]
	r.Place(ti.Shape{superwordParticles}, &h.B, &h.C)
	r.Place(ti.Shape{superwordParticles, 4}, &h.X, &h.Y)
	r.Place(ti.Shape{superwordGroups, 7, 28}, &h.Grid)
	r.Place(ti.Shape{superwordGroups, 7, 28}, &h.Out)
	r.Load(source, &h)
	for p := range superwordParticles {
		h.B.Set(int32(random.IntN(4)), p)
		h.C.Set(int32(random.IntN(4)), p)
		for k := range 4 {
			h.X.Set(R(random.IntN(16))/8-1, p, k)
			h.Y.Set(R(random.Float64()*2-1), p, k)
		}
	}
	for g := range superwordGroups {
		for i := range 7 {
			for j := range 28 {
				h.Grid.Set(R(random.Float64()*2-1), g, i, j)
			}
		}
	}
	runtest.OK(r, h.Local())
	runtest.OK(r, h.Global())
	var all []float64
	for _, f := range []*ti.Field[R]{&h.Y, &h.Grid, &h.Out} {
		for _, x := range f.All() {
			all = append(all, float64(x))
		}
	}
	return all
}

// differ returns the first number that is not that wanted, -1 if there is none. Exact has what is wanted, without what rounding does to it.
func differ(got, want, exact []float64, kind string, strict bool) int {
	tolerance := 2e-4
	if kind == "f64" {
		tolerance = 1e-11
	}
	for i, x := range got {
		y := want[i]
		switch {
		case x == y || math.IsNaN(x) && math.IsNaN(y): // min and max may choose either zero
		case strict || !(math.Abs(x-y) <= tolerance*(1+math.Abs(y))+4*math.Abs(y-exact[i])):
			return i
		}
	}
	return -1
}

// exactSuperword returns what the oracle has in f64: some sources lose most digits of an f32, and are off by a multiple of what the oracle
// is off by itself.
func exactSuperword(t *testing.T, source string, seed uint64) []float64 {
	v := runtest.Variant{Label: "oracle in f64", Arch: ti.Oracle}
	rt, out := v.NewRuntime(t)
	r := &runtest.Run{TB: t, Variant: v, RT: rt, Out: out}
	got := runSuperword[float64](r, strings.ReplaceAll(source, "f32", "f64"), seed)
	r.Close()
	runtest.OK(r, rt.Close())
	return got
}

// A superwordCase makes up kernels.
type superwordCase struct {
	random *rand.Rand
	kind   string
	wide   int // numbers of a node
}

// source has two kernels: with a local array around a group of particles, and without.
func (c *superwordCase) source() string {
	c.wide = 1 + c.random.IntN(4)
	rows, columns := 1+c.random.IntN(3), 2+c.random.IntN(2)
	text := `package p

var (
	B, C field[i32, D1]
	X, Y field[T, D2]
	Grid field[T, D3]
	Out field[T, D3]
)

`
	text += "func Local() {\n\tfor g := range 6 {\n\t\tvar near [7][28]T\n\t\tfor k := range 10 {\n\t\t\tp := 10*g + k\n"
	text += c.body("near", rows, columns, "\t\t\t") + "\t\t}\n\t\tfor i, j := range ndrange(7, 28) {\n\t\t\tOut[g][i][j] = near[i][j]\n\t\t}\n\t}\n}\n\n"
	text += "func Global() {\n\tfor g := range 6 {\n\t\tfor k := range 10 {\n\t\t\tp := 10*g + k\n"
	text += c.body("Grid[g]", rows, columns, "\t\t\t") + "\t\t}\n\t}\n}\n"
	return strings.ReplaceAll(text, "T", c.kind)
}

// body reads and changes the nodes around a particle.
func (c *superwordCase) body(grid string, rows, columns int, in string) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, in+format+"\n", args...) }
	if c.random.IntN(4) == 0 { // the indices are checked
		line("b, c := B[p], C[p]")
	} else {
		line("b, c := clamp(B[p], 0, 3), clamp(C[p], 0, 3)")
	}
	line("_, _ = b, c")
	line("x, y, z := X[p][0], X[p][1], Y[p][2]")
	line("_, _, _ = x, y, z")
	for s := range 3 {
		line("s%d := T(%d)", s, c.random.IntN(3))
	}
	values := make([]string, c.wide)
	for k := range values {
		values[k] = c.value(2 + c.random.IntN(2))
	}
	if c.random.IntN(3) == 0 {
		for k := range values {
			values[k] = values[0]
		}
	}
	reads, writes := c.random.IntN(3) > 0, c.random.IntN(4) > 0
	line("for o := range static(ndrange(%d, %d)) {", rows, columns)
	line("\tw := (x - T(o.x)) * (y + %g*T(o.y))", float64(c.random.IntN(8))/4)
	line("\td := T(o.x) - z")
	line("\te := T(o.y) + x")
	line("\t_, _, _ = w, d, e")
	for k, v := range values {
		at := fmt.Sprintf("%s[b+o.x][%d*(c+o.y)+%d]", grid, c.wide, k)
		if reads {
			line("\ts%d += %s", c.random.IntN(min(3, c.wide)), strings.ReplaceAll(c.atom()+"*("+v+")", "G", at))
		}
		if writes {
			op := []string{"+=", "+=", "+=", "-=", "="}[c.random.IntN(5)]
			line("\t%s %s w*(%s)", at, op, strings.ReplaceAll(v, "G", at))
		}
	}
	line("}")
	for s := range 3 {
		line("Y[p][%d] = s%d", s, s)
	}
	return b.String()
}

// value is an expression of this number of levels.
func (c *superwordCase) value(deep int) string {
	if deep == 0 {
		return c.atom()
	}
	l, r := c.value(deep-1), c.value(c.random.IntN(deep))
	switch c.random.IntN(9) {
	case 0:
		return "min(" + l + ", " + r + ")"
	case 1:
		return "max(" + l + ", " + r + ")"
	case 2:
		return "sqrt(abs(" + l + "))"
	case 3:
		return "(" + l + ")/(2+abs(" + r + "))"
	case 4, 5:
		return "(" + l + " - " + r + ")"
	case 6:
		return "(" + l + ")*(" + r + ")"
	default:
		return "(" + l + " + " + r + ")"
	}
}

func (c *superwordCase) atom() string {
	return []string{"w", "d", "e", "x", "y", "z", "T(o.x)", "T(o.y)", "2.5", "T(0)", "G", "G"}[c.random.IntN(12)]
}
