package syntax

import (
	"go/token"
	"regexp"
	"strings"
)

// slips finds the mistakes that people bring from other languages and that
// go/parser would report in puzzling words. failed has the lines that the parser
// complained about; slips that are legal elsewhere are looked for only there.
func (f *File) slips(all []tok, failed map[int]bool) ErrorList {
	var out ErrorList
	var toks []tok // without comments
	for i, t := range all {
		if t.tok == token.COMMENT {
			line := f.lineIndex(t.off)
			if (failed[line] || failed[line+1]) && f.cutsOff(all[:i], t) {
				out = append(out, CommentSlip.at(f, t.off))
			}
			continue
		}
		toks = append(toks, t)
	}
	last := -1
	for i, t := range toks {
		line := f.lineIndex(t.off)
		if line == last || len(out) >= maxErrors {
			continue // one slip per line
		}
		if e := f.slipAt(toks, i, t, failed); e != nil {
			out = append(out, e)
			last = line
		}
	}
	return onePerLine(out)
}

func onePerLine(l ErrorList) ErrorList {
	var out ErrorList
	last := -1
	for _, e := range l.Sort() {
		if e.Pos.Line != last {
			out = append(out, e)
		}
		last = e.Pos.Line
	}
	return out
}

// slipAt recognises a slip at token i.
func (f *File) slipAt(toks []tok, i int, t tok, failed map[int]bool) *Error {
	var prev tok
	if i > 0 {
		prev = toks[i-1]
	}
	switch t.tok {
	case token.ILLEGAL:
		switch t.lit {
		case "@":
			if f.leadsLine(t.off) {
				return DecoratorSlip.at(f, t.off)
			}
			return AtSlip.at(f, t.off)
		case "?":
			return TernarySlip.at(f, t.off)
		}
	case token.SELECT:
		if i+1 < len(toks) && toks[i+1].tok == token.LPAREN {
			return SelectSlip.at(f, t.off)
		}
	case token.INC, token.DEC:
		if i+1 < len(toks) && toks[i+1].tok != token.SEMICOLON && toks[i+1].tok != token.LBRACE && toks[i+1].tok != token.RBRACE && failed[f.lineIndex(t.off)] && !f.inHeader(t.off) {
			return StepSlip.at(f, t.off)
		}
	case token.ADD_ASSIGN, token.SUB_ASSIGN, token.MUL_ASSIGN, token.QUO_ASSIGN:
		if failed[f.lineIndex(t.off)] && f.assignedBefore(toks[:i]) {
			return UpdateSlip.at(f, t.off)
		}
	case token.IF:
		if endsOperand(prev.tok) {
			return IfElseSlip.at(f, t.off)
		}
	case token.FOR:
		if n := rangeVars(toks[i+1:]); n > 2 {
			return ThreeVarsSlip.at(f, toks[i+5].off)
		}
	case token.LBRACK:
		generic := prev.tok == token.IDENT && (prev.lit == "field" || prev.lit == "array" ||
			i > 1 && (toks[i-2].tok == token.FUNC || toks[i-2].tok == token.RPAREN || toks[i-2].tok == token.TYPE))
		if endsOperand(prev.tok) && !generic && failed[f.lineIndex(t.off)] {
			if j := commaWithin(toks[i+1:]); j >= 0 {
				return CommaIndexSlip.at(f, toks[i+1+j].off)
			}
		}
	case token.LBRACE:
		if endsOperand(prev.tok) && prev.end() == t.off && failed[f.lineIndex(t.off)] && f.inHeader(t.off) {
			return HeaderSlip.at(f, prev.off)
		}
	case token.QUO, token.REM, token.LAND, token.LOR, token.EQL, token.NEQ, token.LSS, token.LEQ,
		token.GTR, token.GEQ, token.OR, token.SHL, token.SHR, token.AND_NOT, token.PERIOD:
		if prev.tok == token.SEMICOLON && prev.lit == "\n" {
			return OperatorSlip.at(f, t.off)
		}
	}
	return nil
}

// endsOperand reports whether an expression can end in t.
func endsOperand(t token.Token) bool {
	switch t {
	case token.IDENT, token.INT, token.FLOAT, token.RPAREN, token.RBRACK:
		return true
	}
	return false
}

// rangeVars counts the names of `a, b, c := range`, 0 if that is not what follows.
func rangeVars(toks []tok) int {
	for i := 0; i+2 < len(toks); i += 2 {
		if toks[i].tok != token.IDENT {
			return 0
		}
		switch next := toks[i+1].tok; {
		case next == token.COMMA:
		case (next == token.DEFINE || next == token.ASSIGN) && toks[i+2].tok == token.RANGE:
			return i/2 + 1
		default:
			return 0
		}
	}
	return 0
}

// commaWithin returns the index of a comma directly within the bracket that was
// just opened, -1 if there is none.
func commaWithin(toks []tok) int {
	depth := 0
	for i, t := range toks {
		switch t.tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth--
			if depth < 0 {
				return -1
			}
		case token.SEMICOLON:
			return -1
		case token.COMMA:
			if depth == 0 {
				return i
			}
		}
	}
	return -1
}

