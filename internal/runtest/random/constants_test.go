package random

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/runtest"
)

var constantSeeds = randtest.New("constants", "firstconstant", "random programs that compute with constants and with the same numbers read", 12, 8)

var constantVariants = []runtest.Variant{
	{Label: "O3", Arch: ti.LLVM, Opt: "3", Threads: 1},
	{Label: "O0", Arch: ti.LLVM, Opt: "0", Threads: 1},
	{Label: "O1", Arch: ti.LLVM, Opt: "1", Threads: 1, Unrolled: 3},
}

// TestRandomConstants compares expressions whose operands are constants with the same expressions of numbers that are
// read, on the oracle and through LLVM, under strict maths, bit for bit. Constants are folded by the checker where they
// stand in the expression, and by passes where they come as arguments of a function or from memory.
func TestRandomConstants(t *testing.T) { constantSeeds.Each(t, compareConstants) }

func compareConstants(t *testing.T, seed uint64) {
	p := newConstantProgram(seed)
	oracle := p.run(t, runtest.OracleVariant)
	v := constantVariants[seed%uint64(len(constantVariants))]
	for label, all := range map[string]map[string][]string{"oracle": oracle, v.Label: p.run(t, v)} {
		for _, kernel := range constantKernels {
			for i, e := range p.exprs {
				if got, want := all[kernel][i], oracle["Values"][i]; got != want {
					t.Errorf("seed %d, %s, %s: expression %d\n%s\n%s\nis\n%s\nand of numbers that the oracle reads\n%s",
						seed, label, kernel, i, e.text, p.literals(e.text, "0"), got, want)
				}
			}
		}
		for _, kernel := range []string{"KnownRows", "ReadRows"} {
			for i, row := range p.rows {
				if got, want := all[kernel][i], oracle["ReadRows"][i]; got != want {
					t.Errorf("seed %d, %s, %s: %s of %s, which is %s: %s", seed, label, kernel, row.text, row.kind, p.literals(row.text, "0"), firstDifference(got, want))
				}
			}
		}
	}
}

// A constantProgram computes expressions in several ways.
type constantProgram struct {
	exprs  []constantExpr
	rows   []constantRow
	leaves []constantLeaf
	place  []int // of each leaf among those of its kind
	odd    int   // 0 or 1: which leaves are constants in the kernel Mixed
	source string
}

type constantExpr struct {
	t    constantType
	text string // with names of leaves
}

// A constantRow is an operation on each of a row of numbers.
type constantRow struct {
	kind    ir.Kind
	text    string // with names of leaves, and x
	numbers []uint64
}

// constantKinds are those of leaves and results.
var constantKinds = map[ir.Kind]reflect.Type{
	ir.I8: reflect.TypeFor[int8](), ir.I16: reflect.TypeFor[int16](), ir.I32: reflect.TypeFor[int32](), ir.I64: reflect.TypeFor[int64](),
	ir.U8: reflect.TypeFor[uint8](), ir.U16: reflect.TypeFor[uint16](), ir.U32: reflect.TypeFor[uint32](), ir.U64: reflect.TypeFor[uint64](),
	ir.F16: reflect.TypeFor[ti.Float16](), ir.F32: reflect.TypeFor[float32](), ir.F64: reflect.TypeFor[float64](),
}

func newConstantProgram(seed uint64) *constantProgram {
	w := &constantWriter{Rand: rand.New(rand.NewPCG(seed, 43))}
	p := &constantProgram{odd: int(seed % 2)}
	for range 10 {
		t := w.anyType()
		p.exprs = append(p.exprs, constantExpr{t, w.expr(t, 1+w.IntN(3))})
	}
	for range 3 {
		row := constantRow{kind: w.floatKind()}
		row.text = w.row(row.kind)
		for range constantRoom {
			row.numbers = append(row.numbers, w.floatNumber(row.kind))
		}
		p.rows = append(p.rows, row)
	}
	p.leaves = w.leaves
	count := map[ir.Kind]int{}
	for _, l := range p.leaves {
		p.place = append(p.place, count[l.kind])
		count[l.kind]++
	}
	p.source = p.write()
	return p
}

