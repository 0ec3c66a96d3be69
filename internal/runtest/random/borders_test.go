package random

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/runtest"
)

var borderSeeds = randtest.New("borders", "firstborder", "random kernels that ask how near to a border they are", 16, 16)

var borderVariants = []runtest.Variant{
	{Label: "O3/two threads", Arch: ti.LLVM, Opt: "3", Threads: 2},
	{Label: "O3/without interior", Arch: ti.LLVM, Opt: "3", Threads: 1, Without: "interior"},
	{Label: "O3/without predication", Arch: ti.LLVM, Opt: "3", Threads: 2, Without: "predication"},
	{Label: "O3/blocked", Arch: ti.LLVM, Opt: "3", Threads: 2, Layout: runtest.Blocked},
	{Label: "O0", Arch: ti.LLVM, Opt: "0", Threads: 2},
}

// TestRandomBorders compares random kernels over two axes, with conditions on how near to the borders an iteration is, on the oracle
// and through LLVM, bit for bit: numbers of each size, rows of a whole number of vectors and others.
func TestRandomBorders(t *testing.T) {
	borderSeeds.Each(t, func(t *testing.T, seed uint64) {
		switch seed % 3 {
		case 0:
			compareBorders[float32](t, seed, "f32")
		case 1:
			compareBorders[float64](t, seed, "f64")
		case 2:
			compareBorders[int32](t, seed, "i32")
		}
	})
}

type borderHost[E float32 | float64 | int32] struct{ X, Y, P, Q ti.Field[E] }

func compareBorders[E float32 | float64 | int32](t *testing.T, seed uint64, kind string) {
	r := rand.New(rand.NewPCG(seed, 31))
	rows, cols := []int{2, 9, 64, 70}[r.IntN(4)], []int{32, 48, 64, 110, 128, 150, 33 + r.IntN(200)}[r.IntN(7)]
	w := &borderWriter{Rand: r, rows: rows, cols: cols, kind: kind}
	src := w.kernel()
	run := func(v runtest.Variant) string {
		x := &runtest.Run{TB: t, Variant: v}
		x.RT, x.Out = v.StrictRuntime(t)
		defer x.RT.Close()
		h := &borderHost[E]{}
		x.Place(ti.Shape{rows, cols}, &h.X, &h.Y)
		x.Place(ti.Shape{rows, cols}, &h.P, &h.Q)
		p, err := x.RT.Compile(ti.Text("random.ti", src), h)
		if err != nil {
			t.Fatalf("%v\n%s", err, src)
		}
		numbers := rand.New(rand.NewPCG(seed, 32))
		for i := range rows {
			for j := range cols {
				h.X.Set(E(numbers.IntN(4000)-2000)/3, i, j)
				h.Y.Set(E(numbers.IntN(4000)-2000)/7, i, j)
			}
		}
		for range 2 {
			if _, err := p.Kernel("Run").Launch(t.Context()); err != nil {
				t.Fatalf("%v\n%s", err, src)
			}
		}
		var b strings.Builder
		for i := range rows {
			for j := range cols {
				fmt.Fprintln(&b, i, j, h.P.At(i, j), h.Q.At(i, j))
			}
		}
		return b.String()
	}
	want := run(runtest.OracleVariant)
	for _, v := range []runtest.Variant{borderVariants[0], borderVariants[1+r.IntN(len(borderVariants)-1)]} {
		if got := run(v); got != want {
			t.Fatalf("seed %d, %d×%d, %s: %s\n%s", seed, rows, cols, v.Label, firstDifference(got, want), src)
		}
	}
}

// A borderWriter writes kernels over fields of rows × cols.
type borderWriter struct {
	*rand.Rand
	rows, cols int
	kind       string
}

