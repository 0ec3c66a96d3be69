package syntax

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
	"strings"
)

const parserMode = parser.ParseComments | parser.SkipObjectResolution | parser.AllErrors

// clause, put before a piece without a package clause, makes it a source.
const clause = "package _;"

// A repair finds all errors of a source that does not parse, and leaves out the parts that
// have them, so that the rest can be checked. It parses each declaration by itself. As long
// as there is an error, it leaves out the statement around the first and parses again:
// later errors of the same parse are often only consequences of the first.
type repair struct {
	f    *File
	out  ErrorList
	text []byte // what remains to be parsed, as long as the source
	work int    // bytes parsed so far
}

const (
	maxRepairWork  = 40 // how often the length of the source is parsed in all, at most
	maxRepairHoles = 50 // statements that are left out of one declaration, at most
)

// repair returns the errors of a source that does not parse. What it leaves out is in
// f.holes, and what remains in f.Tree, nil if that is nothing.
func (f *File) repair() ErrorList {
	r := &repair{f: f, text: []byte(f.text)}
	list := f.pieces(withoutComments(tokens(f.text)))
	for _, p := range list {
		r.piece(p)
	}
	text := string(r.text)
	if f.noPackage {
		text = clause + text
		f.shift = len(clause)
	}
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, f.Name, text, parserMode)
	if len(otherThanParts(err)) > 0 || len(r.out) == 0 { // the repair has failed: report the errors of the whole
		_, err := parser.ParseFile(token.NewFileSet(), f.Name, f.text, parserMode)
		return f.translate(err)
	}
	f.Tree, f.tok = tree, fset.File(tree.FileStart)
	if err := f.checkDepth(); err != nil {
		f.Tree = nil
	}
	return r.out.Sort()
}

func withoutComments(all []tok) []tok {
	var toks []tok
	for _, t := range all {
		if t.tok != token.COMMENT {
			toks = append(toks, t)
		}
	}
	return toks
}

// piece reports the errors of a declaration and leaves out the statements that have
// them, or the whole of it.
func (r *repair) piece(p piece) {
	f := r.f
	before := len(r.out)
	if !r.closeBraces(p) {
		r.drop(p)
		return
	}
	for range maxRepairHoles {
		list, shift := r.parse(p)
		if len(list) == 0 {
			return
		}
		if r.work > maxRepairWork*len(f.text) || len(r.out) >= maxErrors {
			break
		}
		all := f.tokensOf(r.text, p)
		first := max(p.from, min(list[0].Pos.Offset-shift, p.to))
		offs := r.slips(all, first)
		if line := f.lineIndex(first); !near(f, offs, line) {
			if !f.reported(r.out[before:], line) {
				r.out = append(r.out, f.plain(first, list[0].Msg))
			}
			offs = append(offs, first)
		}
		for _, off := range offs {
			if !r.leaveOut(p, withoutComments(all), off) {
				r.rest(p, list[1:], shift, before)
				return
			}
		}
	}
	r.drop(p)
}

// closeBraces reports braces of a piece that are never closed, and closes them in the
// space behind it. It reports false if there is too little.
func (r *repair) closeBraces(p piece) bool {
	f := r.f
	open := f.unclosed(withoutComments(f.tokensOf(r.text, p)))
	if len(open) == 0 {
		return true
	}
	for _, t := range open {
		r.out = append(r.out, f.errorAt(BadSyntax, t.off, "end the block with a } on a line of its own", "the brace { is never closed"))
	}
	end := len(strings.TrimRight(string(r.text[p.from:p.to]), " \t\r\n")) + p.from
	if p.to-end < len(open)+1 && p.to < len(r.text) || p.to-end < len(open) {
		return false
	}
	for i, t := range open {
		r.text[end+i] = '}'
		f.holes = append(f.holes, hole{from: t.off, to: t.off + 1, piece: p}) // where it ends is not known
	}
	return true
}

// parse parses a piece. shift is what to subtract from the offsets of the errors. It
// reports parts that lack a bound, and does not return their errors.
func (r *repair) parse(p piece) (list scanner.ErrorList, shift int) {
	text := string(r.text[p.from:p.to])
	if p.kind != token.PACKAGE {
		text = clause + text
		shift = len(clause)
	}
	r.work += len(text)
	_, err := parser.ParseFile(token.NewFileSet(), "", text, parserMode)
	errors.As(err, &list)
	shift -= p.from
	for _, e := range list {
		off := e.Pos.Offset - shift
		if lacksBound(e.Msg) && !r.f.reported(r.out, r.f.lineIndex(off)) {
			r.out = append(r.out, r.f.plain(off, e.Msg))
		}
	}
	return otherThanParts(err), shift
}

// otherThanParts returns the parser's errors but for those of parts that lack a bound, such
// as v[::2]. These need not be left out: the tree has them, with a bad expression for the
// bound, and the checker knows everything but the type of the part.
func otherThanParts(err error) scanner.ErrorList {
	var list scanner.ErrorList
	if errors.As(err, &list) {
		list = slices.DeleteFunc(slices.Clone(list), func(e *scanner.Error) bool { return lacksBound(e.Msg) })
	}
	return list
}

