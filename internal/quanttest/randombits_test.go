package quanttest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
)

// A bitWorld is random arrays of single bits, and a source with loops that can run on words. Two worlds of one seed are
// alike.
type bitWorld struct {
	r      *rand.Rand
	rt     *ti.Runtime
	rank   int
	lane   int // the axis that words are along
	shape  []int
	low    []int
	words  int // bits of a word
	lanes  int
	rows   int // of a tile, along an axis that is not the lanes'; 1 where words are rows
	across int // that axis
	kind   int // of nodes
	elems  []string
	fields []ti.AnyField
	text   string
	source string
}

var bitElems = []string{"i32", "u8", "bool", "i64", "u32", "i16"}

func newBitWorld(seed uint64, rt *ti.Runtime, tiles bool) *bitWorld {
	w := &bitWorld{r: rand.New(rand.NewPCG(seed, 11)), rt: rt, rows: 1}
	w.rank, w.kind = 1+w.r.IntN(3), w.r.IntN(6)
	if tiles {
		w.rank = 2 + w.r.IntN(2)
	}
	w.lane = w.rank - 1
	if w.r.IntN(6) == 0 {
		w.lane = w.r.IntN(w.rank)
	}
	w.words = 8 << w.r.IntN(4)
	w.lanes = w.words
	if w.r.IntN(5) == 0 {
		w.lanes = 3 + w.r.IntN(w.words-3)
	}
	if tiles {
		w.lanes = 2 + w.r.IntN(w.words/2-1)
		w.rows = 2 + w.r.IntN(w.words/w.lanes-1)
		w.across = (w.lane + 1 + w.r.IntN(w.rank-1)) % w.rank
	}
	w.place()
	w.text = fmt.Sprintf("shape %v from %v, %d rows (axis %d) of %d lanes of %d bits along axis %d, nodes %d, of %v\n", w.shape, w.low, w.rows, w.across, w.lanes, w.words, w.lane, w.kind, w.elems)
	g := &bitSource{bitWorld: w}
	w.source = g.program()
	return w
}

// place makes three arrays, alike but for their elements, and fills them.
func (w *bitWorld) place() {
	axes := ti.Axes("ijk"[:w.rank])
	outer, inner, both := make([]int, w.rank), make([]int, w.rank), make([]int, w.rank)
	for a := range outer {
		outer[a], inner[a] = 1+w.r.IntN(3), 1+w.r.IntN(4)
		both[a] = outer[a] * inner[a]
	}
	w.shape = append([]int{}, both...)
	w.shape[w.lane] *= w.lanes
	w.shape[w.across] *= w.rows
	w.low = make([]int, w.rank)
	for a := range w.low {
		if w.r.IntN(4) == 0 {
			w.low[a] = w.r.IntN(40) - 20
		}
	}
	for range 3 {
		e := bitElems[w.r.IntN(len(bitElems))]
		w.elems = append(w.elems, e)
		tree := w.rt.NewTree()
		for a, low := range w.low {
			tree.Origin(axes[a:a+1], low)
		}
		var n *ti.Node
		switch w.kind {
		case 1:
			n = tree.Pointer(axes, outer...).Dense(axes, inner...)
		case 2:
			n = tree.Dense(axes, outer...).Dense(axes, inner...)
		case 3:
			n = tree.Dense(axes, outer...).Bitmasked(axes, inner...)
		case 4:
			n = tree.Hash(axes, outer...).Dense(axes, inner...)
		case 5:
			n = tree.Pointer(axes, outer...).Bitmasked(axes, inner...)
		default:
			n = tree.Dense(axes, both...)
		}
		format := ti.QuantInt(1).Unsigned()
		if e != "bool" && w.r.IntN(3) == 0 {
			format = format.Wrap()
		}
		w.fields = append(w.fields, placeBits(e, w.arrayIn(n, axes), format))
	}
}

