package syntax

import (
	"go/token"
	"slices"
	"strings"
)

// A piece is a declaration at package level in a source that does not parse. It ends where
// the next one begins. The first piece has the package clause.
type piece struct {
	from, to int         // offsets in the text
	kind     token.Token // FUNC, VAR, CONST, TYPE, IMPORT or PACKAGE
}

// pieces divides a text at the lines on which declarations begin. A line that only a
// declaration can begin with starts a new piece even if a brace is still open: it is the
// declaration before that lacks the closing brace.
func (f *File) pieces(toks []tok) []piece {
	list := []piece{{0, len(f.text), token.PACKAGE}}
	depth, last := 0, -1
	for i, t := range toks {
		line := f.lineIndex(t.off)
		first := line != last
		last = line
		switch t.tok {
		case token.LBRACE:
			depth++
		case token.RBRACE:
			depth--
		case token.FUNC, token.VAR, token.CONST, token.TYPE, token.IMPORT:
			if first && (depth <= 0 || t.tok == token.FUNC && declaresFunc(toks[i+1:])) {
				list[len(list)-1].to = f.lines[line]
				list = append(list, piece{f.lines[line], len(f.text), t.tok})
				depth = 0
			}
		}
	}
	return slices.DeleteFunc(list, func(p piece) bool { return p.from == p.to })
}

// declaresFunc reports whether the tokens behind func are a name, or a receiver and a
// name. A function literal has no name.
func declaresFunc(toks []tok) bool {
	if len(toks) > 0 && toks[0].tok == token.LPAREN {
		end := slices.IndexFunc(toks, func(t tok) bool { return t.tok == token.RPAREN })
		return end > 0 && end+2 < len(toks) && toks[end+1].tok == token.IDENT && toks[end+2].tok == token.LPAREN
	}
	return len(toks) > 0 && toks[0].tok == token.IDENT
}

// A hole is a part of the source that does not parse and is left out of the tree: whole
// statements, or a whole declaration.
type hole struct {
	from, to int
	piece    piece           // that it is part of
	defines  map[string]bool // the names that it may define
}

// holeAt returns the hole for the statement around an offset: all of the lines that the
// statement has a part of. toks are the tokens of the piece.
func (f *File) holeAt(p piece, toks []tok, off int) (h hole, ok bool) {
	if len(toks) == 0 {
		return h, false
	}
	line := f.lineIndex(min(max(off, p.from), p.to-1))
	for line > 0 && f.lines[line] > p.from && !hasToken(f, toks, line) { // the parser points behind the line
		line--
	}
	lo := slices.IndexFunc(toks, func(t tok) bool { return f.lineIndex(t.off) == line })
	if lo < 0 {
		return h, false
	}
	for lo > 0 && (continues(toks[lo-1], toks[lo]) || leads(toks[lo]) && toks[lo-1].lit == "\n") {
		prev := f.lineIndex(toks[lo-1].off)
		for lo > 0 && f.lineIndex(toks[lo-1].off) == prev {
			lo--
		}
	}
	hi := lo
	for hi < len(toks) && f.lineIndex(toks[hi].off) <= line {
		hi++
	}
	hi = f.closing(toks, lo, hi)
	h = hole{from: f.lines[f.lineIndex(toks[lo].off)], to: f.lineEnd(toks[hi-1].end()), piece: p, defines: defined(toks[lo:hi])}
	return h, h.from >= p.from && h.to <= p.to
}

func hasToken(f *File, toks []tok, line int) bool {
	return slices.ContainsFunc(toks, func(t tok) bool { return f.lineIndex(t.off) == line })
}

// continues reports whether a statement goes on from prev, the last token of a line, to
// the next line.
func continues(prev, next tok) bool {
	switch prev.tok {
	case token.SEMICOLON, token.LBRACE, token.RBRACE, token.COLON:
		return false
	}
	return next.tok != token.FUNC
}

// leads reports whether a line that begins with t was meant to go on with the statement
// before it.
func leads(t tok) bool { return t.tok.IsOperator() && t.tok.Precedence() > 0 || t.tok == token.PERIOD }

// closing returns the end of a statement whose first lines are toks[lo:hi]: behind the
// line that closes its brackets. If another statement begins before, the bracket is one
// that is never closed, and the end remains where it is.
func (f *File) closing(toks []tok, lo, hi int) int {
	depth := 0
	for _, t := range toks[lo:hi] {
		depth += nesting(t.tok)
	}
	for end := hi; depth > 0 && end < len(toks); {
		if begins(toks[end:]) {
			return hi
		}
		line := f.lineIndex(toks[end].off)
		for end < len(toks) && f.lineIndex(toks[end].off) == line {
			depth += nesting(toks[end].tok)
			end++
		}
		if depth <= 0 {
			return end
		}
	}
	return hi
}

func nesting(t token.Token) int {
	switch t {
	case token.LPAREN, token.LBRACK:
		return 1
	case token.RPAREN, token.RBRACK:
		return -1
	}
	return 0
}