var leafName = regexp.MustCompile(`a(\d+)_`)

// each replaces the names of leaves in text.
func (p *constantProgram) each(text string, f func(n int) string) string {
	return leafName.ReplaceAllStringFunc(text, func(name string) string {
		n, _ := strconv.Atoi(name[1 : len(name)-1])
		return f(n)
	})
}

// literals writes an expression with its constants.
func (p *constantProgram) literals(text, shape string) string {
	return p.each(text, func(n int) string { return p.leaves[n].literal(shape) })
}

// constantKernels are named after where the numbers are: in the expressions, in arguments of functions, in memory that
// the kernel has just written, in memory that the host has, every second in an argument and the others in memory.
var constantKernels = []string{"Folded", "Inlined", "Stored", "Values", "Mixed"}

// write returns the source.
func (p *constantProgram) write() string {
	var b strings.Builder
	b.WriteString("package p\n\nvar (\n")
	for _, k := range append(constantInts, ir.F16, ir.F32, ir.F64) {
		fmt.Fprintf(&b, "\tV%s, S%s, R%s field[%s]\n", k, k, k, k)
	}
	for i, row := range p.rows {
		fmt.Fprintf(&b, "\tX%d, P%d field[%s]\n", i, i, row.kind)
	}
	b.WriteString(")\n\n")
	used := make([][]int, len(p.exprs))
	for i, e := range p.exprs {
		var params []string
		p.each(e.text, func(n int) string {
			used[i] = append(used[i], n)
			params = append(params, fmt.Sprintf("a%d_ %s", n, p.leaves[n].kind))
			return ""
		})
		fmt.Fprintf(&b, "func e%d(%s) %s { return %s }\n", i, strings.Join(params, ", "), e.t, e.text)
	}
	kernel := func(name, before string, value func(i int) string) {
		at := map[ir.Kind]int{}
		fmt.Fprintf(&b, "\nfunc %s() {\n%s", name, before)
		for i, e := range p.exprs {
			fmt.Fprintf(&b, "\t\tr%d := %s\n", i, value(i))
			for _, c := range e.t.components() {
				fmt.Fprintf(&b, "\t\tR%s[%d] = r%d%s\n", e.t.kind, at[e.t.kind], i, c)
				at[e.t.kind]++
			}
		}
		b.WriteString("\t}\n}\n")
	}
	call := func(arg func(n int) string) func(i int) string {
		return func(i int) string {
			args := make([]string, len(used[i]))
			for j, n := range used[i] {
				args[j] = arg(n)
			}
			return fmt.Sprintf("e%d(%s)", i, strings.Join(args, ", "))
		}
	}
	const static = "\tfor z := range static(1) {\n"
	literal := func(n int) string { return p.leaves[n].literal("z") }
	read := func(n int) string { return fmt.Sprintf("V%s[%d]", p.leaves[n].kind, p.place[n]) }
	kernel("Folded", static, func(i int) string { return p.literals(p.exprs[i].text, "z") })
	kernel("Inlined", static, call(literal))
	store := static
	for n, l := range p.leaves {
		store += fmt.Sprintf("\t\tS%s[%d] = %s\n", l.kind, p.place[n], literal(n))
	}
	kernel("Stored", store, call(func(n int) string { return fmt.Sprintf("S%s[%d]", p.leaves[n].kind, p.place[n]) }))
	kernel("Values", "\t{\n", call(read))
	kernel("Mixed", static, call(func(n int) string {
		if n%2 == p.odd {
			return literal(n)
		}
		return read(n)
	}))
	for name, value := range map[string]func(n int) string{"KnownRows": func(n int) string { return p.leaves[n].literal("0") }, "ReadRows": read} {
		fmt.Fprintf(&b, "\nfunc %s() {\n", name)
		for i, row := range p.rows {
			fmt.Fprintf(&b, "\tfor i := range X%d {\n\t\tx := X%d[i]\n\t\tP%d[i] = %s\n\t}\n", i, i, i, p.each(row.text, value))
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// constantRoom is how many numbers of a kind a program may have.
const constantRoom = 512

// run launches each kernel and returns what it has given for each expression, or each row.
func (p *constantProgram) run(t *testing.T, v runtest.Variant) map[string][]string {
	r := &runtest.Run{TB: t, Variant: v}
	r.RT, r.Out = v.StrictRuntime(t)
	defer r.RT.Close()
	bind := ti.Bindings{}
	column := func(name string, k ir.Kind) runtest.Column {
		c := runtest.NewColumn(constantKinds[k])
		bind[name] = c.Field()
		r.Place(ti.Shape{constantRoom}, c.Field())
		return c
	}
	values, results := map[ir.Kind]runtest.Column{}, map[ir.Kind]runtest.Column{}
	for k := range constantKinds {
		values[k], _, results[k] = column("V"+k.String(), k), column("S"+k.String(), k), column("R"+k.String(), k)
	}
	for n, l := range p.leaves {
		values[l.kind].Set(p.place[n], l.value())
	}
	rows := make([]runtest.Column, len(p.rows))
	for i, row := range p.rows {
		x := column(fmt.Sprintf("X%d", i), row.kind)
		for j, n := range row.numbers {
			x.Set(j, constantLeaf{row.kind, n}.value())
		}
		rows[i] = column(fmt.Sprintf("P%d", i), row.kind)
	}
	prog, err := r.RT.Compile(ti.Text("random.ti", p.source), bind)
	if err != nil {
		t.Fatalf("%v\n%s", err, p.source)
	}
	all := map[string][]string{}
	launch := func(kernel string) {
		if _, err := prog.Kernel(kernel).Launch(t.Context()); err != nil {
			t.Fatalf("%s: %v\n%s", kernel, err, p.source)
		}
	}
	for _, kernel := range constantKernels {
		launch(kernel)
		at := map[ir.Kind]int{}
		for _, e := range p.exprs {
			first, n := at[e.t.kind], len(e.t.components())
			all[kernel] = append(all[kernel], columnText(results[e.t.kind], first, first+n, " "))
			at[e.t.kind] += n
		}
	}
	for _, kernel := range []string{"KnownRows", "ReadRows"} {
		launch(kernel)
		for _, c := range rows {
			all[kernel] = append(all[kernel], columnText(c, 0, constantRoom, "\n"))
		}
	}
	return all
}

// columnText writes the numbers from lo to below hi.
func columnText(c runtest.Column, lo, hi int, between string) string {
	var text []string
	for i := lo; i < hi; i++ {
		text = append(text, bitsText(c.At(i)))
	}
	return strings.Join(text, between)
}

// value is the number as Go has it.
func (l constantLeaf) value() reflect.Value {
	v := reflect.New(constantKinds[l.kind]).Elem()
	switch {
	case l.kind == ir.F16:
		return reflect.ValueOf(ti.Float16(l.bits))
	case l.kind.IsFloat():
		v.SetFloat(ir.FloatValue(l.kind, l.bits))
	case l.kind.IsSigned():
		v.SetInt(int64(l.bits))
	default:
		v.SetUint(l.bits)
	}
	return v
}

// bitsText writes a number so that all its bits count, but for those of a NaN.
func bitsText(v any) string {
	f := 0.0
	switch v := v.(type) {
	case float32:
		f = float64(v)
	case float64:
		f = v
	case ti.Float16:
		f = runtest.Float64(v)
	default:
		return fmt.Sprint(v)
	}
	if math.IsNaN(f) {
		return "NaN"
	}
	return fmt.Sprintf("%x", f)
}
