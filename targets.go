package ti

import (
	"github.com/gotaichi/ti/internal/apart"
	"github.com/gotaichi/ti/internal/config"
	"github.com/gotaichi/ti/internal/front"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/target"
)

// targets are those that programs get by importing this package: this machine's processors, with code by libLLVM, and the same in
// memory apart, for tests. Built with the tag ti_ahead, a program has no way to libLLVM: its kernels come with it
// ([Config.Code]), and it is linked statically.
func targets(env *front.Env) (*target.Registry, error) {
	compiler := func() (target.Compiler, error) { return compilerFor(env) }
	return target.NewRegistry(
		target.Target{Name: config.LLVM.String(), Compiler: compiler, Machine: same},
		target.Target{Name: config.Apart.String(), Compiler: compiler, Machine: func(m launch.Machine) (launch.Machine, error) { return apart.New(m), nil }},
	)
}

// same is the machine of a target that is the processors themselves.
func same(processors launch.Machine) (launch.Machine, error) { return processors, nil }
