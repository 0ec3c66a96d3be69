package quanttest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/quant"
	"github.com/gotaichi/ti/internal/quant/exact"
	"github.com/gotaichi/ti/internal/scalar"
	"github.com/gotaichi/ti/internal/tally"
	"github.com/gotaichi/ti/internal/treetext"
)

// A need is something that each form needs beside its row in package quant.
type need struct {
	what string // what is missing without it
	met  func(f quant.Row, k scalar.Kind, numbers []float64) error
}

// needs is the list to go through for a new form, in the order in which to make them. Each entry is tried, but for those about documents.
var needs = []need{
	{"the numbers that the form can have: Format.Check in internal/quant", func(f quant.Row, k scalar.Kind, _ []float64) error {
		return f.Example.Check(k, false)
	}},
	{"its arithmetic: New, Encode, Decode and Precision of quant.Coder", codesNumbers},
	{"where it clamps: Ends of quant.Coder", clampsAtEnds},
	{"the reference: Encode and Decode of internal/quant/exact", agreesWithExact},
	{"the constructor of package ti: quant.go, and Quant of internal/treetext", isConstructed},
	{"the arithmetic as ops: Encode and Decode of internal/pass/adapter; elements of the host: internal/store", isStored},
	{"an error that is expected: Range.Error of internal/tally", hasExpectedError},
	{"a suggestion: Range.Suggest of internal/tally", isSuggested},
	{"random kernels: world.format of internal/quanttest", isRandom},
	{"a row in the table of forms of docs/quant.md", inFile("../../docs/quant.md", func(f quant.Row) string { return "\n| `" + f.Constructor + "(" })},
	{"a row in the table of internal/quant/doc.go", inFile("../quant/doc.go", func(f quant.Row) string { return "\n//\t" + f.Name + "(" })},
}

// missingOf returns what a form lacks. What panics is missing, too.
func missingOf(f quant.Row) (missing []string) {
	k, numbers := scalar.F32, []float64{0, 0.3, -0.71, 1.5, -2.25, 3.14159}
	if recovered(func() error { return f.Example.Check(scalar.I32, false) }) == nil {
		k, numbers = scalar.I32, []float64{0, 1, -1, 30, -7, 63}
	}
	for _, n := range needs {
		if err := recovered(func() error { return n.met(f, k, numbers) }); err != nil {
			missing = append(missing, fmt.Sprintf("%s (%v)", n.what, err))
		}
	}
	return missing
}

func recovered(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	return f()
}

// TestClasses: each form has all that it needs.
func TestClasses(t *testing.T) {
	if len(quant.Classes()) < 3 {
		t.Errorf("there are %d forms", len(quant.Classes()))
	}
	for i, f := range quant.Classes() {
		if f.Class != quant.Class(i+1) || f.Example.Class != f.Class {
			t.Errorf("row %d of the table of forms, %s, is of class %d, with an example of class %d", i+1, f.Name, f.Class, f.Example.Class)
		}
		if back, err := quant.Parse(f.Example.String()); err != nil || back != f.Example {
			t.Errorf("%s is read as %v, %v", f.Example, back, err)
		}
		for _, what := range missingOf(f) {
			t.Errorf("the form %s lacks %s", f.Name, what)
		}
	}
}

// TestClassWithoutAnything: of a form that has nothing but its row, all that it needs is named.
func TestClassWithoutAnything(t *testing.T) {
	class := quant.Class(len(quant.Classes()) + 1)
	missing := missingOf(quant.Row{Class: class, Name: "logarithm", Constructor: "QuantLog", Example: quant.Format{Class: class, Bits: 8}})
	for _, n := range needs {
		if !slices.ContainsFunc(missing, func(s string) bool { return strings.HasPrefix(s, n.what) }) {
			t.Errorf("it is not said that the form lacks %s", n.what)
		}
	}
}

// stored returns what a coder makes of a number.
func stored(c *quant.Coder, v float64) float64 {
	if c.Kind.IsInt() {
		return float64(c.Number(c.EncodeInt(int64(v))))
	}
	return c.Decode(c.Encode(v))
}

func codesNumbers(f quant.Row, k scalar.Kind, numbers []float64) error {
	c := quant.New(f.Example, k)
	absolute, relative := c.Precision()
	if k.IsInt() {
		absolute, relative = 0, 0
	}
	for _, v := range numbers {
		if got := stored(c, v); !(math.Abs(got-v) <= absolute+relative*math.Abs(got)) {
			return fmt.Errorf("%v is stored as %v", v, got)
		}
	}
	return nil
}

func clampsAtEnds(f quant.Row, k scalar.Kind, numbers []float64) error {
	c := quant.New(f.Example, k)
	lo, hi := c.Ends(false)
	for _, v := range numbers {
		if v < lo || v > hi {
			return fmt.Errorf("%v is not between the ends %v and %v", v, lo, hi)
		}
	}
	if l, h := stored(c, 2*lo), stored(c, 2*hi); l != lo || h != hi {
		return fmt.Errorf("beyond the ends %v and %v numbers are stored as %v and %v", lo, hi, l, h)
	}
	return nil
}

