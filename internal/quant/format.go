package quant

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gotaichi/ti/internal/scalar"
)

// A Format says how a number is stored. The zero Format stores it as Go does.
type Format struct {
	Class      Class
	Bits       int     // of Int and Fixed
	Limit      float64 // of Fixed
	Exp, Frac  int     // of Float
	Unsigned   bool
	Wrap       bool // of Int: storing keeps the low bits
	Stochastic bool // of Fixed and Float
}

// Width returns the bits of a code, those of a shared exponent included.
func (f Format) Width() int {
	if f.Class == Float {
		return f.Exp + f.Frac
	}
	return f.Bits
}

// IsFloat reports whether each number has an exponent.
func (f Format) IsFloat() bool { return f.Class == Float }

// String returns the form as the command line has it: "fixed(21,8)", "int(1).unsigned()".
func (f Format) String() string {
	s := f.Row().Name
	if f.Class != Plain {
		s += "(" + f.Arguments(",") + ")"
	}
	for _, m := range f.modifiers() {
		if *m.set {
			s += "." + m.name + "()"
		}
	}
	return s
}

type modifier struct {
	name string
	set  *bool
}

func (f *Format) modifiers() []modifier {
	return []modifier{{"unsigned", &f.Unsigned}, {"wrap", &f.Wrap}, {"stochastic", &f.Stochastic}}
}

// Parse is the inverse of String.
func Parse(text string) (f Format, err error) {
	bad := fmt.Errorf("%q is no form; forms are %s, with .unsigned(), .wrap() or .stochastic() behind them", text, written())
	head, rest, ok := strings.Cut(text, ")")
	name, args, open := strings.Cut(head, "(")
	class := slices.IndexFunc(classes[:], func(f Row) bool { return f.Name == name && f.Class != Plain })
	if !ok || !open || class < 0 {
		return f, bad
	}
	f.Class = Class(class)
	values, numbers := f.Row().values(&f), strings.Split(args, ",")
	if len(values) != len(numbers) {
		return Format{}, bad
	}
	for i, v := range values {
		n, err := strconv.ParseFloat(strings.TrimSpace(numbers[i]), 64)
		if err != nil || !v.set(n) {
			return Format{}, bad
		}
	}
	for rest != "" {
		found := false
		for _, m := range f.modifiers() {
			if after, is := strings.CutPrefix(rest, "."+m.name+"()"); is {
				*m.set, rest, found = true, after, true
			}
		}
		if !found {
			return f, bad
		}
	}
	return f, err
}

// digits returns m, the digits of a float's fraction without the sign.
func (f Format) digits() int {
	if f.Unsigned {
		return f.Frac
	}
	return f.Frac - 1
}

// An Error says why a form does not do, and what does.
type Error struct{ Msg, Help string }

func (e *Error) Error() string {
	if e.Help == "" {
		return e.Msg
	}
	return e.Msg + "; " + e.Help
}

func bad(help, format string, args ...any) error {
	return &Error{fmt.Sprintf(format, args...), help}
}

// A precision describes the floating-point kinds.
type precision struct{ exp, digits, fixed int }

func precisionOf(k scalar.Kind) precision {
	switch k {
	case scalar.F16:
		return precision{5, 10, 11}
	case scalar.F32:
		return precision{8, 23, 32}
	}
	return precision{11, 52, 53}
}

// Check reports why numbers of a kind cannot have the form; shared says that they share an
// exponent.
func (f Format) Check(k scalar.Kind, shared bool) error {
	number := k.IsFloat()
	switch {
	case f.Class == Plain:
		return bad("give one of QuantInt, QuantFixed and QuantFloat", "the form is the zero Quant")
	case shared && f.Class != Float:
		return bad("give a QuantFloat", "%v has no exponent that could be shared", f)
	case f.Class == Int && number:
		return bad("use QuantFixed or QuantFloat", "QuantInt is for integers, and the elements are %v", k)
	case f.Class != Int && !number:
		return bad("use QuantInt", "%s is for real numbers, and the elements are %v", f.constructor(), k)
	case f.Wrap && f.Class != Int:
		return bad("leave it out", "Wrap is for QuantInt, not for %s", f.constructor())
	case f.Stochastic && f.Class == Int:
		return bad("leave it out", "an integer is stored without a remainder, so that QuantInt has nothing to round for Stochastic")
	case f.Stochastic && shared:
		return bad("leave it out, or give each number an exponent of its own", "numbers that share an exponent are rounded to nearest; Stochastic is not supported for them")
	}
	switch f.Class {
	case Int:
		return f.checkInt(k)
	case Fixed:
		return f.checkFixed(k)
	}
	return f.checkFloat(k)
}

