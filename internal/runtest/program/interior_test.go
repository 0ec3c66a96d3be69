package program_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/titest"
)

// A borderedKernel writes stencils that treat the borders of their field in random ways.
type borderedKernel struct {
	rng   *rand.Rand
	shape []int
	low   int // the first index of every axis
}

// index is an index in range near that of an axis, or anywhere on it.
func (b *borderedKernel) index(axis int) string {
	n, c := b.shape[axis], b.rng.IntN(7)-3
	v := fmt.Sprintf("%c%+d", 'i'+rune(axis), c)
	end := b.low + n - 1
	switch b.rng.IntN(6) {
	case 0:
		return fmt.Sprintf("mod(%s%+d, %d)%+d", v, -b.low, n, b.low)
	case 1:
		return fmt.Sprintf("(%s%+d)%%%d%+d", v, n-b.low, n, b.low)
	case 2:
		return fmt.Sprintf("clamp(%s, %d, %d)", v, b.low, end)
	case 3:
		return fmt.Sprintf("max(min(%s, %d), %d)", v, end, b.low)
	case 4:
		return fmt.Sprintf("ifelse(%s < %d || %s > %d, %d, %s)", v, b.low, v, end, b.low+b.rng.IntN(n), v)
	}
	return fmt.Sprintf("%c", 'i'+rune(axis))
}

// condition is one on the index of an axis, mostly true or false for few indices.
func (b *borderedKernel) condition() string {
	axis := b.rng.IntN(len(b.shape))
	at := b.low + []int{0, 1, 2, b.shape[axis] / 2, b.shape[axis] - 2, b.shape[axis] - 1, b.shape[axis]}[b.rng.IntN(7)]
	op := []string{"<", "<=", ">", ">=", "==", "!="}[b.rng.IntN(6)]
	return fmt.Sprintf("%c%+d %s %d", 'i'+rune(axis), b.rng.IntN(3)-1, op, at)
}

func (b *borderedKernel) source() string {
	var s strings.Builder
	loop := []string{"i := range Y {", "i, j := range Y {", "p := range Y {\n\t\ti, j, k := p"}[len(b.shape)-1]
	own := "Y" + "[i][j][k]"[:3*len(b.shape)]
	fmt.Fprintf(&s, "package bordered\n\nvar X, Y field[f32, D%d]\n\nfunc K() {\n\tfor %s\n\t\ts := f32(0)\n", len(b.shape), loop)
	element := func() string {
		e := "X"
		for axis := range b.shape {
			e += "[" + b.index(axis) + "]"
		}
		return e
	}
	for range 2 + b.rng.IntN(3) {
		switch b.rng.IntN(3) {
		case 0:
			fmt.Fprintf(&s, "\t\tif %s {\n\t\t\ts = s/2 + %s\n\t\t}\n", b.condition(), element())
		default:
			fmt.Fprintf(&s, "\t\ts = s/2 + %s\n", element())
		}
	}
	fmt.Fprintf(&s, "\t\t%s = s\n", own)
	if b.rng.IntN(3) == 0 { // and some stores are conditional
		fmt.Fprintf(&s, "\t\tif %s {\n\t\t\t%s = 1\n\t\t}\n", b.condition(), own)
	}
	return s.String() + "\t}\n}\n"
}

// bordered is the host of such a kernel.
type bordered struct {
	X, Y ti.Field[float32]
	K    func() error
}

// run returns what the kernel makes of x.
func (b *borderedKernel) run(t *testing.T, cfg ti.Config, source string, x []float32) []float32 {
	rt := titest.New(t, cfg)
	h, axes, origin := new(bordered), ti.Axes("ijk"[:len(b.shape)]), make([]int, len(b.shape))
	for i := range origin {
		origin[i] = b.low
	}
	rt.NewTree().Origin(axes, origin...).Dense(axes, b.shape...).Place(&h.X, &h.Y)
	titest.Must(t, rt.Load(source, h))
	titest.Must(t, h.X.CopyFrom(x))
	h.Y.Fill(-1)
	titest.Must(t, h.K())
	y := make([]float32, len(x))
	titest.Must(t, h.Y.CopyTo(y))
	return y
}

// TestBorders runs stencils with borders of all kinds, over rows short and long, and compares with the oracle.
func TestBorders(t *testing.T) {
	for seed := range randtest.Usual(uint64(30)) {
		rng := rand.New(rand.NewPCG(seed, 5))
		b := &borderedKernel{rng: rng, low: []int{0, 0, -2, 5}[rng.IntN(4)]}
		for range rng.IntN(3) {
			b.shape = append(b.shape, []int{3, 4, 8, 70}[rng.IntN(4-len(b.shape))])
		}
		b.shape = append(b.shape, []int{31, 32, 33, 64, 97, 300, 2000}[rng.IntN(7)])
		source, size := b.source(), 1
		for _, n := range b.shape {
			size *= n
		}
		x := make([]float32, size)
		for i := range x {
			x[i] = float32(rng.IntN(1000)) // sums are exact
		}
		want := b.run(t, ti.Config{Arch: ti.Oracle}, source, x)
		for threads := range 2 {
			got := b.run(t, ti.Config{Arch: ti.LLVM, Threads: 2*threads + 1}, source, x)
			for i := range got {
				if got[i] != want[i] {
					t.Fatalf("seed %d, shape %v from %d: element %d is %v, and %v on the oracle\n%s", seed, b.shape, b.low, i, got[i], want[i], source)
				}
			}
		}
	}
}
