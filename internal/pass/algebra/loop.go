package algebra

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/fold"
)

// rangeLoop rewrites a for.
func (s *simplifier) rangeLoop(o *ir.Op) (ended bool) {
	lo, okLo := ir.ConstOf(o.Args[0])
	hi, okHi := ir.ConstOf(o.Args[1])
	k := o.Args[0].Type.Kind
	switch {
	case o.Args[0] == o.Args[1], okLo && okHi && !fold.Compare(ir.OpLt, k, lo, hi):
		s.reshaped++
		s.subst.All(o.Results, o.Args[2:])
		return false
	case okLo && okHi && hi-lo == 1:
		s.subst.All(o.Regions[0].Params, append(o.Args[:1:1], o.Args[2:]...))
		return s.once(s.asBlock(o))
	}
	s.invariants(o, o.Regions[0].Params[1:], o.Args[2:])
	s.append(o)
	s.block(o.Regions[0])
	return false
}

// loop rewrites a loop.
func (s *simplifier) loop(o *ir.Op) (ended bool) {
	continues := false
	for _, j := range s.jumps[o] {
		continues = continues || j.Target == o && j.Code == ir.OpContinue
	}
	if !continues {
		s.subst.All(o.Regions[0].Params, o.Args)
		return s.once(s.asBlock(o))
	}
	s.invariants(o, o.Regions[0].Params, o.Args)
	s.append(o)
	s.block(o.Regions[0])
	return false
}

// invariants replaces carried values that no iteration changes by their initial values.
func (s *simplifier) invariants(o *ir.Op, params, start []*ir.Value) {
	for i, p := range params {
		kept, left := true, true
		for _, j := range s.jumps[o] {
			if j.Target != o {
				continue
			}
			if j.Code == ir.OpBreak && o.Code == ir.OpLoop {
				continue // it is only a result
			}
			v := s.subst.Of(j.Args[i])
			same := v == p || v == start[i]
			if j.Code == ir.OpContinue {
				kept = kept && same
			} else {
				left = left && same
			}
		}
		if !kept {
			continue
		}
		s.subst[p] = start[i]
		if left && o.Code == ir.OpFor {
			s.subst[o.Results[i]] = start[i]
		}
	}
}

// asBlock turns a loop that runs once into a block: its continues become breaks.
func (s *simplifier) asBlock(loop *ir.Op) *ir.Op {
	b := &ir.Op{Code: ir.OpBlock, Pos: loop.Pos, Results: loop.Results}
	for _, r := range b.Results {
		r.Def = b
	}
	b.Regions = []*ir.Block{{Ops: loop.Regions[0].Ops, Parent: b}}
	for _, j := range s.jumps[loop] {
		if j.Target == loop {
			j.Code, j.Target = ir.OpBreak, b
			s.jumps[b] = append(s.jumps[b], j)
		}
	}
	return b
}

// once rewrites a block.
func (s *simplifier) once(o *ir.Op) (ended bool) {
	body := o.Regions[0]
	if t := body.Terminator(); t.Code == ir.OpBreak && t.Target == o {
		t.Code, t.Target = ir.OpYield, nil
	}
	if !s.left(o) {
		return s.splice(o, body)
	}
	s.block(body, jumpKind{ir.OpBreak, o})
	if s.left(o) {
		s.append(o)
		return false
	}
	// It has no breaks any more: its ops, which are rewritten already, need no block.
	s.reshaped++
	last := len(body.Ops) - 1
	s.out.Ops = append(s.out.Ops, body.Ops[:last]...)
	t := body.Ops[last]
	if t.Code != ir.OpYield {
		s.append(t)
		return true
	}
	s.subst.All(o.Results, t.Args)
	return false
}

// left reports whether a break leaves o.
func (s *simplifier) left(o *ir.Op) bool {
	for _, j := range s.jumps[o] {
		if j.Target == o && j.Code == ir.OpBreak {
			return true
		}
	}
	return false
}
