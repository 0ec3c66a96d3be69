package check

import (
	"go/token"

	"github.com/gotaichi/ti/internal/typed"
)

// A Program is a checked package bound to a host: the typed tree, and what the checker
// needs to instantiate kernels with compile-time parameters.
type Program struct {
	typed.Program

	// Prints is what staticPrint wrote, in the order of checking.
	Prints []Print

	source *Package
	host   *Host
}

// ex makes the common part of an expression.
func ex(at token.Position, t typed.Type) typed.ExprBase { return typed.ExprBase{Pos: at, T: t} }

// at makes the common part of a statement.
func at(p token.Position) typed.StmtBase { return typed.StmtBase{Pos: p} }
