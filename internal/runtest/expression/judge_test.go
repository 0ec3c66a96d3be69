package expression

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/mathlib/judge"
	"github.com/gotaichi/ti/internal/runtest"
)

// promisedULPs is how far docs/language.md lets a function be off.
const promisedULPs = 2

// A judgedFunction is a builtin, with what it must give and arguments that are hard.
type judgedFunction struct {
	name string
	of   func(j *judge.Judge, x, y *big.Float) *big.Float
	args [][2]float64
}

// judgedFunctions lists the functions that docs/language.md promises to be good to 2 units in the last place.
func judgedFunctions() []judgedFunction {
	one := func(f func(j *judge.Judge, x *big.Float) *big.Float) func(j *judge.Judge, x, y *big.Float) *big.Float {
		return func(j *judge.Judge, x, _ *big.Float) *big.Float { return f(j, x) }
	}
	of := func(xs ...float64) (args [][2]float64) {
		for _, x := range xs {
			args = append(args, [2]float64{x})
		}
		return args
	}
	// Next to multiples of π/2, and the largest numbers, among them the f64 that is the nearest of all to a multiple.
	angles := of(0.1, 3.1415927410125732, 1.5707963267948966, 355, 11, 22, 1e22, 0x1.fffffep127, -103993, 0x1.6ac5b262ca1ffp849, 33, 0x1p-30, 1e300)
	near1 := of(1.0000000001, 1.0000001, 0.9999999, 1.00001, 0.99, 0.5, 1e-38, 3e38, 0x1p-149, 0x1p-1074, 1e308, 10, 0x1.fffffffffffffp-1)
	arcs := of(0.9999999, -0.9999999, 0.99999994, 0.5, 0.50000006, -0.5, 0x1p-40, 0.7, -0.999, 0x1.fffffffffffffp-1, 1e-310)
	powers := of(88.7, -87.5, -103.2, 0.1, 1e-9, -0.3, 709.7, -745.1, -708.5, 1, 20, -20, 0x1p-60)
	every := of(0.1, 3, 1e-30, 1e30, 0x1p-149, 0x1p-1060, 1e300, 27, 1000.5)
	return []judgedFunction{
		{"sin", one((*judge.Judge).Sin), angles}, {"cos", one((*judge.Judge).Cos), angles}, {"tan", one((*judge.Judge).Tan), angles},
		{"asin", one((*judge.Judge).Asin), arcs}, {"acos", one((*judge.Judge).Acos), arcs}, {"atan", one((*judge.Judge).Atan), append(arcs, every...)},
		{"sinh", one((*judge.Judge).Sinh), powers}, {"cosh", one((*judge.Judge).Cosh), powers}, {"tanh", one((*judge.Judge).Tanh), powers},
		{"exp", one((*judge.Judge).Exp), powers}, {"exp2", one((*judge.Judge).Exp2), of(0.1, 127.9, -148.5, -126.3, 1023.9, -1073.5, 1e-9, 11, -0.5)},
		{"log", one((*judge.Judge).Log), near1}, {"log2", one((*judge.Judge).Log2), near1},
		{"cbrt", one((*judge.Judge).Cbrt), every}, {"rsqrt", one((*judge.Judge).Rsqrt), every},
		{"pow", (*judge.Judge).Pow, [][2]float64{
			{0.999999463558197, 134217744}, {1.0000000001, 1e9 + 7}, {1.0001, 880000}, {2, -148.5}, {2, 1023.9}, {10, 38.2}, {0.1, 44.9}, {3, 5}, {0x1p-149, 0.7}, {7.1, -0.3}, {0x1p-1074, 0.99}, {1.5, 2},
		}},
		{"atan2", (*judge.Judge).Atan2, [][2]float64{{1, -1}, {1e-30, 1}, {1, 1e30}, {-3, -1e-9}, {0x1p-149, 0x1p-140}, {1e300, -1e299}, {2, 3}, {-0.5, 0.49999997}}},
	}
}

// TestFunctionsAreJudged holds the functions of constants, and of the same numbers passed through memory or read, against
// arithmetic of 200 bits, on the oracle and through LLVM, with default maths: neither the compiler's own functions nor
// those of Go have a part in it.
func TestFunctionsAreJudged(t *testing.T) {
	t.Run("f32", func(t *testing.T) { judgeFunctions[float32](t, "f32", 24) })
	t.Run("f64", func(t *testing.T) { judgeFunctions[float64](t, "f64", 53) })
}