// leadsLine reports whether nothing but space stands before an offset on its line.
func (f *File) leadsLine(off int) bool {
	return strings.TrimSpace(f.text[f.lines[f.lineIndex(off)]:off]) == ""
}

// assignedBefore reports whether the statement that ends the tokens has an assignment, or
// an open parenthesis.
func (f *File) assignedBefore(toks []tok) bool {
	for i := len(toks) - 1; i >= 0; i-- {
		switch toks[i].tok {
		case token.SEMICOLON, token.LBRACE, token.RBRACE:
			return false
		case token.ASSIGN, token.DEFINE, token.ADD_ASSIGN, token.SUB_ASSIGN, token.MUL_ASSIGN, token.QUO_ASSIGN, token.LPAREN, token.RETURN:
			return true
		}
	}
	return false
}

// inHeader reports whether the line of off starts with if, for, switch or } else if.
func (f *File) inHeader(off int) bool {
	line := f.text[f.lines[f.lineIndex(off)]:off]
	line = strings.TrimLeft(line, " \t")
	for _, k := range []string{"if ", "for ", "switch ", "} else if "} {
		if strings.HasPrefix(line, k) {
			return true
		}
	}
	return false
}

// cutsOff reports whether a comment hides the rest of an unfinished expression:
// `(a // 2)`, `if a // 2 == 0 {`.
func (f *File) cutsOff(before []tok, comment tok) bool {
	if !strings.HasPrefix(comment.lit, "//") || len(before) == 0 {
		return false
	}
	line := f.lineIndex(comment.off)
	depth, header, operand := 0, false, false
	for i := len(before) - 1; i >= 0 && f.lineIndex(before[i].off) == line; i-- {
		t := before[i]
		if i == len(before)-1 || before[i+1].lit == "\n" {
			operand = operand || endsOperand(t.tok)
		}
		switch t.tok {
		case token.LPAREN, token.LBRACK:
			depth++
		case token.RPAREN, token.RBRACK:
			depth--
		case token.IF, token.FOR, token.SWITCH:
			header = true
		case token.LBRACE:
			return false
		}
	}
	return operand && (depth > 0 || header)
}

// A slip is a mistake with a fixed message.
type slip struct {
	code      Code
	msg, help string
}

func (s slip) at(f *File, off int) *Error { return f.errorAt(s.code, off, s.help, "%s", s.msg) }

// At makes the slip's error at p; the checker uses it for the forms that parse.
func (s slip) At(f *File, p token.Pos) *Error { return f.Errorf(s.code, p, s.help, "%s", s.msg) }

// The slips, shared between parser and checker, since some forms parse as Go.
var (
	CommaIndexSlip = slip{CommaIndex, "indices are not separated by commas",
		"give each index brackets of its own, x[i][j], or index with a vector, x[ivec2(i, j)]"}
	PowerSlip    = slip{PowerOperator, "there is no operator **", "write pow(a, b), or sqr(a) for a square"}
	CommentSlip  = slip{FloorDivision, "// begins a comment, so the rest of this line is not part of the expression", "write floorDiv(a, b) for a division that rounds down; / of integers truncates"}
	AtSlip       = slip{AtOperator, "there is no operator @", "* with a matrix operand is the matrix product: a * b"}
	TernarySlip  = slip{Ternary, "there is no operator ?:", "write ifelse(c, a, b), which evaluates both a and b, or an if statement"}
	IfElseSlip   = slip{IfElse, "if is not part of an expression", "write ifelse(c, a, b) for `a if c else b`, or an if statement"}
	OperatorSlip = slip{LeadingOperator, "this line starts with an operator, but the statement before it has ended already",
		"put the operator at the end of the line before"}
	ThreeVarsSlip = slip{ThreeRangeVars, "range gives at most two variables",
		"use one variable for the grouped index, `for p := range x`, and p.x, p.y, p.z; or `i, j, k := p` in the body"}
	DecoratorSlip = slip{AtOperator, "there are no decorators", "an exported func is a kernel, others are device functions: func Step(dt f32) { … }"}
	SelectSlip    = slip{BadSyntax, "select is a keyword of Go, and no function", "write ifelse(c, a, b)"}
	StepSlip      = slip{BadSyntax, "++ and -- are statements, not part of an expression", "write x++ on a line of its own"}
	UpdateSlip    = slip{BadSyntax, "an assignment is a statement, not part of an expression", "write x += v on a line of its own"}
	HeaderSlip    = slip{HeaderLiteral, "a composite literal in the header of a statement is taken for its body",
		"put parentheses around it, or write vec2(1, 2) for vec2{1, 2}"}
)

var (
	reUnexpected = regexp.MustCompile(`^expected ([^,]+), found (.+)$`)
	reIllegal    = regexp.MustCompile(`^illegal character U\+[0-9A-F]+ (.*)$`)
)