func (f Format) constructor() string { return f.Row().Constructor }

func (f Format) checkInt(k scalar.Kind) error {
	switch {
	case f.Bits < 1 || f.Bits > 64:
		return bad("give 1 to 64", "an integer of %d bits", f.Bits)
	case k == scalar.Bool && (f.Bits != 1 || !f.Unsigned):
		return bad("use QuantInt(1).Unsigned()", "a bool is one bit without a sign, and the form is %v", f)
	case k == scalar.Bool:
		return nil
	case f.Bits == 1 && !f.Unsigned:
		return bad("use QuantInt(1).Unsigned()", "one signed bit holds -1 and 0")
	case k.IsUnsigned() && !f.Unsigned:
		return bad(fmt.Sprintf("use QuantInt(%d).Unsigned()", min(f.Bits, k.Bits())), "%v has negative numbers, which %v cannot hold", f, k)
	case k.IsUnsigned() && f.Bits > k.Bits():
		return bad(fmt.Sprintf("give at most %d bits", k.Bits()), "%v cannot hold the numbers of %v", k, f)
	case k.IsSigned() && f.Unsigned && f.Bits > k.Bits()-1:
		return bad(fmt.Sprintf("give at most %d bits, or use elements of u%d", k.Bits()-1, k.Bits()), "%v cannot hold the numbers of %v", k, f)
	case f.Bits > k.Bits():
		return bad(fmt.Sprintf("give at most %d bits", k.Bits()), "%v cannot hold the numbers of %v", k, f)
	}
	return nil
}

func (f Format) checkFixed(k scalar.Kind) error {
	most := precisionOf(k).fixed
	switch {
	case f.Bits < 1:
		return bad(fmt.Sprintf("give 1 to %d", most), "a fixed-point number of %d bits", f.Bits)
	case f.Bits > most:
		return bad(fmt.Sprintf("give at most %d bits", most), "%v cannot hold fixed-point numbers of %d bits", k, f.Bits)
	case f.Bits == 1 && !f.Unsigned:
		return bad("give it more bits, or add Unsigned()", "one signed bit holds -%v and 0", f.Limit)
	case math.IsNaN(f.Limit) || math.IsInf(f.Limit, 0) || f.Limit <= 0:
		return bad("give a positive number", "a limit of %v", f.Limit)
	}
	// Step and limit, and what the arithmetic makes of them, have to be ordinary numbers.
	least, largest := 0x1p-126, math.MaxFloat32
	if k == scalar.F64 {
		least, largest = 0x1p-1022, math.MaxFloat64
	} else if k == scalar.F16 {
		least, largest = 0x1p-14, 65504
	}
	step := math.Ldexp(f.Limit, -f.exponent())
	if step < least || f.Limit > largest || 1/step > largest && k != scalar.F16 {
		return bad("choose another limit or number of bits", "the limit %v is out of reach for %v: the step of %v is %v", f.Limit, k, f, step)
	}
	return nil
}

// exponent returns log2 of limit over step.
func (f Format) exponent() int {
	if f.Unsigned {
		return f.Bits
	}
	return f.Bits - 1
}

func (f Format) checkFloat(k scalar.Kind) error {
	const least = 1
	p, m := precisionOf(k), f.digits()
	switch {
	case f.Exp < 1:
		return bad(fmt.Sprintf("give 1 to %d", p.exp), "an exponent of %d bits", f.Exp)
	case f.Exp > p.exp:
		return bad(fmt.Sprintf("give at most %d", p.exp), "an exponent of %d bits is wider than that of %v, which has %d", f.Exp, k, p.exp)
	case m < least:
		return bad(fmt.Sprintf("give at least %d", f.Frac-m+least), "a fraction of %d bits has no room for a number", f.Frac)
	case m > p.digits:
		return bad(fmt.Sprintf("give at most %d", f.Frac-m+p.digits), "a fraction of %d bits is longer than that of %v", f.Frac, k)
	}
	return nil
}
