package syntax

import (
	"go/token"
	"strings"
	"unicode/utf8"
)

// A Token is a word, number, text, operator or comment of a source.
type Token struct {
	Pos  token.Position
	Kind string // keyword, name, number, text, operator, comment or illegal
	Text string // as it stands in the source
}

// Tokens returns all tokens of a source in their order. Semicolons that the ends of lines
// stand for are none.
func Tokens(name, text string) (list []Token) {
	f := newFile(name, text, token.Position{})
	for _, t := range tokens(text) {
		if t.tok == token.SEMICOLON && t.lit == "\n" {
			continue
		}
		end := t.end()
		switch t.tok {
		case token.COMMENT, token.STRING: // carriage returns are not in what the scanner gives
			end = t.off + sourceLen(text[t.off:], t.lit)
		case token.ILLEGAL: // bytes that are no UTF-8 stand in what the scanner gives as a longer character
			_, n := utf8.DecodeRuneInString(text[t.off:])
			end = t.off + n
		}
		list = append(list, Token{f.place(t.off), kindOf(t.tok), text[t.off:min(end, len(text))]})
	}
	return list
}

// sourceLen returns how many bytes of a source the scanner's text of a token is, which has
// no carriage returns.
func sourceLen(source, lit string) int {
	n := 0
	for n < len(source) && lit != "" {
		if source[n] == lit[0] {
			lit = lit[1:]
		}
		n++
	}
	return n
}

// kindOf is what people call a token.
func kindOf(t token.Token) string {
	switch {
	case t.IsKeyword():
		return "keyword"
	case t.IsOperator():
		return "operator"
	}
	switch t {
	case token.IDENT:
		return "name"
	case token.INT, token.FLOAT, token.IMAG:
		return "number"
	case token.CHAR, token.STRING:
		return "text"
	case token.COMMENT:
		return "comment"
	}
	return strings.ToLower(t.String())
}
