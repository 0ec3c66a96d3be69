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

var narrowSeeds = randtest.New("narrow", "firstnarrow", "random kernels that store numbers of 8 and 16 bits", 20, 12)

var narrowVariants = []runtest.Variant{
	{Label: "O3", Arch: ti.LLVM, Opt: "3", Threads: 1},
	{Label: "O3/unchecked", Arch: ti.LLVM, Opt: "3", Threads: 1, Unchecked: true},
	{Label: "O3/two threads", Arch: ti.LLVM, Opt: "3", Threads: 2},
	{Label: "O3/extents at launch", Arch: ti.LLVM, Opt: "3", Threads: 1, Layout: runtest.AtLaunch},
	{Label: "O3/blocked", Arch: ti.LLVM, Opt: "3", Threads: 2, Layout: runtest.Blocked},
}

// TestRandomNarrow compares random kernels that store numbers of 8 and 16 bits, and compute with the indices beside them, on the
// oracle and through LLVM. LLVM makes the longest vectors of such loops, and vectors of the rest of a row, too; which
// ones depends on the processor and on LLVM's version. So each seed has another processor and another
// library.
func TestRandomNarrow(t *testing.T) {
	narrowSeeds.Each(t, compareNarrow)
}

type narrowHost struct {
	A ti.Field[uint8]
	C ti.Field[int16]
	T ti.Field[uint8] // of as many rows as the others have columns
	G ti.Field[int32]

	B ti.Field[uint8]
	D ti.Field[int16]
	E ti.Field[int8]
	F ti.Field[uint16]
	H ti.Field[float32]
}

func compareNarrow(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 43))
	w := &narrowWriter{Rand: r, rows: []int{1, 2, 7, 20}[r.IntN(4)], cols: []int{9 + r.IntN(40), 48 + r.IntN(60), 61, 100 + r.IntN(100)}[r.IntN(4)]}
	src := w.kernel()
	want := runNarrow(t, runtest.OracleVariant, w, seed, src)
	v := narrowVariants[r.IntN(len(narrowVariants))]
	v.Processor, v.Library = narrowTarget(seed)
	if got := runNarrow(t, v, w, seed, src); got != want {
		t.Fatalf("seed %d, %d×%d, %s, %s: %s\n%s", seed, w.rows, w.cols, v.Subtest(), v.Library, firstDifference(got, want), src)
	}
}

// narrowTarget returns the processor and the library of a seed: for every second one the oldest library of the machine, which
// other tests seldom ask, and one of the lowest two levels.
func narrowTarget(seed uint64) (processor, library string) {
	processors, libraries := runtest.Processors(), runtest.Libraries()
	n, m := uint64(len(processors)), uint64(len(libraries))
	if seed%2 == 1 {
		return processors[n-1-(seed/2+1)%min(n, 2)], libraries[m-1]
	}
	return processors[seed/2%n], libraries[seed/2/n%m]
}

// runNarrow returns what a kernel leaves in its fields.
func runNarrow(t *testing.T, v runtest.Variant, w *narrowWriter, seed uint64, src string) string {
	x := &runtest.Run{TB: t, Variant: v}
	x.RT, x.Out = v.StrictRuntime(t)
	defer x.RT.Close()
	h := &narrowHost{}
	x.Place(ti.Shape{w.rows, w.cols}, &h.A, &h.C, &h.G, &h.B, &h.D, &h.E, &h.F, &h.H)
	x.Place(ti.Shape{w.cols, w.rows}, &h.T)
	p, err := x.RT.Compile(ti.Text("random.ti", src), h)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	numbers := rand.New(rand.NewPCG(seed, 44))
	for i := range w.rows {
		for j := range w.cols {
			h.A.Set(uint8(numbers.Uint32()), i, j)
			h.C.Set(int16(numbers.Uint32()), i, j)
			h.T.Set(uint8(numbers.Uint32()), j, i)
			h.G.Set(int32(numbers.Uint32()), i, j)
		}
	}
	if _, err := p.Kernel("Run").Launch(t.Context()); err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	var b strings.Builder
	for i := range w.rows {
		for j := range w.cols {
			fmt.Fprintln(&b, i, j, h.B.At(i, j), h.D.At(i, j), h.E.At(i, j), h.F.At(i, j), h.H.At(i, j))
		}
	}
	return b.String()
}

// A narrowWriter writes kernels over fields of rows × cols.
type narrowWriter struct {
	*rand.Rand
	rows, cols int
	wide       bool // the loop has numbers of 32 bits in memory, too; then vectors are shorter
}

func (w *narrowWriter) pick(all ...string) string { return all[w.IntN(len(all))] }

