package driver

import "github.com/gotaichi/ti/internal/ir"

// What the tests outside the package share with those inside it.
var (
	TestOptions = options
	TestProgram = program
)

// Lowered is the kernel before the passes.
func (u *Unit) Lowered() *ir.Kernel { return u.k }

// Passed is the kernel behind a stage.
func (u *Unit) Passed(stage string) (*ir.Kernel, error) {
	b := u.begin()
	return b.k, b.passes(nil, stage)
}
