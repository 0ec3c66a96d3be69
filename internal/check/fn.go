package check

import (
	"go/token"

	"github.com/gotaichi/ti/internal/typed"
)

// An fn is a function instance being checked.
type fn struct {
	inst *typed.Func // nil while a constant is evaluated
	obj  *object
	ctx  typed.Context
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

	captured []*object              // variables from around a function literal, in order
	hidden   map[*object]*typed.Var // the parameters that carry them
}

// A parLoop is a parallel loop being checked: what it does to variables from
// outside of it.
type parLoop struct {
	reads   map[*typed.Var]token.Pos
	reduced map[*typed.Var]bool
	order   []*typed.Var // of reads
}

func (c *checker) inParallel() bool {
	return c.fn != nil && (c.fn.ctx == typed.Inside || c.fn.par != nil)
}

// terminates reports whether control never reaches the end of a block.
func terminates(b *typed.Block) bool {
	if b == nil || len(b.List) == 0 {
		return false
	}
	switch s := b.List[len(b.List)-1].(type) {
	case *typed.Return, *typed.Break, *typed.Continue:
		return true
	case *typed.Block:
		return terminates(s)
	case *typed.If:
		return s.Else != nil && terminates(s.Then) && terminates(s.Else)
	case *typed.Loop:
		return s.Cond == nil && !breaks(s.Body, s)
	case *typed.Scope:
		return terminates(s.Body) && !breaks(s.Body, s)
	case *typed.Unrolled:
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

func breaks(b *typed.Block, target typed.Stmt) (found bool) {
	typed.Visit(b.List, func(s typed.Stmt) { x, ok := s.(*typed.Break); found = found || ok && x.Target == target })
	return found
}

func continues(b *typed.Block, target typed.Stmt) (found bool) {
	typed.Visit(b.List, func(s typed.Stmt) { x, ok := s.(*typed.Continue); found = found || ok && x.Target == target })
	return found
}