// lacksBound reports whether a message of the parser is about a part that lacks a bound.
func lacksBound(msg string) bool { return strings.HasSuffix(msg, "index required in 3-index slice") }

// slips reports slips of a piece, given an error of the parser, and returns where they
// are.
func (r *repair) slips(all []tok, off int) (offs []int) {
	f := r.f
	for _, e := range f.slips(all, map[int]bool{f.lineIndex(off): true}) {
		r.out = append(r.out, e)
		offs = append(offs, e.Pos.Offset-f.base.Offset)
	}
	return offs
}

// near reports whether one of the offsets is on a line, or on the one before: the parser
// often notices an unfinished statement on the next line only.
func near(f *File, offs []int, line int) bool {
	for _, off := range offs {
		if i := f.lineIndex(off); i == line || i+1 == line {
			return true
		}
	}
	return false
}

// reported reports whether an error has been found on a line.
func (f *File) reported(list ErrorList, line int) bool {
	for _, e := range list {
		if f.lineIndex(e.Pos.Offset-f.base.Offset) == line {
			return true
		}
	}
	return false
}

// leaveOut leaves out the statement around an offset. It reports false if the statement is
// left out already, or cannot be left out.
func (r *repair) leaveOut(p piece, toks []tok, off int) bool {
	f := r.f
	if p.kind != token.FUNC && p.kind != token.VAR {
		return false // without a constant or member others would be wrong
	}
	h, ok := f.holeAt(p, toks, off)
	if !ok {
		return false
	}
	var inside []tok
	for _, t := range toks {
		if t.off >= h.from && t.off < h.to && t.lit != "\n" {
			inside = append(inside, t)
		}
	}
	if len(inside) == 0 {
		return false
	}
	text, ok := f.filler(h, inside)
	if !ok || text == string(r.text[h.from:h.to]) {
		return false
	}
	copy(r.text[h.from:], text)
	f.holes = append(f.holes, h)
	return true
}

// rest drops a piece. Of its further errors, list, it reports those on lines that have no
// error yet.
func (r *repair) rest(p piece, list scanner.ErrorList, shift, before int) {
	f := r.f
	for _, e := range list {
		off := max(p.from, min(e.Pos.Offset-shift, p.to))
		line := f.lineIndex(off)
		echo := strings.HasSuffix(e.Msg, "found 'EOF'") || strings.HasPrefix(e.Msg, "expected declaration")
		if echo || f.reported(r.out[before:], line) || f.reported(r.out[before:], line-1) || len(r.out) >= maxErrors {
			continue
		}
		r.out = append(r.out, f.plain(off, e.Msg))
	}
	r.drop(p)
}

// drop leaves out a whole piece.
func (r *repair) drop(p piece) {
	f := r.f
	for i := p.from; i < p.to; i++ {
		if r.text[i] != '\n' {
			r.text[i] = ' '
		}
	}
	if p.kind == token.PACKAGE {
		f.noPackage = true
	}
	f.holes = append(f.holes, hole{from: p.from, to: p.to, piece: p})
}

// tokensOf returns the tokens of a piece in a text, with their offsets in the source.
func (f *File) tokensOf(text []byte, p piece) []tok {
	all := tokens(string(text[p.from:p.to]))
	for i := range all {
		all[i].off += p.from
	}
	return all
}

// Partial reports whether the tree lacks parts of the source that do not parse.
func (f *File) Partial() bool { return len(f.holes) > 0 }

// LeftOut reports whether p is in a part of the source that the tree lacks.
func (f *File) LeftOut(p token.Pos) bool {
	return len(f.holes) > 0 && f.LeftOutWithin(p, p+1)
}

// LeftOutWithin reports whether the tree lacks something between two positions.
func (f *File) LeftOutWithin(from, to token.Pos) bool {
	for _, h := range f.holes {
		if f.offset(from) < h.to && f.offset(to) > h.from {
			return true
		}
	}
	return false
}

// HasPackage reports whether the source has a package clause.
func (f *File) HasPackage() bool { return !f.noPackage }

// NamesLeftOut returns the names that occur in the parts that the tree lacks.
func (f *File) NamesLeftOut() map[string]bool {
	names := map[string]bool{}
	for _, h := range f.holes {
		for _, t := range tokens(f.text[h.from:h.to]) {
			if t.tok == token.IDENT {
				names[t.lit] = true
			}
		}
	}
	return names
}

// DefinedInHole reports whether id may be defined in a part that the tree lacks: one in the
// same declaration that begins before id.
func (f *File) DefinedInHole(id *ast.Ident) bool {
	off := f.offset(id.Pos())
	for _, h := range f.holes {
		if h.defines[id.Name] && h.from <= off && off < h.piece.to {
			return true
		}
	}
	return false
}
