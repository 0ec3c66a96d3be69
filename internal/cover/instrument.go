package cover

import (
	"slices"

	"github.com/gotaichi/ti/internal/typed"
)

// Name is that of the field of counters: no source has it.
const Name = "cover:counters"

// Instrument adds the field of counters to a checked source and puts the counting
// statements into its functions. Instances of a kernel may share functions: what is
// instrumented already stays as it is.
func (p *Profiler) Instrument(prog *typed.Program) {
	if p.field == nil {
		p.field = &typed.Field{
			Name: Name, Index: len(prog.Fields), Elem: typed.I64, Rank: 1, Shape: []int{max(1, len(p.Blocks))}, Origin: []int{0},
		}
	}
	if slices.Contains(prog.Fields, p.field) {
		return
	}
	prog.Fields = append(prog.Fields, p.field)
	for _, k := range prog.Kernels {
		p.function(k)
	}
}

// function instruments a function and those that it calls.
func (p *Profiler) function(f *typed.Func) {
	if p.done[f] {
		return
	}
	p.done[f] = true
	f.Fields = append(f.Fields, p.field)
	p.block(f.Body)
}

// block puts counters into a list of statements: those of the blocks that stand
// directly in it where their first statement would be, whether or not the checker
// has left one there.
func (p *Profiler) block(b *typed.Block) {
	var due []int
	var out []typed.Stmt
	if !chained(b) {
		due = p.opened[placeOf(b.Pos)]
	}
	if len(due) > 0 {
		out, due = append(out, p.count(due[0])), due[1:]
	}
	for _, s := range b.List {
		for len(due) > 0 && p.begun(due[0], s) {
			out, due = append(out, p.count(due[0])), due[1:]
		}
		if _, ok := s.(*typed.If); ok {
			if n, ok := p.alone[placeOf(s.Position())]; ok {
				out = append(out, p.count(n))
			}
		}
		p.stmt(s)
		out = append(out, s)
	}
	for _, n := range due {
		out = append(out, p.count(n))
	}
	b.List = out
}

// chained reports whether b is no list of the source but a link in the chain that
// a switch becomes.
func chained(b *typed.Block) bool {
	if len(b.List) != 1 {
		return false
	}
	_, isIf := b.List[0].(*typed.If)
	return isIf && b.List[0].Position() == b.Pos
}

// begun reports whether block n has begun where s stands.
func (p *Profiler) begun(n int, s typed.Stmt) bool {
	at, from := s.Position(), p.Blocks[n].From
	return at.Filename == from.Filename && at.Offset >= from.Offset
}

// count is the statement that counts block n.
func (p *Profiler) count(n int) typed.Stmt { return typed.Count(p.Blocks[n].From, p.field, n) }

// stmt instruments what is inside a statement.
func (p *Profiler) stmt(s typed.Stmt) {
	for _, e := range typed.Expressions(s) {
		p.expr(e)
	}
	switch s := s.(type) {
	case *typed.Block:
		p.block(s)
	case *typed.If:
		p.block(s.Then)
		if s.Else != nil {
			p.block(s.Else)
		}
	case *typed.Scope:
		p.block(s.Body)
	case *typed.Loop:
		for _, post := range s.Post {
			p.stmt(post)
		}
		p.block(s.Body)
	case *typed.RangeFor:
		p.block(s.Body)
	case *typed.FieldFor:
		p.block(s.Body)
	case *typed.Unrolled:
		for _, b := range s.Bodies {
			p.block(b)
		}
	}
}

// expr instruments the functions that an expression calls.
func (p *Profiler) expr(e typed.Expr) {
	if e == nil {
		return
	}
	if c, ok := e.(*typed.Call); ok {
		p.function(c.Func)
	}
	for _, x := range typed.Operands(e) {
		p.expr(x)
	}
}
