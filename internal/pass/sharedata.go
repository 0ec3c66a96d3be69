package pass

import "github.com/gotaichi/ti/internal/ir"

// isFreeData reports whether a constant that o has, and that is no address, may become an argument.
func isFreeData(o *ir.Op, chained map[*ir.Value]bool) bool {
	switch o.Code {
	case ir.OpStore, ir.OpLt, ir.OpLe, ir.OpGt, ir.OpGe, ir.OpEq, ir.OpNe:
		return true
	case ir.OpAdd, ir.OpSub, ir.OpMul:
		return o.Flags.Has(ir.Strict) || !chained[o.Result()]
	}
	return false
}

// chainedIn returns the sums and products of floats whose constants LLVM may compute with. It makes
// x*(a*b) of x*a*b and x*a + b*a of (x+b)*a where they may be reassociated, but only of constants,
// and what a loop computes must not depend on whether it shares its code. So a sum or product stays
// as it is if LLVM does not get to see that its result, or a product's operand, is multiplied too:
// operands come from memory or are given, and results go there or into sums.
func chainedIn(t *ir.Task) map[*ir.Value]bool {
	var ops []*ir.Op
	loadsFollow := false // of the store that is looked at, so that LLVM may take from there what was stored
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
