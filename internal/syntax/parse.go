package syntax

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"strings"
	"unicode/utf8"
)

// A File is a parsed source file. Tree is what go/parser makes of it, comments
// included, objects not resolved.
type File struct {
	Name string
	Tree *ast.File

	// Library is the path of the library that the file belongs to, "" for a file of the source itself.
	Library string

	// Missing says why a library that the file imports was not found, by its path.
	Missing map[string]string

	text  string
	tok   *token.File
	base  token.Position
	lines []int

	shift     int    // what the offsets of tok are beyond those of text
	holes     []hole // the parts of the text that the tree lacks
	noPackage bool   // the package clause is missing, and the tree has another
}

// Limits on what is parsed: far beyond any program, and low enough that recursion
// over a tree cannot exhaust the stack.
const (
	maxBrackets = 500  // nested brackets and runs of prefix operators
	maxDepth    = 5000 // nodes of the tree below one another
	maxErrors   = 2000 // reported for one file
)

// Parse parses the text of one file. The name is used in positions. A base with a
// line says where in that file the text begins, for a raw string in a Go file (see
// [FindRaw]); the zero base is the beginning of the file.
//
// If the source has errors, Parse also returns a File with the parts that do parse, so
// that these can be checked for other mistakes; [File.Partial] is true then. The File is
// nil if nothing is left.
func Parse(name, text string, base token.Position) (*File, ErrorList) {
	f := newFile(name, text, base)
	if err := f.precheck(); err != nil {
		return nil, ErrorList{err}
	}
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, name, text, parserMode)
	if err != nil {
		errs := f.repair()
		if f.Tree == nil {
			return nil, errs
		}
		return f, errs
	}
	f.Tree = tree
	f.tok = fset.File(tree.FileStart)
	if err := f.checkDepth(); err != nil {
		return nil, ErrorList{err}
	}
	return f, nil
}

// newFile is a file that is not parsed yet.
func newFile(name, text string, base token.Position) *File {
	f := &File{Name: name, text: text, base: base, lines: []int{0}}
	for i := range len(text) {
		if text[i] == '\n' {
			f.lines = append(f.lines, i+1)
		}
	}
	return f
}

// Position returns where p is in the file that the user edits.
func (f *File) Position(p token.Pos) token.Position {
	if !p.IsValid() {
		return f.place(0)
	}
	return f.place(f.offset(p))
}

// Text returns the source text between two positions.
func (f *File) Text(from, to token.Pos) string {
	return f.text[f.offset(from):f.offset(to)]
}

// Line returns the text of the line that contains p.
func (f *File) Line(p token.Pos) string {
	if !p.IsValid() {
		return f.lineAt(0)
	}
	return f.lineAt(f.offset(p))
}

// offset returns the offset of p in the text.
func (f *File) offset(p token.Pos) int { return max(0, f.tok.Offset(p)-f.shift) }

// Errorf makes an error at p.
func (f *File) Errorf(code Code, p token.Pos, help, format string, args ...any) *Error {
	return &Error{Code: code, Pos: f.Position(p), Msg: fmt.Sprintf(format, args...), Help: help, Line: f.Line(p)}
}

