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

var halfSeeds = randtest.New("halfseeds", "firsthalf", "sums of halves on the typed tree", 100, 40)

// TestRandomHalves runs parallel loops with sums and products of halves on both oracles. Which of them are formed in single precision is decided
// by lowering on the one, and by the text of the rule on the other.
func TestRandomHalves(t *testing.T) {
	onTrees(t, halfSeeds, func(t *testing.T, seed uint64, tally *treeTally) {
		src := randomHalves(seed)
		v := runtest.OracleVariant
		if seed%3 == 0 {
			v.Unrolled = 1 + int(seed/3%2)
		}
		tally.launch(t, v, func(r *runtest.Run) { launchHalves(r, src) })
		if t.Failed() {
			t.Fatalf("seed %d, unrolled %d\n%s", seed, v.Unrolled, src)
		}
	})
}

const halfDecl = `package halves

type half2 = [2]f16

type both struct {
	a f16
	v half2
	k i32
}

var (
	A    field[f16, D1]
	Zero field[f16, D0]
	Few  field[f16, D1]
	Vecs field[half2, D1]
	Boxes field[both, D1]
	Own  field[f16, D1]
)

func grow(p *f16, v f16) { *p += v }

func twice(p *half2, v f16) {
	p.x -= v
	p[1] *= 1 + v / 512
}

`

// randomHalves returns the source of a kernel with loops over A.
func randomHalves(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 53))
	var b strings.Builder
	b.WriteString(halfDecl)
	pick := func(s ...string) string { return s[r.IntN(len(s))] }
	b.WriteString("func Run(f f16) (s f16, v half2, t both) {\n\tvar u [3]f16\n\tw := f\n")
	for range 1 + r.IntN(3) {
		fmt.Fprintf(&b, "\tfor i := range %s {\n\t\tx := %s\n\t\t_, _ = x, i\n", pick("A", "A", "40", "ndrange(5, 8)", "serial(A)"), pick("A[7]", "f16(0.3)"))
		text := b.String()
		if i := strings.LastIndex(text, "for i := range"); !strings.Contains(text[i:], "ndrange") {
			b.WriteString("\t\tx += A[i & 31]\n")
		}
		serial := strings.Contains(text[strings.LastIndex(text, "for i := range"):], "serial")
		places := []string{"s", "v", "v.x", "v.yx", "t.a", "t.v", "t.v.y", "t.k", "u[1]", "u[2]", "w", "Zero", "Few[0]", "Few[2]", "Few[i0 & 3]", "Vecs[1]", "Vecs[1].x", "Vecs[0].yx",
			"Boxes[1].a", "Boxes[1].v", "Boxes[0].v.x", "Boxes[1].k", "Own[i0]", "v[i0 & 1]", "u[i0 % 3]", "Few[9]"}
		some := []string{}
		for range 1 + r.IntN(4) {
			some = append(some, places[r.IntN(len(places))])
		}
		fmt.Fprintf(&b, "\t\ti0 := i32(abs(x) * 8) & 31\n\t\t_ = i0\n")
		for range 1 + r.IntN(6) {
			p := some[r.IntN(len(some))]
			value := pick("x", "x * 0.37", "1.12", "-x", "f")
			if strings.HasSuffix(p, ".k") {
				value = "3"
			}
			vector := p == "v" || p == "v.yx" || p == "t.v" || strings.HasPrefix(p, "Vecs") && !strings.HasSuffix(p, ".x") || p == "Boxes[1].v"
			line := fmt.Sprintf("%s %s %s", p, pick("+=", "+=", "-="), value)
			field := strings.ContainsAny(p[:1], "ZFVBO") // of which there are references in a loop
			switch k := r.IntN(14); {
			case k == 0 && !strings.HasSuffix(p, ".k"):
				line = fmt.Sprintf("%s *= 1.02", p)
			case k == 1 && field && !vector && !strings.HasSuffix(p, ".k"):
				line = fmt.Sprintf("grow(&%s, %s)", p, value)
			case k == 2 && field && vector && !strings.Contains(p, "yx"):
				line = fmt.Sprintf("twice(&%s, %s)", p, value)
			case k == 3 && !strings.HasSuffix(p, ".k") && !strings.HasSuffix(p, ".yx"):
				line = fmt.Sprintf("atomicAdd(&%s, %s)", p, value)
				if vector {
					line = fmt.Sprintf("atomicAdd(&%s, half2(%s))", p, value)
				}
			case k == 4 && !serial:
				line = fmt.Sprintf("%s = max(%s, %s)", p, p, value)
			case k == 5 && field:
				line = fmt.Sprintf("x += %s / 64", pick("Zero", "Few[0]", "Few[i0 & 3]", "Vecs[1].y", "Boxes[1].a"))
			case k == 6 && strings.HasPrefix(p, "Few"):
				line = fmt.Sprintf("x = atomicAdd(&%s, x)", p)
			}
			switch r.IntN(5) {
			case 0:
				line = fmt.Sprintf("if x > %s { %s }", pick("0", "1", "-2"), line)
			case 1:
				line = fmt.Sprintf("for range serial(%d) { %s }", 2+r.IntN(2), line)
			}
			b.WriteString("\t\t" + line + "\n")
		}
		b.WriteString("\t}\n")
		if r.IntN(3) == 0 {
			fmt.Fprintf(&b, "\t%s\n", pick("s /= 2", "w += s", "u[0] = u[1] - u[2]", "Zero = 0.5", "Few[0] = w"))
		}
	}
	b.WriteString("\ts += w / 16\n\tfor k := range serial(3) { t.v.x += u[k] }\n\treturn\n}\n")
	return b.String()
}

// launchHalves launches the kernel of a source.
func launchHalves(r *runtest.Run, src string) {
	r.Helper()
	type both struct {
		A ti.Float16    `ti:"a"`
		V [2]ti.Float16 `ti:"v"`
		K int32         `ti:"k"`
	}
	var h struct {
		A, Zero, Few, Own ti.Field[ti.Float16]
		Vecs              ti.Field[[2]ti.Float16]
		Boxes             ti.Field[both]
	}
	r.Place(ti.Shape{32}, &h.A, &h.Own)
	r.Place(nil, &h.Zero)
	r.Place(ti.Shape{4}, &h.Few)
	r.Place(ti.Shape{2}, &h.Vecs, &h.Boxes)
	p, err := r.RT.Compile(ti.Text("halves.ti", src), &h)
	if err != nil {
		r.Errorf("%v\n%s", err, src)
		return
	}
	for i := range 32 {
		h.A.Set(runtest.Half(float64(i*i%37)/3-4), i)
	}
	for i := range 4 {
		h.Few.Set(runtest.Half(2000*float64(i)), i)
	}
	for _, f := range []float64{1.5, -0.01} {
		_, err := p.Kernel("Run").Launch(r.Context(), runtest.Half(f))
		if fault := (*ti.RuntimeError)(nil); err != nil && !errors.As(err, &fault) {
			r.Errorf("%v", err)
			return
		}
	}
}