// arrayIn makes an array below a node.
func (w *bitWorld) arrayIn(n *ti.Node, axes ti.Axes) *ti.BitArray {
	if w.rows == 1 {
		return n.BitArray(w.words, axes[w.lane:w.lane+1], w.lanes)
	}
	size := []int{w.rows, w.lanes}
	if w.across > w.lane {
		size = []int{w.lanes, w.rows}
	}
	first, second := min(w.across, w.lane), max(w.across, w.lane)
	return n.BitArray(w.words, axes[first:first+1]+axes[second:second+1], size...)
}

func placeBits(elem string, a *ti.BitArray, format ti.Quant) ti.AnyField {
	var f ti.AnyField
	switch elem {
	case "u8":
		f = new(ti.Field[uint8])
	case "bool":
		f = new(ti.Field[bool])
	case "i64":
		f = new(ti.Field[int64])
	case "u32":
		f = new(ti.Field[uint32])
	case "i16":
		f = new(ti.Field[int16])
	default:
		f = new(ti.Field[int32])
	}
	a.Place(f, format)
	return f
}

// A bitSource writes kernels.
type bitSource struct {
	*bitWorld
	s        strings.Builder
	free     bool // the loop goes to the ends of the fields, and reads ask for them
	reckless bool // or do not
	margin   int  // along the lanes; one along other axes is at most 1
	written  []bool
	join     string // of O in the loop
	vars     int
}

var bitIndex = []string{"i", "j", "k"}

func (g *bitSource) pick(of ...string) string { return of[g.r.IntN(len(of))] }

func (g *bitSource) program() string {
	g.s.WriteString("package b\n\nvar (\n")
	for i, e := range g.elems {
		fmt.Fprintf(&g.s, "\tF%d field[%s, D%d]\n", i, e, g.rank)
	}
	g.s.WriteString("\tS field[i32, D0]\n\tT field[i64, D0]\n\tO field[bool, D0]\n)\n")
	spans := make([]string, g.rank)
	for a := range spans {
		spans[a] = fmt.Sprintf("span(%d, %d)", g.low[a], g.low[a]+g.shape[a])
	}
	for f, e := range g.elems {
		hash := fmt.Sprint(7 * f)
		for a := range g.rank {
			hash = fmt.Sprintf("(%s + %s*%d)", hash, bitIndex[a], 13+10*a+2*f)
		}
		v := fmt.Sprintf("(%s ^ %s>>3) & 1", hash, hash)
		if e == "bool" {
			v += " == 1"
		} else {
			v = e + "(" + v + ")"
		}
		cond := ""
		if g.r.IntN(2) == 0 { // some cells stay inactive
			cond = fmt.Sprintf("\t\tif %s%%%d == 0 {\n\t\t\tcontinue\n\t\t}\n", bitIndex[0], 2+g.r.IntN(3))
		}
		fmt.Fprintf(&g.s, "\nfunc Fill%d() {\n%s%s\t\t%s = %s\n\t}\n}\n", f, g.header("serial(ndrange("+strings.Join(spans, ", ")+"))"), cond, g.at(f, nil), v)
	}
	for k := range 2 {
		fmt.Fprintf(&g.s, "\nfunc Work%d(lo, hi, u i32) {\n", k)
		g.loop(spans)
		g.s.WriteString("}\n")
	}
	return g.s.String()
}

// header is the first line of a loop.
func (g *bitSource) header(over string) string {
	if g.rank < 3 {
		return fmt.Sprintf("\tfor %s := range %s {\n", strings.Join(bitIndex[:g.rank], ", "), over)
	}
	return fmt.Sprintf("\tfor p := range %s {\n\t\ti, j, k := p\n", over)
}

// at is an element at a distance, nil for none.
func (g *bitSource) at(f int, by []int) string {
	s := fmt.Sprintf("F%d", f)
	for a := range g.rank {
		switch {
		case by == nil || by[a] == 0:
			s += "[" + bitIndex[a] + "]"
		default:
			s += fmt.Sprintf("[%s%+d]", bitIndex[a], by[a])
		}
	}
	return s
}