// begins reports whether a line begins a statement of its own.
func begins(line []tok) bool {
	switch line[0].tok {
	case token.IF, token.FOR, token.SWITCH, token.RETURN, token.VAR, token.CONST, token.TYPE, token.FUNC, token.BREAK, token.CONTINUE, token.RBRACE, token.CASE, token.DEFAULT:
		return true
	}
	for _, t := range line[:min(len(line), 8)] {
		switch t.tok {
		case token.DEFINE, token.ASSIGN, token.ADD_ASSIGN, token.SUB_ASSIGN, token.MUL_ASSIGN, token.QUO_ASSIGN:
			return true
		case token.SEMICOLON:
			return false
		}
	}
	return false
}

// defined returns the names that a statement may define.
func defined(toks []tok) map[string]bool {
	names := map[string]bool{}
	for i, t := range toks {
		switch t.tok {
		case token.DEFINE, token.ASSIGN:
			for j := i - 1; j >= 0 && (toks[j].tok == token.IDENT || toks[j].tok == token.COMMA); j-- {
				names[toks[j].lit] = true
			}
		case token.VAR, token.CONST:
			for j := i + 1; j < len(toks) && (toks[j].tok == token.IDENT || toks[j].tok == token.COMMA); j++ {
				names[toks[j].lit] = true
			}
		}
	}
	return names
}

// lineEnd returns the offset of the end of the line that the offset is on.
func (f *File) lineEnd(off int) int {
	i := f.lineIndex(max(0, off-1))
	if i+1 < len(f.lines) {
		return f.lines[i+1] - 1
	}
	return len(f.text)
}

// filler returns the text that replaces a hole when the rest is parsed; toks are the tokens
// in the hole. It has the length of the hole, and as many opening and closing braces: for
// the header of a loop, a loop without a condition. It reports false if there is no such text.
func (f *File) filler(h hole, toks []tok) (string, bool) {
	open, shut, parens := 0, 0, 0
	for _, t := range toks {
		switch t.tok {
		case token.LBRACE:
			open++
		case token.RBRACE:
			if open > 0 {
				open--
			} else {
				shut++
			}
		}
		parens += nesting(t.tok)
	}
	first := toks[0].tok
	if open == 0 && shut == 0 && (first == token.IF || first == token.FOR || first == token.SWITCH) &&
		strings.HasSuffix(strings.TrimRight(f.text[h.from:h.to], " \t\r"), "{") {
		open = 1 // the brace is in a comment, as in `if a // 2 == 0 {`
	}
	has := func(k token.Token) bool { return slices.ContainsFunc(toks, func(t tok) bool { return t.tok == k }) }
	text := ""
	switch {
	case open > 1 || shut > 1 || open+shut > 0 && parens > 0:
		return "", false
	case shut == 1 && open == 1 && has(token.ELSE) && has(token.IF):
		text = "} else if _ {"
	case shut == 1 && open == 1 && has(token.ELSE):
		text = "} else {"
	case shut == 1 && open == 1:
		text = "};{"
	case shut == 1:
		text = "}"
	case open == 1 && first == token.FUNC:
		text = "func _(){"
	case open == 1 && first == token.IF:
		text = "if _ {"
	case open == 1 && first == token.SWITCH:
		text = "switch _ {"
	case open == 1 && (first == token.FOR || first == token.IDENT && loopWords[toks[0].lit]):
		text = "for {"
	case open == 1 && (first == token.VAR || first == token.CONST || first == token.TYPE || has(token.FUNC) || has(token.STRUCT)):
		return "", false
	case open == 1:
		text = "{"
	case first == token.CASE || first == token.DEFAULT:
		text = "case _:"
	}
	pad := h.to - h.from - len(text)
	if pad < 0 {
		return "", false
	}
	return text + spaces(pad), true
}

// loopWords begin loops in other languages.
var loopWords = map[string]bool{"while": true, "foreach": true, "until": true, "loop": true, "parallel": true}

func spaces(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = ' '
	}
	return string(b)
}

// unclosed returns the opening braces of a piece that are never closed. If the braces alone
// decided, these would be the outermost. So it goes by the indentation first: a closing
// brace does not belong to an opening brace on a line that is indented further.
func (f *File) unclosed(toks []tok) []tok {
	missing := 0
	for _, t := range toks {
		switch t.tok {
		case token.LBRACE:
			missing++
		case token.RBRACE:
			missing--
		}
	}
	if missing <= 0 {
		return nil
	}
	for _, byIndent := range []bool{true, false} {
		if open := f.unmatched(toks, byIndent); len(open) == missing {
			return open
		}
	}
	return nil
}

// unmatched returns the opening braces that no closing brace belongs to, by the indentation
// or by the order of the braces alone.
func (f *File) unmatched(toks []tok, byIndent bool) (open []tok) {
	var stack []tok
	for i, t := range toks {
		switch t.tok {
		case token.LBRACE:
			stack = append(stack, t)
		case token.RBRACE:
			first := i == 0 || f.lineIndex(toks[i-1].off) != f.lineIndex(t.off)
			for byIndent && first && len(stack) > 1 && f.indent(t.off) < f.indent(stack[len(stack)-1].off) {
				open = append(open, stack[len(stack)-1])
				stack = stack[:len(stack)-1]
			}
			if len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
		}
	}
	return append(open, stack...)
}

// indent returns how far the line of an offset is indented.
func (f *File) indent(off int) int {
	line := f.text[f.lines[f.lineIndex(off)]:]
	return len(line) - len(strings.TrimLeft(line, " \t"))
}
