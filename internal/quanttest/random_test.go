package quanttest

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/quant"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/scalar"
	"github.com/gotaichi/ti/internal/treetext"
)

// A number is a field that random kernels work on.
type number struct {
	name, elem string
	kind       scalar.Kind
	comps      int
	field      func() ti.AnyField
}

var numbers = []number{
	{"A", "f32", scalar.F32, 1, func() ti.AnyField { return new(ti.Field[float32]) }},
	{"B", "f32", scalar.F32, 1, func() ti.AnyField { return new(ti.Field[float32]) }},
	{"C", "f64", scalar.F64, 1, func() ti.AnyField { return new(ti.Field[float64]) }},
	{"D", "i32", scalar.I32, 1, func() ti.AnyField { return new(ti.Field[int32]) }},
	{"E", "u32", scalar.U32, 1, func() ti.AnyField { return new(ti.Field[uint32]) }},
	{"F", "i64", scalar.I64, 1, func() ti.AnyField { return new(ti.Field[int64]) }},
	{"G", "u8", scalar.U8, 1, func() ti.AnyField { return new(ti.Field[uint8]) }},
	{"H", "u64", scalar.U64, 1, func() ti.AnyField { return new(ti.Field[uint64]) }},
	{"I", "i16", scalar.I16, 1, func() ti.AnyField { return new(ti.Field[int16]) }},
	{"J", "f16", scalar.F16, 1, func() ti.AnyField { return new(ti.Field[ti.Float16]) }},
	{"V", "vec3", scalar.F32, 3, func() ti.AnyField { return new(ti.Field[ti.Vec3]) }},
	{"W", "dvec2", scalar.F64, 2, func() ti.AnyField { return new(ti.Field[[2]float64]) }},
	{"M", "mat2", scalar.F32, 4, func() ti.AnyField { return new(ti.Field[ti.Mat2]) }},
}

// A world is random fields in random places, and a source that works on them. Two worlds of one
// seed are alike.
type world struct {
	r      *rand.Rand
	rt     *ti.Runtime
	fields []ti.AnyField
	used   []number
	wraps  map[string]bool
	cells  int             // of a field
	block  int             // that lie side by side
	free   bool            // the loop is serial, and accesses any elements, several of one word among them
	summed map[string]bool // fields to which the loop adds at any element, and does nothing else
	source string
	text   strings.Builder // of the places, for people
}

func newWorld(t *testing.T, seed uint64, cfg ti.Config) *world {
	return newWorldOf(t, seed, cfg, 24, 4, numbers)
}

// newWorldOf has fields out of numbers.
func newWorldOf(t *testing.T, seed uint64, cfg ti.Config, cells, block int, numbers []number) *world {
	cfg.Seed = 7
	w := &world{r: rand.New(rand.NewPCG(seed, 5)), rt: newRuntime(t, cfg), cells: cells, block: block, wraps: map[string]bool{}}
	for _, n := range numbers {
		if w.r.IntN(3) > 0 {
			w.used = append(w.used, n)
		}
	}
	if len(w.used) == 0 {
		w.used = numbers[:3]
	}
	w.place()
	w.source = w.kernel()
	return w
}

// format returns a form that numbers of a kind can have.
func (w *world) format(k scalar.Kind, shared bool) quant.Format {
	for {
		f := quant.Format{Class: quant.Class(1 + w.r.IntN(3)), Unsigned: w.r.IntN(3) == 0}
		switch f.Class {
		case quant.Int:
			f.Bits, f.Wrap = 1+w.r.IntN(min(k.Bits(), 64)), w.r.IntN(3) == 0
			if w.r.IntN(3) == 0 {
				f.Bits = k.Bits()
			}
		case quant.Fixed:
			f.Bits, f.Limit, f.Stochastic = 1+w.r.IntN(53), []float64{1, 0.3, 8, 1e3}[w.r.IntN(4)], w.r.IntN(4) == 0
		case quant.Float:
			f.Exp, f.Frac, f.Stochastic = 1+w.r.IntN(11), 1+w.r.IntN(53), w.r.IntN(4) == 0
		}
		if f.Check(k, shared) == nil {
			return f
		}
	}
}

