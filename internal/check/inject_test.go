package check

import (
	"fmt"
	"go/ast"
	"go/token"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/syntax"
)

var injections = randtest.New("injections", "firstinjection", "sources with mistakes put into them", 30, 30)

// An injection is a mistake in a correct source: text replaces what is between two
// offsets. Its name occurs nowhere else.
type injection struct {
	from, to int
	text     string
	name     string
	syntax   bool   // is not Go, and is reported on its line
	replaced string // a name that lost a use
}

// injectedStatements are mistakes that stand on a line of their own in a function. # is a name.
var injectedStatements = []struct {
	text   string
	syntax bool
}{
	{"# = 1", false}, {"#()", false}, {"_ = sqrt(#, 1)", false}, {"_ = other#(#)", false}, {"var # f32 = true", false},
	{"_ = vec2(#) + 1", false}, {"# := 3", false}, {"_ = min(1, #.x)", false}, {"_ = [2]f32{1, #}", false},
	{"for range # {\n}", false}, {"if # {\n}", false}, {"switch # {\ncase 1:\n}", false}, {"// f(\nvar # i32 = 1.5", false},
	{"# @ 2", true}, {"x# := 1 ? 2 : 3", true}, {"# = = 1", true}, {"# b c", true}, {"_ = (# + 1", true}, {"_ = f(#, 1 2)", true},
	{"if # b {\n}", true}, {"for # in 3 {\n}", true}, {"while # < 3 {\nbreak\n}", true}, {"switch # b {\ncase 1:\n}", true},
	{"if true {\n} else if # b {\n}", true}, {"_ = [2]f32{1 2, #}", true}, {"_ = sqrt(1,\n# 2,\n3)", true},
}

// injectedDeclarations are mistakes at package level.
var injectedDeclarations = []struct {
	text   string
	syntax bool
}{
	{"const c# = #", false}, {"var # = 3", false}, {"func f#() f32 { return # }", false}, {"func f#(a #) {}", false},
	{"type t# struct { x # }", false}, {"//ti:#", false}, {"func (x #) f() {}", false}, {"var v# field[#]", false},
	{"const # = 1 2", true}, {"func #(a f32 b f32) {}", true}, {"type # struct { a b c }", true}, {"var # field[f32", true}, {"func #( {\n}", true},
}

// inject makes up a mistake at a random place of a source.
func inject(r *rand.Rand, f *syntax.File, text string, name string) (in injection, ok bool) {
	in.name = name
	var blocks, uses []ast.Node
	ast.Inspect(f.Tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			if len(n.List) == 0 || !isClause(n.List[0]) {
				blocks = append(blocks, n)
			}
		case *ast.BinaryExpr:
			for _, e := range []ast.Expr{n.X, n.Y} {
				if id, ok := e.(*ast.Ident); ok && id.Name != "_" {
					uses = append(uses, id)
				}
			}
		}
		return true
	})
	fill := func(s string) string { return strings.ReplaceAll(s, "#", name) }
	offset := func(p token.Pos) int { return int(p - f.Tree.FileStart) }
	switch k := r.IntN(4); {
	case k == 0 && len(uses) > 0:
		id := uses[r.IntN(len(uses))].(*ast.Ident)
		in.from, in.to, in.text, in.replaced = offset(id.Pos()), offset(id.End()), name, id.Name
	case k == 1:
		d := injectedDeclarations[r.IntN(len(injectedDeclarations))]
		at := len(text)
		if n := len(f.Tree.Decls); n > 0 {
			at = offset(f.Tree.Decls[r.IntN(n)].End())
			if end := strings.IndexByte(text[at:], '\n'); end >= 0 {
				at += end
			}
		}
		in.from, in.to, in.text, in.syntax = at, at, "\n\n"+fill(d.text)+"\n", d.syntax
	case len(blocks) > 0:
		s := injectedStatements[r.IntN(len(injectedStatements))]
		at := offset(blocks[r.IntN(len(blocks))].(*ast.BlockStmt).Lbrace) + 1
		in.from, in.to, in.text, in.syntax = at, at, "\n"+fill(s.text)+"\n", s.syntax
	default:
		return in, false
	}
	return in, true
}

func isClause(s ast.Stmt) bool {
	_, ok := s.(*ast.CaseClause)
	return ok
}

// injected returns the text with mistakes in it.
func injected(text string, list []injection) string {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b injection) int { return b.from - a.from })
	for _, in := range list {
		text = text[:in.from] + in.text + text[in.to:]
	}
	return text
}

