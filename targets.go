package ti

import (
	"github.com/gotaichi/ti/internal/front"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/target"
)

// hostTarget is the name of the target that is this machine's processors, with code by
// libLLVM. Built with the tag ti_ahead, a program has no way to libLLVM: its kernels come with
// it ([Config.Code]), and it is linked statically.
const hostTarget = "llvm"

// targets are those that programs get by importing this package.
func targets(env *front.Env) (*target.Registry, error) {
	return target.NewRegistry(target.Target{Name: hostTarget, Compiler: func() (target.Compiler, error) { return compilerFor(env) }, Machine: same})
}

// same is the machine of a target that is the processors themselves.
func same(processors launch.Machine) (launch.Machine, error) { return processors, nil }