func (w *borderWriter) kernel() string {
	var b strings.Builder
	fmt.Fprintf(&b, "package p\n\nvar X, Y, P, Q field[%s, D2]\n\nfunc Run() {\n", w.kind)
	for n := range 1 + w.IntN(2) {
		loop := []string{"range X", fmt.Sprintf("ndrange(%d, %d)", w.rows, w.cols)}[w.IntN(2)]
		fmt.Fprintf(&b, "\tfor i, j := %s {\n\t\ts := %s(%d)\n", strings.Replace("range "+loop, "range range", "range", 1), w.kind, w.IntN(9))
		for range 2 + w.IntN(5) {
			fmt.Fprintf(&b, "\t\t%s\n", w.statement(2))
		}
		own := []string{"P", "Q"}[n]
		switch w.IntN(3) {
		case 0:
			fmt.Fprintf(&b, "\t\t%s[i][j] += s\n", own)
		case 1:
			fmt.Fprintf(&b, "\t\tif %s { %s[i][j] = s } else { %s[i][j] -= s }\n", w.condition(0, 0), own, own)
		case 2:
			fmt.Fprintf(&b, "\t\t%s[i][j] = s\n", own)
		}
		b.WriteString("\t}\n")
	}
	b.WriteString("}\n")
	return b.String()
}

// statement writes one that changes s.
func (w *borderWriter) statement(depth int) string {
	di, dj := w.IntN(3)-1, w.IntN(5)-2
	read := fmt.Sprintf("%s[i%+d][j%+d]", []string{"X", "Y"}[w.IntN(2)], di, dj)
	switch w.IntN(7) {
	case 0, 1:
		return fmt.Sprintf("if %s { s += %s * %d }", w.condition(di, dj), read, w.IntN(5)-2)
	case 2:
		return fmt.Sprintf("if %s { s -= %s } else if %s { s = s*2 + X[i][j] }", w.condition(di, dj), read, w.condition(0, 0))
	case 3:
		if depth > 0 {
			return fmt.Sprintf("if %s { %s; %s }", w.condition(0, 0), w.statement(depth-1), w.statement(depth-1))
		}
		return "s += X[i][j]"
	case 4:
		return fmt.Sprintf("s = ifelse(%s, s*3, s + Y[i][j])", w.condition(0, 0))
	case 5:
		if w.IntN(3) == 0 {
			return fmt.Sprintf("s += X[(i+1)%%%d][(j+%d)%%%d]", w.rows, w.IntN(3), w.cols)
		}
		return fmt.Sprintf("if X[i][j] > %d { s = s - Y[i][j] }", w.IntN(400)-200)
	}
	return fmt.Sprintf("s += %s(j*%d + i)", w.kind, w.IntN(4))
}

// condition writes one that an element di, dj away from i, j exists, and perhaps more.
func (w *borderWriter) condition(di, dj int) string {
	var all []string
	bound := func(index string, d, n int) {
		if d < 0 {
			all = append(all, []string{fmt.Sprintf("%s >= %d", index, -d), fmt.Sprintf("%s%+d >= 0", index, d), fmt.Sprintf("%s > %d", index, -d-1)}[w.IntN(3)])
		}
		if d > 0 {
			all = append(all, []string{fmt.Sprintf("%s < %d", index, n-d), fmt.Sprintf("%s%+d < %d", index, d, n), fmt.Sprintf("%s <= %d", index, n-1-d)}[w.IntN(3)])
		}
	}
	bound("i", di, w.rows)
	bound("j", dj, w.cols)
	if len(all) == 0 || w.IntN(4) == 0 {
		all = append(all, []string{
			"j != 0", fmt.Sprintf("j != %d", w.cols-1), fmt.Sprintf("j < %d", w.cols-w.IntN(4)), fmt.Sprintf("j > %d", w.IntN(4)-1), "i > 0",
			fmt.Sprintf("i < %d", w.rows-1), fmt.Sprintf("j == %d", w.IntN(2)*(w.cols-1)), "(i+j)%3 == 1", fmt.Sprintf("j < %d", w.cols/2),
		}[w.IntN(9)])
	}
	return strings.Join(all, " && ")
}