// node returns a node with the cells of all fields, all of one kind.
func (w *world) node(kind int) *ti.Node {
	t := w.rt.NewTree()
	switch kind {
	case 1:
		return t.Pointer(ti.I, w.cells/w.block).Dense(ti.I, w.block)
	case 2:
		return t.Bitmasked(ti.I, w.cells)
	case 3:
		return t.Hash(ti.I, w.cells/w.block/2).Dense(ti.I, 2*w.block)
	case 4:
		return t.Dense(ti.I, w.cells/w.block/2).Pointer(ti.I, 2*w.block)
	}
	return t.Dense(ti.I, w.cells/w.block).Dense(ti.I, w.block)
}

// place packs the fields in words, which lie in random nodes.
func (w *world) place() {
	kind := w.r.IntN(5)
	n := w.node(kind)
	var open *ti.BitStruct
	left := 0
	for _, x := range w.used {
		f := x.field()
		w.fields = append(w.fields, f)
		shared := x.comps > 1 && w.r.IntN(2) == 0
		format := w.format(x.kind, shared)
		if x.kind == scalar.Bool {
			format = quant.Format{Class: quant.Int, Bits: 1, Unsigned: true}
		}
		bits := format.Width() * x.comps
		if shared {
			bits = format.Exp + format.Frac*x.comps
		}
		for bits > 64 { // of vectors
			format = w.format(x.kind, shared)
			if bits = format.Width() * x.comps; shared {
				bits = format.Exp + format.Frac*x.comps
			}
		}
		w.wraps[x.name] = format.Wrap
		if x.comps == 1 && !format.IsFloat() && bits <= 16 && w.r.IntN(3) == 0 {
			fmt.Fprintf(&w.text, "%s: bit array of %v\n", x.name, format)
			w.arrayOf(kind).Place(f, treetext.Quant(format))
			continue
		}
		if w.r.IntN(5) == 0 {
			fmt.Fprintf(&w.text, "%s: plain\n", x.name)
			n.Place(f)
			continue
		}
		if open == nil || bits > left || w.r.IntN(4) == 0 {
			if w.r.IntN(4) == 0 {
				n = w.node(kind)
			}
			size := 8
			for size < bits || size < 64 && w.r.IntN(2) == 0 {
				size *= 2
			}
			open, left = n.BitStruct(size), size
			fmt.Fprintf(&w.text, "word of %d bits\n", size)
		}
		left -= bits
		fmt.Fprintf(&w.text, "%s: %v, shared %v\n", x.name, format, shared)
		if shared {
			open.PlaceShared(treetext.Quant(format), f)
		} else {
			open.Place(f, treetext.Quant(format))
		}
	}
	fmt.Fprintf(&w.text, "nodes of kind %d\n", kind)
}

func (w *world) arrayOf(kind int) *ti.BitArray {
	t := w.rt.NewTree()
	switch kind {
	case 1, 3, 4:
		return t.Pointer(ti.I, w.cells/w.block/2).Dense(ti.I, w.block/2).BitArray(64, ti.I, 4)
	case 2:
		return t.Bitmasked(ti.I, w.cells/3).BitArray(64, ti.I, 3)
	}
	return t.Dense(ti.I, w.cells/4).BitArray(64, ti.I, 4)
}

func (w *world) pick(of ...string) string { return of[w.r.IntN(len(of))] }

// value is an expression for a number of a kind, of components at p of the fields that may be read.
func (w *world) value(x number, at func(y number) string) string {
	y := w.used[w.r.IntN(len(w.used))]
	for w.summed[y.name] {
		y = w.used[w.r.IntN(len(w.used))]
	}
	read := y.name + "[" + at(y) + "]"
	if y.comps > 1 {
		read += map[bool]string{true: "[1][0]", false: ".y"}[y.elem == "mat2"]
	}
	if !x.kind.IsFloat() {
		k := fmt.Sprint(w.r.IntN(2000) - 700)
		if !x.kind.IsSigned() {
			k = fmt.Sprint(w.r.IntN(200))
		}
		if y.kind.IsFloat() {
			return fmt.Sprintf("%s(%s*100)", x.elem, read)
		}
		return fmt.Sprintf("%s(%s) %s %s(%s)", x.elem, read, w.pick("+", "-", "*", "^"), x.elem, w.small(k, x.kind))
	}
	elem := map[scalar.Kind]string{scalar.F16: "f16", scalar.F32: "f32", scalar.F64: "f64"}[x.kind]
	c := fmt.Sprintf("%.3f", math.Ldexp(w.r.Float64()*2-1, w.r.IntN(12)-5))
	switch w.r.IntN(8) {
	case 0:
		return fmt.Sprintf("1/(%s(%s)*%s(0))", elem, read, elem) // infinite, or none
	case 1:
		return fmt.Sprintf("%s(%s)", elem, c)
	}
	return fmt.Sprintf("%s(%s) %s %s(%s)", elem, read, w.pick("+", "-", "*"), elem, c)
}

