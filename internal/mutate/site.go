package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A site is a place in the source with something else that may stand there.
type site struct {
	number   int
	file     string
	unit     string // what it is a mutant of: a function, or a rule of one
	from, to int    // of what is replaced, in bytes
	old, new string // its text and that of the other
	mutation mutation
	kind     string // of an expression: "" of type bool; else the type that picks one, "_" if it is inferred
	rank     int    // a higher one is a mutant that is noticed more easily
	line     int
	newLine  int // in the rewritten file
	lastLine int
}

// A mutation is how a mutant is built into the source.
type mutation int

const (
	expression mutation = iota
	swapped             // two arguments exchanged
	statement           // a statement that is left out
	shortcut            // a function that returns at once
	kernelText          // text in the kernel language, replaced when it is read
)

func (s *site) String() string {
	return fmt.Sprintf("%s:%d: %s: %s", shortName(s.file), s.line, s.unit, s.change())
}

// change is what the mutant does, in words that do not depend on where it stands.
func (s *site) change() string {
	switch s.mutation {
	case statement:
		return "without " + oneLine(s.old)
	case shortcut:
		return "returns at once"
	}
	return oneLine(s.old) + " → " + oneLine(strings.Replace(s.new, argumentMark, ", ", 1))
}

// key names the unit in the file of results.
func (s *site) key() string { return shortName(s.file) + " " + s.unit }