// loop writes a loop over a field, or over ranges.
func (g *bitSource) loop(spans []string) {
	g.free, g.reckless, g.margin, g.vars = false, g.r.IntN(8) == 0, 0, 0
	g.written, g.join = make([]bool, 3), ""
	g.written[g.r.IntN(3)] = true
	if g.r.IntN(3) == 0 {
		g.written[g.r.IntN(3)] = true
	}
	over := ""
	switch g.r.IntN(4) {
	case 0, 1:
		g.free = true
		over = fmt.Sprintf("F%d", g.r.IntN(3))
	default:
		g.margin = g.r.IntN(2*g.lanes + 4)
		if g.r.IntN(2) == 0 {
			g.margin = g.r.IntN(3)
		}
		var in []string
		for a := range g.rank {
			m := 1
			if a == g.lane {
				m = g.margin
			}
			in = append(in, fmt.Sprintf("span(%d, %d)", g.low[a]+m, g.low[a]+g.shape[a]-m))
			if a == g.lane && g.r.IntN(3) == 0 {
				in[a] = fmt.Sprintf("span(max(lo, %d), min(hi, %d))", g.low[a]+m, g.low[a]+g.shape[a]-m)
			}
		}
		over = "ndrange(" + strings.Join(in, ", ") + ")"
	}
	fmt.Fprintf(&g.s, "%s\t\tn := i32(u & 1)\n\t\tm := false\n", g.header(over))
	for range 1 + g.r.IntN(5) {
		g.statement("\t\t", 2)
	}
	for f, is := range g.written {
		if is {
			fmt.Fprintf(&g.s, "\t\t%s\n", g.store(f, "n", "m"))
		}
	}
	g.s.WriteString("\t\t_ = m\n\t\t_ = n\n\t}\n")
}

// store is an assignment of a number or a bool.
func (g *bitSource) store(f int, n, m string) string {
	if g.elems[f] == "bool" {
		return fmt.Sprintf("%s = %s", g.at(f, nil), m)
	}
	if g.r.IntN(4) == 0 {
		return fmt.Sprintf("%s = %s(%s)", g.at(f, nil), g.elems[f], m)
	}
	return fmt.Sprintf("%s = %s(%s + 0*n)", g.at(f, nil), g.elems[f], n) // no constant, which would have to fit
}

func (g *bitSource) target() int {
	for {
		if f := g.r.IntN(3); g.written[f] {
			return f
		}
	}
}

func (g *bitSource) statement(tab string, depth int) {
	line := func(format string, args ...any) { fmt.Fprintf(&g.s, tab+format+"\n", args...) }
	switch op := g.r.IntN(12); {
	case op < 3:
		line("n %s %s", g.pick("=", "+=", "-=", "|=", "&=", "^="), g.number(depth))
	case op == 3:
		line("m = %s", g.condition(depth))
	case op == 4:
		line("%s", g.store(g.target(), g.number(depth), g.condition(depth)))
	case op == 5:
		f := g.target()
		if g.elems[f] == "bool" {
			line("%s = %s %s %s", g.at(f, nil), g.at(f, nil), g.pick("&&", "||"), g.condition(depth))
			return
		}
		line("%s %s %s(%s + 0*n)", g.at(f, nil), g.pick("+=", "-=", "*=", "|=", "&=", "^="), g.elems[f], g.number(depth))
	case op == 6:
		line("S %s %s", g.pick("+=", "-="), g.number(depth))
	case op == 7:
		line("T += i64(%s)", g.number(depth))
	case op == 8:
		join := g.pick("||", "||", "&&")
		if g.join == "" { // of both, the result would depend on the order of iterations
			g.join = join
		}
		line("O = O %s %s", g.join, g.condition(depth))
	case op == 9 && depth > 0:
		line("if %s {\n%s\tcontinue\n%s}", g.condition(1)+" && "+g.condition(0), tab, tab)
	case depth > 0:
		line("if %s {", g.condition(depth-1))
		for range 1 + g.r.IntN(2) {
			g.statement(tab+"\t", depth-1)
		}
		if g.r.IntN(2) == 0 {
			line("} else {")
			g.statement(tab+"\t", depth-1)
		}
		line("}")
	default:
		line("n += 1")
	}
}

