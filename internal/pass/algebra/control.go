package algebra

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
)

// This file simplifies control flow:
//
//   - an if whose condition is known is replaced by the region that is taken;
//   - if a region of an if jumps to where the code after the if leads anyway, that code moves into the if, and the jump is dropped:
//     early exits become nested ifs;
//   - results that are the same value on all paths are replaced by it;
//   - a loop that runs at most once, and a block that no break leaves, become straight-line code.

// maxNest bounds the depth of ifs that are nested to drop jumps.
const maxNest = 64

// A jumpKind is a jump without its operands.
type jumpKind struct {
	code   ir.Code
	target *ir.Op
}

func kindOf(jump *ir.Op) jumpKind { return jumpKind{jump.Code, jump.Target} }

// leadsTo reports whether the jump j leads to the same point as the terminator t at the end of the current block.
func (s *simplifier) leadsTo(j, t *ir.Op) bool {
	return kindOf(j) == kindOf(t) || t.Code == ir.OpYield && slices.Contains(s.departures, kindOf(j))
}

// branch rewrites an if.
func (s *simplifier) branch(o *ir.Op, rest []*ir.Op) (ended bool) {
	if truth, ok := s.known(o.Args[0]); ok {
		region := o.Regions[1]
		if truth {
			region = o.Regions[0]
		}
		return s.splice(o, region)
	}
	if d := DefOf(o.Args[0], ir.OpNot); d != nil {
		o.Args = []*ir.Value{d.Args[0]}
		o.Regions = []*ir.Block{o.Regions[1], o.Regions[0]}
	}
	if len(rest) > 0 && s.takesRest(o, rest) {
		s.absorb(o, rest)
		return true
	}
	var departures []jumpKind
	if len(rest) == 1 && passes(rest[0], o) {
		departures = append(departures, s.departures...)
		if rest[0].Code != ir.OpYield {
			departures = []jumpKind{kindOf(rest[0])}
		}
	}
	s.assume(o, 0, func() { s.block(o.Regions[0], departures...) })
	s.assume(o, 1, func() { s.block(o.Regions[1], departures...) })
	s.finishIf(o)
	if analysis.EndsInJumps(o) && len(rest) > 0 && rest[len(rest)-1].Code.Is(ir.Terminator) {
		s.append(s.unreached(rest[len(rest)-1]))
		return true
	}
	return false
}

// passes reports whether the operands of the terminator t are exactly the results of o.
func passes(t, o *ir.Op) bool {
	if !t.Code.Is(ir.Terminator) || len(t.Args) != len(o.Results) {
		return false
	}
	for i, a := range t.Args {
		if a != o.Results[i] {
			return false
		}
	}
	return true
}

// splice replaces o by the ops of a region of o.
func (s *simplifier) splice(o *ir.Op, region *ir.Block) (ended bool) {
	s.reshaped++
	last := len(region.Ops) - 1
	if s.list(region.Ops[:last]) {
		return true
	}
	t := region.Ops[last]
	s.subst.Args(t)
	if t.Code != ir.OpYield {
		s.append(t)
		return true
	}
	s.subst.All(o.Results, t.Args)
	return false
}

// takesRest reports whether the ops after an if may move into it: one region jumps to where they lead, and the other does so, too, or
// continues with them.
func (s *simplifier) takesRest(o *ir.Op, rest []*ir.Op) bool {
	t := rest[len(rest)-1]
	a, b := o.Regions[0].Terminator(), o.Regions[1].Terminator()
	if s.nest >= maxNest || !t.Code.Is(ir.Terminator) {
		return false
	}
	jumpsA, jumpsB := analysis.Jumps(o.Regions[0]), analysis.Jumps(o.Regions[1])
	return (jumpsA || jumpsB) && (!jumpsA || s.leadsTo(a, t)) && (!jumpsB || s.leadsTo(b, t)) &&
		!slices.ContainsFunc(rest, (*ir.Op).IsParallel) // parallel loops stay outermost
}