// lineIndex returns the index in f.lines of the line that contains the offset.
func (f *File) lineIndex(off int) int {
	lo, hi := 0, len(f.lines)
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; f.lines[mid] <= off {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// place returns the position of an offset, as the user sees it.
func (f *File) place(off int) token.Position {
	i := f.lineIndex(off)
	p := token.Position{Filename: f.Name, Offset: off, Line: i + 1, Column: off - f.lines[i] + 1}
	if f.base.Line > 0 {
		if i == 0 {
			p.Column += f.base.Column - 1
		}
		p.Line += f.base.Line - 1
		p.Offset += f.base.Offset
	}
	return p
}

// lineAt returns the line that contains the offset. The first line of a raw string
// is indented to the column where it stands, so that the caret is right.
func (f *File) lineAt(off int) string {
	i := f.lineIndex(off)
	line := f.text[f.lines[i]:]
	if n := strings.IndexByte(line, '\n'); n >= 0 {
		line = line[:n]
	}
	if i == 0 && f.base.Line > 0 && line != "" {
		line = strings.Repeat(" ", max(0, f.base.Column-1)) + line
	}
	return strings.TrimRight(line, "\r")
}

// errorAt makes an error at an offset of the text.
func (f *File) errorAt(code Code, off int, help, format string, args ...any) *Error {
	return &Error{Code: code, Pos: f.place(off), Msg: fmt.Sprintf(format, args...), Help: help, Line: f.lineAt(off)}
}

// precheck finds what must not reach the parser: what is no text, nothing at all,
// and nesting that would exhaust the stack.
func (f *File) precheck() *Error {
	if strings.TrimSpace(f.text) == "" {
		return f.errorAt(Empty, 0, "begin with a package clause: package name", "the source is empty")
	}
	for i := 0; i < len(f.text); {
		r, n := rune(f.text[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(f.text[i:])
		}
		if r == 0 || r == utf8.RuneError && n == 1 {
			e := f.errorAt(NotText, i, "save the source as UTF-8 text", "byte %#02x is not text", f.text[i])
			e.Line = ""
			return e
		}
		i += n
	}
	depth, run := 0, 0
	for _, t := range tokens(f.text) {
		switch t.tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth++
			run = 0
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth--
			run = 0
		case token.SUB, token.ADD, token.NOT, token.XOR, token.MUL, token.AND, token.ARROW, token.TILDE,
			token.INC, token.DEC:
			run++
		default:
			run = 0
		}
		if depth > maxBrackets || run > maxBrackets {
			return f.tooDeep(t.off)
		}
	}
	return nil
}

func (f *File) tooDeep(off int) *Error {
	return f.errorAt(TooDeep, off, "split it up: name parts of it in statements or functions of their own",
		"this is nested too deeply to be compiled")
}

// checkDepth measures the tree: long chains such as a+a+… or else-ifs nest as well.
func (f *File) checkDepth() *Error {
	depth := 0
	var deepest ast.Node
	ast.Inspect(f.Tree, func(n ast.Node) bool {
		if n == nil {
			depth--
			return true
		}
		depth++
		if depth <= maxDepth {
			return true
		}
		if deepest == nil {
			deepest = n
		}
		depth-- // Inspect makes no call with nil for a node whose children it skips
		return false
	})
	if deepest != nil {
		return f.tooDeep(f.offset(deepest.Pos()))
	}
	return nil
}

// A tok is a token of the text with its offset.
type tok struct {
	tok token.Token
	off int
	lit string
}

func (t tok) end() int {
	if t.lit != "" && t.lit != "\n" {
		return t.off + len(t.lit)
	}
	return t.off + len(t.tok.String())
}

// tokens returns all tokens of a text, comments included. Illegal characters are
// tokens of kind ILLEGAL.
func tokens(text string) []tok {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), func(token.Position, string) {}, scanner.ScanComments)
	var list []tok
	for {
		p, t, lit := s.Scan()
		if t == token.EOF {
			return list
		}
		list = append(list, tok{t, file.Offset(p), lit})
	}
}

// FindRaw looks for a raw string literal with exactly this text in a Go file, and
// returns the position of its first character: the base to give to Parse. The
// first of several equal ones is taken.
func FindRaw(file, goSource, text string) (token.Position, bool) {
	f := newFile(file, goSource, token.Position{})
	for _, t := range tokens(goSource) {
		if t.tok == token.STRING && strings.HasPrefix(t.lit, "`") && strings.Trim(t.lit, "`") == text {
			return f.place(t.off + 1), true
		}
	}
	return token.Position{}, false
}

// translate puts the parser's errors into the user's words: slips with a message
// of their own first, then what the parser says elsewhere, without its echoes.
func (f *File) translate(err error) ErrorList {
	var list scanner.ErrorList
	if !errors.As(err, &list) {
		return ErrorList{f.errorAt(BadSyntax, 0, "", "the source cannot be parsed: %v", err)}
	}
	failed := map[int]bool{}
	for _, e := range list {
		failed[f.lineIndex(e.Pos.Offset)] = true
	}
	out := f.slips(tokens(f.text), failed)
	visited := map[int]bool{}
	for _, e := range out {
		i := f.lineIndex(e.Pos.Offset - f.base.Offset)
		visited[i] = true
		visited[i+1] = true // where the echo of an unfinished line is heard
	}
	for _, e := range list {
		i := f.lineIndex(e.Pos.Offset)
		echo := len(out) > 0 && (strings.HasSuffix(e.Msg, "found 'EOF'") || strings.HasPrefix(e.Msg, "expected declaration"))
		if visited[i] || echo || len(out) >= maxErrors {
			continue
		}
		visited[i] = true
		out = append(out, f.plain(e.Pos.Offset, e.Msg))
	}
	return out.Sort()
}

// LineAt returns the text of the line that a position is on, "" if it is not in f.
func (f *File) LineAt(p token.Position) string {
	i := p.Line - max(1, f.base.Line)
	if p.Filename != f.Name || i < 0 || i >= len(f.lines) {
		return ""
	}
	return f.lineAt(f.lines[i])
}