// number is an expression of an i32.
func (g *bitSource) number(depth int) string {
	if depth == 0 {
		switch g.r.IntN(8) {
		case 0:
			return fmt.Sprintf("i32(%d)", g.r.IntN(9)-3)
		case 1:
			return "n"
		case 2:
			return g.pick("u", "i32("+bitIndex[0]+")", "n")
		}
		return "i32(" + g.read() + ")"
	}
	x, y := g.number(depth-1), g.number(g.r.IntN(depth))
	switch g.r.IntN(16) {
	case 0:
		return fmt.Sprintf("ifelse(%s, %s, %s)", g.condition(depth-1), x, y)
	case 1:
		return fmt.Sprintf("%s(%s, %s)", g.pick("min", "max"), x, y)
	case 2:
		return fmt.Sprintf("(%s %s %d)", x, g.pick(">>", "<<"), g.r.IntN(4))
	case 3:
		return g.pick("-", "^") + "(" + x + ")"
	case 4:
		return fmt.Sprintf("((%s + n) & 7) %s %d", x, g.pick("%", "/"), 2<<g.r.IntN(2))
	case 5:
		return "i32(" + g.condition(depth-1) + ")"
	case 6:
		return fmt.Sprintf("(%s * %s)", x, y)
	case 7:
		return g.pick("abs", "sign") + "(" + x + ")"
	}
	return fmt.Sprintf("(%s %s %s)", x, g.pick("+", "+", "+", "-", "&", "|", "^"), y)
}

// condition is an expression of a bool.
func (g *bitSource) condition(depth int) string {
	lane := bitIndex[g.lane]
	switch g.r.IntN(9) {
	case 0:
		if depth > 0 {
			return fmt.Sprintf("(%s %s %s)", g.condition(depth-1), g.pick("&&", "||"), g.condition(depth-1))
		}
	case 1:
		return "!m"
	case 2:
		return fmt.Sprintf("%s%+d %s %d", lane, g.r.IntN(5)-2, g.pick("<", ">", "<=", ">=", "==", "!="), g.low[g.lane]+g.r.IntN(g.shape[g.lane]+1))
	case 3:
		return fmt.Sprintf("%s&%d %s %d", lane, 1<<(1+g.r.IntN(3))-1, g.pick("==", "<"), g.r.IntN(4))
	case 4:
		return fmt.Sprintf("%s %s u", g.pick(lane, bitIndex[0]), g.pick("<", ">="))
	}
	return fmt.Sprintf("%s %s %s", g.number(depth), g.pick("<", ">", "<=", ">=", "==", "!="), g.number(max(depth-1, 0)))
}

// read is an element near that of the iteration, as the element of a field; conditions keep it in range.
func (g *bitSource) read() string {
	f := g.r.IntN(3)
	if g.written[f] {
		return g.at(f, nil)
	}
	by := make([]int, g.rank)
	for a := range by {
		reach := 1
		if a == g.lane {
			if reach = g.margin; g.free {
				reach = []int{0, 1, 2, g.lanes, 2*g.lanes + 2}[g.r.IntN(5)]
			}
		}
		by[a] = g.r.IntN(2*reach+1) - reach
	}
	if !g.free || g.reckless && g.r.IntN(4) == 0 {
		return g.at(f, by)
	}
	if wrapped := g.wrapped(f, by); wrapped != "" {
		return wrapped
	}
	var conds []string
	for a, d := range by {
		if d > 0 {
			conds = append(conds, fmt.Sprintf("%s < %d", bitIndex[a], g.low[a]+g.shape[a]-d))
		} else if d < 0 {
			conds = append(conds, fmt.Sprintf("%s >= %d", bitIndex[a], g.low[a]-d))
		}
	}
	x := g.at(f, by)
	if g.elems[f] != "bool" {
		x += " == 1"
	}
	return strings.Join(append(conds, x), " && ")
}

