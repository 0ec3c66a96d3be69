package check

import (
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// A format is text output under construction: pieces of text, and verbs for single
// components.
type format struct {
	c     *checker
	args  []textArg
	parts []typed.TextPart
	comps int // components printed
}

// text appends text as it is.
func (f *format) text(s string) {
	if n := len(f.parts); n > 0 && f.parts[n-1].Verb == "" {
		f.parts[n-1].Text += s
	} else if s != "" {
		f.parts = append(f.parts, typed.TextPart{Text: s})
	}
}

// values returns the arguments that are not strings. Parts count these only.
func (f *format) values() []typed.Expr {
	var xs []typed.Expr
	for _, a := range f.args {
		if a.x != nil {
			xs = append(xs, a.x)
		}
	}
	return xs
}

// number is argument i's place among the values.
func (f *format) number(i int) int {
	n := 0
	for _, a := range f.args[:i] {
		if a.x != nil {
			n++
		}
	}
	return n
}

// whole appends argument i by a verb; spec is the verb with its flags.
func (f *format) whole(i int, spec string, verb rune) {
	a := &f.args[i]
	a.used = true
	switch {
	case a.x == nil:
		f.text(fmt.Sprintf(spec, a.text))
	case verb == 'T':
		f.text(fmt.Sprintf(strings.TrimSuffix(spec, "T")+"s", a.x.Type()))
	default:
		comp := 0
		names := verb == 'v' && strings.Contains(spec, "+")
		f.value(a.x.Type(), spec, f.number(i), &comp, names)
		f.comps += comp
	}
}

// value appends the components of a value as Go prints them: [1 2] for an array,
// {1 2} or {X:1 Y:2} for a struct.
func (f *format) value(t typed.Type, spec string, arg int, comp *int, names bool) {
	switch t := t.(type) {
	case typed.Array:
		f.text("[")
		for i := range t.Len {
			if i > 0 {
				f.text(" ")
			}
			f.value(t.Elem, spec, arg, comp, names)
		}
		f.text("]")
	case *typed.Struct:
		f.text("{")
		for i, field := range t.Fields {
			if i > 0 {
				f.text(" ")
			}
			if names {
				f.text(field.Name + ":")
			}
			f.value(field.Type, spec, arg, comp, names)
		}
		f.text("}")
	case typed.Scalar:
		if *comp <= maxPrinted {
			f.parts = append(f.parts, typed.TextPart{Verb: spec, Arg: arg, Comp: *comp, Kind: t})
		}
		*comp++
	}
}

// fits reports a print of more than can be handled.
func (f *format) fits(name string, e *ast.CallExpr, most int) bool {
	if f.comps <= most {
		return true
	}
	f.c.errorf(syntax.ArgType, e.Pos(), "print fewer of them, or elements in a loop", "%s of %d numbers; one call takes at most %d", name, f.comps, most)
	return false
}

// parse reads a format string and appends what it says.
func (f *format) parse(name string, e ast.Expr) bool {
	s, ok := stringConst(e)
	if !ok {
		f.c.survey(e)
		f.c.errorf(syntax.ArgType, e.Pos(), `write `+name+`(`+map[bool]string{true: `c, `}[name == "assert"]+`"x is %v", x)`, "the format of %s is a string literal", name)
		return false
	}
	p := &formatReader{format: f, name: name, text: s, at: positions(e)}
	for p.off < len(s) {
		n := strings.IndexByte(s[p.off:], '%')
		if n < 0 {
			n = len(s) - p.off
		}
		f.text(s[p.off : p.off+n])
		if p.off += n; p.off < len(s) && !p.verb() {
			return false
		}
	}
	for _, a := range f.args {
		if !a.used {
			f.c.errorf(syntax.FormatCount, a.e.Pos(), "add a verb such as %v to the format, or remove the argument", "no verb of the format prints this argument")
			return false
		}
	}
	return true
}

// positions returns where each byte of the value of a string literal, or of
// several joined by +, stands in the source.
func positions(e ast.Expr) []token.Pos {
	switch e := ast.Unparen(e).(type) {
	case *ast.BinaryExpr:
		return append(positions(e.X), positions(e.Y)...)
	case *ast.BasicLit:
		var at []token.Pos
		rest := e.Value[1 : len(e.Value)-1]
		here := e.Pos() + 1
		for rest != "" {
			size, width := 1, 1
			if e.Value[0] == '"' {
				r, multi, tail, err := strconv.UnquoteChar(rest, '"')
				if err != nil {
					break
				}
				width = len(rest) - len(tail)
				if multi {
					size = utf8.RuneLen(r)
				}
			}
			if e.Value[0] != '`' || rest[0] != '\r' { // a raw string has none of these
				for range size {
					at = append(at, here)
				}
			}
			here += token.Pos(width)
			rest = rest[width:]
		}
		return at
	}
	return nil
}

// A formatReader takes the verbs of a format string one by one.
type formatReader struct {
	*format
	name string
	text string
	at   []token.Pos // of each byte of text
	off  int
	next int // argument that the next verb takes
}

func (p *formatReader) errorf(code syntax.Code, off int, help, msg string, args ...any) bool {
	p.c.errorf(code, p.at[min(off, len(p.at)-1)], help, msg, args...)
	return false
}

// digits passes over digits and returns what they are.
func (p *formatReader) digits() string {
	from := p.off
	for p.off < len(p.text) && '0' <= p.text[p.off] && p.text[p.off] <= '9' {
		p.off++
	}
	return p.text[from:p.off]
}

// verb reads a verb, from its percent sign on.
func (p *formatReader) verb() bool {
	start := p.off
	p.off++
	from := p.off
	for p.off < len(p.text) && strings.IndexByte("+-# 0", p.text[p.off]) >= 0 {
		p.off++
	}
	flags := p.text[from:p.off]
	size := p.digits()
	if p.off < len(p.text) && p.text[p.off] == '.' {
		p.off++
		size += "." + p.digits()
	}
	if !p.index(start) {
		return false
	}
	if p.off == len(p.text) {
		return p.errorf(syntax.FormatVerb, start, "write %% for a percent sign", "the format ends in the middle of a verb")
	}
	verb, width := utf8.DecodeRuneInString(p.text[p.off:])
	p.off += width
	shown := p.text[start:p.off]
	switch {
	case verb == '%' && shown == "%%":
		p.parts = appendText(p.parts, "%")
		return true
	case verb == '*':
		return p.errorf(syntax.FormatVerb, start, "write the width as a number", "a width or precision of * is not supported")
	case len(size) > 6 || tooWide(size):
		return p.errorf(syntax.FormatVerb, start, "", "the width or precision of %s is larger than 1000", shown)
	case kindsOfVerb(verb) == "" || verb == 'v' && strings.Contains(flags, "#"):
		return p.errorf(syntax.FormatVerb, start, "use %v for any value, %d for integers, %f for floats, %% for a percent sign", "%s is no verb for printing", shown)
	case p.next >= len(p.args):
		return p.errorf(syntax.FormatCount, start, "add an argument, or write %% for a percent sign", "%s takes argument %d of the format, and there %s", shown, p.next+1, thereAre(len(p.args)))
	}
	if !p.takes(start, shown, verb) {
		return false
	}
	p.whole(p.next, "%"+flags+size+string(verb), verb)
	p.next++
	return true
}

func appendText(parts []typed.TextPart, s string) []typed.TextPart {
	f := format{parts: parts}
	f.text(s)
	return f.parts
}

func tooWide(size string) bool {
	for part := range strings.SplitSeq(size, ".") {
		if n, _ := strconv.Atoi(part); n > 1000 {
			return true
		}
	}
	return false
}

func thereAre(n int) string {
	switch n {
	case 0:
		return "is none"
	case 1:
		return "is one"
	}
	return fmt.Sprintf("are %d", n)
}

// index reads an explicit argument index, as in %[2]d.
func (p *formatReader) index(start int) bool {
	if p.off == len(p.text) || p.text[p.off] != '[' {
		return true
	}
	p.off++
	n, err := strconv.Atoi(p.digits())
	if err != nil || p.off == len(p.text) || p.text[p.off] != ']' || n < 1 {
		return p.errorf(syntax.FormatVerb, start, "write %[1]d for the first argument", "the index of an argument is a number from 1 on, in brackets")
	}
	p.off++
	p.next = n - 1
	return true
}

// kindsOfVerb says what a verb prints: i integers, f floats, b bools, s strings.
func kindsOfVerb(verb rune) string {
	switch verb {
	case 'v', 'T':
		return "ifbs"
	case 'd', 'o', 'O', 'c', 'U':
		return "i"
	case 'b':
		return "if"
	case 'x', 'X':
		return "ifs"
	case 'q':
		return "is"
	case 'e', 'E', 'f', 'F', 'g', 'G':
		return "f"
	case 't':
		return "b"
	case 's':
		return "s"
	}
	return ""
}

// takes reports a verb that does not print the argument it takes.
func (p *formatReader) takes(start int, shown string, verb rune) bool {
	kinds := kindsOfVerb(verb)
	a := p.args[p.next]
	if a.x == nil && strings.Contains(kinds, "s") || a.x != nil && isUnknown(a.x.Type()) {
		return true
	}
	what, fits := "a string", false
	if a.x != nil {
		what, fits = p.c.describe(a.x), true
		for _, s := range typed.Leaves(a.x.Type()) {
			kind := "i"
			switch {
			case s.IsFloat():
				kind = "f"
			case s == typed.Bool:
				kind = "b"
			}
			fits = fits && (strings.Contains(kinds, kind) || s == typed.Unknown)
		}
	}
	if fits {
		return true
	}
	prints := map[string]string{"i": "integers", "if": "integers and floats", "ifs": "numbers and strings", "is": "integers and strings", "f": "floats", "b": "bools", "s": "strings"}[kinds]
	return p.errorf(syntax.FormatType, start, "%v prints any value", "%s prints %s, and argument %d of the format is %s", shown, prints, p.next+1, what)
}