// finds reports whether an error is about a mistake.
func (in injection) finds(e *syntax.Error, lines []string) bool {
	if in.syntax && e.Code >= syntax.Undefined {
		return false
	}
	return strings.Contains(e.Msg, in.name) || strings.Contains(lines[e.Pos.Line-1], in.name)
}

// mistakes are what `ti check` finds.
func mistakes(text string) (errs syntax.ErrorList, f *syntax.File) {
	f, errs = syntax.Parse("m.ti", text, token.Position{})
	if f != nil {
		errs = append(errs, Mistakes([]*syntax.File{f})...)
	}
	return errs.Sort(), f
}

// Of several independent mistakes in a source all are reported, and nothing else is.
func TestInjectedMistakes(t *testing.T) {
	files, _ := allSources(t)
	var sources []string
	for _, text := range files {
		if errs, _ := mistakes(text); len(errs) == 0 && len(text) < 20_000 {
			sources = append(sources, text)
		}
	}
	tried, idle := 0, 0
	for n := range injections.Count() {
		seed := injections.First() + uint64(n)
		r := rand.New(rand.NewPCG(seed, 7))
		text := sources[r.IntN(len(sources))]
		_, f := mistakes(text)
		var list []injection
		for i := range 2 + r.IntN(5) {
			in, ok := inject(r, f, text, fmt.Sprintf("wrong%d", i))
			if !ok || slices.ContainsFunc(list, func(o injection) bool { return tooNear(text, o, in) || decides(f, o, in) || decides(f, in, o) }) {
				continue
			}
			// A mistake that is not found alone stands in a branch that is not compiled.
			one := injected(text, []injection{in})
			errs, _ := mistakes(one)
			lines := strings.Split(one, "\n")
			if tried++; !slices.ContainsFunc(errs, func(e *syntax.Error) bool { return in.finds(e, lines) }) {
				idle++
				continue
			}
			list = append(list, in)
		}
		checkInjected(t, seed, injected(text, list), list)
	}
	if tried < int(injections.Count()) || idle > tried/10 {
		t.Errorf("%d mistakes of %d are not found when they are alone", idle, tried)
	}
}

// tooNear reports whether two mistakes are in one statement.
func tooNear(text string, a, b injection) bool {
	if a.from > b.from {
		a, b = b, a
	}
	return a.from == b.from || (a.replaced != "" || b.replaced != "") && !strings.Contains(text[a.from:b.from], "\n")
}

// decides reports whether a mistake is in the condition of an if statement that has the other one: of a static condition
// whose value is not known, no branch is looked at.
func decides(f *syntax.File, in, other injection) (does bool) {
	within := func(n ast.Node, in injection) bool {
		return int(n.Pos()-f.Tree.FileStart) <= in.from && in.from < int(n.End()-f.Tree.FileStart)
	}
	ast.Inspect(f.Tree, func(n ast.Node) bool {
		if s, ok := n.(*ast.IfStmt); ok && isStatic(s.Cond) && within(s.Cond, in) && within(s, other) {
			does = true
		}
		return !does
	})
	return does
}

func isStatic(e ast.Expr) (is bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == "static" {
			is = true
		}
		return !is
	})
	return is
}

func checkInjected(t *testing.T, seed uint64, text string, list []injection) {
	t.Helper()
	errs, _ := mistakes(text)
	lines := strings.Split(text, "\n")
	failed := func(format string, args ...any) {
		t.Helper()
		t.Errorf("seed %d: %s\n%v\n", seed, fmt.Sprintf(format, args...), errs)
		t.Logf("%s", text)
	}
	for _, in := range list {
		if !slices.ContainsFunc(errs, func(e *syntax.Error) bool { return in.finds(e, lines) }) {
			failed("nothing is said of %s: %q", in.name, in.text)
			return
		}
	}
	for _, e := range errs {
		about := slices.ContainsFunc(list, func(in injection) bool {
			return in.finds(e, lines) || e.Code == syntax.Unused && strings.HasPrefix(e.Msg, in.replaced+" ") || nearby(lines, e.Pos.Line, in)
		})
		if !about {
			failed("false: %v", e)
			return
		}
	}
}

// nearby reports whether a line belongs to a mistake of several lines.
func nearby(lines []string, line int, in injection) bool {
	for i := max(0, line-3); i < min(len(lines), line+2); i++ {
		if strings.Contains(lines[i], in.name) && strings.Contains(in.text, strings.TrimSpace(lines[line-1])) && strings.TrimSpace(lines[line-1]) != "" {
			return true
		}
	}
	return false
}
