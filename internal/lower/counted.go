package lower

import (
	"slices"

	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/ir"
)

// counted recognises `for i := lo; i < hi; i++` with a bound that does not change
// in the loop and an i that nothing else changes: a for of the IR, about which
// passes know more than about a loop. It returns i and hi.
func (l *lowerer) counted(s *check.Loop) (i *check.Var, hi check.Expr) {
	cond, ok := s.Cond.(*check.Binary)
	if !ok || cond.Op != check.Lt || len(s.Post) != 1 {
		return nil, nil
	}
	x, ok := cond.X.(*check.VarRef)
	step, isUpdate := s.Post[0].(*check.Update)
	if !ok || !isUpdate || step.Op != check.Add || !isOne(step.Value) {
		return nil, nil
	}
	if p, ok := step.Place.(*check.VarRef); !ok || p.Var != x.Var || len(l.live([]*check.Var{x.Var})) == 0 {
		return nil, nil
	}
	changed := l.effectsOf(s.Body).assigned
	if slices.Contains(changed, x.Var) || !fixed(cond.Y, append(changed[:len(changed):len(changed)], x.Var)) {
		return nil, nil
	}
	return x.Var, cond.Y
}

// isOne reports whether e is the integer constant 1.
func isOne(e check.Expr) bool {
	c, ok := e.(*check.Const)
	return ok && len(c.Vals) == 1 && check.ScalarOf(c.T).IsInt() && c.Vals[0].Int() == 1
}

// fixed reports whether e reads no memory and none of the changed variables.
func fixed(e check.Expr, changed []*check.Var) bool {
	budget := maxEager
	if v, ok := e.(*check.VarRef); ok && slices.Contains(changed, v.Var) || !eager(e, &budget) {
		return false
	}
	for _, x := range check.Operands(e) {
		if !fixed(x, changed) {
			return false
		}
	}
	return true
}

// countedLoop lowers a loop that counted recognised.
func (l *lowerer) countedLoop(s *check.Loop, i *check.Var, bound check.Expr) {
	lo := l.env[i].vals[0]
	hi := l.expr(bound)[0]
	l.at(s.Pos)
	vars := l.live(l.effectsOf(s).assigned)
	t := &target{vars: vars, post: s.Post}
	if countJumps(s.Body.List, breakOf(s)) == 0 { // i need not be carried
		t.vars, t.post = slices.DeleteFunc(vars, func(v *check.Var) bool { return v == i }), nil
	}
	init := l.values(t.vars)
	o := ir.NewOp(ir.OpFor, l.b.Pos, typesOf(init), append([]*ir.Value{lo, hi}, init...)...)
	l.b.Emit(o)
	t.leave, t.next = o, o
	l.targets[s] = t
	l.in(o.Regions[0], func() {
		index := o.Regions[0].AddParam(lo.Type, i.Name)
		l.addParams(o.Regions[0], t.vars)
		l.set(i, []*ir.Value{index})
		l.loopBody(s, s.Body.List, t)
	})
	l.adopt(t.vars, o.Results)
	if t.post == nil {
		l.set(i, []*ir.Value{l.b.Op(ir.OpMax, lo, hi)})
	}
}
