package random

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
)

var raceSeeds = randtest.New("races", "firstrace", "random loops", 40, 20)

// TestRandomRaces makes up loops that access elements of a few fields: the iteration's own,
// neighbours, fixed ones, and those whose index lies in a field. The reference interpreter
// records all accesses, while the compiler drops some. In debug mode both must find the
// same first race, and the same number of races. Elements may differ in their last bits:
// a sum over the iterations has no order, strict maths or not.
func TestRandomRaces(t *testing.T) {
	kinds := map[bool]int{}
	raceSeeds.Each(t, func(t *testing.T, seed uint64) {
		g := &raceWriter{r: rand.New(rand.NewPCG(seed, 7))}
		src := g.source()
		var want string
		var wantData []float32
		for i, cfg := range []ti.Config{{Arch: ti.Oracle}, {Arch: ti.LLVM, Threads: 1 + g.r.IntN(3)}} {
			got, data := raceOf(t, cfg, src)
			if i == 0 {
				want, wantData = got, data
				kinds[strings.Contains(got, " here, and iteration ")]++
			} else if near := slices.EqualFunc(data, wantData, nearly); got != want || !near {
				t.Errorf("with %v: %s\nand the interpreter: %s\nthe same elements: %v\n%s", cfg.Arch, got, want, near, src)
			}
		}
	})
	// A few seeds, as -run or -races may leave, can all be of one kind.
	if n := kinds[true] + kinds[false]; n >= 20 && (kinds[true] == 0 || kinds[false] == 0) {
		t.Errorf("of all loops %d have races, and %d none", kinds[true], kinds[false])
	}
	t.Logf("%d with races, %d without", kinds[true], kinds[false])
}

// nearly reports whether two sums of the same numbers may be in different orders.
func nearly(a, b float32) bool {
	return a == b || math.IsNaN(float64(a)) && math.IsNaN(float64(b)) || math.Abs(float64(a-b)) <= 1e-4*math.Abs(float64(b))
}

// raceOf launches the kernel of src in debug mode and returns its error, and the elements
// of the fields.
func raceOf(t *testing.T, cfg ti.Config, src string) (failure string, data []float32) {
	cfg.Debug, cfg.StrictMath = true, true
	rt, err := ti.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	var h struct {
		X, Z ti.Field[float32]
		Y    ti.Field[float32]
		V    ti.Field[ti.Vec2]
		K    ti.Field[int32]
		F    func() error
	}
	rt.Place(ti.Shape{raceLen}, &h.X, &h.K)
	rt.Place(ti.Shape{raceLen}, &h.V)
	rt.NewTree().Pointer(ti.I, raceLen/8).Dense(ti.I, 8).Place(&h.Z)
	rt.Place(ti.Shape{raceLen, raceLen}, &h.Y)
	if err := rt.Load(src, &h); err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	for i := range raceLen {
		h.K.Set(int32(i*5%raceLen), i)
		h.X.Set(float32(i), i)
		if i%3 == 0 {
			h.Z.Set(float32(2*i), i)
		}
	}
	err = h.F()
	var e *ti.RuntimeError
	if errors.As(err, &e) && !errors.Is(err, ti.ErrRace) {
		e.Count = 0 // an access that is made once for two fails once
	}
	failure = fmt.Sprint(err)
	var b bytes.Buffer
	for _, f := range []ti.AnyField{&h.X, &h.Y, &h.Z, &h.V, &h.K} {
		if _, err := f.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
	}
	data = make([]float32, b.Len()/4)
	if err := binary.Read(&b, binary.LittleEndian, data); err != nil {
		t.Fatal(err)
	}
	return failure, data
}

const raceLen = 16

// A raceWriter writes a kernel of a loop or two.
type raceWriter struct {
	r       *rand.Rand
	b       strings.Builder
	indices []string // of the loop
}

func (g *raceWriter) source() string {
	g.b.WriteString("package p\n\nvar (\n\tX, Z field[f32, D1]\n\tY field[f32, D2]\n\tV field[vec2, D1]\n\tK field[i32, D1]\n)\n\nfunc F() {\n")
	for range 1 + g.r.IntN(2) {
		head, indices := pick2(g.r, [][2]string{
			{"for i := range span(1, len(X)-1)", "i"}, {"for i, j := range span(ivec2(1), Y.shape-1)", "i j"},
			{"for i := range span(2, 14)", "i"}, {"for i, j := range ndrange(span(1, 5), span(1, 7))", "i j"}, {"for i := range Z", "i"},
		})
		g.indices = strings.Fields(indices)
		g.b.WriteString("\t" + head + " {\n\t\tn := i\n\t\tn += 1\n")
		if len(g.indices) == 2 {
			g.b.WriteString("\t\t_ = j\n")
		}
		if g.r.IntN(4) == 0 { // a failure that hides all races
			g.b.WriteString("\t\tX[i+1] = X[i+4]\n")
		}
		for range 1 + g.r.IntN(4) {
			g.statement("\t\t", 0)
		}
		g.b.WriteString("\t}\n")
	}
	g.b.WriteString("}\n")
	return g.b.String()
}

func pick2(r *rand.Rand, from [][2]string) (a, b string) {
	p := from[r.IntN(len(from))]
	return p[0], p[1]
}

func (g *raceWriter) statement(indent string, depth int) {
	switch g.r.IntN(8 - min(depth, 1)*2) {
	case 0, 1:
		fmt.Fprintf(&g.b, "%s%s = %s\n", indent, g.place(), g.value())
	case 2, 3:
		fmt.Fprintf(&g.b, "%s%s += %s\n", indent, g.place(), g.value())
	case 4:
		fmt.Fprintf(&g.b, "%s%s = 3\n", indent, g.place())
	case 5:
		fmt.Fprintf(&g.b, "%sV[%s][abs(%s)%%2] = %s\n", indent, g.index(), g.index(), g.value())
	default:
		head := [...]string{"if %s > 4 {", "for k := range serial(%s%%3) {\n\t\t\tn = k + 2"}[g.r.IntN(2)]
		fmt.Fprintf(&g.b, indent+head+"\n", g.index())
		g.statement(indent+"\t", depth+1)
		g.b.WriteString(indent + "}\n")
	}
}

func (g *raceWriter) value() string {
	v := g.place()
	if g.r.IntN(2) == 0 {
		v += "*0.5 + " + g.place()
	}
	return v
}

// place is a component of an element.
func (g *raceWriter) place() string {
	switch g.r.IntN(8) {
	case 0:
		return fmt.Sprintf("Y[%s][%s]", g.index(), g.index())
	case 1:
		return fmt.Sprintf("V[%s].%c", g.index(), "xy"[g.r.IntN(2)])
	case 2, 3:
		return fmt.Sprintf("Z[%s]", g.index())
	case 4:
		if len(g.indices) == 2 {
			return "Y[i][j]"
		}
		return "X[i]"
	}
	return fmt.Sprintf("X[%s]", g.index())
}

// index is one that is mostly in range, and mostly the loop's.
func (g *raceWriter) index() string {
	i := g.indices[g.r.IntN(len(g.indices))]
	switch g.r.IntN(10) {
	case 0:
		return i + "+1"
	case 1:
		return i + "-1"
	case 2:
		return fmt.Sprint(g.r.IntN(raceLen))
	case 3:
		return "K[" + i + "]"
	case 4:
		return "n"
	}
	return i
}