func agreesWithExact(f quant.Row, k scalar.Kind, numbers []float64) error {
	c := quant.New(f.Example, k)
	for _, v := range numbers {
		bits, code, back := uint64(math.Float32bits(float32(v))), uint64(0), uint64(0)
		if v = float64(float32(v)); k.IsInt() {
			bits, code = uint64(int64(v)), c.EncodeInt(int64(v))
			back = uint64(c.Number(code))
		} else {
			code = c.Encode(v)
			back = uint64(math.Float32bits(float32(c.Decode(code))))
		}
		if e, d := exact.Encode(f.Example, k, bits, exact.Rounding{}), exact.Decode(f.Example, k, code); e != code || d != back {
			return fmt.Errorf("%v has code %#x, of value %#x; the reference says %#x and %#x", v, code, back, e, d)
		}
	}
	return nil
}

func isConstructed(f quant.Row, _ scalar.Kind, _ []float64) error {
	q := treetext.Quant(f.Example)
	if q.String() != f.Example.String() || !strings.HasPrefix(q.GoString(), "ti."+f.Constructor+"(") {
		return fmt.Errorf("%s is constructed as %s", f.Example, q.GoString())
	}
	return nil
}

// isStored stores numbers in a packed field by kernels, compiled and interpreted, and by the host.
func isStored(f quant.Row, k scalar.Kind, numbers []float64) error {
	if k.IsInt() {
		return storesAll[int32](f, k, numbers)
	}
	return storesAll[float32](f, k, numbers)
}

func storesAll[T int32 | float32](f quant.Row, k scalar.Kind, numbers []float64) error {
	c := quant.New(f.Example, k)
	for _, arch := range []ti.Arch{ti.LLVM, ti.Oracle} {
		rt, err := ti.New(ti.Config{Arch: arch, Threads: 1})
		if err != nil {
			return err
		}
		defer rt.Close()
		var s struct {
			F, From, To ti.Field[T]
			Store       func() error
		}
		rt.NewTree().Dense(ti.I, len(numbers)).BitStruct(64).Place(&s.F, treetext.Quant(f.Example))
		rt.Place(ti.Shape{len(numbers)}, &s.From, &s.To)
		source := fmt.Sprintf("package p\n\nvar F, From, To field[%v]\n\nfunc Store() {\n\tfor i := range F {\n\t\tF[i] = From[i]\n\t\tTo[i] = F[i]\n\t}\n}\n", k)
		if err := rt.Load(source, &s); err != nil {
			return err
		}
		for i, v := range numbers {
			s.From.Set(T(v), i)
		}
		if err := s.Store(); err != nil {
			return err
		}
		for i, v := range numbers {
			if got, want := s.To.At(i), T(stored(c, v)); got != want || s.F.At(i) != want {
				return fmt.Errorf("%v: kernels store %v as %v, which the host reads as %v; want %v", arch, v, got, s.F.At(i), want)
			}
			s.F.Set(T(v), i)
			if got, want := s.F.At(i), T(stored(c, v)); got != want {
				return fmt.Errorf("the host stores %v as %v; want %v", v, got, want)
			}
		}
	}
	return nil
}

func hasExpectedError(f quant.Row, k scalar.Kind, numbers []float64) error {
	c := quant.New(f.Example, k)
	r := rangeOf(k, numbers)
	expected := r.Error(f.Example)
	if math.IsInf(expected, 0) || k.IsFloat() && expected == 0 {
		return fmt.Errorf("the error of numbers from %v to %v is %v", r.Least, r.Largest, expected)
	}
	for _, v := range numbers {
		if e := math.Abs(stored(c, v) - v); e > expected {
			return fmt.Errorf("the error of %v is %v; %v is expected", v, e, expected)
		}
	}
	return nil
}

func isSuggested(f quant.Row, k scalar.Kind, numbers []float64) error {
	for _, s := range rangeOf(k, numbers).Suggest(0.01) {
		if s.Class == f.Class {
			return nil
		}
	}
	return errors.New("no such form is suggested")
}

// rangeOf returns the range of numbers of a kind.
func rangeOf(k scalar.Kind, numbers []float64) tally.Range {
	r := tally.Range{Kind: k, Least: slices.Min(numbers), Largest: slices.Max(numbers), Smallest: math.Inf(1)}
	for _, v := range numbers {
		if v != 0 {
			r.Smallest = min(r.Smallest, math.Abs(v))
		}
	}
	return r
}

func isRandom(f quant.Row, k scalar.Kind, _ []float64) error {
	w := &world{r: rand.New(rand.NewPCG(1, 2))}
	for range 1000 {
		if w.format(k, false).Class == f.Class {
			return nil
		}
	}
	return errors.New("none of 1000 has such numbers")
}

// inFile looks for a text in a file.
func inFile(name string, text func(quant.Row) string) func(quant.Row, scalar.Kind, []float64) error {
	return func(f quant.Row, _ scalar.Kind, _ []float64) error {
		data, err := os.ReadFile(name)
		if err == nil && !strings.Contains(string(data), text(f)) {
			err = fmt.Errorf("no line begins with %q", strings.TrimSpace(text(f)))
		}
		return err
	}
}