// small keeps a constant in the range of a kind.
func (w *world) small(k string, kind scalar.Kind) string {
	switch kind {
	case scalar.U8:
		return fmt.Sprint(w.r.IntN(200))
	}
	return k
}

// kernel returns a source.
func (w *world) kernel() string {
	var s strings.Builder
	s.WriteString("package q\n\nvar (\n")
	for _, x := range w.used {
		fmt.Fprintf(&s, "\t%s field[%s]\n", x.name, x.elem)
	}
	s.WriteString(")\n\n")
	fmt.Fprintf(&s, "func Fill() {\n\tfor p := range %d {\n", w.cells)
	for _, x := range w.used {
		if w.r.IntN(4) == 0 { // some cells stay inactive
			fmt.Fprintf(&s, "\t\tif p%%%d != 1 {\n", 2+w.r.IntN(3))
		} else {
			s.WriteString("\t\t{\n")
		}
		switch {
		case x.elem == "mat2":
			fmt.Fprintf(&s, "\t\t\t%s[p] = mat2(0.1*f32(p), -1, 3, f32(p)-10)\n\t\t}\n", x.name)
		case x.comps > 1:
			fmt.Fprintf(&s, "\t\t\t%s[p] = %s(0.3) * (%v(p) - 7)\n\t\t}\n", x.name, x.elem, x.kind)
		case x.kind.IsFloat():
			fmt.Fprintf(&s, "\t\t\t%s[p] = %s(0.37) * (%s(p) - 5)\n\t\t}\n", x.name, x.elem, x.elem)
		default:
			fmt.Fprintf(&s, "\t\t\t%s[p] = %s(p*3)\n\t\t}\n", x.name, x.elem)
		}
	}
	s.WriteString("\t}\n}\n")
	for k := range 2 {
		fmt.Fprintf(&s, "\nfunc Work%d() {\n", k)
		for range 1 + w.r.IntN(2) {
			w.loop(&s)
		}
		s.WriteString("}\n")
	}
	return s.String()
}

// loop writes a loop that stores to elements of its own, or adds to any, or a serial one that does anything.
func (w *world) loop(s *strings.Builder) {
	written := map[string]bool{}
	for _, x := range w.used {
		written[x.name] = w.r.IntN(2) == 0
	}
	at := func(y number) string {
		if w.free && w.r.IntN(2) == 0 {
			return w.index()
		}
		if !written[y.name] && w.r.IntN(2) == 0 {
			return fmt.Sprintf("(p*%d+%d)%%%d", 1+w.r.IntN(5), w.r.IntN(9), w.cells)
		}
		return "p"
	}
	w.free = w.r.IntN(3) == 0
	w.summed = map[string]bool{}
	for _, x := range w.used {
		// Sums modulo a power of two do not depend on the order.
		if !w.free && written[x.name] && w.wraps[x.name] && len(w.summed) < len(w.used)-1 && w.r.IntN(3) == 0 {
			w.summed[x.name] = true
		}
	}
	if home := w.used[w.r.IntN(len(w.used))]; w.free {
		fmt.Fprintf(s, "\tfor p := range serial(%d) {\n\t\t_ = p\n", w.cells)
	} else if w.r.IntN(2) == 0 {
		fmt.Fprintf(s, "\tfor p := range %s {\n", home.name)
	} else {
		fmt.Fprintf(s, "\tfor p := range %d {\n", w.cells)
	}
	count := 0
	for range 1 + w.r.IntN(6) {
		x := w.used[w.r.IntN(len(w.used))]
		if !written[x.name] {
			continue
		}
		count++
		if w.r.IntN(4) == 0 {
			fmt.Fprintf(s, "\t\tif p%%%d == 0 {\n", 2+w.r.IntN(3))
		} else {
			s.WriteString("\t\t{\n")
		}
		w.statement(s, x, at)
		s.WriteString("\t\t}\n")
	}
	if count == 0 {
		s.WriteString("\t\tassert(p >= 0, \"p\")\n")
	}
	s.WriteString("\t}\n")
}

