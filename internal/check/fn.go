package check

import (
	"go/token"
)

// An fn is a function instance being checked.
type fn struct {
	inst *Func // nil while a constant is evaluated
	obj  *object
	ctx  Context
	bind *bindings      // of its compile-time parameters
	call token.Position // where it is called first; none of what the host launches
	pos  token.Pos

	scope     *scope
	unsure    bool     // in a loop over a wrong expression: it is unknown whether it is parallel
	outermost bool     // at a place that is executed once: loops here are parallel
	par       *parLoop // the parallel loop around, in this function
	targets   []*target
	named     bool // results have names
	size      int  // nodes, callees included; see budget.go
	over      bool // size exceeded the limit
	calls     map[string]*portion
	loops     []*portion // static loops being unrolled, outermost first
	largest   portion    // of the loops before
	failed    bool       // a static assertion does not hold: what follows was not written for this instance
	ended     bool       // the branch that if static chose ends in a jump

	captured []*object        // variables from around a function literal, in order
	hidden   map[*object]*Var // the parameters that carry them
}

// A parLoop is a parallel loop being checked: what it does to variables from
// outside of it.
type parLoop struct {
	reads   map[*Var]token.Pos
	reduced map[*Var]bool
	order   []*Var // of reads
}

func (c *checker) inParallel() bool {
	return c.fn != nil && (c.fn.ctx == Inside || c.fn.par != nil)
}

// terminates reports whether control never reaches the end of a block.
func terminates(b *Block) bool {
	if b == nil || len(b.List) == 0 {
		return false
	}
	switch s := b.List[len(b.List)-1].(type) {
	case *Return, *Break, *Continue:
		return true
	case *Block:
		return terminates(s)
	case *If:
		return s.Else != nil && terminates(s.Then) && terminates(s.Else)
	case *Loop:
		return s.Cond == nil && !breaks(s.Body, s)
	case *Scope:
		return terminates(s.Body) && !breaks(s.Body, s)
	case *Unrolled:
		for _, body := range s.Bodies {
			if breaks(body, s) {
				return false
			}
		}
		for _, body := range s.Bodies {
			if terminates(body) && !continues(body, s) {
				return true
			}
		}
	}
	return false
}

func breaks(b *Block, target Stmt) (found bool) {
	Walk(b.List, func(s Stmt) { x, ok := s.(*Break); found = found || ok && x.Target == target })
	return found
}

func continues(b *Block, target Stmt) (found bool) {
	Walk(b.List, func(s Stmt) { x, ok := s.(*Continue); found = found || ok && x.Target == target })
	return found
}