func (w *narrowWriter) kernel() string {
	var b strings.Builder
	b.WriteString("package p\n\nvar (\n\tA, B, T field[u8, D2]\n\tC, D field[i16, D2]\n\tE field[i8, D2]\n\tF field[u16, D2]\n\tG field[i32, D2]\n\tH field[f32, D2]\n)\n\nfunc Run() {\n")
	for range 2 + w.IntN(4) {
		end := "\t}\n"
		switch w.IntN(5) {
		case 0:
			fmt.Fprintf(&b, "\tfor i := range %d {\n\tfor j := %d; j < %d; j++ {\n", w.rows, w.IntN(3), w.cols-w.IntN(3))
			end = "\t}\n\t}\n"
		case 1:
			fmt.Fprintf(&b, "\tfor i, j := range ndrange(%d, %d) {\n", w.rows, w.cols)
		default:
			fmt.Fprintf(&b, "\tfor i, j := range %s {\n", w.pick("B", "D", "E", "F", "A"))
		}
		w.wide = w.IntN(5) == 0
		for range 1 + w.IntN(3)*w.IntN(2) {
			fmt.Fprintf(&b, "\t\t%s\n", w.statement())
		}
		b.WriteString(end)
	}
	b.WriteString("}\n")
	return b.String()
}

// statement writes one that stores to an element of the iteration's own.
func (w *narrowWriter) statement() string {
	out := [][2]string{{"B", "u8"}, {"D", "i16"}, {"E", "i8"}, {"F", "u16"}, {"H", "f32"}}[w.IntN(5)]
	if out[0] == "H" && !w.wide {
		out = [2]string{"B", "u8"}
	}
	op := w.pick("=", "=", "=", "=", "+=")
	value := w.value(1 + w.IntN(2))
	if out[0] == "H" {
		value = "(" + value + ") & 0xffff" // which a float keeps
	}
	s := fmt.Sprintf("%s[i][j] %s %s(%s)", out[0], op, out[1], value)
	if w.IntN(6) == 0 {
		return fmt.Sprintf("if %s { %s }", w.pick("j > 3", "A[i][j] > 99", fmt.Sprintf("j < %d", w.cols-5), "(i+j)%3 != 0"), s)
	}
	return s
}

// value writes an i32.
func (w *narrowWriter) value(depth int) string {
	if depth == 0 || w.IntN(4) == 0 {
		switch w.IntN(4) {
		case 0:
			return w.pick("j", "i", "i*5 + j*13", "j - i", "i32(u8(j))", "i32(i16(j*300))", "i32(i8(i*7 - j))", "i32(u16(j) * 77)")
		case 1:
			return w.column() // without an access
		}
		return w.read()
	}
	a, b := w.value(depth-1), w.value(depth-1)
	switch w.IntN(6) {
	case 0:
		return fmt.Sprintf("max(%s, %s)", a, b)
	case 1:
		return fmt.Sprintf("min(%s, %s)", a, b)
	case 2:
		return fmt.Sprintf("ifelse(%s < %s, %s, %s)", a, b, a, w.read())
	}
	return fmt.Sprintf("(%s) %s (%s)", a, w.pick("+", "-", "*", "^", "&"), b)
}

// read writes an element of a field that is not written, as i32.
func (w *narrowWriter) read() string {
	switch w.IntN(5) {
	case 0:
		return fmt.Sprintf("i32(T[%s][%s])", w.column(), w.row())
	case 1:
		return "i32(" + w.pick("A", "C") + "[i][j])"
	}
	of := w.pick("A", "A", "C", "G")
	if of == "G" && !w.wide {
		of = "A"
	}
	return fmt.Sprintf("i32(%s[%s][%s])", of, w.row(), w.column())
}

func (w *narrowWriter) row() string {
	if w.IntN(3) > 0 {
		return "i"
	}
	return w.inRange("i", "j", w.rows)
}

func (w *narrowWriter) column() string { return w.inRange("j", "i", w.cols) }

// inRange writes an index from 0 to n-1, made of an index that is in this range, or of another.
func (w *narrowWriter) inRange(own, other string, n int) string {
	at, d := w.IntN(n), 1+w.IntN(3)
	switch w.IntN(10) {
	case 0, 1:
		return fmt.Sprintf("min(%s, %d)", own, at)
	case 2:
		return fmt.Sprintf("max(%s, %d)", own, at)
	case 3:
		return fmt.Sprintf("min(%s+%d, %d)", own, d, n-1)
	case 4:
		return fmt.Sprintf("max(%s-%d, 0)", own, d)
	case 5:
		return fmt.Sprintf("min(max(%s%+d, 0), %d)", w.pick(own, other), w.IntN(9)-4, n-1)
	case 6:
		return fmt.Sprintf("%d - %s", n-1, own)
	case 7:
		return fmt.Sprintf(w.pick("min(%s*%d+%s, %d)", "min(%s*%d+%s, %d)", "(%s*%d+%s) %% (%d + 1)"), own, d, other, n-1)
	case 8:
		return fmt.Sprintf("i32(u8(%s)) %% %d", own, n)
	}
	return fmt.Sprintf("ifelse(%s < %d, %s, %d)", own, at, own, at)
}