// absorb moves the ops after an if into the region that continues with them. The if's results are then the operands of the terminator.
func (s *simplifier) absorb(o *ir.Op, rest []*ir.Op) {
	s.reshaped++
	t := rest[len(rest)-1]
	departures := []jumpKind{kindOf(t)}
	if t.Code == ir.OpYield {
		departures = append(departures, s.departures...)
	}
	rest[len(rest)-1] = ir.NewOp(ir.OpYield, t.Pos, nil, t.Args...)
	before := o.Results
	o.Results = nil
	for i, a := range t.Args {
		o.Results = append(o.Results, &ir.Value{Type: a.Type, Def: o, Index: i, Name: a.Name})
	}
	s.nest++
	for i, r := range o.Regions {
		last := len(r.Ops) - 1
		if end := r.Ops[last]; end.Code != ir.OpYield {
			end.Code, end.Target = ir.OpYield, nil
		} else {
			for i, old := range before {
				s.subst[old] = end.Args[i]
			}
			r.Ops = append(r.Ops[:last:last], rest...)
		}
		s.assume(o, i, func() { s.block(r, departures...) })
	}
	s.nest--
	results := o.Results // none of them may stay
	s.finishIf(o)
	t.Args = make([]*ir.Value, len(results))
	for i, r := range results {
		t.Args[i] = s.subst.Of(r)
	}
	s.append(t)
}

// finishIf appends an if whose regions are rewritten, or the code that replaces it.
func (s *simplifier) finishIf(o *ir.Op) {
	a, b := o.Regions[0].Terminator(), o.Regions[1].Terminator()
	if a.Code == ir.OpYield && b.Code == ir.OpYield {
		for i, r := range o.Results {
			if v := s.same(o, a.Args[i], b.Args[i]); v != nil {
				s.subst[r] = v
			}
		}
		if len(o.Regions[0].Ops) == 1 && len(o.Regions[1].Ops) == 1 && len(o.Results) == 0 {
			s.reshaped++
			return
		}
	}
	s.append(o)
	if analysis.EndsInJumps(o) { // no use of the results is reached
		for _, r := range o.Results {
			s.subst[r] = s.bits(o, r.Type, 0)
		}
		o.Results = nil
	}
}

// same returns the value that both x and y, of the two regions of o, are known to equal; nil if there is none.
func (s *simplifier) same(o *ir.Op, x, y *ir.Value) *ir.Value {
	if x == y {
		return x
	}
	a, okA := ir.ConstOf(x)
	b, okB := ir.ConstOf(y)
	if okA && okB && a == b {
		return s.bits(o, x.Type, a)
	}
	return nil
}

// unreached returns the terminator t of unreachable code, without operands that such code would define.
func (s *simplifier) unreached(t *ir.Op) *ir.Op {
	args := make([]*ir.Value, len(t.Args))
	for i, a := range t.Args {
		args[i] = s.bits(t, a.Type, 0)
	}
	t.Args = args
	return t
}

// assume runs f with the condition of o known to select the given region.
func (s *simplifier) assume(o *ir.Op, region int, f func()) {
	var set []*ir.Value
	var learn func(c *ir.Value, truth bool)
	learn = func(c *ir.Value, truth bool) {
		if _, ok := s.facts[c]; ok {
			return
		}
		s.facts[c] = truth
		set = append(set, c)
		if c.Def == nil || len(set) > 16 {
			return
		}
		switch {
		case c.Def.Code == ir.OpNot:
			learn(c.Def.Args[0], !truth)
		case c.Def.Code == ir.OpAnd && truth, c.Def.Code == ir.OpOr && !truth:
			learn(c.Def.Args[0], truth)
			learn(c.Def.Args[1], truth)
		}
	}
	learn(o.Args[0], region == 0)
	f()
	for _, c := range set {
		delete(s.facts, c)
	}
}
