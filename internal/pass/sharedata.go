package pass

import "github.com/gotaichi/ti/internal/ir"

// isFreeData reports whether a constant operand of o that is no address may become an argument.
func isFreeData(o *ir.Op, chained map[*ir.Value]bool) bool {
	switch o.Code {
	case ir.OpStore, ir.OpLt, ir.OpLe, ir.OpGt, ir.OpGe, ir.OpEq, ir.OpNe:
		return true
	case ir.OpAdd, ir.OpSub, ir.OpMul:
		return o.Flags.Has(ir.Strict) || !chained[o.Result()]
	}
	return false
}

// chainedIn returns the results and operands of sums and products of floats with which LLVM may fold constants. If they may be
// reassociated, it replaces x*a*b by x*(a*b) and (x+b)*a by x*a + b*a, but only for constants, and the result of a loop must not
// depend on whether its code is shared. So a constant of a sum or product stays if LLVM may see that the result, or a factor, is
// multiplied again. It cannot see that if the operands are loaded or arguments, and the result is stored or added.
func chainedIn(t *ir.Task) map[*ir.Value]bool {
	var ops []*ir.Op
	loadsFollow := false // loads follow the store being visited, so LLVM may forward its value
	for _, b := range t.Blocks() {
		ir.Visit(b, func(o *ir.Op) bool {
			ops = append(ops, o)
			loadsFollow = loadsFollow || o.Code.Is(ir.Loop)
			return true
		})
	}
	chained := map[*ir.Value]bool{}
	for i := len(ops) - 1; i >= 0; i-- { // uses before definitions
		o := ops[i]
		switch o.Code {
		case ir.OpLt, ir.OpLe, ir.OpGt, ir.OpGe, ir.OpEq, ir.OpNe:
			continue
		case ir.OpStore:
			if !loadsFollow {
				continue
			}
		case ir.OpLoad, ir.OpAtomic:
			loadsFollow = true
		case ir.OpAdd, ir.OpSub:
			if !chained[o.Result()] {
				continue
			}
		case ir.OpMul:
			for _, a := range o.Args {
				if a.Def == nil || a.Def.Code != ir.OpLoad && a.Def.Code != ir.OpParam && a.Def.Code != ir.OpConst {
					chained[o.Result()] = true
				}
			}
		}
		for _, a := range o.Args {
			if a != nil && a.Type.Kind.IsFloat() {
				chained[a] = true
			}
		}
	}
	return chained
}
