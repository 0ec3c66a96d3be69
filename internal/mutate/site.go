package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"hash/fnv"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A site is an expression with another that may take its place.
type site struct {
	number         int
	file, function string
	from, to       int    // of the expression, in bytes
	old, new       string // its text and that of the other
	kind           string // "" of type bool; else the type that picks one, "_" if it is inferred
	line           int
	newLine        int // in the rewritten file
}

func (s *site) String() string {
	return fmt.Sprintf("%s:%d: %s: %s → %s", filepath.Base(filepath.Dir(s.file))+"/"+filepath.Base(s.file), s.line, s.function,
		oneLine(s.old), oneLine(s.new))
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// wrapped is the expression that is one or the other. Both operands of a pick are
// evaluated, so that they must not call anything.
func (s *site) wrapped() string {
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
	OpFloor OpCeil, OpSqrt OpAbs, OpNeg OpNot, OpLoad OpStore, OpFor OpLoop, OpBreak OpContinue, OpXor OpOr, OpRem OpDiv`)

var mnemonics = pairs(`fadd fsub, add sub, fmul fadd, mul add, sdiv udiv, srem urem, fdiv fmul, ashr lshr, shl lshr, and or, xor or,
	sext zext, sitofp uitofp, fptosi fptoui, fpext fptrunc, slt sle, sgt sge, ult ule, ugt uge, eq ne, olt ole, ogt oge, oeq one, une oeq,
	smin smax, umin umax, minnum maxnum, floor ceil, trunc floor, roundeven trunc, sqrt fabs, fneg fabs, acq_rel monotonic,
	seq_cst monotonic, exact nuw, inbounds nuw`)

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

// sites returns all mutants of a package, but for those in other declarations than
// functions and variables.
func (p *source) sites() []*site {
	var all []*site
	for i, f := range p.files {
		for _, d := range f.Decls {
			name := "var"
			switch d := d.(type) {
			case *ast.FuncDecl:
				name = d.Name.Name
			case *ast.GenDecl:
				if d.Tok != token.VAR {
					continue
				}
			}
			ast.Inspect(d, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.ArrayType: // its length must be constant
					return false
				case *ast.GenDecl:
					return n.Tok == token.VAR
				case *ast.CallExpr:
					if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "panic" {
						return false
					}
				case ast.Expr:
					if s := p.mutate(n); s != nil {
						s.file, s.function = p.names[i], name
						s.from, s.to = p.fset.Position(n.Pos()).Offset, p.fset.Position(n.End()).Offset
						s.line = p.fset.Position(n.Pos()).Line
						all = append(all, s)
					}
				}
				return true
			})
		}
	}
	return all
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
		s.kind, s.new = t.String(), s.old+"+1"
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

// A choice is a number of mutants of each function and file, at most, taken in an
// order that looks random and depends on nothing but the seed and the code.
type choice struct {
	perFunc, perFile int
	seed             uint64
}

func (c choice) choose(all []*site) []*site {
	rank := func(s *site) uint64 {
		h := fnv.New64a()
		fmt.Fprint(h, c.seed, filepath.Base(s.file), s.function, s.from, s.new)
		return h.Sum64()
	}
	slices.SortStableFunc(all, func(a, b *site) int { return cmp.Compare(rank(a), rank(b)) })
	inFunc, inFile := map[string]int{}, map[string]int{}
	var chosen []*site
	for _, s := range all {
		fn := s.file + s.function
		overlap := slices.ContainsFunc(chosen, func(o *site) bool { return o.file == s.file && o.from < s.to && s.from < o.to })
		if overlap || inFunc[fn] >= c.perFunc || inFile[s.file] >= c.perFile {
			continue
		}
		inFunc[fn]++
		inFile[s.file]++
		chosen = append(chosen, s)
	}
	slices.SortFunc(chosen, func(a, b *site) int { return cmp.Or(cmp.Compare(a.file, b.file), a.from-b.from) })
	return chosen
}
