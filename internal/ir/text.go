package ir

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// What Print and Parse share: how the small parts of the text form look.

var flagNames = []struct {
	flag Flags
	name string
}{
	{NoWrap, "nowrap"}, {InBounds, "inbounds"}, {NonAtomic, "nonatomic"},
	{Serial, "serial"}, {Strict, "strict"}, {Dynamic, "dynamic"}, {Proven, "proven"},
	{Rolled, "rolled"}, {Independent, "independent"}, {Scattered, "scattered"}, {Dependent, "dependent"}, {Seldom, "seldom"},
	{Unset, "unset"}, {Stack, "stack"}, {Copied, "copied"}, {More, "more"}, {Guess, "guess"}, {Streamed, "streamed"}, {Builtin, "builtin"},
}

// String returns the flags as they follow an op's name: ".nowrap".
func (f Flags) String() string {
	s := ""
	for _, n := range flagNames {
		if f.Has(n.flag) {
			s += "." + n.name
		}
	}
	return s
}

// String returns the position as the text form has it, " @file:line:column", or
// nothing if it is unknown.
func (p Pos) String() string {
	if !p.IsKnown() {
		return ""
	}
	b := append(make([]byte, 0, 24), " @"...)
	b = append(strconv.AppendUint(b, uint64(p.File), 10), ':')
	b = append(strconv.AppendUint(b, uint64(p.Line), 10), ':')
	return string(strconv.AppendUint(b, uint64(p.Col), 10))
}

// String returns the bound as the text form has it: 128, or what is read, as in
// "frame 16 + 1", "arg 2", "len $x" and "list 0".
func (b Bound) String() string {
	s := ""
	switch b.From {
	case FromConst:
		return strconv.FormatInt(b.Const, 10)
	case FromFrame:
		s = fmt.Sprintf("frame %d", b.Slot)
	case FromArg:
		s = fmt.Sprintf("arg %d", b.Slot)
	case FromLen:
		s = "len $" + paramName(b.Param)
		if b.Div > 1 {
			s += fmt.Sprintf(" / %d", b.Div)
		}
	case FromList:
		s = fmt.Sprintf("list %d", b.Slot)
	}
	if b.Const != 0 {
		s += fmt.Sprintf(" + %d", b.Const)
	}
	return s
}

// number prints a constant: integers in decimal, floats exactly in hexadecimal,
// a NaN with its bits.
func number(k Kind, bits uint64) string {
	switch {
	case k == Bool && bits <= 1:
		return strconv.FormatBool(bits == 1)
	case k.IsFloat():
		v := FloatValue(k, bits)
		if v != v {
			return fmt.Sprintf("nan:%x", bits)
		}
		s := strconv.FormatFloat(v, 'x', -1, 64)
		return strings.ToLower(strings.TrimPrefix(s, "+")) // +Inf
	case k.IsUnsigned():
		return strconv.FormatUint(bits, 10)
	}
	return strconv.FormatInt(int64(bits), 10)
}

// name returns s, quoted unless it is an identifier.
func name(s string) string {
	if isIdent(s) {
		return s
	}
	return strconv.Quote(s)
}

// dotted is name for functions, which may have dots in their names.
func dotted(s string) string {
	for part := range strings.SplitSeq(s, ".") {
		if !isIdent(part) {
			return strconv.Quote(s)
		}
	}
	return s
}

func isIdent(s string) bool {
	for i, r := range s {
		if !isLetter(r) && (i == 0 || !isDigit(r)) {
			return false
		}
	}
	return s != ""
}

func isLetter(r rune) bool {
	return r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r >= 0x80 && unicode.IsLetter(r)
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

func fieldName(f *Field) string {
	if f == nil {
		return "none"
	}
	return name(f.Name)
}

func paramName(q *Param) string {
	if q == nil {
		return "none"
	}
	return name(q.Name)
}

// sep returns s but for the first of a list.
func sep(i int, s string) string { return sepOr(i, "", s) }

func sepOr(i int, first, rest string) string {
	if i == 0 {
		return first
	}
	return rest
}
