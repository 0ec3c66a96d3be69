package ir

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A scanner reads the text form character by character. After the first error it
// stands at the end of the text, so that every loop of the parser comes to its
// end without asking.
type scanner struct {
	text string
	at   int
	err  error
}

// fail keeps the first error and gives up.
func (s *scanner) fail(format string, args ...any) {
	if s.err != nil {
		return
	}
	line := 1 + strings.Count(s.text[:s.at], "\n")
	found := "the end"
	if rest, _, _ := strings.Cut(s.text[s.at:], "\n"); rest != "" {
		found = strconv.Quote(rest[:min(len(rest), 24)])
	} else if s.at < len(s.text) {
		found = "the end of the line"
	}
	s.err = fmt.Errorf("ir text, line %d: %s, at %s", line, fmt.Sprintf(format, args...), found)
	s.at = len(s.text)
}

// space skips blanks within a line.
func (s *scanner) space() {
	for s.at < len(s.text) && (s.text[s.at] == ' ' || s.text[s.at] == '\t' || s.text[s.at] == '\r') {
		s.at++
	}
}

// peek reports whether c comes next.
func (s *scanner) peek(c byte) bool {
	s.space()
	return s.at < len(s.text) && s.text[s.at] == c
}

// got skips c if it comes next.
func (s *scanner) got(c byte) bool {
	if !s.peek(c) {
		return false
	}
	s.at++
	return true
}

// want skips c, which must come next.
func (s *scanner) want(c byte) {
	if !s.got(c) {
		s.fail("%q was expected", c)
	}
}

// eol skips the end of the line with the comments and blank lines that follow.
func (s *scanner) eol() {
	for first := true; ; first = false {
		s.space()
		if strings.HasPrefix(s.text[s.at:], "//") {
			if i := strings.IndexByte(s.text[s.at:], '\n'); i >= 0 {
				s.at += i
			} else {
				s.at = len(s.text)
			}
		}
		switch {
		case s.at == len(s.text):
			return
		case s.text[s.at] == '\n':
			s.at++
		case first:
			s.fail("the end of the line was expected")
		default:
			return
		}
	}
}

// word skips and returns the identifier that comes next, or "".
func (s *scanner) word() string {
	s.space()
	start := s.at
	for s.at < len(s.text) {
		r, n := utf8.DecodeRuneInString(s.text[s.at:])
		if !isLetter(r) && (s.at == start || !isDigit(r)) {
			break
		}
		s.at += n
	}
	return s.text[start:s.at]
}

// gotWord skips w if it is the identifier that comes next.
func (s *scanner) gotWord(w string) bool {
	start := s.at
	if s.word() == w {
		return true
	}
	s.at = start
	return false
}

// wantWord skips w, which must come next.
func (s *scanner) wantWord(w string) {
	if !s.gotWord(w) {
		s.fail("%q was expected", w)
	}
}

// label skips and returns letters and digits in any order.
func (s *scanner) label() string {
	start := s.at
	for s.at < len(s.text) {
		r, n := utf8.DecodeRuneInString(s.text[s.at:])
		if !isLetter(r) && !isDigit(r) {
			break
		}
		s.at += n
	}
	if s.at == start {
		s.fail("a name or number was expected")
	}
	return s.text[start:s.at]
}

// name skips and returns an identifier or a quoted string.
func (s *scanner) name() string {
	if s.peek('"') {
		q, err := strconv.QuotedPrefix(s.text[s.at:])
		if err != nil {
			s.fail("a quoted name was expected")
			return ""
		}
		s.at += len(q)
		n, _ := strconv.Unquote(q) // QuotedPrefix has checked it
		return n
	}
	w := s.word()
	if w == "" {
		s.fail("a name was expected")
	}
	return w
}

// dotted is name for functions, which may have dots in their names.
func (s *scanner) dotted() string {
	quoted := s.peek('"')
	n := s.name()
	for !quoted && s.at < len(s.text) && s.text[s.at] == '.' {
		s.at++
		n += "." + s.name()
	}
	return n
}

// int skips and returns a decimal integer.
func (s *scanner) int() int64 {
	s.space()
	end := s.at
	if end < len(s.text) && s.text[end] == '-' {
		end++
	}
	for end < len(s.text) && isDigit(rune(s.text[end])) {
		end++
	}
	n, err := strconv.ParseInt(s.text[s.at:end], 10, 64)
	if err != nil {
		s.fail("an integer was expected")
		return 0
	}
	s.at = end
	return n
}

// small is int for numbers from 0 to max.
func (s *scanner) small(max int64) int64 {
	n := s.int()
	if n < 0 || n > max {
		s.fail("the number %d is not between 0 and %d", n, max)
		return 0
	}
	return n
}

// ints skips and returns a list [1 2 3].
func (s *scanner) ints() []int64 {
	var ns []int64
	s.want('[')
	for s.err == nil && !s.got(']') {
		ns = append(ns, s.int())
	}
	return ns
}

// constant skips and returns the text of a constant, up to a blank or bracket.
func (s *scanner) constant() string {
	s.space()
	n := strings.IndexAny(s.text[s.at:], " \t\r\n]),")
	if n < 0 {
		n = len(s.text) - s.at
	}
	t := s.text[s.at : s.at+n]
	s.at += n
	return t
}

// bits returns the constant of kind k that text, as number prints it, stands for.
func (s *scanner) bits(k Kind, text string) uint64 {
	fits := false
	var bits uint64
	switch {
	case k == Bool:
		fits = text == "true" || text == "false"
		bits = BoolBits(text == "true")
	case k.IsFloat() && strings.HasPrefix(text, "nan:"):
		v, err := strconv.ParseUint(text[4:], 16, k.Bits())
		f := FloatValue(k, v)
		fits, bits = err == nil && f != f, v
	case k.IsFloat():
		v, err := strconv.ParseFloat(text, 64)
		fits, bits = err == nil, FloatBits(k, v)
	case k.IsUnsigned():
		v, err := strconv.ParseUint(text, 10, k.Bits())
		fits, bits = err == nil, v
	default:
		v, err := strconv.ParseInt(text, 10, max(k.Bits(), 1))
		fits, bits = err == nil, uint64(v)
	}
	if !fits {
		s.fail("%q is no constant of kind %s", text, k)
	}
	return bits
}

// kind skips and returns a kind.
func (s *scanner) kind() Kind {
	k, ok := ParseKind(s.word())
	if !ok {
		s.fail("a kind such as f32 was expected")
	}
	return k
}

// typ skips and returns a type: f32 or f32x16.
func (s *scanner) typ() Type {
	name, lanes, many := strings.Cut(s.word(), "x")
	k, ok := ParseKind(name)
	n := 1
	if many {
		var err error
		n, err = strconv.Atoi(lanes)
		ok = ok && err == nil && n > 1 && n <= 1<<28
	}
	if !ok {
		s.fail("a type such as f32 or f32x16 was expected")
		return Type{}
	}
	return Vec(k, n)
}

// types skips and returns a list of types up to what cannot be one: nothing, or
// f32, i32.
func (s *scanner) types() []Type {
	ts := []Type{s.typ()}
	for s.got(',') {
		ts = append(ts, s.typ())
	}
	return ts
}

// pos skips and returns a position @file:line:column, if one comes next.
func (s *scanner) pos() Pos {
	if !s.got('@') {
		return Pos{}
	}
	file := s.small(1<<16 - 1)
	s.want(':')
	line := s.small(1<<32 - 1)
	s.want(':')
	return Pos{File: uint16(file), Line: uint32(line), Col: uint16(s.small(1<<16 - 1))}
}
