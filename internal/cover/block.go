package cover

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// A Block is a span of source that is executed as one.
type Block struct {
	From, To token.Position
	Stmts    int
}

// A place is a byte of a file.
type place struct {
	file   string
	offset int
}

func placeOf(p token.Position) place { return place{p.Filename, p.Offset} }

// A Profiler knows the blocks of a source; number i is counted in element i of a
// field.
type Profiler struct {
	Blocks []Block

	// opened gives the blocks that stand directly in the braces, or behind the
	// case, at a place; alone the block of an `else if`, which has none.
	opened map[place][]int
	alone  map[place]int

	field *typed.Field         // of the counters
	done  map[*typed.Func]bool // instrumented
}

// New divides the functions of a source into blocks.
func New(files []*syntax.File) *Profiler {
	p := &Profiler{opened: map[place][]int{}, alone: map[place]int{}, done: map[*typed.Func]bool{}}
	for _, f := range files {
		d := &divider{p: p, file: f}
		for _, decl := range f.Tree.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Body != nil {
				d.braces(fn.Body)
			}
		}
	}
	return p
}

// A divider divides the functions of one file.
type divider struct {
	p    *Profiler
	file *syntax.File
}

// braces divides a block in braces.
func (d *divider) braces(b *ast.BlockStmt) {
	d.list(b.Lbrace, b.Lbrace+1, b.Rbrace, b.List)
}

// list divides the statements between two places, which belong to what opens at
// key. A block ends with a statement that may lead elsewhere.
func (d *divider) list(key, from, to token.Pos, list []ast.Stmt) {
	at := placeOf(d.file.Position(key))
	start, n := from, 0
	end := func(to token.Pos) {
		if n > 0 {
			d.p.opened[at] = append(d.p.opened[at], d.add(start, to, n))
		}
		n = 0
	}
	for _, s := range list {
		if !executable(s) {
			continue
		}
		if n == 0 && start != from {
			start = s.Pos() // not the gap behind a loop
		}
		n++
		if head, split := d.control(s); split {
			end(head)
			start = s.End()
		}
	}
	end(to)
}

// add appends a block.
func (d *divider) add(from, to token.Pos, stmts int) int {
	d.p.Blocks = append(d.p.Blocks, Block{d.file.Position(from), d.file.Position(to), stmts})
	return len(d.p.Blocks) - 1
}

// executable reports whether a statement does anything when it is executed.
func executable(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.EmptyStmt:
		return false
	case *ast.DeclStmt:
		return s.Decl.(*ast.GenDecl).Tok == token.VAR
	case *ast.ExprStmt:
		if call, ok := ast.Unparen(s.X).(*ast.CallExpr); ok {
			id, ok := call.Fun.(*ast.Ident)
			return !ok || !strings.HasPrefix(id.Name, "static")
		}
	}
	return true
}

// control divides what is inside a statement. If control may leave from there, the
// statement ends its block, at head.
func (d *divider) control(s ast.Stmt) (head token.Pos, split bool) {
	switch s := s.(type) {
	case *ast.LabeledStmt:
		return d.control(s.Stmt)
	case *ast.BlockStmt:
		d.braces(s)
		return s.Lbrace, true
	case *ast.IfStmt:
		d.branches(s)
		return s.Body.Lbrace, true
	case *ast.ForStmt:
		d.braces(s.Body)
		return s.Body.Lbrace, true
	case *ast.RangeStmt:
		d.braces(s.Body)
		return s.Body.Lbrace, true
	case *ast.SwitchStmt:
		for _, c := range s.Body.List {
			if c, ok := c.(*ast.CaseClause); ok {
				d.list(c.Case, c.Colon+1, c.End(), c.Body)
			}
		}
		return s.Body.Lbrace, true
	case *ast.BranchStmt, *ast.ReturnStmt:
		return s.End(), true
	}
	return 0, false
}

// branches divides the branches of an if.
func (d *divider) branches(s *ast.IfStmt) {
	d.braces(s.Body)
	switch e := s.Else.(type) {
	case *ast.BlockStmt:
		d.braces(e)
	case *ast.IfStmt:
		d.p.alone[placeOf(d.file.Position(e.Pos()))] = d.add(e.Pos(), e.Body.Lbrace, 1)
		d.branches(e)
	}
}