// wrapped is an element at a distance modulo the extents, "" where these do not begin at 0.
func (g *bitSource) wrapped(f int, by []int) string {
	s := fmt.Sprintf("F%d", f)
	for a, d := range by {
		if g.low[a] != 0 || g.r.IntN(2*g.rank) == 0 {
			return ""
		}
		if d == 0 {
			s += "[" + bitIndex[a] + "]"
		} else if n := g.shape[a]; d > 0 || g.r.IntN(2) == 0 {
			s += fmt.Sprintf("[(%s%+d)%%%d]", bitIndex[a], d+(n*g.lanes*4), n)
		} else {
			s += fmt.Sprintf("[mod(%s%+d, %d)]", bitIndex[a], d, n)
		}
	}
	return s
}

// run launches the kernels, and returns what all fields hold then.
func (w *bitWorld) run() (out []byte, err error) {
	var (
		s ti.Field[int32]
		t ti.Field[int64]
		o ti.Field[bool]
	)
	w.rt.Place(nil, &s, &t, &o)
	host := ti.Bindings{"S": &s, "T": &t, "O": &o}
	for i, f := range w.fields {
		host[fmt.Sprintf("F%d", i)] = f
	}
	prog, err := w.rt.Compile(ti.Text("b.ti", w.source), host)
	if err != nil {
		return nil, err
	}
	lo, hi := int32(w.low[w.lane]+w.r.IntN(9)), int32(w.low[w.lane]+w.r.IntN(w.shape[w.lane]+9))
	for _, name := range []string{"Fill0", "Fill1", "Fill2", "Work0", "Work1", "Work0"} {
		var args []any
		if strings.HasPrefix(name, "Work") {
			args = []any{lo, hi, int32(5)}
		}
		if _, err := prog.Kernel(name).Launch(context.Background(), args...); err != nil {
			return nil, err
		}
	}
	var all bytes.Buffer
	for _, f := range w.fields {
		if _, err := f.WriteTo(&all); err != nil {
			return nil, err
		}
		if _, err := f.Tree().WriteTo(&all); err != nil {
			return nil, err
		}
	}
	fmt.Fprint(&all, s.At(), t.At(), o.At())
	return all.Bytes(), nil
}

var bitSeeds = randtest.New("bitseeds", "bitseed", "random kernels on arrays of single bits", 3, 2)

// TestRandomBits runs random loops over random arrays of single bits, on words and one by one, and on the oracle.
func TestRandomBits(t *testing.T) {
	bitSeeds.Each(t, func(t *testing.T, seed uint64) { sameBits(t, seed, false, "bits", "preaccess,vectors") })
}

var tileSeeds = randtest.New("tileseeds", "tileseed", "random kernels on bit arrays whose words are tiles", 2, 2)

// TestRandomTiles does the same on arrays whose words have elements along two axes.
func TestRandomTiles(t *testing.T) {
	tileSeeds.Each(t, func(t *testing.T, seed uint64) { sameBits(t, seed, true, "nonatomic", "preaccess,vectors") })
}

// sameBits compares a world on the oracle and compiled: as it is, on several threads, and without some passes.
func sameBits(t *testing.T, seed uint64, tiles bool, without ...string) {
	want, err := newBitWorld(seed, newRuntime(t, ti.Config{Arch: ti.Oracle}), tiles).run()
	if err != nil && !errors.Is(err, ti.ErrRange) {
		t.Fatalf("oracle: %v", err)
	}
	for i, passes := range append([]string{"", ""}, without...) {
		t.Setenv("TI_WITHOUT", passes)
		w := newBitWorld(seed, newRuntime(t, ti.Config{Threads: []int{0, 4, 0, 0}[i]}), tiles)
		got, failed := w.run()
		switch {
		case (err == nil) != (failed == nil) || failed != nil && !errors.Is(failed, ti.ErrRange):
			t.Fatalf("%d %q: the error is %v, not %v\n%s\n%s", i, passes, failed, err, w.text, w.source)
		case !bytes.Equal(got, want):
			t.Fatalf("%d %q: other results\n%s\n%s", i, passes, w.text, w.source)
		}
	}
}