// foreign are words of other languages that users try, and what to write.
var foreign = map[string]string{
	"while": "write `for cond { … }`",
	"def":   "write `func name(a f32) f32 { … }`",
	"fn":    "write `func name(a f32) f32 { … }`",
	"let":   "write `x := value`",
	"and":   "write && for and",
	"or":    "write || for or",
	"not":   "write ! for not",
	"elif":  "write `} else if cond {`",
	"in":    "write `for i := range n { … }`",
	"int":   "write `x := 0` or `var x i32`",
	"float": "write `x := 0.0` or `var x f32`",
}

// foreignHelp returns the help for a line that is written in the form of another language,
// "" if it has no form that is known.
func foreignHelp(line string) string {
	for _, r := range foreignLines {
		if r.re.MatchString(line) {
			return r.help
		}
	}
	for word := range strings.FieldsSeq(line) {
		if h, ok := foreign[strings.Trim(word, "(:")]; ok {
			return h
		}
	}
	return ""
}

// foreignLines are forms of other languages, with the help that says what to write.
var foreignLines = []struct {
	re   *regexp.Regexp
	help string
}{
	{regexp.MustCompile(`^\s*for\s*\((int|uint|auto|let|var|i32)?\s*\w+\s*=`), "write `for i := range n { … }`, or `for i := 0; i < n; i++ { … }`"},
	{regexp.MustCompile(`\bfor\s+\w+(\s*,\s*\w+)*\s+in\b`), "write `for i := range n { … }`"},
	{regexp.MustCompile(`^\s*(else\s*if|elseif|elsif|elif)\b`), "write `} else if cond {`, with the brace on the same line"},
	{regexp.MustCompile(`^\s*else\b`), "write `} else {`, with the brace on the same line"},
	{regexp.MustCompile(`^\s*(if|for|while|def|func)\b[^{]*:\s*(#.*)?$`), "blocks stand in braces: if cond { … }"},
	{regexp.MustCompile(`^\s*(print|printf)\s+["\w]`), "write print(a, b), with parentheses"},
	{regexp.MustCompile(`\b[0-9]+\.[0-9]*f\b|\b[0-9]+(u|U|l|L)\b`), "a number has no suffix: 0.5 takes the type that is needed, f32(0.5) has one"},
	{regexp.MustCompile(`(===|!==|<>)`), "write == and !="},
	{regexp.MustCompile(`^\s*#\s*(define|include|pragma|if)`), "there is no preprocessor: write const N = 3; there is nothing to include"},
	{regexp.MustCompile(`#`), "a comment begins with //"},
	{regexp.MustCompile(`(->|=>)`), "write the type of the result behind the parentheses: func f(a f32) f32 { … }"},
	{regexp.MustCompile(`\bfunc\b.*\w\s*:\s*\w`), "write a type behind its name: func f(a f32) f32 { … }"},
	{regexp.MustCompile(`^\s*(vec[234]|ivec[234]|uvec[234]|mat[234]|float[234]|int[234]|double|bool|u?int(8|16|32|64)?|float|f32|f64|i32|u32|auto|var|let)\s+\w+\s*=`), "write `x := value`, or with a type `var x i32`"},
	{regexp.MustCompile(`\blambda\b`), "write a function literal: func(x f32) f32 { return 2 * x }"},
	{regexp.MustCompile(`\bdo\b\s*\{`), "write `for { … if cond { break } }`"},
}

// plain words a message of go/parser.
func (f *File) plain(off int, msg string) *Error {
	help := foreignHelp(f.lineAt(off))
	if strings.HasPrefix(msg, "exceeded max nesting") {
		return f.tooDeep(off)
	}
	if lacksBound(msg) {
		return f.errorAt(NoParts, off, "write v[0:n:2] for every second of n; only the start may be left out: v[:n:2]", "a part with a step lacks its end or the step")
	}
	if m := reIllegal.FindStringSubmatch(msg); m != nil {
		return f.errorAt(BadSyntax, off, help, "the character %s has no meaning here", m[1])
	}
	if m := reUnexpected.FindStringSubmatch(msg); m != nil {
		want, got := tokenWords(m[1]), tokenWords(m[2])
		switch {
		case want == "the end of the statement":
			return f.errorAt(BadSyntax, off, help, "found %s, where a statement has ended; each stands on a line of its own", got)
		case strings.HasPrefix(msg, "expected 'package'"):
			return f.errorAt(BadSyntax, off, "begin with a package clause: package name", "the source has no package clause: found %s", got)
		}
		return f.errorAt(BadSyntax, off, help, "expected %s, found %s", want, got)
	}
	return f.errorAt(BadSyntax, off, help, "%s", msg)
}

// tokenWords names a token of a parser message for a person.
func tokenWords(s string) string {
	switch s {
	case "';'":
		return "the end of the statement"
	case "newline":
		return "the end of the line"
	case "'EOF'":
		return "the end of the source"
	case "operand":
		return "a value"
	case "'ILLEGAL'":
		return "a character without meaning"
	}
	return s
}
