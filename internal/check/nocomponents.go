package check

import (
	"go/token"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// This file is about vectors without components: the index of a loop over a field of rank
// 0, its shape, and what is computed of them. Code for every rank uses them as it uses the
// indices of other fields. They take no memory and no instructions.

// choosesOfNothing reports a builtin that gives one of the components of vectors, where
// there are none.
func (c *checker) choosesOfNothing(fn typed.Fn, p token.Pos, args []typed.Expr) bool {
	if fn != typed.MinOf && fn != typed.MaxOf || typed.Components(args[0].Type()) > 0 {
		return false
	}
	c.errorf(syntax.ArgType, p, "ask for len(v) before, with if static", "a vector without components, as the index of a field of rank 0 is, has no least and no largest")
	return true
}