// A judgedRow is a function with its arguments rounded to T, its exact values, and the fields it works on.
type judgedRow[T runtest.Float] struct {
	name       string
	two        bool // it takes two arguments
	args       [][2]T
	wants      []*big.Float
	x, y, s, p ti.Field[T] // numbers that are read, numbers stored before, results
}

// judgedRows leaves out arguments that T rounds to zero or infinity, and those whose result T does not hold: constants
// that are too large are mistakes.
func judgedRows[T runtest.Float](j *judge.Judge, digits int) []*judgedRow[T] {
	var rows []*judgedRow[T]
	for _, f := range judgedFunctions() {
		row := &judgedRow[T]{name: f.name, two: f.args[0][1] != 0}
		for _, a := range f.args {
			x, y := T(a[0]), T(a[1])
			if x == 0 || math.IsInf(float64(x), 0) {
				continue
			}
			want := f.of(j, big.NewFloat(float64(x)), big.NewFloat(float64(y)))
			if largest := map[int]int{24: 128, 53: 1024}[digits]; want.MantExp(nil) <= largest {
				row.args, row.wants = append(row.args, [2]T{x, y}), append(row.wants, want)
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// call writes a call of the function.
func (w *judgedRow[T]) call(x, y string) string {
	if w.two {
		x += ", " + y
	}
	return w.name + "(" + x + ")"
}

// judgedSource writes kernels that compute all functions of constants, of such that are stored first, and of numbers that
// the host has stored.
func judgedSource[T runtest.Float](kind string, rows []*judgedRow[T]) string {
	var decl, known, stored, values strings.Builder
	for i, w := range rows {
		fmt.Fprintf(&decl, "\tX%d, Y%d, S%d, P%d field[%s]\n", i, i, i, i, kind)
		for n, a := range w.args {
			y := fmt.Sprintf("%s(%x)", kind, a[1])
			fmt.Fprintf(&known, "\tP%d[%d] = %s\n", i, n, w.call(fmt.Sprintf("%s(%x)", kind, a[0]), y))
			fmt.Fprintf(&stored, "\tS%d[%d] = %x\n\tP%d[%d] = %s\n", i, n, a[0], i, n, w.call(fmt.Sprintf("S%d[%d]", i, n), y))
		}
		fmt.Fprintf(&values, "\tfor i := range X%d {\n\t\tP%d[i] = %s\n\t}\n", i, i, w.call(fmt.Sprintf("X%d[i]", i), fmt.Sprintf("Y%d[i]", i)))
	}
	return fmt.Sprintf("package judged\n\nvar (\n%s)\n\nfunc Known() {\n%s}\n\nfunc Stored() {\n%s}\n\nfunc Values() {\n%s}\n", &decl, &known, &stored, &values)
}

func judgeFunctions[T runtest.Float](t *testing.T, kind string, digits int) {
	rows := judgedRows[T](judge.New(), digits)
	source := judgedSource(kind, rows)
	for _, v := range []runtest.Variant{runtest.OracleVariant, {Label: "O3", Arch: ti.LLVM, Opt: "3", Threads: 1}} {
		t.Run(v.Label, func(t *testing.T) {
			r := &runtest.Run{TB: t, Variant: v}
			r.RT, r.Out = v.NewRuntime(t)
			defer r.RT.Close()
			bind := ti.Bindings{}
			for i, w := range rows {
				*w = judgedRow[T]{name: w.name, two: w.two, args: w.args, wants: w.wants}
				for name, field := range map[string]*ti.Field[T]{"X": &w.x, "Y": &w.y, "S": &w.s, "P": &w.p} {
					bind[fmt.Sprint(name, i)] = field
				}
				r.Place(ti.Shape{len(w.args)}, &w.x, &w.y, &w.s, &w.p)
				for n, a := range w.args {
					w.x.Set(a[0], n)
					w.y.Set(a[1], n)
				}
			}
			p := r.Load(source, bind)
			for _, kernel := range []string{"Known", "Stored", "Values"} {
				if _, err := p.Kernel(kernel).Launch(t.Context()); err != nil {
					t.Fatal(err)
				}
				for _, w := range rows {
					for n, a := range w.args {
						if off := judge.ULPs(float64(w.p.At(n)), w.wants[n], digits); off > promisedULPs {
							t.Errorf("%s: %s(%x, %x) is %x, %.3g units in the last place off", kernel, w.name, a[0], a[1], w.p.At(n), off)
						}
					}
				}
			}
		})
	}
}
