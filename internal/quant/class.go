package quant

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Class says what numbers a form is for.
type Class uint8

// The classes of forms.
const (
	Plain Class = iota // not quantised
	Int                // integers of Bits bits
	Fixed              // real numbers at equal distances, in Bits bits, below Limit
	Float              // real numbers with Exp bits of exponent and Frac of fraction, sign included
)

// A Row describes a class: its texts and parameters. A new class is a row, its arithmetic in [Coder], and what
// TestClasses of internal/quanttest then finds missing.
type Row struct {
	Class       Class
	Name        string // in the text of a form: fixed(21,8)
	Constructor string // of package ti
	Example     Format

	parameters []string                // what messages call them
	values     func(f *Format) []value // of the parameters, in the same order
}

// classes has a row for each class, at its number.
var classes = [...]Row{
	{Class: Plain, Name: "plain", Constructor: "the zero Quant"},
	{Class: Int, Name: "int", Constructor: "QuantInt", Example: Format{Class: Int, Bits: 7},
		parameters: []string{"bits"}, values: func(f *Format) []value { return []value{{whole: &f.Bits}} }},
	{Class: Fixed, Name: "fixed", Constructor: "QuantFixed", Example: Format{Class: Fixed, Bits: 21, Limit: 8},
		parameters: []string{"bits", "limit"}, values: func(f *Format) []value { return []value{{whole: &f.Bits}, {real: &f.Limit}} }},
	{Class: Float, Name: "float", Constructor: "QuantFloat", Example: Format{Class: Float, Exp: 5, Frac: 11},
		parameters: []string{"exponent", "fraction"}, values: func(f *Format) []value { return []value{{whole: &f.Exp}, {whole: &f.Frac}} }},
}

// Classes returns the rows of all classes but [Plain].
func Classes() []Row { return slices.Clone(classes[Plain+1:]) }

// Row returns the row of the class of f.
func (f Format) Row() Row { return classes[f.Class] }

// A value is a parameter of a form: whole or real.
type value struct {
	whole *int
	real  *float64
}

// set gives a parameter its value; false if it cannot have that.
func (v value) set(x float64) bool {
	switch {
	case v.real != nil:
		*v.real = x
	case x == math.Trunc(x) && math.Abs(x) < 1<<20:
		*v.whole = int(x)
	default:
		return false
	}
	return true
}

func (v value) String() string {
	if v.real != nil {
		return strconv.FormatFloat(*v.real, 'g', -1, 64)
	}
	return strconv.Itoa(*v.whole)
}

// Arguments returns the values of the parameters of f, with separators: "21,8" for ",".
func (f Format) Arguments(separator string) string {
	var all []string
	for _, v := range f.Row().values(&f) {
		all = append(all, v.String())
	}
	return strings.Join(all, separator)
}

// written returns the forms as messages list them: int(bits), fixed(bits,limit) and float(exponent,fraction).
func written() string {
	var all []string
	for _, f := range Classes() {
		all = append(all, f.Name+"("+strings.Join(f.parameters, ",")+")")
	}
	last := len(all) - 1
	return strings.Join(all[:last], ", ") + " and " + all[last]
}