// shortName is the file with its directory.
func shortName(file string) string {
	return filepath.Base(filepath.Dir(file)) + "/" + filepath.Base(file)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// wrapped is the text that is one or the other. Both operands of a pick are
// evaluated, so that they must not call anything.
func (s *site) wrapped() string {
	switch s.mutation {
	case swapped:
		a, b, _ := strings.Cut(s.new, argumentMark)
		return fmt.Sprintf("mutantPick(%d, %s, %s), mutantPick(%[1]d, %[3]s, %[2]s)", s.number, b, a)
	case statement:
		return fmt.Sprintf("if !mutantOn(%d) { %s }", s.number, s.old)
	case shortcut:
		return fmt.Sprintf("if mutantOn(%d) { %s };", s.number, s.new)
	}
	switch s.kind {
	case "":
		return fmt.Sprintf("(mutantOn(%d) && (%s) || !mutantOn(%[1]d) && (%[3]s))", s.number, s.new, s.old)
	case "_":
		return fmt.Sprintf("mutantPick(%d, %s, %s)", s.number, s.old, s.new)
	}
	return fmt.Sprintf("mutantPick[%s](%d, %s, %s)", s.kind, s.number, s.old, s.new)
}

// tokens are the operators that take each other's place.
var tokens = map[token.Token]string{
	token.EQL: "!=", token.NEQ: "==", token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">",
	token.LAND: "||", token.LOR: "&&",
	token.ADD: "-", token.SUB: "+", token.MUL: "+", token.SHL: ">>", token.SHR: "<<", token.AND: "|", token.OR: "&",
}

// selectors are names behind a dot, and instructions of LLVM, that take each other's
// place.
var selectors = pairs(`add sub, mul add, mad mul, atMost atLeast, shl shr, and or, less greater, floor ceil,
	OpAdd OpSub, OpMul OpAdd, OpMin OpMax, OpAnd OpOr, OpShl OpShr, OpLt OpLe, OpGt OpGe, OpEq OpNe, OpDiv OpMul,
	OpFloor OpCeil, OpSqrt OpAbs, OpNeg OpNot, OpLoad OpStore, OpFor OpLoop, OpBreak OpContinue, OpXor OpOr, OpRem OpDiv,
	sin cos, tan atan, asin acos, sinh cosh, exp exp2, log log2, rsqrt cbrt, twoSum twoSumAny, eq ne, lt gt, isNaN not, abs neg, trunc sqrt`)

var mnemonics = pairs(`fadd fsub, add sub, fmul fadd, mul add, sdiv udiv, srem urem, fdiv fmul, ashr lshr, shl lshr, and or, xor or,
	sext zext, sitofp uitofp, fptosi fptoui, fpext fptrunc, slt sle, sgt sge, ult ule, ugt uge, eq ne, olt ole, ogt oge, oeq one, une oeq,
	smin smax, umin umax, minnum maxnum, floor ceil, trunc floor, roundeven trunc, sqrt fabs, fneg fabs, acq_rel monotonic,
	seq_cst monotonic, round trunc, ctpop bswap, uno ord, reassoc nnan, invariant nontemporal`)

func pairs(text string) map[string]string {
	m := map[string]string{}
	for p := range strings.SplitSeq(text, ",") {
		w := strings.Fields(p)
		for i, x := range w {
			if m[x] == "" {
				m[x] = w[1-i]
			}
		}
	}
	return m
}

func (p *source) text(n ast.Node) string {
	from, to := p.fset.Position(n.Pos()), p.fset.Position(n.End())
	return p.texts[from.Filename][from.Offset:to.Offset]
}

// mutate returns the mutant of an expression, nil if there is none.
func (p *source) mutate(e ast.Expr) *site {
	s := &site{old: p.text(e), kind: "_"}
	switch e := e.(type) {
	case *ast.BinaryExpr:
		if id, ok := e.Y.(*ast.Ident); ok && id.Name == "nil" {
			return nil // found by whatever comes by
		}
		op, ok := tokens[e.Op]
		if !ok || p.info.Types[e].Value != nil || p.isString(e) {
			return nil
		}
		s.new = p.text(e.X) + " " + op + " " + p.text(e.Y)
		if p.isBool(e) {
			s.kind = ""
		} else if calls(e) {
			return nil
		}
	case *ast.UnaryExpr:
		switch {
		case e.Op == token.NOT:
			s.kind, s.new = "", p.text(e.X)
		case e.Op == token.SUB && p.info.Types[e].Value == nil && !calls(e):
			s.new = p.text(e.X)
		default:
			return nil
		}
	case *ast.CallExpr: // a question asked
		if !p.isBool(e) {
			return nil
		}
		s.kind, s.new = "", "!"+s.old
	case *ast.Ident:
		switch e.Name {
		case "true":
			s.kind, s.new = "", "false"
		case "false":
			s.kind, s.new = "", "true"
		default:
			return nil
		}
	case *ast.SelectorExpr:
		other := selectors[e.Sel.Name]
		if other == "" || calls(e) {
			return nil
		}
		s.new = p.text(e.X) + "." + other
		if _, isVar := p.info.Uses[e.Sel].(*types.Var); isVar { // a field with the name of an operation
			return nil
		}
	case *ast.BasicLit:
		return p.literal(s, e)
	default:
		return nil
	}
	return s
}

func (p *source) literal(s *site, e *ast.BasicLit) *site {
	t, ok := p.info.Types[e].Type.(*types.Basic)
	if !ok || t.Info()&types.IsUntyped != 0 {
		return nil
	}
	switch {
	case e.Kind == token.INT:
		s.kind, s.new, s.rank = t.String(), s.old+"+1", plain
	case e.Kind == token.FLOAT:
		s.kind, s.new = t.String(), s.old+"*1.001"
	case e.Kind == token.STRING && strings.Contains(p.path, "codegen"):
		text, _ := strconv.Unquote(s.old)
		words := strings.FieldsFunc(text, func(r rune) bool { return !(r >= 'a' && r <= 'z' || r == '_') })
		for _, w := range words {
			if o := mnemonics[w]; o != "" && len(w) > 1 {
				s.kind, s.new = t.String(), strings.Replace(s.old, w, o, 1)
				return s
			}
		}
		return nil
	default:
		return nil
	}
	return s
}

func (p *source) isBool(e ast.Expr) bool   { return p.is(e, types.IsBoolean) }
func (p *source) isString(e ast.Expr) bool { return p.is(e, types.IsString) }

func (p *source) is(e ast.Expr, what types.BasicInfo) bool {
	t := p.info.Types[e].Type
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&what != 0
}

// harmless are the functions that may be called twice.
var harmless = []string{"len", "int", "int64", "uint64", "float64", "min", "max"}

// calls reports whether something is called in e that may do more than return a value.
func calls(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			id, ok := call.Fun.(*ast.Ident)
			found = found || !ok || !slices.Contains(harmless, id.Name)
		}
		return !found
	})
	return found
}