// index is an index of any element: of one near p, in the same word of a bit array, or of one that many iterations have.
func (w *world) index() string {
	switch w.r.IntN(4) {
	case 0:
		return "p^1"
	case 1:
		return "p/2"
	case 2:
		return fmt.Sprint(w.r.IntN(w.cells))
	}
	return fmt.Sprintf("(p*%d+%d)%%%d", 1+w.r.IntN(5), w.r.IntN(9), w.cells)
}

func (w *world) statement(s *strings.Builder, x number, at func(number) string) {
	if w.summed[x.name] {
		fmt.Fprintf(s, "\t\t\t%s[(p*7)%%%d] += %s\n", x.name, w.cells, w.value(x, at))
		return
	}
	place := x.name + "[p]"
	if w.free && w.r.IntN(2) == 0 {
		place = x.name + "[" + w.index() + "]"
	}
	switch {
	case x.elem == "mat2" && w.r.IntN(2) == 0:
		fmt.Fprintf(s, "\t\t\t%s = %s * 0.5\n", place, place)
		return
	case x.elem == "mat2" && w.r.IntN(2) == 0:
		fmt.Fprintf(s, "\t\t\t%s[p%%2][1] %s %s\n", place, w.pick("=", "+=", "*="), w.value(x, at))
		return
	case x.elem == "mat2":
		place += "[0][1]"
	case x.comps > 1 && w.r.IntN(2) == 0:
		fmt.Fprintf(s, "\t\t\t%s = %s(%s)\n", place, x.elem, w.value(x, at))
		return
	case x.comps > 1 && w.r.IntN(2) == 0:
		fmt.Fprintf(s, "\t\t\t%s %s %s\n", place, w.pick("+=", "-=", "*="), w.value(x, at))
		return
	case x.comps > 1:
		place += w.pick(".x", ".y")
	}
	v := w.value(x, at)
	switch op := w.r.IntN(9); {
	case op < 3:
		fmt.Fprintf(s, "\t\t\t%s = %s\n", place, v)
	case op == 3:
		fmt.Fprintf(s, "\t\t\t%s = min(%s, %s)\n", place, place, v)
	case op == 4 && !x.kind.IsFloat():
		fmt.Fprintf(s, "\t\t\t%s %s %s\n", place, w.pick("&=", "|=", "^="), v)
	case op == 5 && w.free && w.wraps[x.name]:
		fmt.Fprintf(s, "\t\t\t%s[(p*7)%%%d] += %s\n", x.name, w.cells, x.elem+"(p)")
	default:
		fmt.Fprintf(s, "\t\t\t%s %s %s\n", place, w.pick("+=", "-=", "*="), v)
	}
}

// run loads the source and launches its kernels, and returns what all fields hold then.
func (w *world) run() (out []byte, err error) {
	host := ti.Bindings{}
	for i, x := range w.used {
		host[x.name] = w.fields[i]
	}
	prog, err := w.rt.Compile(ti.Text("q.ti", w.source), host)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"Fill", "Work0", "Work1", "Work0"} {
		if _, err := prog.Kernel(name).Launch(context.Background()); err != nil {
			return nil, err
		}
	}
	var all bytes.Buffer
	for i, f := range w.fields {
		start := all.Len()
		if _, err := f.WriteTo(&all); err != nil {
			return nil, err
		}
		oneNaN(w.used[i].kind, all.Bytes()[start:])
	}
	return all.Bytes(), nil
}

// oneNaN gives all NaNs among numbers of a kind the same bits: those of the result of an operation on NaNs are not said.
func oneNaN(kind scalar.Kind, data []byte) {
	if !kind.IsFloat() {
		return
	}
	size := kind.Size()
	for ; len(data) >= size; data = data[size:] {
		word := make([]byte, 8)
		copy(word, data[:size])
		bits := binary.LittleEndian.Uint64(word)
		infinite := ir.FloatBits(kind, math.Inf(1))
		if bits&^(1<<(kind.Bits()-1)) > infinite {
			binary.LittleEndian.PutUint64(word, infinite+1)
			copy(data, word[:size])
		}
	}
}

var seeds = randtest.New("seeds", "seed", "random kernels on packed fields", 3, 2)

