package site

import (
	"fmt"
	"math"

	"github.com/gotaichi/ti/internal/half"
	"github.com/gotaichi/ti/internal/scalar"
)

// A Site is a place in the source at which a launch can fail, or hands something
// to the host. Its position is kept beside it.
type Site struct {
	Kind  Kind
	What  string  // field, parameter, array or table
	Shape []int64 // limits of the index where they are constants; -1 for a run-time length
	Low   []int64 // lowest index along each axis; nil for all 0
	Text  []Piece // of what is printed, and of failures but those of an index: what to write
}

// A Piece is a part of the text of a site: Text as it is or, if Verb is not "", the
// next value, of kind Kind, by one of fmt's verbs, such as "%8.3f".
type Piece struct {
	Text string
	Verb string
	Kind scalar.Kind
}

// A Kind says what fails at a site.
type Kind uint8

const (
	Index  Kind = iota // an index out of range
	Assert             // an assertion that does not hold
	Print              // no failure: text for the host to write

	// Failures of debug mode.
	Overflow // the result of integer arithmetic does not fit
	Divide   // an integer is divided by zero
	NaN      // an operation on numbers gives none
	Full     // a list has no room for what is appended

	Length // a list is asked to become shorter, and is shorter

	// No failures: accesses of a parallel loop, recorded in debug mode, to What with
	// as many indices as Shape has.
	Read
	Write
	Update // by an atomic operation

	Deactivate // no failure: a cell of What, to be deactivated when the task is over

	// A section of a field lies outside of it or, if Shape has an entry for each axis, an index outside of the section
	// What: the values of Text begin with the index and the shape.
	Section
)

var kindNames = [...]string{Index: "index", Assert: "assert", Print: "print",
	Overflow: "overflow", Divide: "divide", NaN: "nan", Full: "full", Length: "length",
	Read: "read", Write: "write", Update: "update", Deactivate: "deactivate", Section: "section",
}

// IsKnown reports whether k is one of the kinds.
func (k Kind) IsKnown() bool { return int(k) < len(kindNames) }

// String returns the kind's name in the text form.
func (k Kind) String() string {
	if k.IsKnown() {
		return kindNames[k]
	}
	return fmt.Sprintf("site(%d)", uint8(k))
}

// ParseKind is the inverse of String; ok is false for a name that is none.
func ParseKind(name string) (k Kind, ok bool) {
	for i, n := range kindNames {
		if n == name {
			return Kind(i), true
		}
	}
	return 0, false
}

// AppendText appends the text of s with its values to w. Slots has a value for each
// piece with a verb, in the low bits of its kind's width.
func (s *Site) AppendText(w []byte, slots []uint64) []byte {
	for _, p := range s.Text {
		switch {
		case p.Verb == "":
			w = append(w, p.Text...)
		case len(slots) > 0:
			w = fmt.Appendf(w, p.Verb, goValue(p.Kind, slots[0]))
			slots = slots[1:]
		}
	}
	return w
}

// Values returns how many values the text of s has.
func (s *Site) Values() int {
	n := 0
	for _, p := range s.Text {
		if p.Verb != "" {
			n++
		}
	}
	return n
}

// goValue is the value that bits stand for as a type of Go, which package fmt
// prints as Go programmers expect.
func goValue(k scalar.Kind, bits uint64) any {
	switch k {
	case scalar.Bool:
		return bits&1 != 0
	case scalar.I8:
		return int8(bits)
	case scalar.I16:
		return int16(bits)
	case scalar.I32:
		return int32(bits)
	case scalar.I64:
		return int64(bits)
	case scalar.U8:
		return uint8(bits)
	case scalar.U16:
		return uint16(bits)
	case scalar.U32:
		return uint32(bits)
	case scalar.F16:
		return halfValue(bits)
	case scalar.F32:
		return math.Float32frombits(uint32(bits))
	case scalar.F64:
		return math.Float64frombits(bits)
	}
	return bits
}

// A halfValue is a half-precision number that package fmt prints as it does floats:
// by %v and %g without a precision with the fewest digits that tell it from others of
// its kind.
type halfValue uint16

// Format implements [fmt.Formatter].
func (h halfValue) Format(f fmt.State, verb rune) {
	v := half.To64(uint16(h))
	if _, exact := f.Precision(); !exact && (verb == 'v' || verb == 'g' || verb == 'G') {
		v = half.Shortest(uint16(h))
	}
	fmt.Fprintf(f, fmt.FormatString(f, verb), v)
}
