package driver

import "github.com/gotaichi/ti/internal/ir"

// What the tests outside the package share with those inside it.
var (
	TestOptions = options
	TestProgram = program
)

// Lowered is the kernel before the passes.
func (u *Unit) Lowered() *ir.Kernel { return u.k }