// TestRandom runs random kernels on random forms in random words and trees, compiled in several ways
// and on the oracle.
func TestRandom(t *testing.T) {
	seeds.Each(t, func(t *testing.T, seed uint64) {
		want, err := newWorld(t, seed, ti.Config{Arch: ti.Oracle, StrictMath: true}).run()
		w := newWorld(t, seed, ti.Config{StrictMath: true})
		if seeds.Alone() {
			t.Logf("%s\n%s", w.text.String(), w.source)
		}
		if err != nil {
			t.Fatalf("oracle: %v\n%s\n%s", err, w.text.String(), w.source)
		}
		for _, c := range []struct {
			cfg          ti.Config
			without, opt string
		}{{}, {cfg: ti.Config{Threads: 4}}, {cfg: ti.Config{Unchecked: true, Threads: 1}}, {without: "storemerge,nonatomicwords"}, {without: "preaccess,postaccess,packets"}, {opt: "0"}} {
			t.Setenv("TI_WITHOUT", c.without)
			t.Setenv("TI_OPT", c.opt)
			cfg := c.cfg
			cfg.StrictMath = true
			w := newWorld(t, seed, cfg)
			got, err := w.run()
			if err != nil {
				t.Fatalf("%+v: %v\n%s\n%s", c, err, w.text.String(), w.source)
			}
			if !bytes.Equal(got, want) {
				i := 0
				for got[i] == want[i] {
					i++
				}
				t.Fatalf("%+v: byte %d of %d differs\n%s\n%s", c, i, len(got), w.text.String(), w.source)
			}
		}
	})
}

var debugSeeds = randtest.New("debugseeds", "debugseed", "random kernels on packed real numbers in debug mode", 2, 1)

// TestRandomDebug runs random kernels on real numbers in debug mode, whose records stand between accesses, and with vectors computed by loops:
// they give the same bits, and draw the same random numbers to round by. Integers would fail there, as they overflow.
func TestRandomDebug(t *testing.T) {
	reals := slices.DeleteFunc(slices.Clone(numbers), func(n number) bool { return !n.kind.IsFloat() })
	debugSeeds.Each(t, func(t *testing.T, seed uint64) {
		var want []byte
		for k, c := range []struct {
			cfg      ti.Config
			unrolled string
		}{{}, {cfg: ti.Config{Debug: true}}, {unrolled: "1"}, {cfg: ti.Config{Arch: ti.Oracle, Debug: true}, unrolled: "2"}} {
			t.Setenv("TI_MAX_UNROLLED", c.unrolled)
			c.cfg.StrictMath = true
			w := newWorldOf(t, seed, c.cfg, 24, 4, reals)
			got, err := w.run()
			if err != nil {
				t.Fatalf("%+v: %v\n%s\n%s", c, err, w.text.String(), w.source)
			}
			if k == 0 {
				want = got
			}
			if !bytes.Equal(got, want) {
				t.Fatalf("%+v gives other numbers\n%s\n%s", c, w.text.String(), w.source)
			}
		}
	})
}

var countedSeeds = randtest.New("rangeseeds", "rangeseed", "random kernels on packed fields whose stores are counted", 1, 1)

// firstCounted makes the first world one of few statements, since the oracle takes seconds for others. One number is stored in two fields of it.
const firstCounted = 204

// TestRandomRanges counts what random kernels store, in loops that are long enough for strips, by machine code and on the oracle.
func TestRandomRanges(t *testing.T) {
	countedSeeds.Each(t, func(t *testing.T, seed uint64) {
		count := func(cfg ti.Config) (*world, []ti.RangeReport) {
			w := newWorldOf(t, seed+firstCounted, cfg, 66*64, 64, numbers)
			reports, err := w.rt.Ranges(func() error { _, err := w.run(); return err }, ti.RangeOptions{}, w.fields...)
			if err != nil {
				t.Fatalf("%v\n%s\n%s", err, w.text.String(), w.source)
			}
			return w, reports
		}
		_, want := count(ti.Config{Arch: ti.Oracle, StrictMath: true})
		w, got := count(ti.Config{StrictMath: true, Threads: 1})
		for i, r := range want {
			if len(r.Stores) > 0 {
				sameCounts(t, "random", got[i], r, 1e-6)
			}
		}
		if t.Failed() || countedSeeds.Alone() {
			t.Logf("%s\n%s", w.text.String(), w.source)
		}
	})
}
