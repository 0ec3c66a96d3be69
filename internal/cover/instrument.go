package cover

import (
	"slices"

	"github.com/gotaichi/ti/internal/check"
)

// Name is that of the field of counters: no source has it.
const Name = "cover:counters"

// Instrument adds the field of counters to a checked source and puts the counting
// statements into its functions. Instances of a kernel may share functions: what is
// instrumented already stays as it is.
func (p *Profiler) Instrument(prog *check.Program) {
	if p.field == nil {
		p.field = &check.Field{
			Name: Name, Index: len(prog.Fields), Elem: check.I64, Rank: 1, Shape: []int{max(1, len(p.Blocks))}, Origin: []int{0},
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
func (p *Profiler) function(f *check.Func) {
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
func (p *Profiler) block(b *check.Block) {
	var due []int
	var out []check.Stmt
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
		if _, ok := s.(*check.If); ok {
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
func chained(b *check.Block) bool {
	if len(b.List) != 1 {
		return false
	}
	_, isIf := b.List[0].(*check.If)
	return isIf && b.List[0].Position() == b.Pos
}

// begun reports whether block n has begun where s stands.
func (p *Profiler) begun(n int, s check.Stmt) bool {
	at, from := s.Position(), p.Blocks[n].From
	return at.Filename == from.Filename && at.Offset >= from.Offset
}

// count is the statement that counts block n.
func (p *Profiler) count(n int) check.Stmt { return check.Count(p.Blocks[n].From, p.field, n) }

// stmt instruments what is inside a statement.
func (p *Profiler) stmt(s check.Stmt) {
	for _, e := range check.Expressions(s) {
		p.expr(e)
	}
	switch s := s.(type) {
	case *check.Block:
		p.block(s)
	case *check.If:
		p.block(s.Then)
		if s.Else != nil {
			p.block(s.Else)
		}
	case *check.Scope:
		p.block(s.Body)
	case *check.Loop:
		for _, post := range s.Post {
			p.stmt(post)
		}
		p.block(s.Body)
	case *check.RangeFor:
		p.block(s.Body)
	case *check.FieldFor:
		p.block(s.Body)
	case *check.Unrolled:
		for _, b := range s.Bodies {
			p.block(b)
		}
	}
}

// expr instruments the functions that an expression calls.
func (p *Profiler) expr(e check.Expr) {
	if e == nil {
		return
	}
	if c, ok := e.(*check.Call); ok {
		p.function(c.Func)
	}
	for _, x := range check.Operands(e) {
		p.expr(x)
	}
}
