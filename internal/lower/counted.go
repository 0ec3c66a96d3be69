package lower

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/typed"
)

// counted recognises `for i := lo; i < hi; i++` with a bound that does not change
// in the loop and an i that nothing else changes: a for of the IR, about which
// passes know more than about a loop. It returns i and hi.
func (l *lowerer) counted(s *typed.Loop) (i *typed.Var, hi typed.Expr) {
	cond, ok := s.Cond.(*typed.Binary)
	if !ok || cond.Op != typed.Lt || len(s.Post) != 1 {
		return nil, nil
	}
	x, ok := cond.X.(*typed.VarRef)
	step, isUpdate := s.Post[0].(*typed.Update)
	if !ok || !isUpdate || step.Op != typed.Add || !isOne(step.Value) {
		return nil, nil
	}
	if p, ok := step.Place.(*typed.VarRef); !ok || p.Var != x.Var || len(l.live([]*typed.Var{x.Var})) == 0 {
		return nil, nil
	}
	changed := l.effectsOf(s.Body).assigned
	if slices.Contains(changed, x.Var) || !fixed(cond.Y, append(changed[:len(changed):len(changed)], x.Var)) {
		return nil, nil
	}
	return x.Var, cond.Y
}

// isOne reports whether e is the integer constant 1.
func isOne(e typed.Expr) bool {
	c, ok := e.(*typed.Const)
	return ok && len(c.Vals) == 1 && typed.ScalarOf(c.T).IsInt() && c.Vals[0].Int() == 1
}

// fixed reports whether e reads no memory and none of the changed variables.
func fixed(e typed.Expr, changed []*typed.Var) bool {
	budget := maxEager
	if v, ok := e.(*typed.VarRef); ok && slices.Contains(changed, v.Var) || !eager(e, &budget) {
		return false
	}
	for _, x := range typed.Operands(e) {
		if !fixed(x, changed) {
			return false
		}
	}
	return true
}

// countedLoop lowers a loop that counted recognised.
func (l *lowerer) countedLoop(s *typed.Loop, i *typed.Var, bound typed.Expr) {
	lo := l.env[i].vals[0]
	hi := l.expr(bound)[0]
	l.at(s.Pos)
	vars := l.live(l.effectsOf(s).assigned)
	t := &target{vars: vars, post: s.Post}
	if countJumps(s.Body.List, breakOf(s)) == 0 { // i need not be carried
		t.vars, t.post = slices.DeleteFunc(vars, func(v *typed.Var) bool { return v == i }), nil
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
